"""A report as a file of NumPy: `.npz` with the flat names of the results, `.npy` with one array."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..diagnostics import Exit, error

if TYPE_CHECKING:
    from ..report import Report
    from . import View

OWN = {"hess": "hessian", "hvp": "product", "jvp": "tangent"}  # what a command is for, where it gives more
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same results give the same bytes


def npz(report: Report, _view: View) -> bytes:
    """Every result by its name, `value`, `d_W`, …; of `minimize`, the parameters; of a sparse matrix, what SciPy keeps."""
    from zipfile import ZipFile, ZipInfo

    out = BytesIO()
    with ZipFile(out, "w") as file:
        for name, array in report.matrix.file().items() if report.matrix else ():
            file.writestr(ZipInfo(name + ".npy", EPOCH), _whole(array))
        for entry in [] if report.matrix else [entry for entry in report.entries if entry.path[0] == "parameters"] or report.entries:
            file.writestr(ZipInfo(entry.name + ".npy", EPOCH), _bytes(entry.value))
    return out.getvalue()


def npy(report: Report, _view: View) -> bytes:
    """The gradient, or what else the command is for, by one variable; the value where there is none of that."""
    single = [entry for entry in report.entries if len(entry.path) == 1]
    own = [entry for entry in report.entries if entry.path[0] == OWN.get(report.command)]
    found = own or [entry for entry in report.entries if len(entry.path) > 1] or single
    if len(found) > 1:
        names = ", ".join([f"`{entry.name}`" for entry in found[:6]])
        raise error(
            "one-array", f"a .npy file holds one array, and here are {names}", hint="-o FILE.npz holds them all by name", exit=Exit.USAGE
        )
    return _bytes(found[0].value)


def _bytes(value: Any) -> bytes:
    import numpy as np

    return _whole(np.array(value, dtype=float))


def _whole(array: Any) -> bytes:
    import numpy as np

    out = BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=False)
    return out.getvalue()
