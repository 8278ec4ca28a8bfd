"""Kernels of linear, tensor and reducing ops: an op over NumPy arrays in, a function of arrays out.

An argument is either uniform, with the shape of its type, or it has rows as a further first axis. Axes are counted
from the end, so that rows in front do not matter.
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


def kernel(name: str, attr: Any, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    """The function of an op; `types` are of its arguments, `rows` tells which of them have rows in front."""
    return MAKERS[name](attr, types, rows)


def leaf(name: str, attr: Any) -> Array:
    """An array that is known when the graph is made."""
    return LEAVES[name](attr)


def _behind(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    return tuple([a - rank for a in axes])


def _reduce(function: str) -> Maker:
    def make(attr: Any, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
        import numpy as np

        axes, reduce = _behind(attr if not attr or isinstance(attr[0], int) else attr[0], len(types[0].shape)), getattr(np, function)
        return lambda x: reduce(x, axis=axes)

    return make


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
    dtype, add = (bool, np.logical_or.at) if types[0].kind == "bool" else (float, np.add.at)

    def put(x: Array) -> Array:
        found = np.zeros((len(x), *shape) if rows[0] else shape, dtype)
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
    rank, (dtype, add) = len(types[1].shape), (bool, np.logical_or.at) if types[0].kind == "bool" else (float, np.add.at)

    def put(u: Array, i: Array) -> Array:
        places = _whole(i)
        if not any(rows):
            found = np.zeros((shape[axis], *shape[:axis], *shape[axis + 1 :]), dtype)
            add(found, places, np.moveaxis(u, range(axis, axis + rank), range(rank)))
            return np.moveaxis(found, 0, axis)
        count = len(u) if rows[0] else len(i)
        u = u if rows[0] else np.broadcast_to(u, (count, *np.shape(u)))
        places = places if rows[1] else np.broadcast_to(places, (count, *places.shape))
        found = np.zeros((count, shape[axis], *shape[:axis], *shape[axis + 1 :]), dtype)
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
    place, (dtype, add) = axis - len(types[0].shape), (bool, np.logical_or.at) if types[0].kind == "bool" else (float, np.add.at)

    def put(u: Array, i: Array) -> Array:
        u, places = _alike(u, _whole(i), place)
        shape = list(u.shape)
        shape[place] = size
        found = np.zeros(shape, dtype)
        grid = list(np.indices(u.shape, sparse=True))
        grid[place] = places
        add(found, tuple(grid), u)
        return found

    return put


def _arg(function: str) -> Maker:
    def make(axis: int, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
        import numpy as np

        place, find = axis - len(types[0].shape), getattr(np, function)
        more = {"kind": "stable"} if function == "argsort" else {}
        return lambda x: find(x, axis=place, **more).astype(float)

    return make


def _length(attr: Any, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
    import numpy as np

    axes = _behind(attr[0], len(types[0].shape))

    def norm(x: Array) -> Array:
        most = np.max(np.abs(x), axis=axes, keepdims=True, initial=0.0)
        scale = np.where((most > 0) & (most < np.inf), most, 1.0)
        return np.squeeze(scale, axes) * np.sqrt(np.sum(np.square(x / scale), axis=axes))

    return norm


def _log_sum_exp(attr: Any, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
    import numpy as np

    axes = _behind(attr[0], len(types[0].shape))

    def lse(x: Array) -> Array:
        most = np.max(x, axis=axes, keepdims=True)
        shift = np.where(np.isfinite(most), most, 0.0)
        return np.log(np.sum(np.exp(x - shift), axis=axes)) + np.squeeze(shift, axes)

    return lse


def _matmul(_: Any, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    import numpy as np

    if rows[0] and not rows[1] and len(types[1].shape) == 2:
        return lambda a, b: (a.reshape(-1, a.shape[-1]) @ b).reshape(*a.shape[:-1], b.shape[-1])
    return lambda a, b: np.matmul(a, b)


def _each(function: Callable[..., Array], *stacks: Array) -> Array:
    """A function of matrices over a stack of them; one that is singular is NaN and stops no other."""
    import numpy as np

    try:
        return function(*stacks)
    except np.linalg.LinAlgError:
        if stacks[-1].ndim == 2:
            return np.full(stacks[-1].shape, np.nan)
        front = np.broadcast_shapes(*[s.shape[:-2] for s in stacks])
        whole = [np.broadcast_to(s, (*front, *s.shape[-2:])).reshape(-1, *s.shape[-2:]) for s in stacks]
        return np.stack([_each(function, *one) for one in zip(*whole, strict=True)]).reshape(*front, *stacks[-1].shape[-2:])


def _linalg(function: str) -> Maker:
    def make(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
        import numpy as np

        call = getattr(np.linalg, function)
        return lambda *stacks: _each(call, *stacks)

    return make


def _cholesky(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    import numpy as np

    return lambda a: _each(np.linalg.cholesky, (a + np.swapaxes(a, -1, -2)) / 2)


def _det(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    import numpy as np

    return lambda a: np.linalg.det(a) if a.shape[-1] > 2 else a[..., 0, 0] if a.shape[-1] == 1 else a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]


def _cofactor(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    """cof(A) = det(U) det(V) U diag(∏_{k≠i} s_k) Vᵀ from A = U diag(s) Vᵀ, at any rank."""
    import numpy as np

    def cofactors(a: Array) -> Array:
        n = a.shape[-1]
        if n == 1:
            return np.ones_like(a)
        if n == 2:
            return np.stack([np.stack([a[..., 1, 1], -a[..., 1, 0]], -1), np.stack([-a[..., 0, 1], a[..., 0, 0]], -1)], -2)
        finite = np.isfinite(a).all(axis=(-1, -2), keepdims=True)
        u, s, v = np.linalg.svd(np.where(finite, a, 0.0))
        others = np.stack([np.prod(np.delete(s, k, axis=-1), axis=-1) for k in range(n)], axis=-1)
        sign = np.linalg.det(u) * np.linalg.det(v)
        return np.where(finite, sign[..., None, None] * ((u * others[..., None, :]) @ v), np.nan)

    return cofactors


def _logabsdet(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    import numpy as np

    return lambda a: np.linalg.slogdet(a)[1]


def _checked(low: bool) -> Maker:
    def make(size: int, _: Sequence[Type], __: Sequence[bool]) -> Kernel:
        import numpy as np

        def check(x: Array) -> Array:
            bad = ~((x == np.floor(x)) & (x < size) & (x >= (-size if low else 0)))
            if np.any(bad):
                raise IndexError(float(np.asarray(x)[bad].flat[0]), size)
            return np.where(x < 0, x + size, x)

        return check

    return make


def _random(attr: Any) -> Array:
    import numpy as np

    kind, shape, seed = attr
    generator = np.random.default_rng(seed)
    return generator.standard_normal(shape) if kind == "normal" else generator.random(shape)


def _array(attr: Any) -> Array:
    import numpy as np

    from .floats import NAMED

    texts, shape = attr
    return np.array([NAMED[t] if t in NAMED else float(t) for t in texts]).reshape(shape)


def _iota(n: int) -> Array:
    import numpy as np

    return np.arange(n, dtype=float)


LEAVES: dict[str, Callable[[Any], Array]] = {"array": _array, "iota": _iota, "random": _random}
MAKERS: dict[str, Maker] = {
    "any_of": _reduce("any"),
    "arglargest": _arg("argmax"),
    "argsmallest": _arg("argmin"),
    "argsort": _arg("argsort"),
    "broadcast": _broadcast,
    "cholesky_factor": _cholesky,
    "class_number": _checked(low=False),
    "cofactor": _cofactor,
    "determinant": _det,
    "index": _index,
    "inverse": _linalg("inv"),
    "joined": _concatenate,
    "largest": _reduce("max"),
    "length": _length,
    "log_sum_exp": _log_sum_exp,
    "logabsdet": _logabsdet,
    "matmul": _matmul,
    "permuted": _permute,
    "place": _place,
    "place_below": _checked(low=True),
    "reshaped": _reshape,
    "running": _running,
    "scatter": _scatter,
    "scatter_along": _scatter_along,
    "smallest": _reduce("min"),
    "solved": _linalg("solve"),
    "sum": _reduce("sum"),
    "take": _take,
    "take_along": _take_along,
}
