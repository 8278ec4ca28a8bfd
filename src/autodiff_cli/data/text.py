"""A text table (csv, tsv, space) in; its header and blocks of its rows out. polars reads what is regular, `csv` the rest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import faults
from .block import Place
from .cells import MISSING, Column, column, is_plain
from .records import Dialect, Row, pieces, rows
from .regular import BOM, regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

    from ..diagnostics import AutodiffError
    from .block import Block, Style
    from .plan import Plan
    from .stream import Feed


class TextReader:
    """One file. `columns` is known once it is made, from its first row; `headed` says whether that row was a header."""

    __slots__ = ("columns", "dialect", "file", "first", "headed", "latin", "line", "nulls", "pieces", "places", "plan")

    def __init__(self, feed: Feed, dialect: Dialect, plan: Plan) -> None:
        self.file = feed.name
        self.dialect = dialect
        self.plan = plan
        self.pieces = pieces(feed, dialect)
        self.line = 1
        self.latin = False
        self.nulls: tuple[str, ...] | None = None
        self.columns, self.headed, self.first = self._head()
        self.places = plan.places(self.columns, self.file)

    def _head(self) -> tuple[tuple[str, ...], bool, bytes]:
        for piece in self.pieces:
            data = piece.removeprefix(BOM)
            text, self.latin = decoded(data)
            row = next(rows(text, self.dialect), None)
            if row is None:
                self.line += data.count(b"\n")
                continue
            if row.wrong:
                raise faults.broken_row(Place(self.file, self.line + row.line, row.text), row.wrong)
            columns, headed = _header(row.cells, self.file, self.plan)
            return columns, headed, self._after(data, row) if headed else data
        raise faults.empty(self.file, self.plan.used)

    def _after(self, data: bytes, row: Row) -> bytes:
        lines = row.line + row.text.count("\n") + 1
        self.line += lines
        return data.split(b"\n", lines)[-1]

    def blocks(self) -> Iterator[Block]:
        """The rows, a block for each stretch of bytes that came."""
        if self.first:
            yield from self._block(self.first)
        for piece in self.pieces:
            yield from self._block(piece)

    def _block(self, piece: bytes) -> Iterator[Block]:
        start = self.line
        data, latin = _utf8(piece)
        table = regular(data, self.dialect, len(self.columns))
        self.line += table[1] if table and table[0] is data else piece.count(b"\n")
        if table is None:
            yield from self._slow(data, start, latin)
        elif table[1]:
            payload = TextPayload((self.file, start), data, table, self.dialect, len(self.columns), latin=latin)
            cells = self._columns(payload)
            if cells is None:
                yield from self._slow(data, start, latin)
            else:
                yield from self.plan.settle(table[1], cells, payload, {}, lambda name, row: self._fault(payload.place(row), name))

    def _columns(self, payload: TextPayload) -> dict[str, Column] | None:
        import polars as pl

        if not self.places:
            return {}
        kinds = self.plan.kinds
        types = {self.places[name]: pl.String if kinds[name] == "bool" else pl.Float64 for name in self.places}
        try:
            frame = payload.read(types, self.nulls)
        except pl.exceptions.PolarsError:
            self.nulls = MISSING[1:]  # words that stand for missing cells are looked for once there are any
            frame = payload.read(dict.fromkeys(self.places.values(), pl.String), None)
        if frame.height != payload.count:
            return None
        found = {name: frame[str(place)] for name, place in self.places.items()}
        return {
            name: column(cells, kinds[name]) if cells.dtype == pl.String else _numbers(cells, kinds[name]) for name, cells in found.items()
        }

    def _slow(self, data: bytes, start: int, latin: bool) -> Iterator[Block]:  # noqa: FBT001
        import polars as pl

        width = len(self.columns)
        table = list(rows(data.decode(), self.dialect, width))
        if not table:
            return
        wrong = {i: self._ragged(row, start) for i, row in enumerate(table) if len(row.cells) != width or row.wrong}
        fitted = [_fit(row.cells, width, self.dialect.mark) if i in wrong else row.cells for i, row in enumerate(table)]
        payload = RowPayload(self.file, [start + row.line for row in table], [row.text for row in table], fitted, latin)
        texts = {name: pl.Series([row[at] for row in fitted], dtype=pl.String) for name, at in self.places.items()}
        cells = {name: column(series, self.plan.kinds[name]) for name, series in texts.items()}
        yield from self.plan.settle(len(table), cells, payload, wrong, lambda name, row: self._fault(payload.place(row), name))

    def _ragged(self, row: Row, start: int) -> Any:
        place = Place(self.file, start + row.line, row.text)
        if row.wrong:
            return lambda: faults.broken_row(place, row.wrong)
        return lambda: faults.ragged(place, len(row.cells), self.columns)

    def _fault(self, place: Place, name: str) -> AutodiffError:
        at = self.places[name]
        text = place.text or ""
        cells = next(rows(text + "\n", self.dialect, len(self.columns))).cells
        return faults.no_number(place, self.columns[at], cells[at], _span(text, cells, at, self.dialect), self.plan.kinds[name] or "real")


class TextPayload:
    """Rows of equal width in the bytes they came in, read as csv when asked for."""

    __slots__ = ("count", "data", "dialect", "file", "latin", "line", "original", "quoted", "width")

    def __init__(
        self, at: tuple[str, int], original: bytes, table: tuple[bytes, int, bool], dialect: Dialect, width: int, *, latin: bool
    ) -> None:
        self.file, self.line = at
        self.original = original
        self.data, self.count, self.quoted = table
        self.dialect = dialect
        self.width = width
        self.latin = latin

    def read(self, types: dict[int, Any], nulls: Sequence[str] | None) -> pl.DataFrame:
        """The columns at these places, named by them."""
        import polars as pl

        schema = {f"column_{i + 1}": types.get(i, pl.String) for i in range(self.width)}
        quote = '"' if self.quoted else None
        order = sorted(types)
        frame = pl.read_csv(
            self.data, has_header=False, schema=schema, columns=order, separator=self.dialect.mark, quote_char=quote, null_values=nulls and list(nulls)
        )  # fmt: skip
        return frame.rename({f"column_{i + 1}": str(i) for i in order})

    def frame(self) -> pl.DataFrame:
        import polars as pl

        return self.read(dict.fromkeys(range(self.width), pl.String), None)

    def lines(self, style: Style) -> pl.Series | None:
        import polars as pl

        if self.quoted or style != ("csv", self.dialect.mark):
            return None
        return pl.read_lines(self.data).to_series()

    def place(self, row: int) -> Place:
        if self.data is self.original and not self.quoted:
            return Place(self.file, self.line + row, self.data.split(b"\n", row + 1)[row].decode())
        found = next(r for i, r in enumerate(rows(self.original.decode(), self.dialect, self.width)) if i == row)
        return Place(self.file, self.line + found.line, found.text.rstrip("\r"))


class RowPayload:
    """Rows that were read one by one."""

    __slots__ = ("cells", "file", "latin", "numbers", "texts")

    def __init__(self, file: str, numbers: list[int], texts: list[str], cells: list[list[str]], latin: bool) -> None:  # noqa: FBT001
        self.file = file
        self.numbers = numbers
        self.texts = texts
        self.cells = cells
        self.latin = latin

    def frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame([pl.Series(str(i), cells, pl.String) for i, cells in enumerate(zip(*self.cells, strict=True))])

    def lines(self, style: Style) -> pl.Series | None:
        del style
        return None

    def place(self, row: int) -> Place:
        return Place(self.file, self.numbers[row], self.texts[row].rstrip("\r"))


def _header(cells: list[str], file: str, plan: Plan) -> tuple[tuple[str, ...], bool]:
    headed = plan.header if plan.header is not None else not all(map(is_plain, cells))
    if headed and plan.columns is None:
        return tuple(cells), True
    names = plan.columns or (plan.used if len(cells) == len(plan.used) == 1 else None)
    if names is None:
        raise faults.headerless(file, cells, plan.used)
    if len(names) != len(cells):
        raise faults.miscounted(file, names, len(cells))
    return tuple(names), headed


def _utf8(piece: bytes) -> tuple[bytes, bool]:
    if piece.isascii():
        return piece, False
    text, latin = decoded(piece)
    return (text.encode(), True) if latin else (piece, False)


def decoded(piece: bytes) -> tuple[str, bool]:
    """The text, and whether its bytes are not UTF-8, so that each stands for one character."""
    try:
        return piece.decode(), False
    except UnicodeDecodeError:
        return piece.decode("latin-1"), True


def _numbers(cells: pl.Series, kind: str | None) -> Column:
    gap = cells.is_null().to_numpy() if cells.null_count() else None
    return Column(cells.to_numpy(), gap, None, kind or ("real" if cells.null_count() < len(cells) else None))


def _fit(cells: list[str], width: int, mark: str) -> list[str]:
    """A ragged row made to fit: empty cells added, or what is too much joined to the last one."""
    if len(cells) > width:
        return [*cells[: width - 1], mark.join(cells[width - 1 :])]
    return cells + [""] * (width - len(cells))


def _span(text: str, cells: list[str], at: int, dialect: Dialect) -> tuple[int, int] | None:
    """Where a cell stands in the text of its row, if that is simple to say."""
    if '"' in text:
        start = text.find(cells[at])
        return (start, start + len(cells[at])) if text.count(cells[at]) == 1 else None
    if dialect.space:
        found = list(re.finditer(r"[^ \t\r]+", text))
        return found[at].span() if at < len(found) else None
    start = sum(len(cell) + 1 for cell in cells[:at])
    return start, start + len(cells[at])
