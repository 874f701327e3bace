#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ptxlat for hours and watches what its processes hold.

First short commands one after the other, each in a folder of its own: of some the supervisor is killed or asked to end,
or a worker is killed, and the same command again must then end with 0 and leave no temporary file. Then the long part
makes whole tables until the time is over: its workers and supervisors are killed or asked to end now and then, and the
same command again goes on. samples.csv has what each process held and when, commands.csv how each command ended,
verdict.txt what grew. SIGTERM ends a soak as if the time were over.
"""

import argparse
import contextlib
import csv
import itertools
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from pathlib import Path

import faults

ROOT = Path(__file__).resolve().parents[2]

COMMANDS = {
    "run": ["run", "--filter", "/^(add|min)[.](u32|s32|f32)$/", "-O", "3", "--format", "none", "--threads", "2"],
    "run with ptxas": ["run", "--filter", "/^(sub|max)[.](u32|f32)$/", "-O", "0,3", "--format", "none",
                       "--threads", "2", "--toolchain", "ptxas"],
    "probe": ["probe", "branch", "shared", "atomics", "divergence", "--format", "none"],
    "opcodes": ["opcodes", "--filter", "/^(add|and)[.](u32|b32)$/", "-O", "3", "--threads", "2"],
}
# The long part: a whole table, in one folder.
LONG = {
    "run": ["run", "--all", "--format", "none"],
    "opcodes": ["opcodes", "--format", "none"],
    "pairs": ["pairs", "--format", "none"],
}
DISTURBANCES = ("none", "none", "supervisor killed", "supervisor ended", "worker killed")
# SIGTERM ends a supervisor that does not listen yet.
ALLOWED = {"supervisor killed": {0, -signal.SIGKILL}, "supervisor ended": {0, 130, -signal.SIGTERM}}
LONG_DISTURBANCES = {"worker": ["worker killed"], "supervisor": ["supervisor killed", "supervisor ended"]}
LONG_PAUSES = {"worker": (20, 40), "supervisor": (150, 250)}  # seconds between two of them

# What a process holds, and how much of it may grow within a soak: noise of allocators and of the moment of a sample.
HELD = {"rss_kb": 8192, "descriptors": 2, "threads": 2}
TEMPORARY = {"temporary_files": 4, "temporary_kb": 8192}
SLACK = HELD | TEMPORARY
# What a supervisor may keep of each cell that it has finished: the texts of its instruction words and its measurements,
# which later cells with the same code use.
KEPT_KB = 3
# Of a process in the long part: its first chunks are small, and each round of them is larger than the one before.
FIRST_CELLS = 2000
SHARE = 0.1  # of the mean, in addition
WARM_UP = 0.25  # of the time: caches fill, the driver loads its parts
LEAST_POINTS, LEAST_SECONDS = 8, 60  # of a series that is judged


def finished_cells(store):
    """How many cells a store has; None if it cannot be read now."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=0.1)) as connection:
            return connection.execute("SELECT max(rowid) FROM records").fetchone()[0] or 0
    except sqlite3.Error:
        return None


def growth_of(points, slack):
    """How a series of (seconds, value) rises after the warm-up: in words, and whether it is flat. None if it is short.

    It is flat if its least-squares line rises by no more than the slack and a share of the mean.
    """
    first, last = points[0][0], points[-1][0]
    points = [point for point in points if point[0] >= first + WARM_UP * (last - first)]
    if len(points) < LEAST_POINTS or last - first < LEAST_SECONDS:
        return None
    times, values = zip(*points)
    mean = statistics.fmean(values)
    rise = statistics.linear_regression(times, values).slope * (times[-1] - times[0])
    return (f"mean {mean:.0f}, rises by {rise:+.1f} in {times[-1] - times[0]:.0f} s, {len(points)} points",
            rise <= SHARE * mean + slack)


def long_points(name, begin, now, held, cells):
    """What a process of the long part and those of its supervisor hold, as the arguments of Soak.note.

    A supervisor's series is its own, because it remembers its cells; a worker's goes on in the next process.
    """
    return [(now, f"whole {name} from {begin:.0f} s", role, values | {"rss_kb": values["rss_kb"] - KEPT_KB * cells})
            if role == "supervisor" else (now, f"whole {name}", role, values) for role, values in held]


