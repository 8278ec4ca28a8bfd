"""A node, an edge or a box of a picture in; the lines of its label out, the same in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...report import shown
from ...types import EACH

if TYPE_CHECKING:
    from ...report import Value
    from .model import Cluster, Drawing, Edge, Node

LONGEST = 40
MORE = "… "  # begins the label of what is folded
FEW = 6  # digits of the entries of an array


def lines(node: Node, digits: int) -> list[str]:
    """What stands in a node: its name and operation, its shape, value and gradient."""
    found = [node.label, node.name] if node.label.startswith(MORE) else [title(node)]
    if node.shape:
        found.append(sized(node.shape))
    if node.value is not None and node.kind != "constant":
        found.append(f"value {number(node.value, digits)}")
    if node.gradient is not None:
        found.append(f"gradient {number(node.gradient, digits)}")
    return found


def number(value: Value, digits: int) -> str:
    """A value on one line; of an array the entries with few digits, of a large one the first and the last."""
    if not hasattr(value, "shape"):
        return shown(value, digits)
    if value.dtype == bool:
        return number(value.astype(float), digits).translate({ord("0"): "false", ord("1"): "true"})
    whole = " ".join(shown(value, min(digits, FEW)).split()).replace("[ ", "[")
    if len(whole) <= LONGEST and ":" not in whole:
        return whole
    first, last = [[shown(x, min(digits, FEW)) for x in some.tolist()] for some in (value.flat[:2], value.flat[-1:])]
    sides = "[" * value.ndim, "]" * value.ndim
    return f"{sides[0]}{', '.join([*first, '…', *last])}{sides[1]}"


def sized(shape: tuple[int, ...]) -> str:
    """The shape of a value; of a sequence, that of what it holds for each turn."""
    each = shape[0] == EACH
    return " ".join([*(["every turn"] if each else []), *([f"shape {shape[each:]}"] if shape[each:] else [])])


def title(node: Node) -> str:
    """The first line: what the program calls a node, and what the node does."""
    label = short(node.label)
    if node.label.startswith(MORE):
        return f"{label}: {node.name}"
    return f"{short(node.name)}: {label}" if node.name and node.name != node.label else label


def short(text: str) -> str:
    """A text of one short line."""
    line = "".join([c if c.isprintable() else " " for c in text])
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def said(edge: Edge, digits: int) -> str:
    """What stands at an edge: its role, and the local partial or what flows back."""
    value = "" if edge.partial is None else number(edge.partial, digits)
    slope = value if edge.rule in ("", value) else f"{edge.rule} = {value}" if value else edge.rule
    return ": ".join([part for part in (edge.role, short(slope) if len(slope) > LONGEST else slope) if part])


def heading(cluster: Cluster) -> list[str]:
    """What stands in the corner of a box."""
    mark = {None: "", True: " (taken)", False: " (not taken)"}[cluster.taken]
    return [f"{short(cluster.title)}{mark}", *(cluster.note.split("\n") if cluster.note else [])]


def caption(drawing: Drawing) -> str:
    """What stands below a picture that does not show all."""
    return f"{drawing.folded:,} nodes folded" if drawing.folded else ""
