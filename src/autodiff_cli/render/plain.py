"""Results only: the numbers of a point on one line with blanks between, or a text as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import flat, machine

if TYPE_CHECKING:
    from ..report import Report
    from . import View


def plain(report: Report, _view: View) -> str:
    """One line a row; a text ends with one newline."""
    if report.text is not None:
        return report.text.rstrip("\n") + "\n"
    return "".join(" ".join([cell if isinstance(cell, str) else machine(cell) for cell in row]) + "\n" for row in flat(report)[1])
