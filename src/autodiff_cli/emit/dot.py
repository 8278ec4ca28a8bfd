"""A picture in, DOT out: the same bytes for the same picture, every text of the user's standing for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .graph.model import Cluster, idle, matters, nested
from .graph.themes import THEMES
from .graph.words import caption, heading, lines, said

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .graph.model import Choice, Drawing, Edge, Node
    from .graph.themes import Theme

FONT = 'fontname="Helvetica"'
SHAPES = {
    "variable": "shape=ellipse penwidth=1.5",
    "constant": 'style="filled,dotted" height=0.3 width=0.3 margin="0.08,0.04"',
    "operation": 'style="filled,rounded"',
    "choice": 'style="filled,diagonals"',
    "output": 'style="filled,rounded" peripheries=2 penwidth=1.5',
    "port": 'shape=invhouse margin="0.04,0.02"',
    "folded": 'shape=folder style="filled,dashed"',
    "seed": "shape=circle peripheries=2",
    "backward": 'shape=octagon margin="0.06,0.03"',
    "accumulate": "shape=ellipse peripheries=2",
}
DEEPEST = 20  # levels of indentation
CORNERS = {"TB": ("nw", "ne"), "BT": ("sw", "se"), "LR": ("nw", "sw"), "RL": ("ne", "se")}
SIDES = ("left", "right")
BORDERS = {
    "branch": 'style="filled,rounded" penwidth=1.5',
    "loop": 'style="filled,rounded" penwidth=2',
    "function": 'style="filled,rounded" penwidth=1',
    "rule": "style=filled penwidth=2 peripheries=2",
    "backward": 'style="filled,rounded,dashed" penwidth=1.5',
}


def dot(drawing: Drawing, choice: Choice) -> str:
    """A picture as DOT: nodes in their boxes, then the edges."""
    theme = THEMES[choice.theme]
    below = caption(drawing)
    return "".join([
        "digraph autodiff {\n",
        f'  graph [rankdir={choice.rankdir} newrank=true bgcolor="{theme.ground}" {FONT} fontcolor="{theme.ink}" fontsize=12',
        f" label={label([below])}" if below else "", "]\n" if drawing.clusters else " ordering=in]\n",
        f'  node [shape=box style=filled height=0.4 width=0.5 {FONT} fontsize=12 fontcolor="{theme.nodes["operation"].ink}"]\n  edge [{FONT} fontsize=10 color="{theme.arrow}" fontcolor="{theme.ink}" arrowsize=0.8]\n',
        *_boxes(drawing, choice, theme),
        *[_edge(edge, choice, theme, order) for edge, order in zip(drawing.edges, _orders(drawing, choice), strict=True)],
        "}\n",
    ])  # fmt: skip


def _boxes(drawing: Drawing, choice: Choice, theme: Theme) -> Iterator[str]:
    """Every node, in its box; boxes stand in boxes."""
    off = idle(drawing)
    for depth, item in nested(drawing):
        indent = "  " * min(depth, DEEPEST)
        if item is None:
            yield indent + "}\n"
        elif isinstance(item, Cluster):
            yield f"{indent}subgraph cluster_{item.id} {{\n{indent}  {_frame(item, theme)}\n"
        else:
            yield indent + _node(item, choice, theme, off=item.id in off)


def _frame(cluster: Cluster, theme: Theme) -> str:
    paint, border = theme.boxes[cluster.kind], BORDERS[cluster.kind]
    if cluster.taken is False:
        border, paint = 'style="rounded,dashed" penwidth=1', paint._replace(line=theme.faint, ink=theme.faint)
    elif cluster.taken:
        border = border.replace("penwidth=1.5", "penwidth=3")
    text = label(heading(cluster), "\\l")
    return f'graph [label={text} labeljust=l {border} color="{paint.line}" fillcolor="{paint.fill}" fontcolor="{paint.ink}" fontsize=11]'


def _node(node: Node, choice: Choice, theme: Theme, *, off: bool) -> str:
    paint = theme.nodes[node.kind]
    text = label(lines(node, choice.digits))
    ink = "" if paint.ink == theme.nodes["operation"].ink else f' fontcolor="{paint.ink}"'
    shape = SHAPES[node.kind]
    if off:
        shape = shape.replace('"filled', '"filled,dashed') if '"filled' in shape else f'style="filled,dashed" {shape}'
        paint, ink = paint._replace(line=theme.faint), f' fontcolor="{theme.faint}"'
    return f'{node.id} [{shape} fillcolor="{paint.fill}" color="{paint.line}"{ink} label={text}]\n'


def _orders(drawing: Drawing, choice: Choice) -> Iterator[str]:
    """What keeps the order of two operands where it matters and `dot` cannot: the first one comes from the left, or its arrow says so."""
    operands: dict[str, list[str]] = {node.id: [] for node in drawing.nodes if matters(node.op)}
    for edge in drawing.edges:
        if edge.kind == "data" and edge.target in operands:
            operands[edge.target].append(edge.source)
    pairs = {tuple(found) for found in operands.values()}
    crossed = {id for id, found in operands.items() if len(set(found)) > 1 and tuple(found[::-1]) in pairs}
    arrays = {node.id for node in drawing.nodes if node.op == "matmul"}  # corners of many of these are more than `dot` can route
    corners = CORNERS[choice.rankdir]
    seen: dict[str, int] = {}
    for edge in drawing.edges:
        place = seen[edge.target] = seen.get(edge.target, -1) + 1
        if edge.kind != "data" or edge.target not in operands or not (drawing.clusters or edge.target in crossed):
            yield ""
        elif edge.target in arrays or not drawing.clusters:
            yield SIDES[min(place, 1)]
        else:
            yield corners[min(place, 1)]


def _edge(edge: Edge, choice: Choice, theme: Theme, order: str) -> str:
    text = ": ".join([part for part in (order if order in SIDES else "", said(edge, choice.digits)) if part])
    found = ([f"label={label([' ' + text])}"] if text else []) + ([f"headport={order}"] if order and order not in SIDES else [])
    if edge.off:
        found.append(f'style=dashed color="{theme.faint}" fontcolor="{theme.faint}"')
    elif edge.kind == "next":
        found.append(f'style=bold constraint=false color="{theme.next}" fontcolor="{theme.next}"')
    elif edge.kind == "backward":
        found.append(f'dir=back style=dashed color="{theme.back}" fontcolor="{theme.back}"')
        edge = edge._replace(source=edge.target, target=edge.source)
    elif edge.kind == "start":
        found.append("style=dashed")
    return f"  {edge.source} -> {edge.target}{' [' + ' '.join(found) + ']' if found else ''}\n"


def label(lines: Sequence[str], left: str = "") -> str:
    """A quoted label: backslashes, quotes and entities of the user's text stand for themselves; `left` ends lines on the left."""
    return '"' + (left or "\\n").join([_escaped(line) for line in lines]) + left + '"'


def _escaped(line: str) -> str:
    line = line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return "".join([c if c.isprintable() else " " for c in line])
