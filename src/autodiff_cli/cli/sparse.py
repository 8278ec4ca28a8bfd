"""A call of `jac` or `hess` in; whether the matrix is shown by coordinates out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arguments import usage
from .form import form

if TYPE_CHECKING:
    from .arguments import Call
    from .prepare import Prepared

WHOLE = ("sh", "latex", "npy")  # formats that have no place for coordinates


def sparse(call: Call, ready: Prepared) -> bool:
    """Whether only entries that can be other than zero are wanted: by `--sparse`, or for a file of SciPy."""
    if ready.missing:
        if "sparse" in call.options:
            raise usage(call, call.places["sparse"], "unlike-options", "`--sparse` is about one point, and here are rows")
        return False
    name = form(call)
    if "sparse" in call.options and name in WHOLE:
        raise usage(
            call, call.places["sparse"], "unlike-options", f"`--sparse` has no {name} form", hint="--format csv, json or table, or -o FILE.npz"
        )  # fmt: skip
    return "sparse" in call.options or name == "npz"
