"""A point, or each row, as assignments on one line, for the shell's `eval`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnostics import Exit, error
from ..report import flat, machine

if TYPE_CHECKING:
    from ..report import Report, Value
    from . import View


def sh(report: Report, _view: View) -> str:
    """`value=10.0 d_x=7.0`, a line a row; a name that no shell takes is an error."""
    names, rows = flat(report)
    for name in names:
        if not (name.isascii() and name.isidentifier()):
            raise error(
                "not-a-shell-name", f"`{name}` cannot be the name of a shell variable", exit=Exit.USAGE,
                hint="`--format json` takes every name",
            )  # fmt: skip
    return "".join([" ".join([f"{name}={_word(cell)}" for name, cell in zip(names, row, strict=True)]) + "\n" for row in rows])


def _word(cell: Value | str) -> str:
    """A number, or a text in quotes, so that it stays a text whatever is in it."""
    if not isinstance(cell, str):
        return machine(cell)
    return cell if cell.isascii() and cell.replace(".", "").replace("-", "").isalnum() else "'" + cell.replace("'", "'\\''") + "'"
