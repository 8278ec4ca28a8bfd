"""A function and its derivative in; what they are with 50 digits, and what rounding does to them in float64, out."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError
from ..program import compile
from ..run import digits
from ..run.settled import entries, settled, without_noise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn

    Sample = tuple[int, list[list[Any]]]  # results with steps rounded to so many bits

DIGITS = 50
FLOAT, BITS = 53, (44, 53, 49, 52, 47, 51)  # of a float64, and of the runs with few; first what tells most
MOST = 20_000_000  # steps of loops with few bits: where these do not end, they are given up
DEAR = 2.0  # seconds; where runs take so long, no more are made than it takes to explain what is to be explained
SLACK, ROUNDINGS = 16, 16  # how often the errors of few bits are allowed; roundings of the last step
FEW = 10  # one sample of the errors may be a lucky one
FLOOR = 2.0**-1074


class Truth(NamedTuple):
    """Results in 50 digits; `growth` says, for every entry of each, how large the error is that comes of rounding every step by 1.

    It is NaN where that could not be found out: with fewer bits no loop comes to its end.
    """

    results: list[Any]
    growth: list[list[Any]]


def truth(fn: Fn, values: Mapping[str, Any], floats: Sequence[Any] | None = None) -> Truth:
    """The results at the float64 values that are given, every literal a float64; `floats` are those of float64, if they are to be explained."""
    found = without_noise(settled(fn, values, DIGITS, doubles=True, seconds=DEAR), DIGITS)
    explained = None if floats is None else [list(entries(value)) for value in floats]
    return Truth(found, growth(fn, values, [list(entries(value)) for value in found], explained))


def growth(
    fn: Fn, values: Mapping[str, Any], exact: Sequence[Sequence[Any]], floats: Sequence[Sequence[Any]] | None = None
) -> list[list[Any]]:  # fmt: skip
    """How large the error of each entry of the results is that comes of rounding every step by 1; `exact` are the true ones.

    Where a run takes long, no more are made than explain the errors of `floats`; an error that stays unexplained has all of them against it.
    """
    samples: list[Sample] = []
    start = process_time()
    for bits in BITS:
        if process_time() - start > DEAR and (floats is None or _explained(floats, exact, _growth(samples, exact))):
            break
        one = _rounded(fn, values, bits)
        samples += [] if one is None else [one]
    found = _growth(samples, exact)
    if any(g < 1 and not float(e) for row, truths in zip(found, exact, strict=True) for g, e in zip(row, truths, strict=True)):
        found = _growth([*samples, *_moved(fn, values)], exact)
    return found


def _growth(samples: Sequence[Sample], exact: Sequence[Sequence[Any]]) -> list[list[Any]]:
    from mpmath import mp

    if not samples:
        return [[mp.nan] * len(row) for row in exact]
    return [[_largest(samples, k, j, e) for j, e in enumerate(row)] for k, row in enumerate(exact)]


def _explained(floats: Sequence[Sequence[Any]], exact: Sequence[Sequence[Any]], grown: Sequence[Sequence[Any]]) -> bool:
    return all(
        within(float(x), e, allowed(e, g))
        for row in zip(floats, exact, grown, strict=True)
        for x, e, g in zip(*row, strict=True)
        if not isinstance(e, bool)
    )


def within(found: float, exact: Any, most: Any) -> bool:
    """Whether a float64 is as near to the exact number as rounding explains; the same infinity is."""
    from mpmath import mp

    near = float(exact)
    if found - found != 0 or near - near != 0:
        return ulps(found, exact) == 0
    return bool(abs(mp.mpf(found) - exact) <= most)


def _moved(fn: Fn, values: Mapping[str, Any]) -> list[Sample]:
    """The results with every input moved by a rounding: what adds up to 0 may do so at any number of bits, and yet not in float64."""
    from math import cos

    from mpmath import mp

    def near(x: Any, k: int) -> Any:
        return x if isinstance(x, bool) else mp.mpf(x) * (1 + mp.mpf(cos(1.0 + k)) * mp.mpf(2) ** -FLOAT)

    import numpy as np

    moved: dict[str, Any] = {}
    with mp.workdps(DIGITS):
        for n, (name, value) in enumerate(values.items()):
            if hasattr(value, "dtype"):
                moved[name] = (
                    value if value.dtype == bool else np.frompyfunc(near, 2, 1)(value, n + np.arange(value.size).reshape(value.shape))
                )
            else:
                moved[name] = near(value, n)
    try:
        return [(FLOAT, [list(entries(value)) for value in digits.evaluate(fn, moved, DIGITS, MOST, doubles=True)])]
    except (digits.TooLong, AutodiffError):
        return []


def _rounded(fn: Fn, values: Mapping[str, Any], bits: int) -> Sample | None:
    """The results with every step rounded to so many bits; None where a loop does not end then."""
    program = compile(fn)
    try:
        slots = digits.trace(program, values, DIGITS, MOST, doubles=True, bits=bits)
    except (digits.TooLong, AutodiffError):
        return None
    return bits, [list(entries(slots[o])) for o in program.fn.outs]


def _largest(rounded: Sequence[Sample], k: int, j: int, exact: Any) -> Any:
    from mpmath import mp

    if isinstance(exact, bool) or not mp.isfinite(exact):
        return mp.zero
    errors = [abs(rows[k][j] - exact) * mp.mpf(2) ** bits for bits, rows in rounded]
    few = FEW if len(rounded) == 1 else 1
    return few * max([e for e in errors if mp.isfinite(e)], default=mp.zero)


def allowed(exact: Any, growth: Any, slack: int = SLACK) -> Any:
    """How far a float64 may be off: what rounding does, so many times, and some roundings of the result itself.

    A 0 that no sample misses is the sum of numbers that cancel, most likely of the size of the cotangent 1 that comes in.
    """
    from mpmath import mp

    if growth < 1 and not float(exact):
        return ROUNDINGS * mp.mpf(2) ** -53
    return (slack * growth + ROUNDINGS * abs(exact)) * mp.mpf(2) ** -53 + 4 * FLOOR


def condition(exact: Any, growth: Any) -> float:
    """How many times larger than the rounding of one step the error is that it leads to, relative to the result; infinite where that is 0."""
    return float(growth / abs(exact)) if exact else float("inf") if growth else 0.0


def ulps(found: float, exact: Any) -> float:
    """The distance in units of the last place of the float64 next to the exact number; 0 for the same infinity or NaN."""
    from math import ulp

    from mpmath import mp

    if not mp.isfinite(exact) or found - found != 0:
        near = float(exact)
        return 0.0 if found == near or (found != found and near != near) else float("inf")
    return float(abs(mp.mpf(found) - exact) / mp.mpf(ulp(float(exact))))
