#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A table whose every text would be a script if it were read as HTML.

  tests/site/hostile_table.py FOLDER
"""

import csv
import sys
from pathlib import Path

SCRIPT = "<img src=x onerror=\"window.attacked=1\"></script><script>window.attacked=1</script>\u2028"
COLUMNS = "ptx chapter operand input opt levels cycles measure consumer sass sass_count verdict note".split()

folder = Path(sys.argv[1]) / "hostile"
folder.mkdir(parents=True)
with open(folder / "latency.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in (f"hostile.{SCRIPT}", "hostile.__proto__", "__proto__", "hostile.../../x"):
        writer.writerow([name, SCRIPT, "a", SCRIPT, "O3", "O3", 4, "dependent", SCRIPT, SCRIPT, 1, "proven", SCRIPT])
