"""A picture in; the same with no more nodes or levels than asked for out: calls and loops closed, what is far from the result folded."""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from .model import Drawing, Edge, Node, distinct
from .tidy import common, tidy
from .words import short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .model import Cluster

CLOSED = ("function", "rule", "loop")
SHARE = 4  # of the nodes that are drawn, one in so many may be a variable or a bundle of folded nodes
FEWEST = 8  # calls are not closed where less than one in so many of the nodes would be left
NAMED = 3
LEAVES = ("variable", "constant")


def fold(drawing: Drawing, most: int, deepest: int) -> Drawing:
    """At most about `most` nodes, `deepest` steps from the result; 0 is no limit."""
    total = len(drawing.nodes)
    if most and total > most:
        drawing = _closed(drawing, most)
    depth = _depths(drawing)
    kept = {node.id for node in drawing.nodes if not deepest or depth[node.id] <= deepest}
    if most and len(kept) > most:
        kept = _nearest(drawing, depth, kept, most)
    drawing = _bundled(drawing, kept, most)
    shown = sum(node.kind != "folded" for node in drawing.nodes)
    return drawing._replace(folded=total - shown)


def close_derivatives(drawing: Drawing) -> Drawing:
    """Each derivative that the program itself takes as one node."""
    levels = {cluster.id: 1 for cluster in drawing.clusters if cluster.kind == "derivative"}
    closed = _representatives(drawing, levels, 1)
    into = {node.id: closed[node.cluster] for node in drawing.nodes if node.cluster in closed}
    titles = {cluster.id: cluster.title for cluster in drawing.clusters}
    merged = _merged(drawing, into) if into else drawing
    ends = {into.get(node.id) for node in drawing.nodes if node.kind == "output"}
    kinds = {id: "output" if id in ends else "operation" for id in titles}
    nodes = [node._replace(kind=kinds[node.id], label=titles[node.id], name="") if node.id in titles else node for node in merged.nodes]
    return merged._replace(nodes=tuple(nodes))


def hide_constants(drawing: Drawing) -> Drawing:
    """The picture without constants, but for one that is the result."""
    gone = {node.id for node in drawing.nodes if node.kind == "constant"}
    nodes = tuple([node for node in drawing.nodes if node.id not in gone])
    return tidy(drawing._replace(nodes=nodes, edges=tuple([e for e in drawing.edges if e.source not in gone])))


def _closed(drawing: Drawing, most: int) -> Drawing:
    """Calls and loops closed to one node each, the innermost first, as long as there are too many nodes."""
    levels = _levels(drawing)
    best: Mapping[str, str] = {}
    for level in range(max(levels.values(), default=0), 0, -1):
        closed = _representatives(drawing, levels, level)
        left = len({closed.get(node.cluster, node.id) for node in drawing.nodes})
        if left * FEWEST < most:
            break
        best = closed
        if left <= most:
            break
    return _merged(drawing, {node.id: best[node.cluster] for node in drawing.nodes if node.cluster in best}) if best else drawing


def _levels(drawing: Drawing) -> dict[str, int]:
    """How many boxes that can be closed each box stands in, itself counted."""
    levels = {"": 0}
    for cluster in drawing.clusters:
        levels[cluster.id] = levels[cluster.parent] + (cluster.kind in CLOSED)
    return levels


def _representatives(drawing: Drawing, levels: Mapping[str, int], level: int) -> dict[str, str]:
    """For each box of this level or below, the box of this level that is closed over it."""
    found: dict[str, str] = {}
    for cluster in drawing.clusters:
        if cluster.parent in found:
            found[cluster.id] = found[cluster.parent]
        elif levels.get(cluster.id, 0) >= level and cluster.kind in (*CLOSED, "derivative"):
            found[cluster.id] = cluster.id
    return found


def _depths(drawing: Drawing) -> dict[str, int]:
    """The most steps from each node to the result; what only the next turn of a loop reads is as far as its loop."""
    users: dict[str, list[str]] = {}
    for edge in drawing.edges:
        if edge.kind != "next":
            users.setdefault(edge.source, []).append(edge.target)
    depth: dict[str, int] = {}
    loop: dict[str, int] = {}
    for node in reversed(drawing.nodes):
        steps = [depth[user] for user in users.get(node.id, ()) if user in depth]
        near = min if node.kind in ("variable", "constant") else max
        depth[node.id] = near(steps) + 1 if steps else loop.get(node.cluster, 0)
        loop.setdefault(node.cluster, depth[node.id])
    return depth


