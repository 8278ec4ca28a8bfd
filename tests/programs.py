"""Short ways from a text to numbers, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodiff_cli.derive import gradient, taylor
from autodiff_cli.derive.conditions import gate
from autodiff_cli.derive.push import push
from autodiff_cli.diagnostics import Source
from autodiff_cli.graph import Fn
from autodiff_cli.lower import Lowered, lower
from autodiff_cli.run import floats, point
from autodiff_cli.syntax import parse

if TYPE_CHECKING:
    from autodiff_cli.derive.conditions import Gated


def read(text: str, values: dict[str, Any] | None = None, named: tuple[str, ...] = ()) -> Lowered:
    """The program that a text means."""
    source = Source("expression", text)
    return lower(parse(source), source, values, named, floats.constant)


def reverse(text: str, values: dict[str, Any], wrt: tuple[str, ...] | None = None) -> list[Any]:
    """Value and derivatives by reverse mode; arrays stay arrays."""
    fn = read(text, values).fn
    return [v if hasattr(v, "shape") else float(v) for v in point.evaluate(gradient(fn, wrt or tuple(values)), values)]


def forward(text: str, values: dict[str, Any], wrt: tuple[str, ...] | None = None) -> list[float]:
    """Value and derivatives by forward mode."""
    fn = read(text, values).fn
    return [float(v) for v in floats.evaluate(tangents(fn, wrt or tuple(values)), values)]


def tangents(fn: Fn, wrt: tuple[str, ...]) -> Fn:
    """Value and derivatives as `gradient` gives them, by one push a name."""
    graph, outs, inputs = fn.open()
    results = [outs[0]]
    for name in wrt:
        seeds: dict[int, Gated] = {inputs[name].id: (graph.const("1"), None)} if name in inputs else {}
        found = push(graph, seeds, [outs[0].id])
        results.append(gate(found[outs[0].id]) if outs[0].id in found else graph.const("0"))
    return Fn(graph, fn.params, results, ["value", *wrt])


def hessian(text: str, values: dict[str, Any]) -> list[list[float]]:
    """Second derivatives: the tangent of every entry of the gradient."""
    names = tuple(values)
    first = gradient(read(text, values).fn, names)
    rows = []
    for k in range(1, len(names) + 1):
        rows.append([float(v) for v in floats.evaluate(tangents(first.only(k), names), values)][1:])
    return rows


def derivatives(text: str, name: str, order: int, values: dict[str, Any]) -> list[float]:
    """Value and the derivatives of order 1 to `order`."""
    return [float(v) for v in floats.evaluate(taylor(read(text, values).fn, name, order), values)]


def same(a: Any, b: Any, rel: float = 0.0) -> bool:
    """Equal shapes and entries within `rel`, NaN like NaN."""
    import numpy as np

    return np.shape(a) == np.shape(b) and bool(np.allclose(np.asarray(a, float), np.asarray(b, float), rtol=rel, atol=0.0, equal_nan=True))


def alike(a: float, b: float, rel: float = 1e-12, tiny: float = 1e-300) -> bool:
    """Equal within `rel`, NaN like NaN, infinities with their sign."""
    return a == b or (a != a and b != b) or abs(a - b) <= max(rel * max(abs(a), abs(b)), tiny)
