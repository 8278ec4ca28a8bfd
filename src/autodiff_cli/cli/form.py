"""A call in; the name of the format of its results out: what was asked for, the suffix of the file, or what suits where they go."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..diagnostics import AutodiffError
from . import color
from .arguments import usage
from .table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..data.groups import Groups
    from ..data.open import Rows
    from ..data.sweep import Sweep
    from .arguments import Call

ALIGNED = "aligned"  # rows on a terminal, as they come
COLLECTED = ("table", "markdown", "latex", "sh")  # these need to see all rows first

NESTED = ("json", "ndjson", ALIGNED, *COLLECTED[:3])  # rows in these have arrays in one piece
WHERE = "-o FILE.parquet, .csv or .json has a line a row"


def form(call: Call) -> str:
    """The format of a point, a listing or a text."""
    name, path = str(call.options.get("format", "auto")), str(call.options.get("o", "-"))
    command = COMMANDS[call.command]
    if name != "auto":
        return name
    if path == "-":
        return command.auto[0 if color.terminal(sys.stdout) else 1]
    found = of_suffix(path)
    if found == "table" and "table" not in (*command.formats, *command.auto) and "text" in command.formats:
        return "text"
    if found is None:
        raise _suffix(call, path, "the suffix does not say the format")
    if found not in (*command.formats, *command.auto):
        raise _suffix(call, path, f"`autodiff {call.command}` does not write {found}")
    return found


def form_of_rows(call: Call, rows: Rows | Sweep | Groups) -> str:
    """The format of rows: as they were read where nothing else is said."""
    from ..data.write import output_format

    name, path = str(call.options.get("format", "auto")), str(call.options.get("o", "-"))
    if name != "auto":
        return name
    if path == "-":
        return ALIGNED if color.terminal(sys.stdout) else output_format(None, None, rows.format)
    found = of_suffix(path)
    if found in COLLECTED[1:]:
        return found
    if found == "npz":
        what = "a sparse matrix" if "sparse" in COMMANDS[call.command].options else "the arrays"
        raise usage(call, call.places["o"], "unlike-options", f"a .npz file holds {what} of one point, and here are rows", hint=WHERE)
    try:
        return output_format(None, path, rows.format)
    except AutodiffError:
        raise _suffix(call, path, "the suffix does not say the format", ("csv", "json", "parquet")) from None


def of_suffix(path: str) -> str | None:
    """The format that the suffix of a file says."""
    from ..render import FORMATS

    return next((name for name, form in FORMATS.items() if form.suffixes and path.lower().endswith(form.suffixes)), None)


def _suffix(call: Call, path: str, message: str, formats: Sequence[str] = ()) -> AutodiffError:
    shown = formats or [name for name in COMMANDS[call.command].formats if name != "auto"][:3]
    return usage(call, call.places["o"], "unknown-suffix", f"{message}: `{path}`", hint=f"add --format {' or --format '.join(shown)}")
