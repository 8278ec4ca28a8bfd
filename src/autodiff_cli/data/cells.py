"""A column of text cells in; numbers or conditions out, with the cells that are missing and those that are neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

MISSING = ("", "NA", "N/A", "null", "NULL", "None")
CONDITIONS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


class Column(NamedTuple):
    """What a column holds: `values` are an array, or a `Ragged` where cells are arrays themselves; `kind` is None while every
    cell is missing; `gap` and `bad` mark cells, None for no cell at all.
    """

    values: Any
    gap: NDArray[Any] | None
    bad: NDArray[Any] | None
    kind: str | None


def is_plain(cell: str) -> bool:
    """Whether a cell is a number or missing, so that it is no header."""
    text = cell.strip()
    if text in MISSING:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text


def column(cells: pl.Series, kind: str | None) -> Column:
    """The numbers of a column of text, or its conditions if that is its kind (or if its first cell with content is one)."""
    import polars as pl

    numbers = cells.cast(pl.Float64, strict=False)
    if numbers.null_count():
        cells = cells.str.strip_chars()
        numbers = cells.cast(pl.Float64, strict=False)
    gap = (cells.is_null() | cells.is_in(MISSING)) if numbers.null_count() else None
    if kind is None:
        kind = _kind(cells if gap is None else cells.filter(~gap))
    if kind == "bool":
        return _conditions(cells)
    if gap is None:
        return Column(numbers.to_numpy(), None, None, kind)
    return Column(numbers.to_numpy(), _mask(gap), _mask(numbers.is_null() & ~gap), kind)


def _kind(cells: pl.Series) -> str | None:
    if not len(cells):
        return None
    return "bool" if cells[0] in CONDITIONS else "real"


def _conditions(cells: pl.Series) -> Column:
    import polars as pl

    found = cells.replace_strict(CONDITIONS, default=None, return_dtype=pl.Boolean)
    gap = cells.is_null() | cells.is_in(MISSING)
    return Column(found.fill_null(value=False).to_numpy(), _mask(gap), _mask(found.is_null() & ~gap), "bool")


def typed(cells: pl.Series) -> Column | None:
    """The numbers or conditions of a column that has a type, or None if its type is another."""
    import polars as pl

    kind = "bool" if cells.dtype == pl.Boolean else "real" if cells.dtype.is_numeric() or cells.dtype == pl.Null else None
    if kind is None:
        return None
    values = cells.fill_null(value=False) if kind == "bool" else cells.cast(pl.Float64)
    gap = _mask(cells.is_null()) if cells.null_count() else None
    return Column(values.to_numpy(), gap, None, None if cells.null_count() == len(cells) else kind)


def as_text(cells: pl.Series) -> pl.Series:
    """Any column as text, as csv writes it."""
    import polars as pl

    if cells.dtype == pl.String:
        return cells
    if cells.dtype.is_nested():
        return pl.Series(cells.name, [None if cell is None else _json(cell) for cell in cells.to_list()], pl.String)
    return cells.cast(pl.String)


def _json(cell: Any) -> str:
    import json

    return json.dumps(_spelled(cell), ensure_ascii=False, separators=(",", ":"), default=str)


def _spelled(cell: Any) -> Any:
    """The cell with non-finite numbers as strings, which is how JSON can have them; nested as deep as the type of its column."""
    if isinstance(cell, list):
        return [_spelled(each) for each in cell]
    if isinstance(cell, dict):
        return {key: _spelled(each) for key, each in cell.items()}
    if isinstance(cell, float) and cell - cell != 0:
        return "NaN" if cell != cell else "Infinity" if cell > 0 else "-Infinity"
    return cell


def _mask(marked: pl.Series) -> NDArray[Any] | None:
    return marked.to_numpy() if marked.any() else None
