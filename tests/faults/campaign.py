#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Injects faults into whole runs of ptxlat on the stand-in driver, and checks what each leaves behind.

A case is made from its seed and number alone, so that it can be repeated. Each runs a command with one fault, then the
same command again without it. Then: the tables are those of an undisturbed run, byte for byte; no finished cell was
lost or measured again; no process, lock, half-written file or temporary folder is left; and a run that failed said what
happened and what to do, with a documented exit code.

Exits with 0 if every case held, 1 if one did not, 77 if a tool is missing.
"""

import argparse
import concurrent.futures
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import faults

ROOT = Path(__file__).resolve().parents[2]

# Each is quick, has more than one chunk of work, and ends in a table of its own.
COMMANDS = {
    "run": ["run", "--filter", "/^(add|min)[.](u32|s32|f32)$/", "-O", "3", "--repeat", "0", "--launches", "3",
            "--format", "none", "--threads", "2"],
    "run two levels": ["run", "--filter", "/^(xor|popc)[.]b32$/", "-O", "0,3", "--repeat", "0.5", "--launches", "3",
                       "--format", "none", "--threads", "2"],
    "run with ptxas": ["run", "--filter", "/^(sub|max)[.](u32|f32)$/", "-O", "3", "--repeat", "0", "--launches", "3",
                       "--format", "none", "--threads", "2", "--toolchain", "ptxas"],
    "static": ["static", "--filter", "/^(add|mul)[.](lo[.])?[su]32$/", "-O", "3", "--target", "sm_90", "--format",
               "none", "--threads", "2"],
    "probe": ["probe", "branch", "shared", "atomics", "divergence", "--format", "none"],
    "opcodes": ["opcodes", "--filter", "/^(add|and)[.](u32|b32)$/", "-O", "3", "--threads", "2"],
    "pairs": ["pairs", "--filter", "/^(popc.b32|add.u32)$/", "--threads", "2", "--format", "none"],
    "export": ["export", str(ROOT / "tables/sm_90/nvidia-h200/driver-580.159.04"), "--target", "accel-sim", "-o",
               "ptxlat-tables/exported"],
    "opcodes with counters": ["opcodes", "--filter", "/^(popc|xor)[.]b32$/", "-O", "3", "--threads", "2"],
}
# What a table is, apart from the time at which it was made.
COMPARED = ("latency.csv", "facts.csv", "opcodes.csv", "pairs.csv", "contention.csv", "counters.csv",
            "throughput.csv.gz", "throughput_forms.csv.gz", "forms.csv.gz", "trace.config", "gpgpusim.config",
            "evidence.csv", "left_out.csv")
EXIT_CODES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130}
# Words of a program that was not prepared.
UNPREPARED = ("terminate called", "std::", "basic_string", "what():", "Assertion", "stack smashing", "core dumped",
              "bad_alloc", "nlohmann", "json.exception")
# How much longer than elsewhere everything may take: under a sanitizer, or on a busy machine.
SLOWNESS = float(os.environ.get("PTXLAT_DEADLINE_FACTOR", "1"))
# What is disturbed waits a fifth of the usual time for what hangs. A kernel that is only slow is then measured again.
HURRIED = 0.2
LONGEST = 1000 * SLOWNESS  # seconds that a command may take with a fault: each assembly that hangs costs a deadline
# In a build with sanitizers: their reports, of all processes. The program survives a worker that one of them ends.
REPORTS = "sanitizer"


class Case:
    """One fault and its command in a folder of their own."""

    def __init__(self, options, number):
        self.options = options
        self.number = number
        self.random = random.Random(f"{options.seed}:{number}")
        self.fault = faults.draw(self.random, options.only)
        possible = [name for name in COMMANDS if name in self.fault.commands]
        self.name = self.random.choice(possible)
        self.command = COMMANDS[self.name]
        self.folder = Path(tempfile.mkdtemp(prefix=f"ptxlat-fault-{number}-"))
        self.temporary = self.folder / "temporary"
        self.work = self.folder / "work"
        self.state = self.folder / "state"  # of the fault
        for folder in (self.temporary, self.work, self.state):
            folder.mkdir()
        self.marker = f"{os.getpid()}-{number}-{time.monotonic_ns()}"

    def environment(self, patience=10):
        """Deadlines are multiplied by `patience`: where nothing hangs, no kernel of a busy machine may miss one."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PTXLAT_", "CUDA_"))}
        has_counters = self.name == "opcodes with counters"
        return clean | {
            "PTXLAT_LIBCUPTI": self.options.standin if has_counters else "/nonexistent", "PTXLAT_NCU": "/nonexistent",
            "PTXLAT_LIBCUDA": self.options.standin, "PTXLAT_LIBNVML": self.options.standin,
            "PTXLAT_TOOLKITS": self.options.toolkits, "PTXLAT_STANDIN_PTXAS": self.options.ptxas,
            "PTXLAT_TEMPLATES": self.options.templates, "PTXLAT_DEADLINE_FACTOR": str(min(1000, patience * SLOWNESS)),
            "TMPDIR": str(self.temporary), "PTXLAT_CACHE": "off", "PTXLAT_FAULT_CASE": self.marker,
            # Some faults preload a library before that of AddressSanitizer.
            "ASAN_OPTIONS": f"verify_asan_link_order=0:log_path={self.folder / REPORTS}",
            "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={self.folder / REPORTS}",
            "TSAN_OPTIONS": f"log_path={self.folder / REPORTS}",
        }

    def start(self, environment):
        self.out = open(self.folder / "out", "ab")
        self.err = open(self.folder / "err", "wb")
        return subprocess.Popen([self.options.program, *self.command], cwd=self.work, env=environment,
                                stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, start_new_session=True)

    def finish(self, process, limit=LONGEST):
        try:
            return process.wait(timeout=limit)
        except subprocess.TimeoutExpired as late:
            for pid in self.processes():
                os.kill(pid, signal.SIGKILL)
            process.wait()
            raise faults.Failure(f"did not end within {limit} s") from late
        finally:
            self.out.close()
            self.err.close()

    def said(self):
        return (self.folder / "err").read_text(errors="replace")

    def processes(self):
        """The living processes of this case, but for those of the campaign itself."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if f"PTXLAT_FAULT_CASE={self.marker}".encode() not in (entry / "environ").read_bytes():
                    continue
                if ") Z " not in (entry / "stat").read_text():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def stored(self):
        """The cells of the store: what each is, and its whole record."""
        store = self.work / "ptxlat.sqlite"
        if not store.exists():
            return {}
        # With its write-ahead log, but not in its place: reading must not change what the next run finds.
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for part in self.work.glob("ptxlat.sqlite*"):
            shutil.copy(part, copy / part.name)
        try:
            with sqlite3.connect(copy / "ptxlat.sqlite") as connection:
                rows = connection.execute("SELECT table_name, kind, ptx, operand, input, opt, record "
                                          "FROM records").fetchall()
        except sqlite3.Error:
            return {}
        return {row[:6]: row[6] for row in rows}

    def tables(self):
        return {str(path.relative_to(self.work)): path.read_bytes()
                for path in sorted((self.work / "ptxlat-tables").rglob("*")) if path.name in COMPARED}

    def check_nothing_left(self):
        deadline = time.monotonic() + 120  # those that are killed end when the system gets round to it
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        left = self.processes()
        if left:
            names = [Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode() for pid in left]
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            raise faults.Failure(f"processes are left: {names}")
        for path in self.temporary.iterdir():
            if path.name.startswith("ptxlat-standin-"):
                continue  # of the stand-in driver's JIT
            raise faults.Failure(f"left in TMPDIR: {path.name}")
        for path in self.work.rglob("*"):
            if path.name.startswith(".") or path.name.endswith(("-journal", "-wal", "-shm")):
                raise faults.Failure(f"left behind: {path.relative_to(self.work)}")

    def check_no_reports(self):
        for report in self.folder.glob(REPORTS + "*"):
            raise faults.Failure(report.read_text(errors="replace")[:4000])

    def check_message(self, status):
        if status < 0:  # killed, by the fault
            if -status not in self.fault.signals:
                raise faults.Failure(f"died of signal {-status}: {self.said()[-2000:]}")
            return
        if status not in EXIT_CODES:
            raise faults.Failure(f"undocumented exit code {status}")
        if self.fault.statuses and status not in self.fault.statuses:
            raise faults.Failure(f"exit code {status} instead of one of {sorted(self.fault.statuses)}: "
                                 f"{self.said()[-2000:]}")
        for words in UNPREPARED:
            if words in self.said():
                raise faults.Failure(f"the message has \"{words}\": {self.said()[-2000:]}")
        if status != 0 and "ptxlat: " not in self.said() and status != 130:
            raise faults.Failure(f"exit code {status} without a message: {self.said()[-2000:]}")
        for words in self.fault.words(status):
            if words not in self.said():
                raise faults.Failure(f"the message lacks \"{words}\": {self.said()[-2000:]}")

    def run(self, reference):
        environment = self.environment(HURRIED)
        self.fault.prepare(self, environment)
        process = self.start(environment)
        self.fault.disturb(self, process)
        status = self.finish(process)
        self.fault.end(self)
        self.check_no_reports()
        self.check_message(status)
        finished = self.stored()

        self.fault.repair(self)
        status = self.finish(self.start(self.environment()))
        if status != 0:
            raise faults.Failure(f"the second run ended with {status}: {self.said()[-2000:]}")
        if self.fault.keeps_store:
            final = self.stored()
            for key, record in finished.items():
                if key not in final:
                    raise faults.Failure(f"a cell was lost: {key}")
                if final[key] != record and self.fault.is_final(record):
                    raise faults.Failure(f"a finished cell was measured again: {key}")
        tables = self.tables()
        if tables.keys() != reference.keys():
            raise faults.Failure(f"files of tables: {sorted(tables)} instead of {sorted(reference)}")
        for name, content in reference.items():
            if tables[name] != content:
                shutil.copy(self.work / name, self.folder / "differs")
                raise faults.Failure(f"{name} is not that of an undisturbed run")
        self.check_nothing_left()
        self.check_no_reports()


def undisturbed(options, name):
    """The tables of a command without a fault."""
    case = Case(options, 0)
    case.name, case.command = name, COMMANDS[name]
    try:
        status = case.finish(case.start(case.environment()))
        if status != 0:
            raise SystemExit(f"{name} fails without a fault, with {status}:\n{case.said()}")
        return case.tables()
    finally:
        shutil.rmtree(case.folder)


def attempt(options, number, references):
    case = Case(options, number)
    begin = time.monotonic()
    failure = ""
    try:
        case.run(references[case.name])
    except faults.Failure as why:
        failure = str(why)
    seconds = time.monotonic() - begin
    line = f"case {number}: {case.fault} in {case.name}, {seconds:.1f} s"
    if failure:
        print(f"FAILED {line}\n       {failure}\n       repeat it: --seed {options.seed} --case {number}; "
              f"files: {case.folder}", flush=True)
    else:
        if options.verbose:
            print(line, flush=True)
        shutil.rmtree(case.folder)
    return not failure, case.fault.kind


def find_tool(folder, name):
    found = sorted(Path(folder).glob(f"*/bin/{name}"))
    return str(found[-1].resolve()) if found else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="ptxlat")
    parser.add_argument("--standin", required=True, help="the stand-in driver")
    parser.add_argument("--driver", required=True, help="the driver that fails (faulty_driver.cpp)")
    parser.add_argument("--system", required=True, help="what is preloaded (faulty_system.cpp)")
    parser.add_argument("--count", type=int, default=1000, help="cases (%(default)s)")
    parser.add_argument("--seed", default="1", help="of all cases (%(default)s)")
    parser.add_argument("--case", type=int, help="only this case")
    parser.add_argument("--only", choices=sorted(faults.KINDS), help="only this kind of fault")
    parser.add_argument("--jobs", type=int, default=2, help="cases at the same time (%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="a line for every case")
    options = parser.parse_args()
    options.toolkits = str(ROOT / "toolkits")
    options.ptxas = find_tool(options.toolkits, "ptxas")
    options.nvdisasm = find_tool(options.toolkits, "nvdisasm")
    options.templates = str(ROOT / "ptx_templates")
    for name in ("program", "standin", "driver", "system"):
        setattr(options, name, str(Path(getattr(options, name)).resolve()))
    if not options.ptxas or not options.nvdisasm:
        print("skipped: no ptxas or no nvdisasm (tools/toolkits.sh brings both)")
        return 77

    numbers = [options.case] if options.case is not None else range(1, options.count + 1)
    references = {name: undisturbed(options, name) for name in COMMANDS}
    tried, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for held, kind in pool.map(lambda number: attempt(options, number, references), numbers):
            tried[kind] = tried.get(kind, 0) + 1
            failed += not held
    for kind, count in sorted(tried.items()):
        print(f"{count:6d} {kind}")
    print(f"{sum(tried.values())} faults, {failed} of them not survived as promised")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
