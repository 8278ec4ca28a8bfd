"""Files in; whole columns as NumPy arrays out, and the types of those that are no single numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Exit, error
from ..types import BOOL, Type

if TYPE_CHECKING:
    from collections.abc import Sequence


def columns(sources: Sequence[str], used: Sequence[str]) -> tuple[dict[str, Any], dict[str, Type]]:
    """Every row of the used columns; a cell that is missing is an error."""
    import sys

    import numpy as np

    from ..data.open import open_rows

    rows = open_rows(sources, used=used, stdin=getattr(sys.stdin, "buffer", sys.stdin))
    blocks = []
    for block in rows:
        if block.missing is not None:
            row = int(np.flatnonzero(block.missing)[0])
            name = next((name for name, gap in block.gaps.items() if gap[row]), used[0])
            raise error("missing-cell", f"{block.place(row)}: `{name}` is missing, and a loss needs every cell", exit=Exit.DATA)
        blocks.append(block.values)
    if not blocks or not sum(len(block[used[0]]) for block in blocks):
        raise error("empty", f"`{sources[0]}` has no rows", exit=Exit.DATA)
    found = {name: np.concatenate([block[name] for block in blocks]) for name in used}
    return found, {name: _type(column) for name, column in found.items() if column.dtype == bool or column.ndim > 1}


def _type(column: Any) -> Type:
    return BOOL if column.ndim == 1 else Type("bool" if column.dtype == bool else "real", column.shape[1:])
