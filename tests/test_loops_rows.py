"""Loops and calls over rows that stand in the graph itself: the same as row by row, and so are the gradients of the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodiff_cli.derive import gradient
from autodiff_cli.derive.rows import over_rows, reduced
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.ops import OPS
from autodiff_cli.ops.arithmetic import select
from autodiff_cli.ops.structured import Body, call, loop, out, stacked
from autodiff_cli.run import arrays_again, point, tensors
from autodiff_cli.types import BOOL, REAL
from loops import body, derived, first, function, real, rows_are_points, tangent, total
from test_callee import POINT, USES, by_partials, by_pullback
from test_loops import LOOPS, SINGULAR, columns_of
from test_loops_arrays import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from autodiff_cli.graph import Expr, Fn
    from autodiff_cli.ops.structured import Callee

BOTH: dict[str, tuple[Any, ...]] = dict([*LOOPS.items(), *SINGULAR.items()])


def check(fn: Fn, columns: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    count, given = len(next(iter(columns.values()))), {**values, **columns}
    alone = tensors.evaluate(fn, given, frozenset(columns))
    for a, b in zip(alone, point.evaluate(over_rows(fn, set(columns), count), given), strict=True):
        np.testing.assert_allclose(np.broadcast_to(a, np.shape(b)), b, rtol=1e-11, atol=1e-12)
    if fn.nodes[fn.outs[0]].type.shape:
        return
    names = [name for name, _ in fn.params]
    total = point.evaluate(gradient(reduced(fn, set(columns), count, "sum"), names), given)
    each = tensors.evaluate(gradient(fn, names), given, frozenset(columns))
    for name, found, rows in zip(names, total[1:], each[1:], strict=True):
        wanted = rows if name in columns else np.broadcast_to(rows, (count, *np.shape(found))).sum(axis=0)
        np.testing.assert_allclose(found, np.broadcast_to(wanted, np.shape(found)), rtol=1e-10, atol=1e-11)


def some(values: Mapping[str, Any], rows: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """All inputs as columns, only the first, and all but the first."""
    names = list(values)
    for chosen in (names, names[:1], names[1:]):
        if chosen:
            yield {n: rows[n] for n in chosen}, {n: v for n, v in values.items() if n not in chosen}


@pytest.mark.parametrize("name", BOTH)
def test_loops_over_numbers(name: str) -> None:
    build, at, _ = BOTH[name]
    values = {f"x{k}": v for k, v in enumerate(at)}
    fn = function(build, *values)
    for columns, rest in some(values, columns_of(name, at)):
        check(fn, columns, rest)
        check(gradient(fn, list(values)), columns, rest)


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_over_arrays(name: str) -> None:
    build, _, values = PROGRAMS[name]
    fn = function(build, *[(n, real(*np.shape(v))) for n, v in values.items()])
    for columns, rest in some(values, {n: np.stack([np.asarray(v) * s for s in (1.0, 0.9, 1.1, 2.0)]) for n, v in values.items()}):
        check(fn, columns, rest)
        check(gradient(fn, list(values)), columns, rest)


@pytest.mark.parametrize("make", [by_partials, by_pullback])
@pytest.mark.parametrize("use", USES)
def test_rules_are_kept(use: str, make: Callable[..., Callee]) -> None:
    """A rule that is wrong stays wrong over rows."""
    fn = function(USES[use](lambda a, b: call(make(1.5), [a, b])), *POINT)
    for columns, rest in some(POINT, {"x": np.array([0.7, 1.9, -0.3]), "y": np.array([1.3, -0.2, 0.4])}):
        check(fn, columns, rest)


def test_rows_that_are_off_take_no_turn() -> None:
    spin = body(lambda z: z - 1, (1,), lambda z: (z < 0) | (z > 0.5), limit=9)
    check(function(lambda x: select(x > 0, first(loop(spin, None, [x])), x * x), "x"), {"x": np.array([-3.0, 3.0, -1.0, 1.0])}, {})


def _scanned_again(x: Expr, k: Expr) -> Any:
    """What a loop keeps is scanned by another."""
    made = loop(body(lambda z, k: [z - k, z * k], (1, 1, 0, 1), lambda z, k: z > k), None, [x], [k])
    return first(loop(body(lambda s, y: s * 0.5 + y, (1, 0, 1)), out(made, 3), [x], [], [out(made, 1)])) + first(made)


def _stacked(x: Expr, k: Expr) -> Any:
    """What a loop keeps as an array."""
    made = loop(body(lambda z, k: [z - k, z * k], (1, 1, 0, 1), lambda z, k: z > k), None, [x], [k])
    kept = stacked(out(made, 1), attr=70)
    return total(kept * kept) + first(made)


def _either(x: Expr, k: Expr) -> Any:
    """What one of two loops keeps, by rows."""
    down = loop(body(lambda z, k: [z - k, z * k], (1, 1, 0, 1), lambda z, k: z > k), None, [x], [k])
    half = loop(body(lambda z: [z / 2, z + 1], (1, 0, 0, 1), lambda z: z > 0.25), None, [x])
    kept, turns = [select(k > 1, out(down, j), out(half, j)) for j in (1, 3)]
    return first(loop(body(lambda s, y: s * 0.5 + y * y, (1, 0, 1)), turns, [x], [], [kept]))


UNEVEN: dict[str, Callable[..., Any]] = {
    "lighter than its test": lambda x, k: first(
        loop(body(lambda z, x, k: (z + x / z) / 2, (1, 2), lambda z, x, k: OPS["abs"](z * z - x) > 1e-9 * k * x), None, [x + 1], [x, k])
    ),
    "not a number after the end": lambda x, k: first(
        loop(body(lambda z, k: OPS["sqrt"](z - k), (1, 1), lambda z, k: z > k + 1), None, [x + k], [k])
    ),
    "the number of turns": lambda x, k: out(loop(body(lambda z, k: z - k, (1, 1), lambda z, k: z > k), None, [x], [k]), 2) * x,
    "as many as are asked for": lambda x, k: first(loop(body(lambda z, k: z * 0.75 + OPS["sin"](k), (1, 1)), OPS["floor"](x), [k], [k])),
    "asked for and tested": lambda x, k: first(
        loop(body(lambda z, k: z - k * 0.5, (1, 1), lambda z, k: z > k), OPS["floor"](x / 2), [x], [k])
    ),
    "a flag that is carried": lambda x, k: out(
        loop(
            Body(
                function(lambda go, z, k: [z > 3 * k, z - k], ("go", BOOL), ("z", REAL), ("k", REAL)), 2, 1, 0, 0,
                function(lambda go, z, k: go, ("go", BOOL), ("z", REAL), ("k", REAL)),
            ),
            None, [x > k, x * 1.5], [k],
        ), 1,
    ),
    "on some rows": lambda x, k: select(
        k > 1, first(loop(body(lambda z, k: z * (1 - k / 9), (1, 1), lambda z, k: z > k), None, [x * x], [k])), x * k
    ),
    "scanned again": _scanned_again,
    "stacked": _stacked,
}  # fmt: skip


def uneven(count: int = 120) -> dict[str, Any]:
    """Rows whose loops end after few turns and after many."""
    draw = np.random.default_rng(5)
    return {"x": np.round(draw.uniform(0.5, 6.0, count) ** 2, 3), "k": np.round(draw.uniform(0.6, 2.0, count), 3)}


@pytest.mark.parametrize("name", UNEVEN)
def test_rows_with_unlike_numbers_of_turns_are_points(name: str) -> None:
    fn = function(UNEVEN[name], "x", "k")
    columns = uneven()
    before = {n: c.copy() for n, c in columns.items()}
    for each in derived(fn, ["x", "k"]):
        rows_are_points(each, columns, {})
        rows_are_points(each, {"x": columns["x"]}, {"k": 1.25})
    for n, column in columns.items():
        np.testing.assert_array_equal(column, before[n])


def test_what_one_of_two_loops_keeps_is_scanned() -> None:
    fn, columns = function(_either, "x", "k"), uneven()
    for each in (fn, gradient(fn, ["x", "k"]), tangent(fn, ["x", "k"])):
        rows_are_points(each, columns, {})


def test_a_loop_with_other_constants_in_every_turn_of_the_one_around_it() -> None:
    """So many plans are not made: the turns then run step by step."""
    down = body(lambda z, j: z * 0.75, (1, 1), lambda z, j: z > j + 1)
    around = body(lambda s, j: [first(loop(down, None, [s * 9], [j])) + s * j, j + 1], (2,))
    fn = function(lambda x: first(loop(around, 3 * arrays_again.KEPT, [x, x.graph.lift(0)])), "x")
    for each in (fn, gradient(fn, ["x"]), tangent(fn, ["x"])):
        rows_are_points(each, {"x": uneven(30)["x"]}, {})


@pytest.mark.parametrize("make", [lambda fn: fn, lambda fn: gradient(fn, ["x"])], ids=["value", "gradient"])
def test_rows_that_are_done_cost_little(make: Callable[[Fn], Fn], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the rows that turns run over, most are those that take them; and a row that comes last does not run alone before it has to."""
    ran: list[int] = []
    run = arrays_again.Ready.run

    def counting(self: arrays_again.Ready, space: Any, values: Any, rows: int, outs: Any) -> None:
        ran.append(rows)
        run(self, space, values, rows, outs)

    monkeypatch.setattr(arrays_again.Ready, "run", counting)
    counts = np.random.default_rng(3).permutation(np.arange(2000) % 61)
    fn = make(function(lambda x: first(loop(body(lambda z: z / 2, (1,), lambda z: z > 1), None, [x])), "x"))
    found = tensors.evaluate(fn, {"x": 2.0**counts}, frozenset("x"))
    np.testing.assert_array_equal(found[0], 1.0)
    if len(found) > 1:
        np.testing.assert_array_equal(found[1], 0.5**counts)
    sweeps = len(found)
    assert counts.sum() * sweeps <= sum(ran) <= 1.5 * counts.sum() * sweeps
    assert len(ran) <= 61 * sweeps + 1


def test_rows_that_do_not_end_are_an_error_and_rows_that_take_no_turn_are_as_they_were() -> None:
    values: dict[str, Any] = {"x": np.array([0.0, 9.0, 7.0, 0.0]), "k": 0.5}
    fn = function(lambda x, k: first(loop(body(lambda z, k: z + k, (1, 1), lambda z, k: z > k, limit=20), None, [x], [k])), "x", "k")
    with pytest.raises(AutodiffError) as stopped:
        tensors.evaluate(fn, values, frozenset("x"))
    assert stopped.value.diagnostic.code == "endless-loop"
    assert tensors.evaluate(fn, {**values, "x": -values["x"]}, frozenset("x"))[0].tolist() == [0.0, -9.0, -7.0, 0.0]
