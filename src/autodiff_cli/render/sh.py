"""A point as assignments on one line, for the shell's `eval`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnostics import Exit, error
from ..report import flat, machine

if TYPE_CHECKING:
    from ..report import Report
    from . import View


def sh(report: Report, _view: View) -> str:
    """`value=10.0 d_x=7.0`; a name that no shell takes is an error."""
    names, (values,) = flat(report)
    for name in names:
        if not (name.isascii() and name.isidentifier()):
            raise error(
                "not-a-shell-name", f"`{name}` cannot be the name of a shell variable", exit=Exit.USAGE,
                hint="`--format json` takes every name",
            )  # fmt: skip
    return " ".join([f"{name}={machine(value)}" for name, value in zip(names, values, strict=True)]) + "\n"
