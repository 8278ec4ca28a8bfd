"""A function, a point and a number of digits in; results out whose digits are right: computed with more until they stay the same."""

from __future__ import annotations

from math import inf as INF
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import CONST
from ..program import compile
from . import digits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..graph import Fn

SPARE = 12  # digits beyond those that are asked for, at first
FAR = 700  # so many digits tell a number that is tiny from one that is 0, and a pole from what is close to it
ROUNDS = 5


class Settled(NamedTuple):
    """Results as mpmath numbers or object arrays; `open` are the numbers of those whose digits did not settle with `used` digits."""

    results: list[Any]
    open: list[int]
    used: int


def settled(
    fn: Fn, values: Mapping[str, Any], wanted: int, steps: float = INF, *, doubles: bool = False, seconds: float = INF
) -> Settled:  # fmt: skip
    """The results with `wanted` decimal digits right; `TooLong` if loops take more `steps`. No further precision is tried after `seconds`.

    Two precisions have to agree; a 0 or an infinity counts only where it is seen with many digits, or where it is a constant.
    """
    program = compile(fn)
    fixed = [program.fn.nodes[o].op is CONST for o in program.fn.outs]
    working = wanted + SPARE
    last = digits.run(program, values, working, steps, doubles=doubles)
    left: list[int] = []
    started = process_time()
    for _ in range(ROUNDS):
        if process_time() - started > seconds:
            break
        before, working = last, 2 * working + 20
        last = digits.run(program, values, working, steps, doubles=doubles)
        left = [k for k, (a, b) in enumerate(zip(before, last, strict=True)) if not fixed[k] and not _agree(a, b, wanted, working)]
        if not left:
            break
        if all(_plain(before[k]) and _plain(last[k]) for k in left):  # all that is left is a 0 or a pole: once more, far out
            working = max(working, (FAR - 20) // 2)
    return Settled(last, left, working)


def entries(value: Any) -> Iterator[Any]:
    """The numbers of a result."""
    return iter(value.flat if hasattr(value, "flat") else (value,))


def _agree(a: Any, b: Any, wanted: int, working: int) -> bool:
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
