"""A slip: what is wrong with a text and how it could be mended, before it is a diagnostic."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..diagnostics import AutodiffError, Diagnostic, Label, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..diagnostics import Source

ROUNDS = 12
LONGEST = 2000
SHOWN = 72


class Edit(NamedTuple):
    """A piece of text to put in the place of another."""

    start: int
    end: int
    text: str


class Slip(NamedTuple):
    """One mistake: its underlined text, and edits that mend it (each of `repairs` is one way to)."""

    code: str
    message: str
    start: int
    end: int
    label: str = ""
    hint: str | None = None
    repairs: tuple[tuple[Edit, ...], ...] = ()
    others: tuple[tuple[int, int, str], ...] = ()
    notes: tuple[str, ...] = ()


def diagnose(source: Source, slip: Slip, attempt: Callable[[str], object]) -> AutodiffError:
    """The error to raise; its hint is the whole text mended, where that parses, else the mended piece."""
    places = ((slip.start, slip.end, slip.label), *slip.others)
    labels = tuple([Label(Span(source, start, end), text) for start, end, text in places])
    mended = [_mended(source.text, edits, attempt) for edits in slip.repairs]
    hint = " or ".join([text for text in dict.fromkeys(mended) if text]) or slip.hint
    if hint is None and slip.repairs:
        hint = _piece(source.text, slip, slip.repairs[0]) or None
    return AutodiffError(Diagnostic(slip.code, slip.message, labels, slip.notes, hint))


def apply(text: str, edits: tuple[Edit, ...]) -> str:
    """The text with the edits made."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _mended(text: str, edits: tuple[Edit, ...], attempt: Callable[[str], object]) -> str | None:
    """The line that was mended, if the whole text parses with it, after as many edits as that takes."""
    if len(text) > LONGEST:
        return None
    now = apply(text, edits)
    for _ in range(ROUNDS):
        found = attempt(now)
        if type(found) is not Slip:
            return _line(text, now)
        if not found.repairs:
            return None
        now = apply(now, found.repairs[0])
    return None


def _line(text: str, now: str) -> str | None:
    """The mended text, if it is one line that people can read at a glance."""
    before, after = text.strip().splitlines(), now.strip().splitlines()
    changed = [line for line in after if line not in before]
    line = after[0] if len(after) == 1 else changed[0] if len(changed) == 1 else ""
    return line.strip() if 0 < len(line.strip()) <= SHOWN else None


def _piece(text: str, slip: Slip, edits: tuple[Edit, ...]) -> str | None:
    """The underlined text, mended."""
    start = min([slip.start, *[e.start for e in edits]])
    end = max([slip.end, *[e.end for e in edits]])
    if end - start > SHOWN:
        return None
    moved = tuple([Edit(e.start - start, e.end - start, e.text) for e in edits])
    return " ".join(apply(text[start:end], moved).split())


def shown(text: str, most: int = 24) -> str:
    """A text as a message says it, in backticks; a long one is cut."""
    text = " ".join(text.split())
    return f"`{text}`" if len(text) <= most else f"`{text[: most - 1]}…`"
