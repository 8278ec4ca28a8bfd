"""A function in, the same with its derivative as a linear map out: tangents in and tangents out, or cotangents both.

The map has further inputs: `along(name)` holds a seed, `counts(name)` tells entry by entry whether the seed is there at all,
for a seed that is not there is a structural zero, and one that happens to be 0 is a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import Expr, Fn, Graph
from ..ops.array import Held, array, held
from ..types import Type
from .conditions import both
from .names import by_name, variables
from .products import along, shown, targets
from .pull import pull
from .push import push

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .conditions import Gated


class Linear(NamedTuple):
    """`fn` has the results of the function first, `first` of them, then what the map gives; `seeds` are the names that are seeded."""

    fn: Fn
    first: int
    seeds: tuple[str, ...]

    @property
    def moved(self) -> range:
        """The places of what the map gives among the results."""
        return range(self.first, len(self.fn.outs))


def counts(name: str) -> str:
    """The input that tells where the seed of a name is there."""
    return f"{name}'?"


def pushed(fn: Fn, wrt: Sequence[str], of: Sequence[int], partly: Collection[str]) -> Linear:
    """The tangents of the results at the places `of`, from tangents of the names `wrt`; those of `partly` come with their `counts`."""
    graph, outs, inputs = fn.open()
    params = list(fn.params)
    seeds: dict[int, Gated] = {}
    known = dict(zip(wrt, targets(graph, inputs, wrt), strict=True))
    for name, node in known.items():
        if node is not None:
            seed = seeded(graph, params, name, node.type, partly)
            seeds |= {v.id: (seed[0], both(held, seed[1])) for v, held in variables(node)}
    found = push(graph, seeds, [outs[k].id for k in of])
    tangents = [shown(graph, outs[k], found.get(outs[k].id)) for k in of]
    used = tuple([name for name, node in known.items() if node is not None])
    return Linear(Fn(graph, params, [*outs, *tangents], _names(fn, len(of))), len(outs), used)


def pulled(fn: Fn, wrt: Sequence[str], partly: Collection[str] = ()) -> Linear:
    """The cotangents of the names `wrt`, from that of the first result, which is seeded by its name among the results."""
    graph, outs, inputs = fn.open()
    params = list(fn.params)
    named = targets(graph, inputs, wrt)
    meant = [variables(t) if t else [] for t in named]
    seed = seeded(graph, params, fn.names[0], outs[0].type, partly)
    found = pull(graph, [(outs[0].id, seed)], [v.id for names in meant for v, _ in names])
    slopes = [shown(graph, t, by_name(names, found)) for t, names in zip(named, meant, strict=True)]
    return Linear(Fn(graph, params, [*outs, *slopes], _names(fn, len(wrt))), len(outs), (fn.names[0],))


def seeded(graph: Graph, params: list[tuple[str, Type]], name: str, type: Type, partly: Collection[str]) -> Gated:
    """The inputs that hold a seed; they are added to `params`."""
    there: Expr | None = None
    params.append((along(name), type))
    if name in partly:
        params.append((counts(name), Type("bool", type.shape)))
        there = graph.param(*params[-1])
    return (graph.param(along(name), type), there)


def seeded_with(linear: Linear, values: Mapping[str, Any]) -> Fn:
    """The function with these seeds for its inputs: numbers, arrays of NumPy, and conditions for where they are there."""
    graph = Graph(expanding=True)
    env = graph.inline(linear.fn, {name: constant(graph, value) for name, value in values.items()})
    params = [(name, type) for name, type in linear.fn.params if name not in values]
    return Fn(graph, params, [Expr(graph, env[o]) for o in linear.fn.outs], linear.fn.names)


def constant(graph: Graph, value: Any) -> Expr:
    """A number, or an array of NumPy, as a node; an array of numbers of many digits by their texts."""
    if hasattr(value, "dtype") and value.dtype.hasobject:
        return graph.add(array, [], (tuple([repr(x) for x in value.flat]), tuple(value.shape)))
    return graph.add(held, [], Held(value)) if hasattr(value, "shape") else graph.const(repr(value))


def columns(fn: Fn, groups: Mapping[int, Sequence[str]], reads: Sequence[tuple[int, int] | None], graph: Graph | None = None) -> Fn:
    """One push for each group of names, all of them numbers; then, for (group g, result k) of `reads`, the tangent of result k in group g.

    A name that is not seeded is a structural zero, and so is a read that is None. `graph` is the one that `fn` was cut from.
    """
    graph, outs, inputs = fn.open() if graph is None else fn.within(graph)
    wanted: dict[int, dict[int, None]] = {}
    for read in reads:
        if read is not None:
            wanted.setdefault(read[0], {})[outs[read[1]].id] = None
    found: dict[int, Mapping[int, Gated]] = {}
    for g, ids in wanted.items():
        nodes = [node for node in targets(graph, inputs, groups[g]) if node is not None]
        found[g] = push(graph, {v.id: (graph.const("1"), held) for node in nodes for v, held in variables(node)}, ids)
    entries = [shown(graph, None, None) if r is None else shown(graph, outs[r[1]], found[r[0]].get(outs[r[1]].id)) for r in reads]
    return Fn(graph, fn.params, [*outs, *entries], _names(fn, len(reads)))


def _names(fn: Fn, count: int) -> list[str]:
    return [*fn.names, *[f"moved {k}" for k in range(count)]]
