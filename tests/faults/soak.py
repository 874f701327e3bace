#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ptxlat for hours and watches what its processes hold.

First short commands one after the other, each in a folder of its own: of some the supervisor is killed or asked to end,
or a worker is killed, and the same command again must then end with 0 and leave no temporary file. Then the long part
makes whole tables until the time is over: its workers and supervisors are killed or asked to end now and then, and the
same command again goes on. samples.csv has what each process held and when, commands.csv how each command ended,
verdict.txt what grew (soak_judge.py). SIGTERM ends a soak as if the time were over. A soak that was killed goes on when
it is started again in the same folder: its time counts from the first start, without the pauses.
"""

import argparse
import contextlib
import itertools
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import faults
from soak_journal import Journal
from soak_judge import HELD, Life

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
# Seconds between two of them. Processes of different ages show what they gather.
LONG_PAUSES = {"worker": (20, 40), "supervisor": (60, 400)}
# Seconds from being asked to end to the end. A table that is being written is finished first, which takes more than a
# minute where other programs use the cores.
LONG_END = 180


def finished_cells(store):
    """How many cells a store has; None if it cannot be read now."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=0.1)) as connection:
            return connection.execute("SELECT max(rowid) FROM records").fetchone()[0] or 0
    except sqlite3.Error:
        return None


