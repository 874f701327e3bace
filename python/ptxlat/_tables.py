# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import csv
import difflib
import functools
import gzip
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas


@dataclass(frozen=True)
class Table:
    """One table: its folder and what it measures.

    sm         "sm_90"
    gpu        "nvidia-h200", or "static" for a table that comes from the assembler's schedule
    toolchain  "driver-580.159.04"
    """

    folder: Path
    sm: str
    gpu: str
    toolchain: str


def _committed() -> Path:
    """The tables that came with the package, or those of the checkout that it lies in."""
    here = Path(__file__).parent
    for folder in (here / "share" / "ptxlat" / "tables", here.parents[1] / "tables"):
        if folder.is_dir():
            return folder
    return here / "share" / "ptxlat" / "tables"


def _csv(folder: Path, name: str) -> Path | None:
    for file in (folder / f"{name}.csv", folder / f"{name}.csv.gz"):
        if file.exists():
            return file
    return None


def _folders_in(folder: Path) -> list[Path]:
    # Not glob, which passes over a folder that it cannot read.
    return sorted(entry for entry in folder.iterdir() if entry.is_dir())


def tables_in(folder: Path) -> list[Table]:
    if not folder.is_dir():
        return []
    return [
        Table(found, *found.parts[-3:])
        for sm in _folders_in(folder)
        for gpu in _folders_in(sm)
        for found in _folders_in(gpu)
        if _csv(found, "latency") is not None
    ]


def tables(folder: str | os.PathLike[str] | None = None) -> list[Table]:
    """The tables below a folder, by default those that come with ptxlat."""
    return tables_in(Path(folder) if folder is not None else _committed())


def _chosen(
    gpu: str | None, toolchain: str | None, sm: str | None, folder: str | os.PathLike[str] | None
) -> list[Table]:
    found = [
        table
        for table in tables(folder)
        if (gpu is None or table.gpu == gpu)
        and (sm is None or table.sm == sm)
        and (toolchain is None or table.toolchain == toolchain or table.toolchain.startswith(toolchain + "-"))
    ]
    if not found:
        all_tables = tables(folder)
        gpus = {table.gpu for table in all_tables}
        near = [name for name in gpus if gpu is not None and gpu.lower() in name] or difflib.get_close_matches(gpu or "", gpus)
        question = f"did you mean {', '.join(sorted(near))}? " if near and gpu not in gpus else ""
        names = sorted({f"{t.sm}/{t.gpu}/{t.toolchain}" for t in all_tables if t.gpu != "static"})
        raise KeyError(
            f"no table of gpu={gpu!r}, toolchain={toolchain!r}, sm={sm!r}; {question}measured ones are {', '.join(names)}"
        )
    return found


def pandas_module() -> Any:
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("the tables are pandas DataFrames: pip install pandas") from missing
    return pandas


_TEXTS = ("ptx", "chapter", "operand", "input", "opt", "levels", "measure", "consumer", "sass", "verdict", "note")


def read(chosen: Sequence[Table]) -> pandas.DataFrame:
    """The rows of several tables in one DataFrame, each with `sm`, `gpu` and `toolchain` before its columns."""
    frames = [_with_place(table, _parsed(_csv(table.folder, "latency"))) for table in chosen]
    return pandas_module().concat(frames, ignore_index=True) if frames else pandas_module().DataFrame()


def _parsed(file: Any) -> pandas.DataFrame:
    texts = {name: "string" for name in _TEXTS}
    frame = pandas_module().read_csv(file, dtype=texts, keep_default_na=False, na_values={})
    for column in frame.columns:
        if column not in _TEXTS and not pandas_module().api.types.is_numeric_dtype(frame[column]):
            frame[column] = pandas_module().to_numeric(frame[column].replace("", None))
    return frame


def _with_place(table: Table, frame: pandas.DataFrame) -> pandas.DataFrame:
    frame.insert(0, "toolchain", table.toolchain)
    frame.insert(0, "gpu", table.gpu)
    frame.insert(0, "sm", table.sm)
    return frame


