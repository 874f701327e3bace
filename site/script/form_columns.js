// SPDX-License-Identifier: Apache-2.0
// The columns that a list of forms can show. `text` is what a cell says; `width` is in characters.
"use strict";
(() => {
  const ofRow = (read) => (list, item, level) => {
    const row = list.rowNear(item, level);
    return row < 0 ? "" : read(list, row);
  };
  const numeric = (tag, label, title) => ({
    label,
    title,
    width: Math.max(8, label.length),
    isNumber: true,
    text: ofRow((list, row) => ptxlat.numberText(list.number(row, tag)))
  });

  ptxlat.formColumns = {
    form: {label: "form", width: 32, text: (list, item) => list.nameOf(item)},
    chapter: {label: "chapter", width: 22, text: (list, item) => list.chapterOf(item)},
    operand: {
      label: "operand",
      title: "the source operands on the dependence path",
      width: 9,
      text: (list, item) => list.operandOf(item)
    },
    input: {
      label: "input",
      title: "the class of the input values; empty: ordinary ones",
      width: 12,
      text: (list, item) => list.inputOf(item)
    },
    issue: numeric("issue", "issue", "cycles that one more independent copy takes, in one warp"),
    throughput: numeric("throughput", "a cycle", "what an SM does in a cycle with enough warps: results, or instructions of a warp"),
    saturates_at: numeric("saturates_at", "warps", "the fewest warps that reach that throughput"),
    pipe: {
      label: "pipe",
      title: "the pipes of its opcodes",
      width: 11,
      text: ofRow((list, row) => list.pipesOf(row).join(" "))
    },
    sass:
        {label: "machine code", width: 30, isCode: true, text: ofRow((list, row) => list.sassText[list.rowSass[row]])},
    count: {
      label: "opcodes",
      title: "number of machine instructions",
      width: 8,
      isNumber: true,
      text: ofRow((list, row) => String(list.rowCount[row]))
    },
    row: {
      label: "row of",
      title: "the form with the same machine code, whose row this is",
      width: 22,
      text: ofRow((list, row) => list.names[list.rowName[row]])
    },
    measure: {
      label: "measure",
      title: "which time the number is",
      width: 13,
      text: ofRow((list, row) => list.measures[list.rowMeasure[row]])
    },
    consumer: {
      label: "consumer",
      title: "the instruction that waited",
      width: 14,
      text: ofRow((list, row) => list.consumers[list.rowConsumer[row]])
    },
    verdict: {label: "verdict", width: 12, text: (list, item, level) => list.verdictAt(item, level)},
    note: {
      label: "note",
      width: 40,
      text: (list, item, level) => {
        const row = list.rowNear(item, level);
        return row < 0 ? list.reasonOf(item) : list.notes[list.rowNote[row]];
      }
    },
    static: numeric("static", "static", "what the assembler's schedule says the latency should be"),
    chain: numeric("chain", "chain", "witness: the time per step of dependent instructions"),
    differential: numeric("differential", "differential", "witness: with the instruction, minus without it"),
    bracket: numeric("bracket", "bracket", "witness: clock, instruction, clock, minus the overhead"),
    overhead: numeric("overhead", "overhead", "the same skeleton without the instruction"),
    min: numeric("min", "min", "least latency over lines and SMs"),
    median: numeric("median", "median", "median over lines and SMs"),
    p95: numeric("p95", "p95", "95 % of the lines and SMs take no longer"),
    max: numeric("max", "max", "greatest latency over lines and SMs"),
  };

  // A column for each level of the list.
  ptxlat.levelColumns = (list) => Object.fromEntries(list.levels.map(
      (level) => [`O${level}`, {
        label: `O${level}`,
        title: `cycles at -O${level}`,
        width: 6,
        isNumber: true,
        text: (one, item) =>
            (one.line[item] < 0 && level === ptxlat.highestLevel(one.table) ? one.verdictAt(item, level)
                                                                            : one.cellText(one.rowAt(item, level))),
      }]));

  // On a phone, the number first.
  const isNarrow = matchMedia("(max-width: 600px)");
  ptxlat.usualColumns = (list) => {
    const levels = list.levels.map((level) => `O${level}`);
    const wide = ["form", "operand", "input", ...levels, "issue", "pipe", "sass", "verdict", "row"];
    const narrow = ["form", levels[levels.length - 1], "operand", "input", "issue", "sass", "verdict"];
    const isEmpty = {issue: !list.numbers.issue, pipe: list.pipes.length === 0};
    return (isNarrow.matches ? narrow : wide).filter((name) => !isEmpty[name]);
  };
})();
