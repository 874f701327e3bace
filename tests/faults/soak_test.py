#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What soak.py calls flat and what growth, and how its long part goes on."""

import argparse
import contextlib
import io
import itertools
import os
import random
import signal
import sqlite3
import tempfile
import time
import unittest
from pathlib import Path

import soak
import soak_judge
from soak_judge import Handover, Life

SECONDS = range(600)


def is_flat(values, slack=soak_judge.SLACK["rss_kb"]):
    return soak_judge.growth_of([list(zip(SECONDS, values))], slack)[1]


class Growth(unittest.TestCase):
    def test_noise_is_flat(self):
        noise = random.Random(1)
        self.assertTrue(is_flat([300_000 + noise.uniform(-60_000, 60_000) for _ in SECONDS]))

    def test_what_fills_in_the_warm_up_is_flat(self):
        self.assertTrue(is_flat([min(300_000, 150_000 + 1_000 * second) for second in SECONDS]))

    def test_a_slow_leak_grows(self):
        self.assertFalse(is_flat([300_000 + 100 * second for second in SECONDS]))

    def test_a_descriptor_a_minute_grows(self):
        self.assertFalse(is_flat([20 + second // 60 for second in SECONDS], soak_judge.SLACK["descriptors"]))

    def test_a_short_series_is_not_judged(self):
        self.assertIsNone(soak_judge.growth_of([[(0, 1), (100, 100_000)]], 0))
        self.assertIsNone(soak_judge.growth_of([[(second, 100_000 * second) for second in range(50)]], 0))

    # An assembler has more threads than a worker that runs kernels, and is missing for a while after it was killed.
    ASSEMBLERS = [(0, 90), (320, 450), (455, 600)]
    RUNNERS = [(0, 200), (201, 420), (421, 600)]

    def lives(self, threads_at):
        """What the workers of a table have: threads_at(how many at first, seconds of its life)."""
        return [[(second, threads_at(threads, second - begin)) for second in range(begin, end)]
                for threads, all_of_kind in ((68, self.ASSEMBLERS), (4, self.RUNNERS)) for begin, end in all_of_kind]

    def test_processes_of_different_kinds_are_not_compared_with_each_other(self):
        lives = self.lives(lambda threads, _: threads)
        self.assertTrue(soak_judge.growth_of(lives, soak_judge.SLACK["threads"])[1])
        together = sorted(point for life in lives for point in life)
        self.assertFalse(soak_judge.growth_of([together], soak_judge.SLACK["threads"])[1])

    def test_what_each_process_gathers_grows(self):
        lives = self.lives(lambda threads, age: threads + age // 20)
        self.assertFalse(soak_judge.growth_of(lives, soak_judge.SLACK["threads"])[1])


class FinishedCells(unittest.TestCase):
    def test_a_store_is_counted_and_a_missing_one_is_unknown(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "ptxlat.sqlite"
            self.assertIsNone(soak.finished_cells(store))
            connection = sqlite3.connect(store)
            connection.execute("CREATE TABLE records (record TEXT)")
            connection.commit()
            self.assertEqual(soak.finished_cells(store), 0)
            connection.executemany("INSERT INTO records VALUES (?)", [("a",), ("b",)])
            connection.commit()
            connection.close()
            self.assertEqual(soak.finished_cells(store), 2)


def life(kb_at, seconds=300, begin=0):
    """A process that holds kb_at(seconds of its life, seconds of the table)."""
    made = Life()
    for second in range(seconds):
        made.add(second, 300 * second, {"supervisor": kb_at(second, begin + second)})
    return made


def leak_in(kb_at, kept_kb=0, seed=1, count=20):
    """What is said of a table that so many processes make one after the other."""
    chance = random.Random(seed)
    handovers, begin, old = [], 0, Life()
    for _ in range(count):
        seconds = chance.randrange(60, 400)
        new = life(kb_at, seconds, begin)
        if one := soak_judge.handover(old, new, "supervisor"):
            handovers.append(one)
        begin, old = begin + seconds, new
    return soak_judge.leak_of(handovers, kept_kb)


class Leaks(unittest.TestCase):
    noise = random.Random(2)

    def work(self, table_second):
        """Later cells need more memory, some chunks much more, and each chunk's comes and goes."""
        return 400_000 + 250 * table_second + 100_000 * (table_second % 700 > 500) + self.noise.uniform(0, 100_000)

    def test_memory_that_follows_the_work_is_flat(self):
        words, is_flat = leak_in(lambda _, second: self.work(second))
        self.assertTrue(is_flat, words)
        whole = [(second, self.work(second)) for second in range(2000)]
        self.assertFalse(soak_judge.growth_of([whole], soak_judge.SLACK["rss_kb"])[1])  # a straight line takes it for growth

    def test_a_process_that_settles_slowly_is_flat(self):
        words, is_flat = leak_in(lambda age, second: self.work(second) - 100_000 * (age < 30))
        self.assertTrue(is_flat, words)

    def test_what_a_process_gathers_grows(self):
        words, is_flat = leak_in(lambda age, second: self.work(second) + 600 * age)
        self.assertFalse(is_flat, words)

    def test_what_may_be_kept_of_each_cell_is_flat_and_twice_that_grows(self):
        for kb, expected in ((3, True), (6, False)):
            words, is_flat = leak_in(lambda age, second, kb=kb: self.work(second) + kb * 300 * age, kept_kb=3)
            self.assertEqual(is_flat, expected, words)

    def test_few_or_unclear_handovers_are_not_judged(self):
        self.assertIsNone(leak_in(lambda _, second: self.work(second), count=8))
        self.assertIsNone(soak_judge.leak_of(
            [Handover(100 + number, 0, 900_000 * (number % 2), 0) for number in range(9)], 0))

    def test_a_process_that_was_ended_too_early_hands_nothing_over(self):
        steady = life(lambda *_: 400_000)
        short = life(lambda *_: 400_000, seconds=soak_judge.SETTLE)
        self.assertIsNotNone(soak_judge.handover(steady, steady, "supervisor"))
        self.assertIsNone(soak_judge.handover(short, steady, "supervisor"))
        self.assertIsNone(soak_judge.handover(steady, short, "supervisor"))
        self.assertIsNone(soak_judge.handover(steady, steady, "worker"))


# Notes its calls; begun first in a folder, a command goes on until it is killed.
PROGRAM = """#!/bin/sh
echo "$1" >>calls
[ ! -e "begun-$1" ] || exit {status}
touch "begun-$1"
exec sleep 60
"""


class Clock:
    """Passes only while the soak sleeps, so that a busy machine has time for everything else."""

    def __init__(self):
        self.now = 0
        self.alarm = float("inf")  # when SIGTERM comes

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        time.sleep(seconds)
        self.now += seconds
        if self.now >= self.alarm:
            self.alarm = float("inf")
            os.kill(os.getpid(), signal.SIGTERM)


class SoakOfAProgram(soak.Soak):
    def start(self, arguments, work):
        """Returns once the program has noted its call."""
        calls = work / "calls"
        before = calls.stat().st_size if calls.exists() else 0
        process = super().start(arguments, work)
        while not calls.exists() or calls.stat().st_size == before:
            time.sleep(0.005)
        return process


class LongPart(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.addCleanup(setattr, soak, "time", soak.time)
        soak.time = self.clock
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        pauses = soak.LONG_PAUSES
        self.addCleanup(setattr, soak, "LONG_PAUSES", pauses)
        soak.LONG_PAUSES = {"worker": (0.1, 0.2), "supervisor": (0.1, 0.2)}

    def soak(self, seconds, status=0, keep=True):
        program = Path(self.folder.name) / "ptxlat"
        program.write_text(PROGRAM.format(status=status))
        program.chmod(0o755)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = SoakOfAProgram(argparse.Namespace(
                folder=self.folder.name, program=str(program), seconds=seconds, long=1, keep=keep, seed="1",
                interval=0.1, limit=9, standin=None)).run()
        return code, out.getvalue()

    def tables(self):
        return sorted(path.name for path in Path(self.folder.name).glob("table-*"))

    def test_a_command_whose_supervisor_was_disturbed_goes_on_and_tables_follow_each_other(self):
        code, out = self.soak(3)
        self.assertEqual(code, 0, out)
        self.assertGreater(len(self.tables()), 1)
        calls = [(name, len(list(same))) for name, same in
                 itertools.groupby((Path(self.folder.name) / "table-1/calls").read_text().split())]
        self.assertEqual([name for name, _ in calls], ["run", "opcodes", "pairs"])
        self.assertTrue(all(count > 1 for _, count in calls), calls)
        self.assertIn("whole run, none: 0 after", out)

    def test_a_failure_is_a_problem_and_ends_the_long_part(self):
        code, out = self.soak(60, status=1, keep=False)
        self.assertEqual(code, 1)
        self.assertEqual(out.count("ended with 1"), 3)  # each command was tried
        self.assertEqual(self.tables(), [])

    def test_a_soak_that_was_killed_goes_on_where_it_was(self):
        code, _ = self.soak(2)
        self.assertEqual(code, 0)
        folder = Path(self.folder.name)
        tables, commands = self.tables(), len((folder / "commands.csv").read_text().splitlines())
        (folder / "verdict.txt").unlink()
        with open(folder / "points.csv", "a") as points:
            points.write("1.0,run,supervi")  # as far as it came
        code, out = self.soak(4)
        self.assertEqual(code, 0, out)
        self.assertEqual(self.tables()[:len(tables)], tables)
        self.assertGreater(len((folder / "commands.csv").read_text().splitlines()), commands)
        seconds = [float(line.split(",")[0]) for line in (folder / "commands.csv").read_text().splitlines()[1:]]
        self.assertEqual(seconds, sorted(seconds))
        self.assertRegex(out, "as promised: [0-9]+ commands in 4 s")
        self.assertNotIn("supervi\n", (folder / "points.csv").read_text())

    def test_sigterm_ends_it_as_if_the_time_were_over(self):
        soak.LONG_PAUSES = {"worker": (90, 91), "supervisor": (90, 91)}
        self.clock.alarm = 0.5
        code, out = self.soak(60)
        self.assertEqual(code, 0, out)
        verdict = (Path(self.folder.name) / "verdict.txt").read_text()
        self.assertRegex(verdict, "^as promised: 1 commands in [0-9] s, 0 kills\n$")


if __name__ == "__main__":
    unittest.main()
