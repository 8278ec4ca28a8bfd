"""Choices between arrays, guards, and floats entry by entry: what the other kernels of arrays are made with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays_lane import Lane, Whole

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[..., Any]

RAISED = (ValueError, OverflowError, ZeroDivisionError)


def each(fast: Kernel, slow: Kernel) -> Whole:
    """A kernel of floats, entry by entry."""

    def fill(*given: Any) -> None:
        out = given[-1]
        columns = [a.ravel().tolist() for a in np.broadcast_arrays(*given)[:-1]]
        try:
            out[...] = np.reshape(list(map(fast, *columns)), out.shape)
        except RAISED:
            out[...] = np.reshape(list(map(slow, *columns)), out.shape)

    return Whole(fill, cost=500)


def mended(odd: Any, scalar: Kernel, *given: Any) -> None:
    """Do the entries of the last array where `odd` holds again, by a kernel of floats over the others."""
    places = np.nonzero(odd)
    if len(places[0]):
        columns = np.broadcast_arrays(*given)[:-1]
        given[-1][places] = list(map(scalar, *[column[places].tolist() for column in columns]))


def _guard(d: Any, v: Any, out: Any) -> None:
    if out is not d:
        np.copyto(out, d)
    least = np.minimum.reduce(v, axis=None, initial=np.inf)
    if least != least:
        out[np.isnan(v)] = np.nan


def _domain(power: Any, x: Any, y: Any, out: Any) -> None:
    if out is not power:
        np.copyto(out, power)
    if np.fmin.reduce(x, axis=None, initial=np.inf) == -np.inf:
        out[np.isneginf(x) & (np.floor(y) != y)] = np.nan


def _spread(p: Any, out: Any) -> None:
    np.copyto(out, p.view(np.int8))
    np.negative(out, out=out)


def _bits(x: Any) -> Any:
    return np.asarray(x, np.float64).view(np.int64)


def _blend(mask: Any, a: Any, b: Any, out: Any) -> None:
    """b ^ ((a ^ b) & mask): a choice without a jump."""
    a, b, found = _bits(a), _bits(b), out.view(np.int64)
    if b.ndim == 0 and b == 0:
        np.bitwise_and(a, mask, out=found)
        return
    np.bitwise_xor(a, b, out=found)
    np.bitwise_and(found, mask, out=found)
    np.bitwise_xor(found, b, out=found)


def _real(p: Any, out: Any) -> None:
    np.copyto(out, p)


keep = Whole(_guard, cost=1, over=(0,))
domain = Whole(_domain, cost=1, over=(0,))
spread = Whole(_spread, cost=2, kind="mask")
blend = Whole(_blend, cost=3, over=(1,))
real = Whole(_real, cost=2)


def choose(p: Any, a: Any, b: Any) -> Any:
    """`a` where `p` holds, else `b`, for numbers."""
    if isinstance(p, bool | np.bool_):
        return a if p else b
    return blend(spread(p), a, b)


def guard(d: Any, v: Any) -> Any:
    """`d`, NaN where `v` is NaN."""
    if type(v) is float:
        return d if v == v else math.nan
    return -keep(-d, v) if type(d) is Lane and d.minus else keep(d, v)
