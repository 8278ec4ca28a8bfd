"""A verdict in, the report of it out: in words, and as the object of JSON."""

from __future__ import annotations

from math import isfinite, prod
from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Exit, error
from ..notes.words import number
from ..report import Report, machine
from . import numbers
from .numbers import DIGITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from . import Difference, Shape, Verdict
    from .numbers import Parts

NAMES = {"value": "values", "shape": "they differ in shape:", "domain": "they differ in domain:", "slope": "equal values, but derivatives"}
FEW = 8  # points of the common domain that tell little


def answer(verdict: Verdict) -> Report:
    """Whether two functions are the same, and if not, where they differ. An error where no point has a value of both."""
    found = verdict.difference
    if found is None and not verdict.points:
        raise error(
            "no-common-point", f"at none of {verdict.tried:,} points do both have a value, so nothing was compared",
            hint=f"give a variable a value where both have one: {next(iter(verdict.wrt))}=0.5" if verdict.wrt and verdict.tried > 1 else None, exit=Exit.NO,
        )  # fmt: skip
    notes = tuple(_notes(verdict))
    if found is None:
        what = "values" if verdict.without or not verdict.wrt else "values and derivatives"
        text = f"the same: {what} agree to {DIGITS} digits at {_points(verdict.points)} of the common domain"
        return Report("same", text=text, document={"same": True, "points": verdict.points}, notes=notes)
    return Report("same", text=_difference(found, verdict), document=_document(found, verdict), notes=notes, passed=False)


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def _difference(found: Difference, verdict: Verdict) -> str:
    point = " ".join([f"{name}={_shown(value)}" for name, value in found.point.items()])
    where = f"not the same, at {point}" if point else "not the same"
    sides = found.slopes if found.kind == "slope" else found.values
    if found.kind == "slope":
        a, b = [_slopes(side, verdict) for side in sides]
    else:
        a, b = [_text(_nested(side[0], shape)) for side, shape in zip(sides, verdict.shapes, strict=True)]
    apart = f", which differ by {number(numbers.apart(*sides))}" if a == b else ""
    return f"{where}: {NAMES[found.kind]} {a} and {b}{apart}"


def _slopes(side: Parts, verdict: Verdict) -> str:
    named = zip(verdict.wrt.items(), side, strict=False)
    return " ".join([f"d_{name}={_text(_nested(part, shape))}" for (name, shape), part in named])


def _nested(part: Sequence[Any], shape: Shape) -> Any:
    """Numbers in row order as lists in lists; a single one for an array that is 0 everywhere stays one."""
    if not shape or len(part) == 1 != prod(shape):
        return part[0]
    step = len(part) // shape[0] if shape[0] else 0
    return [_nested(part[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


def _text(value: Any) -> str:
    return f"[{', '.join(map(_text, value))}]" if isinstance(value, list) else _digits(value)


def _digits(value: Any) -> str:
    """As float64 has it, or with the exponent that float64 has not."""
    if isinstance(value, bool):
        return _shown(value)
    near = float(value)
    beyond = value - value == 0 and (not isfinite(near) or bool(near) != bool(value))
    return number(value) if beyond else _shown(near)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value.tolist()) if hasattr(value, "shape") else machine(value).removesuffix(".0")


def _document(found: Difference, verdict: Verdict) -> dict[str, Any]:
    values = [_floats(_nested(side[0], shape)) for side, shape in zip(found.values, verdict.shapes, strict=True)]
    one = not any(verdict.shapes)  # the slopes of an array are those of a sum over it
    slopes = [
        {name: _floats(_nested(part, shape)) for (name, shape), part in zip(verdict.wrt.items(), side, strict=False)}
        for side in found.slopes
    ]
    return {
        "same": False,
        "counterexample": {name: float(value) if isinstance(value, bool) else value for name, value in found.point.items()},
        "values": values,
        "gradients": [slope for slope in slopes if one or found.kind == "slope"],
    }


def _floats(value: Any) -> Any:
    return [_floats(x) for x in value] if isinstance(value, list) else float(value)


def _notes(verdict: Verdict) -> Iterator[Diagnostic]:
    if verdict.without and verdict.difference is None:
        yield Diagnostic("no-slopes", f"derivatives were not compared: {verdict.without}", severity="note")
    if verdict.at_kink is not None and verdict.difference is None:
        yield Diagnostic("slope-at-kink", _difference(verdict.at_kink, verdict).replace("not the same, at", "at"), severity="note")
    if verdict.difference is None and verdict.points < FEW and verdict.tried > verdict.points:
        message = f"of {verdict.tried:,} points only {verdict.points} have a value of both"
        yield Diagnostic("few-points", message, hint="values for some variables, where both have one, leave more", severity="note")
