"""What a command found, independent of how it is shown: results in, three plain views of them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .diagnostics import Diagnostic

Value = float | bool
COLUMNS = {"gradient": "derivative", "derivatives": "derivative"}


class Entry(NamedTuple):
    """One number: its name in flat formats, its place in JSON, and the number."""

    name: str
    path: tuple[str | int, ...]
    value: Value


class Listing(NamedTuple):
    """A table of texts: one for machines, and a shorter one for people."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    titles: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]


class Report(NamedTuple):
    """A point has `entries` and `point`; a listing `listing`; a text `text`. `document` is the JSON, where entries do not say it."""

    command: str
    entries: tuple[Entry, ...] = ()
    point: Mapping[str, Value] = {}
    text: str | None = None
    listing: Listing | None = None
    document: Any = None
    notes: tuple[Diagnostic, ...] = ()


def finite(report: Report) -> bool:
    """Whether every number of the report is finite."""
    return all(abs(entry.value) < float("inf") for entry in report.entries)


def flat(report: Report) -> tuple[list[str], list[list[Value | str]]]:
    """The header and the rows of the formats that have columns."""
    if report.listing is not None:
        return list(report.listing.columns), [list(row) for row in report.listing.rows]
    return [entry.name for entry in report.entries], [[entry.value for entry in report.entries]]


def nested(report: Report) -> Any:
    """The object that JSON shows: entries by their paths, a whole number in a path counting in a list."""
    if report.document is not None:
        return report.document
    root: dict[Any, Any] = {}
    for entry in report.entries:
        _place(root, entry)
    return root


def _place(root: dict[Any, Any], entry: Entry) -> None:
    at: Any = root
    for key, below in zip(entry.path, entry.path[1:], strict=False):
        at = at.setdefault(key, [] if isinstance(below, int) else {})
    if isinstance(at, list):
        at.append(entry.value)
    else:
        at[entry.path[-1]] = entry.value


def sheet(report: Report, digits: int) -> tuple[list[tuple[str, str]], list[str], list[list[str]]]:
    """What people see: single results, then the header and the lines of a table, one line a variable."""
    if report.listing is not None:
        return [], list(report.listing.titles), [list(line) for line in report.listing.lines]
    single = [(entry.name, people(entry.value, digits)) for entry in report.entries if len(entry.path) == 1]
    return single, *_lines(report, digits)


def _lines(report: Report, digits: int) -> tuple[list[str], list[list[str]]]:
    titles: dict[str, None] = {}
    cells: dict[tuple[str | int, ...], dict[str, str]] = {}
    for key, title, value in _cells(report):
        titles[title] = None
        cells.setdefault(key, {})[title] = people(value, digits)
    orders = ["order"] if any(len(key) > 1 for key in cells) else []
    header = ["variable", "at", *orders, *titles] if cells else []
    return header, [
        [str(key[0]), _at(report, key[0], digits), *map(str, key[1:]), *[row.get(title, "") for title in titles]]
        for key, row in cells.items()
    ]


def _cells(report: Report) -> Iterator[tuple[tuple[str | int, ...], str, Value]]:
    for entry in report.entries:
        if len(entry.path) > 1:
            order = [k + 1 for k in entry.path[2:] if isinstance(k, int)]
            yield (entry.path[1], *order), COLUMNS.get(str(entry.path[0]), str(entry.path[0])), entry.value


def _at(report: Report, name: str | int, digits: int) -> str:
    value = report.point.get(str(name))
    return "" if value is None else shown(value, digits)


def shown(value: Value, digits: int) -> str:
    """A value of a variable for people: `true` and `false` for conditions."""
    return str(value).lower() if isinstance(value, bool) else people(value, digits)


def people(value: Value, digits: int) -> str:
    """A number for people: `digits` significant digits, no trailing zeros, 0 for -0.0."""
    return machine(float(value), f".{digits}g") if value else "0"


def machine(value: Value, form: str = "r") -> str:
    """The shortest digits that read back the same float64; `NaN`, `inf` and `-inf` for the others."""
    number = float(value)
    if number != number:
        return "NaN"
    return repr(number) if form == "r" else format(number, form)
