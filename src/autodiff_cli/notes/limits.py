"""The limit at a removable point: digits on every side of it in, one sentence out."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from ..run import digits
from .words import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..graph import Fn

DIGITS = 150
STEPS = 10_000
STEP = "1e-30"
CLOSE = "1e-20"
MOST = 3


def limit(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str]) -> tuple[str, ...]:
    """`the limit there is 1, with slope 0`, where all sides agree on it and loops do not make it long; else nothing."""
    try:
        return _limit(fn, values, wrt)
    except digits.TooLong:
        return ()


def _limit(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str]) -> tuple[str, ...]:
    """`the limit there is 1, with slope 0`, where all sides agree on it; else nothing.

    Where digits have a number at the point itself, only float64 fell short, and that number is said.
    """
    here = digits.evaluate(fn, values, DIGITS, STEPS)
    if _agreed(here[:1]) is not None and all(_agreed([h]) is not None for h in here):
        return (_said("with 50 digits it is", fn, here),)
    names = [n for n in wrt if n in values and not isinstance(values[n], bool) and abs(values[n]) < float("inf")]
    if not names or len(names) > MOST:
        return ()
    around = [digits.evaluate(fn, point, DIGITS, STEPS) for point in _around(values, names)]
    found = [_agreed(results) for results in zip(*around, strict=True)]
    return () if found[0] is None else (_said("the limit there is", fn, found),)


def _said(start: str, fn: Fn, found: Sequence[Any]) -> str:
    slopes = [f"{number(s)} (`{name}`)" for name, s in zip(fn.names[1:], found[1:], strict=True) if s is not None]
    return f"{start} {number(found[0])}" + (f", with slope {', '.join(slopes)}" if slopes else "")


def _around(values: Mapping[str, Any], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The point moved by a tiny step along every axis and every diagonal, both ways."""
    from mpmath import mp

    with mp.workdps(DIGITS):
        for signs in product((-1, 0, 1), repeat=len(names)):
            if any(signs):
                yield {**values, **{n: mp.mpf(values[n]) + s * mp.mpf(STEP) for n, s in zip(names, signs, strict=True)}}


def _agreed(found: Sequence[Any]) -> Any:
    """The number that all of `found` are close to."""
    from mpmath import mp

    with mp.workdps(DIGITS):
        if not all(mp.isfinite(v) for v in found):
            return None
        middle = mp.fsum(found) / len(found)
        scale = max(1, abs(middle))
        if any(abs(v - middle) > mp.mpf(CLOSE) * scale for v in found):
            return None
        return mp.mpf(0) if abs(middle) < mp.mpf(CLOSE) else middle
