"""What is asked of every reader, and what it found on the way: used names, kinds of columns, rows that were bad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ..syntax.words import normalise
from .block import Block
from .faults import duplicates, no_column
from .ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..diagnostics import AutodiffError
    from .block import Payload
    from .cells import Column

OnError = Literal["fail", "null", "skip"]


class Plan:
    """Shared by the readers of all sources. `kinds`: "real" or "bool" of each used name, None before any cell with content.

    `arrays` are the names that had an array in some row so far; `offered` are names that are used where there is a column.
    """

    __slots__ = ("arrays", "bad", "columns", "first", "header", "kinds", "offered", "on_error", "used")

    def __init__(
        self, used: Sequence[str], on_error: OnError = "fail", *, header: bool | None = None, columns: Sequence[str] | None = None,
        offered: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.used, self.offered = tuple(used), tuple(offered)
        self.on_error: OnError = on_error
        self.header = header
        self.columns = None if columns is None else tuple(columns)
        self.kinds: dict[str, str | None] = dict.fromkeys(used)
        self.arrays: set[str] = set()
        self.bad = 0
        self.first: AutodiffError | None = None

    def places(self, columns: Sequence[str], file: str) -> dict[str, int]:
        """Where the used columns are; an error if one is not there, or two have one name."""
        self.take(columns, file)
        if len(set(columns)) < len(columns):
            raise duplicates(columns, file)
        found = places(columns, self.used, file)
        absent = [name for name in self.used if name not in found]
        if absent:
            raise no_column(absent, columns, file)
        return found

    def take(self, columns: Sequence[str], file: str) -> None:
        """The columns of the first source are known: those that are offered are used."""
        found = tuple(places(columns, self.offered, file)) if self.offered else ()
        self.used, self.offered = (*self.used, *found), ()
        self.kinds |= dict.fromkeys(found)

    def block(self, count: int, cells: Mapping[str, Column], payload: Payload) -> Block:
        """The block of these cells, whose kinds hold from now on."""
        for name, column in cells.items():
            self.kinds[name] = self.kinds[name] or column.kind
            if isinstance(column.values, Ragged):
                self.arrays.add(name)
        return Block(count, {n: c.values for n, c in cells.items()}, {n: c.gap for n, c in cells.items() if c.gap is not None}, payload)

    def settle(
        self,
        count: int,
        cells: Mapping[str, Column],
        payload: Payload,
        rows: Mapping[int, Callable[[], AutodiffError]],
        fault: Callable[[str, int], AutodiffError],
    ) -> Iterator[Block]:
        """The block of these cells; bad cells and bad `rows` are dealt with as `on_error` says, `fault` and the rows say what is wrong."""
        block = self.block(count, cells, payload)
        wrong = _bad_rows(count, cells, rows)
        if wrong is None:
            yield block
            return
        yield from self._without(block, wrong, lambda row: rows[row]() if row in rows else fault(_culprit(cells, row), row))

    def _without(self, block: Block, wrong: Any, fault: Callable[[int], AutodiffError]) -> Iterator[Block]:
        import numpy as np

        if self.on_error == "fail":
            if wrong[0]:
                yield block.take(np.arange(wrong[0]))
            raise fault(int(wrong[0]))
        self.bad += len(wrong)
        self.first = self.first or fault(int(wrong[0]))
        if self.on_error == "null":
            block.without_results(wrong)
        else:
            block = block.take(np.delete(np.arange(block.count), wrong))
        if block.count:
            yield block


def places(columns: Sequence[str], names: Sequence[str], file: str) -> dict[str, int]:
    """Where the columns of these names are, those that are there."""
    found = {name: place(columns, name, file) for name in names}
    return {name: at for name, at in found.items() if at is not None}


def place(columns: Sequence[str], name: str, file: str) -> int | None:
    """Where the column of a name is: the header as it stands, else as the language reads names."""
    if name in columns:
        return columns.index(name)
    found = [i for i, column in enumerate(columns) if normalise(column.strip()) == name and not set(column) & set("²³¹⁰⁴⁵⁶⁷⁸⁹")]
    if len(found) > 1:
        raise duplicates([normalise(column.strip()) for column in columns], file)
    return found[0] if found else None


def _bad_rows(count: int, cells: Mapping[str, Column], rows: Mapping[int, Any]) -> Any:
    masks = [column.bad for column in cells.values() if column.bad is not None]
    if not masks and not rows:
        return None
    import numpy as np

    total = np.zeros(count, bool)
    total[list(rows)] = True
    for mask in masks:
        total |= mask
    return np.flatnonzero(total)


def _culprit(cells: Mapping[str, Column], row: int) -> str:
    return next(name for name, column in cells.items() if column.bad is not None and column.bad[row])
