"""A picture in, a tree for the terminal out: the result at the top, below each node what it takes; what was shown stands by its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .words import caption, heading, number, said, sized, title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .model import Choice, Drawing, Edge, Node

DEEPEST = 200
COLORS = {
    "variable": "\033[1;36m", "constant": "\033[2m", "operation": "\033[1m", "choice": "\033[1;32m", "output": "\033[1;33m",
    "port": "\033[1;35m", "folded": "\033[3m", "seed": "\033[1;33m", "backward": "\033[1;31m", "accumulate": "\033[1;31m",
}  # fmt: skip
FAINT, END = "\033[2m", "\033[0m"


class Tree:
    """What of a picture was written, and what stands below each node."""

    def __init__(self, drawing: Drawing, choice: Choice, *, paint: bool) -> None:
        self.drawing, self.choice, self.paint = drawing, choice, paint
        self.nodes: Mapping[str, Node] = {node.id: node for node in drawing.nodes}
        self.into: dict[str, list[Edge]] = {node.id: [] for node in drawing.nodes}
        uses = dict.fromkeys(self.nodes, 0)
        for edge in drawing.edges:
            self.into[edge.target].append(edge)
            uses[edge.source] += 1
        self.numbers: dict[str, int] = {}
        self.shared = {id for id, count in uses.items() if count > 1 and self.into[id]}
        self.clusters = {cluster.id: heading(cluster)[0] for cluster in drawing.clusters}
        self.done: set[str] = set()

    def colored(self, text: str, color: str) -> str:
        return f"{color}{text}{END}" if self.paint and text else text


def tree(drawing: Drawing, choice: Choice, *, paint: bool = False) -> str:
    """The tree; with `paint` in colours of the terminal."""
    made = Tree(drawing, choice, paint=paint)
    used = {edge.source for edge in drawing.edges if edge.role != "seed"}
    roots = [node for node in drawing.nodes if node.kind == "output" or node.id not in used]
    found: list[str] = []
    for root in sorted(roots, key=lambda node: node.kind != "output"):
        if root.id not in made.done:
            found += _below(made, root.id)
    below = caption(drawing)
    return "\n".join([*found, *([below] if below else [])]) + "\n"


def _below(made: Tree, root: str) -> list[str]:
    found: list[str] = []
    todo: list[tuple[str, str, str, str, str, int]] = [(root, "", "", "", "", 0)]
    while todo:
        id, role, stem, branch, around, deep = todo.pop()
        node = made.nodes[id]
        again = id in made.done
        found.append(stem + branch + _line(made, node, role, around, again=again))
        if node.kind == "variable":
            made.done.add(id)
        if again or not made.into[id]:
            continue
        made.done.add(id)
        below = stem + ("" if not branch else "   " if branch.startswith("└") else "│  ")
        edges = made.into[id]
        if deep >= DEEPEST:
            found.append(f"{below}└─ …")
            continue
        for k in range(len(edges) - 1, -1, -1):
            mark = "└─ " if k == len(edges) - 1 else "├─ "
            formula = edges[k].rule and edges[k].partial is None  # one without a number would read as a name
            role = ("times " if formula else "") + said(edges[k], made.choice.digits) + " (not taken)" * edges[k].off
            todo.append((edges[k].source, role, below, mark, node.cluster, deep + 1))
    return found


def _line(made: Tree, node: Node, role: str, around: str, *, again: bool) -> str:
    """One node: its role, its label, its number where it stands more than once, and what is known of it."""
    label = made.colored(title(node), COLORS[node.kind])
    number = f" #{made.numbers.setdefault(node.id, len(made.numbers) + 1)}" if node.id in made.shared else ""
    parts = [made.colored(f"{role}:", FAINT) if role else "", label + number, "(above)" if again else ""]
    if not again:
        parts.append(made.colored(" " + "  ".join(_known(node, made.choice.digits)), FAINT) if _known(node, made.choice.digits) else "")
        if node.cluster != around and node.cluster:
            parts.append(made.colored(f" in {made.clusters[node.cluster]}", FAINT))
    return " ".join([part for part in parts if part])


def _known(node: Node, digits: int) -> Sequence[str]:
    found = [sized(node.shape)] if node.shape else []
    found += [f"value {number(node.value, digits)}"] if node.value is not None and node.kind != "constant" else []
    return found + ([f"gradient {number(node.gradient, digits)}"] if node.gradient is not None else [])
