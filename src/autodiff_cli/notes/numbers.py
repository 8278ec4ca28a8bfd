"""What notes on a point are worked out with: float64, or as many digits as were asked for."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ops.arithmetic import eq
from ..run import digits, floats, loops

if TYPE_CHECKING:
    from collections.abc import Callable


class Numbers(NamedTuple):
    """How a program runs, what a function gives, which numbers are the same, the turns of a loop; and whether a literal is a float64."""

    trace: Callable[..., dict[int, Any]]
    evaluate: Callable[..., list[Any]]
    same: Callable[[Any, Any], bool]
    replay: Callable[..., Any]
    doubles: bool


DOUBLES = Numbers(floats.trace, floats.evaluate, operator.eq, loops.replay, doubles=True)


def decimals(many: int) -> Numbers:
    """Decimals with so many digits; to be used at that precision."""
    from ..run.digits_kernels import kernel

    return Numbers(
        lambda program, values: digits.trace(program, values, many),
        lambda fn, values: digits.evaluate(fn, values, many),
        kernel(eq, None)[0],
        lambda program, slot, slots: loops.replay(program, slot, slots, loops.of_digits()),
        doubles=False,
    )
