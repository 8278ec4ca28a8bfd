"""Kernels of ops over whole arrays that write into memory they are given: an op and shapes in, a `Fill` out."""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from .kernels_tensor import numpy_items, simple

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
    the step; `view`, where there is one, gives the result without work.
    """

    __slots__ = ("bind", "kind", "over", "shape", "view")

    def __init__(
        self, shape: Shape, bind: Callable[..., Call], *, kind: str = "real", view: Callable[[Array], Array] | None = None, over: bool = False
    ) -> None:
        """`over` where `out` may be the memory of an argument of its shape."""
        self.shape, self.bind, self.kind, self.view, self.over = shape, bind, kind, view, over


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
    chosen = numpy_items(items, rows=False)
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


def _place(attr: Any, types: Sequence[Type], out: Type) -> Fill:
    shape, items = attr
    chosen = numpy_items(items, rows=False)
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
        bits, line, out, held = p.view(np.int8), u.view(np.int64), o.view(np.int64), hold(p.shape, np.int8)

        def gate() -> None:
            _mask(bits, held, wanted=wanted)
            np.bitwise_and(line, held, out=out)

        return gate

    return Fill(shape, bind, over=True)


def chosen(shape: Shape) -> Fill:
    """Numbers a where the condition holds, else b, by their bits: b ^ ((a ^ b) & mask)."""

    def bind(hold: Hold, o: Array, p: Array, a: Array, b: Array) -> Call:
        bits, ones, others, out = p.view(np.int8), a.view(np.int64), b.view(np.int64), o.view(np.int64)
        held, unlike = hold(p.shape, np.int8), hold(np.broadcast_shapes(a.shape, b.shape), np.int64)
        apart = hold(shape, np.float64).view(np.int64)

        def choose() -> None:
            _mask(bits, held, wanted=True)
            np.bitwise_xor(ones, others, out=unlike)
            np.bitwise_and(unlike, held, out=apart)
            np.bitwise_xor(apart, others, out=out)

        return choose

    return Fill(shape, bind, over=True)


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


def _sum(axes: Shape, types: Sequence[Type], out: Type) -> Fill:
    shape = types[0].shape
    rank, count = len(shape), len(axes)

    def bind(_: Hold, o: Array, x: Array) -> Call:
        if not x.flags.c_contiguous or not 0 < count < rank or not _size(shape):
            line = x.reshape(-1) if count == rank and x.flags.c_contiguous else x
            return partial(np.add.reduce, line, axis=0 if line.ndim == 1 else axes, out=o)
        if axes == tuple(range(count)):
            ones = np.ones(_size(shape[:count]))
            return partial(np.matmul, ones, x.reshape(len(ones), -1), out=o.reshape(-1))
        width = _size(shape[rank - count :])
        if axes == tuple(range(rank - count, rank)) and width <= NARROW:
            return partial(np.matmul, x.reshape(-1, width), np.ones(width), out=o.reshape(-1))
        return partial(np.add.reduce, x, axis=axes, out=o)

    return Fill(out.shape, bind)


def _extreme(function: np.ufunc) -> Callable[..., Fill]:
    def make(attr: Any, types: Sequence[Type], out: Type) -> Fill:
        axes: Shape = attr if not attr or isinstance(attr[0], int) else attr[0]
        shape = types[0].shape

        def bind(hold: Hold, o: Array, x: Array) -> Call:
            if axes != (len(shape) - 1,) or len(shape) < 2 or shape[-1] > SHORT:
                return partial(function.reduce, x, axis=axes, out=o)
            turned = np.moveaxis(x, -1, 0)
            across, line = hold(turned.shape, x.dtype), o.reshape(-1)
            lines = across.reshape(len(turned), -1)

            def reduce() -> None:
                np.copyto(across, turned)
                function.reduce(lines, axis=0, out=line)

            return reduce

        return Fill(out.shape, bind, kind=out.kind)

    return make


def _log_sum_exp(attr: Any, types: Sequence[Type], out: Type) -> Fill:
    """log(sum(exp(x - m))) + m with m the largest entry, or 0 where that is not finite."""
    (axes,), shape = attr, types[0].shape
    kept = [k for k in range(len(shape)) if k not in axes]
    count = _size(tuple([shape[k] for k in axes]))
    ahead = count <= SHORT or not kept
    order = (*axes, *kept) if ahead else (*kept, *axes)

    def bind(hold: Hold, o: Array, x: Array) -> Call:
        turned = x.transpose(order)
        memory = hold(turned.shape, float)
        lines = memory.reshape((count, -1) if ahead else (-1, count))
        along, line = (0, o.reshape(1, -1)) if ahead else (1, o.reshape(-1, 1))
        most = np.empty(line.shape)

        def lse() -> None:
            np.copyto(memory, turned)
            np.maximum.reduce(lines, axis=along, keepdims=True, out=most)
            if not np.isfinite(most).all():
                most[~np.isfinite(most)] = 0.0
            np.exp(np.subtract(lines, most, out=lines), out=lines)
            np.add.reduce(lines, axis=along, keepdims=True, out=line)
            np.add(np.log(line, out=line), most, out=line)

        return lse

    return Fill(out.shape, bind)


def _matmul(_: Any, __: Sequence[Type], out: Type) -> Fill:
    return Fill(out.shape, lambda _, o, a, b: partial(np.matmul, a, b, out=o))


FILLS: dict[str, Callable[[Any, Sequence[Type], Type], Fill]] = {
    "any_of": _extreme(np.logical_or),
    "index": _index,
    "joined": _join,
    "largest": _extreme(np.maximum),
    "log_sum_exp": _log_sum_exp,
    "matmul": _matmul,
    "permuted": _permute,
    "place": _place,
    "reshaped": lambda shape, _, out: reshaped(shape, out.kind),
    "running": _running,
    "smallest": _extreme(np.minimum),
    "sum": _sum,
}
