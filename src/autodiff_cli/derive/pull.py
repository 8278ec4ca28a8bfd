"""Reverse mode: cotangents of results in, cotangents of inputs out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ops.structured import call_, loop_, out_
from .conditions import plus
from .partials import above, back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..graph import Graph
    from .conditions import Gated

    Hear = Callable[[int, int, Gated, Gated], None]


def pull(graph: Graph, seeds: Iterable[tuple[int, Gated]], wrt: Iterable[int], hear: Hear | None = None) -> dict[int, Gated]:
    """Walk from the results down to `wrt`, adding cotangent times partial to each argument.

    `seeds` are (node, cotangent). A node of `wrt` that is missing in the answer has a structural
    zero. `hear` is told of every share: the node, the place of its argument, the share, and the
    argument's sum so far. (The reverse accumulation of Linnainmaa, 1970.)
    """
    cotangents: dict[int, Gated] = {}

    def give(i: int, k: int, share: Gated) -> None:
        j = graph.nodes[i].args[k]
        cotangents[j] = plus(cotangents.get(j), share)
        if hear:
            hear(i, k, share, cotangents[j])

    results: dict[int, dict[int, Gated]] = {}
    for i, seed in seeds:
        cotangents[i] = plus(cotangents.get(i), seed)
    targets = set(wrt)
    path = between(graph, cotangents, targets)
    on_path = set(path)
    for i in reversed(path):
        op, args, attr, _ = graph.nodes[i]
        if op is loop_ and i in results:
            from .loop import pull_loop

            graph.site = above(graph.sites[i])
            for k, share in pull_loop(graph, i, results.pop(i), on_path):
                give(i, k, share)
        cotangent = cotangents.get(i) if i in targets else cotangents.pop(i, None)
        if cotangent is None:
            continue
        if op is out_:
            results.setdefault(args[0], {})[attr] = cotangent
            continue
        graph.site = above(graph.sites[i])
        for k, share in shares(graph, i, cotangent, on_path):
            give(i, k, share)
    graph.site = None
    return {i: cotangents[i] for i in targets if i in cotangents}


def shares(graph: Graph, i: int, cotangent: Gated, on_path: set[int]) -> Iterator[tuple[int, Gated]]:
    """What node i hands back to its arguments: the place of each, and its share."""
    args = graph.nodes[i].args
    if graph.nodes[i].op is call_:
        from .callee import pull_call

        yield from pull_call(graph, i, cotangent, on_path)
        return
    for k, j in enumerate(args):
        if j in on_path:
            share = back(graph, i, k, cotangent)
            if share is not None:
                yield k, share


def between(graph: Graph, outs: Iterable[int], wrt: set[int]) -> list[int]:
    """The nodes on a path from `wrt` to `outs`, in order."""
    nodes = graph.nodes
    top = max(outs, default=-1) + 1
    needed = bytearray(top)
    for i in outs:
        needed[i] = 1
    for i in range(top - 1, -1, -1):
        if needed[i]:
            for j in nodes[i].args:
                needed[j] = 1
    active: set[int] = set()
    found = []
    for i in range(min(wrt, default=top), top):
        if needed[i] and (i in wrt or not active.isdisjoint(nodes[i].args) and nodes[i].type.kind != "bool"):
            active.add(i)
            found.append(i)
    return found
