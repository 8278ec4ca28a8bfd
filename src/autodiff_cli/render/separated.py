"""A header and rows with a separator: csv, tsv and space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import Value, flat, machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..report import Report
    from . import View


def csv(report: Report, _view: View) -> str:
    """Comma-separated, with quotes only where they are needed."""
    return _separated(report, ",")


def tsv(report: Report, _view: View) -> str:
    """Tab-separated, with quotes only where they are needed."""
    return _separated(report, "\t")


def space(report: Report, _view: View) -> str:
    """Blanks between, with quotes only where they are needed."""
    return _separated(report, " ")


def _separated(report: Report, mark: str) -> str:
    header, rows = flat(report)
    lines: list[Sequence[Value | str]] = [header, *rows]
    return "".join([mark.join([_cell(cell, mark) for cell in row]) + "\n" for row in lines])


def _cell(cell: Value | str, mark: str) -> str:
    if not isinstance(cell, str):
        return machine(cell)
    if mark in cell or '"' in cell or "\n" in cell or "\r" in cell or not cell and mark == " ":
        return '"' + cell.replace('"', '""') + '"'
    return cell
