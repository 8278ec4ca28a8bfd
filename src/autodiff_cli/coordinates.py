"""A sparse matrix of a report: the places and values of its entries in; a document, a listing and the layout of a file out."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Array = Any
    Shape = tuple[int, ...]


class Axis(NamedTuple):
    """What the numbers along a side of the matrix count: the entries of these results or variables, in row order, one after another."""

    shapes: Mapping[str, Shape]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(map(_size, self.shapes.values()))

    @property
    def offsets(self) -> dict[str, int]:
        """Where the entries of each begin."""
        found, first = {}, 0
        for name, shape in self.shapes.items():
            found[name] = first
            first += _size(shape)
        return found

    def names(self) -> list[str]:
        """`x_0`, `x_1`, `y`, …"""
        return ["_".join([name, *place]) for name, shape in self.shapes.items() for place in product(*[map(str, range(n)) for n in shape])]


class Coordinates(NamedTuple):
    """Entry k stands at (`rows[k]`, `columns[k]`), sorted by row and then by column; others are 0."""

    rows: Array
    columns: Array
    values: Array
    down: Axis
    across: Axis

    def of(self, results: Sequence[Any]) -> Coordinates:
        """The same with the values that stand in these results, one after another; those with more digits than a float64 stay so."""
        import numpy as np

        parts = [np.ravel(r) if hasattr(r, "dtype") or type(r) is float else np.array([r], object) for r in results]
        return self._replace(values=np.concatenate([np.zeros(0), *parts]))

    def places(self, results: int) -> list[str]:
        """What the results are called that have the values: by row and column, if each has one."""
        if results != len(self.rows):
            return ["matrix", *[f"matrix {k}" for k in range(1, results)]]
        return [f"entry ({i}, {j})" for i, j in zip(self.rows.tolist(), self.columns.tolist(), strict=True)]

    def document(self) -> dict[str, Any]:
        """As JSON shows it."""
        return {
            "shape": [self.down.size, self.across.size], "rows": self.rows.tolist(), "columns": self.columns.tolist(),
            "values": self.values.tolist(),
        }  # fmt: skip

    def lines(self) -> list[list[Any]]:
        """Row, column and value of every entry, for machines."""
        return [list(line) for line in zip(self.rows.tolist(), self.columns.tolist(), self.values.tolist(), strict=True)]

    def named(self) -> Sequence[tuple[str, str, float]]:
        """The same by the names of the entries, for people."""
        down, across = self.down.names(), self.across.names()
        return [(down[i], across[j], value) for i, j, value in self.lines()]

    def file(self) -> dict[str, Any]:
        """The arrays of SciPy's sparse matrices in a file of NumPy, by rows (`csr`), as `scipy.sparse.load_npz` reads them."""
        import numpy as np

        start = np.concatenate([[0], np.cumsum(np.bincount(self.rows, minlength=self.down.size))])
        kind = np.int32 if max(len(self.rows), self.across.size) < 2**31 else np.int64
        return {
            "indices": self.columns.astype(kind), "indptr": start.astype(kind), "format": np.array(b"csr"),
            "shape": np.array([self.down.size, self.across.size]), "data": self.values.astype(float),
        }  # fmt: skip


def _size(shape: Shape) -> int:
    total = 1
    for n in shape:
        total *= n
    return total
