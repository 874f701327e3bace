# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ._tables import read, tables_in

if TYPE_CHECKING:
    import pandas


class ProgramError(RuntimeError):
    """ptxlat ended with an error.

    exit_code  as docs/commands.md lists them
    message    the program's message on standard error
    """

    def __init__(self, exit_code: int, message: str) -> None:
        super().__init__(f"ptxlat ended with {exit_code}: {message}")
        self.exit_code = exit_code
        self.message = message


def program() -> Path:
    """The program in the package; without one, $PTXLAT, or `ptxlat` in PATH."""
    own = Path(__file__).parent / "bin" / "ptxlat"
    if own.exists():
        return own
    found = os.environ.get("PTXLAT") or shutil.which("ptxlat")
    if not found:
        raise FileNotFoundError("there is no program ptxlat in the package or in PATH; set PTXLAT to its path")
    return Path(found)


def data() -> Path:
    """share/ptxlat of the program: its catalogue, tables and tools."""
    return program().parents[1] / "share" / "ptxlat"


def run(
    *arguments: str,
    command: str = "run",
    tables: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
) -> pandas.DataFrame:
    """Runs `ptxlat COMMAND` (`run`, or `static` without a GPU) and loads the table that it writes.

    arguments  of the command: "--filter", "add.u32", "-O", "0,3". Several toolchains give the rows of several tables
    tables     the folder below which the table is written; by default a temporary one
    store      the file that keeps finished cells; by default in that folder

    Raises ProgramError if the program fails. Its messages on standard error are passed on.
    """
    if command not in ("run", "static"):
        raise ValueError(f"{command!r} does not make a table of latencies; use 'run' or 'static'")
    with tempfile.TemporaryDirectory(prefix="ptxlat-") as temporary:
        folder = Path(tables if tables is not None else temporary)
        line = [str(program()), command, *arguments, "--format", "none", "--tables", str(folder)]
        line += ["--store", str(store if store is not None else Path(temporary) / "ptxlat.sqlite")]
        before = {table.folder: table.folder.stat().st_mtime_ns for table in tables_in(folder)}
        ended = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode != 0:
            raise ProgramError(ended.returncode, ended.stderr.strip())
        made = [t for t in tables_in(folder) if before.get(t.folder) != t.folder.stat().st_mtime_ns]
        return read(made)
