"""Opened rows in; whole columns as NumPy arrays out, without the rows in which a cell is missing where these may be left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError, Exit, error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..data.block import Block
    from ..data.open import Rows
    from ..data.sweep import Sweep


class Columns(NamedTuple):
    """Values by name; how many rows were left out, and what was wrong with the first of them; where each row came from."""

    values: dict[str, Any]
    left_out: int
    first: AutodiffError | None
    place: Callable[[int], Any]


def columns(rows: Rows | Sweep, used: Sequence[str], on_error: str) -> Columns:
    """Every row of the used columns, in memory."""
    import numpy as np

    from ..data.ragged import joined

    blocks, left_out, first = [], 0, None
    for block in rows:
        if block.missing is None:
            blocks.append(block)
            continue
        lack = _missing(block, used)
        if on_error == "fail":
            raise lack
        first, left_out = first or lack, left_out + int(np.count_nonzero(block.missing))
        blocks.append(block.take(np.flatnonzero(~block.missing)))
    if not sum(block.count for block in blocks):
        raise error("no-rows", "there are no rows, and a loss over rows needs one", exit=Exit.DATA)
    return Columns({name: joined([block.values[name] for block in blocks]) for name in used}, left_out, first, _places(blocks))


def _places(blocks: Sequence[Block]) -> Callable[[int], Any]:
    """Where a row of blocks, one below the other, came from."""

    def place(row: int) -> Any:
        for block in blocks:
            if row < block.count:
                return block.place(row)
            row -= block.count
        raise IndexError(row)

    return place


def _missing(block: Block, used: Sequence[str]) -> AutodiffError:
    row = int(block.missing.argmax())  # type: ignore[union-attr]  # looked at before
    name = next((name for name, gap in block.gaps.items() if gap[row]), used[0])
    hint = "`--on-error skip` leaves such rows out"
    return error("missing-cell", f"{block.place(row)}: `{name}` is missing, and a loss needs every cell", hint=hint, exit=Exit.DATA)
