"""Axes of values in; the rows of their product out, made on the spot, the last axis turning fastest."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from .columnar import ROWS, blocks_of
from .plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from .block import Block


class Sweep:
    """Rows like those of `open_rows`, out of `NAME=VALUES` axes."""

    shapeless = False
    __slots__ = ("axes", "bad", "columns", "delimiter", "first", "format", "headed", "kinds", "latin", "notes", "places", "sources")

    def __init__(self, axes: Mapping[str, Sequence[float]]) -> None:
        self.axes = {name: tuple(values) for name, values in axes.items()}
        self.columns = tuple(axes)
        self.places = {name: at for at, name in enumerate(self.columns)}
        self.kinds = dict.fromkeys(self.columns, "real")
        self.format, self.delimiter = "csv", ","
        self.headed, self.latin = True, False
        self.bad, self.first = 0, None
        self.notes: list[Any] = []
        self.sources: list[Any] = []

    def __iter__(self) -> Iterator[Block]:
        return blocks_of(self._frames(), "sweep", self.places, Plan(self.columns))

    def _frames(self) -> Iterator[pl.DataFrame]:
        import numpy as np
        import polars as pl

        sizes = [len(values) for values in self.axes.values()]
        total = prod(sizes)
        arrays = [np.array(values, float) for values in self.axes.values()]
        for start in range(0, total, ROWS):
            at = np.unravel_index(np.arange(start, min(start + ROWS, total)), sizes)
            yield pl.DataFrame({name: array[i] for name, array, i in zip(self.columns, arrays, at, strict=True)})

    def close(self) -> None:
        """There is nothing to close."""
