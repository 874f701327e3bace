# SPDX-License-Identifier: Apache-2.0
"""The Python module: on a small table written here, on the committed ones, and with the program that $PTXLAT names."""

from __future__ import annotations

import csv
import gzip
import math
import os
from pathlib import Path

import pandas
import pytest

import ptxlat

COLUMNS = "ptx,chapter,operand,input,opt,levels,cycles,measure,consumer,issue,sass,sass_count,verdict,note"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tables of one GPU: the driver's with forms.csv, and one of a ptxas in brief."""
    driver = tmp_path / "sm_90/some-gpu/driver-1.2"
    driver.mkdir(parents=True)
    with gzip.open(driver / "latency.csv.gz", "wt") as out:
        out.write(
            f"{COLUMNS}\n"
            "add.u32,integer,a b,,O0,O0,12,dependent,itself,30,IADD3,1,proven,\n"
            "add.u32,integer,a b,,O3,O1 O2 O3,4,dependent,itself,,IADD3,1,proven,no issue\n"
            '"min.f32 d, a, b, c",float,a,NaN,O3,O3,,,,,FMNMX,1,elided,"nothing, at all"\n'
        )
    with gzip.open(driver / "forms.csv.gz", "wt") as out:
        out.write(
            "ptx,opt,row,reason,note\nadd.u32,O0,add.u32,,\nadd.u32,O3,add.u32,,\nadd.s32,O2,add.u32,,\n"
            "add.s32,O3,,unsupported,needs sm_100\n"
        )
    ptxas = tmp_path / "sm_90/some-gpu/ptxas-13.0.88"
    ptxas.mkdir()
    (ptxas / "latency.csv").write_text(f"{COLUMNS}\nadd.u32,integer,a b,,O3,O3,5,dependent,itself,2,IADD3,1,proven,\n")
    return tmp_path


def test_tables_are_named_by_their_folders(folder: Path) -> None:
    assert [(t.sm, t.gpu, t.toolchain) for t in ptxlat.tables(folder)] == [
        ("sm_90", "some-gpu", "driver-1.2"),
        ("sm_90", "some-gpu", "ptxas-13.0.88"),
    ]


def test_load_gives_the_drivers_table_with_numbers_and_texts(folder: Path) -> None:
    table = ptxlat.load("some-gpu", folder=folder)
    assert set(table["toolchain"]) == {"driver-1.2"}
    assert list(table["cycles"][:2]) == [12, 4]
    assert math.isnan(table["cycles"][2]) and math.isnan(table["issue"][1])
    # Texts stay texts: an input class called NaN, and an empty one.
    assert list(table["input"]) == ["", "", "NaN"]
    assert table["note"][2] == "nothing, at all"
    assert table["ptx"][2] == "min.f32 d, a, b, c"


def test_load_chooses_by_toolchain_or_takes_all(folder: Path) -> None:
    assert list(ptxlat.load("some-gpu", "ptxas", folder=folder)["cycles"]) == [5]
    assert list(ptxlat.load("some-gpu", "ptxas-13.0.88", folder=folder)["cycles"]) == [5]
    assert len(ptxlat.load(folder=folder)) == 4
    with pytest.raises(KeyError, match="sm_90/some-gpu/driver-1.2"):
        ptxlat.load("another-gpu", folder=folder)


def test_lookup_finds_the_row_that_a_spelling_shares(folder: Path) -> None:
    own = ptxlat.lookup("add.u32", "some-gpu", folder=folder)
    assert list(zip(own["opt"], own["cycles"], own["row"])) == [("O0", 12, "add.u32"), ("O3", 4, "add.u32")]
    shared = ptxlat.lookup("add.s32", "some-gpu", folder=folder)
    assert list(shared["ptx"]) == ["add.s32", "add.s32"]
    assert list(zip(shared["opt"], shared["row"], shared["reason"])) == [("O2", "add.u32", ""), ("O3", "", "unsupported")]
    assert shared["cycles"][0] == 4 and math.isnan(shared["cycles"][1])
    assert list(ptxlat.lookup("add.u32", "some-gpu", "ptxas", folder=folder)["cycles"]) == [5]
    with pytest.raises(KeyError, match="ptxlat list"):
        ptxlat.lookup("sub.u32", "some-gpu", folder=folder)


