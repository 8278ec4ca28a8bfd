"""Rows in and out: every format, header rules, missing and bad cells, bytes that are kept, streams, and what is said when data is bad."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_cli.data.open import open_rows
from autodiff_cli.data.ragged import Ragged
from autodiff_cli.data.sweep import Sweep
from autodiff_cli.data.write import open_writer, output_format
from autodiff_cli.diagnostics import AutodiffError, Exit
from console import PEAK, ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff_cli.diagnostics import Diagnostic

NAN = float("nan")


class Drip(io.BytesIO):
    """A stdin that gives a few bytes at a time."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(7, size or 7))


def rows_of(data: bytes, used: Sequence[str] = ("x",), **options: Any) -> Any:
    return open_rows(["-"], used=used, stdin=options.pop("stream", io.BytesIO)(data), **options)


def values_of(data: bytes, used: Sequence[str] = ("x",), **options: Any) -> dict[str, list[Any]]:
    rows = rows_of(data, used, **options)
    blocks = list(rows)
    return {name: [v for block in blocks for v in block.values[name].tolist()] for name in used}


def through(data: bytes, form: str | None = None, used: Sequence[str] = ("x",), **options: Any) -> bytes:
    """What comes out with the square of the first used column as result."""
    out = io.BytesIO()
    only = options.pop("only", False)
    rows = rows_of(data, used, **options)
    header = options.get("header") is not False
    writer = open_writer(rows, ["value"], None, output_format(form, None, rows.format), only=only, header=header, stdout=out)
    try:
        for block in rows:
            column = block.values[used[0]]
            writer.write(block, {"value": np.zeros(len(column)) if isinstance(column, Ragged) else column.astype(float) ** 2})
    finally:
        writer.close()
    return out.getvalue()


def pour(rows: Any, writer: Any) -> None:
    for block in rows:
        writer.write(block, {"value": block.values["x"]})
    writer.close()


def failure(data: bytes, used: Sequence[str] = ("x",), **options: Any) -> Diagnostic:
    with pytest.raises(AutodiffError) as caught:
        through(data, used=used, **options)
    return caught.value.diagnostic


def said(diagnostic: Diagnostic) -> str:
    places = [f"{label.span.source.name}:{label.span.source.line}: {label.span.text}" for label in diagnostic.labels]
    return "\n".join([diagnostic.message, *places, *diagnostic.notes, diagnostic.hint or ""])


@pytest.mark.parametrize("stream", [io.BytesIO, Drip])
@pytest.mark.parametrize(
    ("data", "out"),
    [
        ("x,y\n2,3\n", "x,y,value\n2,3,4.0\n"),
        ("x,y\r\n2,3\r\n", "x,y,value\n2,3,4.0\n"),
        ("x\n2\n3", "x,value\n2,4.0\n3,9.0\n"),
        ('\ufeff"x","y"\n"2","3"\n', "x,y,value\n2,3,4.0\n"),
        ('note,x\n"a, ""b""\nc",2\n', 'note,x,value\n"a, ""b""\nc",2,4.0\n'),
        ('note,x\n"a\r\nb",2\r\n', 'note,x,value\n"a\r\nb",2,4.0\n'),
        ('note,x\n5" pipe,2\n6" pipe,3\n', 'note,x,value\n"5"" pipe",2,4.0\n"6"" pipe",3,9.0\n'),
        ("id,x\n123456789012345678,1\n007,NA\nNA,\n", "id,x,value\n123456789012345678,1,1.0\n007,NA,\nNA,,\n"),
        ("x,y\n1,\n2,N/A\n", "x,y,value\n1,,1.0\n2,N/A,4.0\n"),
        ("x\nnan\n-inf\nInfinity\n1e400\n", "x,value\nnan,NaN\n-inf,inf\nInfinity,inf\n1e400,inf\n"),
        ("x\n 2\n3 \n+4\n.5\n5.\n", "x,value\n 2,4.0\n3 ,9.0\n+4,16.0\n.5,0.25\n5.,25.0\n"),
        ("x,y\n1,2\n\n3,4\n\n", "x,y,value\n1,2,1.0\n3,4,9.0\n"),
        ("x\n1\n\n2\n", "x,value\n1,1.0\n,\n2,4.0\n"),
        ("1\n2\n", "x,value\n1,1.0\n2,4.0\n"),
        ("x\ty z\n2\ta b\n", "x\ty z\tvalue\n2\ta b\t4.0\n"),
        ("# from a plot\nx  y\n1   2 # here\n\n 3\t4\n", "x y value\n1 2 1.0\n3 4 9.0\n"),
        ("x\n", "x,value\n"),
        ("x", "x,value\n"),
        ("x\ntrue\nFalse\n", "x,value\ntrue,1.0\nFalse,0.0\n"),
        ("x,y\n,1\n,2\ntrue,3\n", "x,y,value\n,1,\n,2,\ntrue,3,1.0\n"),
        ("x\n0.1\n1e-5\n1e22\n", "x,value\n0.1,0.010000000000000002\n1e-5,1.0000000000000002e-10\n1e22,1e+44\n"),
    ],
)
def test_text_tables(data: str, out: str, stream: Any) -> None:
    assert through(data.encode(), stream=stream).decode() == out