def load(
    gpu: str | None = None,
    toolchain: str | None = None,
    *,
    sm: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> pandas.DataFrame:
    """A table, or several in one DataFrame.

    gpu        "nvidia-h200", or "static"; default: every one
    toolchain  a name, or its beginning up to a hyphen: "driver", "ptxas", "ptxas-13.0.88"; default: for one GPU the
               driver's own, else every one
    sm         "sm_90"; default: every one
    folder     below which the tables are; default: those that come with ptxlat

    Raises KeyError, which lists what there is, for what is not there.
    """
    return read(_chosen(gpu, _usual(gpu, toolchain, folder), sm, folder))


def _usual(gpu: str | None, toolchain: str | None, folder: str | os.PathLike[str] | None) -> str | None:
    """For a GPU without a toolchain the driver's table, if there is one."""
    if gpu is None or gpu == "static" or toolchain is not None:
        return toolchain
    has_driver = any(t.gpu == gpu and t.toolchain.startswith("driver-") for t in tables(folder))
    return "driver" if has_driver else None


def lookup(
    ptx: str,
    gpu: str = "nvidia-h200",
    toolchain: str | None = None,
    *,
    sm: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> pandas.DataFrame:
    """The numbers of one spelling at every optimisation level, under its own name and level.

    A table has one row for all spellings and levels with the same machine code; forms.csv says which row each has. The
    column `row` is the spelling whose row it is, `reason` why there is none. Raises KeyError for a spelling that the
    tables do not know.
    """
    pandas = pandas_module()
    found = [rows for table in _chosen(gpu, _usual(gpu, toolchain, folder), sm, folder) for rows in _rows_of(table, ptx)]
    if not found:
        raise KeyError(f"no table of gpu={gpu!r}, toolchain={toolchain!r} has {ptx!r}; `ptxlat list` has all spellings")
    return pandas.concat(found, ignore_index=True)


def _rows_of(table: Table, ptx: str) -> list[pandas.DataFrame]:
    """The rows of a spelling, for each of its levels."""
    pandas = pandas_module()
    forms = _lines_of(table, "forms")
    if forms is None:  # a table of an older format, or in brief: each spelling has rows of its own
        own = _frame(table, _lines_of(table, "latency"), ptx)
        return [own.assign(row=own["ptx"], reason="")] if len(own) else []
    found = []
    for form in forms.rows(ptx):
        if not form["row"]:
            empty = {"sm": table.sm, "gpu": table.gpu, "toolchain": table.toolchain, "ptx": ptx, "opt": form["opt"]}
            found.append(pandas.DataFrame([{**empty, "row": "", "reason": form["reason"]}]))
            continue
        rows = _frame(table, _lines_of(table, "latency"), form["row"])
        if "levels" in rows:
            rows = rows[[form["opt"] in levels.split(" ") for levels in rows["levels"]]]
        else:
            rows = rows[rows["opt"] == form["opt"]]
        if len(rows):
            found.append(rows.assign(ptx=ptx, opt=form["opt"], row=form["row"], reason=""))
    return found


class _Lines:
    """A csv as text, with the place of each spelling's lines: reading all fields of all rows takes seconds."""

    def __init__(self, file: Path) -> None:
        with (gzip.open(file, "rt", newline="") if file.suffix == ".gz" else file.open(newline="")) as opened:
            text = opened.read()
        lines = text.splitlines(keepends=True)
        self.head = lines[0]
        self._lines: dict[str, list[str]] = {}
        line = ""
        for part in lines[1:]:
            line += part
            if line.count('"') % 2:  # a line break inside a field
                continue
            name = next(csv.reader([line]))[0] if line.startswith('"') else line[: line.index(",")]
            self._lines.setdefault(name, []).append(line)
            line = ""

    def text(self, name: str) -> str:
        return self.head + "".join(self._lines.get(name, []))

    def rows(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.text(name), newline="")))


@functools.lru_cache(maxsize=8)
def _read_lines(file: Path, changed_ns: int) -> _Lines:
    return _Lines(file)


def _lines_of(table: Table, name: str) -> _Lines | None:
    file = _csv(table.folder, name)
    return None if file is None else _read_lines(file, file.stat().st_mtime_ns)


def _frame(table: Table, lines: _Lines | None, ptx: str) -> pandas.DataFrame:
    if lines is None:
        return pandas_module().DataFrame()
    return _with_place(table, _parsed(io.StringIO(lines.text(ptx), newline="")))


def facts(
    gpu: str | None = None,
    toolchain: str | None = None,
    *,
    sm: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> pandas.DataFrame:
    """The facts that probes found: facts.csv of the tables, chosen as by `load`. Values are texts, as some are words."""
    return _read_all("facts", gpu, toolchain, sm, folder)


def opcodes(
    gpu: str | None = None,
    toolchain: str | None = None,
    *,
    sm: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> pandas.DataFrame:
    """SASS opcodes with pipe, throughput and latency: opcodes.csv of the tables, chosen as by `load`."""
    return _read_all("opcodes", gpu, toolchain, sm, folder)


def pairs(
    gpu: str | None = None,
    toolchain: str | None = None,
    *,
    sm: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> pandas.DataFrame:
    """How far apart dependent SASS opcodes must be: pairs.csv of the tables, chosen as by `load`."""
    return _read_all("pairs", gpu, toolchain, sm, folder)


def _read_all(
    name: str,
    gpu: str | None,
    toolchain: str | None,
    sm: str | None,
    folder: str | os.PathLike[str] | None,
) -> pandas.DataFrame:
    frames = []
    for table in _chosen(gpu, _usual(gpu, toolchain, folder), sm, folder):
        file = _csv(table.folder, name)
        if file is not None:
            frame = pandas_module().read_csv(file, keep_default_na=False, na_values={}, low_memory=False)
            frames.append(_with_place(table, _with_numbers(frame)))
    if not frames:
        raise KeyError(f"no table of gpu={gpu!r}, toolchain={toolchain!r}, sm={sm!r} has {name}.csv")
    return pandas_module().concat(frames, ignore_index=True)


def _with_numbers(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Columns whose fields are all numbers or empty become numbers."""
    for column in frame.columns:
        if column in _TEXTS or pandas_module().api.types.is_numeric_dtype(frame[column]):
            continue
        try:
            frame[column] = pandas_module().to_numeric(frame[column].replace("", None))
        except (ValueError, TypeError):
            continue
    return frame
