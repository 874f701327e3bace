#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What soak.py calls flat and what growth."""

import random
import sqlite3
import tempfile
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
        self.assertIsNone(soak.growth_of([(0, 1), (1, 100_000)], 0))


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


if __name__ == "__main__":
    unittest.main()
