"""Rows whose cells are read as decimals in; their results with many digits, as object arrays of `Digits`, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data.decimals import decimal, shortest
from ..data.values import PLAIN
from ..precise import in_digits, surely

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..api import Task
    from ..data.block import Block
    from ..diagnostics import Diagnostic

    Array = Any


class Precise:
    """Call it with a task and rows of one shape. `exact` are the values that all rows have, `places` says where each column is.

    `open` counts the rows in which not all digits of a result settled.
    """

    __slots__ = ("digits", "exact", "open", "places")

    def __init__(self, exact: Mapping[str, Any], places: Mapping[str, int], digits: int) -> None:
        self.exact, self.places, self.digits = exact, places, digits
        self.open = 0

    def __call__(self, task: Task, block: Block, columns: Mapping[str, Array]) -> list[Array]:
        """The results, one array for each result of the task, a row for each row of the block; NaN where a cell is missing."""
        import numpy as np

        cells = {name: self._cells(block, name, column) for name, column in columns.items()}
        shapes = [task.fn.nodes[o].type.shape for o in task.fn.outs]
        found = [np.full((block.count, *shape), float("nan"), object) for shape in shapes]
        for row in range(block.count):
            if block.missing is None or not block.missing[row]:
                point = {**self.exact, **{name: each[row] for name, each in cells.items()}}
                computed = surely(task.fn, point, self.digits)
                self.open += bool(computed.open)
                for result, number in zip(found, in_digits(computed, self.digits), strict=True):
                    result[row] = number
        return found

    def notes(self) -> list[Diagnostic]:
        """How many rows have a result whose digits did not settle."""
        if not self.open:
            return []
        from ..diagnostics import Diagnostic
        from ..notes.rows import rows

        have = "has a result that is" if self.open == 1 else "have a result that is"
        message = f"{rows(self.open)} {have} 0 or not sure in all of the {self.digits} digits"
        return [Diagnostic("unsettled", message, severity="note")]

    def _cells(self, block: Block, name: str, column: Array) -> Sequence[Any]:
        """The cells of a column as they are written; arrays by the shortest decimals of their float64."""
        if column.dtype == bool:
            return column.tolist()  # type: ignore[no-any-return]  # conditions
        if column.ndim > 1:
            return [shortest(cell) for cell in column]
        texts = [text.strip() for text in block.texts(self.places[name])]
        return [decimal(text, x) if text and PLAIN.issuperset(text) else x for text, x in zip(texts, column.tolist(), strict=True)]
