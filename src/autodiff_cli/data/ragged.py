"""Cells that are arrays, each of a shape of its own, in; their entries one after another, and blocks of cells of one shape, out."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Array = Any
    Shape = tuple[int, ...]


class Ragged:
    """A column of arrays: cell k begins at entry `starts[k]` and has the shape `shapes[codes[k]]`; a number has the shape ()."""

    __slots__ = ("codes", "entries", "shapes", "starts")
    ndim = 2  # rows, and at least one axis in some of them

    def __init__(self, entries: Array, starts: Array, codes: Array, shapes: Sequence[Shape]) -> None:
        self.entries, self.starts, self.codes, self.shapes = entries, starts, codes, tuple(shapes)

    @classmethod
    def of(cls, cells: Iterable[Array], dtype: Any = float) -> Ragged:
        """These arrays and numbers, in order."""
        import numpy as np

        arrays = [np.asarray(cell, dtype) for cell in cells]
        known: dict[Shape, int] = {}
        codes = np.array([known.setdefault(array.shape, len(known)) for array in arrays], np.intp)
        sizes = np.array([array.size for array in arrays], np.intp)
        entries = np.concatenate([array.reshape(-1) for array in arrays]) if arrays else np.empty(0, dtype)
        return cls(entries, np.cumsum(sizes) - sizes, codes, list(known))

    @classmethod
    def vectors(cls, entries: Array, sizes: Array) -> Ragged:
        """Cells with one axis each, of these sizes."""
        import numpy as np

        lengths, codes = np.unique(sizes, return_inverse=True)
        return cls(entries, np.cumsum(sizes) - sizes, codes, [(int(length),) for length in lengths])

    @property
    def dtype(self) -> Any:
        """What the entries are."""
        return self.entries.dtype

    @property
    def flat(self) -> bool:
        """Whether every cell has one axis."""
        return all(len(shape) == 1 for shape in self.shapes)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Ragged:
        """The cells at these places."""
        return Ragged(self.entries, self.starts[rows], self.codes[rows], self.shapes)

    def astype(self, dtype: Any) -> Ragged:
        """The same cells with entries of another type."""
        return Ragged(self.entries.astype(dtype), self.starts, self.codes, self.shapes)

    def shape(self, row: int) -> Shape:
        """The shape of one cell."""
        return self.shapes[self.codes[row]]

    def cell(self, row: int) -> Array:
        """The array, or the number, of one cell."""
        shape, start = self.shape(row), self.starts[row]
        found = self.entries[start : start + prod(shape)].reshape(shape)
        return found if shape else found.item()

    def __iter__(self) -> Iterator[Array]:
        return map(self.cell, range(len(self)))

    def dense(self) -> Array:
        """Cells that all have one shape, as an array with the cells along its first axis."""
        import numpy as np

        shape = self.shape(0)
        size, count = prod(shape), len(self)
        first = int(self.starts[0])
        if (self.starts == first + size * np.arange(count)).all():
            found = self.entries[first : first + size * count]
        else:
            found = self.entries[self.starts[:, None] + np.arange(size)]
        return found.reshape(count, *shape)


def joined(columns: Sequence[Array]) -> Array:
    """Columns one below the other; a `Ragged` where one of them is, or where their cells have several shapes."""
    import numpy as np

    if not any(isinstance(column, Ragged) for column in columns):
        return np.concatenate(columns)
    return Ragged.of([cell for column in columns for cell in column], np.result_type(*[column.dtype for column in columns]))
