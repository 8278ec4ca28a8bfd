"""Kernels of ops over whole arrays that write into memory they are given: an op and shapes in, a `Fill` out."""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from .kernels_moving import numpy_items, simple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..types import Type

    Array = Any
    Call = Callable[[], Any]
    Hold = Callable[[tuple[int, ...], Any], Array]
    Shape = tuple[int, ...]

SHORT = 64  # an axis so short is better reduced across than along
NARROW = 512  # along an axis so short a matrix product adds as exactly as pairwise sums


class Fill:
    """One step over arrays: `bind(hold, out, *args)` gives the call that writes `out`, `hold(shape, dtype)` being memory for the time of
    the step. `view` gives the result without work, `over` are the arguments whose memory `out` may be, `order` is how the
    axes of `out` had better lie in memory.
    """

    __slots__ = ("bind", "kind", "order", "over", "shape", "view")

    def __init__(self, shape: Shape, bind: Callable[..., Call], *, kind: str = "real", **more: Any) -> None:
        self.shape, self.bind, self.kind = shape, bind, kind
        self.view: Callable[[Array], Array] | None = more.get("view")
        self.over: Shape = more.get("over", ())
        self.order: Callable[..., Shape] | None = more.get("order")


def from_function(out: Type, function: Callable[..., Array]) -> Fill:
    """The step that copies what a function returns."""
    return Fill(out.shape, lambda _, o, *args: lambda: np.copyto(o, function(*args)), kind=out.kind)


# --- views -------------------------------------------------------------------------------------------


def viewed(shape: Shape, kind: str, look: Callable[[Array], Array]) -> Fill:
    """A step that is no work where NumPy can look at the same memory otherwise."""
    return Fill(shape, lambda _, out, x: lambda: np.copyto(out, look(x)), kind=kind, view=look)


def reshaped(shape: Shape, kind: str = "real") -> Fill:
    """The entries in row order in another shape."""
    return viewed(shape, kind, lambda x: x.reshape(shape))


def stretched(shape: Shape, kind: str = "real") -> Fill:
    """The array stretched to a shape."""
    return viewed(shape, kind, lambda x: np.broadcast_to(x, shape))


def solid(shape: Shape, kind: str = "real") -> Fill:
    """The array stretched to a shape, in memory of its own."""
    return Fill(shape, lambda _, out, x: partial(np.copyto, out, x), kind=kind)


def _permute(axes: Shape, _: Sequence[Type], out: Type) -> Fill:
    return viewed(out.shape, out.kind, lambda x: x.transpose(axes))


def _index(items: tuple[Any, ...], types: Sequence[Type], out: Type) -> Fill:
    chosen = (*numpy_items(items, rows=False), ...)
    if simple(items):
        return viewed(out.shape, out.kind, lambda x: x[chosen])
    shape = types[0].shape
    return gather(np.arange(_size(shape)).reshape(shape)[chosen], out)


def _size(shape: Shape) -> int:
    return int(np.prod(shape, dtype=int))


# --- entries at known places -------------------------------------------------------------------------


def gather(places: Array, out: Type) -> Fill:
    """Entries at places that are known, counted in row order."""

    def bind(_: Hold, o: Array, x: Array) -> Call:
        if x.flags.c_contiguous:
            return partial(np.take, x.reshape(-1), places, out=o, mode="clip")
        return lambda: np.take(x.reshape(-1), places, out=o, mode="clip")

    return Fill(out.shape, bind, kind=out.kind)


def spread(places: Array, out: Type) -> Fill:
    """Entries put at known places, counted in row order; 0 elsewhere, added up where they meet."""
    flat = places.reshape(-1)
    once = len(np.unique(flat)) == len(flat)
    add = np.logical_or.at if out.kind == "bool" else np.add.at

    def bind(_: Hold, o: Array, x: Array) -> Call:
        line = o.reshape(-1)

        def put() -> None:
            line.fill(0)
            if once:
                line[flat] = x.reshape(-1)
            else:
                add(line, flat, x.reshape(-1))

        return put

    return Fill(out.shape, bind, kind=out.kind)


