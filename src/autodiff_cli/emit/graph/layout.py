"""A picture in, the place of every node out, with no other program: levels from the variables to the result, few crossings.

The method is that of Sugiyama, Tagawa and Toda (1981): the level of a node is the longest way to it, an edge over several
levels bends in each of them, the order in a level comes from sweeps that move a node to the mean place of its neighbours.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .places import FLAT, LINE, MARGIN, PADDING, Place, placed, width
from .words import heading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .model import Drawing, Edge, Node

    Links = dict[str, list[str]]

SWEEPS, DEEPEST = 8, 8
BEND = 10.0
ROUND, ENDS = ("variable", "accumulate", "seed"), 12.0  # nodes with round ends, and how much wider these make them
MOST_BENDS = 20_000


class Layout(NamedTuple):
    """The places of nodes and clusters by their ids, the bends of each edge, in their order, and the size of the whole."""

    nodes: dict[str, Place]
    clusters: dict[str, Place]
    edges: list[list[tuple[float, float]]]
    width: float
    height: float


class Net:
    """Nodes and bends in levels; `above` and `below` are what each is joined to in the levels next to its own."""

    def __init__(self, drawing: Drawing, sizes: Mapping[str, tuple[float, float]]) -> None:
        self.sizes = dict(sizes)
        self.level = levels(drawing)
        self.cluster = {node.id: node.cluster for node in drawing.nodes}
        self.boxes = {cluster.id: cluster.parent for cluster in drawing.clusters}
        self.chains: dict[str, list[str]] = {}
        self.above: Links = {id: [] for id in self.sizes}
        self.below: Links = {id: [] for id in self.sizes}
        self.left = MOST_BENDS
        self.bends = [self._joined(k, edge) for k, edge in enumerate(drawing.edges)]
        self.rows: list[list[str]] = [[] for _ in range(max(self.level.values(), default=-1) + 1)]
        for id, level in self.level.items():
            self.rows[level].append(id)

    def chain(self, id: str) -> list[str]:
        """The boxes round a node, from the outside in, as far as they tell nodes apart."""
        place = self.cluster[id]
        if place not in self.chains:
            found, at = [], place
            while at:
                found.append(at)
                at = self.boxes[at]
            self.chains[place] = found[::-1][:DEEPEST]
        return self.chains[place]

    def _joined(self, k: int, edge: Edge) -> list[str]:
        """The bends of an edge, from its source to its target."""
        start, end = self.level[edge.source], self.level[edge.target]
        step = 1 if end > start else -1
        between = list(range(start + step, end, step)) if start != end else []
        if len(between) > self.left:
            between = []
        self.left -= len(between)
        names = [f"{k} {level}" for level in between]
        home = next((c for c in reversed(self.chain(edge.source)) if c in self.chain(edge.target)), "")
        for name, level in zip(names, between, strict=True):
            self.level[name], self.sizes[name], self.above[name], self.below[name] = level, (BEND, 0.0), [], []
            self.cluster[name] = home
        way = [edge.source, *names, edge.target]
        for a, b in pairwise(way):
            upper, lower = (a, b) if self.level[a] <= self.level[b] else (b, a)
            self.below[upper].append(lower)
            self.above[lower].append(upper)
        return names


def layout(drawing: Drawing, written: Callable[[Node], Sequence[str]], rankdir: str = "TB") -> Layout:
    """Where everything stands; the same for the same picture. `written` gives the lines of a node, `rankdir` says where the result is."""
    sizes = {node.id: _size(written(node), ENDS if node.kind in ROUND else 0.0) for node in drawing.nodes}
    net = Net(drawing, {id: size[::-1] for id, size in sizes.items()} if rankdir in FLAT else sizes)
    _span(net, drawing)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        _sweep(net, net.rows if down else net.rows[::-1], net.above if down else net.below)
    places = {id: _turned(place, rankdir) for id, place in placed(net, drawing, rankdir).items()}
    nodes = {node.id: places[node.id] for node in drawing.nodes}
    clusters = _around(drawing, nodes)
    dx, dy = _corner([*nodes.values(), *clusters.values()])
    nodes, clusters = ({id: p._replace(x=round(p.x + dx, 1), y=round(p.y + dy, 1)) for id, p in ps.items()} for ps in (nodes, clusters))
    edges = [[(round(places[b].x + dx, 1), round(places[b].y + dy, 1)) for b in bends] for bends in net.bends]
    every = [*nodes.values(), *clusters.values()]
    width, height = max([p.x + p.width / 2 for p in every], default=0.0), max([p.y + p.height / 2 for p in every], default=0.0)
    return Layout(nodes, clusters, edges, round(width + MARGIN, 1), round(height + MARGIN, 1))


def _turned(place: Place, rankdir: str) -> Place:
    """A place in the picture, from one in levels below each other."""
    x, y, width, height = place
    way = -y if rankdir in ("BT", "RL") else y
    return Place(way, x, height, width) if rankdir in FLAT else Place(x, way, width, height)


def _size(texts: Sequence[str], ends: float) -> tuple[float, float]:
    return max(map(width, texts)) + 2 * PADDING + ends, len(texts) * LINE + PADDING


def levels(drawing: Drawing) -> dict[str, int]:
    """The level of every node: below all that it takes; what takes nothing stands just above its first user."""
    inputs: Links = {node.id: [] for node in drawing.nodes}
    users: Links = {node.id: [] for node in drawing.nodes}
    for edge in drawing.edges:
        if edge.kind != "next":
            a, b = (edge.target, edge.source) if edge.kind == "backward" else (edge.source, edge.target)
            inputs[b].append(a)
            users[a].append(b)
    order = _ordered(inputs, users)
    level: dict[str, int] = {}
    for id in order:
        level[id] = max([level[j] + 1 for j in inputs[id]], default=0)
    for id in order:
        if not inputs[id] and users[id]:
            level[id] = min(level[j] for j in users[id]) - 1
    return {node.id: level[node.id] for node in drawing.nodes}


def _ordered(inputs: Links, users: Links) -> list[str]:
    """The nodes after those that they take; what is left in a circle comes last, as it stands."""
    left = {id: len(found) for id, found in inputs.items()}
    ready = [id for id, count in left.items() if not count]
    for id in ready:
        for user in users[id]:
            left[user] -= 1
            if not left[user]:
                ready.append(user)
    done = set(ready)
    rest = [id for id in inputs if id not in done]
    for id in rest:
        inputs[id] = [j for j in inputs[id] if j in done]
        done.add(id)
    return ready + rest


def _span(net: Net, drawing: Drawing) -> None:
    """Let every box have a place in each level from its first to its last: what is not in it stands beside it."""
    levels: dict[str, set[int]] = {cluster.id: set() for cluster in drawing.clusters}
    for id, level in net.level.items():
        for cluster in net.chain(id):
            levels[cluster].add(level)
    for cluster, found in levels.items():
        for level in range(min(found, default=0), max(found, default=-1) + 1):
            if level not in found:
                name = f"{cluster} {level}"
                net.sizes[name], net.cluster[name], net.level[name], net.above[name], net.below[name] = (0.0, 0.0), cluster, level, [], []
                net.rows[level].append(name)


def _sweep(net: Net, rows: Sequence[list[str]], links: Links) -> None:
    """Sort every level by the mean place of the neighbours in the level before; boxes stand side by side alike in all levels."""
    place = {id: k / max(len(row), 1) for row in net.rows for k, id in enumerate(row)}
    boxes = _middles(net, place)
    for row in rows:
        mean = {id: sum([place[j] for j in links[id]]) / len(links[id]) if links[id] else place[id] for id in row}
        row.sort(key=lambda id: [*[(boxes[c], c) for c in net.chain(id)], (mean[id], ""), (place[id], "")])
        for k, id in enumerate(row):
            place[id] = k / len(row)


def _middles(net: Net, place: Mapping[str, float]) -> dict[str, float]:
    """The mean place of what stands in each box."""
    total: dict[str, tuple[float, int]] = {}
    for id in net.cluster:
        for cluster in net.chain(id):
            before, count = total.get(cluster, (0.0, 0))
            total[cluster] = (before + place[id], count + 1)
    return {cluster: value / count for cluster, (value, count) in total.items()}


def _around(drawing: Drawing, nodes: Mapping[str, Place]) -> dict[str, Place]:
    """A box round everything that stands in each cluster, with room for its heading."""
    inside: dict[str, list[Place]] = {cluster.id: [] for cluster in drawing.clusters}
    for node in drawing.nodes:
        if node.cluster:
            inside[node.cluster].append(nodes[node.id])
    found: dict[str, Place] = {}
    for cluster in reversed(drawing.clusters):
        parts, words = inside[cluster.id], heading(cluster)
        x0, x1 = min(p.x - p.width / 2 for p in parts) - PADDING, max(p.x + p.width / 2 for p in parts) + PADDING
        y0, y1 = min(p.y - p.height / 2 for p in parts) - PADDING - LINE * len(words), max(p.y + p.height / 2 for p in parts) + PADDING
        x1 = max(x1, x0 + max(map(width, words)) + PADDING)
        found[cluster.id] = Place((x0 + x1) / 2, (y0 + y1) / 2, round(x1 - x0, 1), round(y1 - y0, 1))
        if cluster.parent:
            inside[cluster.parent].append(found[cluster.id])
    return {cluster.id: found[cluster.id] for cluster in drawing.clusters}


def _corner(places: Sequence[Place]) -> tuple[float, float]:
    """What moves everything to the right and below of the margin."""
    return MARGIN - min([p.x - p.width / 2 for p in places], default=0.0), MARGIN - min([p.y - p.height / 2 for p in places], default=0.0)
