"""Rows with the value and derivatives that another program found in; how far each column is from the exact ones, and where it is worst, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..constants import Digits
from ..derive import gradient
from ..diagnostics import Diagnostic
from ..report import Listing, Report, machine, people
from .entry import entry
from .exact import ROUNDINGS, SLACK, truth, ulps
from .literals import literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..graph import Fn

COLUMNS = ("variable", "theirs", "exact", "error", "digits", "verdict", "row")
SHOWN = 20
OTHERS = 16  # how much more another way to compute may be off than our own


class Row(NamedTuple):
    """Where a row is, the function and what it is differentiated by, all values, and the cells of the other program by their columns.

    A cell is its text, or an array of texts; one that is empty is not there.
    """

    place: str
    fn: Fn
    wrt: Sequence[str]
    point: Mapping[str, Any]
    cells: Mapping[str, Any]


class Cell(NamedTuple):
    """One number of the other program: how many decimal digits are right, and whether rounding explains the rest."""

    column: str
    row: str
    theirs: str
    exact: Any
    error: float
    digits: float
    passed: bool


def compared(rows: Iterable[Row]) -> Iterator[Cell]:
    """Every cell of the columns `value` and `d_x` that holds something."""
    derivatives: dict[tuple[int, tuple[str, ...]], Fn] = {}
    for row in rows:
        key = (id(row.fn), tuple(row.wrt))
        if key not in derivatives:
            derivatives[key] = gradient(literal(row.fn), row.wrt)
        exact = truth(derivatives[key], row.point)
        for column, (k, j), text in _numbers(row):
            yield _cell(column, row.place, text, entry(exact.results[k], j), exact.growth[k][j])


def _numbers(row: Row) -> Iterator[tuple[str, tuple[int, int], str]]:
    """The name of each number, which result it is and which entry of that, and its text."""
    every = named(row.fn, row.wrt)
    whole = {name: k for k, name in enumerate(["value", *["d_" + name for name in row.wrt]])}
    place = {name: (k, j) for k, each in enumerate(every) for j, name in enumerate(each)}
    for column, cell in row.cells.items():
        if hasattr(cell, "flat") and column in whole and cell.size == len(every[whole[column]]):
            for j, text in enumerate(cell.flat):
                yield every[whole[column]][j], (whole[column], j), text
        elif column in place and not hasattr(cell, "flat"):
            yield column, place[column], cell


def named(fn: Fn, wrt: Sequence[str]) -> list[list[str]]:
    """The columns of the value and of each derivative: `value`, `d_x`, and for the entries of an array `d_v_0`, `d_v_1`, …"""
    from itertools import product

    shapes = dict(fn.params)
    places = [("d_" + name, shapes[name].shape) for name in wrt]
    return [["value"], *[["_".join([start, *map(str, at)]) for at in product(*map(range, shape))] for start, shape in places]]


def _cell(column: str, row: str, text: str, exact: Any, growth: Any) -> Cell:
    from mpmath import mp

    theirs = float(text)
    if theirs - theirs != 0 or not mp.isfinite(exact):
        near = float(exact)
        same = theirs == near or (theirs != theirs and near != near)
        return Cell(column, row, text, exact, 0.0 if same else float("inf"), 16.0 if same else 0.0, same)
    distance = abs(mp.mpf(text) - exact)
    grown = growth if growth == growth else mp.zero
    bound = OTHERS * (SLACK * grown + ROUNDINGS * abs(exact)) * mp.mpf(2) ** -53 + _rounded(text) + mp.mpf(2) ** -1070
    digits = 16.0 if not distance else float(min(mp.mpf(16), -mp.log10(distance / abs(exact)))) if exact else 0.0
    return Cell(column, row, text, exact, ulps(theirs, exact), max(0.0, digits), bool(distance <= bound))


def _rounded(text: str) -> Any:
    """Half a unit of the last digit that was written."""
    from mpmath import mp

    mantissa, _, exponent = text.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    return mp.mpf(10) ** (int(exponent or 0) - places) / 2 if places or exponent else mp.zero


def report(cells: Iterable[Cell]) -> Report:
    """Each column by its worst cell, and which of all is the worst; it fails too if there is none."""
    worst: dict[str, Cell] = {}
    failed = count = 0
    for cell in cells:
        count, failed = count + 1, failed + (not cell.passed)
        known = worst.get(cell.column)
        if known is None or (not cell.passed, cell.error) > (not known.passed, known.error):
            worst[cell.column] = cell
    every = list(worst.values())
    passed = bool(count) and not failed
    document = {"passed": passed, "checks": [_document(cell) for cell in every]}
    return Report("check", listing=_listing(every), document=document, notes=tuple(_notes(every, failed, count)), passed=passed)


def _document(cell: Cell) -> dict[str, Any]:
    return {
        "variable": cell.column, "theirs": float(cell.theirs), "exact": _exact(cell), "error": cell.error, "digits": round(cell.digits, 1),
        "verdict": _verdict(cell), "row": cell.row,
    }  # fmt: skip


def _exact(cell: Cell) -> Digits:
    from mpmath import mp

    return Digits(mp.nstr(cell.exact, SHOWN))


def _verdict(cell: Cell) -> str:
    return "pass" if cell.passed else "fail"


def _listing(every: Sequence[Cell]) -> Listing:
    rows = [
        (c.column, c.theirs, machine(_exact(c)), machine(c.error), machine(c.digits, ".1f"), _verdict(c), c.row) for c in every
    ]  # fmt: skip
    lines = [
        (c.column, c.theirs, people(float(c.exact), 17), people(c.error, 3), machine(c.digits, ".1f"), _verdict(c), c.row) for c in every
    ]  # fmt: skip
    return Listing(COLUMNS, rows, ("variable", "theirs", "exact", "error (ulp)", "digits", "verdict", "worst row"), lines)


def _notes(every: Sequence[Cell], failed: int, count: int) -> Iterator[Diagnostic]:
    if not count:
        yield Diagnostic("not-checked", "no row has anything to compare", severity="warning")
    if failed:
        worst = max(every, key=lambda c: (not c.passed, -c.digits, c.error))
        message = f"{failed:,} of {count:,} numbers are wrong: the worst is `{worst.column}` in {worst.row}, which is {worst.theirs}"
        right = int(worst.digits)
        note = f"with 50 digits it is {people(_exact(worst), SHOWN)}: {right or 'no'} digit{'' if right == 1 else 's'} of it {'is' if right == 1 else 'are'} right"
        yield Diagnostic("check-failed", message, notes=(note,), severity="warning")