def test_the_committed_tables_are_loaded_whole() -> None:
    if not ptxlat.tables():
        pytest.skip("this package has no tables")
    table = next(t for t in ptxlat.tables() if t.gpu != "static" and t.toolchain.startswith("driver-"))
    loaded = ptxlat.load(table.gpu, sm=table.sm)
    with gzip.open(table.folder / "latency.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(loaded) == len(rows) > 1000
    wanted = [float(row["cycles"]) if row["cycles"] else math.nan for row in rows]
    assert pandas.Series(wanted).equals(loaded["cycles"].astype(float))
    found = ptxlat.lookup("fma.rn.f32", table.gpu)
    assert set(found["opt"]) == {"O0", "O1", "O2", "O3"}
    assert (found["verdict"] == "proven").all() and (found["cycles"] > 0).all()


def test_run_loads_what_the_program_made(tmp_path: Path) -> None:
    if "PTXLAT" not in os.environ and not (Path(ptxlat.__file__).parent / "bin/ptxlat").exists():
        pytest.skip("no program")
    arguments = ("--filter", "add.u32", "--filter", "popc.b32", "-O", "3")
    try:
        table = ptxlat.run(*arguments, command="static", tables=tmp_path / "kept")
    except ptxlat.ProgramError as error:
        if error.exit_code == 5:
            pytest.skip(error.message)
        raise
    assert set(table["ptx"]) == {"add.u32", "popc.b32"}
    assert set(table["gpu"]) == {"static"} and (table["static"] > 0).all()
    assert len(ptxlat.load("static", folder=tmp_path / "kept")) == len(table)


def test_run_raises_what_the_program_says() -> None:
    if "PTXLAT" not in os.environ and not (Path(ptxlat.__file__).parent / "bin/ptxlat").exists():
        pytest.skip("no program")
    with pytest.raises(ptxlat.ProgramError, match="no such target") as error:
        ptxlat.run("--target", "sm_1", command="static")
    assert error.value.exit_code == 4
    with pytest.raises(ValueError, match="does not make a table"):
        ptxlat.run(command="list")


def test_measure_gives_a_row_for_each_source_result_and_level() -> None:
    if "PTXLAT" not in os.environ and not (Path(ptxlat.__file__).parent / "bin/ptxlat").exists():
        pytest.skip("no program")
    try:
        table = ptxlat.measure("mad.lo.u32 t, a, b, c; popc.b32 d, t", "fma.rn.f32 d, a, b, c", static=True)
    except ptxlat.ProgramError as error:
        if error.exit_code == 5:
            pytest.skip(error.message)
        raise
    assert len(table) == 6 and set(table["verdict"]) == {"proven"} and (table["opt"] == 3).all()
    assert (table[table["snippet"].str.startswith("fma")]["static"] == 4).all()
    with pytest.warns(UserWarning, match="no instruction foo"):
        partly = ptxlat.measure("foo.u32 d, a", "fma.rn.f32 d, a, b, c", static=True)
    assert list(partly["verdict"]) == ["", "proven", "proven", "proven"]
    assert math.isnan(partly["static"][0]) and "no instruction foo.u32" in partly["note"][0]
    with pytest.raises(ptxlat.ProgramError, match="no instruction foo") as error:
        ptxlat.measure("foo.u32 d, a", static=True)
    assert error.value.exit_code == 2


def program_or_skip() -> None:
    if "PTXLAT" not in os.environ and not (Path(ptxlat.__file__).parent / "bin/ptxlat").exists():
        pytest.skip("no program")


def test_a_misspelt_gpu_gets_the_right_one(folder: Path) -> None:
    with pytest.raises(KeyError, match="did you mean some-gpu"):
        ptxlat.load("some-gp", folder=folder)


def test_lookup_reads_a_changed_table_again(folder: Path) -> None:
    assert list(ptxlat.lookup("add.u32", "some-gpu", "ptxas", folder=folder)["cycles"]) == [5]
    file = folder / "sm_90/some-gpu/ptxas-13.0.88/latency.csv"
    file.write_text(file.read_text().replace(",5,dependent,", ",6,dependent,"))
    os.utime(file, ns=(1, 1))
    assert list(ptxlat.lookup("add.u32", "some-gpu", "ptxas", folder=folder)["cycles"]) == [6]


def test_a_field_with_a_line_break_stays_one_field(folder: Path) -> None:
    file = folder / "sm_90/some-gpu/ptxas-13.0.88/latency.csv"
    file.write_text(f'{COLUMNS}\nadd.u32,integer,a,,O3,O3,5,,,2,IADD3,1,proven,"two\nlines"\nadd.u32,x,b,,O3,O3,7,,,2,IADD3,1,proven,\n')
    found = ptxlat.lookup("add.u32", "some-gpu", "ptxas", folder=folder)
    assert list(found["cycles"]) == [5, 7] and found["note"][0] == "two\nlines"


def test_facts_opcodes_and_pairs_of_a_committed_table() -> None:
    if not ptxlat.tables():
        pytest.skip("this package has no tables")
    facts = ptxlat.facts("nvidia-h200")
    assert (facts[facts["quantity"] == "l1.line_bytes"]["value"] == "128").all()
    opcodes = ptxlat.opcodes("nvidia-h200").set_index("opcode")
    assert opcodes.loc["FFMA", "latency"] == 4 and opcodes.loc["FFMA", "pipe"].startswith("fma")
    pairs = ptxlat.pairs("nvidia-h200")
    assert {"producer", "consumer", "schedule", "hazard"} <= set(pairs.columns) and len(pairs) > 1000
    with pytest.raises(KeyError, match="has pairs.csv"):
        ptxlat.pairs("static", sm="sm_61")


def test_show_gives_a_document_and_its_text() -> None:
    program_or_skip()
    if not ptxlat.tables():
        pytest.skip("this package has no tables")
    form = ptxlat.show("popc.b32", "nvidia-h200")
    assert form["format"] == 1 and form["shown"][0]["cells"][0]["ptx"] == "popc.b32"
    assert "POPC" in str(form) and form._repr_html_().startswith("<pre>popc.b32")
    assert ptxlat.show("FFMA", "nvidia-h200")["opcode"]["latency"] == 4
    with pytest.raises(ptxlat.ProgramError, match="did you mean fma.rn.f32"):
        ptxlat.show("fma.f32", "nvidia-h200")


def test_compare_gives_a_row_for_each_difference() -> None:
    program_or_skip()
    if not ptxlat.tables():
        pytest.skip("this package has no tables")
    rows = ptxlat.compare("sm_86@O0", "sm_86@O3")
    assert len(rows) > 100 and {"a", "b", "ptx", "cause"} <= set(rows.columns)


def test_the_module_has_a_version() -> None:
    assert ptxlat.__version__[0].isdigit()
