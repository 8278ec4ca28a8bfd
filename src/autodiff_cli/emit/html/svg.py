"""A picture in; the SVG of it out, whose nodes, edges and boxes a script finds by name, with every text of the user's escaped."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..graph.layout import layout
from ..graph.places import FLAT, LINE, PADDING, width
from ..graph.words import heading, number, said, short, sized, title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..graph.layout import Layout
    from ..graph.model import Cluster, Drawing, Edge, Node
    from ..graph.places import Place

DIGITS = 6
CUT, INSET, SPREAD = 8.0, 3.0, 0.6
SMALL, ROW = 0.85, 10.0  # the width of the letters at edges, of those in nodes, and their height
PARTS = (0.5, 0.35, 0.65, 0.8, 0.2)
ROUND = {"variable": 99.0, "accumulate": 99.0, "seed": 99.0, "operation": 6.0, "output": 6.0, "folded": 2.0, "constant": 2.0}
DOUBLE = ("output", "accumulate", "seed")
UP = ("next", "backward")
ARROWS = ("data", "now", "backward", "next")


def svg(drawing: Drawing, roomy: Callable[[Node], Node], rankdir: str) -> str:
    """The picture with everything in its place; `roomy` gives a node that needs as much room as a node ever will."""
    rooms = {node.id: lines(roomy(node)) for node in drawing.nodes}
    at = layout(drawing, lambda node: list(rooms[node.id].values()), rankdir)
    flat = rankdir in FLAT
    arrivals, free = _arrivals(drawing, at, flat=flat), Free(at)
    parts = [
        f'<svg id="graph" viewBox="0 0 {_n(at.width)} {_n(at.height)}" role="group" aria-label="computation graph" tabindex="-1">',
        "<defs>", *[_arrow(kind) for kind in ARROWS], "</defs>", '<g id="view">',
        *[_box(cluster, at.clusters[cluster.id]) for cluster in drawing.clusters],
        *[_edge(edge, at, bends, end, free, flat=flat) for edge, bends, end in zip(drawing.edges, at.edges, arrivals, strict=True)],
        *[_node(node, rooms[node.id], at.nodes[node.id]) for node in drawing.nodes],
        "</g>", "</svg>",
    ]  # fmt: skip
    return "\n".join(parts)


def lines(node: Node) -> dict[str, str]:
    """What stands in a node: title, shape, value and gradient, as far as it has them."""
    found = {"title": title(node)}
    if node.shape:
        found["shape"] = sized(node.shape)
    if node.value is not None and node.kind != "constant":
        found["value"] = f"= {number(node.value, DIGITS)}"
    if node.gradient is not None:
        found["gradient"] = f"grad {number(node.gradient, DIGITS)}"
    return found


def _n(x: float) -> str:
    """A number of pixels."""
    return f"{x:.1f}".removesuffix(".0")


def escaped(text: str) -> str:
    """A text as HTML shows it; what cannot be printed is a blank."""
    plain = "".join([c if c.isprintable() else " " for c in text])
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _arrow(kind: str) -> str:
    return f'<marker id="arrow-{kind}" class="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 1 8 4 0 7Z"/></marker>'


def _box(cluster: Cluster, place: Place) -> str:
    x, y = place.x - place.width / 2, place.y - place.height / 2
    taken = {None: "", True: " taken", False: " off"}[cluster.taken]
    words = [f'<tspan x="{_n(x + PADDING / 2)}" dy="{_n(LINE)}">{escaped(line)}</tspan>' for line in heading(cluster)]
    return (
        f'<g id="{cluster.id}" class="box {cluster.kind}{taken}"><rect x="{_n(x)}" y="{_n(y)}" width="{_n(place.width)}" height="{_n(place.height)}" rx="8"/>'
        f'<text y="{_n(y)}">{"".join(words)}</text></g>'
    )


def _node(node: Node, room: Iterable[str], place: Place) -> str:
    words = lines(node)
    spoken = ", ".join(
        [node.kind, *[f"gradient{line.removeprefix('grad')}" if kind == "gradient" else line for kind, line in words.items()]]
    )
    return (
        f'<g id="{node.id}" class="node {node.kind}" tabindex="0" role="button" aria-label="{escaped(spoken)}" transform="translate({_n(place.x)} {_n(place.y)})">'
        f"{_shape(node.kind, place.width, place.height)}{''.join(_texts(words, room, place.height))}</g>"
    )


def _texts(words: Mapping[str, str], room: Iterable[str], height: float) -> Iterator[str]:
    """A line for everything that there is room for."""
    for k, kind in enumerate(room):
        y = -height / 2 + PADDING / 2 + LINE * (k + 1) - 4
        yield f'<text class="{kind}" y="{_n(y)}">{escaped(words.get(kind, ""))}</text>'


def _shape(kind: str, width: float, height: float) -> str:
    """The outline of a kind of node: it alone tells it from the others."""
    w, h = width / 2, height / 2
    if kind in ROUND:
        radius = min(ROUND[kind], h)
        outer = f'<rect class="outline" x="{_n(-w)}" y="{_n(-h)}" width="{_n(width)}" height="{_n(height)}" rx="{_n(radius)}"/>'
        inner = f'<rect class="inset" x="{_n(INSET - w)}" y="{_n(INSET - h)}" width="{_n(width - 2 * INSET)}" height="{_n(height - 2 * INSET)}" rx="{_n(max(radius - INSET, 0))}"/>'
        return outer + inner * (kind in DOUBLE)
    top = CUT if kind in ("choice", "backward") else 0.0
    corners = [(-w + top, -h), (w - top, -h), (w, -h + top), (w, h - CUT), (w - CUT, h), (CUT - w, h), (-w, h - CUT), (-w, top - h)]
    return f'<path class="outline" d="M{"L".join([f"{_n(x)} {_n(y)}" for x, y in corners])}Z"/>'


def _arrivals(drawing: Drawing, at: Layout, *, flat: bool) -> list[float]:
    """Where each edge arrives, from the middle of its target: side by side, in the order in which they come."""
    into: dict[str, list[int]] = {}
    for k, edge in enumerate(drawing.edges):
        into.setdefault(edge.target, []).append(k)
    found = [0.0] * len(drawing.edges)
    for target, edges in into.items():
        came = sorted(edges, key=lambda k: ((at.edges[k][-1] if at.edges[k] else at.nodes[drawing.edges[k].source])[flat], k))
        step = at.nodes[target][3 if flat else 2] * SPREAD / len(came)
        for rank, k in enumerate(came):
            found[k] = (rank - (len(came) - 1) / 2) * step
    return found


def _edge(edge: Edge, at: Layout, bends: Sequence[tuple[float, float]], shift: float, free: Free, *, flat: bool) -> str:
    points = [*_ends(at.nodes[edge.source], at.nodes[edge.target], shift, flat=flat)]
    points[1:1] = bends
    off = " off" if edge.off else ""
    ends = f'data-from="{edge.source}" data-to="{edge.target}"'
    text = short(said(edge, DIGITS))
    words = ""
    if text:
        x, y = free.place(points, width(text) * SMALL)
        slope = edge.kind != "backward" and (edge.rule or edge.partial is not None)
        told = f' partial" {ends} data-role="{escaped(edge.role)}' if slope else ""
        words = f'<text class="edge-label{told}" x="{_n(x)}" y="{_n(y)}">{escaped(text)}</text>'
    return f'<path class="edge {edge.kind}{off}" {ends} d="{_curve(points, flat=flat)}"/>{words}'


class Free:
    """Where on an edge there is room for a text: not on the text of another one, nor on a node."""

    def __init__(self, at: Layout) -> None:
        self.taken: dict[int, list[tuple[float, float]]] = {}
        for node in at.nodes.values():
            for row in range(int((node.y - node.height / 2) // ROW), int((node.y + node.height / 2) // ROW) + 1):
                self._take(row, node.x, node.width)

    def place(self, points: Sequence[tuple[float, float]], wide: float) -> tuple[float, float]:
        """The first free one of some places on the way, else the first of all."""
        spots = [_along(points, part) for part in PARTS]
        x, y = next((spot for spot in spots if not any(self._met(row, spot[0], wide) for row in _rows(spot[1]))), spots[0])
        for row in _rows(y):
            self._take(row, x, wide)
        return x, y

    def _take(self, row: int, x: float, wide: float) -> None:
        self.taken.setdefault(row, []).append((x - wide / 2, x + wide / 2))

    def _met(self, row: int, x: float, wide: float) -> bool:
        return any(x - wide / 2 < high and low < x + wide / 2 for low, high in self.taken.get(row, ()))


def _rows(y: float) -> range:
    """The rows that a text whose line is at y covers."""
    return range(int((y - ROW) // ROW), int(y // ROW) + 1)


def _along(points: Sequence[tuple[float, float]], part: float) -> tuple[float, float]:
    """The place after a part of the way along a curve, where each piece takes as long."""
    piece = min(int(part * (len(points) - 1)), len(points) - 2)
    t = part * (len(points) - 1) - piece
    (x0, y0), (x1, y1) = points[piece], points[piece + 1]
    s = t * t * (3 - 2 * t)  # across the flow the curve begins and ends slowly
    return x0 + (x1 - x0) * s, y0 + (y1 - y0) * t


def _ends(a: Place, b: Place, shift: float, *, flat: bool) -> Iterator[tuple[float, float]]:
    """Where an edge leaves a node and where it arrives at another."""
    if flat:
        way = 1 if b.x >= a.x else -1
        yield from ((a.x + way * a.width / 2, a.y), (b.x - way * b.width / 2, b.y + shift))
    else:
        way = 1 if b.y >= a.y else -1
        yield from ((a.x, a.y + way * a.height / 2), (b.x + shift, b.y - way * b.height / 2))


def _curve(points: Sequence[tuple[float, float]], *, flat: bool) -> str:
    """A curve through points, in each of them along the way."""
    found = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        x, y = _n((x0 + x1) / 2), _n((y0 + y1) / 2)
        found.append(f"C{x} {_n(y0)} {x} {_n(y1)} {_n(x1)} {_n(y1)}" if flat else f"C{_n(x0)} {y} {_n(x1)} {y} {_n(x1)} {_n(y1)}")
    return "".join(found)
