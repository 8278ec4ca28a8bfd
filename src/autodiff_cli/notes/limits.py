"""The limit at a removable point: digits on every side of it in, one sentence out."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from ..run import digits
from ..run.budget import Expired, budget
from .words import listed, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..graph import Fn

DIGITS, TURNS = 250, 10_000
STEPS = ("1e-30", "1e-40")
CLOSE = "1e-20"
MOST = 3


def limit(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str]) -> tuple[str, ...]:
    """`the limit there is 1, with slope 0`, where all sides agree on it; nothing else, nor where digits take too long.

    Where digits have a number at the point itself, only float64 fell short, and that number is said.
    """
    try:
        with budget():
            return _limit(fn, values, wrt)
    except (Expired, digits.TooLong):
        return ()


def _limit(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str]) -> tuple[str, ...]:
    from mpmath import mp

    here = digits.evaluate(fn, values, DIGITS, TURNS, doubles=True)
    if all(mp.isfinite(h) for h in here):
        return (_said("with 50 digits it is", fn, here, wrt),)
    names = [n for n in wrt if n in values and not isinstance(values[n], bool) and abs(values[n]) < float("inf")]
    if not names or len(names) > MOST:
        return ()
    rings = [[digits.evaluate(fn, point, DIGITS, TURNS, doubles=True) for point in _around(values, names, step)] for step in STEPS]
    found = [_agreed(far, near) for far, near in zip(*[zip(*ring, strict=True) for ring in rings], strict=True)]
    return () if found[0] is None else (_said("the limit there is", fn, found, wrt),)


def _said(start: str, fn: Fn, found: Sequence[Any], wrt: Sequence[str]) -> str:
    known = [(name, number(s)) for name, s in zip(fn.names, found, strict=True) if s is not None]
    slopes = [f"{said} (`{name}`)" for name, said in known[1:] if name in fn.names[1 : len(wrt) + 1]]
    others = [f"{said} for `{name}`" for name, said in known[1:] if name in fn.names[len(wrt) + 1 :]]
    more = [f"with slope {', '.join(slopes)}"] if slopes else []
    return ", ".join([f"{start} {known[0][1]}", *more, *([f"and {listed(others)}"] if others else [])])


def _around(values: Mapping[str, Any], names: Sequence[str], step: str) -> Iterator[dict[str, Any]]:
    """The point moved by a tiny step along every axis and every diagonal, both ways."""
    from mpmath import mp

    with mp.workdps(DIGITS):
        for signs in product((-1, 0, 1), repeat=len(names)):
            if any(signs):
                yield {**values, **{n: mp.mpf(values[n]) + s * mp.mpf(step) for n, s in zip(names, signs, strict=True)}}


def _agreed(far: Sequence[Any], near: Sequence[Any]) -> Any:
    """The number that all of `near` are close to, and closer than `far` are: where they do not come closer, there is no limit."""
    from mpmath import mp

    with mp.workdps(DIGITS):
        if not all(mp.isfinite(v) for v in (*far, *near)):
            return None
        middle, close = mp.fsum(near) / len(near), mp.mpf(CLOSE)
        wide, narrow = (max(abs(v - middle) for v in ring) for ring in (far, near))
        if narrow > close * abs(middle) and (narrow > close or narrow > wide / 10):
            return None
        return mp.mpf(0) if abs(middle) <= 10 * narrow or not middle else middle
