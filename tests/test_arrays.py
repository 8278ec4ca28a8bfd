"""Rows: arrays against floats for every op of the table and for random programs, whatever the block and whatever the row beside it."""

from __future__ import annotations

import functools
import itertools
import math
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import programs
import strategies
from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.graph import NAME
from autodiff_cli.ops import FUNCTIONS
from autodiff_cli.program import compile
from autodiff_cli.run import arrays, floats
from autodiff_cli.run.arrays import Bound
from autodiff_cli.run.arrays_plan import Branch, Plan
from autodiff_cli.run.kernels_array import kernel
from autodiff_cli.run.kernels_float import kernel as kernel_of_floats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from autodiff_cli.graph import Fn, Op
    from autodiff_cli.program import Program

    Pair = tuple[Op, Any]

ULPS = 4
LOOSE = 16
# Sums of many terms, by SciPy or by us, in another order over arrays: so many ulp of what one ulp of the arguments moves.
MANY_TERMS = frozenset(
    "beta beta_slope betainc betaln betapdf cardinal cossq digamma digammas gammainc gammaincc gammapdf iv j0 j1 jn kv polygamma sinc sinsq "
    "soft_gate y0 y1 yn".split()
)
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, math.inf, -math.inf, math.nan, 5e-324, -1e-300, 1e-160, 1e160, 1e300, -1e300, 709.5, -745.0)
COSTS = {"blind": (0.0, 1e9), "by partition": (1e9, 0.0)}


# --- every op ------------------------------------------------------------------------------------------


def texts(name: str, op: Op) -> Iterator[str]:
    """Calls of an op over variables, its static numbers at their default and beside it."""
    if op.infix and not op.call:
        yield f"x0 {op.infix.symbol} x1" if max(len(op.d), 2 * bool(op.infix.level < 12)) > 1 else f"{op.infix.symbol} x0"
        return
    numbers = [p for p in op.parameters if p.static and (p.default is ... or type(p.default) in {int, float})]
    count = sum(1 + p.variadic for p in op.parameters if not p.static)
    for values in itertools.product((0, 1, 2, -1), repeat=len(numbers)):
        static = dict(zip([p.name for p in numbers], values, strict=True))
        inputs = iter([f"x{k}" for k in range(count)])
        given = [str(static[p.name]) if p in numbers else next(inputs) for p in op.parameters if p in numbers or not p.static]
        yield f"{name}({', '.join([*given, *inputs])})"


@functools.cache
def pairs() -> list[Pair]:
    """Every op of single numbers with every attribute that it, or a derivative up to the third, comes with."""
    found: dict[str, Pair] = {}
    for name, op in FUNCTIONS.items():
        if op.rule not in {"elementwise", "composite"}:
            continue
        for text in texts(name, op):
            for fn in derivatives(text):
                found |= {f"{node.op.name} {node.attr}": (node.op, node.attr) for node in fn.nodes if node.op.rule == "elementwise"}
    return [pair for _, pair in sorted(found.items()) if pair[0] is not NAME]


def derivatives(text: str) -> list[Fn]:
    """What a text means, and its derivatives up to the third, those by one variable after another included."""
    try:
        found = last = [programs.read(text).fn]
    except AutodiffError:
        return []
    for _ in range(3):
        last = [d for fn in last for name, _ in fn.params if (d := slope(fn, name)) is not None]
        found = found + last
    return found


def slope(fn: Fn, name: str) -> Fn | None:
    try:
        return gradient(fn, [name]).only(1)
    except AutodiffError:
        return None


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: f"{pair[0].name}-{pair[1]}")
def test_a_kernel_of_arrays_is_the_kernel_of_floats(pair: Pair) -> None:
    """Within 4 ulp, NaN and infinities at the same places; numbers beside arrays as well."""
    op, attr = pair
    points = list(arguments(op))
    slow = kernel_of_floats(op, attr)[1]
    expected = [slow(*point) for point in points]
    columns = [np.array(column) for column in zip(*points, strict=True)]
    function = kernel(op, attr)
    with np.errstate(all="ignore"):
        found = function(*columns)
        scale = (lambda point: moved(slow, point)) if op.name in MANY_TERMS else None
        assert_alike(found, expected, points, scale)
        last = points[-1][1:]
        if last:
            beside = [(v, *last) for v in columns[0].tolist()]
            assert_alike(function(columns[0], *last), [slow(*point) for point in beside], beside, scale)


