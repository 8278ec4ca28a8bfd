"""Bytes of a text table in; pieces that end where a row ends, and rows one by one, out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .stream import BLOCK, broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .stream import Feed

LONGEST = 32 * BLOCK
ROWS, SAMPLE = 1 << 17, 1 << 14
BLANKS = re.compile(r"[ \t\r]+")


class Dialect(NamedTuple):
    """The mark between cells; `space`: any blanks, and comments after `#`."""

    mark: str
    space: bool = False


class Row(NamedTuple):
    """Cells, the line of the piece they begin in (from 0), the text they were read from, and what is wrong with its marks."""

    line: int
    cells: list[str]
    text: str
    wrong: str = ""


def pieces(feed: Feed, dialect: Dialect) -> Iterator[bytes]:
    """Whole rows, some at a time; each piece ends with a newline."""
    rest = b""
    while data := feed.take():
        rest += data
        room = _room(rest)
        while end := cut(rest[:room], dialect) or cut(rest, dialect):
            yield rest[:end]
            rest = rest[end:]
        if len(rest) > LONGEST:
            raise broken(feed.name, f"a single row is longer than {LONGEST:,} bytes; is a quote left open?")
    if rest:
        yield rest + b"\n"


def _room(data: bytes) -> int:
    """How many bytes hold about as many rows as a block should have."""
    sample = data[:SAMPLE]
    return ROWS * len(sample) // max(sample.count(b"\n"), 1)


def cut(data: bytes, dialect: Dialect) -> int:
    """Where the last whole row ends: at a newline after an even number of quotes; 0 if there is none."""
    end = data.rfind(b"\n")
    if dialect.space:
        return end + 1
    odd = data.count(b'"', 0, end + 1) & 1
    while odd and end >= 0:
        quote = data.rfind(b'"', 0, end)
        before = data.rfind(b"\n", 0, quote)
        odd ^= data.count(b'"', before + 1, end) & 1
        end = before
    if end < 0 and len(data) > 2 * BLOCK:
        return _cut_row_by_row(data, dialect.mark)
    return end + 1


def _cut_row_by_row(data: bytes, mark: str) -> int:
    """The same where a quote stands inside a bare cell (`5" pipe`), so that counting does not tell."""
    m = re.escape(mark.encode())
    row = re.compile(
        rb'(?:(?:"(?:[^"]++|"")*+"[^%b\n]*+|(?!")[^%b\n]*+)%b)*+(?:"(?:[^"]++|"")*+"[^%b\n]*+|(?!")[^%b\n]*+)\n' % (m, m, m, m, m)
    )
    end = 0
    while found := row.match(data, end):
        end = found.end()
    return end


def rows(text: str, dialect: Dialect, width: int | None = None) -> Iterator[Row]:
    """Each row of a piece; blank lines are none, but in a table of one column they are a row with a missing cell."""
    if dialect.space:
        return _spaced(text)
    return _quoted(text, dialect.mark, width)


def _spaced(text: str) -> Iterator[Row]:
    import csv

    for number, line in enumerate(text.split("\n")[:-1]):
        bare = BLANKS.sub(" ", line if '"' in line else line.split("#", 1)[0]).strip(" ")
        if bare and not bare.startswith("#"):
            cells = next(csv.reader([bare], delimiter=" ", skipinitialspace=True)) if '"' in bare else bare.split(" ")
            yield Row(number, cells, line)


def _quoted(text: str, mark: str, width: int | None) -> Iterator[Row]:
    import csv

    csv.field_size_limit(LONGEST * 2)
    lines = text.split("\n")[:-1]
    last: list[bool] = []
    reader = csv.reader(_sentinel(lines, last), delimiter=mark)
    before = 0
    while before < len(lines):
        try:
            cells, wrong = next(reader), "a quote is opened in this row and never closed" if last else ""
        except csv.Error:
            cells, wrong = [], "a carriage return stands inside this row"
        after = min(reader.line_num, len(lines))
        taken = "\n".join(lines[before:after])
        if cells or wrong or width == 1:
            yield Row(before, cells or ["" if width == 1 and not wrong else taken], taken, wrong)
        before = after


def _sentinel(lines: list[str], last: list[bool]) -> Iterator[str]:
    """The lines, then one that stands alone unless a quote was left open before it."""
    for line in lines:
        yield line + "\n"
    last.append(True)
    yield "\0\n"
