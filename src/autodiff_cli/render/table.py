"""A table for people, drawn by Rich: single results first, then a line a variable; never cut to fit a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import numeric, sheet
from .message import wide

if TYPE_CHECKING:
    from rich.table import Table

    from ..report import Report
    from . import View

NO_LIMIT = 100_000
TEXTS = ("variable", "name", "function", "doc", "meaning", "aliases")


def table(report: Report, view: View) -> str:
    """The report as people read it."""
    if report.text is not None:
        return report.text.rstrip("\n") + "\n"
    single, header, lines = sheet(report, view.show)
    whole = view._replace(width=0)  # a number is never broken: on a terminal too narrow for it, its line is
    parts = [draw(_single(single), whole)] if single else []
    if header:
        narrow = report.command != "functions" and 0 < view.width < _width(header, lines)
        drawn = _stacked(header, lines) if narrow else _many(header, lines, texts=report.listing is not None)
        parts.append(draw(drawn, whole if narrow else view))
    return "\n".join(parts)


def _width(header: list[str], lines: list[list[str]]) -> int:
    """The columns of the terminal that the table takes: its widest cells, and two between them."""
    cells = [[wide(part) for row in (header, *lines) for part in row[k].split("\n")] for k in range(len(header))]
    return sum(map(max, cells)) + 3 * len(header) - 3


def _stacked(header: list[str], lines: list[list[str]]) -> Table:
    """For a narrow terminal: a line a cell, under the first cell of its row."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, *cells in lines:
        drawn.add_row(Text(name, "bold"))
        for title, cell in zip(header[1:], cells, strict=True):
            drawn.add_row(Text(f"  {title}"), Text(cell))
    return drawn


def _single(results: list[tuple[str, str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in results:
        drawn.add_row(Text(name, "bold"), Text(value, "bold cyan"))
    return drawn


def _many(header: list[str], lines: list[list[str]], *, texts: bool) -> Table:
    """With `texts`, a column that is not all numbers stands to the left, as those of words always do."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for k, title in enumerate(header):
        left = title in TEXTS or texts and not all(numeric(line[k]) for line in lines)
        drawn.add_column(Text(title), justify="left" if left else "right", overflow="fold")
    for line in lines:
        drawn.add_row(*[Text(cell) for cell in line])
    return drawn


def draw(drawn: Table, view: View) -> str:
    """The text of a table of Rich, lines without blanks at their ends."""
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    console = Console(
        file=out, width=view.width or NO_LIMIT, force_terminal=view.color, color_system="standard" if view.color else None,
        no_color=not view.color, legacy_windows=False, _environ={},
    )  # fmt: skip
    console.print(drawn)
    return "".join([line.rstrip() + "\n" for line in out.getvalue().splitlines()])
