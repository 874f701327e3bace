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
import threading
import unittest
from pathlib import Path

import soak

SECONDS = range(600)


def is_flat(values, slack=soak.SLACK["rss_kb"]):
    return soak.growth_of(list(zip(SECONDS, values)), slack)[1]


class Growth(unittest.TestCase):
    def test_noise_is_flat(self):
        noise = random.Random(1)
        self.assertTrue(is_flat([300_000 + noise.uniform(-60_000, 60_000) for _ in SECONDS]))

    def test_what_fills_in_the_warm_up_is_flat(self):
        self.assertTrue(is_flat([min(300_000, 150_000 + 1_000 * second) for second in SECONDS]))

    def test_a_slow_leak_grows(self):
        self.assertFalse(is_flat([300_000 + 100 * second for second in SECONDS]))

    def test_a_descriptor_a_minute_grows(self):
        self.assertFalse(is_flat([20 + second // 60 for second in SECONDS], soak.SLACK["descriptors"]))

    def test_a_short_series_is_not_judged(self):
        self.assertIsNone(soak.growth_of([(0, 1), (100, 100_000)], 0))
        self.assertIsNone(soak.growth_of([(second, 100_000 * second) for second in range(50)], 0))


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

    def test_a_supervisor_may_keep_what_it_measured_itself(self):
        held = [("supervisor", {"rss_kb": 300_000, "threads": 9}), ("worker", {"rss_kb": 50_000})]
        supervisor, worker = soak.long_points("run", 12.3, 45, held, 1_000)
        self.assertEqual(supervisor, (45, "whole run from 12 s", "supervisor",
                                      {"rss_kb": 300_000 - 1_000 * soak.KEPT_KB, "threads": 9}))
        self.assertEqual(worker, (45, "whole run", "worker", {"rss_kb": 50_000}))


# Notes its calls; begun first in a folder, a command goes on until it is killed.
PROGRAM = """#!/bin/sh
echo "$1" >>calls
[ ! -e "begun-$1" ] || exit {status}
touch "begun-$1"
exec sleep 60
"""


class LongPart(unittest.TestCase):
    def setUp(self):
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
            code = soak.Soak(argparse.Namespace(
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

    def test_sigterm_ends_it_as_if_the_time_were_over(self):
        soak.LONG_PAUSES = {"worker": (90, 90), "supervisor": (90, 90)}
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
        code, out = self.soak(60)
        self.assertEqual(code, 0, out)
        verdict = (Path(self.folder.name) / "verdict.txt").read_text()
        self.assertRegex(verdict, "^as promised: 1 commands in [0-9] s, 0 kills\n$")


if __name__ == "__main__":
    unittest.main()
