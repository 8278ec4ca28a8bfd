"""Rows whose cells have several shapes in; one loss over all of them, with a function for each shape, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .loss import Loss, RowsLoss, one_after_another

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..graph import Fn

    Array = Any


class Group(NamedTuple):
    """Rows of one shape: the function, their columns, and their places among all rows."""

    fn: Fn
    columns: Mapping[str, Array]
    places: Array


class OneShape(RowsLoss):
    """The sum over rows of one shape, for parameters that it shares; batches of any size are made of few sizes."""

    def __init__(self, group: Group, wrt: Sequence[str], values: Mapping[str, Any], x: Array, direction: Array) -> None:
        super().__init__(group.fn, wrt, values, group.columns, how="sum", x=x, direction=direction)
        self.places = group.places

    def pieces(self, count: int) -> Iterator[tuple[int, int]]:
        """Powers of two, since each size is made ready by itself."""
        if count == self.count:
            yield from super().pieces(count)
            return
        start = 0
        while start < count:
            size = 1 << ((count - start).bit_length() - 1)
            yield start, size
            start += size


class ShapesLoss(Loss):
    """The mean or the sum over the rows of all groups."""

    def __init__(
        self, groups: Sequence[Group], wrt: Sequence[str], values: Mapping[str, Any], *, how: str = "mean", batch: int | None = None,
        seed: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(groups[0].fn, wrt, values)
        self.parts_of = [OneShape(group, wrt, values, self.x, self.direction) for group in groups]
        self.count = sum(part.count for part in self.parts_of)
        self.how, self.size = how, min(batch or self.count, self.count)
        self.home = np.zeros((2, self.count), np.intp)  # of each row: its group, and its place there
        for k, part in enumerate(self.parts_of):
            self.home[:, part.places] = np.stack([np.full(part.count, k), np.arange(part.count)])
        self.order = one_after_another(self.count, self.size, seed)

    @property
    def batches(self) -> int:
        return -(-self.count // self.size)

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts_of)

    def whole(self) -> tuple[float, Array]:
        return self._added([part.whole() for part in self.parts_of], self.count)

    def batch(self) -> tuple[float, Array]:
        if self.size == self.count:
            return self.whole()
        of, where = self.home[:, next(self.order)]
        return self._added([part.over(where[of == k]) for k, part in enumerate(self.parts_of) if (of == k).any()], len(of))

    def products(self) -> Array:
        self.sweeps += 1
        total = sum(part.products() for part in self.parts_of)
        return total / self.count if self.how == "mean" else total

    def _added(self, found: Sequence[tuple[float, Array]], count: int) -> tuple[float, Array]:
        self.sweeps += 1
        self.largest = max((part.largest for part in self.parts_of), key=lambda fn: len(fn.nodes))
        many = count if self.how == "mean" else 1
        self.gradient[:] = sum(slope for _, slope in found) / many
        return sum(value for value, _ in found) / many, self.gradient

    def fault(self) -> tuple[Fn, dict[str, Any]]:
        for part in self.parts_of:
            part.bad = self.bad
            fn, values = part.fault()
            if values.keys() >= part.columns.keys():
                self.row = None if part.row is None else int(part.places[part.row])
                return fn, values
        return super().fault()
