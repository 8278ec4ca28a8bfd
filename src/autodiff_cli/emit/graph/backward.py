"""A picture of a graph in; the same with the backward pass beside it out, as PyTorch names it: MulBackward, AccumulateGrad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ops import OPS
from .model import Cluster, Drawing, Edge, Node, distinct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...report import Value

WHOLE = ("loop", "rule")  # boxes that hand back in one piece
BOX = "backward"


def backward(drawing: Drawing) -> Drawing:
    """The nodes that a derivative passes, once more, with arrows the other way; variables add up what comes to them."""
    clusters = {cluster.id: cluster for cluster in drawing.clusters}
    units = _units(drawing, clusters)
    last = {units[node.id]: node for node in drawing.nodes if node.moves}
    result = next(node.id for node in drawing.nodes if node.kind == "output" or node is drawing.nodes[-1])
    end = units[result]
    if end not in last:
        return drawing
    ways = [edge for edge in reversed(drawing.edges) if _flows(edge, units, last)]
    met = _reached(end, [(units[edge.target], units[edge.source]) for edge in ways])
    nodes = [_node(unit, node, clusters) for unit, node in reversed(last.items()) if unit in met]
    seed = Node("seed", "seed", "1", cluster=BOX)
    edges = [Edge(result, seed.id, "data", "seed"), Edge(seed.id, f"b{end}", "backward")]
    edges += [_back(edge, units) for edge in ways if units[edge.target] in met]
    box = Cluster(BOX, "backward", "backward pass")
    lumps = {f"b{unit}" for unit in last if unit in clusters}
    edges.sort(key=lambda edge: edge.partial is None and edge.source in lumps)  # of several into a rule, one knows its partial
    return Drawing((*drawing.nodes, seed, *nodes), (*drawing.edges, *distinct(edges, lumps)), (*drawing.clusters, box), drawing.folded)


def _reached(end: str, ways: Sequence[tuple[str, str]]) -> set[str]:
    """What a cotangent comes to from the result."""
    steps: dict[str, list[str]] = {}
    for a, b in ways:
        steps.setdefault(a, []).append(b)
    met, todo = {end}, [end]
    while todo:
        fresh = [unit for unit in steps.get(todo.pop(), ()) if unit not in met]
        met.update(fresh)
        todo += fresh
    return met


def _units(drawing: Drawing, clusters: Mapping[str, Cluster]) -> dict[str, str]:
    """What each node is in the backward pass: itself, or the loop or the rule that it stands in."""
    outer = {"": ""}
    for cluster in drawing.clusters:
        outer[cluster.id] = outer[cluster.parent] or (cluster.id if cluster.kind in WHOLE else "")
    units = {node.id: outer[node.cluster] or node.id for node in drawing.nodes}
    results = {node.id for node in drawing.nodes if node.op == "out"}
    return units | {
        edge.target: units[edge.source] for edge in drawing.edges if edge.target in results and units[edge.target] == edge.target
    }


def _flows(edge: Edge, units: Mapping[str, str], last: Mapping[str, Node]) -> bool:
    """Whether a cotangent goes back along an edge."""
    a, b = units[edge.source], units[edge.target]
    return a in last and b in last and a != b and not edge.off and edge.kind != "next" and edge.role != "condition"


def _back(edge: Edge, units: Mapping[str, str]) -> Edge:
    return Edge(f"b{units[edge.target]}", f"b{units[edge.source]}", "backward", partial=edge.partial)


def _node(unit: str, node: Node, clusters: Mapping[str, Cluster]) -> Node:
    gradient, shape, span = node.gradient, node.shape, node.span
    if unit in clusters:
        cluster = clusters[unit]
        word = "loop" if cluster.kind == "loop" else cluster.title.partition("(")[0]
        return Node(f"b{unit}", "backward", named(word), op=node.op, shape=shape, gradient=gradient, span=cluster.span, cluster=BOX)
    if node.op == "param":
        return Node(f"b{unit}", "accumulate", "AccumulateGrad", f"{node.label}.grad", node.op, None, shape, None, gradient, span, BOX)
    word = node.label.partition(" ")[0]
    return Node(
        f"b{unit}",
        "backward",
        named(word if word.isidentifier() and node.kind != "choice" else node.op),
        "",
        node.op,
        None,
        shape,
        None,
        gradient,
        span,
        BOX,
    )


def named(word: str) -> str:
    """The name of the backward step of an op, or of a function: `log_sigmoid` hands back by `LogSigmoidBackward`."""
    op = OPS.get(word)
    word = op.spell if op and op.spell else word
    return "".join([part[:1].upper() + part[1:] for part in word.split("_")]) + "Backward"


def shares(drawing: Drawing) -> Drawing:
    """The picture with what each edge hands back where the partial is known: the gradient of what it goes into, times the partial."""
    units = _units(drawing, {cluster.id: cluster for cluster in drawing.clusters})
    gradients = {units[node.id]: node.gradient for node in drawing.nodes if node.gradient is not None}
    edges = [e._replace(partial=_share(gradients.get(units[e.target]), e.partial)) for e in drawing.edges]
    return drawing._replace(edges=tuple(edges))


def _share(gradient: Value | None, partial: Value | None) -> Value | None:
    return None if gradient is None or partial is None else gradient * partial
