"""A picture in, DOT out: the same bytes for the same picture, every text of the user's standing for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ops import OPS
from .graph.model import Cluster, nested
from .graph.themes import THEMES
from .graph.words import caption, heading, lines, said

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..graph import Op
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
SYMMETRIC = ("+", "*", "==", "!=")
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
        *[_edge(edge, choice, theme, port) for edge, port in zip(drawing.edges, _ports(drawing, choice), strict=True)],
        "}\n",
    ])  # fmt: skip


def _boxes(drawing: Drawing, choice: Choice, theme: Theme) -> Iterator[str]:
    """Every node, in its box; boxes stand in boxes."""
    for depth, item in nested(drawing):
        indent = "  " * min(depth, DEEPEST)
        if item is None:
            yield indent + "}\n"
        elif isinstance(item, Cluster):
            yield f"{indent}subgraph cluster_{item.id} {{\n{indent}  {_frame(item, theme)}\n"
        else:
            yield indent + _node(item, choice, theme)


def _frame(cluster: Cluster, theme: Theme) -> str:
    paint, border = theme.boxes[cluster.kind], BORDERS[cluster.kind]
    if cluster.taken is False:
        border, paint = 'style="rounded,dashed" penwidth=1', paint._replace(line=theme.faint, ink=theme.faint)
    elif cluster.taken:
        border = border.replace("penwidth=1.5", "penwidth=3")
    text = label(heading(cluster), "\\l")
    return f'graph [label={text} labeljust=l {border} color="{paint.line}" fillcolor="{paint.fill}" fontcolor="{paint.ink}" fontsize=11]'


def _node(node: Node, choice: Choice, theme: Theme) -> str:
    paint = theme.nodes[node.kind]
    text = label(lines(node, choice.digits))
    ink = "" if paint.ink == theme.nodes["operation"].ink else f' fontcolor="{paint.ink}"'
    return f'{node.id} [{SHAPES[node.kind]} fillcolor="{paint.fill}" color="{paint.line}"{ink} label={text}]\n'


def _ports(drawing: Drawing, choice: Choice) -> Iterator[str]:
    """Where each edge enters, where the order of two operands matters and boxes keep `dot` from keeping it: the first one comes from the left."""
    ordered = {node.id for node in drawing.nodes if drawing.clusters and node.op in OPS and matters(OPS[node.op])}
    seen: dict[str, int] = {}
    corners = CORNERS[choice.rankdir]
    for edge in drawing.edges:
        place = seen[edge.target] = seen.get(edge.target, -1) + 1
        yield f"headport={corners[min(place, 1)]}" if edge.kind == "data" and edge.target in ordered else ""


def matters(op: Op) -> bool:
    """Whether an operator tells its left operand from its right one."""
    return op.infix is not None and len(op.parameters) == 2 and op.infix.symbol not in SYMMETRIC


def _edge(edge: Edge, choice: Choice, theme: Theme, port: str) -> str:
    text = said(edge, choice.digits)
    found = ([f"label={label([' ' + text])}"] if text else []) + ([port] if port else [])
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
