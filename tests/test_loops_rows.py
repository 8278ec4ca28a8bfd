"""Loops and calls over rows that stand in the graph itself: the same as row by row, and so are the gradients of the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodiff_cli.derive import gradient
from autodiff_cli.derive.rows import over_rows, reduced
from autodiff_cli.ops.arithmetic import select
from autodiff_cli.ops.structured import call, loop
from autodiff_cli.run import point, tensors
from loops import body, first, function, real
from test_callee import POINT, USES, by_partials, by_pullback
from test_loops import LOOPS, SINGULAR, columns_of
from test_loops_arrays import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from autodiff_cli.graph import Fn
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