@pytest.mark.parametrize("stream", [io.BytesIO, Drip])
@pytest.mark.parametrize(
    ("data", "out"),
    [
        ('{"x":1,"y":2}\n{"x":3}\n{"y":5,"x":null}\n', '{"x":1,"y":2,"value":1.0}\n{"x":3,"value":9.0}\n{"y":5,"x":null,"value":null}\n'),
        ('{"x":NaN}\n{"x":-Infinity, "s":"NaN"}\n', '{"x":"NaN","value":"NaN"}\n{"x":"-Infinity", "s":"NaN","value":"Infinity"}\n'),
        ('{"x":"NaN"}\n{"x":"-Infinity"}\n', '{"x":"NaN","value":"NaN"}\n{"x":"-Infinity","value":"Infinity"}\n'),
        ('{ "x" : 2.50, "id":123456789012345678 }\n', '{ "x" : 2.50, "id":123456789012345678,"value":6.25}\n'),
        ('{"x":1,"v":[1,2]}\r\n\n{"v":[[3]],"x":2}', '{"x":1,"v":[1,2],"value":1.0}\n{"v":[[3]],"x":2,"value":4.0}\n'),
        ('{"x":1}\n{}\n', '{"x":1,"value":1.0}\n{"value":null}\n'),
        ('{"x":true}\n{"x":false}\n', '{"x":true,"value":1.0}\n{"x":false,"value":0.0}\n'),
        ('[{"x":1},{"x":2}]', '[\n{"x":1,"value":1.0},\n{"x":2,"value":4.0}\n]\n'),
        ('[\n  {\n    "x": 1,\n    "s": "a\\nb"\n  }\n]\n', '[\n{"x": 1, "s": "a\\nb","value":1.0}\n]\n'),
        ('{\n  "x": 1\n}\n{\n  "x": 2\n}\n', '[\n{"x": 1,"value":1.0},\n{"x": 2,"value":4.0}\n]\n'),
        ("[]", "[]\n"),
    ],
)
def test_objects(data: str, out: str, stream: Any) -> None:
    found = through(data.encode(), stream=stream).decode()
    assert found == out
    json.loads(found) if out.startswith("[") else [json.loads(line) for line in found.splitlines()]


