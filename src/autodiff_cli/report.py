"""What a command found, independent of how it is shown: results in, three plain views of them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .diagnostics import Diagnostic

    Show = Callable[["Value"], str]

Value = Any  # a float, a bool, or an array of NumPy
WIDEST, TALLEST, FEW = 60, 8, 4
COLUMNS = {"gradient": "derivative", "derivatives": "derivative", "parameters": "value"}


class Entry(NamedTuple):
    """One number or array: its name in flat formats, its place in JSON, and its value."""

    name: str
    path: tuple[str | int, ...]
    value: Value


class Naming(NamedTuple):
    """What results are called in flat formats: the value, and what the names of derivatives begin with."""

    value: str = "value"
    prefix: str = "d_"

    def of(self, path: Sequence[str | int]) -> str:
        """The name of the result at a path of the JSON object."""
        group, *rest = path
        if group == "gradient":
            return f"{self.prefix}{rest[0]}"
        if group == "derivatives":
            return f"{self._of_order(int(rest[1]) + 1)}{rest[0]}"
        if group == "elasticity":
            return f"e{self.prefix.removeprefix('d') if self.prefix.startswith('d') else '_' + self.prefix}{rest[0]}"
        return self.value if group == "value" else "_".join(map(str, path))

    def _of_order(self, order: int) -> str:
        """`d_`, `d2_`, `d3_`, …"""
        if order == 1:
            return self.prefix
        stem = self.prefix.rstrip("_")
        return f"{stem}{order}{self.prefix[len(stem) :]}"


class Listing(NamedTuple):
    """A table of texts: one for machines, and a shorter one for people."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    titles: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]


class Report(NamedTuple):
    """A point has `entries` and `point`; a listing `listing`; a text `text`. `document` is the JSON, where entries do not say it.

    `passed` is false where the answer is no; `stats` is the line for `--stats`; `written` says that rows were written as they came.
    """

    command: str
    entries: tuple[Entry, ...] = ()
    point: Mapping[str, Value] = {}
    text: str | None = None
    listing: Listing | None = None
    document: Any = None
    notes: tuple[Diagnostic, ...] = ()
    passed: bool = True
    stats: str | None = None
    written: bool = False


def finite(report: Report) -> bool:
    """Whether every number of the report is finite."""
    return all(all_finite(entry.value) for entry in report.entries)


def all_finite(value: Value) -> bool:
    """Whether a number, or every entry of an array, is finite."""
    if not hasattr(value, "shape"):
        return bool(abs(value) < float("inf"))
    import numpy as np

    return bool(np.isfinite(value).all())


def flat(report: Report) -> tuple[list[str], list[list[Value | str]]]:
    """The header and the rows of the formats that have columns."""
    if report.listing is not None:
        return list(report.listing.columns), [list(row) for row in report.listing.rows]
    cells = [cell for entry in report.entries for cell in spread(entry.name, entry.value)]
    return [name for name, _ in cells], [[value for _, value in cells]]


def spread(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """A number by its name; the entries of an array as `d_W_0_1`."""
    shape = getattr(value, "shape", None)
    if shape is None:
        yield name, value
        return
    from itertools import product

    yield from zip(["_".join([name, *map(str, place)]) for place in product(*map(range, shape))], value.ravel().tolist(), strict=True)


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


def sheet(report: Report, show: Show) -> tuple[list[tuple[str, str]], list[str], list[list[str]]]:
    """What people see: single results, then the header and the lines of a table, one line a variable; `show` writes a value."""
    if report.listing is not None:
        return [], list(report.listing.titles), [list(line) for line in report.listing.lines]
    single = [(entry.name, _said(entry.value, show)) for entry in report.entries if len(entry.path) == 1]
    return single, *_lines(report, show)


def _lines(report: Report, show: Show) -> tuple[list[str], list[list[str]]]:
    titles: dict[str, None] = {}
    cells: dict[tuple[str | int, ...], dict[str, str]] = {}
    for key, title, value in _cells(report):
        titles[title] = None
        cells.setdefault(key, {})[title] = show(value)
    orders = ["order"] if any(len(key) > 1 for key in cells) else []
    header = ["variable", "at", *orders, *titles] if cells else []
    return header, [
        [str(key[0]), _at(report, key[0], show), *map(str, key[1:]), *[row.get(title, "") for title in titles]]
        for key, row in cells.items()
    ]


def _cells(report: Report) -> Iterator[tuple[tuple[str | int, ...], str, Value]]:
    for entry in report.entries:
        if len(entry.path) > 1:
            order = [k + 1 for k in entry.path[2:] if isinstance(k, int)]
            yield (entry.path[1], *order), COLUMNS.get(str(entry.path[0]), str(entry.path[0])), entry.value


def _at(report: Report, name: str | int, show: Show) -> str:
    value = report.point.get(str(name))
    return "" if value is None else _said(value, show)


def _said(value: Value, show: Show) -> str:
    return str(value).lower() if isinstance(value, bool) else show(value)


def shown(value: Value, digits: int) -> str:
    """A value on one line for people: `true` and `false` for conditions, brackets round arrays."""
    return str(value).lower() if isinstance(value, bool) else people(value, digits).replace("\n", "")


def people(value: Value, digits: int) -> str:
    """A number for people: `digits` significant digits, no trailing zeros, 0 for -0.0; an array as its rows."""
    if hasattr(value, "shape"):
        return _array(value, digits)
    if type(value) is int:
        return str(value)
    return machine(float(value), f".{digits}g") if value else "0"


def _array(value: Value, digits: int) -> str:
    """A small vector or matrix written out, columns aligned; a larger array as its shape and its first and last entries."""
    if len(value.shape) <= 2 and 0 < value.size <= WIDEST:
        rows = [[people(x, digits) for x in row] for row in (value if len(value.shape) == 2 else value[None]).tolist()]
        width = max(len(text) for row in rows for text in row)
        lines = ["[" + ", ".join([text.rjust(width if len(rows) > 1 else 0) for text in row]) + "]" for row in rows]
        if len(lines) <= TALLEST and len(lines[0]) <= WIDEST:
            return lines[0] if len(value.shape) == 1 else "[" + ",\n ".join(lines) + "]"
    entries = [people(x, min(digits, 6)) for x in (*value.flat[: FEW - 1].tolist(), *value.flat[-1:].tolist())]
    middle = ", ".join([*entries[:-1], "…", *entries[-1:]] if value.size > FEW else [people(x, digits) for x in value.flat[:].tolist()])
    return f"{' x '.join(map(str, value.shape))} numbers: {middle}" if value.size else f"{' x '.join(map(str, value.shape))} numbers"


def machine(value: Value, form: str = "r") -> str:
    """The shortest digits that read back the same float64; `NaN`, `inf` and `-inf` for the others."""
    if type(value) is int:
        return str(value)
    number = float(value)
    if number != number:
        return "NaN"
    return repr(number) if form == "r" else format(number, form)


def numeric(cell: str) -> bool:
    """Whether a cell for people is a number, or nothing."""
    return (
        not cell or cell[-1:].isdigit() and (cell[0].isdigit() or cell[0] in "-+.") or cell in {"NaN", "inf", "-inf", "NA", "nan", "null"}
    )
