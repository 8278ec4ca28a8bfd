"""Regions of a plan over rows: what one region made is read in another whose condition implies the first, whichever rows run together."""

from __future__ import annotations

import numpy as np

from autodiff_cli.graph import Expr, Fn, Graph
from autodiff_cli.ops.arithmetic import not_, select
from autodiff_cli.run import arrays, point
from autodiff_cli.types import BOOL, Type

NAMES = {"u": "real", "w": "real", "b": "bool", "c": "bool", "p": "bool"}


def chained() -> Fn:
    """Cotangents as they gather: a sum under a condition, under either of two conditions, and again."""
    graph = Graph()
    u, w, b, c, p = [graph.param(name, Type(kind)) for name, kind in NAMES.items()]  # type: ignore[arg-type]  # one of the two kinds
    yes, no = graph.const("True"), graph.const("False")

    def gate(q: Expr, value: Expr) -> Expr:
        return graph.add(select, [q, value, graph.const("0")], "gate")

    def both(q: Expr, r: Expr) -> Expr:
        return graph.add(select, [q, r, no])

    def either(q: Expr, r: Expr) -> Expr:
        return graph.add(select, [q, yes, r])

    other = both(c, not_(p))
    one = both(both(b, c), p)
    first = gate(one, u) + gate(other, gate(other, w * w) * 1.2)
    held = either(one, other)
    late = gate(c, w * u)
    second, held = gate(held, first) + late, either(held, c)
    third, held = gate(held, second) + late, either(held, c)
    assert third.type.kind == "real"
    assert held.type == BOOL
    return Fn(graph, [(name, Type(kind)) for name, kind in NAMES.items()], [gate(held, third)], ["value"])  # type: ignore[arg-type]  # the same


def test_rows_of_every_mixture_are_points() -> None:
    fn, random = chained(), np.random.default_rng(0)
    for share in (0.1, 0.3, 0.5, 0.7, 0.9) * 6:
        columns = {n: random.normal(size=64) if kind == "real" else random.random(64) < share for n, kind in NAMES.items()}
        (together,) = arrays.evaluate(fn, columns, 64)
        alone = [point.evaluate(fn, {n: column[k].item() for n, column in columns.items()})[0] for k in range(64)]
        assert np.allclose(together, alone, rtol=1e-14, atol=0)
