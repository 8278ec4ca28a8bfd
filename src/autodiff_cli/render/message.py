"""A diagnostic in, the message that people read out: their text with the right part underlined."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..diagnostics import Label, Source, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..diagnostics import Diagnostic

    Ink = Callable[[str, str], str]

WIDTH = 80
WORD, TEXT, ENDS = 120, 800, (60, 20)  # so long a word or text is shown whole; of a longer word its two ends
TAB = "    "
CUT = "…"
FRAME = str.maketrans("┌├─│·…", "++-|:~")
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


class Frame(NamedTuple):
    """What stands left of the text: room for line numbers `margin` wide; `ink` paints a text if there is colour."""

    margin: int
    ink: Ink

    def line(self, view: View) -> str:
        return f"{self.ink(f'{view.number:>{self.margin}} │', 'frame')} {view.text()}"

    def under(self, text: str, hue: str) -> str:
        return f"{self.ink(f'{self.blank} │', 'frame')} {self.ink(text, hue)}"

    @property
    def blank(self) -> str:
        return " " * self.margin


def draw(diagnostic: Diagnostic, color: bool = False) -> str:  # noqa: FBT001 (one choice, made once)
    """The message, without a newline at its end."""

    def ink(text: str, name: str) -> str:
        return f"{COLORS[name]}{text}{RESET}" if color and text else text

    diagnostic = _own(diagnostic)
    severity = diagnostic.severity
    lines = [ink(f"{severity}[{diagnostic.code}]", severity) + ink(f": {short(diagnostic.message)}", "bold")]
    frame = Frame(len(str(max([_number(label.span.source, label.span.end) for label in diagnostic.labels], default=1))), ink)
    lines.extend(_places(diagnostic, frame))
    said = [("note", note) for note in diagnostic.notes] + ([("hint", diagnostic.hint)] if diagnostic.hint is not None else [])
    for word, text in said:
        first, *more = text.split("\n")
        lines.append(f"{frame.blank} {ink(f'{word}:', word)} {short(first)}")
        lines.extend(f"{frame.blank}       {short(line)}" for line in more)
    return "\n".join(line.rstrip() for line in lines)


def _own(diagnostic: Diagnostic) -> Diagnostic:
    """With each label in the text that was read."""
    return diagnostic._replace(labels=tuple([Label(label.span.own(), label.text) for label in diagnostic.labels]))


def _places(diagnostic: Diagnostic, frame: Frame) -> Iterator[str]:
    """The lines of text with what is said under them."""
    room, source = WIDTH - frame.margin - 3, None
    for view, labels in _views(diagnostic.labels, room):
        if view.source is not source:
            corner = frame.ink("┌─" if source is None else "├─", "frame")
            source = view.source
            yield f"{frame.blank} {corner} {short(source.name)}:{view.number}:{labels[0].span.start - view.start + 1}"
        yield frame.line(view)
        for label in labels:
            primary = label is diagnostic.labels[0]
            yield from _label(label, view, frame, ("^", diagnostic.severity) if primary else ("-", "frame"))


def _label(label: Label, view: View, frame: Frame, style: tuple[str, str]) -> Iterator[str]:
    """What is under a line for one label; a span over several lines is marked on its first and on its last one."""
    (mark, hue), span = style, label.span
    said = f" {short(label.text)}" if label.text else ""
    last = _last(span, view, WIDTH - frame.margin - 3)
    yield frame.under(view.marks(span.start, span.end, mark) + ("" if last else said), hue)
    if last is None:
        return
    if last.number > view.number + 1:
        yield f"{frame.blank} ·"
    line = last.source.text[last.start : last.end]
    yield frame.line(last)
    yield frame.under(last.marks(last.start + len(line) - len(line.lstrip()), span.end, mark) + said, hue)


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
    number = _number(source, at)
    if end - start <= room and wide(text[start:end]) <= room:
        return View(source, number, start, end, start, end)
    size = min(to - at, room // 2)
    low = max(start, min(at - (room - size) // 2, end - room + 1))
    high = low + room - (low > start)
    high = end if high >= end else high - 1
    while wide(text[low:high]) + (low > start) + (high < end) > room and high > low + 1:
        low, high = (low, high - 1) if high - to > at - low else (low + 1, high)
    return View(source, number, start, end, low, high)


def _number(source: Source, at: int) -> int:
    """The number of the line of `at`."""
    text = source.text
    return source.line + text.count("\n", 0, at) + text.count("\r", 0, at) - text.count("\r\n", 0, at)


def ascii_only(diagnostic: Diagnostic) -> str:
    """The message for a stream that has no other characters: the frame in ASCII, the user's text written out."""
    diagnostic = _own(diagnostic)
    sources = {id(label.span.source): label.span.source for label in diagnostic.labels}
    plain = {key: Source(_ascii(source.name), _ascii(source.text), source.line) for key, source in sources.items()}
    labels = [
        Label(Span(plain[id(source)], len(_ascii(source.text[:start])), len(_ascii(source.text[:end]))), text)
        for (source, start, end), text in diagnostic.labels
    ]
    return _ascii(draw(diagnostic._replace(labels=tuple(labels))).translate(FRAME))


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()


def short(text: str) -> str:
    """A text with its control characters written out; a word or a text that is too long to read is cut."""
    if len(text) > WORD:
        import re

        first, last = ENDS
        text = re.sub(rf"\S{{{WORD + 1},}}", lambda word: word[0][:first] + CUT + word[0][-last:], text)
        text = text if len(text) <= TEXT else text[:TEXT] + CUT
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
