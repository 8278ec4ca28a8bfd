"""JSON that is no object a line, in: an array of objects, or objects one after another, pretty-printed or not; blocks of rows out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError
from . import faults
from .objects import Objects
from .regular import BOM
from .stream import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .block import Block
    from .plan import Plan
    from .stream import Feed

ESCAPED = re.compile("[\udc80-\udcff]")
SPACE = re.compile(r"[ \t\r\n]*")
FOLD = re.compile(r"[ \t\r]*\n\s*")
FOLD_AFTER_COMMA = re.compile(r",[ \t\r]*\n\s*")


class DocumentReader:
    """A buffer of text that is parsed value by value as far as it goes."""

    __slots__ = ("array", "at", "buffer", "decoder", "ended", "failure", "feed", "held", "line", "objects", "started", "utf8")

    def __init__(self, feed: Feed, plan: Plan) -> None:
        from codecs import getincrementaldecoder
        from json import JSONDecoder

        self.feed = feed
        self.objects = Objects(feed.name, plan)
        self.decoder = JSONDecoder()
        self.utf8 = getincrementaldecoder("utf-8")("surrogateescape")
        self.buffer = ""
        self.at = 0
        self.line = 1
        self.array = self.ended = self.started = False
        self.failure: AutodiffError | None = None
        self.held = self._values()
        if not self.started and not self.held[0]:
            raise faults.empty(feed.name, plan.used)
        self.objects.begin(self.held[1][0] if self.held[1] else None)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.objects.columns

    def blocks(self) -> Iterator[Block]:
        """The rows, a block for each stretch of text that came."""
        while self.held[0]:
            yield from self.objects.rows(*self.held, {})
            if self.ended and self.failure is None:
                self._finish()
                break
            self.held = self._values()
        self.objects.end()

    def _values(self) -> tuple[list[str], list[Any], list[int]]:
        """The values that are there whole, with their texts and lines; none only at the end."""
        texts: list[str] = []
        found: list[Any] = []
        lines: list[int] = []
        if self.failure is not None:
            raise self.failure
        try:
            while not found and not self.ended:
                self._read()
                for text, value, line in self._whole():
                    texts.append(text)
                    found.append(value)
                    lines.append(line)
        except AutodiffError as problem:
            if not found:
                raise
            self.failure = problem
        if not found:
            self._finish()
        return texts, found, lines

    def _read(self) -> None:
        self.buffer = self.buffer[self.at :]
        self.at = 0
        wanted = len(self.buffer) + 1 if len(self.buffer) < BLOCK else 2 * len(self.buffer)
        while len(self.buffer) < wanted and not self.ended:
            data = self.feed.take()
            self.ended = not data
            if not self.started and not self.buffer:
                data = data.removeprefix(BOM)
            self.buffer += self.utf8.decode(data, self.ended)

    def _whole(self) -> Iterator[tuple[str, Any, int]]:
        from json import JSONDecodeError

        while self._to_value():
            try:
                value, end = self.decoder.raw_decode(self.buffer, self.at)
            except JSONDecodeError as problem:
                if self.ended or not _cut_off(problem, len(self.buffer)):
                    raise faults.broken_json(
                        self.feed.name, self.line + self.buffer.count("\n", self.at, problem.pos), _said(problem)
                    ) from None
                return
            except RecursionError:
                raise faults.broken_json(self.feed.name, self.line, "it is nested too deeply") from None
            if end == len(self.buffer) and not self.ended and not isinstance(value, (dict, list)):
                return
            text, line = self.buffer[self.at : end], self.line
            if not text.isascii() and ESCAPED.search(text):
                raise faults.broken_json(self.feed.name, line, "it is not UTF-8")
            self._skip_to(end)
            yield FOLD.sub("", FOLD_AFTER_COMMA.sub(", ", text)) if "\n" in text else text, value, line

    def _to_value(self) -> bool:
        """Go over blanks, commas and the brackets of an array of objects, to where a value begins."""
        while True:
            self._skip_to(SPACE.match(self.buffer, self.at).end())  # type: ignore[union-attr]  # it matches everywhere
            mark = self.buffer[self.at : self.at + 1]
            if mark == "[" and not self.array:
                self.array = self.started = True
            elif mark == "]" and self.array:
                self.array = False
            elif mark != "," or not self.array:
                return bool(mark)
            self.at += 1

    def _skip_to(self, end: int) -> None:
        self.line += self.buffer.count("\n", self.at, end)
        self.at = end

    def _finish(self) -> None:
        if self.array:
            raise faults.broken_json(self.feed.name, self.line, "the array is not closed with `]`")


def _cut_off(problem: Any, length: int) -> bool:
    """Whether more text could make it right."""
    return bool(problem.pos >= length - 16 or problem.msg.startswith("Unterminated string"))


def _said(problem: Any) -> str:
    return str(problem.msg[:1].lower() + problem.msg[1:])
