"""A picture in; the same with constants beside what takes them, and without ports and boxes that hold nothing, out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .model import matters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .model import Drawing, Edge, Node

DEEPEST = 100
COUNTER = "@turn"  # what the engine counts turns with, where the loop does not
OWN = {"d": "tangent", "q": "condition of the tangent", "f": "not set again"}  # what a loop carries for derivatives inside it
FEW = 4  # users that one constant serves in one box


def tidy(drawing: Drawing) -> Drawing:
    """The boxes that hold more than constants, in the order of their nodes."""
    parents = {cluster.id: cluster.parent for cluster in drawing.clusters}
    held = _held((node.cluster for node in drawing.nodes if node.kind != "constant"), parents)
    nodes = []
    for node in drawing.nodes:
        place = node.cluster
        while place and place not in held:
            place = parents[place]
        nodes.append(node._replace(cluster=place))
    return drawing._replace(nodes=tuple(nodes), clusters=tuple([c for c in drawing.clusters if c.id in held]))


def _held(places: Iterable[str], parents: Mapping[str, str]) -> set[str]:
    """The boxes that something stands in."""
    held: set[str] = set()
    for place in places:
        at = place
        while at and at not in held:
            held.add(at)
            at = parents[at]
    return held


def without_idle(drawing: Drawing) -> Drawing:
    """The picture without what nothing takes, and without what the engine carries round a loop for itself."""
    used = {edge.source for edge in drawing.edges if edge.kind == "data"}
    ports = {node.id: node for node in drawing.nodes if node.kind == "port" and node.op in ("carry", "item")}
    idle = {id for id, node in ports.items() if node.label == COUNTER or id not in used and node.label[:1] == "@"}
    idle |= {id for id, node in ports.items() if id not in used and node.op == "item"}
    results = {edge.source for edge in drawing.edges if edge.role == "after the last turn" and edge.source not in ports}
    idle |= {edge.target for edge in drawing.edges if edge.kind == "next" and edge.target not in used and edge.source not in results}
    idle |= {edge.target for edge in drawing.edges if edge.source in idle and edge.target in ports and edge.target not in used}
    users: dict[str, list[str]] = {}
    for edge in drawing.edges:
        users.setdefault(edge.source, []).append(edge.target)
    live = ports.keys() - idle
    for node in reversed(drawing.nodes):
        if node.kind == "output" or node.id not in ports and any([user in live for user in users.get(node.id, ())]):
            live.add(node.id)
    live -= {id for id in live if id in ports and ports[id].op == "item" and live.isdisjoint(users.get(id, ()))}
    nodes = [_plain(node) for node in drawing.nodes if node.id in live]
    return drawing._replace(nodes=tuple(nodes), edges=tuple([e for e in drawing.edges if e.source in live and e.target in live]))


def _plain(node: Node) -> Node:
    """A port of the engine's own without the mark of its name."""
    if node.kind != "port" or node.label[:1] != "@":
        return node
    mark, _, name = node.label[1:].partition(" ")
    said, number = OWN.get(mark[:1]), mark[1:]
    if said is None or not number.isdigit():
        return node._replace(label=node.label[1:])
    which = "" if number == "0" else f" #{int(number) + 1}"
    return node._replace(label=f"{said}{which}{' of ' * bool(name)}{name}")


def spread_constants(drawing: Drawing) -> Drawing:
    """A constant that is read in several boxes, or as a left operand and as a right one, stands once for each; where many read it, beside
    each of them.
    """
    users: dict[str, list[int]] = {}
    place = dict.fromkeys([node.id for node in drawing.nodes if matters(node.op)], 0)
    left: set[int] = set()
    for k, edge in enumerate(drawing.edges):
        users.setdefault(edge.source, []).append(k)
        if edge.target in place:
            left |= {k} if not place[edge.target] else set()
            place[edge.target] += 1
    at = {node.id: node.cluster for node in drawing.nodes}
    edges = list(drawing.edges)
    nodes: list[Node] = []
    for node in drawing.nodes:
        if node.kind == "constant" and users.get(node.id):
            nodes += _copies(node, [(k, at[edges[k].target], k in left) for k in users[node.id]], edges)
        else:
            nodes.append(node)
    return drawing._replace(nodes=tuple(nodes), edges=tuple(edges))


def _copies(node: Node, users: Sequence[tuple[int, str, bool]], edges: list[Edge]) -> Iterator[Node]:
    """The copies of a constant, edges led to them; a user is an edge, its box, and whether the constant is a left operand."""
    many = {place for place, count in Counter([place for _, place, _ in users]).items() if count > FEW}
    groups: dict[tuple[str, str | bool], list[int]] = {}
    for k, place, left in users:
        groups.setdefault((place, edges[k].target if place in many else left), []).append(k)
    for number, ((place, _), found) in enumerate(groups.items()):
        copy = node._replace(id=node.id if not number else f"{node.id}_{number}", cluster=place)
        for k in found:
            edges[k] = edges[k]._replace(source=copy.id)
        yield copy


def common(places: Iterable[str], parents: Mapping[str, str]) -> str:
    """The innermost box round all of these places."""
    found: list[str] | None = None
    for place in places:
        way, at = [place], place
        while at and len(way) < DEEPEST:
            at = parents[at]
            way.append(at)
        chain = way[::-1]
        if found is None:
            found = chain
            continue
        same = 0
        while same < min(len(found), len(chain)) and found[same] == chain[same]:
            same += 1
        found = found[:same]
    return found[-1] if found else ""
