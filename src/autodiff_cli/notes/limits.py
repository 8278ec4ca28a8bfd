"""The limit at a removable point: digits on every side of it in, one sentence out."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from ..run import digits
from ..run.budget import Expired, budget
from .approach import beside, common
from .words import listed, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn

DIGITS, TURNS = 500, 10_000
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
    found = [common(sides) for sides in zip(*_sides(fn, values, names), strict=True)]
    if found[0] is None or not mp.isfinite(found[0]) or (mp.isfinite(here[0]) and not any(f is not None for f in found[1:])):
        return ()
    return (_said("the limit there is", fn, found, wrt),)


def _said(start: str, fn: Fn, found: Sequence[Any], wrt: Sequence[str]) -> str:
    known = [(name, number(s)) for name, s in zip(fn.names, found, strict=True) if s is not None]
    slopes = [f"{said} (`{name}`)" for name, said in known[1:] if name in fn.names[1 : len(wrt) + 1]]
    others = [f"{said} for `{name}`" for name, said in known[1:] if name in fn.names[len(wrt) + 1 :]]
    more = [f"with slope {', '.join(slopes)}"] if slopes else []
    return ", ".join([f"{start} {known[0][1]}", *more, *([f"and {listed(others)}"] if others else [])])


def _sides(fn: Fn, values: Mapping[str, Any], names: Sequence[str]) -> list[list[Any]]:
    """The limit of every result along every axis and every diagonal, both ways."""
    signs = [dict(zip(names, one, strict=True)) for one in product((-1, 0, 1), repeat=len(names)) if any(one)]
    return [beside(fn, values, one, DIGITS, TURNS) for one in signs]
