"""Results of float64 in; where it broke down on the way though the answer is a float64, the right numbers, and a note that says so, out."""

from __future__ import annotations

from math import inf as INF
from typing import TYPE_CHECKING, Any

from .diagnostics import Diagnostic
from .program import compile as compiled
from .run import digits, point
from .run.budget import Expired, budget
from .run.digits_kernels import kernel, knows
from .run.point import SMALLEST
from .run.reaching import reaching
from .run.settled import settled, without_noise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .graph import Fn
    from .program import Program

    Slots = Mapping[int, Any]
    Results = list[Any]

HOW = ("auto", "always", "never")
DIGITS = 20  # more than a float64 holds
TURNS = 200_000  # operations in loops
SECONDS, MOMENTS = 2.0, 1e6
MOST = 100_000  # entries of all inputs that digits are tried with
CLOSE = 1e-12  # what rounding does is no breakdown


def repaired(
    fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], results: Results, how: str = "auto"
) -> tuple[Results, list[Diagnostic]]:  # fmt: skip
    """The results, right where float64 broke down on the way, and what is to be said about that."""
    fresh = None if how == "never" else again(fn, values, results, patient=how == "always")
    return (results, []) if fresh is None else (fresh, note(fn, values, wrt, results, fresh))


def again(fn: Fn, values: Mapping[str, Any], results: Results, *, patient: bool = False) -> Results | None:
    """The results computed with digits and rounded to float64, if float64 broke down; None if it did not, or if digits take too long.

    A result that digits have no finite number for stays as it is, and one that nothing broken goes into. With `patient` nothing takes too long.
    """
    wrong = broken(fn, values, results)
    if not any(wrong) or not patient and sum(getattr(v, "size", 1) for v in values.values()) > MOST:
        return None
    try:
        with budget(MOMENTS if patient else SECONDS):
            found = without_noise(settled(fn, values, DIGITS, INF if patient else TURNS, doubles=True), DIGITS)
    except (Expired, digits.TooLong):
        return None
    fresh = [_merged(old, new) if bad else old for old, new, bad in zip(results, found, wrong, strict=True)]
    return fresh if any(_moved(old, new) for old, new in zip(results, fresh, strict=True)) else None


def _merged(old: Any, new: Any) -> Any:
    """The float64 next to the digits; what is not finite in digits, or is the same but for rounding, stays."""
    if not hasattr(old, "dtype"):
        return _number(old, new)
    import numpy as np

    if old.dtype == bool:
        return old
    with np.errstate(all="ignore"):
        return np.frompyfunc(_number, 2, 1)(old, new).astype(float)


def _number(old: float, new: Any) -> float:
    from mpmath import mp

    if isinstance(new, bool) or not mp.isfinite(new):
        return old
    number = float(new)
    return old if abs(number - old) <= CLOSE * abs(number) else number


def _moved(old: Any, new: Any) -> bool:
    import math

    if hasattr(old, "dtype"):
        import numpy as np

        return not np.array_equal(old, new, equal_nan=old.dtype != bool)
    return old is not new and old != new and not (math.isnan(old) and math.isnan(new))


# --- did it break down? --------------------------------------------------------------------------------------


def broken(fn: Fn, values: Mapping[str, Any], results: Results) -> list[bool]:
    """Of each result, whether it is not finite though every input is, or a number that left the range of float64 goes into it."""
    if not all(_finite(v) for v in values.values()):
        return [False] * len(results)
    wrong = [not _finite(r) for r in results]
    if all(wrong):
        return wrong
    program = compiled(fn)
    slots = point.trace(program, values)
    if _lost(program, slots, program.fn.outs) is None:  # one look at all of them
        return wrong
    return [bad or _lost(program, slots, [o]) is not None for bad, o in zip(wrong, program.fn.outs, strict=True)]


def _finite(value: Any) -> bool:
    if hasattr(value, "dtype"):
        import numpy as np

        return bool(np.isfinite(value).all())
    return bool(value - value == 0)


def lost(fn: Fn, values: Mapping[str, Any]) -> tuple[Program, Slots, int] | None:
    """The first node that made a 0, a subnormal, an infinity or a NaN of ordinary numbers though the truth is another.

    Where numbers only decide something, as those of a condition do, they are what NumPy has.
    """
    program = compiled(fn)
    slots = point.trace(program, values)
    found = _lost(program, slots, program.fn.outs)
    return None if found is None else (program, slots, found)