class Soak:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.folder = Path(options.folder).resolve()
        self.temporary = self.folder / "temporary"
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(parents=True)
        self.begin = time.monotonic()
        self.is_ended = False
        signal.signal(signal.SIGTERM, lambda *_: setattr(self, "is_ended", True))
        self.marker = f"PTXLAT_SOAK={os.getpid()}".encode()
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PTXLAT_SOAK")}
        self.environment = clean | {"PTXLAT_SOAK": str(os.getpid()), "TMPDIR": str(self.temporary)}
        if options.standin:
            self.environment |= {"PTXLAT_LIBCUDA": options.standin, "PTXLAT_LIBNVML": options.standin,
                                 "PTXLAT_LIBCUPTI": "/nonexistent"}
        self.problems = []
        self.series = {}  # (command, role, quantity) -> [(seconds, value)]
        self.commands = 0
        self.disturbed = 0
        self.files = contextlib.ExitStack()
        self.samples = self.csv("samples.csv", ["seconds", "command", "process", "pid", *SLACK])
        self.ends = self.csv("commands.csv", ["seconds", "command", "disturbance", "status", "took"])

    def csv(self, name, header):
        """What was written is in the file after each row."""
        writer = csv.writer(self.files.enter_context(open(self.folder / name, "w", newline="", buffering=1)))
        writer.writerow(header)
        return writer

    def seconds(self):
        return time.monotonic() - self.begin

    def goes_on(self, until):
        return not self.is_ended and self.seconds() < until

    def processes(self):
        """Every living process of the soak but this one, as role and pid: supervisor, worker, tool."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if self.marker not in (entry / "environ").read_bytes().split(b"\0"):
                    continue
            except OSError:
                continue
            command = faults.command_of(entry.name)
            if not command:
                continue  # it is ending
            is_ours = Path(os.fsdecode(command[0])).name == "ptxlat"
            role = "tool" if not is_ours else "worker" if faults.is_worker(command) else "supervisor"
            found.append((role, int(entry.name)))
        return found

    def temporary_files(self):
        """Number and KB of the temporary files. Those of the stand-in driver's JIT are not ptxlat's."""
        count = size = 0
        for folder, folders, files in os.walk(self.temporary):
            folders[:] = [name for name in folders if not name.startswith("ptxlat-standin-")]
            for name in files:
                try:
                    size += os.lstat(Path(folder) / name).st_size
                    count += 1
                except OSError:
                    continue  # just removed
        return count, size // 1024

    def sample(self, command):
        """What supervisor and workers hold now, and the temporary files; tools are only written down."""
        now = self.seconds()
        files, size = self.temporary_files()
        held = []
        for role, pid in self.processes():
            try:
                status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
                values = {"rss_kb": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
                          "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}
            except (OSError, KeyError):
                continue  # it has just ended
            self.samples.writerow([f"{now:.1f}", command, role, pid, *(values[name] for name in HELD), files, size])
            if role != "tool":
                held.append((role, values))
        if held:
            held.append(("TMPDIR", {"temporary_files": files, "temporary_kb": size}))
        return held

    def note(self, moment, command, role, values):
        for name, value in values.items():
            self.series.setdefault((command, role, name), []).append((moment, value))

    def problem(self, text):
        self.problems.append(f"at {self.seconds():.0f} s: {text}")
        print(self.problems[-1], flush=True)

    def start(self, arguments, work):
        work.mkdir(parents=True, exist_ok=True)
        with open(work / "err", "ab") as err:
            return subprocess.Popen([self.options.program, *arguments], cwd=work, env=self.environment,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                    start_new_session=True)

    def disturb(self, process, disturbance):
        if disturbance == "worker killed":
            workers = [pid for role, pid in self.processes() if role == "worker"]
            if not workers:
                return False
            faults.send(self.random.choice(workers), signal.SIGKILL)
        else:
            faults.send(process.pid, signal.SIGKILL if disturbance == "supervisor killed" else signal.SIGTERM)
        return True

    def watch(self, name, process, disturbance):
        """Samples a command until it ends; its peaks are one point of the series."""
        begin = self.seconds()
        kill_at = begin + self.random.uniform(0.2, 6) if disturbance != "none" else float("inf")
        limit = begin + self.options.limit
        peaks = {}
        next_sample = begin
        while process.poll() is None:
            now = self.seconds()
            if now >= next_sample:
                next_sample = now + self.options.interval
                for role, values in self.sample(name):
                    peak = peaks.setdefault(role, {})
                    for quantity, value in values.items():
                        peak[quantity] = max(peak.get(quantity, 0), value)
            if now >= kill_at and self.disturb(process, disturbance):
                kill_at = float("inf")
                self.disturbed += 1
            if now >= limit:
                self.problem(f"{name} did not end within {self.options.limit} s")
                faults.send(process.pid, signal.SIGKILL)
                break
            time.sleep(0.02)
        status = process.wait()
        self.commands += 1
        self.ends.writerow([f"{begin:.1f}", name, disturbance, status, f"{self.seconds() - begin:.2f}"])
        return status, peaks

    def check_nothing_left(self, name):
        deadline = time.monotonic() + 5
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        for role, pid in self.processes():
            self.problem(f"after {name}: a {role} is left")
            faults.send(pid, signal.SIGKILL)
        left = [path.name for path in self.temporary.iterdir() if path.name.startswith("ptxlat-")
                and not path.name.startswith("ptxlat-standin-")]
        if left:
            self.problem(f"after {name}: left in TMPDIR: {', '.join(left)}")

    def short_commands(self, until):
        while self.goes_on(until):
            name = self.random.choice(sorted(COMMANDS))
            disturbance = self.random.choice(DISTURBANCES)
            work = self.folder / "work"
            shutil.rmtree(work, ignore_errors=True)
            status, peaks = self.watch(name, self.start(COMMANDS[name], work), disturbance)
            if status not in ALLOWED.get(disturbance, {0}):
                self.problem(f"{name}, {disturbance}: ended with {status}: {(work / 'err').read_text()[-1000:]}")
            if status == 0:
                for role, values in peaks.items():
                    self.note(self.seconds(), name, role, values)
            else:
                status, _ = self.watch(name, self.start(COMMANDS[name], work), "none")
                if status != 0:
                    self.problem(f"{name} again after \"{disturbance}\": ended with {status}: "
                                 f"{(work / 'err').read_text()[-1000:]}")
            self.check_nothing_left(name)

    def long_part(self, until):
        """Makes a whole table, and begins again in a new folder when it is done."""
        self.due = {kind: self.seconds() + self.random.uniform(*pause) for kind, pause in LONG_PAUSES.items()}
        for number in itertools.count(1):
            work = self.folder / f"table-{number}"
            shutil.rmtree(work, ignore_errors=True)
            done = [self.long_command(name, work, until) for name in LONG]
            if not self.options.keep:
                shutil.rmtree(work, ignore_errors=True)
            if not all(done):
                return

    def long_command(self, name, work, until):
        """Runs a command, and the same again whenever its supervisor was disturbed; whether it was done in time."""
        status = None
        while status != 0 and self.goes_on(until):
            begin = self.seconds()
            process = self.start(LONG[name], work)
            disturbance = self.watch_long(name, process, work / "ptxlat.sqlite", until)
            try:
                status = process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.problem(f"whole {name} did not end within 60 s after \"{disturbance}\"")
                process.kill()
                status = process.wait()
            took = self.seconds() - begin
            self.commands += 1
            self.ends.writerow([f"{begin:.1f}", f"whole {name}", disturbance, status, f"{took:.2f}"])
            print(f"at {self.seconds():.0f} s: whole {name}, {disturbance}: {status} after {took:.0f} s", flush=True)
            if status not in ALLOWED.get(disturbance, {0}):
                self.problem(f"whole {name}, {disturbance}: ended with {status}: {(work / 'err').read_text()[-1000:]}")
                break
        if status != -signal.SIGKILL:  # what that leaves, the next command removes
            self.check_nothing_left(f"whole {name}")
        return status == 0

    def watch_long(self, name, process, store, until):
        """Samples and disturbs a command until it or the time ends; how its supervisor was disturbed.

        Its series begin with this process, and end with the last cell: then it writes the table.
        """
        begin = next_sample = self.seconds()
        before = judged = finished_cells(store) or 0
        pending = []
        while process.poll() is None:
            now = self.seconds()
            if not self.goes_on(until):
                self.disturb(process, "supervisor ended")
                return "supervisor ended"
            if now >= next_sample:
                next_sample = now + self.options.interval
                held = self.sample(f"whole {name}")
                cells = finished_cells(store) or judged
                if cells > judged:
                    for point in pending:
                        self.note(*point)
                    pending, judged = [], cells
                if cells - before >= FIRST_CELLS:
                    pending += long_points(name, begin, now, held, cells - before)
            for kind, moment in self.due.items():
                if now < moment:
                    continue
                self.due[kind] = now + self.random.uniform(*LONG_PAUSES[kind])
                disturbance = self.random.choice(LONG_DISTURBANCES[kind])
                self.disturbed += self.disturb(process, disturbance)
                if kind == "supervisor":
                    return disturbance
            time.sleep(0.05)
        return "none"

    def growth(self):
        """A line for each series."""
        lines = []
        for (command, role, quantity), points in sorted(self.series.items()):
            growth = growth_of(points, SLACK[quantity])
            if growth is None:
                continue
            words, is_flat = growth
            lines.append(f"{'flat' if is_flat else 'GROWS':6}{command}, {role}, {quantity}: {words}")
            if not is_flat:
                self.problem(f"grows: {lines[-1]}")
        return lines

    def run(self):
        until = self.options.seconds
        self.short_commands(until * (1 - self.options.long))
        self.long_part(until)
        self.files.close()
        growth = self.growth()
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        shutil.rmtree(self.temporary, ignore_errors=True)
        verdict = (f"{'NOT ' if self.problems else ''}as promised: {self.commands} commands in {self.seconds():.0f} s, "
                   f"{self.disturbed} kills")
        (self.folder / "verdict.txt").write_text("\n".join([*growth, *self.problems, verdict]) + "\n")
        print("\n".join([*growth, verdict]))
        return 1 if self.problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float)
    parser.add_argument("folder")
    parser.add_argument("--program", required=True, help="ptxlat")
    parser.add_argument("--standin", help="the stand-in driver; by default a GPU's driver is used")
    parser.add_argument("--seed", default="1", help="of the commands' order and the kills (%(default)s)")
    parser.add_argument("--long", type=float, default=0.4, help="the long part's share of the time (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="the long part's stores and tables, in table-N")
    parser.add_argument("--interval", type=float, default=0.5, help="seconds between samples (%(default)s)")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a short command may take (%(default)s)")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    return Soak(options).run()


if __name__ == "__main__":
    sys.exit(main())
