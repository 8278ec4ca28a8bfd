"""Blocks of rows with their results in; cells as people read them, and lines of aligned columns, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..report import Listing, Report, machine, numeric
from .message import escaped, wide

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..data.block import Block
    from . import View

    Results = Mapping[str, Any]

GAP = "  "


def shown(block: Block, names: Sequence[str], results: Results, view: View, *, theirs: bool) -> list[list[str]]:
    """The block as columns of cells for people: the input's text as it stands, numbers with few digits, nothing where a result is missing."""
    found = [[_cell(cell, view) for cell in series.to_list()] for series in block.frame()] if theirs else []
    return [*found, *[[_result(cell, view) for cell in _results(block, results[name])] for name in names]]


def exact(block: Block, names: Sequence[str], results: Results, *, theirs: bool) -> list[list[Any]]:
    """The block as columns of cells for programs: texts and numbers, None where there is none."""
    found = [series.to_list() for series in block.frame()] if theirs else []
    return [*found, *[_results(block, results[name]) for name in names]]


def _cell(cell: Any, view: View) -> str:
    if cell is None:
        return ""
    return view.show(cell) if isinstance(cell, float) else escaped(str(cell).lower() if isinstance(cell, bool) else str(cell))


def _result(cell: Any, view: View) -> str:
    """A number, an array on one line, or nothing where there is no result."""
    return "" if cell is None else view.show(cell).replace("\n", "")


def _results(block: Block, result: Any) -> list[Any]:
    """A number or an array for each row, None where there is none."""
    if not getattr(result, "ndim", 0):
        cells: list[Any] = [float(result)] * block.count
    else:
        cells = list(result) if result.ndim > 1 else result.astype(float).tolist()
    if block.missing is None:
        return cells
    return [None if gone else cell for gone, cell in zip(block.missing.tolist(), cells, strict=True)]


class Aligned:
    """Lines of columns as wide as the widest cell so far: numbers to the right, texts to the left."""

    __slots__ = ("left", "titles", "widths")

    def __init__(self, titles: Sequence[str]) -> None:
        self.titles = [escaped(title) for title in titles]
        self.widths: list[int] = []
        self.left: list[bool] = []

    def lines(self, cells: Sequence[Sequence[str]]) -> Iterator[str]:
        """The lines of a block; before those of the first one, the titles."""
        first = not self.widths
        if first:
            self.widths = [wide(title) for title in self.titles]
            self.left = [not all(map(numeric, column)) for column in cells]
        self.widths = [max([width, *map(wide, column)]) for width, column in zip(self.widths, cells, strict=True)]
        if first:
            yield self._line(self.titles)
        for row in zip(*cells, strict=True):
            yield self._line(row)

    def _line(self, cells: Sequence[str]) -> str:
        padded = [
            cell + " " * (width - wide(cell)) if left else " " * (width - wide(cell)) + cell
            for cell, width, left in zip(cells, self.widths, self.left, strict=True)
        ]
        return GAP.join(padded).rstrip() + "\n"


def _text(cell: Any) -> str:
    """A cell of the input, or the entries of an array."""
    return str(cell.tolist()) if hasattr(cell, "tolist") else str(cell)


def collected(command: str, titles: Sequence[str], cells: Sequence[Sequence[Any]], lines: Sequence[Sequence[str]]) -> Report:
    """All rows as a listing; `cells` and `lines` are rows, for programs and for people."""
    texts = [tuple(["" if cell is None else machine(cell) if isinstance(cell, float) else _text(cell) for cell in row]) for row in cells]
    return Report(command, listing=Listing(tuple(titles), texts, tuple(map(escaped, titles)), [tuple(line) for line in lines]))