def _place(attr: Any, _: Sequence[Type], out: Type) -> Fill:
    shape, items = attr
    chosen = (*numpy_items(items, rows=False), ...)
    if not simple(items):
        return spread(np.arange(_size(shape)).reshape(shape)[chosen], out)

    def bind(_: Hold, o: Array, x: Array) -> Call:
        target = o[chosen]

        def put() -> None:
            o.fill(0)
            np.copyto(target, x)

        return put

    return Fill(out.shape, bind, kind=out.kind)


def known_places(name: str, attr: Any, places: Array, types: Sequence[Type], out: Type) -> Fill | None:
    """The step of an op with places, where these are known beforehand."""
    if name == "take_along":
        shape = types[0].shape
        return gather(np.take_along_axis(np.arange(_size(shape)).reshape(shape), places.astype(np.intp), attr), out)
    if name == "scatter_along":
        return spread(np.take_along_axis(np.arange(_size(out.shape)).reshape(out.shape), places.astype(np.intp), attr[0]), out)
    if name == "take":
        chosen = places.astype(np.intp)
        return Fill(out.shape, lambda _, o, x: partial(np.take, x, chosen, axis=attr, out=o, mode="clip"), kind=out.kind)
    return None


# --- selection ---------------------------------------------------------------------------------------


def picked(shape: Shape, kind: str) -> Fill:
    """The second or the third argument as the first, one condition, says."""

    def bind(_: Hold, o: Array, p: Array, a: Array, b: Array) -> Call:
        return lambda: np.copyto(o, a if p else b)

    return Fill(shape, bind, kind=kind)


def gated(shape: Shape, *, wanted: bool) -> Fill:
    """The numbers where the condition is `wanted`, else 0: their bits and a mask, as a branch that no one can foresee is dear."""

    def bind(hold: Hold, o: Array, p: Array, u: Array) -> Call:
        bits, line, out, held = p.view(np.int8), u.view(np.int64), o.view(np.int64), _beside(hold, p, np.int8)

        def gate() -> None:
            _mask(bits, held, wanted=wanted)
            np.bitwise_and(line, held, out=out)

        return gate

    return Fill(shape, bind, over=(1,))


def chosen(shape: Shape) -> Fill:
    """Numbers a where the condition holds, else b, by their bits: b ^ ((a ^ b) & mask)."""

    def bind(hold: Hold, o: Array, p: Array, a: Array, b: Array) -> Call:
        bits, ones, others, out = p.view(np.int8), a.view(np.int64), b.view(np.int64), o.view(np.int64)
        held, unlike = _beside(hold, p, np.int8), hold(np.broadcast_shapes(a.shape, b.shape), np.int64)
        apart = _beside(hold, o, np.float64).view(np.int64)

        def choose() -> None:
            _mask(bits, held, wanted=True)
            np.bitwise_xor(ones, others, out=unlike)
            np.bitwise_and(unlike, held, out=apart)
            np.bitwise_xor(apart, others, out=out)

        return choose

    return Fill(shape, bind, over=(1, 2))


def _beside(hold: Hold, x: Array, dtype: Any) -> Array:
    """Memory for the time of a step, with the shape of x and its order of axes."""
    order = memory_order(x)
    return hold(tuple([x.shape[k] for k in order]), dtype).transpose(np.argsort(order))


def _mask(bits: Array, out: Array, *, wanted: bool) -> None:
    """All bits where the condition is `wanted`, else none."""
    if wanted:
        np.negative(bits, out=out)
    else:
        np.subtract(bits, 1, out=out)


# --- joining and adding up ---------------------------------------------------------------------------


def _join(axis: int, types: Sequence[Type], out: Type) -> Fill:
    def bind(_: Hold, o: Array, *parts: Array) -> Call:
        ends = list(accumulate(t.shape[axis] for t in types))
        targets = [o[(*[slice(None)] * axis, slice(end - t.shape[axis], end))] for t, end in zip(types, ends, strict=True)]
        calls = [partial(np.copyto, target, part) for target, part in zip(targets, parts, strict=True)]
        return calls[0] if len(calls) == 1 else lambda: [call() for call in calls]

    return Fill(out.shape, bind, kind=out.kind)


