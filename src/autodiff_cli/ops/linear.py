"""Ops that move, copy and add elements: each with its transpose, which serves cotangents and conditions alike.

A transpose gets the cotangent, the types of the arguments, the attribute and which argument it is for; for an op
with places that depend on data it names the op that goes back, over the same places. `effect` says what the op and
its transpose do to conditions: "add" up entries, or "spread" them among zeros. Axes are counted from the front of
one row's shape and are never negative.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..graph import BROADCAST, Expr, Op
from ..types import Kind, Type
from .entry import enter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

Shape = tuple[int, ...]


def linear(name: str, transpose: Callable[..., Any], typed: Callable[..., Type], **fields: Any) -> Op:
    """An op that is linear in its real arguments: its rule is its transpose."""
    return enter(Op(name, "linear", transpose=transpose, typed=typed, **fields), fields.get("call") or (lambda x: x))


def _summed(axes: Shape, x: Type) -> Type:
    return Type(x.kind, tuple([n for axis, n in enumerate(x.shape) if axis not in axes]))


def add_up(x: Expr, axes: Shape) -> Expr:
    """The sum over axes of numbers; of conditions, whether any holds."""
    if not axes:
        return x
    return x.graph.add(sum_ if x.type.kind == "real" else any_, [x], axes)


def stretch_back(x: Expr, shape: Shape, axes: Shape) -> Expr:
    """Put summed axes back: entries are copied along them."""
    kept = tuple([1 if axis in axes else n for axis, n in enumerate(shape)])
    return x.graph.broadcast(reshaped(x, kept) if x.type.shape else x, shape)


def reshaped(x: Expr, shape: Shape) -> Expr:
    """The entries in row order in another shape; the vector that a product of matrices stands for stays a node, which people read."""
    if x.type.shape == shape:
        return x
    if x.node.op is reshape and x.args[0].node.op.rule != "tensor":
        return reshaped(x.args[0], shape)
    return x.graph.add(reshape, [x], shape)


def permuted(x: Expr, axes: Shape) -> Expr:
    """The axes in another order."""
    if axes == tuple(range(len(axes))):
        return x
    if x.node.op is permute:
        return permuted(x.args[0], tuple([x.node.attr[a] for a in axes]))
    return x.graph.add(permute, [x], axes)


def swapped(x: Expr) -> Expr:
    """The last two axes exchanged: the transposed matrix."""
    rank = len(x.type.shape)
    return permuted(x, (*range(rank - 2), rank - 1, rank - 2))


def unbroadcast(u: Expr, shape: Shape) -> Expr:
    """What a stretched argument gets: the sum over the axes that it was stretched along."""
    lead = len(u.type.shape) - len(shape)
    stretched = [k + lead for k, n in enumerate(shape) if n == 1 and u.type.shape[k + lead] != 1]
    return reshaped(add_up(u, (*range(lead), *stretched)), shape)


def _inverse(axes: Shape) -> Shape:
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def picked(items: tuple[Any, ...], shape: Shape) -> Shape:
    """The shape of an indexed array. Items are whole numbers, slices as (start, stop, step) with every
    number given, None for a new axis, and tuples of tuples for arrays of whole numbers, one an axis.
    """
    found: list[int] = []
    arrays: list[Shape] = []
    place, axis = None, 0
    for item in items:
        if item is None:
            found.append(1)
            continue
        if isinstance(item, Many):
            place = len(found) if place is None else place
            arrays.append(item.shape)
        elif isinstance(item, tuple):
            found.append(len(range(*item)))
        axis += 1
    from ..types import broadcast

    if arrays:
        common = broadcast(*arrays) or ()
        found[place or 0 : place or 0] = common
    return (*found, *shape[axis:])


class Many(tuple[int, ...]):  # noqa: SLOT001 (a tuple has no room for slots)
    """An array of whole numbers as part of an index: its entries in row order, and its shape."""

    shape: Shape

    def __new__(cls, entries: Sequence[int], shape: Shape) -> Self:
        many = super().__new__(cls, entries)
        many.shape = shape
        return many

    def __hash__(self) -> int:
        return hash((tuple(self), self.shape))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Many) and self.shape == other.shape and tuple(self) == tuple(other)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Many, (tuple(self), self.shape))


def indexed(x: Expr, items: tuple[Any, ...]) -> Expr:
    """The chosen entries."""
    return x.graph.add(index, [x], items)


def joined(parts: Sequence[Expr], axis: int) -> Expr:
    """Arrays one after another along an axis."""
    return parts[0] if len(parts) == 1 else parts[0].graph.add(concatenate, list(parts), axis)


def _joined_type(axis: int, *types: Type) -> Type:
    size = sum(t.shape[axis] for t in types)
    kind: Kind = "bool" if all(t.kind == "bool" for t in types) else "real"
    return Type(kind, (*types[0].shape[:axis], size, *types[0].shape[axis + 1 :]))


def _part(u: Expr, types: Sequence[Type], axis: int, k: int) -> Expr:
    ends = list(accumulate(t.shape[axis] for t in types))
    window = (ends[k] - types[k].shape[axis], ends[k], 1)
    return indexed(u, (*[(0, n, 1) for n in u.type.shape[:axis]], window))


def flipped(x: Expr, axis: int) -> Expr:
    """The entries along an axis in reverse order."""
    size = x.type.shape[axis]
    return indexed(x, (*[(0, n, 1) for n in x.type.shape[:axis]], (size - 1, -1, -1)))


def _same(_: Any, x: Type, *_more: Type) -> Type:
    return x


def later(axes: Shape, _rows: int) -> Shape:
    """Axes of one row when rows stand in front."""
    return tuple([axis + 1 for axis in axes])


def next_axis(axis: int, _rows: int) -> int:
    """An axis of one row when rows stand in front."""
    return axis + 1


BROADCAST.effect = ("", "add")
BROADCAST.transpose = lambda u, types, _shape, _k: unbroadcast(u, types[0].shape)
# fmt: off
sum_     = linear("sum",  lambda u, types, axes, _k: stretch_back(u, types[0].shape, axes),             _summed, rows=later, effect=("add", ""), spell="sum", doc="sum of entries, over all or an axis", example="sum([1, 2])")
any_     = linear("any_of",  lambda u, types, axes, _k: stretch_back(u, types[0].shape, axes),             _summed, rows=later, effect=("add", ""), hidden=True, kind="bool", spell="any", doc="whether any holds over axes")
reshape  = linear("reshaped", lambda u, types, _shape, _k: reshaped(u, types[0].shape),                    lambda shape, x: Type(x.kind, shape), rows=lambda shape, n: (n, *shape), hidden=True, doc="entries in row order in another shape")
permute  = linear("permuted", lambda u, _types, axes, _k: permuted(u, _inverse(axes)),                     lambda axes, x: Type(x.kind, tuple([x.shape[a] for a in axes])), rows=lambda axes, n: (0, *later(axes, n)), hidden=True, doc="axes in another order")
def _fold_index(x: Expr, items: tuple[Any, ...]) -> Expr | None:
    """An entry of an array that is written out is a constant."""
    if x.node.op.name != "array" or not all(type(item) is int for item in items) or len(items) != len(x.type.shape):
        return None
    flat = 0
    for k, n in zip(items, x.type.shape, strict=True):
        flat = flat * n + k
    return x.graph.const(x.node.attr[0][flat])


index    = linear("index",   lambda u, types, items, _k: u.graph.add(place, [u], (types[0].shape, items)), lambda items, x: Type(x.kind, picked(items, x.shape)), rows=lambda items, n: ((0, n, 1), *items), effect=("", "spread"), hidden=True, fold=_fold_index, doc="chosen entries")
place    = linear("place",   lambda u, _types, attr, _k: indexed(u, attr[1]),                              lambda attr, x: Type(x.kind, attr[0]), rows=lambda attr, n: ((n, *attr[0]), ((0, n, 1), *attr[1])), effect=("spread", ""), hidden=True,
                  doc="entries put where an index took them, 0 elsewhere, added up where they meet")
concatenate = linear("joined", _part,                                                                      _joined_type, rows=next_axis, effect=("spread", ""), hidden=True, doc="arrays one after another along an axis")
running  = linear("running", lambda u, _types, axis, _k: flipped(u.graph.add(running, [flipped(u, axis)], axis), axis), _same, rows=next_axis, effect=("add", "add"), hidden=True,
                  doc="running sum along an axis; of conditions, whether any held so far")
take     = linear("take",    lambda u, types, axis, _k: (scatter, (types[0].shape, axis)),                 lambda axis, x, i: Type(x.kind, (*x.shape[:axis], *i.shape, *x.shape[axis + 1:])), effect=("", "spread"), hidden=True,
                  doc="entries at places that depend on data, along an axis")
scatter  = linear("scatter", lambda u, _types, attr, _k: (take, attr[1]),                                  lambda attr, x, i: Type(x.kind, attr[0]), effect=("spread", ""), hidden=True,
                  doc="entries put at places that depend on data, 0 elsewhere, added up where they meet")
take_along = linear("take_along", lambda u, types, axis, _k: (scatter_along, (axis, types[0].shape[axis])), lambda axis, x, i: Type(x.kind, i.shape), rows=next_axis, effect=("", "spread"),
                    hidden=True, doc="entries along an axis, at places that depend on data for every line of it")
scatter_along = linear("scatter_along", lambda u, _types, attr, _k: (take_along, attr[0]), lambda attr, x, i: Type(x.kind, (*i.shape[:attr[0]], attr[1], *i.shape[attr[0] + 1:])),
                       rows=lambda attr, _n: (attr[0] + 1, attr[1]), effect=("spread", ""), hidden=True, doc="entries put back where `take_along` took them, 0 elsewhere, added up where they meet")
place_below = enter(Op("place_below", "elementwise", d=(lambda x, size: 0,), hidden=True, doc="x, which must be a whole number from -size to size - 1"), lambda x: x)
class_number = enter(Op("class_number", "elementwise", d=(lambda x, size: 0,), hidden=True, doc="x, which must be a whole number from 0 to size - 1"), lambda x: x)
# fmt: on
