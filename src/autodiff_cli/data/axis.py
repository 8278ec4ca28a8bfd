"""The text of an axis (`x=0:6:0.5`, `x=1,2,5`, `x=linspace(0,1,11)`) in; its name and values out."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from ..diagnostics import AutodiffError, Exit, Source, Span, error
from .values import value

if TYPE_CHECKING:
    from fractions import Fraction

LONGEST = 10_000_000
FORMS = "--sweep x=0:6:0.5, --sweep x=1,2,5 or --sweep x=linspace(0,1,11)"


def axis(text: str) -> tuple[str, list[float]]:
    """The name of an axis and its values."""
    name, mark, written = text.partition("=")
    name = name.strip()
    if not mark or not name or not written.strip():
        raise _wrong(text, f"`{text}` is not NAME=VALUES")
    found = _range(written, text, name) if ":" in written and "[" not in written else _list(written, name)
    if not found:
        raise _wrong(text, f"`{text}` has no values")
    return name, found


def _wrong(text: str, message: str) -> AutodiffError:
    return error("sweep", message, Span(Source("--sweep", text), 0, len(text)), hint=FORMS, exit=Exit.USAGE)


def _range(written: str, text: str, name: str) -> list[float]:
    """START:STOP or START:STOP:STEP, with STOP if the steps come to it."""
    from fractions import Fraction

    parts = written.split(":")
    numbers = [_exact(part, name) for part in parts]
    start, stop, step = (*numbers, Fraction(1))[:3] if len(parts) in {2, 3} else (numbers[0], numbers[0], 0)
    if not step or (stop - start) / step < 0:
        raise _wrong(text, f"`{written}` is not START:STOP or START:STOP:STEP, whose steps lead from one to the other")
    turns = (stop - start) / step
    if turns >= LONGEST:
        raise _wrong(text, f"`{written}` is more than {LONGEST:,} values")
    return [float(start + k * step) for k in range(floor(turns) + 1)]


def _exact(text: str, name: str) -> Fraction:
    """A bound as it is written, so that the third step of 0.1 is 0.3."""
    from fractions import Fraction

    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        found = value(text.strip(), f"--sweep {name}=")
        if hasattr(found, "shape") or found - found != 0:
            raise error("not-a-number", f"`{text.strip()}` bounds no axis", hint=FORMS, exit=Exit.USAGE) from None
        return Fraction(found)


def _list(written: str, name: str) -> list[float]:
    found = value(f"[{written}]" if "," in written and written.lstrip()[:1] != "[" and _flat(written) else written, f"--sweep {name}=")
    return [float(x) for x in found.ravel()] if hasattr(found, "shape") else [float(found)]


def _flat(text: str) -> bool:
    """Whether a comma stands outside all brackets."""
    depth = 0
    for mark in text:
        depth += (mark in "([{") - (mark in ")]}")
        if mark == "," and not depth:
            return True
    return False