def _nearest(drawing: Drawing, depth: Mapping[str, int], kept: set[str], most: int) -> set[str]:
    """The nodes nearest to the result, among them some of the variables."""
    order = sorted([k for k, node in enumerate(drawing.nodes) if node.id in kept], key=lambda k: (depth[drawing.nodes[k].id], -k))
    nodes = [drawing.nodes[k] for k in order]
    variables = [node.id for node in nodes if node.kind == "variable"][: most // SHARE]
    others = [node.id for node in nodes if node.kind != "variable"][: max(most - len(variables) - most // SHARE, 1)]
    return {*variables, *others}


def _bundled(drawing: Drawing, kept: set[str], most: int) -> Drawing:
    """What is not kept as one node for each connected piece; pieces with the same users, and those beyond the limit, are one."""
    gone = [node.id for node in drawing.nodes if node.id not in kept]
    if not gone:
        return drawing
    parent = {id: id for id in gone}
    users: dict[str, set[str]] = {}
    for edge in drawing.edges:
        if edge.source in parent and edge.target in parent:
            _join(parent, edge.source, edge.target)
    for edge in drawing.edges:
        if edge.source in parent and edge.target not in parent:
            users.setdefault(_root(parent, edge.source), set()).add(edge.target)
    names: dict[frozenset[str], str] = {}
    limit = max(most // SHARE, 1) if most else len(gone)
    into = {}
    for id in gone:
        key = frozenset(users.get(_root(parent, id), ()))
        if key not in names:
            names[key] = f"m{min(len(names), limit - 1)}"
        into[id] = names[key]
    sizes = Counter(into.values())
    return _merged(drawing, {id: name for id, name in into.items() if sizes[name] > 1})


def _root(parent: dict[str, str], id: str) -> str:
    while parent[id] != id:
        parent[id] = parent[parent[id]]
        id = parent[id]
    return id


def _join(parent: dict[str, str], a: str, b: str) -> None:
    parent[_root(parent, a)] = _root(parent, b)


def _merged(drawing: Drawing, into: Mapping[str, str]) -> Drawing:
    """Nodes that go into the same bundle as one node."""
    members: dict[str, list[Node]] = {}
    for node in drawing.nodes:
        if node.id in into:
            members.setdefault(into[node.id], []).append(node)
    clusters = {cluster.id: cluster for cluster in drawing.clusters}
    parents = {cluster.id: cluster.parent for cluster in drawing.clusters}
    nodes = [node for node in drawing.nodes if node.id not in into]
    sizes = Counter(drawing.into.values())
    for name, found in members.items():
        home = parents[name] if name in parents else common({node.cluster for node in found}, parents)
        nodes.append(
            _bundle(name, found, sum([sizes[node.id] if node.kind == "folded" else 1 for node in found]), clusters.get(name), home)
        )
    edges = distinct([e for e in [_led(edge, into) for edge in drawing.edges] if e.source != e.target or e.source not in members], members)
    return tidy(drawing._replace(nodes=_ordered(nodes, edges), edges=edges, into={**drawing.into, **into}))


def _ordered(nodes: Sequence[Node], edges: Sequence[Edge]) -> tuple[Node, ...]:
    """The nodes after those that they take, otherwise as they stand; what is in a circle comes last."""
    place = {node.id: k for k, node in enumerate(nodes)}
    users: list[list[int]] = [[] for _ in nodes]
    left = [0] * len(nodes)
    for edge in edges:
        if edge.kind != "next":
            users[place[edge.source]].append(place[edge.target])
            left[place[edge.target]] += 1
    ready = [k for k, count in enumerate(left) if not count]
    order = []
    while ready:
        k = heappop(ready)
        order.append(k)
        for user in users[k]:
            left[user] -= 1
            if not left[user]:
                heappush(ready, user)
    return tuple([nodes[k] for k in (*order, *[k for k, count in enumerate(left) if count])])


def _led(edge: Edge, into: Mapping[str, str]) -> Edge:
    """The edge between the bundles of its ends; what it says of one node does not hold of many."""
    if edge.source not in into and edge.target not in into:
        return edge
    return Edge(into.get(edge.source, edge.source), into.get(edge.target, edge.target), edge.kind, edge.role)


def _bundle(name: str, members: Sequence[Node], size: int, box: Cluster | None, cluster: str) -> Node:
    """One node for many: a closed box with its result, or how many there are and what is among them most."""
    count = f"{size:,} node{'s' * (size != 1)}"
    moves = any(member.moves for member in members)
    if box is not None:
        return members[-1]._replace(id=name, kind="folded", name=box.title, label=count, span=box.span, cluster=cluster, moves=moves)
    words = [node.kind if node.kind in LEAVES else node.name if node.kind == "folded" else node.label for node in members]
    kinds = Counter(words).most_common(NAMED)
    most = ", ".join([f"{n:,} {kind}{'s' * (n > 1)}" if kind in LEAVES else f"{n:,} × {short(kind)}" for kind, n in kinds])
    return Node(name, "folded", f"… {count}", name=most, cluster=cluster, moves=moves)
