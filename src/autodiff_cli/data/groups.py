"""Columns of rows and the cells that groups have in them in; the groups as rows that can be written, a block of one row each, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .block import Block
from .columnar import FramePayload
from .jsonvalues import as_json, parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from .block import Style
    from .open import Rows
    from .sweep import Sweep


class GroupsPayload(FramePayload):
    """The cells of groups, as objects too where they came from such: there a number, a truth value or null stays what it is."""

    __slots__ = ("objects",)

    objects: Sequence[str]

    def lines(self, style: Style) -> pl.Series | None:
        import polars as pl

        return pl.Series(self.objects, dtype=pl.String) if self.objects and style[0] == "json" else None


class Groups:
    """Rows that consist of the columns that make the groups, written as the rows they were made of."""

    __slots__ = ("columns", "delimiter", "format", "latin", "places", "sources")

    def __init__(self, rows: Rows | Sweep, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.places: dict[str, int] = {}
        self.format, self.delimiter, self.latin = rows.format, rows.delimiter, rows.latin
        self.sources: list[Any] = rows.sources

    def block(self, keys: Sequence[tuple[str, ...]], firsts: Sequence[str]) -> Block:
        """A row for each group; `firsts` are the objects that the groups begin with, where rows are objects."""
        import polars as pl

        frame = pl.DataFrame([pl.Series(str(at), [key[at] for key in keys], pl.String) for at in range(len(self.columns))])
        payload = GroupsPayload("groups", 0, frame)
        payload.objects = [self._own(text) for text in firsts]
        payload.latin = self.latin
        return Block(len(keys), {}, {}, payload)

    def _own(self, text: str) -> str:
        found, _ = parsed(text, exact=True)
        return as_json({column: found.get(column) for column in self.columns})
