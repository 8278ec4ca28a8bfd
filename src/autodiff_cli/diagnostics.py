"""What went wrong and where: spans of the user's text in, one `AutodiffError` out."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity = Literal["error", "warning", "note"]


class Exit(IntEnum):
    """What the process ends with."""

    DONE = 0
    NO = 1
    USAGE = 2
    EXPRESSION = 3
    DATA = 4
    EVALUATION = 5
    BUG = 70
    INTERRUPTED = 130


class Source(NamedTuple):
    """A text that was typed or read, what to call it, and the number of its first line."""

    name: str
    text: str
    line: int = 1


class Span(NamedTuple):
    """A half-open range of characters of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of the other."""
        return Span(self.source, self.start, other.end)


class Label(NamedTuple):
    """A span and what is said under it; the first label of a diagnostic is the primary one."""

    span: Span
    text: str = ""


class Diagnostic(NamedTuple):
    """One message: a stable kebab-case code, what was found, where, and what to type instead."""

    code: str
    message: str
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    hint: str | None = None
    severity: Severity = "error"
    exit: Exit = Exit.EXPRESSION


class AutodiffError(Exception):
    """The only exception that is raised on purpose; `diagnostic` says all there is to say."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def error(  # noqa: PLR0913 (the fields of a diagnostic, by name)
    code: str,
    message: str,
    span: Span | None = None,
    label: str = "",
    *,
    hint: str | None = None,
    notes: tuple[str, ...] = (),
    exit: Exit = Exit.EXPRESSION,
) -> AutodiffError:
    """An error with at most one underlined span, ready to be raised."""
    labels = () if span is None else (Label(span, label),)
    return AutodiffError(Diagnostic(code, message, labels, notes, hint, "error", exit))


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """The known word nearest to `word`, if one is near."""
    from difflib import get_close_matches

    names = sorted(set(known), key=len)
    found = get_close_matches(word, names, n=1, cutoff=0.7) or get_close_matches(
        word.lower(), [n for n in names if n.startswith(word[:1].lower())], n=1, cutoff=0.6
    )
    return found[0] if found else None
