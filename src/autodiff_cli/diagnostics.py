"""What went wrong and where: spans of the user's text in, one `AutodiffError` out."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity = Literal["error", "warning", "note"]
VOWELS = dict.fromkeys(map(ord, "aeiouy_"))


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
    """A text that was typed or read, what to call it, and the number of its first line; `parts` are the texts it was joined from."""

    name: str
    text: str
    line: int = 1
    parts: tuple[Source, ...] = ()


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

    def own(self) -> Span:
        """The same in the text that was read, where this one was joined from several; it ends there at the latest."""
        before = 0
        for part in self.source.parts:
            after = before + len(part.text)
            if self.start < after or part is self.source.parts[-1]:
                return Span(part, self.start - before, min(self.end, after) - before)
            before = after
        return self


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
    """The only exception that is raised on purpose; `diagnostic` says all there is to say.

    `rows` marks which of the rows that were evaluated together it is about, where that is known.
    """

    def __init__(self, diagnostic: Diagnostic, rows: Any = None) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
        self.rows = rows


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
    """The known word nearest to `word` by edit distance, if one is near: a third of its letters may differ."""
    typed = word.lower()
    most = 0 if len(typed) < 3 else max(1, len(typed) // 3)
    found = [(*_far(typed, name.lower(), most), len(name), name) for name in sorted(set(known)) if abs(len(name) - len(typed)) <= most]
    near = min(found, default=None)
    if near is not None and near[0] <= most:
        return near[-1]
    longer = [name for name in sorted(set(known), key=len) if len(typed) > 3 and name.lower().startswith(typed)]
    return longer[0] if longer else None


def _far(a: str, b: str, most: int) -> tuple[int, bool, int]:
    """Edits from one word to the other; of equally near ones, the same first letter and the same consonants win."""
    edits = distance(a, b)
    if edits > most:
        return edits, True, 0
    return edits, a[:1] != b[:1], distance(*[word.translate(VOWELS) for word in (a, b)])


def distance(a: str, b: str) -> int:
    """How many letters to put in, take out, change or swap with the next one to make `b` of `a`."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, c in enumerate(a):
        older, before, row = before, row, [i + 1]
        for j, d in enumerate(b):
            best = min(before[j + 1] + 1, row[j] + 1, before[j] + (c != d))
            if i and j and c == b[j - 1] and a[i - 1] == d:
                best = min(best, older[j - 1] + 1)
            row.append(best)
    return row[-1]
