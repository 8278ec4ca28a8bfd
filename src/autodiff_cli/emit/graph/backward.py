"""A picture of a graph and the sweep of its function in; the same with the backward pass beside it out, as PyTorch names it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ...derive.conditions import gate, plus
from ...graph import PARAM
from ...ops import OPS
from ...run.point import evaluate
from ...types import is_sequence
from .model import Cluster, Drawing, Edge, Node
from .words import MORE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...derive.conditions import Gated
    from ...report import Value
    from ..drawing import Shown
    from .sweep import Seen

WHOLE = ("loop", "rule")  # boxes that hand back in one piece
BOX = "backward"
NAMED = 3  # variables in a bundle


def backward(drawing: Drawing, seen: Seen, shown: Shown | None) -> Drawing:
    """What a sweep hands back, with arrows the other way; variables add up what comes to them. With gradients, arrows show the shares."""
    clusters = {cluster.id: cluster for cluster in drawing.clusters}
    units = _units(drawing, clusters)
    result = seen.inside[seen.made.value.id]
    end = units[result]
    shares = _shares(seen, units, end, {(edge.source, edge.target) for edge in drawing.edges if edge.off})
    if not shares:
        return drawing
    amounts = _amounts(seen, shares, shown)
    met = {end, *[share.target for share in shares]}
    last = {units[node.id]: node for node in drawing.nodes}
    last |= {node.id: node for node in drawing.nodes if node.kind == "folded"}
    several = {unit for unit, count in Counter([unit for unit, _ in {(s.target, s.at) for s in shares}]).items() if count > 1}
    nodes = [_node(unit, node, clusters, seen, alone=unit not in several) for unit, node in reversed(last.items()) if unit in met]
    seed = Node("seed", "seed", "1", cluster=BOX)
    edges = [Edge(result, seed.id, "data", "seed"), Edge(seed.id, f"b{end}", "backward")]
    for share, amount in zip(shares, amounts, strict=True):
        edges.append(
            Edge(f"b{share.source}", f"b{share.target}", "backward", share.role if share.target in several else "", partial=amount)
        )
    box = Cluster(BOX, "backward", "backward pass")
    return drawing._replace(nodes=(*drawing.nodes, seed, *nodes), edges=(*drawing.edges, *edges), clusters=(*drawing.clusters, box))


class Share(NamedTuple):
    """What `source` hands to the part of `target` that stands at `at` and is called `role`."""

    source: str
    target: str
    at: int
    role: str
    amount: Gated


def _shares(seen: Seen, units: Mapping[str, str], end: str, off: set[tuple[str, str]]) -> list[Share]:
    """What is handed from unit to unit, from the end to variables; nothing goes to the side of a choice that was not taken."""
    found: dict[tuple[str, int], Share] = {}
    met = {end}
    labels = {node.id: node.label for node in seen.parts.nodes}
    for given in seen.handed():
        source, target = units[given.source], units[given.target]
        if source not in met or source == target or (given.target, given.source) in off:
            continue
        met.add(target)
        before = found.get((source, given.at))
        amount = plus(before.amount if before else None, given.amount)
        found[source, given.at] = Share(source, target, given.at, labels.get(given.target, ""), amount)
    ends = {units[name] for i, name in seen.inside.items() if seen.made.graph.nodes[i].op is PARAM}
    kept = []
    for share in reversed(found.values()):
        if share.target in ends:
            ends.add(share.source)
            kept.append(share)
    return kept[::-1]


def _amounts(seen: Seen, shares: Sequence[Share], shown: Shown | None) -> list[Value | None]:
    """The numbers that are handed on; None where they are not known, or there is one a turn."""
    if shown is None or not shown.gradients:
        return [None] * len(shares)
    asked = [gate(share.amount) for share in shares]
    alone = [e for e in asked if not is_sequence(e.type)]
    made = seen.made._replace(slopes=())
    ran = iter(evaluate(made.run(alone), shown.point)[1:])
    return [None if is_sequence(e.type) else next(ran) for e in asked]


def _units(drawing: Drawing, clusters: Mapping[str, Cluster]) -> dict[str, str]:
    """What each node is in the backward pass: itself, or the loop or the rule that it stands in."""
    outer = {"": ""}
    for cluster in drawing.clusters:
        outer[cluster.id] = outer[cluster.parent] or (cluster.id if cluster.kind in WHOLE else "")
    units = {node.id: outer[node.cluster] or node.id for node in drawing.nodes}
    results = {node.id for node in drawing.nodes if node.kind in ("port", "output") and node.op == "out"}
    return units | {
        edge.target: units[edge.source] for edge in drawing.edges if edge.target in results and units[edge.target] == edge.target
    }


def _node(unit: str, node: Node, clusters: Mapping[str, Cluster], seen: Seen, *, alone: bool) -> Node:
    """The backward step of a unit whose last node is `node`; its gradient where it has one alone."""
    whole, span = node._replace(id=f"b{unit}", attr=None, value=None, cluster=BOX, moves=False), node.span
    if unit in clusters:
        cluster = clusters[unit]
        word, span = "loop" if cluster.kind == "loop" else cluster.title, cluster.span
    elif node.label.startswith(MORE):
        variables = [f"{n.label}.grad" for n in seen.parts.nodes if n.op == "param" and seen.drawn_as(n.id) == unit]
        return whole._replace(kind="backward", name=", ".join([*variables[:NAMED], *["…"] * (len(variables) > NAMED)]) or node.name)
    elif node.kind == "folded":
        return whole._replace(kind="backward", label=f"{named(_word(node.name, node))} ({node.label})", name="")
    elif node.op == "param":
        return whole._replace(kind="accumulate", label="AccumulateGrad", name=f"{node.label}.grad")
    else:
        word = _word(node.label, node)
    return whole._replace(kind="backward", label=named(word), name="", span=span, gradient=node.gradient if alone else None)


def _word(label: str, node: Node) -> str:
    """The name of what a node does: a function that is called, a loop, or its operator's op."""
    word = ("stack" if node.op == "joined" else "index") if label.startswith("[") else label.partition(" ")[0].partition("(")[0]
    return "loop" if word in ("while", "for") else word if word.isidentifier() else node.op


def named(word: str) -> str:
    """The name of the backward step of an op, or of a function: `log_sigmoid` hands back by `LogSigmoidBackward`."""
    word = word.partition("(")[0]
    op = OPS.get(word)
    word = op.spell if op and op.spell else word
    return "".join([part[:1].upper() + part[1:] for part in word.split("_")]) + "Backward"
