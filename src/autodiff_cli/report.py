"""What a command found, independent of how it is shown: results in, three plain views of them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .cells import entries, of_hessian, of_jacobian
from .constants import Digits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .coordinates import Coordinates
    from .diagnostics import Diagnostic

    Show = Callable[["Value"], str]

Value = Any  # a float, a bool, an array of NumPy, or None for what was not asked
WIDEST, TALLEST, FEW = 60, 8, 4
COLUMNS = {
    "gradient": "derivative",
    "derivatives": "derivative",
    "jacobian": "derivative",
    "cotangent": "derivative",
    "parameters": "value",
}
LETTERS = {"elasticity": "e", "product": "h"}  # in place of the d of `d_x`
MATRICES = {"jac": "jacobian", "hess": "hessian"}


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
        if group in ("gradient", "cotangent"):
            return f"{self.prefix}{rest[0]}"
        if group == "derivatives":
            return f"{self._of_order(int(rest[1]) + 1)}{rest[0]}"
        if group in LETTERS:
            return f"{LETTERS[str(group)]}{self.prefix.removeprefix('d') if self.prefix.startswith('d') else '_' + self.prefix}{rest[0]}"
        return self.value if group == "value" else "_".join(map(str, path))

    def of_block(self, path: Sequence[str | int], ranks: tuple[int, int]) -> str:
        """The name of a block of a Jacobian or a Hessian; `ranks` are those of what it is a derivative of, and by."""
        if path[0] == "jacobian":
            return of_jacobian(self.prefix, str(path[1]), ranks)
        return of_hessian(self._of_order(2), str(path[1]), str(path[2]), ranks)

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

    `passed` is false where the answer is no; `stats` is the line for `--stats`; `written` says that rows were written as they came. `passes` is the trace, for the formats that tell it.
    `matrix` is the one that is shown by coordinates; `effort` says what the derivatives took.
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
    passes: Any = None
    matrix: Coordinates | None = None
    effort: str | None = None


def finite(report: Report) -> bool:
    """Whether every number of the report is finite."""
    matrix = [] if report.matrix is None else [report.matrix.values]
    return all(all_finite(value) for value in [*[entry.value for entry in report.entries], *matrix])


def all_finite(value: Value) -> bool:
    """Whether a number, or every entry of an array, is finite."""
    if value is None:
        return True
    if type(value) is Digits:
        return value.text[-1].isdigit()
    if getattr(getattr(value, "dtype", None), "kind", "") == "O":
        return all(map(all_finite, value.flat))
    if not hasattr(value, "shape"):
        return bool(abs(value) < float("inf"))
    import numpy as np

    return bool(np.isfinite(value).all())


def flat(report: Report) -> tuple[list[str], list[list[Value | str]]]:
    """The header and the rows of the formats that have columns."""
    if report.listing is not None:
        return list(report.listing.columns), [list(row) for row in report.listing.rows]
    if report.matrix is not None:
        return ["row", "column", "value"], report.matrix.lines()
    cells = [cell for entry in report.entries for cell in spread(entry.name, entry.value)]
    return [name for name, _ in cells], [[float("nan") if value is None else value for _, value in cells]]


def spread(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """A number by its name; the entries of an array as `d_W_0_1`."""
    shape = getattr(value, "shape", None)
    if shape is None:
        yield name, value
        return
    flat = value.ravel().tolist()
    for cell, k in entries(name, shape):
        yield cell, flat[k]


def nested(report: Report) -> Any:
    """The object that JSON shows: entries by their paths, a whole number in a path counting in a list."""
    if report.document is not None:
        return report.document
    root: dict[Any, Any] = {}
    names = [entry.path[1] for entry in report.entries if entry.path[0] == "gradient"]
    for entry in report.entries:
        if entry.path[0] == "hessian":
            _mirror(root.setdefault("hessian", {name: dict.fromkeys(names) for name in names}), entry)
        else:
            _place(root, entry)
    if report.matrix is not None:
        root[MATRICES[report.command]] = report.matrix.document()
    return root


def _mirror(hessian: dict[Any, Any], entry: Entry) -> None:
    """A block of a Hessian, and the transposed one on the other side of the diagonal."""
    _, a, b = entry.path
    hessian[a][b] = hessian[b][a] = entry.value
    rank = len(hessian[a][a].shape) if hasattr(hessian[a][a], "shape") else 0
    if a != b and hasattr(entry.value, "shape"):
        axes = range(entry.value.ndim)
        hessian[b][a] = entry.value.transpose([*axes[rank // 2 :], *axes[: rank // 2]])


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
    if report.matrix is not None:
        return single, ["row", "column", "value"], [[row, column, show(value)] for row, column, value in report.matrix.named()]
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
        group, *rest = entry.path
        if group == "hessian":
            continue
        if rest:
            order = [k + 1 for k in rest[1:] if isinstance(k, int)]
            yield (rest[0], *order), COLUMNS.get(str(group), str(group)), entry.value
    if report.command == "hess":
        for name, row in nested(report).get("hessian", {}).items():
            for by, value in row.items():
                yield (name,), f"d/d{by}", value


def _at(report: Report, name: str | int, show: Show) -> str:
    value = report.point.get(str(name))
    return "" if value is None else _said(value, show)


def _said(value: Value, show: Show) -> str:
    return "not tested" if value is None else str(value).lower() if isinstance(value, bool) else show(value)


def shown(value: Value, digits: int) -> str:
    """A value on one line for people: `true` and `false` for conditions, brackets round arrays."""
    return str(value).lower() if isinstance(value, bool) else people(value, digits).replace("\n", "")


def people(value: Value, digits: int) -> str:
    """A number for people: `digits` significant digits, no trailing zeros, 0 for -0.0; an array as its rows."""
    if hasattr(value, "shape"):
        return _array(value, digits)
    if type(value) is int:
        return str(value)
    if type(value) is Digits:
        return machine(value).removesuffix(".0")
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
    if type(value) is Digits:
        return value.text
    number = float(value)
    if number != number:
        return "NaN"
    return repr(number) if form == "r" else format(number, form)


def numeric(cell: str) -> bool:
    """Whether a cell for people is a number, or nothing."""
    return (
        not cell or cell[-1:].isdigit() and (cell[0].isdigit() or cell[0] in "-+.") or cell in {"NaN", "inf", "-inf", "NA", "nan", "null"}
    )
