"""The type of a node: its kind and the shape of one row of it; rows are never in it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Kind = Literal["real", "bool"]


class Type(NamedTuple):
    """`kind` is what the entries are, `shape` the sizes of the axes of one row."""

    kind: Kind
    shape: tuple[int, ...] = ()


class Several(tuple[Type, ...]):
    """The types of a node with several results, which `out` takes one by one; it has no shape itself."""

    __slots__ = ()
    kind = "several"
    shape = ()


REAL = Type("real")
BOOL = Type("bool")
EACH = -1


def type_of(value: Any) -> Type:
    """The type of a number, a condition or an array; of what has no value yet it is given itself."""
    if isinstance(value, Type):
        return value
    shape = getattr(value, "shape", None)
    if shape:
        return Type("bool" if value.dtype.kind == "b" else "real", tuple(shape))
    return BOOL if isinstance(value, bool) else REAL


def sequence(type: Type) -> Type:
    """One value a turn of a loop; how many turns is not known before it runs."""
    return Type(type.kind, (EACH, *type.shape))


def is_sequence(type: Type) -> bool:
    """Whether a node holds one value a turn of a loop."""
    return type.shape[:1] == (EACH,)


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
