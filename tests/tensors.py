"""Derivatives of arrays by both modes and by differences, for tests: a function, values and directions in, arrays out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_cli.derive import gradient
from autodiff_cli.derive.conditions import gate
from autodiff_cli.derive.push import push
from autodiff_cli.graph import Fn
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
    x = np.asarray(values[name], float)
    pushed = along(fn, name)
    columns = []
    for k in range(x.size):
        unit = np.zeros(x.shape)
        unit.flat[k] = 1.0
        columns.append(np.asarray(point.evaluate(pushed, {**values, T: unit if x.shape else 1.0})[0]))
    return np.stack(columns, axis=-1).reshape((*columns[0].shape, *x.shape))


def hessian(fn: Fn, values: Mapping[str, Any], name: str) -> Array:
    """Second derivatives by one variable twice: push over pull."""
    return jacobian(gradient(fn, [name]).only(1), values, name)


def difference(fn: Fn, values: Mapping[str, Any], name: str, direction: Array, k: int = 0, step: float = 1e-6) -> Array:
    """The central difference of result k along a direction."""
    above, below = (point.evaluate(fn, {**values, name: values[name] + s * step * direction})[k] for s in (1, -1))
    return (np.asarray(above) - np.asarray(below)) / (2 * step)
