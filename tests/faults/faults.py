# SPDX-License-Identifier: Apache-2.0
"""The faults that campaign.py injects. Each is made of a random generator alone, so that its case can be repeated."""

import contextlib
import hashlib
import os
import shutil
import signal
import sqlite3
import threading
import time
from pathlib import Path

ON_A_GPU = ("run", "run two levels", "run with ptxas", "probe", "opcodes", "opcodes with counters", "pairs")
EVERY = (*ON_A_GPU, "static", "export")

KINDS = {}


def kind(name):
    def register(made):
        made.kind = name
        KINDS[name] = made
        return made
    return register


def draw(random, only=None):
    name = random.choice(sorted(KINDS)) if only is None else only
    if only is not None:
        random.choice(sorted(KINDS))  # the same parameters with and without --only
    return KINDS[name](random)


class Failure(Exception):
    """A promise that did not hold."""


class Fault:
    """What is common: by default a fault is survived, and the run ends with its table.

    commands     the names of COMMANDS that it fits
    statuses     the exit codes that the disturbed run may have
    signals      the signals that it may die of
    keeps_store  whether the store survives, and with it every finished cell
    """

    commands = EVERY
    statuses = {0}
    signals = set()
    keeps_store = True

    def __init__(self, random):
        self.random = random

    def __str__(self):
        return self.kind

    def prepare(self, case, environment):
        """Before the disturbed run."""

    def disturb(self, case, process):
        """While it runs."""

    def end(self, case):
        """After it."""

    def repair(self, case):
        """What a user does before the same command is run again, if the message asks for it."""

    def words(self, status):
        """What the message must contain."""
        return ()

    def is_final(self, record):
        """Whether a stored record may not be measured again."""
        return '"verdict":"fault"' not in record and '"verdict":"timeout"' not in record \
            and '"retry"' not in record \
            and not ('"kind":"counters"' in record and '"verdict":"unstable"' in record)


