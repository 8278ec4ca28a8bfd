"""A table for people in Markdown, a line a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..report import Report
    from . import View


def markdown(report: Report, view: View) -> str:
    """Single results as a table of names and numbers, then the table of variables."""
    if report.text is not None:
        return f"```\n{report.text.rstrip()}\n```\n"
    single, header, lines = sheet(report, view.show)
    tables = [_table([name for name, _ in single], [[value for _, value in single]])] if single else []
    return "\n".join([*tables, *([_table(header, lines)] if header else [])])


def _table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---:" if _numeric([line[k] for line in lines]) else "---" for k in range(len(header))]
    return "".join(["| " + " | ".join([_escaped(cell) for cell in row]) + " |\n" for row in [header, rule, *lines]])


def _numeric(cells: Sequence[str]) -> bool:
    return all(cell[-1:].isdigit() or cell in ("NaN", "inf", "-inf") for cell in cells)


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("\n", "")
