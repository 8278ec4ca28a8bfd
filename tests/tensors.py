"""Derivatives of arrays by both modes and by differences, for tests: a function, values and directions in, arrays out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_cli.derive import gradient
from autodiff_cli.derive.conditions import carry, gate
from autodiff_cli.derive.push import push
from autodiff_cli.graph import Fn
from autodiff_cli.ops import OPS
from autodiff_cli.ops.linear import add_up
from autodiff_cli.run import point

if TYPE_CHECKING:
    from collections.abc import Mapping

Array = Any
T, E = "@t", "@e"  # no names of the language


def along(fn: Fn, name: str) -> Fn:
    """The tangent of the first result along a direction of one variable, which is a further input."""
    graph, outs, inputs = fn.open()
    direction = graph.param(T, inputs[name].type)
    found = push(graph, {inputs[name].id: (direction, None)}, [outs[0].id])
    shape = outs[0].type.shape
    tangent = gate(found[outs[0].id]) if outs[0].id in found else graph.const("0")
    return Fn(graph, (*fn.params, (T, direction.type)), [graph.broadcast(tangent, shape)], ["tangent"])


def forward(fn: Fn, values: Mapping[str, Any], name: str, direction: Array) -> Array:
    """The derivative along a direction, by forward mode."""
    return point.evaluate(along(fn, name), {**values, T: direction})[0]


def weighed(fn: Fn, k: int) -> Fn:
    """The sum of result k times weights, which are a further input."""
    graph, outs, _ = fn.only(k).open()
    weights = graph.param(E, outs[0].type)
    total = add_up(outs[0] * weights, tuple(range(len(weights.type.shape))))
    return Fn(graph, (*fn.params, (E, weights.type)), [total], ["total"])


def jacobian(fn: Fn, values: Mapping[str, Any], name: str) -> Array:
    """All derivatives of the first result by one variable, one push an entry: shape of the result + shape of the variable."""
    shape = np.shape(values[name])
    columns = [np.asarray(point.evaluate(_pushed(fn, name, shape, place), values)[0]) for place in np.ndindex(shape)]
    return np.stack(columns, axis=-1).reshape((*columns[0].shape, *shape))


def _pushed(fn: Fn, name: str, shape: tuple[int, ...], place: tuple[int, ...]) -> Fn:
    """The derivative by one entry; the others get a structural zero."""
    graph, outs, inputs = fn.open()
    one = (graph.const("1"), None)
    seed = carry(one, lambda u: graph.add(OPS["place"], [u], (shape, place)), "spread") if shape else one
    found = push(graph, {inputs[name].id: seed}, [outs[0].id])
    tangent = gate(found[outs[0].id]) if outs[0].id in found else graph.const("0")
    return Fn(graph, fn.params, [graph.broadcast(tangent, outs[0].type.shape)], ["tangent"])


def hessian(fn: Fn, values: Mapping[str, Any], name: str) -> Array:
    """Second derivatives by one variable twice: push over pull."""
    return jacobian(gradient(fn, [name]).only(1), values, name)


def difference(fn: Fn, values: Mapping[str, Any], name: str, direction: Array, k: int = 0, step: float = 1e-6) -> Array:
    """The central difference of result k along a direction."""
    above, below = (point.evaluate(fn, {**values, name: values[name] + s * step * direction})[k] for s in (1, -1))
    return (np.asarray(above) - np.asarray(below)) / (2 * step)