@pytest.mark.parametrize(
    ("form", "out"),
    [
        ("tsv", 'x\ts\tvalue\n2\ta,b\t4.0\n\t"q""\n"\t\ninf\t007\tinf\n'),
        ("space", 'x s value\n2 a,b 4.0\nNaN "q""\n" NaN\ninf 007 inf\n'),
        ("plain", "4.0\nNaN\ninf\n"),
        ("ndjson", '{"x":2,"s":"a,b","value":4.0}\n{"x":null,"s":"q\\"\\n","value":null}\n{"x":"Infinity","s":"007","value":"Infinity"}\n'),
        (
            "json",
            '[\n{"x":2,"s":"a,b","value":4.0},\n{"x":null,"s":"q\\"\\n","value":null},\n{"x":"Infinity","s":"007","value":"Infinity"}\n]\n',
        ),
    ],
)
def test_one_format_into_another(form: str, out: str) -> None:
    assert through(b'x,s\n2,"a,b"\n,"q""\n"\ninf,007\n', form).decode() == out


def test_objects_as_csv_keep_their_digits() -> None:
    assert through(b'{"x":1.50,"s":"a,b","v":[1,2.0]}\n{"x":2}\n', "csv") == b'x,s,v,value\n1.50,"a,b","[1,2.0]",2.25\n2,,,4.0\n'
    assert failure(b'{"x":1}\n{"x":2,"z":3}\n', form="csv").code == "new-key"


def test_only_the_results() -> None:
    assert through(b"x,y\n2,3\n,4\n", only=True) == b"value\n4.0\n\n"
    assert through(b"x,y\n2,3\n,4\n", "ndjson", only=True) == b'{"value":4.0}\n{"value":null}\n'
    assert through(b"x\n2\n", "json", only=True) == b'[\n{"value":4.0}\n]\n'


def test_no_header_on_either_side() -> None:
    assert through(b"2,3\n4,5\n", header=False, columns=["x", "y"]) == b"2,3,4.0\n4,5,16.0\n"
    assert through(b"2\n", header=False) == b"2,4.0\n"
    assert through(b"2020,2021\n1,2\n", used=("2020",), header=True) == b"2020,2021,value\n1,2,1.0\n"
    assert through(b"x;y\n2;a,b\n", delimiter=";") == b"x;y;value\n2;a,b;4.0\n"


def test_names_are_matched_as_the_language_reads_them() -> None:
    data = "µ,x₁, z \n1,2,3\n".encode()
    assert values_of(data, ("μ", "x1", "z")) == {"μ": [1], "x1": [2], "z": [3]}
    assert through(data, used=("x1",)).decode() == "µ,x₁, z ,value\n1,2,3,4.0\n"


