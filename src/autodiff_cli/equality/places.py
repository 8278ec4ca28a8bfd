"""Two functions in; values of their variables at, between and beyond the places where a condition changes out."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from random import Random
from typing import TYPE_CHECKING, Any

from ..graph import CONST, Expr, Fn
from ..program import compile
from ..run.floats import named
from .doubt import COMPARISONS
from .points import MARKED, Point

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

BASES, STARTS, TURNS = 2, (0.7, -3.1, 40.0), 40  # ways to look for a place
MOST_CONDITIONS, MOST_VARIABLES, MOST_PLACES, MOST_NODES = 8, 4, 24, 500
FAR = 1e150
SHORT = 12  # digits of a place that is found


def places(functions: Sequence[Fn], names: Sequence[str], fixed: Mapping[str, Any], seed: int) -> Iterator[Point]:
    """Points where a number of the text is the value of a variable or a comparison is a tie, marked; and such between and beyond them."""
    small = [compile(fn).fn for fn in functions if len(fn.nodes) <= MOST_NODES]
    literals = {sign * value for fn in small for value in _literals(fn) for sign in (1, -1)}
    ties = [tie for fn in small for tie in _ties(fn)][:MOST_CONDITIONS]
    draw = Random(f"{seed} places")  # noqa: S311 (nothing secret)
    for name in names[:MOST_VARIABLES]:
        for _ in range(BASES if len(names) > 1 else 1):
            base = {other: draw.choice(MARKED[1:6]) for other in names}
            roots = {root for tie in ties for root in _roots(tie, {**fixed, **base}, name)}
            found = sorted([*roots, *sorted(literals - roots, key=abs)][:MOST_PLACES])
            yield from [Point({**base, name: value}, marked=True) for value in found]
            yield from [Point({**base, name: value}, marked=False) for value in _beside(found)]


def _literals(fn: Fn) -> Iterator[float]:
    """The numbers that a function compares with or is made of; whole exponents and signs are marked places anyway."""
    for i in fn.needs():
        node = fn.nodes[i]
        if node.op is CONST and node.attr not in ("True", "False"):
            value = named(node.attr)
            if isfinite(value) and value not in MARKED:
                yield value


def _ties(fn: Fn) -> Iterator[Fn]:
    """Both sides of every comparison of numbers."""
    for i in fn.needs():
        node = fn.nodes[i]
        if node.op in COMPARISONS and not any(fn.nodes[j].type.shape or fn.nodes[j].type.kind != "real" for j in node.args):
            yield Fn(fn, fn.params, [Expr(fn, j) for j in node.args], ["a", "b"])  # type: ignore[arg-type]  # a frozen graph


def _roots(tie: Fn, values: Mapping[str, Any], name: str) -> Iterator[float]:
    """Where both sides are one number, by secants from several starts."""
    for start in STARTS:
        root = _secant(tie, dict(values), name, start)
        if root is not None:
            yield float(f"{root:.{SHORT}g}")


def _secant(tie: Fn, values: dict[str, Any], name: str, start: float) -> float | None:
    before, here = start, 1.01 * start
    low, high = [_gap(tie, values, name, x) for x in (before, here)]
    for _ in range(TURNS):
        if high is None or low is None or high == low:
            return here if high == 0 else None
        before, low, here = here, high, here - high * (here - before) / (high - low)
        if not abs(here) < FAR:
            return None
        high = _gap(tie, values, name, here)
        if abs(here - before) <= 1e-14 * abs(here) or high == 0:
            return here
    return None


def _gap(tie: Fn, values: dict[str, Any], name: str, x: float) -> float | None:
    from ..run.point import evaluate

    values[name] = x
    a, b = evaluate(tie, values)
    return float(a) - float(b) if isfinite(a) and isfinite(b) else None


def _beside(found: Sequence[float]) -> Iterator[float]:
    """Numbers between neighbours, and beyond the outermost."""
    if found:
        yield found[0] - max(1.0, abs(found[0]))
        yield found[-1] + max(1.0, abs(found[-1]))
    for a, b in pairwise(found):
        yield float(f"{(a + b) / 2:.{SHORT}g}")
