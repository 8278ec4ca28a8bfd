"""Reverse mode: cotangents of results in, cotangents of inputs out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .conditions import plus
from .partials import above, back

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..graph import Graph
    from .conditions import Gated


def pull(graph: Graph, seeds: Iterable[tuple[int, Gated]], wrt: Iterable[int]) -> dict[int, Gated]:
    """Walk from the results down to `wrt`, adding cotangent times partial to each argument.

    `seeds` are (node, cotangent). A node of `wrt` that is missing in the answer has a structural
    zero. (The reverse accumulation of Linnainmaa, 1970.)
    """
    cotangents: dict[int, Gated] = {}
    for i, seed in seeds:
        cotangents[i] = plus(cotangents.get(i), seed)
    targets = set(wrt)
    path = between(graph, cotangents, targets)
    on_path = set(path)
    for i in reversed(path):
        cotangent = cotangents.get(i) if i in targets else cotangents.pop(i, None)
        if cotangent is None:
            continue
        graph.site = above(graph.sites[i])
        for k, j in enumerate(graph.nodes[i].args):
            if j in on_path:
                share = back(graph, i, k, cotangent)
                if share is not None:
                    cotangents[j] = plus(cotangents.get(j), share)
    graph.site = None
    return {i: cotangents[i] for i in targets if i in cotangents}


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
    active = bytearray(top)
    for i in range(min(wrt, default=top), top):
        if needed[i]:
            active[i] = i in wrt or (nodes[i].type[0] == "real" and any(active[j] for j in nodes[i].args))
    return [i for i in range(top) if active[i]]
