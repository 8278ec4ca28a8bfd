"""A verdict in, the report of it out: in words, and as the object of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, Exit, error
from ..report import Report, machine
from .numbers import DIGITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from . import Difference, Verdict

NAMES = {"value": "values", "domain": "they differ in domain:", "slope": "equal values, but derivatives"}
FEW = 8  # points of the common domain that tell little


def answer(verdict: Verdict) -> Report:
    """Whether two functions are the same, and if not, where they differ. An error where no point has a value of both."""
    found = verdict.difference
    if found is None and not verdict.points:
        raise error(
            "no-common-point", f"at none of {verdict.tried:,} points do both have a value, so nothing was compared",
            hint=f"give a variable a value where both have one: {verdict.wrt[0]}=0.5" if verdict.wrt and verdict.tried > 1 else None, exit=Exit.NO,
        )  # fmt: skip
    notes = tuple(_notes(verdict))
    if found is None:
        what = "values" if verdict.without or not verdict.wrt else "values and derivatives"
        text = f"the same: {what} agree to {DIGITS} digits at {_points(verdict.points)} of the common domain"
        return Report("same", text=text, document={"same": True, "points": verdict.points}, notes=notes)
    return Report("same", text=_difference(found, verdict.wrt), document=_document(found, verdict.wrt), notes=notes, passed=False)


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def _difference(found: Difference, wrt: Sequence[str]) -> str:
    point = " ".join([f"{name}={_shown(value)}" for name, value in found.point.items()])
    where = f"not the same, at {point}" if point else "not the same"
    sides = found.slopes if found.kind == "slope" else found.values
    a, b = [_listed(side, wrt if found.kind == "slope" else ()) for side in sides]
    apart = _apart(found) if a == b else ""
    return f"{where}: {NAMES[found.kind]} {a} and {b}{apart}"


def _listed(side: list[Any], wrt: Sequence[str]) -> str:
    texts = [_shown(_number(x)) for x in side]
    if wrt:
        return " ".join([f"d_{name}={one}" for name, one in zip(wrt, texts, strict=False)])
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _apart(found: Difference) -> str:
    from .numbers import apart

    sides = found.slopes if found.kind == "slope" else found.values
    return f", which differ by {float(apart(*sides)):.3g}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value.tolist()) if hasattr(value, "shape") else machine(value).removesuffix(".0")


def _number(x: Any) -> Any:
    return x if isinstance(x, bool) else float(x)


def _document(found: Difference, wrt: Sequence[str]) -> dict[str, Any]:
    values = [[float(x) for x in side] for side in found.values]
    one = all(len(side) == 1 for side in values)  # the slopes of an array are those of a sum over it
    slopes = [dict(zip(wrt, [float(x) for x in side], strict=False)) for side in found.slopes if one or found.kind == "slope"]
    return {
        "same": False,
        "counterexample": {name: float(value) if isinstance(value, bool) else value for name, value in found.point.items()},
        "values": [side[0] if len(side) == 1 else side for side in values],
        "gradients": slopes,
    }


def _notes(verdict: Verdict) -> Iterator[Diagnostic]:
    if verdict.without and verdict.difference is None:
        yield Diagnostic("no-slopes", f"derivatives were not compared: {verdict.without}", severity="note")
    if verdict.at_kink is not None and verdict.difference is None:
        yield Diagnostic("slope-at-kink", _difference(verdict.at_kink, verdict.wrt).replace("not the same, at", "at"), severity="note")
    if verdict.difference is None and verdict.points < FEW and verdict.tried > verdict.points:
        message = f"of {verdict.tried:,} points only {verdict.points} have a value of both"
        yield Diagnostic("few-points", message, hint="values for some variables, where both have one, leave more", severity="note")
