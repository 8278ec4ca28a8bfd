"""A diagnostic in, the message that people read out: their text with the right part underlined."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..diagnostics import Diagnostic, Label, Source, Span

    Ink = Callable[[str, str], str]

WIDTH = 80
TAB = "    "
CUT = "…"
RESET = "\x1b[0m"
COLORS = {
    "bold": "\x1b[1m", "error": "\x1b[1;31m", "frame": "\x1b[34m", "hint": "\x1b[1;32m", "note": "\x1b[1;36m", "warning": "\x1b[1;33m",
}  # fmt: skip


class View(NamedTuple):
    """The part `low:high` of the line `start:end` that is shown; `number` is the line's, from 1."""

    source: Source
    number: int
    start: int
    end: int
    low: int
    high: int

    def text(self) -> str:
        """What is shown, with a sign where the line goes on."""
        shown = escaped(self.source.text[self.low : self.high])
        return (CUT if self.low > self.start else "") + shown + (CUT if self.high < self.end else "")

    def marks(self, start: int, end: int, mark: str) -> str:
        """A line of `mark` under the characters `start:end`, at least one."""
        text = self.source.text
        first, last = max(start, self.low), min(end, self.high)
        left = wide(text[self.low : first]) + (self.low > self.start)
        return " " * left + mark * max(wide(text[first:last]) + (end > self.high and self.high < self.end), 1)

    def holds(self, span: Span) -> bool:
        """Is the start of the span in sight?"""
        return span.source is self.source and self.low <= span.start <= self.high and span.start <= self.end


def draw(diagnostic: Diagnostic, color: bool = False) -> str:  # noqa: FBT001, FBT002 (one choice, made once)
    """The message, without a newline at its end."""

    def ink(text: str, name: str) -> str:
        return f"{COLORS[name]}{text}{RESET}" if color and text else text

    severity = diagnostic.severity
    lines = [ink(f"{severity}[{diagnostic.code}]", severity) + ink(f": {plain(diagnostic.message)}", "bold")]
    margin = len(str(max([_number(label.span.source.text, label.span.end) for label in diagnostic.labels], default=1)))
    lines.extend(_places(diagnostic, margin, ink))
    said = [("note", note) for note in diagnostic.notes] + ([("hint", diagnostic.hint)] if diagnostic.hint is not None else [])
    for word, text in said:
        first, *more = text.split("\n")
        lines.append(f"{' ' * margin} {ink(f'{word}:', word)} {plain(first)}")
        lines.extend(f"{' ' * margin}       {plain(line)}" for line in more)
    return "\n".join(line.rstrip() for line in lines)


def _places(diagnostic: Diagnostic, margin: int, ink: Ink) -> Iterator[str]:
    """The lines of text with what is said under them."""
    bar, room = ink(f"{' ' * margin} │", "frame"), WIDTH - margin - 3
    shown: list[Source] = []
    for view, labels in _views(diagnostic.labels, room):
        span = labels[0].span
        if not shown or shown[-1] is not view.source:
            corner = ink("├─" if shown else "┌─", "frame")
            yield f"{' ' * margin} {corner} {plain(view.source.name)}:{view.number}:{span.start - view.start + 1}"
            shown.append(view.source)
        yield f"{ink(f'{view.number:>{margin}} │', 'frame')} {view.text()}"
        for label in labels:
            primary = label is diagnostic.labels[0]
            mark, hue = ("^", diagnostic.severity) if primary else ("-", "frame")
            last = _last(label.span, view, room)
            yield f"{bar} {ink(view.marks(label.span.start, label.span.end, mark) + _said(None if last else label), hue)}"
            if last is not None:
                yield from _far(label, view, last, margin, lambda text, hue=hue: ink(text, hue), mark)


def _far(label: Label, view: View, last: View, margin: int, ink: Callable[[str], str], mark: str) -> Iterator[str]:
    """The last line of a span over several lines."""
    if last.number > view.number + 1:
        yield f"{' ' * margin} ·"
    line = last.source.text[last.start : last.end]
    begin = last.start + len(line) - len(line.lstrip())
    yield f"{last.number:>{margin}} │ {last.text()}"
    yield f"{' ' * margin} │ {ink(last.marks(begin, label.span.end, mark) + _said(label))}"


def _said(label: Label | None) -> str:
    return f" {plain(label.text)}" if label is not None and label.text else ""


def _views(labels: tuple[Label, ...], room: int) -> list[tuple[View, list[Label]]]:
    """Labels that are in sight of each other together, in the order in which they come."""
    views: list[tuple[View, list[Label]]] = []
    for label in labels:
        known = next((group for view, group in views if view.holds(label.span)), None)
        if known is not None:
            known.append(label)
        else:
            views.append((_view(label.span.source, label.span.start, label.span.end, room), [label]))
    return views


def _last(span: Span, view: View, room: int) -> View | None:
    """The last line of a span, if it is another one than the first."""
    text, end = span.source.text, span.end
    while end > span.start and text[end - 1].isspace():
        end -= 1
    return _view(span.source, end, end, room) if end > view.end else None


def _view(source: Source, at: int, to: int, room: int) -> View:
    """What is shown of the line of `at`: all of it, or what fits round `at:to`."""
    text = source.text
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    end = min([k for k in (text.find("\n", at), text.find("\r", at)) if k >= 0], default=len(text))
    number = _number(text, at)
    if end - start <= room and wide(text[start:end]) <= room:
        return View(source, number, start, end, start, end)
    size = min(to - at, room // 2)
    low = max(start, min(at - (room - size) // 2, end - room + 1))
    high = min(end, low + room - 1 - (low > start))
    while wide(text[low:high]) > room - 2 and high > low + 1:
        if high - to > at - low:
            high -= 1
        else:
            low += 1
    return View(source, number, start, end, low, high)


def _number(text: str, at: int) -> int:
    return 1 + text.count("\n", 0, at) + text.count("\r", 0, at) - text.count("\r\n", 0, at)


def plain(text: str) -> str:
    """A text on one line, without characters that move the cursor or are not seen."""
    return escaped(text)


def escaped(text: str) -> str:
    """A text with control and invisible characters written out."""
    return text if text.isprintable() else "".join([_escaped(mark) for mark in text])


def _escaped(mark: str) -> str:
    if mark.isprintable():
        return mark
    if mark == "\t":
        return TAB
    from unicodedata import category

    return " " if category(mark) == "Zs" else mark.encode("unicode_escape").decode()


def wide(text: str) -> int:
    """How many columns a text takes as it is shown."""
    if text.isascii() and text.isprintable():
        return len(text)
    from unicodedata import category, east_asian_width

    shown = escaped(text)
    return sum([2 if east_asian_width(c) in "WF" else 0 if category(c) in ("Mn", "Me") else 1 for c in shown])
