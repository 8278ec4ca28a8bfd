"""Rows of one stretch of input, as the readers make them: the used columns as arrays, and what is needed to write each row again.

A `Block` holds `count` rows. `values[name]` is a float64 array (or a bool array, where the column is one of conditions) for every used
column, or a `Ragged` where cells are arrays themselves; `gaps[name]` marks its missing cells and is there only if there are some; `bad` marks
the rows that are passed over, for what is wrong with them, or is None; `missing` marks the rows with any missing cell and those, or is None.
`frame()` gives every column of the input (text formats: the cells' own text), `lines(style)` each row's own text if that is a row of
`style` as it stands; both read the kept bytes only when asked, so that it happens where rows are written. `place(row)` says where a row came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from numpy.typing import NDArray

    Style = tuple[str, str]  # ("csv", ",") or ("json", "")


class Place(NamedTuple):
    """Where a row came from: the name of the input, its line (or row, where there are no lines), and the line's text."""

    file: str
    line: int
    text: str | None = None

    def __str__(self) -> str:
        return f"{self.file}, {'line' if self.text is not None else 'row'} {self.line:,}"


class Payload(Protocol):
    """What a reader keeps of the rows of a block. `latin`: its text stands for bytes that are not UTF-8."""

    latin: bool

    def frame(self) -> pl.DataFrame: ...
    def lines(self, style: Style) -> pl.Series | None: ...
    def place(self, row: int) -> Place: ...


class Block:
    """Some rows; `kept` are the rows of the payload that are in it, all if None."""

    __slots__ = ("bad", "count", "gaps", "kept", "missing", "payload", "values")

    def __init__(self, count: int, values: Mapping[str, Any], gaps: Mapping[str, NDArray[Any]], payload: Payload) -> None:
        self.count = count
        self.values = dict(values)
        self.gaps = dict(gaps)
        self.missing = _union(self.gaps)
        self.payload = payload
        self.kept: NDArray[Any] | None = None
        self.bad: NDArray[Any] | None = None

    def frame(self) -> pl.DataFrame:
        """Every column of the input, named by its position: "0", "1", …"""
        frame = self.payload.frame()
        return frame if self.kept is None else frame[self.kept]

    def lines(self, style: Style) -> pl.Series | None:
        """Each row's own text, or None where it is not a row of this style."""
        lines = self.payload.lines(style)
        return lines if self.kept is None or lines is None else lines[self.kept]

    def texts(self, column: int) -> list[str]:
        """The cells of one column as text, empty where there is none: what groups are made by."""
        from .cells import as_text

        return as_text(self.frame().to_series(column)).fill_null("").to_list()

    def place(self, row: int) -> Place:
        """Where a row of the block came from."""
        return self.payload.place(row if self.kept is None else int(self.kept[row]))

    def take(self, rows: NDArray[Any]) -> Block:
        """The block of these rows only."""
        cut = Block(
            len(rows), {k: v[rows] for k, v in self.values.items()},
            {k: v[rows] for k, v in self.gaps.items() if v[rows].any()}, self.payload,
        )  # fmt: skip
        cut.kept = rows if self.kept is None else self.kept[rows]
        if self.bad is not None:
            cut.without_results(self.bad[rows])
        return cut

    def without_results(self, rows: NDArray[Any]) -> None:
        """Mark rows (places, or a mark for each row) whose results are missing though their cells may not be."""
        import numpy as np

        bad = np.zeros(self.count, bool) if self.bad is None else self.bad.copy()
        bad[rows] = True
        if bad.any():
            self.bad = bad
            self.missing = bad if self.missing is None else self.missing | bad


def _union(gaps: Mapping[str, NDArray[Any]]) -> NDArray[Any] | None:
    total: NDArray[Any] | None = None
    for mask in gaps.values():
        total = mask if total is None else total | mask
    return total
