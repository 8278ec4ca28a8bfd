"""Blocks and results in; the bytes of rows as csv, tsv, space, plain, ndjson or json out."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from . import faults
from .cells import as_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from .block import Block

NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"
SPELLED = {"NaN": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}


def result_columns(block: Block, names: Sequence[str], results: Mapping[str, Any], missing: NDArray[Any] | None) -> list[pl.Series]:
    """The results as columns called by their names, null where they are missing."""
    import polars as pl

    whole = [_numbers(name, results[name], block.count) for name in names]
    if missing is None or not missing.any():
        return whole
    marks = pl.Series(missing)
    return [series.set(marks, None) for series in whole]


def _numbers(name: str, result: Any, count: int) -> pl.Series:
    """A result as a column of float64; numbers of many digits, which come as objects, as their texts."""
    import numpy as np
    import polars as pl

    if getattr(getattr(result, "dtype", None), "kind", "") == "O":
        return pl.Series(name, list(map(str, result)), pl.String)
    return pl.Series(name, np.ascontiguousarray(np.broadcast_to(np.asarray(result, float), count)))


class Separated:
    """Cells with a mark between, quoted only where needed. The input's own lines are kept where they are rows of this kind."""

    __slots__ = ("columns", "gap", "header", "latin", "mark", "names", "only")

    def __init__(self, mark: str, columns: Sequence[str], names: Sequence[str], *, only: bool, header: bool, latin: bool) -> None:
        self.mark = mark
        self.columns = columns
        self.names = names
        self.only = only
        self.header = header
        self.latin = latin
        self.gap = "NaN" if mark == " " else ""

    def head(self) -> bytes:
        import csv

        if not self.header:
            return b""
        text = io.StringIO()
        cells = [*([] if self.only else self.columns), *self.names]
        csv.writer(text, delimiter=self.mark, lineterminator="\n").writerow(cells)
        return text.getvalue().encode("latin-1" if self.latin and not self.only else "utf-8")

    def body(self, block: Block, results: Mapping[str, Any], missing: NDArray[Any] | None) -> bytes | memoryview:
        import polars as pl

        ours = [series.alias(f"={i}") for i, series in enumerate(result_columns(block, self.names, results, missing))]
        lines = None if self.only else block.lines(("csv", self.mark))
        theirs = [lines] if lines is not None else [] if self.only else [_cell_text(series) for series in block.frame()]
        out = io.BytesIO()
        style: Any = "never" if self.only or lines is not None else "necessary"
        frame = pl.DataFrame([*theirs, *ours])
        frame.write_csv(out, include_header=False, separator=self.mark, quote_style=style, null_value=self.gap)
        return out.getvalue().decode().encode("latin-1") if block.payload.latin else out.getbuffer()

    def tail(self) -> bytes:
        return b""


def _cell_text(cells: pl.Series) -> pl.Series:
    """A column as csv takes it: an empty cell is nothing, not an empty text in quotes."""
    import polars as pl

    if cells.dtype.is_nested():
        cells = as_text(cells)
    if cells.dtype != pl.String:
        return cells
    return cells.set(cells == "", None)


