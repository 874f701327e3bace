# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import html
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._tables import pandas_module, read, tables_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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

    Raises ProgramError if the program fails. Its messages, and its progress, go to standard error as they come; what it
    warns of is a warning of Python, too.
    """
    if command not in ("run", "static"):
        raise ValueError(f"{command!r} does not make a table of latencies; use 'run' or 'static'")
    with tempfile.TemporaryDirectory(prefix="ptxlat-") as temporary:
        folder = Path(tables if tables is not None else temporary)
        line = [str(program()), command, *arguments, "--format", "none", "--tables", str(folder)]
        line += ["--store", str(store if store is not None else Path(temporary) / "ptxlat.sqlite")]
        before = {table.folder: table.folder.stat().st_mtime_ns for table in tables_in(folder)}
        code, messages = _run_aloud(line)
        if code != 0:
            raise ProgramError(code, messages)
        for warning in messages.split("warning: ")[1:]:
            warnings.warn(" ".join(warning.split("\n         ")[:2]).splitlines()[0], stacklevel=2)
        made = [t for t in tables_in(folder) if before.get(t.folder) != t.folder.stat().st_mtime_ns]
        return read(made)


def _run_aloud(line: Sequence[str]) -> tuple[int, str]:
    """Runs the program; what it says on standard error appears at once, also in a notebook, and is returned."""
    messages = []
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for message in process.stderr:
            messages.append(message)
            print(message, end="", file=sys.stderr, flush=True)
    return process.returncode, "".join(messages).strip()


def _answer(command: str, *arguments: str) -> str:
    """Standard output of a command that ends at once. What it says besides becomes a warning."""
    ended = subprocess.run([str(program()), command, "--quiet", *arguments], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise ProgramError(ended.returncode, ended.stderr.strip())
    return ended.stdout


class Shown(dict):  # type: ignore[type-arg]
    """What `ptxlat show --format json` knows of a name, as a dict; printed, and in a notebook, as its text."""

    def __init__(self, document: Mapping[str, Any], text: str) -> None:
        super().__init__(document)
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def show(name: str, table: str | None = None, *, levels: Sequence[int] = (3,), arguments: Sequence[str] = ()) -> Shown:
    """What is known of a PTX form, a SASS opcode, a probe, a fact or `memory`.

    name       "fma.rn.f32", "FFMA", "chase", "l1.ways", "memory"
    table      "nvidia-h200", "sm_120a" or a folder; default: that of this GPU, else of the newest that was measured
    levels     optimisation levels of a form
    arguments  further ones of the command

    Raises ProgramError for a name that there is not; its message has what may have been meant.
    """
    line = [name, *(["--table", table] if table is not None else []), "-O", ",".join(map(str, levels)), *arguments]
    return Shown(json.loads(_answer("show", *line, "--format", "json")), _answer("show", *line))


def compare(*tables: str, levels: Sequence[int] = (), arguments: Sequence[str] = ()) -> pandas.DataFrame:
    """What differs between tables, a row for each difference: the csv of docs/comparison-format.md.

    tables     "nvidia-h200", "nvidia-h200@ptxas-12.4@O0", or folders; one alone is compared level by level
    levels     only these optimisation levels; default: all
    arguments  further ones of the command: "--by", "toolchain"
    """
    chosen = ["-O", ",".join(map(str, levels))] if levels else []
    text = _answer("compare", *tables, *chosen, *arguments, "--format", "csv")
    return pandas_module().read_csv(io.StringIO(text), keep_default_na=False, na_values={}, low_memory=False)


_MEASURED = ("cycles", "issue", "static", "estimate", "estimate_error")
_COLUMNS = (
    "snippet", "toolchain", "target", "gpu", "source", "result", "opt", *_MEASURED, "measure", "consumer", "sass",
    "sass_count", "verdict", "note",
)  # fmt: skip


def _rows(line: dict[str, Any]) -> list[dict[str, Any]]:
    if "error" in line:
        return [{"snippet": line["snippet"], "verdict": "", "note": line["error"]}]
    rows = []
    for measured in line["measured"]:
        of_all = {"snippet": line["snippet"], **{key: measured.get(key, "") for key in ("toolchain", "target", "gpu")}}
        for cell in measured["cells"]:
            row = {column: cell.get(column, "") for column in _COLUMNS if column not in of_all}
            row["sass"] = ";".join(cell.get("sass", []))
            rows.append({**of_all, **row})
    return rows


def measure(
    *snippets: str,
    cuda: str | Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    levels: Sequence[int] = (3,),
    toolchain: str | None = None,
    target: str | None = None,
    static: bool = False,
    arguments: Sequence[str] = (),
) -> pandas.DataFrame:
    """Measures snippets of PTX or CUDA C in one run of `ptxlat measure`: a row for each source, result and level.

    snippets   PTX ("mad.lo.u32 d, a, b, c; popc.b32 d, d"), or names of files that end in .ptx or .cu
    cuda       expressions or assignments of CUDA C: "__sinf(x) * y"
    types      of registers and variables that leave it open: {"x": "f32", "p": "f32*"}
    levels     optimisation levels
    toolchain  "ptxas-13.0"; default: the driver's, and without a GPU the newest ptxas
    target     "sm_120": by the schedule, without a GPU
    static     by the schedule, without a GPU
    arguments  further ones of the command

    A number that does not exist is NaN, and `verdict` and `note` say why. If one of several snippets cannot be
    measured, its row has no verdict, and its `note` is the error. If none can, ProgramError is raised.
    """
    line = [str(program()), "measure", "--format", "json", "--levels", ",".join(str(level) for level in levels)]
    for name, kind in (types or {}).items():
        line += ["--type", f"{name}={kind}"]
    line += ["--toolchain", toolchain] if toolchain is not None else []
    line += ["--target", target] if target is not None else []
    line += ["--static"] if static else []
    line += [*arguments]
    for text in [cuda] if isinstance(cuda, str) else cuda:
        line += ["--cuda", text]
    ended = subprocess.run([*line, "--", *snippets], capture_output=True, text=True, check=False)
    rows = [row for json_line in ended.stdout.splitlines() for row in _rows(json.loads(json_line))]
    if not any(row["verdict"] for row in rows):
        raise ProgramError(ended.returncode, ended.stderr.strip())
    if ended.stderr.strip():
        warnings.warn(ended.stderr.strip(), stacklevel=2)
    frame = pandas_module().DataFrame(rows, columns=list(_COLUMNS))
    for column in (*_MEASURED, "opt", "sass_count"):
        frame[column] = pandas_module().to_numeric(frame[column].replace("", None))
    return frame
