"""Rows whose cells are arrays: how they are kept, which names they fill, and that each row is answered as a point would be."""

from __future__ import annotations

import io
import json
import math
import re
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_cli.data.jsonvalues import column, vectors
from autodiff_cli.data.nested import texts
from autodiff_cli.data.open import open_rows
from autodiff_cli.data.ragged import Ragged, joined
from autodiff_cli.diagnostics import Source
from autodiff_cli.lower.outside import defaulted, outside
from autodiff_cli.optimise.shapes import Group, ShapesLoss
from autodiff_cli.rowwise.groups import by_shape, parts, together
from autodiff_cli.syntax import parse
from console import PEAK, ROOT, autodiff, shell, start

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

CASES = {case["id"]: case for case in map(json.loads, (ROOT / "tests/data/cases.jsonl").read_text(encoding="utf-8").splitlines())}
WIDE = f"""
{PEAK}
import sys, time
start = time.process_time()
from autodiff_cli.cli.main import main
code = main(sys.argv[1:])
print(peak(), time.process_time() - start, file=sys.stderr)
sys.exit(code)
"""


class Drip(io.BytesIO):
    """A stream that gives one line at a time."""

    def read(self, size: int | None = -1) -> bytes:  # noqa: ARG002 (as files have it)
        return self.readline()


def lines(rows: Sequence[dict[str, Any]]) -> str:
    return "".join([json.dumps(row) + "\n" for row in rows])