def arguments(op: Op) -> Iterator[tuple[Any, ...]]:
    """Edges in every combination, numbers of all sizes, and numbers of the op's own interval."""
    draw = random.Random(op.name)  # noqa: S311 (points for tests)
    if op.name in {"not", "real"}:
        yield from [(True,), (False,)]
        return
    arity = max(len(op.d), 2 if op.name in {"max", "min", "hypot"} else 4 if op.name in {"share", "tie_share"} else 1)
    yield from itertools.product(EDGES, repeat=arity) if arity < 3 else [tuple(draw.choices(EDGES, k=arity)) for _ in range(300)]
    intervals = op.sample or ((-3.0, 3.0),)
    if not isinstance(intervals[0], tuple):
        intervals = (op.sample,)
    for _ in range(300):
        yield tuple([draw.choice((-1, 1)) * 10 ** draw.uniform(-5, 1.3) for _ in range(arity)])
        yield tuple([draw.uniform(*intervals[min(k, len(intervals) - 1)]) for k in range(arity)])


def assert_alike(found: Any, expected: list[Any], points: list[Any], scale: Callable[[Any], float] | None = None) -> None:
    for a, b, point in zip(np.broadcast_to(found, len(expected)).tolist(), expected, points, strict=True):
        if not near(float(a), float(b)):
            assert scale is not None, (point, a, b)
            assert abs(a - b) <= LOOSE * math.ulp(max(abs(b), scale(point))), (point, a, b)


def near(a: float, b: float) -> bool:
    return a == b or (a != a and b != b) or (math.isfinite(a) and math.isfinite(b) and abs(a - b) <= ULPS * math.ulp(max(abs(a), abs(b))))


def moved(function: Callable[..., float], point: tuple[float, ...]) -> float:
    """|x f'|, the largest over the arguments."""
    step = 2.0**-20
    sizes = [abs(function(*[x * (1 + step * (k == j)) for j, x in enumerate(point)]) - function(*point)) / step for k in range(len(point))]
    return max([size for size in sizes if math.isfinite(size)], default=0.0)


# --- programs ------------------------------------------------------------------------------------------


def program_of(text: str, wrt: tuple[str, ...] = strategies.NAMES) -> Program:
    """Value and gradient of a text."""
    fn = programs.read(text).fn
    return compile(gradient(fn, [name for name in wrt if name in dict(fn.params)]))


def bound_to(program: Program, columns: Iterable[str], values: dict[str, Any]) -> Bound:
    """The program made ready for rows: one without loops."""
    bound = arrays.bind(program, tuple(columns), values)
    assert isinstance(bound, Bound)
    return bound


def columns_of(points: list[dict[str, float]]) -> dict[str, Any]:
    return {name: np.array([point[name] for point in points]) for name in strategies.NAMES}


def over(bound: Bound, columns: dict[str, Any]) -> list[list[float]]:
    """The results as rows of floats."""
    rows = len(columns["x"])
    table: list[list[float]] = np.array([np.broadcast_to(r, rows) for r in bound(columns, rows)], float).T.tolist()
    return table


def forced(bound: Bound, how: str, rows: int | None = None) -> Bound:
    """The same plan with every branch run blindly or by partition, in blocks of other sizes."""
    cost, moves = COSTS[how]
    found: Plan = bound._plan  # noqa: SLF001 (the plan is what is tested)
    segments = tuple([(r, s._replace(cost=cost, moves=moves) if isinstance(s, Branch) else s) for r, s in found.segments])
    return Bound(found._replace(segments=segments, rows=rows or found.rows))


def same(found: list[list[float]], expected: list[list[float]], rel: float = 0.0) -> None:
    for a, b in zip(found, expected, strict=True):
        for u, v in zip(a, b, strict=True):
            assert u == v or (u != u and v != v) or (rel and programs.alike(u, v, rel, rel)), (a, b)


rows = st.lists(strategies.points, min_size=1, max_size=40)


@given(strategies.expressions, rows)
def test_arrays_are_floats_row_by_row(text: str, points: list[dict[str, float]]) -> None:
    """Value and gradient; only where rounding took another branch of a condition may they differ."""
    program = program_of(text)
    found = over(bound_to(program, strategies.NAMES, {}), columns_of(points))
    for row, point in zip(found, points, strict=True):
        expected = [float(v) for v in floats.run(program, point)]
        assert all(programs.alike(a, b, 1e-9, 1e-9) for a, b in zip(row, expected, strict=True)) or steps_aside(program, point), (
            text,
            point,
            row,
            expected,
        )


def steps_aside(program: Program, point: dict[str, float]) -> bool:
    """Whether a condition or a step hangs on the last bits: a neighbour of the point gives something else altogether."""
    here = floats.run(program, point)
    for name, sign in itertools.product(point, (-1, 1)):
        there = floats.run(program, {**point, name: point[name] + sign * 1e-13})
        if not all(programs.alike(float(a), float(b), 1e-7, 1e-7) for a, b in zip(here, there, strict=True)):
            return True
    return False


