"""A point whose value and slope are smooth, and higher derivatives of it in; which of these jump there out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Label
from ..run import digits
from ..run.budget import Expired, budget
from .approach import beside
from .kinks import DIGITS, MOST, STEPS, differ
from .numbers import DOUBLES
from .words import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..diagnostics import Span
    from ..graph import Fn
    from .numbers import Numbers


def bends(
    fn: Fn, spans: Sequence[Span], values: Mapping[str, Any], wrt: Sequence[str], numbers: Numbers = DOUBLES
) -> list[Diagnostic]:  # fmt: skip
    """One note where a result behind the gradient by `wrt` is not the same just below and just above the point."""
    if len(fn.outs) <= 1 + len(wrt):
        return []
    try:
        with budget():
            found = tuple(_jumps(fn, values, wrt, numbers))
    except (Expired, digits.TooLong):
        return []
    labels = tuple([Label(span) for span in spans[:MOST]])
    return [Diagnostic("kink", "the point is on a kink of a derivative", labels, found[:MOST], severity="note")] if found else []


def _jumps(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], numbers: Numbers) -> Iterator[str]:
    from mpmath import mp

    here = numbers.evaluate(fn, values)
    with mp.workdps(DIGITS):
        for name in wrt:
            value = values.get(name)
            if value is None or isinstance(value, bool) or value - value != 0:
                continue
            low, high = [beside(fn, values, {name: sign}, DIGITS, STEPS, doubles=numbers.doubles) for sign in (-1, 1)]
            for k in range(1 + len(wrt), len(fn.outs)):
                if differ(low[k], high[k]):
                    chosen = f"{number(float(here[k]))} was chosen"
                    yield f"`{fn.names[k]}` is {number(low[k])} below `{name}` = {number(float(value))} and {number(high[k])} above; {chosen}"
