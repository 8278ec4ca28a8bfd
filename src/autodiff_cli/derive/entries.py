"""Tangents by every entry of an array at once: the entries stand in front, as a first axis.

One number is differentiated backwards, and what it hands back meets the tangents of what it was made of; an array forwards,
once, over all entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import PARAM, Expr, Fn, Graph, needed
from ..ops.arithmetic import eq, real
from ..ops.array import counting
from ..ops.linear import add_up, permuted, reshaped
from ..types import Type
from .block import size
from .conditions import both, carry, plus
from .pull import pull
from .push import push
from .rows import Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .conditions import Gated

    Seeds = Mapping[int, Gated]
    Shape = tuple[int, ...]


def tangent(seeds: Seeds, value: Expr, shape: Shape) -> Gated | None:
    """The tangent of a value by every entry of an array of a shape, from those of nodes it is made of; the array itself is seeded with 1."""
    return _forward(seeds, value, shape) if value.type.shape else _backward(seeds, value, shape)


def as_jacobian(found: Expr, shape: Shape) -> Expr:
    """The entries that stood in front stand behind, in the shape of their array."""
    rest = found.type.shape[1:]
    return reshaped(permuted(found, (*range(1, len(rest) + 1), 0)), (*rest, *shape))


def _backward(seeds: Seeds, value: Expr, shape: Shape) -> Gated | None:
    """Of one number: its cotangents, each times the tangents of what it belongs to."""
    count, total = size(shape), None
    found = pull(value.graph, [(value.id, (value.graph.const("1"), None))], seeds)
    for i, (tangent, held) in seeds.items():
        if i in found:
            cotangent, p = found[i]
            if tangent.type.shape:
                share = _met((cotangent, both(held, p)), tangent, (count, *value.graph.nodes[i].type.shape))
            else:
                share = carry((value.graph.broadcast(cotangent, shape), both(held, p)), lambda u: reshaped(u, (count,)), "")
            total = plus(total, share)
    return total


def _met(cotangent: Gated, tangent: Expr, shape: Shape) -> Gated:
    """A cotangent times the tangents by every entry, added up over what it belongs to."""
    u, p = cotangent
    graph = u.graph
    product = graph.broadcast(u, shape) * graph.broadcast(tangent, shape)
    held = p if p is None or not p.type.shape else graph.broadcast(p, shape)
    return carry((product, held), lambda u: add_up(u, tuple(range(1, len(shape)))), "add")


def _forward(seeds: Seeds, value: Expr, shape: Shape) -> Gated | None:
    """Of an array: one push in a graph aside, that is then made over all entries."""
    graph, count = value.graph, size(shape)
    aside = Graph(expanding=True)
    made: dict[int, int] = {}
    given: dict[str, Expr] = {}
    for i in needed(graph.nodes, [value.id]):
        op, args, attr, type = graph.nodes[i]
        aside.site = graph.sites[i]
        made[i] = aside.intern(op, tuple([made[j] for j in args]), attr, type)
        if op is PARAM:
            given[attr] = Expr(graph, i)
    inner = {made[i]: _placed(aside, i, seed, graph, given, shape) for i, seed in seeds.items() if i in made}
    found = push(aside, inner, [made[value.id]]).get(made[value.id])
    if found is None:
        return None
    u, p = aside.broadcast(found[0], value.type.shape), found[1]
    outs = [u] if p is None else [u, p]
    rows = Rows(Fn(aside, [], outs, ["tangent", "held"][: len(outs)]), {n for n in given if n.startswith("@")}, count, given, graph)
    return rows.spread(u.id), None if p is None else _condition(rows, p, value.type.shape)


def _placed(aside: Graph, i: int, seed: Gated, graph: Graph, given: dict[str, Expr], shape: Shape) -> Gated:
    """Inputs of the graph aside that hold a seed of one entry; all of them are `given`, with a name that begins with @."""
    own, (tangent, held) = graph.nodes[i].type.shape, seed
    given[f"@{i}"] = graph.broadcast(tangent, (size(shape), *own)) if tangent.type.shape else _identity(graph, shape)
    value = aside.param(f"@{i}", Type("real", own))
    if held is None:
        return value, None
    many = bool(held.type.shape)
    name = f"@{i}?" if many else f"{i}?"
    given[name] = held
    return value, aside.param(name, Type("bool", held.type.shape[1:]))


def _condition(rows: Rows, p: Expr, shape: Shape) -> Expr:
    """One condition for all entries, or one for each entry of each tangent."""
    made, graph = rows.of[p.id], rows.graph
    if not p.type.shape and not rows.many[p.id]:
        return made
    full = (rows.count, *shape)
    if rows.many[p.id] and not p.type.shape:
        made = reshaped(made, (rows.count, *[1] * len(shape)))
    return graph.broadcast(made, full)


def _identity(graph: Graph, shape: Shape) -> Expr:
    """Every entry of an array by every entry."""
    count = size(shape)
    numbers = counting(graph, count)
    same = eq(graph.broadcast(reshaped(numbers, (count, 1)), (count, count)), graph.broadcast(numbers, (count, count)))
    return reshaped(real(same), (count, *shape))
