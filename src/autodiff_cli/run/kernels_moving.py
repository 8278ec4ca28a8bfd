"""Kernels of ops that move, copy and join entries: an op over NumPy arrays in, a function of arrays out.

An argument is either uniform, with the shape of its type, or it has rows as a further first axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.linear import Many

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..types import Type

    Array = Any
    Kernel = Callable[..., Array]
    Maker = Callable[[Any, Sequence[Type], Sequence[bool]], Kernel]


def _broadcast(shape: tuple[int, ...], types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    import numpy as np

    if not rows[0]:
        return lambda x: np.broadcast_to(x, shape)
    fill = (1,) * (len(shape) - len(types[0].shape))
    return lambda x: np.broadcast_to(x.reshape(len(x), *fill, *x.shape[1:]), (len(x), *shape))


def _reshape(shape: tuple[int, ...], _: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    import numpy as np

    return (lambda x: x.reshape(len(x), *shape)) if rows[0] else lambda x: np.reshape(x, shape)


def _permute(axes: tuple[int, ...], _: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    order = (0, *[a + 1 for a in axes]) if rows[0] else axes
    return lambda x: x.transpose(order)


def numpy_items(items: tuple[Any, ...], *, rows: bool) -> tuple[Any, ...]:
    """An index of a node as NumPy takes it."""
    import numpy as np

    found: list[Any] = [slice(None)] if rows else []
    for item in items:
        if isinstance(item, Many):
            found.append(np.array(item, dtype=np.intp).reshape(item.shape))
        elif isinstance(item, tuple):
            start, stop, step = item
            found.append(slice(start, None if stop < 0 else stop, step))
        else:
            found.append(item)
    return tuple(found)


def simple(items: tuple[Any, ...]) -> bool:
    """Whether an index has no arrays, so that it only looks at memory otherwise."""
    return not any(isinstance(item, Many) for item in items)


def _index(items: tuple[Any, ...], _: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    chosen = numpy_items(items, rows=rows[0])
    return lambda x: x[chosen]


def _place(attr: Any, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    import numpy as np

    shape, items = attr
    chosen, direct = numpy_items(items, rows=rows[0]), simple(items)
    add = np.logical_or.at if types[0].kind == "bool" else np.add.at

    def put(x: Array) -> Array:
        found = np.zeros((len(x), *shape) if rows[0] else shape, np.asarray(x).dtype)
        if direct:
            found[chosen] = x
        else:
            add(found, chosen, x)
        return found

    return put


def _concatenate(axis: int, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    import numpy as np

    place = axis - len(types[0].shape)

    def join(*parts: Array) -> Array:
        count = next((len(p) for p, r in zip(parts, rows, strict=True) if r), None)
        if count is not None:
            parts = tuple([p if r else np.broadcast_to(p, (count, *np.shape(p))) for p, r in zip(parts, rows, strict=True)])
        return np.concatenate(parts, axis=place)

    return join


def _running(axis: int, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
    import numpy as np

    place, add = axis - len(types[0].shape), np.logical_or if types[0].kind == "bool" else np.add
    return lambda x: add.accumulate(x, axis=place)


def _whole(x: Array) -> Array:
    import numpy as np

    return np.asarray(x).astype(np.intp)


def _take(axis: int, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    import numpy as np

    rank = len(types[1].shape)

    def by_row(x: Array, i: Array) -> Array:
        lines = np.moveaxis(x, axis + 1, 1)
        each = np.arange(len(x)).reshape(-1, *[1] * rank)
        return np.moveaxis(lines[each, _whole(i)], range(1, rank + 1), range(axis + 1, axis + 1 + rank))

    if rows[0]:
        return by_row if rows[1] else lambda x, i: np.take(x, _whole(i), axis=axis + 1)
    if rows[1]:
        return lambda x, i: np.moveaxis(np.take(x, _whole(i), axis=axis), axis, 0)
    return lambda x, i: np.take(x, _whole(i), axis=axis)


def _scatter(attr: Any, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    import numpy as np

    shape, axis = attr
    rank, add = len(types[1].shape), np.logical_or.at if types[0].kind == "bool" else np.add.at

    def put(u: Array, i: Array) -> Array:
        places = _whole(i)
        if not any(rows):
            found = np.zeros((shape[axis], *shape[:axis], *shape[axis + 1 :]), np.asarray(u).dtype)
            add(found, places, np.moveaxis(u, range(axis, axis + rank), range(rank)))
            return np.moveaxis(found, 0, axis)
        count = len(u) if rows[0] else len(i)
        u = u if rows[0] else np.broadcast_to(u, (count, *np.shape(u)))
        places = places if rows[1] else np.broadcast_to(places, (count, *places.shape))
        found = np.zeros((count, shape[axis], *shape[:axis], *shape[axis + 1 :]), u.dtype)
        each = np.arange(count).reshape(-1, *[1] * rank)
        add(found, (each, places), np.moveaxis(u, range(axis + 1, axis + 1 + rank), range(1, 1 + rank)))
        return np.moveaxis(found, 1, axis + 1)

    return put


def _take_along(axis: int, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
    import numpy as np

    place = axis - len(types[0].shape)
    return lambda x, i: np.take_along_axis(*_alike(x, _whole(i), place), axis=place)


def _alike(x: Array, i: Array, axis: int) -> tuple[Array, Array]:
    """Both with the same axes but the one that is chosen along."""
    import numpy as np

    rest = np.broadcast_shapes(*[np.delete(np.array(a.shape), axis + a.ndim if axis < 0 else axis).tolist() for a in (x, i)])
    shaped = []
    for a in (x, i):
        shape = list(rest)
        shape.insert(len(rest) + 1 + axis, a.shape[axis])
        shaped.append(np.broadcast_to(a, shape))
    return shaped[0], shaped[1]


def _scatter_along(attr: Any, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
    import numpy as np

    axis, size = attr
    place, add = axis - len(types[0].shape), np.logical_or.at if types[0].kind == "bool" else np.add.at

    def put(u: Array, i: Array) -> Array:
        u, places = _alike(u, _whole(i), place)
        shape = list(u.shape)
        shape[place] = size
        found = np.zeros(shape, u.dtype)
        grid = list(np.indices(u.shape, sparse=True))
        grid[place] = places
        add(found, tuple(grid), u)
        return found

    return put


MOVING: dict[str, Maker] = {
    "broadcast": _broadcast,
    "index": _index,
    "joined": _concatenate,
    "permuted": _permute,
    "place": _place,
    "reshaped": _reshape,
    "running": _running,
    "scatter": _scatter,
    "scatter_along": _scatter_along,
    "take": _take,
    "take_along": _take_along,
}
