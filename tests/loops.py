"""Loops built by hand, for tests: functions and bodies over numbers and arrays, and the same over a flat graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_cli.derive import gradient
from autodiff_cli.derive.conditions import gate
from autodiff_cli.derive.push import push
from autodiff_cli.graph import Expr, Fn, Graph
from autodiff_cli.ops.linear import add_up
from autodiff_cli.ops.structured import Body, out
from autodiff_cli.run import point, tensors
from autodiff_cli.types import REAL, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Param = str | tuple[str, Type]
    Shape = tuple[int, ...]


def real(*shape: int) -> Type:
    return Type("real", shape)


def function(build: Callable[..., Any], *params: Param) -> Fn:
    """The function that `build` writes over these parameters, numbers where no type is given."""
    graph = Graph()
    typed = [(p, REAL) if isinstance(p, str) else p for p in params]
    made = build(*[graph.param(name, type) for name, type in typed])
    outs = [graph.lift(e) for e in (made if isinstance(made, list) else [made])]
    return Fn(graph, typed, outs, [f"o{k}" for k in range(len(outs))])


def body(
    build: Callable[..., Any],
    counts: Sequence[int] = (1, 0, 0, 0),
    test: Callable[..., Any] | None = None,
    types: Sequence[Type] = (),
    **more: Any,
) -> Body:
    """The body of a loop: `counts` of carries, constants, inputs and kept values; numbers where no types are given."""
    nc, nk, nx, ny = (*counts, 0, 0, 0)[:4]
    names = [*[f"c{k}" for k in range(nc)], *[f"k{k}" for k in range(nk)], *[f"x{k}" for k in range(nx)]]
    params = list(zip(names, types or [REAL] * len(names), strict=True))
    return Body(function(build, *params), nc, nk, nx, ny, test and function(test, *params[: nc + nk]), **more)


def first(node: Expr) -> Expr:
    """The final value of the first carry."""
    return out(node, 0)


def total(x: Expr) -> Expr:
    """The sum of all entries."""
    return add_up(x, tuple(range(len(x.type.shape))))


def tangent(fn: Fn, names: Sequence[str]) -> Fn:
    """The derivative of the first result in the direction of half of everything."""
    graph, outs, inputs = fn.open()
    seeds: dict[int, Any] = {inputs[n].id: (graph.broadcast(graph.lift(0.5), inputs[n].type.shape), None) for n in names}
    found = push(graph, seeds, [outs[0].id])
    return Fn(graph, fn.params, [gate(found[outs[0].id]) if outs[0].id in found else graph.const("0")], ["t"])


def squares(fn: Fn, names: Sequence[str], k: int) -> Fn:
    """The sum of squares of derivative k: something to differentiate again."""
    graph, outs, _ = gradient(fn, names).open()
    return Fn(graph, fn.params, [total(outs[k + 1] * outs[k + 1])], ["s"])


def derived(fn: Fn, names: Sequence[str]) -> Iterator[Fn]:
    """The function, and its first and second derivatives in every mix of modes."""
    yield fn
    yield gradient(fn, names)
    yield tangent(fn, names)
    for k in range(len(names)):
        yield gradient(squares(fn, names, k), names)
    yield tangent(squares(fn, names, 0), names)
    yield gradient(tangent(fn, names), names)
    yield tangent(tangent(fn, names), names)


def same(a: Sequence[Any], b: Sequence[Any]) -> None:
    """Equal to 10 digits, NaN and infinities in the same places."""
    assert [np.shape(x) for x in a] == [np.shape(x) for x in b]
    for x, y in zip(a, b, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


def rows_are_points(fn: Fn, columns: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Rows side by side give what every row by itself gives."""
    found = tensors.evaluate(fn, {**values, **columns}, frozenset(columns))
    for i in range(len(next(iter(columns.values())))):
        alone = point.evaluate(fn, {**values, **{name: c[i] if np.ndim(c[i]) else c[i].item() for name, c in columns.items()}})
        same([f[i] if np.ndim(f) > np.ndim(x) else f for f, x in zip(found, alone, strict=True)], alone)
