"""Rows as a process: streams, signals, terminals, memory; the data's row cases; results over rows against those of points."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console import PEAK, ROOT, Outcome, autodiff, shell, start

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = {case["id"]: case for case in map(json.loads, (Path(__file__).parent / "data" / "cases.jsonl").read_text().splitlines())}
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
WATCHED = f"""
{PEAK}
import sys
from autodiff_cli.cli.main import main
code = main(sys.argv[1:])
print(peak(), file=sys.stderr)
sys.exit(code)
"""


def table(text: str) -> list[dict[str, float]]:
    """The rows of a csv of numbers."""
    return [{name: float(cell or "nan") for name, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]


# --- streams -----------------------------------------------------------------------------------------------


def test_a_slow_producer_is_answered_row_by_row() -> None:
    with start("grad", "x**2") as process:
        assert process.stdin
        assert process.stdout
        for sent, back in [(b"x\n1\n", b"x,value,d_x\n1,1.0,2.0\n"), (b"2\n", b"2,4.0,4.0\n"), (b"3\n4\n", b"3,9.0,6.0\n4,16.0,8.0\n")]:
            process.stdin.write(sent)
            assert b"".join([process.stdout.readline() for _ in range(back.count(b"\n"))]) == back
        process.stdin.close()
        assert process.wait() == 0


def test_whoever_waits_is_told() -> None:
    with start("eval", "x*y") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        assert process.stderr.readline() == b"note[waiting]: waiting for x, y on stdin\n"
        process.stdin.write(b"x,y\n1,2\n")
        process.stdin.close()
        assert process.stdout.read() == b"x,y,value\n1,2,2.0\n"
        assert process.stderr.read() == b""


def test_a_reader_that_leaves_is_a_quiet_end() -> None:
    done = shell("yes 1 | autodiff grad 'x**2' | head -3; echo ${PIPESTATUS[1]}")
    assert done == Outcome("x,value,d_x\n1,1.0,2.0\n1,1.0,2.0\n0\n", "", 0)


@pytest.mark.parametrize("where", ["stdout", "file"])
def test_ctrl_c_leaves_what_is_done(where: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with start("grad", "x**2", *(["-o", str(out)] if where == "file" else [])) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"x\n1\n")
        if where == "stdout":
            assert process.stdout.readline() + process.stdout.readline() == b"x,value,d_x\n1,1.0,2.0\n"
        else:
            while not sum(path.stat().st_size for path in tmp_path.iterdir()):
                time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


def test_rows_before_a_bad_one_are_there() -> None:
    done = autodiff("eval", "x", stdin="x\n1\n2\nthree\n4\n")
    assert done.out == "x,value\n1,1.0\n2,2.0\n"
    assert done.code == 4


def test_nothing_is_left_of_a_file_that_was_promised_whole(tmp_path: Path) -> None:
    assert autodiff("eval", "x", "-o", str(tmp_path / "out.csv"), stdin="x\n1\nthree\n").code == 4
    assert list(tmp_path.iterdir()) == []


def test_memory_does_not_grow_with_the_rows() -> None:
    count = 2_000_000
    line = f"(echo x,y; yes 1.25,2.5 | head -n {count}) | \"$PYTHON\" -c '{WATCHED}' grad 'sin(x*y)*exp(-x**2)' | wc -l"
    done = shell(line)
    assert int(done.out) == count + 1
    assert int(done.err) < 300


# --- terminals ---------------------------------------------------------------------------------------------


def on_terminal(line: str) -> str:
    """What a line of bash shows on a terminal that is both its stdout and its stderr."""
    leader, follower = pty.openpty()
    text = f'autodiff() {{ "{sys.executable}" -m autodiff_cli "$@"; }}\n{line}\n'
    with subprocess.Popen(["bash", "-c", text], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower, env=ENV) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                more = os.read(leader, 65536)
            except OSError:
                break
            if not more:
                break
            shown += more
        process.wait()
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


def test_rows_on_a_terminal_are_aligned() -> None:
    shown = on_terminal("printf 'name,x\\na,2\\nlonger,-3.25\\n' | autodiff grad 'x/3'")
    assert (
        shown
        == (
            "name        x            value             d_x\na           2   0.666666666667  0.333333333333\nlonger  -3.25  -1.08333333333   0.333333333333\n"
        )
        or shown.split() == "name x value d_x a 2 0.666666666667 0.333333333333 longer -3.25 -1.08333333333 0.333333333333".split()
    )
    assert len({len(line) for line in shown.splitlines()}) == 1


def test_cells_cannot_write_to_the_terminal() -> None:
    assert "\x1b" not in on_terminal("printf 'name,x\\n\\033[31mred,2\\n' | autodiff eval x --data -")


def test_progress_is_shown_on_a_terminal_while_rows_go_elsewhere() -> None:
    leader, follower = pty.openpty()
    with start("eval", "x**2", stdout=subprocess.DEVNULL, stderr=follower) as process:
        os.close(follower)
        assert process.stdin
        process.stdin.write(b"x\n")
        while not select.select([leader], [], [], 0.1)[0]:
            process.stdin.write(b"1\n")
        process.stdin.close()
        shown = b""
        while not shown.endswith(b"\r\x1b[K"):
            shown += os.read(leader, 65536)
    os.close(leader)
    assert re.fullmatch(rb"(\r[\d,]+ rows  [\d,]+ rows/s\x1b\[K)+\r\x1b\[K", shown)


def test_binary_formats_are_not_written_to_a_terminal() -> None:
    assert "parquet is not written to a terminal" in on_terminal("autodiff eval 'x**2' --sweep x=1,2 --format parquet --color never")


# --- the data's cases --------------------------------------------------------------------------------------

ROWS: dict[str, Callable[[Outcome], bool]] = {
    "decimal-comma-locale": lambda done: done.code == 4 and "`1,5` in column `x`" in done.err and "stdin:2:1" in done.err,
    "stderr-separate-from-stdout": lambda done: done == Outcome("x,value,d_x\n0,-inf,inf\n1,0.0,1.0\n", "", 0),
    "deterministic-column-order": lambda done: done.out == "value,d_z,d_y,d_x\n7.0,2.0,3.0,1.0\n",
    "csv-quoted-newline-and-comma": lambda done: done.out == 'note,x,value,d_x\n"a, ""b""\nc",2,4.0,4.0\n',
    "csv-crlf": lambda done: done.out == "x,y,value,d_x,d_y\n2,3,6.0,3.0,2.0\n",
    "broken-pipe-head": lambda done: done == Outcome("x,value,d_x\n1,1.0,2.0\n", "", 0),
    "ndjson-nan-token": lambda done: [json.loads(line)["value"] for line in done.out.splitlines()] == ["NaN", "Infinity"],
    "ndjson-missing-key-null": lambda done: (
        [json.loads(line)["value"] for line in done.out.splitlines()] == [2.0, None, None] and "2 rows have no value for `y`" in done.err
    ),
    "npy-pickled-object-refused": lambda done: done.code == 4 and done.out == "" and "pickled objects" in done.err,
    "csv-header-with-spaces": lambda done: done.out == "Mean Power (MW),t,value,d_Mean Power (MW),d_t\n2,3,6.0,3.0,2.0\n",
    "csv-duplicate-header": lambda done: done.code == 4 and "several columns called `x`" in done.err,
    "csv-bom-quoted-header": lambda done: done.out == "x,y,value,d_x,d_y\n2,3,6.0,3.0,2.0\n",
    "csv-missing-final-newline": lambda done: done.out == "x,value,d_x\n2,4.0,4.0\n3,9.0,6.0\n",
    "million-row-csv-constant-memory": lambda done: done == Outcome("1000000,1000000000000.0,2000000.0\n", "", 0),
    "many-rows-compile-once": lambda done: done == Outcome("", "", 0),
    "rows-do-not-accumulate": lambda done: done.out == "a,b,value,d_a,d_b\n3,2,18.0,12.0,9.0\n1,5,5.0,10.0,1.0\n",
}


@pytest.mark.parametrize("name", ROWS)
def test_row_cases(name: str) -> None:
    line = CASES[name]["expr"].replace("python3 -c", '"$PYTHON" -c')
    assert ROWS[name](shell(line)), shell(line)


def test_every_row_case_is_a_test() -> None:
    piped = {name for name, case in CASES.items() if case.get("shell") and "| autodiff" in case["expr"]}
    elsewhere = {"ctrl-c-is-quiet", "wide-input-gradient-linear-time"}
    assert piped - set(ROWS) <= elsewhere


def test_columns_do_not_depend_on_the_hash_seed() -> None:
    line = CASES["deterministic-column-order"]["expr"]
    assert {shell(line, PYTHONHASHSEED=seed).out for seed in "123"} == {"value,d_z,d_y,d_x\n7.0,2.0,3.0,1.0\n"}


# --- what is computed --------------------------------------------------------------------------------------

TEXTS = [
    "x*y + x**2",
    "sin(x*y)*exp(-x**2)",
    "max(x, y)**2",
    "x**2 if x > y else y",
    "log(x)/y",
    "sum([x, y, 2]**2)",
    "[x, y, 1][argmax([x, y])]",
]
floats = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@given(st.sampled_from(TEXTS), st.lists(st.tuples(floats, floats), min_size=1, max_size=5))
def test_a_row_is_a_point(text: str, rows: list[tuple[float, float]]) -> None:
    """Each row gives what the point gives, up to a few units in the last place."""
    data = "x,y\n" + "".join([f"{x},{y}\n" for x, y in rows])
    found = table(autodiff("grad", text, "--only", "-q", "--name", "value", stdin=data).out)
    for (x, y), row in zip(rows, found, strict=True):
        point = table(autodiff("grad", text, f"x={x}", f"y={y}", "-q", "--csv").out)[0]
        assert row.keys() == point.keys()
        for name, number in row.items():
            other = point[name]
            assert math.isclose(number, other, rel_tol=1e-13, abs_tol=1e-300) or (math.isnan(number) and math.isnan(other)), name


PERHAPS: dict[str, tuple[str, tuple[str, ...], list[dict[str, Any]]]] = {  # programs with names that need no value, what else is typed, and rows that have columns for them
    "a default": ("def f(x, y=2):\n    return x*y", ("--call", "f"), [{"x": 3.0, "y": 4.0}, {"x": 1.0, "y": -1.0}]),
    "only defaults": ("def f(x=1, y=2):\n    return x*y", ("--call", "f"), [{"x": 3.0, "y": 4.0}]),
    "one branch": ("if x > 0:\n    z = 2*x\nz", (), [{"x": -1.0, "z": 5.0}, {"x": 2.0, "z": 5.0}]),
    "two names": ("if x > 0:\n    z = 2*x\n    w = x\nz*w", (), [{"x": -1.0, "z": 5.0, "w": 3.0}, {"x": 2.0, "z": 5.0, "w": 3.0}]),
    "a while": ("while x > 1:\n    z = x\n    x = x/2\nx + z", (), [{"x": 0.5, "z": 5.0}, {"x": 5.0, "z": 5.0}]),
    "one branch, arrays": ("t = sum(v)\nif x > 0:\n    z = 2*x\nt*z", (), [{"v": [1.0, 2.0], "x": -1.0, "z": 5.0}, {"v": [3.0], "x": 2.0, "z": 5.0}]),
    "a column that is always set": ("t = sum(v)\nif x > 0:\n    z = 2*x\nelse:\n    z = x\nt*z", (), [{"v": [1.0, 2.0], "x": -1.0}]),
    "a function of arrays": (
        "def f(u):\n    if len(u) == 1:\n        return u[0]\n    return u[0] + x*f(u[1:])\nif x > 0:\n    z = 2*x\nf(v) + z", (),
        [{"v": [1.0, 2.0], "x": -1.0, "z": 5.0}, {"v": [3.0], "x": 2.0, "z": 5.0}],
    ),
    "no turn": ("t = x\nfor k in range(n):\n    t += s*x\nt", ("n=0",), [{"x": 1.0, "s": 2.0}]),
    "some turns": ("t = x\nfor k in range(n):\n    t += s*x\nt", ("n=2",), [{"x": 1.0, "s": 2.0}]),
}  # fmt: skip


SWEPT = [name for name, (_, _, rows) in PERHAPS.items() if "v" not in rows[0]]  # an axis is of numbers


@pytest.mark.parametrize(("name", "source"), [*[(name, "rows") for name in PERHAPS], *[(name, "sweep") for name in SWEPT]])
def test_a_column_is_what_a_value_is(name: str, source: str, tmp_path: Path) -> None:
    """A name that needs no value has one where a column is called so, as at a point; also where `--wrt` names it."""
    text, words, rows = PERHAPS[name]
    (file := tmp_path / "rows.ndjson").write_text("".join([json.dumps(row) + "\n" for row in rows]))
    for k, row in enumerate(rows):
        given = [f"{name}={json.dumps(value)}" for name, value in row.items()]
        data = ["--data", str(file)] if source == "rows" else [word for axis in given for word in ("--sweep", axis)]
        for wrt in [(), *[("--wrt", name) for name in row]]:
            point = json.loads(autodiff("grad", text, *words, *given, *wrt, "--json").out)
            done = autodiff("grad", text, *words, *data, *wrt, "--only", "--ndjson")
            expected = {"value": point["value"]} | {f"d_{name}": slope for name, slope in point["gradient"].items()}
            assert list(json.loads(done.out.splitlines()[k if source == "rows" else 0]).items()) == list(expected.items())


def test_a_sum_over_rows_is_pairwise() -> None:
    """Summed one after the other, a million tenths are off by 1e-6."""
    data = "x\n" + "0.1\n" * 1_000_000
    assert abs(float(autodiff("eval", "x", "--reduce", "sum", "--data", "-", stdin=data).out) - 100_000) < 1e-9


def test_a_sum_of_groups_is_that_of_their_rows() -> None:
    rows = [(k % 7, 0.1 * k) for k in range(300_000)]
    data = "g,x\n" + "".join([f"{g},{x!r}\n" for g, x in rows])
    found = table(autodiff("grad", "a*x", "--a", "1", "--reduce", "sum", "--by", "g", stdin=data).out)
    for row in found:
        exact = math.fsum([x for g, x in rows if g == row["g"]])
        assert math.isclose(row["value"], exact, rel_tol=1e-14)
        assert row["d_a"] == row["value"]


def test_causes_and_kinks_are_counted_over_all_blocks() -> None:
    xs = [(-1) ** k * (k % 5) for k in range(200_000)]
    data = "x\n" + "".join([f"{x}\n" for x in xs])
    done = autodiff("grad", "sqrt(x) + abs(x) + relu(x)", "--only", stdin=data)
    negative, zero = sum(x < 0 for x in xs), sum(x == 0 for x in xs)
    assert f"`value` and `d_x` are not finite in {negative:,} rows: it began in `sqrt(x)`" in done.err
    assert f"`d_x` is not finite in {zero:,} rows: it began in the derivative of `sqrt(x)`" in done.err
    assert done.err.count("warning[not-finite]") == 2
    assert "note: first in stdin, line 2\n" in done.err
    kinks = autodiff("grad", "abs(x) + 0*relu(x) if x > -3 else 1", "--only", stdin=data)
    assert f"note[kink]: {zero:,} rows are on a kink" in kinks.err
    assert f"note[jump]: {sum(x == -3 for x in xs):,} rows are on a jump" in kinks.err


def test_a_kink_in_a_branch_that_is_not_taken_is_none() -> None:
    assert "kink" not in autodiff("grad", "abs(x) if y > 0 else y", stdin="x,y\n0,-1\n0,-2\n").err
    assert "1 row is on a kink" in autodiff("grad", "abs(x) if y > 0 else y", stdin="x,y\n0,-1\n0,2\n").err


def test_quiet_is_quiet() -> None:
    assert autodiff("grad", "log(abs(x))", "-q", "--on-error", "skip", stdin="x\n0\nfoo\n\n1\n").err == ""


def test_many_files_and_packed_ones(tmp_path: Path) -> None:
    for k in range(3):
        assert autodiff("eval", "x", "--sweep", f"x={k}", "-o", str(tmp_path / f"{k}.csv{'.gz' * (k % 2)}")).code == 0
    done = autodiff("eval", "x + value", "--name", "z", "--only", "--data", str(tmp_path / "*"))
    assert done.out == "z\n0.0\n2.0\n4.0\n"


def test_rows_start_no_slower_than_they_must() -> None:
    """A point in a pipe loads nothing for rows."""
    code = "import sys; from autodiff_cli.cli.main import main; main(); sys.stderr.write(' '.join(sys.modules))"
    for words in (("eval", "h = 2*pi; h**2"), ("grad", "x**2", "x=3"), ("eval", "sum(k for k in range(3))")):
        done = subprocess.run([sys.executable, "-c", code, *words], env=ENV, input=b"x\n1\n", capture_output=True, check=True)
        assert b"polars" not in done.stderr, words
