"""A function and a point in, numbers of many digits out; and whether two lists of such numbers are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.structured import loop_

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn

    Parts = list[list[Any]]

DIGITS = 50
MORE = 400  # digits that tell numbers apart which agree in the first fifty
FINER = 1000  # digits that tell a difference from what was lost in sums of unlike numbers
STEPS = (100, 1_000, 10_000, 100_000, 1_000_000)  # of loops, at most
SPARE = 10  # digits that may be lost on the way
SHRUNK = 0.5  # a difference that is rounding gets smaller than that with more digits


def cost(fn: Fn, values: Mapping[str, Any]) -> int:
    """About how many steps the function takes at a point."""
    nodes = len(fn.needs())
    if not any(node.op is loop_ for node in fn.nodes):
        return nodes
    return nodes + next((steps for steps in STEPS if evaluated(fn, values, 15, steps) is not None), STEPS[-1])


def evaluated(fn: Fn, values: Mapping[str, Any], digits: int = DIGITS, steps: int = STEPS[-1]) -> Parts | None:
    """The results at a point, each a list of numbers or conditions; None where a loop or an index has no end or no place."""
    from ..diagnostics import AutodiffError
    from ..run.digits import TooLong, evaluate

    try:
        found = evaluate(fn, {name: decimals(value) for name, value in values.items()}, digits, steps)
    except (AutodiffError, IndexError, TooLong):
        return None
    return [x.ravel().tolist() if hasattr(x, "dtype") else [x] for x in found]


def decimals(value: Any) -> Any:
    """A number as the decimals that were typed; an array too."""
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "dtype") and value.dtype != bool:
        import numpy as np

        return np.frompyfunc(lambda x: repr(float(x)), 1, 1)(value)
    return value


def defined(parts: Parts) -> bool:
    """Whether all are finite numbers, or conditions."""
    from mpmath import mp

    return all(isinstance(x, bool) or mp.isfinite(x) for part in parts for x in part)


def near(a: Parts, b: Parts, digits: int = DIGITS) -> bool:
    """Whether numbers agree to all but the last of so many digits; conditions are as 1 and 0."""
    from mpmath import mp

    close = mp.mpf(10) ** (SPARE - digits)
    pairs = _pairs(a, b)
    return pairs is not None and all(x == y or abs(x - y) <= close * max(abs(x), abs(y)) for x, y in pairs)


def apart(a: Parts, b: Parts) -> Any:
    """The largest difference; infinite where one of two has no partner."""
    from mpmath import mp

    pairs = _pairs(a, b)
    return mp.inf if pairs is None else max([abs(x - y) for x, y in pairs], default=0)


def size(parts: Parts) -> Any:
    """The largest number, by its size."""
    return max([abs(x) for part in parts for x in part], default=0)


def _pairs(a: Parts, b: Parts) -> list[tuple[Any, Any]] | None:
    """Numbers with their partners, or None where one has none; a single 0 is the slope by an array that a function does not have."""
    found: list[tuple[Any, Any]] = []
    for one, other in zip(a, b, strict=True):
        long = max(len(one), len(other))
        if not all(len(part) == long or part == [0] for part in (one, other)):
            return None
        found += zip(*[part if len(part) == long else part * long for part in (one, other)], strict=True)
    return found


def pole(rough: Sequence[Parts], fine: Sequence[Parts]) -> bool:
    """Whether a number gets as much larger as there are more digits: only rounding keeps it from being infinite."""
    from mpmath import mp

    return any(
        defined(b) and size(b) > mp.mpf(10) ** ((FINER - DIGITS) // 4) * max(1, size(a))
        for a, b in zip(rough, fine, strict=True)
        if defined(a)
    )