@given(strategies.expressions, rows, st.sampled_from((1, 2, 3, 7, 64)))
def test_blocks_and_branches_change_no_number(text: str, points: list[dict[str, float]], size: int) -> None:
    """Any size of block, branches blindly or by partition: the same numbers to the last bit."""
    bound, columns = bound_to(program_of(text), strategies.NAMES, {}), columns_of(points)
    expected = over(bound, columns)
    for how in COSTS:
        same(over(forced(bound, how, size), columns), expected)


@given(strategies.expressions, rows, st.sampled_from((math.nan, math.inf, 0.0)), st.sampled_from(tuple(COSTS)))
def test_an_odd_row_touches_no_other(text: str, points: list[dict[str, float]], odd: float, how: str) -> None:
    bound = forced(bound_to(program_of(text), strategies.NAMES, {}), how)
    before = over(bound, columns_of(points))
    after = over(bound, columns_of([*points[:1], {"x": odd, "y": odd}, *points[1:]]))
    same(after[:1] + after[2:], before)


@given(strategies.expressions, rows, st.sampled_from(strategies.NAMES))
def test_a_number_is_a_column_of_it(text: str, points: list[dict[str, float]], name: str) -> None:
    """Inputs that are the same for all rows are computed once, as floats are."""
    program, value = program_of(text), points[0][name]
    points = [{**point, name: value} for point in points]
    columns = columns_of(points)
    other = [n for n in strategies.NAMES if n != name]
    found = over(bound_to(program, other, {name: value}), columns)
    for row, point, whole in zip(found, points, over(bound_to(program, strategies.NAMES, {}), columns), strict=True):
        close = all(programs.alike(a, b, 1e-9, 1e-9) for a, b in zip(row, whole, strict=True))
        assert close or steps_aside(program, point), (text, point, row, whole)


def test_a_branch_outside_its_domain_gives_no_nan() -> None:
    x = np.linspace(-2, 2, 50_000)
    for text in (
        "log(x) if x > 0 else x",
        "exp(sin(log(x))*erf(sqrt(x))) + log(x)**3 if x > 0 else x*x",
        "where(x > 0, sqrt(x), 1) + (x and 1)",
    ):
        for how in COSTS:
            for result in forced(bound_to(program_of(text, ("x",)), ["x"], {}), how)({"x": x}, len(x)):
                assert not np.isnan(result).any(), (text, how)


def test_results_go_where_they_are_wanted() -> None:
    program = program_of("x*y", ("x", "y"))
    x, y = np.arange(5.0), np.arange(10.0)[::2]
    table = np.zeros((5, 3))
    found = bound_to(program, ["x", "y"], {})({"x": x, "y": y}, 5, [table[:, 0], None, np.zeros(5)])
    assert table[:, 0].tolist() == (x * y).tolist() == found[0].tolist()
    assert (found[1].tolist(), found[2].tolist()) == (y.tolist(), x.tolist())
    assert found[1] is not y


def test_numbers_are_not_stretched() -> None:
    assert arrays.run(program_of("2*x + y", ("x", "y")), {"x": np.ones(3), "y": 1.0}, 3)[1:] == [2.0, 1.0]
    assert arrays.run(program_of("x", ("x",)), {"x": np.ones(0)}, 0)[0].tolist() == []


def test_conditions_and_whole_numbers_are_columns_too() -> None:
    fn = programs.read("x if p else -x", {"p": True, "x": 1.0}).fn
    program = compile(gradient(fn, ["x"]))
    found = arrays.run(program, {"p": np.array([True, False]), "x": np.array([3, 4])}, 2)
    assert [r.tolist() for r in found] == [[3.0, -4.0], [1.0, -1.0]]


def test_many_threads_give_the_numbers_of_one() -> None:
    program = program_of("sin(x*y)*exp(-x**2) + (log(y) if y > x else x)", ("x", "y"))
    draw = np.random.default_rng(0)
    columns = {"x": draw.uniform(0, 2, 300_001), "y": draw.uniform(0, 2, 300_001)}
    bound = bound_to(program, columns, {})
    for one, four in zip(bound(columns, 300_001, threads=1), bound(columns, 300_001, threads=4), strict=True):
        assert np.array_equal(one, four)


def test_a_deep_program_runs_in_small_blocks() -> None:
    text = "+".join(f"sin({k}.5*x)*y" for k in range(3000))
    found = over(bound_to(program_of(text, ("x", "y")), strategies.NAMES, {}), {"x": np.full(100, 0.25), "y": np.ones(100)})
    expected = floats.run(program_of(text, ("x", "y")), {"x": 0.25, "y": 1.0})
    same(found, [[float(v) for v in expected]] * 100, 1e-9)