def found(*words: str, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that come out."""
    return [json.loads(line) for line in autodiff(*words, stdin=lines(rows)).out.splitlines()]


# --- columns of arrays -------------------------------------------------------------------------------------


def test_cells_keep_their_shapes() -> None:
    cells = Ragged.of([np.ones((2, 2)), 3.0, np.arange(3.0), np.empty((0, 4))])
    assert [np.shape(cell) for cell in cells] == [(2, 2), (), (3,), (0, 4)]
    assert [np.shape(cell) for cell in cells[np.array([2, 0])]] == [(3,), (2, 2)]
    assert cells.cell(1) == 3.0


def test_empty_cells_are_of_the_kind_that_comes_later() -> None:
    rows = lines([{"v": []}, {"v": []}]).encode() + b'{"v":[true,false]}\n'
    assert found("eval", "any(v)", "--only", rows=[{"v": []}, {"v": [False, True]}]) == [{"value": 0.0}, {"value": 1.0}]
    blocks = list(open_rows(["-"], used=("v",), stdin=Drip(rows)))
    assert [column.values["v"].dtype for column in blocks] == [bool] * len(blocks)


def test_cells_of_one_shape_are_an_array() -> None:
    cells = Ragged.vectors(np.arange(7.0), np.array([2, 3, 2]))
    assert cells[np.array([0, 2])].dense().tolist() == [[0.0, 1.0], [5.0, 6.0]]
    assert cells[1:2].dense().tolist() == [[2.0, 3.0, 4.0]]


def test_columns_are_joined_whatever_they_hold() -> None:
    assert joined([np.arange(2.0), np.ones(1)]).tolist() == [0.0, 1.0, 1.0]
    both = joined([np.arange(2.0), Ragged.of([np.ones(2)])])
    assert [np.shape(cell) for cell in both] == [(), (), (2,)]


@given(st.lists(st.lists(st.integers(-5, 5).map(float), max_size=4), min_size=1, max_size=6))
def test_lists_are_read_alike_by_both_readers(rows: list[list[float]]) -> None:
    fast, slow = vectors(pl.Series(rows, dtype=pl.List(pl.Float64)), "real"), column(list(rows), "real")
    assert fast is not None
    assert [cell.tolist() for cell in fast.values] == [cell.tolist() for cell in slow.values] == rows


def test_blocks_read_at_once_are_those_read_line_by_line() -> None:
    """The first block of lists is read by json, the next ones by polars; both give the same cells."""
    rows = [{"v": [k, k + 0.5][: 1 + k % 2], "k": k} for k in range(300_000)]
    blocks = list(open_rows(["-"], used=("v", "k"), stdin=io.BytesIO(lines(rows).encode())))
    assert len(blocks) > 1
    cells = [cell.tolist() for block in blocks for cell in block.values["v"]]
    assert cells == [row["v"] for row in rows]


@pytest.mark.parametrize(
    ("values", "shapes", "bad"),
    [
        ([[1, 2], 3, None, [[1], [2]]], [(2,), (), (0,), (2, 1)], []),
        ([[1, "NaN"], ["x"], [None], [{}], [[1], 2], [[1, 2], [3]]], [(2,), *[(0,)] * 5], [1, 2, 3, 4, 5]),
        ([[True, False], [True], []], [(2,), (1,), (0,)], []),
        ([[True], [1], "x"], [(1,), (0,), (0,)], [1, 2]),
        ([[1], [True], True], [(1,), (0,), (0,)], [1, 2]),
        ([[10**400], [-(10**400)]], [(1,), (1,)], []),
    ],
)
def test_cells_of_json(values: list[Any], shapes: list[tuple[int, ...]], bad: list[int]) -> None:
    cells = column(values, None)
    assert [np.shape(cell) for cell in cells.values] == shapes
    assert ([] if cells.bad is None else np.flatnonzero(cells.bad).tolist()) == bad


@given(st.lists(st.sampled_from([(), (2,), (3,), (2, 2)]), min_size=1, max_size=20))
def test_rows_of_a_shape_run_together_and_come_back_in_order(shapes: list[tuple[int, ...]]) -> None:
    cells = [np.full(shape, k, float) for k, shape in enumerate(shapes)]
    rows = lines([{"v": cell.tolist(), "k": k} for k, cell in enumerate(cells)])
    (block,) = open_rows(["-"], used=("v", "k"), stdin=io.BytesIO(rows.encode()))
    made = list(parts(block, ("v", "k")))
    assert len({part.shapes for part in made}) == len(made) == len(set(shapes))
    back = together([(part.rows, part.block.count, {"f": 2 * part.columns["v"]}) for part in made], ["f"], len(shapes))
    assert [np.asarray(cell).tolist() for cell in back["f"]] == [(2 * cell).tolist() for cell in cells]


def test_missing_rows_are_in_no_part() -> None:
    rows = Ragged.of([np.ones(2), np.ones(3), np.ones(2)])
    assert [part.tolist() for part in by_shape([rows], np.array([True, False, False]))] == [[1], [2]]


def test_arrays_are_written_as_nested_lists() -> None:
    cells = Ragged.of([np.array([[1.0, np.nan], [np.inf, -0.5]]), np.empty((2, 0)), 2.5])
    assert texts(cells, None).to_list() == ['[[1.0,"NaN"],["Infinity",-0.5]]', "[[],[]]", "2.5"]
    assert texts(np.arange(4.0).reshape(2, 1, 2), np.array([False, True])).to_list() == ["[[0.0,1.0]]", "null"]
    assert texts(np.broadcast_to(np.ones(2), (3, 2)), None).to_list() == ["[1.0,1.0]"] * 3


# --- names without shapes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("sum(v**2) + k", ["v", "k"]),
        ("x = 2*x; x + y", ["x", "y"]),
        ("s = 0\nfor r in M:\n    s += sum(r)*w\ns", ["M", "w"]),
        ("def f(a):\n    b = a*c\n    return b\ndef g(q):\n    return q\nf(v)", ["v", "c"]),
        ("[a*k for a in v if a > t]", ["v", "t", "k"]),
        ("sum(pi*x, axis=n) + np.e", ["x", "n"]),
        ('col("a b") + gamma(gamma)', ["a b", "gamma"]),
        ("v.T @ W.shape[0] + v[i:j, None]", ["v", "W", "i", "j"]),
        ("a = b if c else d\ngrad(a*z, z)", ["c", "b", "d", "z"]),
    ],
)
def test_what_a_program_reads_from_outside(text: str, names: list[str]) -> None:
    assert sorted(outside(parse(Source("expression", text)), ()).free) == sorted(names)


def test_a_function_that_is_called_reads_its_parameters() -> None:
    tree = parse(Source("expression", "def f(v, w=2, k=1):\n    b = v*c*k\n    return b@w"))
    assert list(outside(tree, {"k"}, "f").free) == ["v", "k", "c"]
    assert defaulted(tree, "f") == ("w", "k")
    assert defaulted(tree, "g") == ()
    assert defaulted(parse(Source("expression", "def g(x):\n    return x\ndef f(v, h=g, k=sin, w=[1, 2]):\n    return w")), "f") == ("w",)


def test_a_constant_with_a_value_is_a_variable() -> None:
    assert list(outside(parse(Source("expression", "e*v")), {"e"}).free) == ["e", "v"]


# --- each row is a point -----------------------------------------------------------------------------------

TEXTS = [
    "sum(v**2)*k",
    "mean(tanh(v)) + k",
    "k*norm(v)",
    "prod(v)**k",
    "max(v, k)[0] if len(v) > 1 else k",
    "sum(where(v > k, v**3, 0))",
    "v[-1]*k",
    "t = sum(v)\nfor i in range(1, len(v)):\n    t += k*t\nt",
    "if len(v) > 1:\n    return_ = k*sum(v)\nelse:\n    return_ = 1\nreturn_",
    "def f(u):\n    if len(u) == 1:\n        return sum(u)\n    return sum(u[0]) + k*f(u[1:])\nf(v)",
]
numbers = st.floats(-3, 3).map(lambda x: round(x, 2))
cells = st.one_of(st.lists(numbers, min_size=1, max_size=3), st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=1, max_size=2))


@given(st.sampled_from(TEXTS), st.lists(st.tuples(cells, numbers), min_size=1, max_size=5))
def test_a_row_is_a_point(text: str, rows: list[tuple[Any, float]]) -> None:
    """Value and gradients of a row are those of the point, up to a few units in the last place; where the point has none, so has the row."""
    answers = iter(found("grad", text, "-q", "--only", "--on-error", "null", rows=[{"v": v, "k": k} for v, k in rows]))
    for v, k in rows:
        point = autodiff("grad", text, f"v={json.dumps(v)}", f"k={k}", "-q", "--json")
        row = next(answers, None)
        if point.code:
            assert row is None or row["value"] is None
            continue
        expected = json.loads(point.out)
        assert row is not None
        assert alike(row["value"], expected["value"])
        for name, slope in expected["gradient"].items():
            assert alike(row[f"d_{name}"], slope), name


TURNS = "t = 0\nfor i in range(1, len(v)):\n    t += (v[i] - s*v[i-1])**2\nt"
SERIES: list[dict[str, Any]] = [{"v": [1, 2, 4], "s": 0.5}, {"v": [3], "s": 0.5}, {"v": [1, 2], "s": 0.5}]
ASKED: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {  # the command line, and the results of the row that does not reach `s`
    "grad": (("grad",), {"value": 0, "d_v": [0], "d_s": 0}),
    "grad by s": (("grad", "--wrt", "s"), {"value": 0, "d_s": 0}),
    "second order": (("grad", "--wrt", "s", "--order", "2"), {"value": 0, "d_s": 0, "d2_s": 0}),
    "with digits": (("grad", "--precision", "30"), {"value": 0, "d_v": [0], "d_s": 0}),
    "jac": (("jac",), {"value": 0, "d_v": [0], "d_s": 0}),
    "hess": (("hess",), {"value": 0, "d_v": [0], "d_s": 0, "d2_v_v": [[0]], "d2_v_s": [0], "d2_s_s": 0}),
    "jvp": (("jvp", "--tangent", "s=1"), {"value": 0, "tangent": 0}),
    "vjp": (("vjp",), {"value": 0, "d_v": [0], "d_s": 0}),
    "hvp": (("hvp", "--tangent", "s=1"), {"value": 0, "d_v": [0], "d_s": 0, "h_v": [0], "h_s": 0}),
}


@pytest.mark.parametrize("name", ASKED)
def test_results_do_not_depend_on_which_row_comes_first(name: str) -> None:
    """By a variable that a row does not reach the derivative is 0; it has the columns of all rows."""
    (command, *options), unreached = ASKED[name]
    seen: dict[int, Any] = {}
    for rows in permutations(SERIES):
        answers = found(command, TURNS, *options, "--only", rows=rows)
        assert [list(row) for row in answers] == [list(unreached)] * len(rows)
        for row, answer in zip(rows, answers, strict=True):
            assert seen.setdefault(len(row["v"]), answer) == answer
    assert seen[1] == unreached


@pytest.mark.parametrize("how", ["sum", "mean"])
def test_a_sum_does_not_depend_on_which_row_comes_first(how: str) -> None:
    outs = [autodiff("grad", TURNS, "s=0.5", "--reduce", how, "--json", "-q", stdin=lines(rows)).out for rows in permutations(SERIES)]
    share = 3 if how == "mean" else 1
    assert {json.dumps(json.loads(out)) for out in outs} == {json.dumps({"value": 13.5 / share, "gradient": {"s": -18.0 / share}})}


def test_a_minimum_does_not_depend_on_which_row_comes_first() -> None:
    for rows in permutations([{"v": row["v"]} for row in SERIES]):
        assert json.loads(autodiff("minimize", TURNS, "s=0.5", "--json", stdin=lines(rows)).out)["parameters"] == {"s": 2.0}


COUNTED = "t = sum(v)\nif len(v) > {}:\n    for k in range(n):\n        t = t*s\nt"


def test_a_count_of_longer_rows_is_static_in_short_ones() -> None:
    for rows in permutations(SERIES):
        assert {tuple(row) for row in found("grad", COUNTED.format(1), "n=2", "--only", rows=rows)} == {("value", "d_v", "d_s")}
        done = autodiff("grad", COUNTED.format(1), "n=2", "--wrt", "n", stdin=lines(rows))
        assert (done.code, done.err.splitlines()[0]) == (2, "error[static-wrt]: `n` is static here, so it has no derivative")


def test_a_variable_that_is_static_in_some_rows_only_is_an_error_of_these() -> None:
    rows = [{"v": [3], "s": 0.5}, {"v": [1] * 12, "s": 0.5}]
    done = autodiff("grad", COUNTED.format(10), "n=2", stdin=lines(rows))
    assert (done.code, done.err.splitlines()[0]) == (4, "error[static-wrt]: `n` is static in some rows and not in others")
    assert found("grad", COUNTED.format(10), "n=2", "--wrt", "s", "--only", rows=rows) == [{"value": 3, "d_s": 0}, {"value": 3, "d_s": 12}]
    best = autodiff("minimize", COUNTED.format(10), "n=2", "s=1", "--steps", "1", "--json", stdin=lines([{"v": row["v"]} for row in rows]))
    assert list(json.loads(best.out)["parameters"]) == ["s"]


def alike(one: Any, other: Any) -> bool:
    """Of one shape, and equal up to rounding."""
    if isinstance(one, list) or isinstance(other, list):
        return isinstance(one, list) and isinstance(other, list) and len(one) == len(other) and all(map(alike, one, other))
    return one == other or math.isclose(float(one), float(other), rel_tol=1e-12, abs_tol=1e-300) or math.isnan(float(one) + float(other))


@given(st.lists(st.lists(numbers, min_size=1, max_size=4), min_size=1, max_size=6), st.sampled_from(["sum", "mean"]))
def test_over_all_rows_it_is_the_sum_or_the_mean(rows: list[list[float]], how: str) -> None:
    each = found("grad", "sum((v-a)**2)", "a=0.5", "-q", "--only", rows=[{"v": v} for v in rows])
    done = autodiff("grad", "sum((v-a)**2)", "a=0.5", "-q", "--json", "--reduce", how, stdin=lines([{"v": v} for v in rows]))
    share = len(rows) if how == "mean" else 1
    whole = json.loads(done.out)
    assert math.isclose(whole["value"], sum(row["value"] for row in each) / share, rel_tol=1e-12, abs_tol=1e-12)
    assert math.isclose(whole["gradient"]["a"], sum(row["d_a"] for row in each) / share, rel_tol=1e-12, abs_tol=1e-12)


def test_row_by_row_where_the_producer_is_slow() -> None:
    with start("grad", "sum(v)") as process:
        assert process.stdin
        assert process.stdout
        for k in (1, 2):
            process.stdin.write(f'{{"v":[{k},2]}}\n'.encode())
            assert json.loads(process.stdout.readline()) == {"v": [k, 2], "value": k + 2.0, "d_v": [1.0, 1.0]}
        process.stdin.close()


# --- minimising over rows of several shapes ----------------------------------------------------------------


def loss(batch: int | None = None, how: str = "mean") -> ShapesLoss:
    """Of `sum((v-a)**2)`, over rows of one, two and three entries."""
    from autodiff_cli import api
    from autodiff_cli.types import Type

    rows = [np.array([[1.0], [5.0]]), np.array([[1.0, 2.0]]), np.array([[2.0, 3.0, 4.0], [0.0, 1.0, 0.0]])]
    places = [np.array([0, 3]), np.array([1]), np.array([2, 4])]
    groups = [
        Group(api.understand(Source("expression", "sum((v-a)**2)"), {"v": Type("real", v.shape[1:])}).fn, {"v": v}, where)
        for v, where in zip(rows, places, strict=True)
    ]
    return ShapesLoss(groups, ["a"], {"a": 2.0}, how=how, batch=batch)


@pytest.mark.parametrize("how", ["mean", "sum"])
def test_a_loss_over_all_shapes(how: str) -> None:
    share = 5 if how == "mean" else 1
    value, slope = loss(how=how).whole()
    assert (value * share, slope[0] * share) == (1 + 9 + 1 + 0 + 1 + 4 + 4 + 1 + 4, 2 * (1 - 3 + 1 - 0 - 1 - 2 + 2 + 1 + 2))
    assert loss(how=how).times(np.array([2.0]), np.array([1.0])) * share == pytest.approx(2 * 10)


def test_an_epoch_sees_every_row_once_whatever_its_shape() -> None:
    made = loss(batch=2, how="sum")
    value, slope = made.whole()
    parts_ = [(v, s.copy()) for v, s in (made.batch() for _ in range(made.batches))]
    assert made.batches == 3
    assert sum(v for v, _ in parts_) == pytest.approx(value)
    assert sum(s for _, s in parts_) == pytest.approx(slope)


def test_the_row_where_a_loss_broke_is_shown() -> None:
    done = autodiff("minimize", "sum(log(v-a))", "a=0", stdin='{"v":[1,2]}\n{"v":[3]}\n{"v":[4,-1,2]}\n')
    assert done.code == 1
    assert "log(-1) is nan at [1]" in done.err


# --- size --------------------------------------------------------------------------------------------------


def test_a_cell_of_a_hundred_thousand_entries() -> None:
    line = (
        CASES["wide-input-gradient-linear-time"]["expr"].replace("python3 -c", '"$PYTHON" -c').replace("autodiff", '"$PYTHON" -c "$WIDE"')
    )
    done = shell(line, WIDE=WIDE)
    (answer,) = map(json.loads, done.out.splitlines())
    assert answer["value"] == 100_000
    assert answer["d_v"] == [2.0] * 100_000
    peak, seconds = map(float, done.err.split())
    assert peak < 300
    assert seconds < 2


def test_many_shapes_are_noted_and_do_not_pile_up() -> None:
    rows = [{"v": [1.0] * (1 + k % 1200)} for k in range(1300)]
    done = autodiff("eval", "sum(v)", "--only", stdin=lines(rows))
    assert [json.loads(line)["value"] for line in done.out.splitlines()] == [float(len(row["v"])) for row in rows]
    assert "more than 1,000 different shapes" in done.err


def test_stats_tell_the_memory_of_a_block_not_of_all_rows() -> None:
    def peak(rows: int) -> float:
        done = autodiff("grad", "sum(v**2)", "--stats", "--only", stdin='{"v":[1,2,3]}\n' * rows)
        said = re.fullmatch(r"stats: peak ([0-9.]+) MB in arrays, \d+ nodes, ([0-9,]+) rows\n", done.err)
        assert said is not None, done.err
        assert said[2] == f"{rows:,}"
        return float(said[1])

    assert peak(500_000) < 1.5 * peak(150_000)


# --- matrices that are singular but for rounding -----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values", "said"),
    [
        ("solve(A, b)", ["A=[[0.1,0.2,0.3],[0.4,0.5,0.6],[0.7,0.8,0.9]]", "b=[1,2,3]"], True),
        ("inv(A)", ["A=[[1,1],[1,1.0000000000000002]]"], True),
        ("inv(A)", ["A=[[1e-20,0],[0,1e20]]"], False),
        ("inv(A)", ["A=[[2,1],[1,3]]"], False),
        ("det(A)", ["A=[[2,1],[1,3]]"], False),
    ],
)
def test_a_matrix_that_is_singular_but_for_rounding_is_named(text: str, values: list[str], said: bool) -> None:  # noqa: FBT001
    done = autodiff("eval", text, *values, "--json", "--rescue", "never")
    assert ("warning[near-singular]: the matrix in `" + text in done.err) == said
    assert done.code == 0


BAD = [
    ("sum(v**2)", '{"v":[1,null]}\n{"v":[2]}\n{"v":5}\n', [None, 4.0, None]),
    ("max(v)*x", '{"v":[1,null],"x":2}\n{"v":[],"x":1}\n{"v":[2,3],"x":1}\n', [None, None, 3.0]),
    ("[1, 2][k]*x", '{"x":"bad","k":7}\n{"x":1,"k":5}\n{"x":2,"k":1}\n{"x":3,"k":0}\n', [None, None, 4.0, 3.0]),
]


@pytest.mark.parametrize(("text", "given", "values"), BAD)
def test_bad_rows_stay_bad_when_other_rows_fail(text: str, given: str, values: list[float | None]) -> None:
    ran = autodiff("grad", text, "--on-error", "null", "--strict", stdin=given)
    assert [json.loads(line)["value"] for line in ran.out.splitlines()] == values
    assert ran.code == 0
    assert f"{values.count(None)} rows have no results" in ran.err
    left = autodiff("eval", text, "--on-error", "skip", "--only", stdin=given)
    assert [json.loads(line)["value"] for line in left.out.splitlines()] == [value for value in values if value is not None]


def test_every_bad_row_is_found() -> None:
    """By the rows that a check of places names, in an arm that only some rows run, and by halves where a loop does not end."""
    given = lines([{"x": float(x), "k": x % 4} for x in range(60)])
    cases: list[tuple[str, Callable[[int], bool]]] = [
        ("[1, 2][k]*x", lambda x: x % 4 < 2),
        ("[1, 2][k]*x if x > 30 else x", lambda x: x <= 30 or x % 4 < 2),
        ("y = x\nwhile k > 2:\n    y = y + 1\ny", lambda x: x % 4 < 3),
    ]
    for text, able in cases:
        ran = autodiff("eval", text, "--on-error", "null", "--only", "--max-iterations", "50", stdin=given)
        assert [json.loads(line)["value"] is not None for line in ran.out.splitlines()] == [able(x) for x in range(60)], text


def test_the_first_bad_row_is_named() -> None:
    given = lines([{"v": [1, 2]}, {"v": [1, 2, 3]}, {"v": [3, 4]}])
    ran = autodiff("grad", "sum(v**2)", "--on-error", "skip", "--csv", "--only", stdin=given)
    assert ran.out == "value,d_v_0,d_v_1\n5.0,2.0,4.0\n25.0,6.0,8.0\n"
    assert "line 2" in ran.err
    assert "--format ndjson" in ran.err


def test_a_broken_line_is_counted_once() -> None:
    ran = autodiff("grad", "sum(v**2)", "--on-error", "null", stdin='{"v":[1,2]}\n{"v":\n{"v":null}\n')
    assert "1 row has no results" in ran.err
    assert "1 row has no value for `v`" in ran.err


def test_a_row_left_out_of_a_sum_has_a_place() -> None:
    ran = autodiff("grad", "x**2", "--reduce", "sum", "--on-error", "skip", stdin="x,y\n1,1\n,2\n")
    assert "`x` is missing in a row, and a sum needs every cell (stdin, line 3)" in ran.err


def test_lists_with_non_finite_entries_are_json(tmp_path: Path) -> None:
    pl.DataFrame({"v": [[1.0, math.inf], [math.nan, -math.inf]]}).write_parquet(tmp_path / "v.parquet")
    ran = autodiff("eval", "v[0]", "--data", str(tmp_path / "v.parquet"), "--ndjson", "-q")
    assert [json.loads(line, parse_constant=lambda text: text * 2)["v"] for line in ran.out.splitlines()] == [
        [1.0, "Infinity"],
        ["NaN", "-Infinity"],
    ]
