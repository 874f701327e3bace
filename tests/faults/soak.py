#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ptxlat for hours, kills some of it, and watches what its processes hold.

First short commands one after the other, each in a folder of its own: of some the supervisor is killed or asked to end,
or a worker is killed, and the same command again must then end with 0 and leave no temporary file. Then whole tables,
which are disturbed every few minutes and must go on. samples.csv has what each process held and when; a process that
ever holds more than its limit is a failure. SIGTERM ends a soak as if the time were over.
"""

import argparse
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import faults

SHORT = {
    "run": ["run", "--filter", "/^(add|min)[.](u32|s32|f32)$/", "-O", "3", "--format", "none", "--threads", "2"],
    "probe": ["probe", "branch", "shared", "atomics", "divergence", "--format", "none"],
    "opcodes": ["opcodes", "--filter", "/^(add|and)[.](u32|b32)$/", "-O", "3", "--threads", "2"],
}
WHOLE = {"run": ["run", "--all", "--format", "none"], "opcodes": ["opcodes", "--format", "none"],
         "pairs": ["pairs", "--format", "none"]}
KILLS = ("supervisor killed", "supervisor ended", "worker killed")
ALLOWED = {"supervisor killed": {0, -signal.SIGKILL}, "supervisor ended": {0, 130, -signal.SIGTERM}}
# What a process may hold. A whole table's supervisor keeps 3 KB of each of its 250,000 cells.
LIMITS = {"rss_kb": 6_000_000, "descriptors": 300, "threads": 200}
SAMPLE_SECONDS, END_SECONDS = 0.5, 180


class Soak:
    def __init__(self, options):
        self.options = options
        self.folder = Path(options.folder).resolve()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.environment = os.environ | {"SOAK": str(self.folder), "TMPDIR": str(self.temporary)}
        if options.standin:
            self.environment |= {"PTXLAT_LIBCUDA": options.standin, "PTXLAT_LIBNVML": options.standin,
                                 "PTXLAT_LIBCUPTI": "/nonexistent"}
        self.random = random.Random(options.seed)
        self.problems, self.commands, self.kills, self.is_ended = [], 0, 0, False
        signal.signal(signal.SIGTERM, lambda *_: setattr(self, "is_ended", True))
        self.begin = time.monotonic()
        self.file = open(self.folder / "samples.csv", "w", encoding="utf-8", newline="")
        self.samples = csv.writer(self.file)
        self.samples.writerow(["seconds", "command", "role", "pid", *LIMITS])

    def seconds(self):
        return time.monotonic() - self.begin

    def goes_on(self, until):
        return not self.is_ended and self.seconds() < until

    def problem(self, text):
        self.problems.append(f"at {self.seconds():.0f} s: {text}")
        print(self.problems[-1], flush=True)

    def processes(self):
        """Every living supervisor and worker of the soak, as role and pid."""
        marker, found = f"SOAK={self.folder}".encode(), []
        for entry in Path("/proc").iterdir():
            try:
                if not entry.name.isdigit() or marker not in (entry / "environ").read_bytes().split(b"\0"):
                    continue
            except OSError:
                continue
            command = faults.command_of(entry.name)
            if command and Path(os.fsdecode(command[0])).name == "ptxlat":
                found.append(("worker" if faults.is_worker(command) else "supervisor", int(entry.name)))
        return found

    def sample(self, name):
        for role, pid in self.processes():
            try:
                status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
                values = {"rss_kb": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
                          "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}
            except (OSError, KeyError):
                continue  # it has just ended
            self.samples.writerow([f"{self.seconds():.1f}", name, role, pid, *(values[one] for one in LIMITS)])
            for one, limit in LIMITS.items():
                if values[one] > limit:
                    self.problem(f"{name}: a {role} has {one} {values[one]}")

    def disturb(self, process, kill):
        workers = [pid for role, pid in self.processes() if role == "worker"]
        if kill == "worker killed" and not workers:
            return
        pid = self.random.choice(workers) if kill == "worker killed" else process.pid
        faults.send(pid, signal.SIGTERM if kill == "supervisor ended" else signal.SIGKILL)
        self.kills += 1

    def command(self, name, arguments, work, until, pauses, kills):
        """Runs it once, disturbed after each pause; how the supervisor was disturbed, and its exit status."""
        work.mkdir(parents=True, exist_ok=True)
        with open(work / "err", "ab") as err:
            process = subprocess.Popen([self.options.program, *arguments], cwd=work, env=self.environment, stderr=err,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        next_sample, next_kill, done = 0, self.seconds() + self.random.uniform(*pauses), "none"
        while process.poll() is None and done in ("none", "worker killed"):
            if self.seconds() >= next_sample:
                self.sample(name)
                next_sample = self.seconds() + SAMPLE_SECONDS
            if kills and (self.seconds() >= next_kill or not self.goes_on(until)):
                done = self.random.choice(kills) if self.goes_on(until) else "supervisor ended"
                self.disturb(process, done)
                next_kill = self.seconds() + self.random.uniform(*pauses)
            time.sleep(0.02)
        try:
            status = process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            self.problem(f"{name} did not end within {END_SECONDS} s after \"{done}\"")
            process.kill()
            status = process.wait()
        self.commands += 1
        if status not in ALLOWED.get(done, {0}):
            self.problem(f"{name}, {done}: ended with {status}: {(work / 'err').read_text()[-1000:]}")
        return status

    def check_nothing_left(self, name):
        deadline = time.monotonic() + 120  # those that are killed end when the system gets round to it
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        for role, pid in self.processes():
            self.problem(f"after {name}: a {role} is left")
            faults.send(pid, signal.SIGKILL)
        left = [path.name for path in self.temporary.glob("ptxlat-*") if not path.name.startswith("ptxlat-standin-")]
        if left:
            self.problem(f"after {name}: left in TMPDIR: {', '.join(left)}")

    def run(self):
        until = self.options.seconds
        short_until = until * (1 - self.options.long)
        while self.goes_on(short_until):
            name, work = self.random.choice(sorted(SHORT)), self.folder / "work"
            shutil.rmtree(work, ignore_errors=True)
            if self.command(name, SHORT[name], work, float("inf"), (0.2, 6), self.random.choice(((), KILLS))) != 0:
                self.command(f"{name} again", SHORT[name], work, float("inf"), (0, 0), ())
            self.check_nothing_left(name)
        work = self.folder / "table"
        for name, arguments in WHOLE.items():
            while self.goes_on(until) and self.command(f"whole {name}", arguments, work, until, (30, 300), KILLS) != 0:
                pass
        self.check_nothing_left("the whole table")
        self.file.close()
        for left in (self.folder / "work", work, self.temporary):
            shutil.rmtree(left, ignore_errors=True)
        verdict = (f"{self.commands} commands and {self.kills} kills in {self.seconds():.0f} s; "
                   f"{len(self.problems) or 'no'} problems\n" + "".join(f"{one}\n" for one in self.problems))
        (self.folder / "verdict.txt").write_text(verdict, encoding="utf-8")
        print(verdict, end="")
        return 1 if self.problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float)
    parser.add_argument("folder")
    parser.add_argument("--program", required=True, help="ptxlat")
    parser.add_argument("--standin", help="the stand-in driver; by default a GPU's driver is used")
    parser.add_argument("--seed", default="1", help="of the commands' order and the kills (%(default)s)")
    parser.add_argument("--long", type=float, default=0.6, help="the whole table's share of the time (%(default)s)")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    return Soak(options).run()


if __name__ == "__main__":
    sys.exit(main())
