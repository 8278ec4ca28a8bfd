"""Numbers of many digits in; whether they are the same, told apart from rounding by computing them with twice the digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.structured import loop_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph import Fn

DIGITS = 50
FINER = 1000  # digits that tell a difference from what was lost in sums of unlike numbers
STEPS = (100, 1_000, 10_000, 100_000, 1_000_000)  # of loops, at most
CLOSE = 10.0**-40
SHRUNK = 0.5  # a difference that is rounding gets smaller than that with twice the digits


def cost(fn: Fn, values: Mapping[str, Any]) -> int:
    """About how many steps the function takes at a point."""
    nodes = len(fn.needs())
    if not any(node.op is loop_ for node in fn.nodes):
        return nodes
    return nodes + next((steps for steps in STEPS if evaluated(fn, values, 15, steps) is not None), STEPS[-1])


def evaluated(fn: Fn, values: Mapping[str, Any], digits: int = DIGITS, steps: int = STEPS[-1]) -> list[Any] | None:
    """The results at a point, each a list of numbers or conditions; None where a loop or an index has no end or no place."""
    from ..diagnostics import AutodiffError
    from ..run.digits import TooLong, evaluate

    try:
        found = evaluate(fn, {name: _decimal(value) for name, value in values.items()}, digits, steps)
    except (AutodiffError, IndexError, TooLong):
        return None
    return [list(x.flat) if hasattr(x, "dtype") else [x] for x in found]


def _decimal(value: Any) -> Any:
    """A number as the decimals that were typed; an array too."""
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "dtype") and value.dtype != bool:
        import numpy as np

        return np.frompyfunc(lambda x: repr(float(x)), 1, 1)(value)
    return value


def defined(numbers: list[Any]) -> bool:
    """Whether all are finite numbers, or conditions."""
    from mpmath import mp

    return all(isinstance(x, bool) or mp.isfinite(x) for x in numbers)


def near(a: list[Any], b: list[Any]) -> bool:
    """Whether numbers agree to 40 digits; conditions are as 1 and 0."""
    return len(a) == len(b) and all(x == y or abs(x - y) <= CLOSE * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))


def apart(a: list[Any], b: list[Any]) -> Any:
    """The largest difference; a number where one of two has no partner."""
    return max([abs(x - y) for x, y in zip(a, b, strict=True)], default=0) if len(a) == len(b) else 1