class Objects:
    """One object a row: on a line each, or as one array. An object's own text is kept, and the results go in before its closing brace."""

    __slots__ = ("array", "columns", "names", "only", "places", "started")

    def __init__(self, columns: Sequence[str], names: Sequence[str], places: Mapping[str, int], *, only: bool, array: bool) -> None:
        self.columns = columns
        self.names = names
        self.places = places
        self.only = only
        self.array = array
        self.started = False

    def head(self) -> bytes:
        return b""

    def body(self, block: Block, results: Mapping[str, Any], missing: NDArray[Any] | None) -> bytes | memoryview:
        import polars as pl

        lines = None if self.only else block.lines(("json", ""))
        parts = self._theirs(block) if lines is None else self._kept(lines, block)
        for i, name in enumerate(self.names):
            parts += [pl.lit(("," if i else "") + _key(name)), _json_results(block, name, results, missing)]
        out = io.BytesIO()
        pl.select(pl.concat_str([*parts, pl.lit("}")])).write_csv(out, include_header=False, quote_style="never")
        return self._joined(out.getvalue()) if self.array else out.getbuffer()

    def tail(self) -> bytes:
        if not self.array:
            return b""
        return b"\n]\n" if self.started else b"[]\n"

    def _joined(self, data: bytes) -> bytes:
        start = b",\n" if self.started else b"[\n"
        self.started = True
        return start + data[:-1].replace(b"\n", b",\n")

    def _kept(self, lines: pl.Series, block: Block) -> list[Any]:
        """The objects as far as a key may follow."""
        import polars as pl

        self._check(lines, block)
        left = lines.str.strip_suffix("}").str.strip_chars_end()
        bare = left == "{"
        return [_choose(bare, left, left + ",")] if bare.any() else [left, pl.lit(",")]

    def _check(self, lines: pl.Series, block: Block) -> None:
        """A key of the results that an object has already is an error."""
        import json

        keys = "|".join(re.escape(json.dumps(name, ensure_ascii=False)) for name in self.names)
        found = lines.str.contains(rf"(?:{keys})\s*:")
        for row in found.arg_true():
            both = [name for name in self.names if name in json.loads(lines[row])]
            if both:
                raise faults.taken(both, block.place(row))

    def _theirs(self, block: Block) -> list[Any]:
        """The same, made of the cells."""
        import polars as pl

        if not self.columns:
            return [pl.lit("{")]
        names = {at: name for name, at in self.places.items()}
        parts: list[Any] = []
        for at, cells in enumerate(block.frame()):
            parts += [pl.lit(("," if at else "{") + _key(self.columns[at])), _json_cells(cells, block, names.get(at))]
        return [*parts, pl.lit(",")]


def _json_results(block: Block, name: str, results: Mapping[str, Any], missing: NDArray[Any] | None) -> pl.Series:
    """One result as JSON: numbers, or nested lists."""
    if getattr(results[name], "ndim", 0) < 2:
        (numbers,) = result_columns(block, [name], results, missing)
        return spelled(numbers)
    from .nested import texts

    return texts(results[name], missing)


def _key(name: str) -> str:
    import json

    return json.dumps(name, ensure_ascii=False) + ":"


def spelled(numbers: pl.Series) -> pl.Series:
    """Numbers as JSON: non-finite ones as strings, missing ones as null."""
    import polars as pl

    texts = numbers.cast(pl.String)
    if numbers.dtype == pl.String:
        texts = texts.replace({**SPELLED, "nan": '"NaN"'})
    elif not (numbers.is_finite() | numbers.is_null()).all():
        texts = texts.replace(SPELLED)
    return texts.fill_null("null") if texts.null_count() else texts


def _json_cells(cells: pl.Series, block: Block, name: str | None) -> pl.Series:
    """The cells of a column as JSON: numbers by their own digits, else strings; used cells as the numbers or conditions they are."""
    import polars as pl

    if cells.dtype.is_float():
        return spelled(cells)
    if cells.dtype.is_integer() or cells.dtype == pl.Boolean:
        return cells.cast(pl.String).fill_null("null")
    if cells.dtype.is_nested():
        return as_text(cells).fill_null("null")
    texts = as_text(cells).fill_null("" if cells.dtype == pl.String else "null")
    if name is not None:
        return _used(texts, block, name)
    plain = texts.str.contains(NUMBER)
    return texts if plain.all() else _choose(plain, texts, _escaped(texts))


def _used(texts: pl.Series, block: Block, name: str) -> pl.Series:
    import polars as pl

    values, gap = pl.Series(block.values[name]), block.gaps.get(name)
    if values.dtype == pl.Boolean:
        found = values.cast(pl.String)
    else:
        plain = texts.str.contains(NUMBER)
        found = texts if plain.all() else _choose(plain, texts, _not_plain(texts, values))
    return found if gap is None else found.set(pl.Series(gap), "null")


def _not_plain(texts: pl.Series, values: pl.Series) -> pl.Series:
    """Cells that JSON would not read as numbers: as the numbers they are, or as strings where they are none."""
    words = values.is_nan() & ~texts.str.to_lowercase().str.contains("nan")
    return _choose(words, _escaped(texts), spelled(values)) if words.any() else spelled(values)


def _escaped(texts: pl.Series) -> pl.Series:
    import polars as pl

    whole = pl.select(pl.struct(texts.alias("k")).struct.json_encode()).to_series()
    return whole.str.strip_prefix('{"k":').str.strip_suffix("}")


def _choose(where: pl.Series, a: pl.Series, b: pl.Series) -> pl.Series:
    import polars as pl

    return pl.select(pl.when(where).then(a).otherwise(b)).to_series()
