"""Results of blocks in; their sum or mean over all rows, or over the rows of each group, out. Sums are pairwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Exit, error
from .lane import Outs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..data.block import Block
    from ..data.plan import OnError
    from .blocks import Blocks

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


class Reduction:
    """The results of all rows of `blocks` taken together as `how` says, over groups where the columns at `places` make them."""

    __slots__ = ("_sums", "blocks", "firsts", "how", "left_out", "on_error", "places")

    def __init__(self, blocks: Blocks, how: str, places: Sequence[int], on_error: OnError) -> None:
        self.blocks, self.how, self.places, self.on_error = blocks, how, places, on_error
        self._sums: Sums | None = None
        self.firsts: dict[Key, str] = {}
        self.left_out = 0

    @property
    def sums(self) -> Sums:
        """The sums of the columns, which the first rows tell."""
        self._sums = self._sums or Sums(self.blocks.names)
        return self._sums

    def read(self, rows: Iterable[Block], told: Callable[[int], None]) -> None:
        """Take all rows; `told` hears of how many there are by then."""
        for block, results in self.blocks(self._whole(rows)):
            keys = list(zip(*[block.texts(place) for place in self.places], strict=True)) if self.places else None
            if keys:
                self._remember(block, keys)
            self.sums.add(results, block.count, keys)
            told(self.blocks.count)
        if self._sums is None or not self._sums.groups:
            raise error("no-rows", f"there are no rows, and so no {self.how}", exit=Exit.DATA)

    def _remember(self, block: Block, keys: Sequence[Key]) -> None:
        """Keep the text of the row that a group begins with, where rows are objects: the cells of these have types."""
        fresh = set(keys).difference(self.sums.groups)
        lines = block.lines(("json", "")) if fresh else None
        if lines is not None:
            firsts = {key: row for row, key in reversed([*enumerate(keys)]) if key in fresh}
            self.firsts |= {key: lines[row] for key, row in sorted(firsts.items(), key=lambda first: first[1])}

    def _whole(self, rows: Iterable[Block]) -> Iterator[Block]:
        """Rows without missing cells; one with them is a bad row."""
        import numpy as np

        for block in rows:
            if block.missing is None:
                yield block
                continue
            gone = np.flatnonzero(block.missing)
            lack = self._lack(block, int(gone[0]))
            if self.on_error == "fail":
                raise lack
            self.blocks.first = self.blocks.first or lack
            self.left_out += len(gone)
            left = block.take(np.flatnonzero(~block.missing))
            if left.count:
                yield left

    def _lack(self, block: Block, row: int) -> AutodiffError:
        name = next((name for name, gap in block.gaps.items() if gap[row]), "a cell")
        message = f"`{name}` is missing in a row, and a {self.how} needs every cell ({block.place(row)})"
        return error("missing-cell", message, hint="`--on-error skip` leaves such rows out", exit=Exit.DATA)

    def keys(self) -> list[Key]:
        """The cells that make each group, in the order in which they came."""
        return list(self.sums.groups)

    def columns(self, *, nested: bool = False) -> dict[str, Array]:
        """An array for each column of the results, with an entry (if nested, an array) for each group."""
        import numpy as np

        outs = Outs(self.blocks.task, ())
        found = self._reduced(outs)
        if nested:
            return {name: outs.whole(k, rows) for k, (name, rows) in enumerate(zip(self.blocks.task.fn.names, found, strict=True))}
        return dict(zip(outs.names, np.concatenate(found), strict=True))

    def results(self) -> list[Any]:
        """The results of the one group, each in its own shape."""
        return [column[0] if column.ndim > 1 else float(column[0]) for column in self.columns(nested=True).values()]

    def _reduced(self, outs: Outs) -> list[Array]:
        """For each result a row for each of its columns, with an entry for each group."""
        import numpy as np

        task = self.blocks.task
        reduced = self.sums.mean() if self.how == "mean" else self.sums.total()
        found = []
        with np.errstate(all="ignore"):
            for k, path in enumerate(task.paths):
                elastic = path[0] == "elasticity"  # x f'/f of what was reduced, not what is made of that of every row
                like = task.paths.index(("gradient", path[1])) if elastic else k
                rows = reduced[outs.start(like) : outs.start(like + 1)]
                found.append(np.ravel(self.blocks.values.get(str(path[-1]), 0.0))[:, None] * rows / reduced[0] if elastic else rows)
        return found


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