def wait(process, seconds):
    """Waits, but not longer than the process lives."""
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def send(pid, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def command_of(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    return []


def children_named(case, process, tests):
    """Processes of the case, but for the supervisor, of whose command line a test holds."""
    return [pid for pid in case.processes() if pid != process.pid and tests(command_of(pid))]


def is_worker(command):
    return command[-1:] == [b"worker"]


def is_tool(command):
    return len(command) > 1 and Path(os.fsdecode(command[0])).name in ("ptxas", "nvdisasm")


# Processes that are killed and stopped.

@kind("supervisor killed")
class SupervisorKilled(Fault):
    signals = {signal.SIGKILL}

    def __init__(self, random):
        super().__init__(random)
        self.after = random.uniform(0, 2.5)

    def disturb(self, case, process):
        wait(process, self.after)
        send(process.pid, signal.SIGKILL)


@kind("supervisor killed again and again")
class SupervisorKilledRepeatedly(SupervisorKilled):
    """Each time the same command, which goes on in the store and the temporary folder of the one before."""

    def __init__(self, random):
        super().__init__(random)
        self.earlier = [random.uniform(0.2, 6) for _ in range(random.randint(1, 4))]

    def prepare(self, case, environment):
        for after in self.earlier:
            process = case.start(environment)
            wait(process, after)
            send(process.pid, signal.SIGKILL)
            case.finish(process)


@kind("supervisor ended")
class SupervisorEnded(Fault):
    statuses = {0, 130}
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}  # before it listens, and SIGHUP always

    def __init__(self, random):
        super().__init__(random)
        self.number = random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
        self.after = random.uniform(0, 2.5)

    def disturb(self, case, process):
        wait(process, self.after)
        send(process.pid, self.number)


@kind("supervisor stopped")
class SupervisorStopped(Fault):
    def __init__(self, random):
        super().__init__(random)
        self.after, self.for_seconds = random.uniform(0, 1.5), random.uniform(0.1, 2.5)

    def disturb(self, case, process):
        wait(process, self.after)
        send(process.pid, signal.SIGSTOP)
        time.sleep(self.for_seconds)
        send(process.pid, signal.SIGCONT)


class OneOf(Fault):
    """One signal to one of some processes, at a random moment."""

    number = signal.SIGKILL

    def __init__(self, random):
        super().__init__(random)
        self.after, self.which = random.uniform(0, 1.5), random.random()

    def disturb(self, case, process):
        wait(process, self.after)
        while process.poll() is None:
            found = children_named(case, process, self.chooses)
            if found:
                send(found[int(self.which * len(found))], self.number)
                return
            time.sleep(0.002)


@kind("worker killed")
class WorkerKilled(OneOf):
    commands = ON_A_GPU
    chooses = staticmethod(is_worker)


@kind("worker stopped")
class WorkerStopped(OneOf):
    commands = ON_A_GPU
    chooses = staticmethod(is_worker)
    number = signal.SIGSTOP


@kind("tool killed")
class ToolKilled(OneOf):
    commands = ("run with ptxas", "static")
    chooses = staticmethod(is_tool)


# The disk and the store.

class DiskFull(Fault):
    statuses = {0, 7}

    def __init__(self, random):
        super().__init__(random)
        self.bytes = int(10 ** random.uniform(0, 6.5))

    def prepare(self, case, environment):
        environment["LD_PRELOAD"] = case.options.system
        environment["PTXLAT_FAULTY_DISK"] = f"{self.folder(case)} {self.bytes}"
        environment["PTXLAT_FAULTY_DISK_COUNTER"] = str(case.state / "written")


@kind("disk full")
class WorkFull(DiskFull):
    def folder(self, case):
        return case.work


@kind("temporary folder full")
class TemporaryFull(DiskFull):
    commands = ("run with ptxas", "static")  # the stand-in driver's JIT has files there, a real one has not

    def folder(self, case):
        return case.temporary


@kind("store locked")
class StoreLocked(Fault):
    """By a process that is no ptxlat, for a moment or for good."""

    def __init__(self, random):
        super().__init__(random)
        self.after = random.uniform(0, 0.5)
        self.for_seconds = random.choice([random.uniform(0.05, 1), 60])
        self.released = threading.Event()
        if self.for_seconds > 2:
            self.statuses = {0, 7}  # it may have been done before

    def prepare(self, case, environment):
        store = case.work / "ptxlat.sqlite"
        ready = threading.Event()
        if self.statuses == {0}:  # it must wait, however long this process takes to release it
            environment["PTXLAT_DEADLINE_FACTOR"] = case.environment()["PTXLAT_DEADLINE_FACTOR"]

        def hold():
            time.sleep(self.after)
            with contextlib.closing(sqlite3.connect(store, timeout=10, isolation_level=None)) as connection:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("BEGIN IMMEDIATE")
                ready.set()
                self.released.wait(self.for_seconds)
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")

        self.holder = threading.Thread(target=hold)
        self.holder.start()

    def end(self, case):
        self.released.set()
        self.holder.join()

    def words(self, status):
        return ("ptxlat.sqlite",) if status == 7 else ()


class StoreDamaged(Fault):
    """A store of an earlier run that was killed, and then damaged: refused, and left as it is."""

    statuses = {7}
    keeps_store = False

    def __init__(self, random):
        super().__init__(random)
        self.after = random.uniform(0.8, 2.5)

    def prepare(self, case, environment):
        process = case.start(case.environment())
        wait(process, self.after)
        send(process.pid, signal.SIGKILL)
        case.finish(process)
        self.store = case.work / "ptxlat.sqlite"
        if self.store.exists():
            # What a killed run leaves in the log belongs to the store before it is damaged.
            with contextlib.closing(sqlite3.connect(self.store)) as connection:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.damage(case)
            self.before = hashlib.sha256(self.store.read_bytes()).digest()
        else:
            self.before = None
            self.statuses = {0}

    def words(self, status):
        return ("ptxlat.sqlite",) if status == 7 else ()

    def repair(self, case):
        for part in case.work.glob("ptxlat.sqlite*"):
            part.unlink()


@kind("store truncated")
class StoreTruncated(StoreDamaged):
    # A cut at a page's border may leave a whole store, and one through unused pages does no harm.
    statuses = {0, 7}

    def __init__(self, random):
        super().__init__(random)
        self.share = random.random()

    def damage(self, case):
        os.truncate(self.store, int(self.share * self.store.stat().st_size))


@kind("store overwritten")
class StoreOverwritten(StoreDamaged):
    statuses = {0, 7}

    def __init__(self, random):
        super().__init__(random)
        self.seed = random.random()

    def damage(self, case):
        content = bytearray(self.store.read_bytes())
        begin = int(self.seed * len(content))
        content[begin:begin + 600] = case.random.randbytes(len(content[begin:begin + 600]))
        self.store.write_bytes(content)


@kind("store from a newer version")
class StoreNewer(StoreDamaged):
    def damage(self, case):
        with contextlib.closing(sqlite3.connect(self.store)) as connection:
            connection.execute("PRAGMA user_version = 1000")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def end(self, case):
        if self.before and hashlib.sha256(self.store.read_bytes()).digest() != self.before:
            raise Failure("a store of a newer version was changed")


# Tools.

TOOLS = """#!/bin/bash
# Call number N, counted over all processes, fails if FROM <= N < FROM + COUNT.
printf x >>'{counter}'
call=$(($(stat -c %s '{counter}') - 1))
if ((call < {first} || call >= {first} + {count})); then exec '{real}' "$@"; fi
case {how} in
  hang) exec sleep 1000 ;;
  crash) kill -SEGV $$ ;;
  killed) kill -KILL $$ ;;
  garbage) head -c 5000 /dev/urandom ;;
  garbage-file) for last; do :; done; head -c 5000 /dev/urandom >"$last" ;;
  empty) ;;
  status) exit {status} ;;
  endless) exec yes "an endless line of a tool that is broken" ;;
esac
exit {status}
"""


@kind("tool broken")
class ToolBroken(Fault):
    commands = (*ON_A_GPU, "static")
    statuses = {0, 1, 5}

    def __init__(self, random):
        super().__init__(random)
        self.tool = random.choice(["ptxas", "nvdisasm"])
        self.how = random.choice(["hang", "crash", "killed", "garbage", "garbage-file", "empty", "status", "endless"])
        self.first = random.choice([0, random.randrange(30)])
        self.count = random.choice([1, 2, 1_000_000])
        self.status = random.choice([0, 1, 2, 126, 255])

    def __str__(self):
        return f"{self.kind} ({self.tool}: {self.how} {self.status}, from call {self.first}, {self.count} times)"

    def prepare(self, case, environment):
        folder = case.folder / "toolkits"
        real = {"ptxas": case.options.ptxas, "nvdisasm": case.options.nvdisasm}
        for name, program in real.items():
            link = folder / Path(program).parts[-3] / "bin" / name
            link.parent.mkdir(parents=True, exist_ok=True)
            if name != self.tool:
                link.symlink_to(program)
                continue
            link.write_text(TOOLS.format(counter=case.state / "calls", first=self.first, count=self.count,
                                         real=program, how=self.how, status=self.status))
            link.chmod(0o755)
            if name == "ptxas":
                environment["PTXLAT_STANDIN_PTXAS"] = str(link)
        environment["PTXLAT_TOOLKITS"] = str(folder)
        environment["CUDA_HOME"] = "/nonexistent"
        environment["PATH"] = "/usr/bin:/bin"

    def repair(self, case):
        shutil.rmtree(case.folder / "toolkits")


# The driver, and what else the driver's makers write.

CODES = [1, 2, 3, 4, 34, 46, 100, 101, 200, 201, 205, 208, 209, 214, 218, 219, 220, 221, 222, 224, 300, 301, 302, 304,
         400, 401, 500, 600, 700, 701, 702, 703, 704, 708, 709, 710, 711, 714, 715, 716, 717, 718, 719, 720, 800, 801,
         802, 803, 804, 805, 900, 909, 999]
FUNCTIONS = ["cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetUuid_v2",
             "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent",
             "cuModuleLoadData", "cuModuleUnload", "cuModuleGetFunction", "cuMemAlloc_v2", "cuMemFree_v2",
             "cuMemHostAlloc", "cuMemFreeHost", "cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoDAsync_v2",
             "cuMemcpyDtoHAsync_v2", "cuMemsetD8Async", "cuStreamCreate", "cuStreamDestroy_v2", "cuStreamSynchronize",
             "cuFuncSetAttribute", "cuLaunchKernel", "cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete",
             "cuLinkDestroy", "cu*"]


class FaultyCalls(Fault):
    """Some calls of a library's functions are answered, and do nothing else.

    functions  one of them; * stands for all that begin so
    most       calls before the first of them, exclusive
    counts     how many of them
    answers    0 is a lie: "success"
    """

    commands = ON_A_GPU
    library = "PTXLAT_LIBCUDA"

    def __init__(self, random):
        super().__init__(random)
        self.calls = f"{random.choice(self.functions)} {self.first(random)} {random.choice(self.counts)} " \
                     f"{random.choice(self.answers)}"

    def first(self, random):
        return random.randrange(self.most)

    def __str__(self):
        return f"{self.kind} ({self.calls})"

    def prepare(self, case, environment):
        environment[self.library] = case.options.driver
        environment["PTXLAT_FAULTY_REAL"] = case.options.standin
        environment["PTXLAT_FAULTY_CALLS"] = self.calls
        environment["PTXLAT_FAULTY_COUNTER"] = str(case.state / "calls")


@kind("driver answers with an error")
class DriverError(FaultyCalls):
    statuses = {0, 1, 5, 6}
    functions, counts, answers = FUNCTIONS, [1, 3, 1_000_000], CODES

    def first(self, random):
        return random.choice([0, random.randrange(10), random.randrange(300)])


@kind("out of device memory")
class OutOfMemory(FaultyCalls):
    statuses = {0, 1, 6}
    functions = ["cuMemAlloc_v2", "cuMemHostAlloc", "cuModuleLoadData", "cuLaunchKernel", "cuDevicePrimaryCtxRetain",
                 "cuMemCreate"]
    most, counts, answers = 100, [1, 20, 1_000_000], [2]


@kind("NVML lies")
class NvmlLies(FaultyCalls):
    library = "PTXLAT_LIBNVML"
    functions = ["nvml*", "nvmlInit_v2", "nvmlDeviceGet*", "nvmlDeviceGetHandleByUUID",
                 "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlSystemGetProcessName", "nvmlDeviceGetViolationStatus",
                 "nvmlDeviceGetCurrentClocksEventReasons"]
    most, counts, answers = 5, [1, 1_000_000], [0, 0, 0, 1, 2, 3, 4, 7, 13, 15, 999, -1]


@kind("counters lie")
class CountersLie(FaultyCalls):
    commands = ("opcodes with counters",)
    library = "PTXLAT_LIBCUPTI"
    functions = ["cupti*", "cuptiGetVersion", "cuptiProfilerInitialize", "cuptiProfilerDeviceSupported",
                 "cuptiProfilerHost*", "cuptiRangeProfiler*", "cuptiRangeProfilerDecodeData",
                 "cuptiProfilerHostEvaluateToGpuValues", "cuptiRangeProfilerGetCounterDataInfo"]
    most, counts, answers = 8, [1, 1_000_000], [0, 0, 0, 1, 2, 7, 35, 37, 38, 999]


# The GPU itself.

class Scripted(Fault):
    """A rule of the stand-in driver's script."""

    commands = ON_A_GPU

    def __str__(self):
        return f"{self.kind} ({self.rule})"

    def prepare(self, case, environment):
        script = case.state / "script.toml"
        script.write_text("[[rule]]\n" + self.rule.replace("; ", "\n") + "\n")
        environment["PTXLAT_STANDIN_SCRIPT"] = str(script)


@kind("GPU lost")
class GpuLost(Scripted):
    statuses = {0, 6}

    def __init__(self, random):
        super().__init__(random)
        self.rule = f"kernel = \"{random.choice('abcdefilnopqrstux')}\"; launch = {random.randrange(3)}; die = \"gpu\""

    def words(self, status):
        return ("GPU",) if status == 6 else ()


@kind("kernel fails in one process")
class KernelFails(Scripted):
    def __init__(self, random):
        super().__init__(random)
        how = random.choice(["fault", "hang", "exit", "crash", "kill"])
        self.rule = f"process = {random.randrange(3)}; kernel = \"{random.choice('abcdefilnopqrstux')}\"; " \
                    f"launch = {random.randrange(3)}; die = \"{how}\""


@kind("GPU clock goes backwards")
class GpuClockBack(Scripted):
    def __init__(self, random):
        super().__init__(random)
        back = 2 ** 32 - random.choice([1, 40, 100_000])
        self.rule = f"process = {random.randrange(2)}; kernel = \"{random.choice('abcdefilnopqrstux')}\"; " \
                    f"launch = {random.randrange(3)}; cycles = {back}"


@kind("calendar set back")
class CalendarBack(Fault):
    def __init__(self, random):
        super().__init__(random)
        self.clock = f"{random.randrange(200)} {random.choice([1, 3600, 86400 * 365])}"

    def prepare(self, case, environment):
        environment["LD_PRELOAD"] = case.options.system
        environment["PTXLAT_FAULTY_CLOCK"] = self.clock
