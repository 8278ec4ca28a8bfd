"""A picture in, a Mermaid flowchart out, for pages that draw it themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import Cluster, idle, nested
from .themes import THEMES
from .words import caption, heading, lines, said

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .model import Choice, Drawing, Edge, Node

SHAPES = {
    "variable": ('(["', '"])'),
    "constant": ('["', '"]'),
    "operation": ('("', '")'),
    "choice": ('[\\"', '"/]'),
    "output": ('[["', '"]]'),
    "port": ('>"', '"]'),
    "folded": ('[("', '")]'),
    "seed": ('(("', '"))'),
    "backward": ('{{"', '"}}'),
    "accumulate": ('(["', '"])'),
}
TAKEN, NOT_TAKEN = "stroke-width:3px", "stroke-dasharray:4 3"
DEEPEST = 20  # levels of indentation
ARROWS = {"data": "-->", "start": "-.->", "next": "==>", "backward": "-.->"}
PLAIN = frozenset(" .,;:+-*/=()[]|~^!?'_%…")


def mermaid(drawing: Drawing, choice: Choice) -> str:
    """The picture as a flowchart: nodes in their boxes, edges, colours."""
    kinds = dict.fromkeys(node.kind for node in drawing.nodes)
    theme, hidden = THEMES[choice.theme], idle(drawing)
    paints = [f"  classDef {k} fill:{p.fill},stroke:{p.line},color:{p.ink}\n" for k in kinds for p in [theme.nodes[k]]]
    off = [node.id for node in drawing.nodes if node.id in hidden]
    if off:
        paints += [f"  classDef off stroke-dasharray:4 3,color:{theme.faint},stroke:{theme.faint}\n", f"  class {','.join(off)} off\n"]
    paints += [f"  style {c.id} {TAKEN if c.taken else NOT_TAKEN}\n" for c in drawing.clusters if c.taken is not None]
    below = caption(drawing)
    return "".join([
        f"flowchart {choice.rankdir}\n", *_boxes(drawing, choice), *[_edge(edge, choice) for edge in drawing.edges],
        *([f'  note["{text([below])}"]\n'] if below else []), *paints,
    ])  # fmt: skip


def _boxes(drawing: Drawing, choice: Choice) -> Iterator[str]:
    for depth, item in nested(drawing):
        indent = "  " * min(depth, DEEPEST)
        if item is None:
            yield indent + "end\n"
        elif isinstance(item, Cluster):
            yield f'{indent}subgraph {item.id}["{text(heading(item))}"]\n'
        else:
            yield indent + _node(item, choice)


def _node(node: Node, choice: Choice) -> str:
    left, right = SHAPES[node.kind]
    return f"{node.id}{left}{text(lines(node, choice.digits))}{right}:::{node.kind}\n"


def _edge(edge: Edge, choice: Choice) -> str:
    words = said(edge, choice.digits)
    arrow = "-.->" if edge.off else ARROWS[edge.kind]
    return f"  {edge.source} {arrow}{f'|{chr(34)}{text([words])}{chr(34)}|' if words else ''} {edge.target}\n"


def text(lines: Sequence[str]) -> str:
    """A label: what Mermaid or HTML would read is written by number."""
    return "<br>".join(
        ["".join([c if c.isalnum() or c in PLAIN else f"#{ord(c)};" if c.isprintable() else " " for c in line]) for line in lines]
    )
