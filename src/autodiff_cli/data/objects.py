"""Objects of JSON in, one a line (ndjson) or in an array or one after another (json); blocks of rows out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import faults
from .block import Place
from .cells import Column
from .jsonvalues import as_json, cell, column, lack, parsed, vectors
from .plan import place
from .ragged import Ragged
from .records import Dialect, pieces
from .regular import BOM
from .text import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    from ..diagnostics import AutodiffError
    from .block import Block, Style
    from .plan import Plan
    from .stream import Feed

ENOUGH = 1000
BARE = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)')
LINES = Dialect("\n", space=True)


class Objects:
    """What ndjson and json have in common: keys of used names, rows of parsed objects to blocks."""

    __slots__ = ("columns", "file", "keys", "plan", "seen", "unseen")

    def __init__(self, file: str, plan: Plan) -> None:
        self.file = file
        self.plan = plan
        self.columns: tuple[str, ...] = ()
        self.keys: dict[str, str] = {}
        self.unseen: set[str] = set()
        self.seen = 0

    def begin(self, first: Any) -> None:
        """Take the columns from the first object."""
        self.columns = tuple(first) if isinstance(first, dict) else ()
        self.plan.take(self.columns, self.file)
        for name in self.plan.used:
            at = place(self.columns, name, self.file)
            self.keys[name] = name if at is None else self.columns[at]
        self.unseen = {name for name, key in self.keys.items() if key not in self.columns}

    def saw(self, count: int, names: set[str]) -> None:
        """Names that no row has had after many rows are no columns; before that they are cells that are missing."""
        self.unseen -= names
        self.seen += count
        if self.unseen and self.seen >= ENOUGH:
            self.end()

    def end(self) -> None:
        """The last row was read: what was not seen is no column."""
        if self.unseen and self.seen:
            raise faults.no_column([name for name in self.keys if name in self.unseen], self.columns, self.file)

    def rows(self, texts: list[str], found: list[Any], lines: list[int], wrong: dict[int, Any]) -> Iterator[Block]:
        """The block of rows that were parsed; `found` is None where that failed, and `wrong` says how."""
        if not found:
            return
        odd = frozenset(i for i, row in enumerate(found) if not isinstance(row, dict))
        payload = ObjectPayload(self.file, self.columns, texts, lines, odd)
        wrong = {i: self._no_object(payload.place(i), found[i]) for i in odd} | wrong
        dicts = [row if isinstance(row, dict) else {} for row in found]
        if self.unseen:
            self.saw(len(dicts), {name for name in self.unseen if any(self.keys[name] in row for row in dicts)})
        values = {name: [row.get(key) for row in dicts] for name, key in self.keys.items()}
        cells = {name: column(found, self.plan.kinds[name]) for name, found in values.items()}
        yield from self.plan.settle(
            len(dicts), cells, payload, wrong, lambda name, row: self.fault(payload.place(row), name, values[name][row])
        )

    def fault(self, place: Place, name: str, value: Any) -> AutodiffError:
        """What is wrong with a value."""
        key = self.keys[name]
        cell, found = _where(place.text or "", key), lack(value, key)
        if found is not None:
            return faults.no_array(place, found, cell)
        text = as_json(value) if cell is None else (place.text or "")[slice(*cell)]
        return faults.no_number(place, key, text, cell, self.plan.kinds[name] or "real")

    @staticmethod
    def _no_object(place: Place, row: Any) -> Any:
        kind = {list: "an array", str: "a string", bool: "a condition", type(None): "null"}.get(type(row), "a number")
        return lambda: faults.broken_line(place, f"it is {kind}", None)


def _where(text: str, key: str) -> tuple[int, int] | None:
    """Where the value of a key stands in the text of an object; None if that is not certain."""
    from json import JSONDecoder, dumps

    found = list(re.finditer(re.escape(dumps(key, ensure_ascii=False)) + r"\s*:\s*", text))
    return (found[0].end(), JSONDecoder().raw_decode(text, found[0].end())[1]) if len(found) == 1 else None


class LineReader:
    """One object a line."""

    __slots__ = ("first", "line", "lists", "objects", "pieces")

    def __init__(self, feed: Feed, plan: Plan) -> None:
        self.objects = Objects(feed.name, plan)
        self.lists: frozenset[str] = frozenset()  # columns whose cells were vectors so far, which polars reads as such
        self.pieces = pieces(feed, LINES)
        self.line = 1
        self.first = b""
        for piece in self.pieces:
            self.first += piece.removeprefix(BOM) if not self.first else piece
            if self.first.strip():
                break
        if not self.first.strip():
            raise faults.empty(feed.name, plan.used)
        self.objects.begin(parsed(self.first.lstrip().split(b"\n", 1)[0].decode(errors="replace"))[0])

    @property
    def columns(self) -> tuple[str, ...]:
        return self.objects.columns

    def blocks(self) -> Iterator[Block]:
        """The rows, a block for each stretch of bytes that came."""
        yield from self._block(self.first)
        for piece in self.pieces:
            yield from self._block(piece)
        self.objects.end()

    def _block(self, piece: bytes) -> Iterator[Block]:
        start, count = self.line, piece.count(b"\n")
        self.line += count
        cells = self._fast(piece, count)
        if cells is None:
            yield from self._slow(piece, start)
            return
        payload = LinesPayload(self.objects.file, self.columns, start, piece)
        yield from self.objects.plan.settle(count, cells, payload, {}, lambda name, row: self.objects.fault(payload.place(row), name, None))

    def _fast(self, piece: bytes, count: int) -> dict[str, Column] | None:
        import polars as pl

        if piece.startswith(BOM) or self.objects.unseen or not self.objects.keys:
            return None
        kinds = self.objects.plan.kinds
        schema: dict[str, Any] = {}
        for name, key in self.objects.keys.items():
            each = pl.Boolean if kinds[name] == "bool" else pl.Float64
            schema[key] = pl.List(each) if name in self.lists else each
        try:
            frame = pl.read_ndjson(piece, schema=schema)
        except (pl.exceptions.PolarsError, UnicodeDecodeError):
            return None
        if frame.height != count:
            return None
        cells: dict[str, Column] = {}
        for name, key in self.objects.keys.items():
            found = vectors(frame[key], kinds[name]) if name in self.lists else _typed(frame[key], kinds[name])
            if found is None:
                return None
            cells[name] = found
        return cells

    def _slow(self, piece: bytes, start: int) -> Iterator[Block]:
        texts: list[str] = []
        found: list[Any] = []
        lines: list[int] = []
        wrong: dict[int, Any] = {}
        for number, line in enumerate(piece.split(b"\n")[:-1]):
            text, latin = decoded(line.strip())
            if not text:
                continue
            row, problem = parsed(text)
            if latin:
                row, problem = None, "it is not UTF-8"
            if problem:
                wrong[len(found)] = self._broken(Place(self.objects.file, start + number, text), problem)
            texts.append(text)
            found.append(row)
            lines.append(start + number)
        for block in self.objects.rows(texts, found, lines, wrong):
            self.lists = frozenset([name for name, column in block.values.items() if isinstance(column, Ragged) and column.flat])
            yield block

    @staticmethod
    def _broken(place: Place, problem: Any) -> Any:
        if isinstance(problem, str):
            return lambda: faults.broken_line(place, problem, None)
        what = problem.msg[:1].lower() + problem.msg[1:]
        at = min(problem.pos, len(place.text or "") - 1)
        return lambda: faults.broken_line(place, what, (at, at + 1))


class LinesPayload:
    """Lines that were all read as objects."""

    __slots__ = ("columns", "data", "file", "latin", "line")

    def __init__(self, file: str, columns: tuple[str, ...], line: int, data: bytes) -> None:
        self.file = file
        self.columns = columns
        self.line = line
        self.data = data
        self.latin = False

    def lines(self, style: Style) -> pl.Series | None:
        import polars as pl

        return pl.read_lines(self.data).to_series().str.strip_chars() if style[0] == "json" else None

    def frame(self) -> pl.DataFrame:
        return _frame(self.data.decode().split("\n")[:-1], self.columns, self.place)

    def place(self, row: int) -> Place:
        return Place(self.file, self.line + row, self.data.split(b"\n", row + 1)[row].decode().rstrip("\r"))


class ObjectPayload:
    """Objects that were read one by one, each with its own text on one line; the `odd` ones are none."""

    __slots__ = ("columns", "file", "latin", "numbers", "odd", "texts")

    def __init__(self, file: str, columns: tuple[str, ...], texts: list[str], numbers: list[int], odd: frozenset[int]) -> None:
        self.file = file
        self.columns = columns
        self.texts = texts
        self.numbers = numbers
        self.odd = odd
        self.latin = False

    def _objects(self) -> list[str]:
        return ["{}" if i in self.odd else _strict(text) for i, text in enumerate(self.texts)]

    def lines(self, style: Style) -> pl.Series | None:
        import polars as pl

        return pl.Series(self._objects(), dtype=pl.String) if style[0] == "json" else None

    def frame(self) -> pl.DataFrame:
        return _frame(self._objects(), self.columns, self.place)

    def place(self, row: int) -> Place:
        return Place(self.file, self.numbers[row], self.texts[row])


def _strict(text: str) -> str:
    """The same object with `NaN` and `Infinity` as strings, as JSON has no such numbers."""
    if "NaN" not in text and "Infinity" not in text:
        return text
    return BARE.sub(lambda found: f'"{found[1]}"' if found[1] else found[0], text)


def _frame(texts: Sequence[str], columns: tuple[str, ...], place: Callable[[int], Place]) -> pl.DataFrame:
    """Objects as columns of text, numbers by the digits they came in."""
    import polars as pl

    found = [parsed(text, exact=True)[0] for text in texts]
    known = set(columns)
    for i, row in enumerate(found):
        if not known.issuperset(row):
            raise faults.new_key(place(i), next(key for key in row if key not in known), columns)
    return pl.DataFrame([pl.Series(str(at), [cell(row.get(key)) for row in found], pl.String) for at, key in enumerate(columns)])


def _typed(cells: pl.Series, kind: str | None) -> Column:
    gap = cells.is_null().to_numpy() if cells.null_count() else None
    values = cells.fill_null(value=False) if kind == "bool" else cells
    return Column(values.to_numpy(), gap, None, kind or ("real" if cells.null_count() < len(cells) else None))
