"""What a picture of a graph is made of, whatever draws it: nodes, edges and clusters with what they hold, and how much of it to draw."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...ops import OPS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ...diagnostics import Span
    from ...report import Value

KINDS = ("variable", "constant", "operation", "choice", "output", "port", "folded", "seed", "backward", "accumulate")
SYMMETRIC = ("+", "*", "==", "!=")
MOST_NODES, FOLDED_TO = 200, 60


class Node(NamedTuple):
    """One node: `kind` is one of `KINDS`, `label` its operator, function, number or name, `name` what the program calls it.

    `op` is its entry in the op table and `attr` the static part of it, such as an axis. `shape` is that of its value; `value` and `gradient` are None where they are not known; `moves` says whether a
    derivative passes through it; `cluster` is the innermost cluster that it stands in.
    """

    id: str
    kind: str
    label: str
    name: str = ""
    op: str = ""
    attr: Any = None
    shape: tuple[int, ...] = ()
    value: Value | None = None
    gradient: Value | None = None
    span: Span | None = None
    cluster: str = ""
    moves: bool = False


class Edge(NamedTuple):
    """What flows from a node to another: `kind` is "data", "start" or "next" (into what a loop carries) or "backward".

    `role` tells the edges of a choice or a loop apart; `off` is the side of a choice that was not taken. `rule` is the
    local partial as a formula and `partial` its value; on an edge of the backward pass `partial` is what flows back.
    """

    source: str
    target: str
    kind: str = "data"
    role: str = ""
    off: bool = False
    rule: str = ""
    partial: Value | None = None


class Cluster(NamedTuple):
    """A box round nodes: a "branch", a "loop", a "function", a "rule" (a function with its own derivative) or the "backward" pass.

    `taken` is None where nothing ran, `note` a second line such as the number of turns.
    """

    id: str
    kind: str
    title: str
    parent: str = ""
    taken: bool | None = None
    note: str = ""
    span: Span | None = None


class Drawing(NamedTuple):
    """A whole picture; nodes stand after those that they take, but for what goes round a loop. `folded` counts nodes left out; `into`
    says which node stands for one that went into it.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    clusters: tuple[Cluster, ...] = ()
    folded: int = 0
    into: Mapping[str, str] = MappingProxyType({})


class Choice(NamedTuple):
    """What of a graph is drawn, and how; 0 as a limit is no limit. More nodes than `max_nodes` are folded to about `fold_to` of them."""

    static: bool = False
    inline: bool = False
    partials: bool = False
    backward: bool = False
    hide_constants: bool = False
    max_nodes: int = MOST_NODES
    fold_to: int = 0
    max_depth: int = 0
    rankdir: str = "TB"
    theme: str = "light"
    digits: int = 12


def idle(drawing: Drawing) -> set[str]:
    """The nodes that stand in a branch that was not taken."""
    boxes: set[str] = set()
    for cluster in drawing.clusters:
        if cluster.taken is False or cluster.parent in boxes:
            boxes.add(cluster.id)
    return {node.id for node in drawing.nodes if node.cluster in boxes}


def matters(op: str) -> bool:
    """Whether an operator tells its left operand from its right one."""
    found = OPS.get(op)
    return found is not None and (
        found.infix is not None and len(found.parameters) == 2 and found.infix.symbol not in SYMMETRIC or op == "matmul"
    )


def distinct(edges: Iterable[Edge], lumps: Collection[str]) -> tuple[Edge, ...]:
    """The edges, of those that join the same nodes only the first where one of them stands for many."""
    seen: set[tuple[str, ...]] = set()
    found = []
    for edge in edges:
        key = (edge.source, edge.target, edge.kind)
        if edge.source in lumps or edge.target in lumps:
            if key in seen:
                continue
            seen.add(key)
        found.append(edge)
    return tuple(found)


def nested(drawing: Drawing) -> Iterator[tuple[int, Node | Cluster | None]]:
    """Every node in its box, boxes in boxes: how deep, and a node, a box that begins, or None where one ends."""
    inside: dict[str, list[Node | Cluster]] = {"": [], **{cluster.id: [] for cluster in drawing.clusters}}
    for node in drawing.nodes:
        inside[node.cluster].append(node)
    for cluster in drawing.clusters:
        inside[cluster.parent].append(cluster)
    begun = [iter(inside[""])]
    while begun:
        item = next(begun[-1], None)
        if item is None:
            begun.pop()
            if begun:
                yield len(begun), None
            continue
        yield len(begun), item
        if isinstance(item, Cluster):
            begun.append(iter(inside[item.id]))
