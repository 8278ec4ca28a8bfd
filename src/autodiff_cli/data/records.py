"""Bytes of a text table in; pieces that end where a row ends, and rows one by one, out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .stream import BLOCK, broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .stream import Feed

LONGEST = 64 * BLOCK


class Dialect(NamedTuple):
    """The mark between cells; `space`: any blanks, and comments after `#`."""

    mark: str
    space: bool = False


class Row(NamedTuple):
    """Cells, the line of the piece they begin in (from 0), the text they were read from, and whether a quote was left open."""

    line: int
    cells: list[str]
    text: str
    open: bool = False


def pieces(feed: Feed, dialect: Dialect) -> Iterator[bytes]:
    """Whole rows, some at a time; each piece ends with a newline."""
    rest = b""
    while data := feed.take():
        rest += data
        end = cut(rest, dialect)
        if end:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > LONGEST:
            raise broken(feed.name, f"a single row is longer than {LONGEST:,} bytes; is a quote left open?")
    if rest:
        yield rest + b"\n"


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
    row = re.compile(rb'(?:(?:"(?:[^"]|"")*+"[^%b\n]*+|(?!")[^%b\n]*+)%b)*+(?:"(?:[^"]|"")*+"[^%b\n]*+|(?!")[^%b\n]*+)\n' % (m, m, m, m, m))
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
        bare = line.strip()
        if '"' not in bare:
            cells = bare.split("#", 1)[0].split()
        elif bare.startswith("#"):
            continue
        else:
            cells = next(csv.reader([bare.replace("\t", " ")], delimiter=" ", skipinitialspace=True))
        if cells:
            yield Row(number, cells, line)


def _quoted(text: str, mark: str, width: int | None) -> Iterator[Row]:
    import csv

    csv.field_size_limit(LONGEST * 2)
    lines = text.split("\n")[:-1]
    last: list[bool] = []
    reader = csv.reader(_sentinel(lines, last), delimiter=mark)
    before = 0
    try:
        for cells in reader:
            after = min(reader.line_num, len(lines))
            if last and cells == ["\0"] and before >= len(lines):
                return
            if cells or width == 1:
                taken = "\n".join(lines[before:after])
                yield Row(before, cells or [""], taken, open=bool(last))
            before = after
    except csv.Error:  # a carriage return inside a bare cell
        yield from (Row(k + before, line.split(mark), line) for k, line in enumerate(lines[before:]) if line)


def _sentinel(lines: list[str], last: list[bool]) -> Iterator[str]:
    """The lines, then one that stands alone unless a quote was left open before it."""
    for line in lines:
        yield line + "\n"
    last.append(True)
    yield "\0\n"
