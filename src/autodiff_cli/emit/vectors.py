"""A node that a vector or a number was made for a product of matrices in; that vector or number out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import BROADCAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph import Node

    Nodes = Sequence[Node]


def vector(nodes: Nodes, i: int, place: int) -> int | None:
    """The vector that was made a row (place 0) or a column (place 1)."""
    node = nodes[i]
    if (
        node.op.name == "reshaped"
        and len(node.type.shape) == 2
        and node.type.shape[place] == 1
        and len(nodes[node.args[0]].type.shape) == 1
    ):
        return node.args[0]
    return None


def row(nodes: Nodes, i: int) -> int | None:
    """The vector that was made a row, at once or as the transpose of a column."""
    node = nodes[i]
    turned = node.op.name == "permuted" and node.attr == (1, 0)
    return vector(nodes, node.args[0], 1) if turned else vector(nodes, i, 0)


def column(nodes: Nodes, i: int) -> int | None:
    """The vector that was made a column, at once or as the transpose of a row."""
    node = nodes[i]
    turned = node.op.name == "permuted" and node.attr == (1, 0)
    return vector(nodes, node.args[0], 0) if turned else vector(nodes, i, 1)


def number(nodes: Nodes, i: int) -> int | None:
    """The number that was made a matrix of one entry."""
    node = nodes[i]
    return node.args[0] if node.op.name == "reshaped" and node.type.shape == (1, 1) and not nodes[node.args[0]].type.shape else None


def solution(nodes: Nodes, node: Node) -> tuple[int, int | Node] | None:
    """The matrix and the right side of a solution that is a vector: a vector, or one number in every entry."""
    solved, shape = nodes[node.args[0]], node.type.shape
    if solved.op.name != "solved" or solved.type.shape != (*shape, 1) or len(shape) != 1:
        return None
    a, b = solved.args
    right, made = vector(nodes, b, 1), nodes[b]
    if right is not None:
        return a, right
    return (a, made._replace(attr=shape)) if made.op is BROADCAST and not nodes[made.args[0]].type.shape else None
