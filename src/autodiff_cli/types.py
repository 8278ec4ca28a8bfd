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
