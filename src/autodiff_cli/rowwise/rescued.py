"""Rows and their results in float64 in; the rows in which it broke down on the way, computed again with digits, out, counted."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

from ..run.point import SMALLEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..diagnostics import Diagnostic
    from ..graph import Fn

    Array = Any
    Columns = Mapping[str, Array]

MOST, TINY = 1000, 200  # rows that are computed again; rows with a 0 or a tiny number that are looked at, if none was wrong
SECONDS = 10.0


class Rescue:
    """Told of rows with their results; call it to have them put right.

    `count` rows were, `left` rows that look alike were not, for there were too many; `always` knows no too many.
    """

    __slots__ = ("always", "count", "first", "left", "looked", "spent", "tiny", "values")

    def __init__(self, values: Mapping[str, Any], how: str = "auto") -> None:
        self.values, self.always = values, how == "always"
        self.count = self.left = self.looked = self.tiny = 0
        self.spent = 0.0
        self.first: tuple[Diagnostic, ...] = ()

    def __call__(
        self, fn: Fn, wrt: Sequence[str], columns: Columns, found: Sequence[Array], missing: Array | None, place: Callable[[int], Any]
    ) -> Sequence[Array]:
        """The results, right in the rows where float64 broke down; those behind the results of `fn` stay as they are."""
        import numpy as np

        fresh = list(found)
        for row in self._suspects(found[: len(fn.outs)], columns, missing):
            if not self.always and (self.looked >= MOST or self.spent > SECONDS):
                self.left += 1
                continue
            started = process_time()
            one = self._again(fn, wrt, columns, found, int(row), place)
            self.spent += process_time() - started
            for k, value in enumerate(one or ()):
                if np.ndim(fresh[k]) and len(fresh[k]) == len(next(iter(columns.values()))):
                    fresh[k] = np.array(fresh[k]) if fresh[k] is found[k] else fresh[k]
                    fresh[k][row] = value
        return fresh

    def _suspects(self, results: Sequence[Array], columns: Columns, missing: Array | None) -> Array:
        """The rows with a result that is not finite though all cells are; and, while some may be looked at, those with a tiny one or a 0."""
        import numpy as np

        count = len(next(iter(columns.values())))
        sizes = [np.abs(r).reshape(count, -1) for r in results if np.ndim(r) and len(r) == count and r.dtype != bool]
        wild, tiny = np.zeros(count, bool), np.zeros(count, bool)
        for size in sizes:
            finite = np.isfinite(size)
            wild |= False if finite.all() else ~finite.all(axis=1)
            tiny |= (size < SMALLEST).any(axis=1) if self.tiny < TINY or self.always else False
        able = np.ones(count, bool) if missing is None else ~missing
        for column in columns.values():
            able &= np.isfinite(column).reshape(count, -1).all(axis=1) if wild.any() or tiny.any() else False
        wild &= able
        few = np.flatnonzero(tiny & able & ~wild)
        few = few if self.always else few[: max(0, TINY - self.tiny)]
        self.tiny += 0 if self.count else len(few)
        return np.sort(np.concatenate([np.flatnonzero(wild), few]))

    def _again(
        self, fn: Fn, wrt: Sequence[str], columns: Columns, found: Sequence[Array], row: int, place: Callable[[int], Any]
    ) -> list[Any] | None:  # fmt: skip
        """The results of one row, if float64 broke down in it."""
        import numpy as np

        from ..rescue import again, note

        self.looked += 1
        count = len(next(iter(columns.values())))
        point = {**self.values, **{name: _entry(column, row) for name, column in columns.items()}}
        old = [_entry(r, row) if np.ndim(r) and len(r) == count else r for r in found[: len(fn.outs)]]
        new = again(fn, point, old, patient=self.always)
        if new is not None:
            self.count += 1
            self.first = self.first or tuple(
                [one._replace(notes=(f"first in {place(row)}", *one.notes)) for one in note(fn, point, wrt, old, new)]
            )
        return new

    def notes(self) -> list[Diagnostic]:
        """How many rows were computed again, and where float64 broke down in the first of them."""
        from ..notes.rows import rows

        said = []
        for one in self.first:
            what = one.message.partition(" computed with more digits")[2]
            said.append(one._replace(message=f"{rows(self.count)} {'is' if self.count == 1 else 'are'} computed with more digits{what}"))
        if self.left and said:
            more = f"{rows(self.left)} more may need it and stayed as float64 had them"
            said[-1] = said[-1]._replace(notes=(*said[-1].notes, f"{more}: `--rescue always` computes these too"))
        return said


def _entry(column: Array, row: int) -> Any:
    """The cell of a row: a number or a condition of Python, or an array."""
    cell = column[row]
    return cell if getattr(cell, "shape", ()) else cell.item()
