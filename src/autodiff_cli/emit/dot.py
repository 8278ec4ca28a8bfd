"""A drawing of a graph in, DOT out: leaves, operations and the output told apart by shape and by fill."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = """digraph autodiff {
  rankdir=BT
  ordering=in
  node [fontname="Helvetica,Arial,sans-serif" style=filled color="#333333" fontcolor="#000000"]
  edge [color="#555555" fontname="Helvetica,Arial,sans-serif" fontsize=11]
"""
STYLES = {  # fills of the Okabe-Ito palette, which colour-blind readers can tell apart
    "variable": 'shape=ellipse fillcolor="#56B4E9"',
    "constant": 'shape=plaintext fillcolor="#EEEEEE"',
    "operation": 'shape=box fillcolor="#FFFFFF"',
    "output": 'shape=doubleoctagon fillcolor="#F0E442"',
}


class Drawn(NamedTuple):
    """A node to draw: one of `STYLES`, the lines of its label, the nodes it takes, and what each of them is to it."""

    kind: str
    lines: tuple[str, ...]
    args: tuple[int, ...]
    roles: tuple[str, ...] = ()


def dot(nodes: Sequence[Drawn]) -> str:
    """The nodes in order, then the edges; the same drawing gives the same bytes."""
    boxes = [f"  n{k} [{STYLES[node.kind]} label={label(node.lines)}]\n" for k, node in enumerate(nodes)]
    edges = [
        f"  n{j} -> n{k}{_role(role)}\n" for k, node in enumerate(nodes) for j, role in zip_longest(node.args, node.roles, fillvalue="")
    ]
    return HEAD + "".join(boxes) + "".join(edges) + "}\n"


def _role(role: object) -> str:
    return f" [label={label([str(role)])}]" if role else ""


def label(lines: Sequence[str]) -> str:
    """A quoted label: backslashes, quotes and entities of the user's text stand for themselves."""
    return '"' + "\\n".join([_escaped(line) for line in lines]) + '"'


def _escaped(line: str) -> str:
    line = line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return "".join([c if c.isprintable() else " " for c in line])
