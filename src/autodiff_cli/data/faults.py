"""What can be wrong with rows, in words: names and places in, an `AutodiffError` out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..diagnostics import Exit, Source, Span, did_you_mean, error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..diagnostics import AutodiffError, Diagnostic
    from .block import Place

TOLERANT = "`--on-error skip` leaves such rows out, `--on-error null` leaves their results empty"
COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")


def _at(
    place: Place, code: str, message: str, cell: tuple[int, int] | None = None, hint: str | None = None, notes: tuple[str, ...] = ()
) -> AutodiffError:
    """An error about a row, with its text, in which the cell is marked; the whole row if None."""
    if place.text is None:
        return error(code, f"{message} ({place})", hint=hint, notes=notes, exit=Exit.DATA)
    start, end = cell or (0, len(place.text.rstrip()))
    span = Span(Source(place.file, place.text, place.line), start, end)
    return error(code, message, span, hint=hint, notes=notes, exit=Exit.DATA)


def no_number(place: Place, column: str, text: str, cell: tuple[int, int] | None, kind: str) -> AutodiffError:
    """A cell of a used column that is no number (or no condition, in a column of conditions)."""
    if kind == "bool":
        return _at(
            place,
            "not-a-condition",
            f"`{_short(text)}` in column `{column}` is neither `true` nor `false`, as the cells before it are",
            cell,
            TOLERANT,
        )
    hint = TOLERANT
    if COMMA.fullmatch(text):
        hint = f"decimals are written with a dot: {text.strip().replace(',', '.')}"
    return _at(place, "not-a-number", f"`{_short(text)}` in column `{column}` is no number", cell, hint)


def no_array(place: Place, found: Diagnostic, cell: tuple[int, int] | None) -> AutodiffError:
    """A list in a used column that is no array: of unlike lengths, or with something else than numbers."""
    return _at(place, found.code, found.message, cell, TOLERANT)


def ragged(place: Place, found: int, columns: Sequence[str]) -> AutodiffError:
    """A row with too few or too many cells."""
    hint = TOLERANT
    text = place.text or ""
    if found == len(columns) * 2 and re.fullmatch(r"([+-]?\d+,\d+,?)+", text.strip()):
        hint = "decimals are written with a dot: 1.5; a cell with a comma in it needs quotes"
    message = f"this row has {_count(found, 'cell')}, and there {'is' if len(columns) == 1 else 'are'} {_count(len(columns), 'column')}"
    return _at(place, "ragged-row", message, None, hint, (f"the columns are {listed(columns)}",))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def broken_row(place: Place, what: str) -> AutodiffError:
    """A quote that is never closed, or a carriage return where no line ends."""
    hint = (
        'inside quotes a quote is written twice: "a ""b"""'
        if "quote" in what
        else "lines that end in carriage returns only: tr '\\r' '\\n' < FILE | autodiff …"
    )
    return _at(place, "broken-row", what, None, hint)


def broken_line(place: Place, what: str, cell: tuple[int, int] | None) -> AutodiffError:
    """A line of NDJSON that is no object."""
    return _at(place, "broken-line", f"this line is no JSON object: {what}", cell, TOLERANT)


def broken_json(file: str, line: int, what: str) -> AutodiffError:
    """JSON that does not go on as it should: nothing after it can be read."""
    return error("broken-json", f"`{file}` is no valid JSON: {what} (line {line:,})", exit=Exit.DATA)


def new_key(place: Place, key: str, columns: Sequence[str]) -> AutodiffError:
    """An object with a key that a table with the columns of the first object has no room for."""
    return _at(
        place,
        "new-key",
        f"the key `{key}` is not among those of the first object, {listed(columns)}",
        None,
        "--format ndjson keeps what each object has",
    )


def no_column(missing: Sequence[str], columns: Sequence[str], file: str) -> AutodiffError:
    """Names of the expression that are no columns of the input."""
    many = len(missing) > 1
    message = f"{listed(missing)} {'are' if many else 'is'} no column{'s' * many} of `{file}`, and no value is given"
    near = [f"`{guess}` for `{name}`" for name in missing if (guess := did_you_mean(name, columns))]
    hint = f"did you mean {', '.join(near)}?" if near else f"give a value: --{missing[0]} 1.5"
    mark = next((mark for mark in ";|\t," if any(mark in column for column in columns)), None)
    if len(columns) == 1 and mark:
        hint = f"the header looks as if `{mark}` were between its cells: --delimiter '{mark}'"
    return error(
        "no-column",
        message,
        notes=(f"the columns are {listed(columns)}" if columns else "there are no columns",),
        hint=hint,
        exit=Exit.DATA,
    )


def duplicates(columns: Sequence[str], file: str) -> AutodiffError:
    """Columns of one name."""
    double = [name for name in dict.fromkeys(columns) if columns.count(name) > 1]
    what = f"columns called {listed(double)}" if any(double) else "columns without a name"
    return error(
        "duplicate-column",
        f"`{file}` has several {what}",
        notes=(f"the columns are {listed(columns)}",),
        hint="rename all but one in the header",
        exit=Exit.DATA,
    )


def headerless(file: str, cells: Sequence[str], used: Sequence[str]) -> AutodiffError:
    """A table without a header, which has more than one column or meets more than one name."""
    names = used if len(used) == len(cells) else [f"c{i + 1}" for i in range(len(cells))]
    shown = ",".join(names)
    return error(
        "no-header", f"`{file}` has no header: its first line `{_short(','.join(cells))}` is all numbers", exit=Exit.DATA,
        notes=(f"wanted: {listed(used)}",), hint=f"name the columns: --no-header --columns {shown}, or say that this is the header: --header",
    )  # fmt: skip


def miscounted(file: str, names: Sequence[str], found: int) -> AutodiffError:
    """`--columns` that does not fit the table."""
    return error("column-count", f"`--columns` names {_count(len(names), 'column')}, and `{file}` has {found}", exit=Exit.DATA)


def unlike(file: str, columns: Sequence[str], first: str, wanted: Sequence[str]) -> AutodiffError:
    """Two files whose columns differ."""
    notes = (f"`{first}` has {listed(wanted)}", f"`{file}` has {listed(columns)}")
    return error(
        "unlike-columns", f"`{file}` has other columns than `{first}`", notes=notes, hint="run autodiff once for each", exit=Exit.DATA
    )


def empty(file: str, used: Sequence[str]) -> AutodiffError:
    """An input of no bytes."""
    wanted = f"; no values for {listed(used)}" if used else ""
    hint = f"give values, as in --{used[0]} 1.5, or a file: --data FILE" if used else None
    code = Exit.USAGE if file == "stdin" else Exit.DATA
    return error("empty-input", f"{'stdin' if file == 'stdin' else f'`{file}`'} is empty{wanted}", hint=hint, exit=code)


def taken(names: Sequence[str], place: Place | None = None) -> AutodiffError:
    """Columns of results whose names the input has already; `place` where a later object brings them."""
    message = f"the input has {'columns' if len(names) > 1 else 'a column'} called {listed(names)} already, and so would the results"
    hint = "rename ours: --name g --prefix dg_, or leave the input's columns out: --only"
    if place is not None:
        return _at(place, "column-taken", message, None, hint)
    return error("column-taken", message, hint=hint, exit=Exit.DATA)


def listed(names: Sequence[str], most: int = 60) -> str:
    """Names in backticks, with commas."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"
