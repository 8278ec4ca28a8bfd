"""Columns of rows and the cells that groups have in them in; the groups as rows that can be written, a block of one row each, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .block import Block
from .columnar import FramePayload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .open import Rows
    from .sweep import Sweep


class Groups:
    """Rows that consist of the columns that make the groups, written as the rows they were made of."""

    __slots__ = ("columns", "delimiter", "format", "latin", "places", "sources")

    def __init__(self, rows: Rows | Sweep, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.places: dict[str, int] = {}
        self.format, self.delimiter, self.latin = rows.format, rows.delimiter, rows.latin
        self.sources: list[Any] = rows.sources

    def block(self, keys: Sequence[tuple[str, ...]]) -> Block:
        """A row for each group."""
        import polars as pl

        frame = pl.DataFrame([pl.Series(str(at), [key[at] for key in keys], pl.String) for at in range(len(self.columns))])
        payload = FramePayload("groups", 0, frame)
        payload.latin = self.latin
        return Block(len(keys), {}, {}, payload)
