"""Forward mode: tangents of inputs in, tangents of results out. The mirror of `pull`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ops.structured import call_, loop_, out_
from .conditions import plus
from .partials import above, on
from .pull import between

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..graph import Graph
    from .conditions import Gated


def push(graph: Graph, seeds: dict[int, Gated], outs: Iterable[int]) -> dict[int, Gated]:
    """Walk from the inputs up to `outs`, adding partial times tangent of each argument.

    `seeds` are the tangents of the inputs, and of named values, where they come on top of what flows
    there. A node that is missing in the answer has a structural zero. (Wengert, 1964.)
    """
    tangents = dict(seeds)
    outs = list(outs)
    results: dict[int, dict[int, Gated]] = {}
    for i in between(graph, outs, set(seeds)):
        if i in seeds and not graph.nodes[i].args:
            continue
        graph.site = above(graph.sites[i])
        op, args, attr, _ = graph.nodes[i]
        if op is loop_:
            from .loop import push_loop

            results[i] = push_loop(graph, i, tangents)
            continue
        total = results[args[0]].get(attr) if op is out_ else _called(graph, i, tangents) if op is call_ else _total(graph, i, tangents)
        if total is not None:
            tangents[i] = plus(seeds.get(i), total)
    graph.site = None
    return {i: tangents[i] for i in outs if i in tangents}


def _called(graph: Graph, i: int, tangents: dict[int, Gated]) -> Gated | None:
    from .callee import push_call

    return push_call(graph, i, tangents)


def _total(graph: Graph, i: int, tangents: dict[int, Gated]) -> Gated | None:
    """The tangent of node i from those of its arguments."""
    total = None
    for k, j in enumerate(graph.nodes[i].args):
        if j in tangents:
            share = on(graph, i, k, tangents[j])
            if share is not None:
                total = plus(total, share)
    return total
