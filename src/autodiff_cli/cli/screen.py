"""Blocks of rows with their results in; aligned lines on the terminal as they come, or a listing of all rows at the end, out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..render.rows import Aligned, collected, exact, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..data.block import Block
    from ..render import View
    from ..report import Report


class Screen:
    """A writer of rows for people who watch."""

    __slots__ = ("aligned", "names", "theirs", "view")

    def __init__(self, columns: Sequence[str], names: Sequence[str], view: View) -> None:
        self.names, self.view, self.theirs = names, view, bool(columns)
        self.aligned = Aligned([*columns, *names])

    def write(self, block: Block, results: Mapping[str, Any]) -> None:
        """The lines of a block, at once."""
        sys.stdout.writelines(self.aligned.lines(shown(block, self.names, results, self.view, theirs=self.theirs)))
        sys.stdout.flush()

    def close(self) -> None:
        """Without rows, the titles alone."""
        if not self.aligned.widths:
            sys.stdout.writelines(self.aligned.lines([[] for _ in self.aligned.titles]))
            sys.stdout.flush()

    def abort(self) -> None:
        """What is written is written."""


class Collected:
    """A writer that keeps all rows."""

    __slots__ = ("cells", "lines", "names", "theirs", "titles", "view")

    def __init__(self, columns: Sequence[str], names: Sequence[str], view: View) -> None:
        self.names, self.view, self.theirs = names, view, bool(columns)
        self.titles = [*columns, *names]
        self.cells: list[tuple[Any, ...]] = []
        self.lines: list[tuple[str, ...]] = []

    def write(self, block: Block, results: Mapping[str, Any]) -> None:
        """Keep the rows of a block."""
        self.cells += zip(*exact(block, self.names, results, theirs=self.theirs), strict=True)
        self.lines += zip(*shown(block, self.names, results, self.view, theirs=self.theirs), strict=True)

    def close(self) -> None:
        """All is kept."""

    def abort(self) -> None:
        """Nothing is written."""

    def report(self, command: str) -> Report:
        """What there is to show."""
        return collected(command, self.titles, self.cells, self.lines)
