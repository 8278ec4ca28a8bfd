"""A task and values as they were written in; its results with as many decimal digits as were asked for, all of them right, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .diagnostics import Diagnostic
from .report import Digits
from .run.settled import SPARE, entries, settled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .api import Mark, Task
    from .report import Report
    from .run.settled import Settled

    Exact = Mapping[str, Any]


def answer(task: Task, exact: Exact, values: Mapping[str, Any], digits: int, mark: Mark) -> Report:
    """The results of a task at a point, with `digits` decimal digits; `values` are the float64 next to the `exact` ones."""
    from .api import report

    computed = settled(task.fn, exact, digits)
    found = in_digits(computed, digits)
    mark("run")
    notes = (*task.lowered.notes, *_about(task, values, found), *_unsure(task.fn.names, computed, digits))
    point = {name: written(value, digits) for name, value in exact.items()}
    zeros = {name: value * 0 for name, value in task.unused.items() if hasattr(value, "shape")}
    for k, path in enumerate(task.paths):
        found[k] = zeros.get(str(path[1]), found[k]) if len(path) == 2 else found[k]
    mark("notes")
    return report(task, found, {**point, **task.unused}, notes)


def in_digits(computed: Settled, digits: int) -> list[Any]:
    """Results as `Digits` or arrays of them."""
    return [_written(value, digits, open=k in computed.open) for k, value in enumerate(computed.results)]


def written(value: Any, digits: int) -> Any:
    """A value as it was given, in so many digits."""
    from mpmath import mp

    from .run.digits import read

    with mp.workdps(digits + 10):
        return _written(read(mp, value), digits)


def _written(value: Any, digits: int, *, open: bool = False) -> Any:
    if not hasattr(value, "dtype"):
        return _number(value, digits, open=open)
    import numpy as np

    if value.dtype == bool:
        return value.astype(float)
    if not value.size:
        return value.astype(float)
    with np.errstate(all="ignore"):
        return np.frompyfunc(lambda x: _number(x, digits, open=open), 1, 1)(value)


def _number(value: Any, digits: int, *, open: bool) -> Any:
    """A number in decimal digits; one that comes closer to 0 with every digit it is computed with is 0."""
    from mpmath import mp

    if isinstance(value, bool):
        return float(value)
    if not mp.isfinite(value):
        return Digits("nan" if value != value else "inf" if value > 0 else "-inf")
    return Digits("0.0" if open and _vanishes(value, digits) else mp.nstr(value, digits))


def _vanishes(value: Any, digits: int) -> bool:
    from mpmath import mp

    return bool(mp.mag(value) < -3 * (digits + SPARE))


def _unsure(names: Sequence[str], found: Settled, digits: int) -> list[Diagnostic]:
    """What is said of results whose digits did not settle."""
    from .notes.words import listed

    zeros = [k for k in found.open if all(not x or _vanishes(x, digits) for x in entries(found.results[k]))]
    said = []
    for which, message in (
        (zeros, "taken for 0: closer to it with every digit more that is computed with"),
        (
            [k for k in found.open if k not in zeros],
            f"not sure in all of the {digits} digits: they change with every digit more that is computed with",
        ),
    ):
        if which:
            verb = "is" if len(which) == 1 else "are"
            said.append(Diagnostic("unsettled", f"{listed([f'`{names[k]}`' for k in which])} {verb} {message}", severity="note"))
    return said


def _about(task: Task, values: Mapping[str, Any], found: Sequence[Any]) -> list[Diagnostic]:
    """The notes on results that are not finite, and on kinks."""
    from .notes import about

    numbers = [_float(value) for value in found]
    return about(task.fn, values, task.wrt, numbers)


def _float(value: Any) -> Any:
    if not hasattr(value, "dtype"):
        return value if not isinstance(value, Digits) else 0.0 if value.text[-1].isdigit() else float(value)
    import numpy as np

    return np.array([_float(x) for x in entries(value)], float).reshape(value.shape)