def test_bytes_that_are_not_utf8_are_kept() -> None:
    assert through(b"x,n\xe9\n2,\xe9\xff\n") == b"x,n\xe9,value\n2,\xe9\xff,4.0\n"


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@given(
    st.lists(st.tuples(cells, st.sampled_from(["1", "2.5", "", "NA", "-3e5", "nan"]), cells), min_size=1, max_size=8),
    st.sampled_from(",;\t"),
)
def test_cells_keep_their_contents(table: list[tuple[str, str, str]], mark: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows([("a", "x", "b"), *table])
    whole, slow = (through(text.getvalue().encode(), stream=stream, delimiter=mark, form="csv") for stream in (io.BytesIO, Drip))
    assert whole == slow
    assert [tuple(row[:3]) for row in csv.reader(io.StringIO(whole.decode(), newline=""), delimiter=mark)] == [("a", "x", "b"), *table]


@given(st.lists(st.floats(), min_size=1, max_size=8))
def test_numbers_read_back_the_same(numbers: list[float]) -> None:
    out = io.BytesIO()
    sweep = Sweep({"x": numbers})
    writer = open_writer(sweep, ["value"], None, "csv", stdout=out)
    for block in sweep:
        writer.write(block, {"value": block.values["x"]})
    writer.close()
    back = values_of(out.getvalue(), ("x", "value"))
    assert np.array_equal(back["x"], numbers, equal_nan=True)
    assert np.array_equal(back["value"], numbers, equal_nan=True)


def test_a_sweep_is_the_product_of_its_axes() -> None:
    blocks = list(Sweep({"x": [1.0, 2.0], "y": [5.0, 6.0, 7.0]}))
    assert [block.values["x"].tolist() for block in blocks] == [[1, 1, 1, 2, 2, 2]]
    assert [block.values["y"].tolist() for block in blocks] == [[5, 6, 7, 5, 6, 7]]


@pytest.mark.parametrize(
    ("data", "options", "code", "parts"),
    [
        (b"xx,zz\n1,2\n", {}, "no-column", ["`x`", "`xx`, `zz`"]),
        (b"x;y\n1;2\n", {}, "no-column", ["--delimiter ';'"]),
        (b"x,y,x\n1,2,3\n", {}, "duplicate-column", ["`x`", "`x`, `y`, `x`"]),
        (b"x,y\n1,2\n3\n", {}, "ragged-row", ["1 cell", "2 columns", "stdin:3: 3"]),
        (b"x,y\n1,2\n3,4,5\n6\n", {}, "ragged-row", ["3 cells", "stdin:3: 3,4,5"]),
        (b"x,y\n1,2\n\n\nabc,4\n", {}, "not-a-number", ["`abc`", "`x`", "stdin:5: abc"]),
        (b'n,x\n"a\nb",2\n"c",oops\n', {}, "not-a-number", ["`oops`", "stdin:4: oops"]),
        (b"x y\n1 2\n# c\n\nz 3\n", {}, "not-a-number", ["`z`", "stdin:5: z"]),
        (b"x;y\n1,5;2,0\n", {"delimiter": ";"}, "not-a-number", ["`1,5`", "stdin:2: 1,5", "1.5"]),
        (b"x\n1,5\n", {}, "ragged-row", ["1.5"]),
        (b"x\n1_000\n", {}, "not-a-number", ["1_000"]),
        (b"x\ntrue\n1\n", {}, "not-a-condition", ["`1`", "stdin:3"]),
        (b"x\n1\ntrue\n", {}, "not-a-number", ["`true`", "stdin:3"]),
        (b'x,y\n1,2\n"3,4\n5,6\n', {}, "broken-row", ["quote", "stdin:3"]),
        (b"x,y\r1,2\r3,4\r", {}, "broken-row", ["carriage return", "tr"]),
        (b"", {}, "empty-input", ["`x`", "--x 1.5"]),
        (b"1,2\n", {"used": ("x", "y")}, "no-header", ["--no-header --columns x,y"]),
        (b"1,2\n", {"header": False, "columns": ["x"]}, "column-count", ["1", "2"]),
        (b'{"x":1}\n{"x":2,\n', {}, "broken-line", ["stdin:2"]),
        (b'{"x":1}\n[1]\n', {}, "broken-line", ["an array", "stdin:2: [1]"]),
        (b'{"x":1}\n{"x":"a"}\n', {}, "not-a-number", ['`"a"`', "stdin:2"]),
        (b'{"x":[1]}\n{"x":[1, "a"]}\n', {}, "not-a-number", ["holds the text `a` at [1]", 'stdin:2: [1, "a"]']),
        (b'{"x":1}\n{"x":[1,null]}\n', {}, "not-a-number", ["holds null at [1]", "stdin:2: [1,null]"]),
        (b'{"x":1}\n{"x":[[1,2],[3]]}\n', {}, "ragged-list", ["[1] has 1, [0] has 2", "stdin:2: [[1,2],[3]]", "--on-error skip"]),
        (b'{"x":[true]}\n{"x":[1]}\n', {}, "not-a-condition", ["`[1]`", "stdin:2: [1]"]),
        (b'{"x":{"y":1}}\n', {}, "not-a-number", ["stdin:1: {"]),
        (b'{"x":' + b'{"y":' * 900 + b"1" + b"}" * 901 + b"\n", {}, "not-a-number", ["…"]),
        (b'{"x":' + b"[" * 9000 + b"1" + b"]" * 9000 + b"}\n", {}, "broken-line", ["nested too deeply"]),
        (b'{"xx":1}\n{"xx":2}\n', {}, "no-column", ["`xx`"]),
        (b'[{"x":1},\n{"x":}]', {}, "broken-json", ["line 2"]),
        (b'[{"x":1}', {}, "broken-json", ["]"]),
        (b"\xff\xfex\x00\n\x00", {}, "utf-16", ["iconv"]),
        (b"PK\x03\x04....", {}, "zip", ["npz"]),
        (gzip.compress(b"x\n" + b"1\n" * 9, mtime=0)[:-9], {}, "broken-file", ["gzip", "cut off"]),
        (b"\x1f\x8bxxxxxxxxxxxxxxxxxx", {}, "broken-file", ["gzip"]),
        (b"PAR1xxxxPAR", {}, "broken-file", ["stdin"]),
        (b"value,x\n1,2\n", {}, "column-taken", ["`value`", "--name g --prefix dg_"]),
        (b'{"x":1}\n{"x":1,"value":2}\n', {}, "column-taken", ["stdin:2", "--name g --prefix dg_"]),
        (b"x\n1\n", {"format": "jason"}, "format", ["`jason`", "json"]),
    ],
)
def test_bad_data_is_named(data: bytes, options: dict[str, Any], code: str, parts: list[str]) -> None:
    found = failure(data, **options)
    assert found.code == code
    assert found.exit == (Exit.USAGE if code in {"empty-input", "format"} else Exit.DATA)
    assert not [part for part in parts if part not in said(found)], said(found)


BAD = b"x,y\n1,2\noops,3\n4\n5,6\n"


def test_rows_before_a_bad_one_have_been_delivered() -> None:
    rows = rows_of(BAD)
    block = next(iter(rows))
    assert block.values["x"].tolist() == [1]
    with pytest.raises(AutodiffError, match="oops"):
        next(iter(rows))


def test_bad_rows_can_be_left_out_or_left_empty() -> None:
    assert through(BAD, on_error="skip") == b"x,y,value\n1,2,1.0\n5,6,25.0\n"
    assert through(BAD, on_error="null") == b"x,y,value\n1,2,1.0\noops,3,\n4,,\n5,6,25.0\n"
    rows = rows_of(BAD, on_error="skip")
    places = [str(block.place(row)) for block in rows for row in range(block.count)]
    assert rows.bad == 2
    assert rows.first is not None
    assert "oops" in str(rows.first)
    assert places == ["stdin, line 2", "stdin, line 5"]
    assert through(b'{"x":1}\n{"x":\n7\n', on_error="null") == b'{"x":1,"value":1.0}\n{"value":null}\n{"value":null}\n'


def test_groups_are_made_of_texts() -> None:
    rows = rows_of(b"site,x\n007,1\n,2\n", ("x",))
    assert [block.texts(rows.place("site")) for block in rows] == [["007", ""]]
    with pytest.raises(AutodiffError, match="sight"):
        rows.place("sight")


FRAME = pl.DataFrame({"id": [123456789012345678, 2], "x": [1.5, None], "s": ["a", None]})


@pytest.mark.parametrize("form", ["parquet", "arrow", "npy"])
@pytest.mark.parametrize("piped", ["", "piped"])
def test_tables_with_types(form: str, piped: str, tmp_path: Path) -> None:
    path, out = str(tmp_path / f"t.{form}"), str(tmp_path / f"out.{form}")
    if form == "npy":
        np.save(path, np.array([[1.0, 1.5], [2.0, NAN]]))
    else:
        FRAME.write_parquet(path) if form == "parquet" else FRAME.write_ipc(path)
    columns = ["id", "x"] if form == "npy" else None
    with open(path, "rb") as stdin:
        rows = open_rows(["-" if piped else path], used=["x"], columns=columns, stdin=io.BytesIO(stdin.read()))
    assert bool(rows.notes) == bool(piped and form != "npy")
    writer = open_writer(rows, ["value"], out, form)
    for block in rows:
        writer.write(block, {"value": block.values["x"] ** 2})
    writer.close()
    rows.close()
    if form == "npy":
        assert np.array_equal(np.load(out), [[1, 1.5, 2.25], [2, NAN, NAN]], equal_nan=True)
    else:
        back = pl.read_parquet(out) if form == "parquet" else pl.read_ipc(out)
        assert back.to_dicts() == [
            {"id": 123456789012345678, "x": 1.5, "s": "a", "value": 2.25},
            {"id": 2, "x": None, "s": None, "value": None},
        ]
    assert sorted(os.listdir(tmp_path)) == sorted({f"t.{form}", f"out.{form}"})


def test_text_columns_of_a_typed_table_are_no_numbers(tmp_path: Path) -> None:
    path = str(tmp_path / "t.parquet")
    FRAME.write_parquet(path)
    with pytest.raises(AutodiffError, match=r"`s`.*String"):
        open_rows([path], used=["s"])


def test_csv_as_parquet_has_numbers_where_they_are_used(tmp_path: Path) -> None:
    out = str(tmp_path / "out.parquet")
    rows = rows_of(b"id,x\n007,1\n8,NA\n")
    writer = open_writer(rows, ["value"], out, "parquet")
    pour(rows, writer)
    assert pl.read_parquet(out).to_dicts() == [{"id": "007", "x": 1.0, "value": 1.0}, {"id": "8", "x": None, "value": None}]


def test_python_objects_are_never_unpickled(tmp_path: Path) -> None:
    path = str(tmp_path / "o.npy")
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(AutodiffError, match="never unpickled"):
        open_rows([path], used=["x"])


def test_a_truncated_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAME.write_parquet(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(AutodiffError, match=r"t\.parquet") as caught:
        list(open_rows([str(path)], used=["x"]))
    assert caught.value.diagnostic.exit == Exit.DATA


def test_files_globs_and_packed_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x,y\n1,2\n")
    (tmp_path / "b.csv").write_bytes(b"x,y\n3,4\n")
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(b"x,y\n5,6\n") + gzip.compress(b"7,8\n"))
    rows = open_rows([str(tmp_path / "*.csv*")], used=["x"])
    assert [v for block in rows for v in block.values["x"]] == [1, 3, 5, 7]


@pytest.mark.parametrize(
    ("names", "code", "part"),
    [
        (["a.csv", "other.csv"], "unlike-columns", "`x`, `z`"),
        (["folder"], "directory", "folder/*.csv"),
        (["a.cvs"], "no-file", "a.csv"),
        (["*.tsv"], "no-file", "*.tsv"),
        (["empty.csv"], "empty-input", "empty.csv"),
    ],
)
def test_bad_sources(names: list[str], code: str, part: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x,y\n1,2\n")
    (tmp_path / "other.csv").write_bytes(b"x,z\n3,4\n")
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(AutodiffError) as caught:
        list(open_rows([str(tmp_path / name) for name in names], used=["x"]))
    assert caught.value.diagnostic.code == code
    assert part in said(caught.value.diagnostic)
    assert caught.value.diagnostic.exit == Exit.DATA


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    rows = rows_of(BAD)
    writer = open_writer(rows, ["value"], str(out))
    with pytest.raises(AutodiffError):
        pour(rows, writer)
    writer.abort()
    assert not list(tmp_path.iterdir())


def test_the_output_is_no_input(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x\n1\n")
    with pytest.raises(AutodiffError, match="one of the inputs"):
        open_writer(open_rows([str(path)], used=["x"]), ["value"], str(path))
    assert path.read_bytes() == b"x\n1\n"


@pytest.mark.parametrize("form", ["csv", "parquet", "npy"])
def test_a_full_disk(form: str) -> None:
    rows = rows_of(b"x\n" + b"1\n" * 9)
    writer = open_writer(rows, ["value"], "/dev/full", form)
    with pytest.raises(AutodiffError, match="cannot be written"):
        pour(rows, writer)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed_output(suffix: str, tmp_path: Path) -> None:
    path = str(tmp_path / f"out.csv{suffix}")
    rows = rows_of(b"x\n1\n")
    writer = open_writer(rows, ["value"], path, output_format(None, path, "ndjson"))
    for block in rows:
        writer.write(block, {"value": 2})
    writer.close()
    assert Path(path).read_bytes()[:2] in {b"\x1f\x8b", b"\x28\xb5"}
    again = open_rows([path], used=["value"])
    assert again.columns == ("x", "value")
    assert [v for block in again for v in block.values["value"]] == [2]


@pytest.mark.parametrize(("keep", "message"), [(None, None), (-20, "cut off")])
def test_zstd_on_stdin(keep: int | None, message: str | None) -> None:
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    numbers = b"".join(b"%d\n" % (k * 7919 % 10_007) for k in range(5000))
    data = zstd.compress(b"x\n") + zstd.compress(numbers)[:keep]
    if message is None:
        assert len(values_of(data)["x"]) == 5000
    else:
        assert message in said(failure(data))


def test_the_format_of_the_output() -> None:
    assert output_format(None, None, "ndjson") == "ndjson"
    assert output_format(None, "-", "parquet") == "csv"
    assert output_format("json", "a.csv", "csv") == "json"
    assert output_format(None, "a.parquet", "csv") == "parquet"
    with pytest.raises(AutodiffError, match="does not say"):
        output_format(None, "a.xyz", "csv")


PROGRAM = f"""
{PEAK}
import sys
from autodiff_cli.data.open import open_rows
from autodiff_cli.data.write import open_writer
try:
    rows = open_rows(["-"], used=["x"])
    writer = open_writer(rows, ["value"], None, rows.format)
    for block in rows:
        writer.write(block, {{"value": block.values["x"] ** 2}})
    writer.close()
except BrokenPipeError:
    pass
if len(sys.argv) > 1:
    print(peak(), file=sys.stderr)
"""


def start(*arguments: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=env)


def test_a_slow_producer_is_answered_row_by_row() -> None:
    with start() as process:
        assert process.stdin
        assert process.stdout
        for sent, back in [(b"x\n1\n", b"x,value\n1,1.0\n"), (b"2\n", b"2,4.0\n"), (b"3\n4\n", b"3,9.0\n4,16.0\n")]:
            process.stdin.write(sent)
            process.stdin.flush()
            assert b"".join(process.stdout.readline() for _ in range(back.count(b"\n"))) == back
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait() == 0


def test_a_reader_that_leaves_ends_it() -> None:
    with start() as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"x\n1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"x,value\n"
        process.stdout.close()
        with pytest.raises(BrokenPipeError):
            _write_on(process.stdin)
        assert process.wait() == 0
        assert process.stderr.read() == b""


def _write_on(stream: Any) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        stream.write(b"1\n" * 1000)
        stream.flush()


def test_memory_does_not_grow_with_the_rows() -> None:
    with start("memory") as process:
        assert process.stdin
        assert process.stderr
        assert process.stdout
        count = _drain(process)
        process.stdin.write(b"x\n")
        for _ in range(300):
            process.stdin.write(b"1.25\n" * 10_000)
        process.stdin.close()
        assert int(process.stderr.read()) < 300
        assert count() == 3_000_001


def _drain(process: subprocess.Popen[bytes]) -> Any:
    from threading import Thread

    lines: list[int] = []

    def run() -> None:
        assert process.stdout
        while data := process.stdout.read(1 << 16):
            lines.append(data.count(b"\n"))

    thread = Thread(target=run)
    thread.start()

    def count() -> int:
        thread.join()
        return sum(lines)

    return count
