# SPDX-License-Identifier: Apache-2.0
"""Latencies of PTX instructions: the tables that come with ptxlat, and the program that makes more.

    import ptxlat
    ptxlat.tables()                       # the tables that are installed
    ptxlat.load("nvidia-h200")            # a table as a pandas DataFrame
    ptxlat.lookup("fma.rn.f32")           # the rows of one spelling, of every optimisation level
    ptxlat.measure("mad.lo.u32 d, a, b, c; popc.b32 e, d")  # a snippet, from each source to each result
    ptxlat.show("FFMA")                   # a form, a SASS opcode, a probe, a fact or "memory"
    ptxlat.compare("nvidia-h200@O0", "nvidia-h200@O3")
    ptxlat.facts("nvidia-h200"), ptxlat.opcodes("nvidia-h200"), ptxlat.pairs("nvidia-h200")
    ptxlat.run("--filter", "add.u32")     # measure, and load the table

The columns are those of docs/table-format.md. A number that does not exist is NaN.
"""

from __future__ import annotations

from importlib import metadata

from ._program import ProgramError, Shown, compare, data, measure, program, run, show
from ._tables import Table, facts, load, lookup, opcodes, pairs, tables

try:
    __version__ = metadata.version("ptxlat")
except metadata.PackageNotFoundError:  # in a checkout
    __version__ = "0+checkout"

__all__ = [
    "ProgramError", "Shown", "Table", "__version__", "compare", "data", "facts", "load", "lookup", "measure", "opcodes",
    "pairs", "program", "run", "show", "tables",
]  # fmt: skip