def _running(axis: int, _: Sequence[Type], out: Type) -> Fill:
    add = np.logical_or if out.kind == "bool" else np.add
    return Fill(out.shape, lambda _, o, x: partial(add.accumulate, x, axis=axis, out=o), kind=out.kind)


def _reduction(axes: Shape, types: Sequence[Type], out: Type, reduce: Callable[[Hold, Array, Array, Shape], Call]) -> Fill:
    """A reduction that sees its argument, its result and its axes in the order of memory."""
    kept = [k for k in range(len(types[0].shape)) if k not in axes]

    def order(x: Array) -> Shape:
        return tuple(np.argsort([memory_order(x).index(k) for k in kept]).tolist())

    def bind(hold: Hold, o: Array, x: Array) -> Call:
        turned = memory_order(x)
        return reduce(hold, o.transpose(order(x)), x.transpose(turned), tuple([k for k, axis in enumerate(turned) if axis in axes]))

    return Fill(out.shape, bind, kind=out.kind, order=order)


def memory_order(x: Array) -> Shape:
    """The axes from the outermost in memory to the innermost."""
    return tuple(sorted(range(x.ndim), key=lambda k: -abs(x.strides[k])))


def _sum(axes: Shape, types: Sequence[Type], out: Type) -> Fill:
    return _reduction(axes, types, out, _add_up)


def _add_up(_: Hold, o: Array, x: Array, axes: Shape) -> Call:
    count, plain = len(axes), x.flags.c_contiguous and x.size and o.flags.c_contiguous
    if count == x.ndim:
        return partial(np.add.reduce, x.reshape(-1), out=o) if plain else partial(np.add.reduce, x, axis=axes, out=o)
    if plain and axes == tuple(range(count)):
        ones = np.ones(_size(x.shape[:count]))
        return partial(np.matmul, ones, x.reshape(len(ones), -1), out=o.reshape(-1))
    width = _size(x.shape[x.ndim - count :])
    if plain and axes == tuple(range(x.ndim - count, x.ndim)) and width <= NARROW:
        return partial(np.matmul, x.reshape(-1, width), np.ones(width), out=o.reshape(-1))
    return partial(np.add.reduce, x, axis=axes, out=o)


def _extreme(function: np.ufunc) -> Callable[..., Fill]:
    def reduce(hold: Hold, o: Array, x: Array, axes: Shape) -> Call:
        if axes != (x.ndim - 1,) or x.ndim < 2 or x.shape[-1] > SHORT or not o.flags.c_contiguous:
            return partial(function.reduce, x, axis=axes, out=o)
        turned, line = np.moveaxis(x, -1, 0), o.reshape(-1)
        across = hold(turned.shape, x.dtype)
        lines = across.reshape(len(turned), -1)

        def across_the_axis() -> None:
            np.copyto(across, turned)
            function.reduce(lines, axis=0, out=line)

        return across_the_axis

    def make(attr: Any, types: Sequence[Type], out: Type) -> Fill:
        return _reduction(attr if not attr or isinstance(attr[0], int) else attr[0], types, out, reduce)

    return make


def _matmul(_: Any, __: Sequence[Type], out: Type) -> Fill:
    return Fill(out.shape, lambda _, o, a, b: partial(np.matmul, a, b, out=o))


FILLS: dict[str, Callable[[Any, Sequence[Type], Type], Fill]] = {
    "any_of": _extreme(np.logical_or),
    "index": _index,
    "joined": _join,
    "largest": _extreme(np.maximum),
    "matmul": _matmul,
    "permuted": _permute,
    "place": _place,
    "reshaped": lambda shape, _, out: reshaped(shape, out.kind),
    "running": _running,
    "smallest": _extreme(np.minimum),
    "sum": _sum,
}
