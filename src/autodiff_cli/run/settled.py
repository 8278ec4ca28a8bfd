"""A function, a point and a number of digits in; results out whose digits are right: computed with more until they stay the same."""

from __future__ import annotations

from math import inf as INF
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import CONST
from ..program import compile
from . import digits
from .digits_steps import DECIDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..graph import Fn
    from ..program import Program

SPARE = 12  # digits beyond those that are asked for, at first
FAR = 700  # so many digits tell a number that is tiny from one that is 0, and a pole from what is close to it
ROUNDS = 5
FIRM = 10  # so many first digits of a number that is no noise


class Settled(NamedTuple):
    """Results as mpmath numbers or object arrays; `open` are the numbers of those whose digits did not settle with `used` digits.

    `before` are the results with the fewer digits of the last try but one.
    """

    results: list[Any]
    open: list[int]
    used: int
    before: Sequence[Any] = ()


def settled(  # noqa: PLR0913 (what limits it, by name)
    fn: Fn, values: Mapping[str, Any], wanted: int, steps: float = INF, *, doubles: bool = False, seconds: float = INF, start: int = 0
) -> Settled:  # fmt: skip
    """The results with `wanted` decimal digits right; `TooLong` if loops take more `steps`. No further precision is tried after `seconds`.
    It begins with `start` digits, if these are more than it takes.

    Two precisions have to agree; a 0 or an infinity counts only where it is seen with many digits, or where it is a constant.
    """
    program = compile(fn)
    fixed = [program.fn.nodes[o].op is CONST for o in program.fn.outs]
    working = max(wanted + SPARE, start)
    last, decided = _run(program, values, working, steps, doubles=doubles)
    left: list[int] = []
    before = last
    started = process_time()
    for _ in range(ROUNDS):
        if process_time() - started > seconds:
            break
        before, working = last, 2 * working + 20
        if decided:  # what looks whole or equal, or is so: only many digits tell
            working = max(working, FAR)
        last, decided = _run(program, values, working, steps, doubles=doubles)
        left = [k for k, (a, b) in enumerate(zip(before, last, strict=True)) if not fixed[k] and not alike(a, b, wanted, working)]
        if not left:
            break
        if all(_plain(before[k]) and _plain(last[k]) for k in left):  # all that is left is a 0 or a pole: once more, far out
            working = max(working, (FAR - 20) // 2)
    return Settled(last, left, working, before)


def _run(program: Program, values: Mapping[str, Any], working: int, steps: float, *, doubles: bool) -> tuple[list[Any], bool]:
    """The results, and whether a step or a comparison took numbers for equal that differ in their last bits."""
    count = [0]
    token = DECIDED.set(count)
    try:
        return digits.run(program, values, working, steps, doubles=doubles), bool(count[0])
    finally:
        DECIDED.reset(token)


def entries(value: Any) -> Iterator[Any]:
    """The numbers of a result."""
    return iter(value.ravel().tolist() if hasattr(value, "dtype") else (value,))


def vanishes(value: Any, wanted: int) -> bool:
    """Whether a number that did not settle with `wanted` digits is so small that it is 0."""
    from mpmath import mp

    return bool(mp.mag(value) < -3 * (wanted + SPARE))


def without_noise(found: Settled, wanted: int) -> list[Any]:
    """The results; what comes closer to 0 with every digit is 0, and what keeps its first digits is a small number."""
    return [clean(x, wanted, found.before[k] if found.before else None) if k in found.open else x for k, x in enumerate(found.results)]


def clean(value: Any, wanted: int, before: Any = None) -> Any:
    """A result, with 0 for what comes closer to it with every digit; `before` is the same with fewer digits."""
    from mpmath import mp

    def number(x: Any, fewer: Any) -> Any:
        if isinstance(x, bool) or not mp.isfinite(x) or not vanishes(x, wanted):
            return x
        return x if fewer is not None and abs(x - fewer) <= abs(x) * mp.mpf(10) ** -FIRM else mp.zero

    if not hasattr(value, "dtype"):
        return number(value, before)
    import numpy as np

    return np.frompyfunc(number, 2, 1)(value, before)


def alike(a: Any, b: Any, wanted: int, working: int) -> bool:
    """Whether results of which the second has `working` digits have the first `wanted` in common."""
    return all(_same(x, y, wanted, working) for x, y in zip(entries(a), entries(b), strict=True))


def _same(x: Any, y: Any, wanted: int, working: int) -> bool:
    from mpmath import mp

    if isinstance(x, bool):
        return bool(x == y)
    if _plain(x) or _plain(y):
        return bool(x == y or (x != x and y != y)) and working >= FAR
    return bool(abs(x - y) <= abs(y) * mp.mpf(10) ** -(wanted + 2))


def _plain(value: Any) -> bool:
    """Whether a number is 0, infinite or NaN, or every entry of an array is."""
    from mpmath import mp

    return all(isinstance(x, bool) or not x or not mp.isfinite(x) for x in entries(value))