class Soak:
    def __init__(self, options):
        self.options = options
        self.folder = Path(options.folder).resolve()
        self.temporary = self.folder / "temporary"
        self.marker = f"SOAK={self.folder}".encode()
        self.environment = os.environ | {"SOAK": str(self.folder), "TMPDIR": str(self.temporary)}
        if options.standin:
            self.environment |= {"PTXLAT_LIBCUDA": options.standin, "PTXLAT_LIBNVML": options.standin,
                                 "PTXLAT_LIBCUPTI": "/nonexistent", "PTXLAT_NCU": "/nonexistent"}
        self.is_ended = False
        signal.signal(signal.SIGTERM, lambda *_: setattr(self, "is_ended", True))
        self.journal = Journal(self.folder)
        earlier = self.journal.state["seconds"]
        self.random = random.Random(f"{options.seed}:{earlier}")
        self.begin = time.monotonic() - earlier
        for _, pid in self.processes():  # of a soak that was killed
            faults.send(pid, signal.SIGKILL)
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(parents=True)

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
        self.journal.save(now)
        files, size = self.temporary_files()
        held = []
        for role, pid in self.processes():
            try:
                status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
                values = {"rss_kb": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
                          "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}
            except (OSError, KeyError):
                continue  # it has just ended
            self.journal.samples.writerow([f"{now:.1f}", command, role, pid, *(values[name] for name in HELD), files, size])
            if role != "tool":
                held.append((role, pid, values))
        if held:
            held.append(("TMPDIR", None, {"temporary_files": files, "temporary_kb": size}))
        return held

    def problem(self, text):
        self.journal.problem(self.seconds(), text)

    def count_command(self, row):
        self.journal.state["commands"] += 1
        self.journal.ends.writerow(row)

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
                for role, _, values in self.sample(name):
                    peak = peaks.setdefault(role, {})
                    for quantity, value in values.items():
                        peak[quantity] = max(peak.get(quantity, 0), value)
            if now >= kill_at and self.disturb(process, disturbance):
                kill_at = float("inf")
                self.journal.state["kills"] += 1
            if now >= limit:
                self.problem(f"{name} did not end within {self.options.limit} s")
                faults.send(process.pid, signal.SIGKILL)
                break
            time.sleep(0.02)
        status = process.wait()
        self.count_command([f"{begin:.1f}", name, disturbance, status, f"{self.seconds() - begin:.2f}"])
        return status, peaks

    def check_nothing_left(self, name):
        deadline = time.monotonic() + 120  # those that are killed end when the system gets round to it
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
                    self.journal.note(self.seconds(), name, role, values)
            else:
                status, _ = self.watch(name, self.start(COMMANDS[name], work), "none")
                if status != 0:
                    self.problem(f"{name} again after \"{disturbance}\": ended with {status}: "
                                 f"{(work / 'err').read_text()[-1000:]}")
            self.check_nothing_left(name)

    def long_part(self, until):
        """Makes a whole table, and begins again in a new folder when it is done."""
        self.due = {kind: self.pause(kind) for kind in LONG_PAUSES}
        before = [int(path.name.removeprefix("table-")) for path in self.folder.glob("table-*")]
        if not self.journal.goes_on:
            for number in before:
                shutil.rmtree(self.folder / f"table-{number}")
            before = []
        for number in itertools.count(max(before, default=1)):
            work = self.folder / f"table-{number}"
            done = [self.long_command(name, work, until) for name in LONG]
            if not self.options.keep:
                shutil.rmtree(work, ignore_errors=True)
            if not all(done):
                return

    def pause(self, kind):
        least, most = LONG_PAUSES[kind]
        return self.seconds() + least * (most / least) ** self.random.random()

    def long_command(self, name, work, until):
        """Runs a command, and the same again whenever its supervisor was disturbed; whether it was done in time."""
        status = None
        old = Life()
        while status != 0 and self.goes_on(until):
            begin = self.seconds()
            process = self.start(LONG[name], work)
            life = Life()
            disturbance = self.watch_long(name, process, work / "ptxlat.sqlite", until, life)
            try:
                status = process.wait(timeout=LONG_END)
            except subprocess.TimeoutExpired:
                self.problem(f"whole {name} did not end within {LONG_END} s after \"{disturbance}\"")
                process.kill()
                status = process.wait()
            self.journal.note_handover(f"whole {name}", old, life)
            old = life
            took = self.seconds() - begin
            self.count_command([f"{begin:.1f}", f"whole {name}", disturbance, status, f"{took:.2f}"])
            print(f"at {self.seconds():.0f} s: whole {name}, {disturbance}: {status} after {took:.0f} s", flush=True)
            if status not in ALLOWED.get(disturbance, {0}):
                self.problem(f"whole {name}, {disturbance}: ended with {status}: {(work / 'err').read_text()[-1000:]}")
                break
        if status != -signal.SIGKILL:  # what that leaves, the next command removes
            self.check_nothing_left(f"whole {name}")
        return status == 0

    def watch_long(self, name, process, store, until, life):
        """Samples and disturbs a command until it or the time ends; how its supervisor was disturbed.

        Its figures begin with the first cell of this process and end with the last: then it writes the table.
        """
        next_sample = self.seconds()
        known = finished_cells(store) or 0
        before, first = known, None
        pending = []
        while process.poll() is None:
            now = self.seconds()
            if not self.goes_on(until):
                self.disturb(process, "supervisor ended")
                return "supervisor ended"
            if now >= next_sample:
                next_sample = now + self.options.interval
                held = self.sample(f"whole {name}")
                cells = finished_cells(store) or known
                if cells > known:
                    first = first or now
                    for moment, count, what in pending:
                        self.note_long(f"whole {name}", moment, first, count, what, life)
                    pending, known = [], cells
                if first:
                    pending.append((now, cells - before, held))
            for kind, moment in self.due.items():
                if now < moment:
                    continue
                self.due[kind] = self.pause(kind)
                disturbance = self.random.choice(LONG_DISTURBANCES[kind])
                self.journal.state["kills"] += self.disturb(process, disturbance)
                if kind == "supervisor":
                    return disturbance
            time.sleep(0.05)
        return "none"

    def note_long(self, command, moment, first, cells, held, life):
        """Memory depends on the cells that are worked on, and is judged by handovers."""
        for role, pid, values in held:
            process = "" if pid is None else f"{pid} from {first:.0f} s"  # a pid may come again
            values = {name: value for name, value in values.items() if name != "rss_kb"}
            # One for each worker: a thread whose module ends the common assembler gets a worker of its own.
            if role == "supervisor":
                values["descriptors"] -= sum(one == "worker" for one, _, _ in held)
            self.journal.note(moment, command, role, values, process)
        kb = {role: [values["rss_kb"] for one, _, values in held if one == role] for role in ("supervisor", "worker")}
        life.add(moment - first, cells, {role: sum(all_kb) / len(all_kb) for role, all_kb in kb.items() if all_kb})

    def run(self):
        until = self.options.seconds
        self.short_commands(until * (1 - self.options.long))
        self.long_part(until)
        is_as_promised = self.journal.close(self.seconds())
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        shutil.rmtree(self.temporary, ignore_errors=True)
        return 0 if is_as_promised else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float)
    parser.add_argument("folder")
    parser.add_argument("--program", required=True, help="ptxlat")
    parser.add_argument("--standin", help="the stand-in driver; by default a GPU's driver is used")
    parser.add_argument("--seed", default="1", help="of the commands' order and the kills (%(default)s)")
    parser.add_argument("--long", type=float, default=0.6, help="the long part's share of the time (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="the long part's stores and tables, in table-N")
    parser.add_argument("--interval", type=float, default=0.5, help="seconds between samples (%(default)s)")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a short command may take (%(default)s)")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    return Soak(options).run()


if __name__ == "__main__":
    sys.exit(main())
