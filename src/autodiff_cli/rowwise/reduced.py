"""Results of blocks in; their sum or mean over all rows, or over the rows of each group, out. Sums are pairwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Array = Any
    Key = tuple[str, ...]


class Sums:
    """Sums of columns for every group, made of the sums of blocks in pairs: those of 1, 2, 4, … blocks wait for their like."""

    __slots__ = ("counts", "groups", "names", "waiting")

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.groups: dict[Key, int] = {}
        self.waiting: list[Array | None] = []
        self.counts: Array = None

    def add(self, results: Mapping[str, Array], count: int, keys: Sequence[Key] | None = None) -> None:
        """The results of `count` rows; `keys` are the groups they belong to, one and the same if None."""
        import numpy as np

        if not count:
            return
        known = self.groups
        codes = None if keys is None else np.array([known.setdefault(key, len(known)) for key in keys])
        if codes is None:
            known.setdefault((), 0)
        size = len(known)
        counts = np.array([count]) if codes is None else np.bincount(codes, minlength=size)
        self.counts = counts if self.counts is None else _padded(self.counts, size) + counts
        with np.errstate(all="ignore"):
            self._carry(np.array([_sums(results[name], count, codes, size) for name in self.names]))

    def _carry(self, sums: Array) -> None:
        for level, waits in enumerate(self.waiting):
            if waits is None:
                self.waiting[level] = sums
                return
            sums = _padded(waits, sums.shape[-1]) + sums
            self.waiting[level] = None
        self.waiting.append(sums)

    def total(self) -> Array:
        """A row for each name, an entry for each group."""
        import numpy as np

        size = len(self.groups)
        total = np.zeros((len(self.names), size))
        with np.errstate(all="ignore"):
            for waits in self.waiting:
                if waits is not None:
                    total = _padded(waits, size) + total
        return total

    def mean(self) -> Array:
        """The same, divided by how many rows there were."""
        return self.total() / self.counts


def _sums(result: Array, count: int, codes: Array | None, size: int) -> Array:
    """The sum of one column over each group of a block."""
    import numpy as np

    if codes is None:
        return np.array([result.sum(dtype=float) if np.ndim(result) else float(result) * count])
    if not np.ndim(result):
        return float(result) * np.bincount(codes, minlength=size)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sums = np.zeros(size)
    sums[codes[order][starts]] = np.add.reduceat(np.ascontiguousarray(result[order], dtype=float), starts)
    return sums


def _padded(sums: Array, size: int) -> Array:
    import numpy as np

    lack = size - sums.shape[-1]
    return sums if not lack else np.concatenate([sums, np.zeros((*sums.shape[:-1], lack), sums.dtype)], axis=-1)
