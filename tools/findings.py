#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a page to keep from the csv of `ptxlat compare`: what matters most, then each step with its changes grouped.

  ptxlat compare --by toolchain --steps --format csv TABLES... | gzip -9n >changes.csv.gz
  tools/findings.py changes.csv.gz >changes.md

Rows with the same numbers, cause and opcodes before and after are one kind of change. Kinds of common instructions and
of large changes come first; numbers up to different consumers are counted and left out. Between two GPUs nothing but
the hardware differs: then the page lists the ratios by opcode.
"""

import argparse
import csv
import gzip
import math
import statistics
import sys
from collections import Counter, defaultdict

MOST_NAMES, MOST_LINES, MOST_KINDS = 8, 10, 12
NOISE = 0.02  # two surveys of one card differ by less (docs/method.md)
# Opcodes that compilers emit all the time.
COMMON = set("add sub mul mad fma min max and or xor not shl shr lop3 setp selp cvt mov ld st bar rcp rsqrt sqrt ex2 "
             "lg2 sin cos div abs neg prmt popc shfl".split())
NUMBERS = ("cycles", "issue", "static")


def number(row, tag, side):
    text = row[f"{tag}_{side}"]
    return float(text) if text else None


def text_of(value):
    return "-" if value is None else f"{value:.10g}"


def changed_numbers(row):
    """The numbers that differ, in words: "4 → 8 cycles", "issue 14 → 2"."""
    parts = []
    for tag in NUMBERS:
        a, b = number(row, tag, "a"), number(row, tag, "b")
        if a != b:
            parts.append(f"{text_of(a)} → {text_of(b)} cycles" if tag == "cycles"
                         else f"{tag} {text_of(a)} → {text_of(b)}")
    return ", ".join(parts[:1] if parts and "cycles" in parts[0] else parts)


def opcodes(text):
    """`IMAD×3;IADD3` of a list with repetitions."""
    names, counted = text.split(";"), []
    for name in names:
        if counted and counted[-1][0] == name:
            counted[-1][1] += 1
        else:
            counted.append([name, 1])
    short = ";".join(name if count == 1 else f"{name}×{count}" for name, count in counted)
    return short if len(short) <= 90 else short[:88] + "…"


def score(row):
    ratio = max((abs(math.log2(number(row, tag, "b") / number(row, tag, "a")))
                 for tag in ("cycles", "issue", "static")
                 if number(row, tag, "a") and number(row, tag, "b")), default=0)
    opcode = row["ptx"].split(".")[0].split(" ")[0]
    level = 1 if row["opt_a"] >= "O3" or row["opt_a"] != row["opt_b"] else 0.2
    return ratio * level * (4 if opcode in COMMON else 1)


class Kind:
    def __init__(self):
        self.rows, self.forms, self.levels, self.score, self.first = 0, [], set(), 0, None

    def add(self, row):
        self.first = self.first or row
        self.rows += 1
        name = f"`{row['ptx']}`" + (f" ({row['input']})" if row["input"] else "")
        if name not in self.forms:
            self.forms.append(name)
        self.levels.add(row["opt_a"])
        self.score = max(self.score, score(row))


def kinds_of(rows):
    kinds = defaultdict(Kind)
    for row in rows:
        if row["cause"] in ("other_sass", "other_stall_counts"):
            kinds[changed_numbers(row), row["cause"], row["sass_a"], row["sass_b"]].add(row)
    return sorted(kinds.values(), key=lambda kind: -kind.score)


def names(items, most):
    rest = len(items) - most
    return ", ".join(items[:most]) + (f" and {rest} more" if rest > 0 else "")


def reason(row):
    if row["sass_a"] != row["sass_b"]:
        return f"since `{opcodes(row['sass_a'])}` became `{opcodes(row['sass_b'])}`"
    return f"since `{opcodes(row['sass_a'])}` is scheduled differently"


def write_steps(out, steps):
    best = [(kind, b) for (_, b), rows in steps.items() for kind in kinds_of(rows) if changed_numbers(kind.first)]
    subjects = set()
    for kind, b in sorted(best, key=lambda pair: -pair[0].score):
        subject = kind.first["ptx"].split(".")[0]
        if len(subjects) == MOST_LINES or kind.score == 0:
            break
        if subject in subjects:
            continue
        subjects.add(subject)
        out.write(f"- {names(kind.forms, 4)}: **{changed_numbers(kind.first)}** at -{max(kind.levels)} with {b}, "
                  f"{reason(kind.first)}\n")
    for (a, b), rows in steps.items():
        causes = Counter(row["cause"] for row in rows)
        out.write(f"\n## {b}, after {a}\n\n{len(rows)} rows differ: "
                  + ", ".join(f"{count} {cause}" for cause, count in causes.most_common()) + ".\n")
        kinds = [kind for kind in kinds_of(rows) if changed_numbers(kind.first)]
        if kinds:
            out.write("\n| forms | rows | levels | change | machine code before | after |\n|---|---|---|---|---|---|\n")
        for kind in kinds[:MOST_KINDS]:
            row = kind.first
            out.write(f"| {names(kind.forms, MOST_NAMES)} | {kind.rows} | {' '.join(sorted(kind.levels, reverse=True))} "
                      f"| {changed_numbers(row)} | `{opcodes(row['sass_a'])}` | `{opcodes(row['sass_b'])}` |\n")
        if len(kinds) > MOST_KINDS:
            out.write(f"\nNot shown: {len(kinds) - MOST_KINDS} more kinds of change.\n")


def write_gpus(out, steps):
    for (a, b), rows in steps.items():
        ratios = defaultdict(list)
        for row in rows:
            x, y = number(row, "cycles", "a"), number(row, "cycles", "b")
            if row["cause"] == "same_code" and x and y:
                ratios[".".join(row["ptx"].split(".")[:2])].append((x, y))
        out.write(f"\n## {b}, beside {a}\n\n{len(rows)} rows differ.\n\n| opcode | rows that differ | {a}, median | "
                  f"{b}, median | ratio, median |\n|---|---:|---:|---:|---:|\n")
        medians = {name: statistics.median(y / x for x, y in pairs) for name, pairs in ratios.items()}
        for name in sorted(medians, key=lambda one: -abs(math.log(medians[one]))):
            if abs(medians[name] - 1) < NOISE:
                continue
            first, second = (statistics.median(pair[side] for pair in ratios[name]) for side in (0, 1))
            out.write(f"| `{name}` | {len(ratios[name])} | {first:.0f} | {second:.0f} | {medians[name]:.2f} |\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="the csv, which may be compressed")
    parser.add_argument("--gpus", action="store_true", help="the tables are of different GPUs")
    options = parser.parse_args()
    opened = gzip.open if options.csv.endswith(".gz") else open
    csv.field_size_limit(1 << 24)
    steps = defaultdict(list)
    with opened(options.csv, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            steps[row["a"], row["b"]].append(row)
    if not steps:
        sys.exit("error: the csv has no rows: nothing differs")
    first, last = next(iter(steps))[0], list(steps)[-1][1]
    print(f"# From {first} to {last}\n\nWritten by `tools/findings.py` from `ptxlat compare --format csv`.\n")
    (write_gpus if options.gpus else write_steps)(sys.stdout, steps)


if __name__ == "__main__":
    main()
