# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

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
        names = sorted({f"{table.sm}/{table.gpu}/{table.toolchain}" for table in tables(folder)})
        raise KeyError(f"no table of gpu={gpu!r}, toolchain={toolchain!r}, sm={sm!r}; there are {', '.join(names)}")
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
    pandas = pandas_module()
    frames = []
    for table in chosen:
        file = _csv(table.folder, "latency")
        texts = {name: "string" for name in _TEXTS}
        frame = pandas.read_csv(file, dtype=texts, keep_default_na=False, na_values={})
        for column in frame.columns:
            if column not in _TEXTS and not pandas.api.types.is_numeric_dtype(frame[column]):
                frame[column] = pandas.to_numeric(frame[column].replace("", None))
        frame.insert(0, "toolchain", table.toolchain)
        frame.insert(0, "gpu", table.gpu)
        frame.insert(0, "sm", table.sm)
        frames.append(frame)
    return pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()


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
    if gpu is not None and gpu != "static" and toolchain is None:
        driver = [t for t in tables(folder) if t.gpu == gpu and t.toolchain.startswith("driver-")]
        toolchain = "driver" if driver else None
    return read(_chosen(gpu, toolchain, sm, folder))


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
    if toolchain is None and gpu != "static":
        toolchain = "driver" if any(t.gpu == gpu and t.toolchain.startswith("driver-") for t in tables(folder)) else None
    found = []
    for table in _chosen(gpu, toolchain, sm, folder):
        rows = read([table])
        forms = _spellings(table, ptx)
        if forms is None:  # a table of an older format, or in brief: each spelling has rows of its own
            own = rows[rows["ptx"] == ptx]
            found.append(own.assign(row=own["ptx"], reason=""))
            continue
        for form in forms.itertuples(index=False):
            if "levels" in rows:
                levels = rows["levels"].str.split(" ")
                of_level = levels.map(lambda names, wanted=form.opt: wanted in names)
            else:
                of_level = rows["opt"] == form.opt
            if form.row:
                same = rows[(rows["ptx"] == form.row) & of_level]
                found.append(same.assign(ptx=ptx, opt=form.opt, row=form.row, reason=""))
            if not form.row:
                empty = pandas.DataFrame([{"sm": table.sm, "gpu": table.gpu, "toolchain": table.toolchain, "ptx": ptx,
                                           "opt": form.opt, "row": "", "reason": form.reason}])
                found.append(empty)
    found = [frame for frame in found if len(frame) > 0]
    if not found:
        raise KeyError(f"no table of gpu={gpu!r}, toolchain={toolchain!r} has {ptx!r}; `ptxlat list` has all spellings")
    return pandas.concat(found, ignore_index=True)


def _spellings(table: Table, ptx: str) -> pandas.DataFrame | None:
    file = _csv(table.folder, "forms")
    if file is None:
        return None
    forms = pandas_module().read_csv(file, dtype="string", keep_default_na=False)
    return forms[forms["ptx"] == ptx]
