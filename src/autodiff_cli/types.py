"""The type of a node: its kind and the shape of one row of it; rows are never in it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["real", "bool"]


class Type(NamedTuple):
    """`kind` is what the entries are, `shape` the sizes of the axes of one row."""

    kind: Kind
    shape: tuple[int, ...] = ()


REAL = Type("real")
BOOL = Type("bool")


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """NumPy's common shape, or None where there is none."""
    rank = max(map(len, shapes))
    sizes = []
    for axis in range(-rank, 0):
        found = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
        if len(found) > 1:
            return None
        sizes.append(found.pop() if found else 1)
    return tuple(sizes)
