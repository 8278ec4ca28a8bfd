"""A task and values as they were written in; its results with as many decimal digits as were asked for, all of them right, out."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .constants import Digits
from .diagnostics import Diagnostic
from .ops.structured import call_, loop_
from .program import compile
from .run.budget import Expired, budget
from .run.digits_doubt import doubtful
from .run.digits_steps import LOST
from .run.settled import FAR, entries, settled, vanishes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .api import Mark, Task
    from .graph import Fn
    from .report import Report
    from .run.settled import Settled

    Exact = Mapping[str, Any]

OF_FLOATS = ("infinite-literal", "near-singular")  # what is said of float64 only
MANY, SECONDS = (1200, 3000), 3.0  # digits that tell a 0 from what is tiny, where that is in doubt; and how long each may take


def answer(task: Task, exact: Exact, values: Mapping[str, Any], digits: int, mark: Mark) -> Report:
    """The results of a task at a point, with `digits` decimal digits; `values` are the float64 next to the `exact` ones."""
    from .api import report

    beyond: list[Any] = []
    token = LOST.set(beyond)
    try:
        computed = surely(task.fn, exact, digits, patient=True)
    finally:
        LOST.reset(token)
    found = in_digits(computed, digits)
    mark("run")
    lowered = [note for note in task.lowered.notes if note.code not in OF_FLOATS]
    notes = (*lowered, *_about(task, exact, values, computed, found), *_unsure(task.fn.names, computed, digits), *_beyond(beyond))
    point = {name: written(value, digits) for name, value in exact.items()}
    zeros = {name: value * 0 for name, value in task.unused.items() if hasattr(value, "shape")}
    for k, path in enumerate(task.paths):
        found[k] = zeros.get(str(path[1]), found[k]) if len(path) == 2 else found[k]
    mark("notes")
    return report(task, found, {**point, **task.unused}, notes)


def surely(fn: Fn, exact: Exact, digits: int, *, patient: bool = False) -> Settled:
    """The results with so many digits; a 0 that may only be too small for any number of digits counts as one that did not settle.

    With `patient` thousands of digits are tried then, for some seconds.
    """
    computed = settled(fn, exact, digits)
    doubts = doubtful(compile(fn), exact, computed.used, computed.results)
    for start in MANY if patient else ():
        if not doubts:
            break
        with suppress(Expired), budget(SECONDS):
            further = settled(fn, exact, digits, start=start)
            found = [x for k, x in enumerate(further.results) if k in doubts and k not in further.open and x]
            if found:
                computed = further
                doubts = doubtful(compile(fn), exact, further.used, further.results)
    return computed._replace(open=sorted({*computed.open, *doubts}))


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
    with mp.workdps(digits + 5):  # of a longer number Python makes no text
        return Digits("0.0" if open and vanishes(value, digits) else mp.nstr(+value, digits))


def _unsure(names: Sequence[str], found: Settled, digits: int) -> list[Diagnostic]:
    """What is said of results whose digits did not settle."""
    from .notes.words import listed

    zeros = [k for k in found.open if all(not x or vanishes(x, digits) for x in entries(found.results[k]))]
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


def _beyond(found: Sequence[Any]) -> list[Diagnostic]:
    """What is said where the angle of a sine or the like has too many digits before the point."""
    from mpmath import mp

    if not found:
        return []
    count = int(mp.mag(found[0]) * 0.30103)
    message = f"the sine or cosine of a number of {count:,} digits is left out: it takes as many digits of pi"
    return [Diagnostic("large-angle", message, severity="note")]


def _about(task: Task, exact: Exact, values: Mapping[str, Any], computed: Settled, found: Sequence[Any]) -> list[Diagnostic]:
    """The notes on results that are not finite, and on kinks, as digits have them; float64 is asked only where it is sure to come to an end."""
    from .notes import about, not_finite
    from .run.point import shaped

    numbers = [_float(value) for value in found]
    wild = [k for k, x in enumerate(numbers) if not hasattr(x, "dtype") and x - x != 0]
    if shaped(compile(task.fn).fn):
        said = [] if _waits(task.fn) else about(task.fn, values, task.wrt, numbers)
        return [note for note in said if note.code not in OF_FLOATS]
    begun = _begun(task, exact, computed, wild) if wild else []
    if wild and not begun and not _waits(task.fn):
        begun = not_finite(task.fn, values, numbers, task.wrt)
    return [*begun, *_on_kinks(task, exact, computed.used)]


def _on_kinks(task: Task, exact: Exact, used: int) -> list[Diagnostic]:
    from mpmath import mp

    from .notes import on_kinks
    from .run.digits import GUARD, read

    with mp.workdps(max(used, FAR) + GUARD):
        point = {name: read(mp, value) for name, value in exact.items()}
    with mp.workdps(used + GUARD):
        return on_kinks(task.fn, point, task.wrt, used)


def _waits(fn: Fn) -> bool:
    """Whether a loop runs until a condition on data fails: with a tolerance that float64 cannot meet it would not end there."""
    todo = [fn]
    while todo:
        for node in todo.pop().nodes:
            if node.op is loop_:
                if node.attr.test is not None:
                    return True
                todo.append(node.attr.fn)
            elif node.op is call_:
                todo.append(node.attr.fn)
    return False


def _begun(task: Task, exact: Exact, computed: Settled, wild: Sequence[int]) -> list[Diagnostic]:
    """Where results stopped to be finite: the first step that made an infinity or NaN of numbers."""
    from mpmath import mp

    from .diagnostics import Label
    from .notes.words import listed, spoken
    from .run import digits

    program = compile(task.fn)
    slots = digits.trace(program, exact, computed.used)
    for i, (op, args, attr, type) in enumerate(program.fn.nodes):
        site = program.fn.sites[i]
        if i not in slots or type.kind == "bool" or not hasattr(slots[i], "_mpf_") or mp.isfinite(slots[i]) or site is None:
            continue
        if args and all(isinstance(slots.get(j), bool) or hasattr(slots.get(j), "_mpf_") and mp.isfinite(slots[j]) for j in args):
            names = [f"`{task.fn.names[k]}`" for k in wild]
            where = f"the derivative of `{site.span.text}`" if site.order else f"`{site.span.text}`"
            message = f"{listed(names)} {'is' if len(names) == 1 else 'are'} not finite: it began in {where}"
            met = "NaN" if mp.isnan(slots[i]) else "inf" if slots[i] > 0 else "-inf"
            given = [slots[j] if isinstance(slots[j], bool) else float(slots[j]) for j in args]
            shown = not op.hidden and all(x - x == 0 for x in given)
            met = f"{spoken(op, given, attr)} is {met}" if shown else f"{met} with digits too"
            return [Diagnostic("not-finite", message, (Label(site.span, met),), severity="warning")]
    return []


def _float(value: Any) -> Any:
    if not hasattr(value, "dtype"):
        return value if not isinstance(value, Digits) else 0.0 if value.text[-1].isdigit() else float(value)
    import numpy as np

    return np.array([_float(x) for x in entries(value)], float).reshape(value.shape)