def _lost(program: Program, slots: Slots, outs: Sequence[int]) -> int | None:
    reached = reaching(program, slots, outs)
    return next((i for i in sorted(reached) if i in slots and _left_range(program, slots, i, reached[i])), None)


def _left_range(program: Program, slots: Slots, i: int, mask: Any) -> bool:
    op, args, attr, _ = program.fn.nodes[i]
    if not knows(op) or op.kind == "bool" or not all(j in slots for j in args):
        return False
    for value, given in _entries(slots[i], [slots[j] for j in args], mask):
        if _odd(value) and all(_ordinary(x) for x in given):
            return _apart(op, attr, value, given)
    return False


def _entries(value: Any, args: Sequence[Any], mask: Any) -> Iterator[tuple[Any, Sequence[Any]]]:
    """A number with its arguments; of an array the entries of the mask that are odd, the first few."""
    if not hasattr(value, "dtype"):
        yield value, args
        return
    import numpy as np

    odd = ~(np.abs(value) >= SMALLEST) | np.isinf(value)  # below, float64 has fewer digits
    spread = [np.broadcast_to(x, value.shape) for x in args]
    for at in np.argwhere(odd & mask)[:8]:
        yield value[tuple(at)].item(), [x[tuple(at)].item() for x in spread]


def _odd(value: Any) -> bool:
    return not SMALLEST <= abs(value) < float("inf")


def _ordinary(x: Any) -> bool:
    return isinstance(x, bool) or bool(x) and x - x == 0


def _apart(op: Any, attr: Any, value: float, given: Sequence[Any]) -> bool:
    """Whether digits have another number than float64 for one operation."""
    from mpmath import mp

    with mp.workdps(DIGITS):
        truth = kernel(op, attr)[0](*[x if isinstance(x, bool) else mp.mpf(x) for x in given])
        return bool(mp.isfinite(truth) and not abs(truth - value) <= CLOSE * abs(truth))


# --- what is said --------------------------------------------------------------------------------------------


def note(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], old: Results, new: Results) -> list[Diagnostic]:
    """One note for each node where float64 broke down, with a spelling that does not."""
    moved = [_moved(a, b) for a, b in zip(old, new, strict=True)]
    wild = [a if m and not _finite(a) else 0.0 for a, m in zip(old, moved, strict=True)]
    if any(not _finite(a) for a in wild):
        from .notes import not_finite

        found = [_gentle(one) for one in not_finite(fn, values, wild, wrt, limits=False)]
        if found:
            return found
    names = [name for name, m in zip(fn.names, moved, strict=True) if m]
    return [_underflow(fn, values, names)]


def _gentle(one: Diagnostic) -> Diagnostic:
    """The warning about a result that is not finite, as a note about one that is finite now."""
    message = one.message
    for verb in ("is", "are"):
        message = message.replace(f" {verb} not finite: it began in ", f" {verb} computed with more digits: float64 breaks down in ")
        message = message.replace(f" {verb} not finite", f" {verb} computed with more digits, and not finite in float64")
    return one._replace(code="rescued", message=message, severity="note")


def _underflow(fn: Fn, values: Mapping[str, Any], names: Sequence[str]) -> Diagnostic:
    from .diagnostics import Label
    from .notes.cures import cure
    from .notes.words import listed, number, spoken

    said = listed([f"`{name}`" for name in names]) + (" is" if len(names) == 1 else " are")
    found = lost(fn, values)
    site = found[0].fn.sites[found[2]] if found else None
    if found is None or site is None:
        return Diagnostic("rescued", f"{said} computed with more digits: float64 breaks down on the way", severity="note")
    program, slots, i = found
    op, args, attr, _ = program.fn.nodes[i]
    given = [slots[j] for j in args]
    plain = not op.hidden and not any(hasattr(x, "dtype") for x in (slots[i], *given))
    met = f"{spoken(op, given, attr)} is {number(slots[i])} in float64" if plain else "it leaves the range of float64"
    origin = f"the derivative of `{site.span.text}`" if site.order else f"`{site.span.text}`"
    hint = cure(program.fn, slots, site.span) if plain else None
    message = f"{said} computed with more digits: float64 breaks down in {origin}"
    return Diagnostic("rescued", message, (Label(site.span, met),), hint=hint, severity="note")
