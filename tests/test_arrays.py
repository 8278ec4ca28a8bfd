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
from autodiff_cli.run.arrays_plan import Branch, Plan, plan
from autodiff_cli.run.kernels_array import kernel
from autodiff_cli.run.kernels_float import kernel as kernel_of_floats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff_cli.graph import Fn, Op
    from autodiff_cli.program import Program

    Pair = tuple[Op, Any]

ULPS = 4
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
        assert_alike(found, expected, points)
        last = points[-1][1:]
        if last:
            assert_alike(function(columns[0], *last), [slow(v, *last) for v in columns[0].tolist()], points)


def arguments(op: Op) -> Iterator[tuple[Any, ...]]:
    """Edges in every combination, numbers of all sizes, and numbers of the op's own interval."""
    draw = random.Random(op.name)
    if op.name in {"not", "real"}:
        yield from [(True,), (False,)]
        return
    arity = max(len(op.d), 2 if op.name in {"max", "min", "hypot"} else 1)
    yield from itertools.product(EDGES, repeat=arity) if arity < 3 else [tuple(draw.choices(EDGES, k=arity)) for _ in range(300)]
    intervals = op.sample or ((-3.0, 3.0),)
    if not isinstance(intervals[0], tuple):
        intervals = (op.sample,)
    for _ in range(300):
        yield tuple([draw.choice((-1, 1)) * 10 ** draw.uniform(-5, 3) for _ in range(arity)])
        yield tuple([draw.uniform(*intervals[min(k, len(intervals) - 1)]) for k in range(arity)])


def assert_alike(found: Any, expected: list[Any], points: list[Any]) -> None:
    for a, b, point in zip(np.broadcast_to(found, len(expected)).tolist(), expected, points, strict=True):
        assert near(float(a), float(b)), (point, a, b)


def near(a: float, b: float) -> bool:
    return a == b or (a != a and b != b) or (math.isfinite(a) and math.isfinite(b) and abs(a - b) <= ULPS * math.ulp(max(abs(a), abs(b))))
