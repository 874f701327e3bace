# SPDX-License-Identifier: Apache-2.0
"""Latencies of PTX instructions: the tables that come with ptxlat, and the program that makes more.

    import ptxlat
    ptxlat.tables()                       # the tables that are installed
    ptxlat.load("nvidia-h200")            # a table as a pandas DataFrame
    ptxlat.lookup("fma.rn.f32")           # the rows of one spelling, of every optimisation level
    ptxlat.measure("mad.lo.u32 d, a, b, c; popc.b32 e, d")  # a snippet, from each source to each result
    ptxlat.run("--filter", "add.u32")     # measure, and load the table

The columns are those of docs/table-format.md. A number that does not exist is NaN.
"""

from __future__ import annotations

from ._program import ProgramError, data, measure, program, run
from ._tables import Table, load, lookup, tables

__all__ = ["ProgramError", "Table", "data", "load", "lookup", "measure", "program", "run", "tables"]
