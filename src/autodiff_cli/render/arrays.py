"""A report as a file of NumPy: `.npz` with the flat names of the results, `.npy` with one array."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..diagnostics import Exit, error

if TYPE_CHECKING:
    from ..report import Report
    from . import View

EPOCH = (1980, 1, 1, 0, 0, 0)  # the same results give the same bytes


def npz(report: Report, _view: View) -> bytes:
    """Every result by its name, `value`, `d_W`, …; of `minimize`, the parameters."""
    from zipfile import ZipFile, ZipInfo

    out = BytesIO()
    with ZipFile(out, "w") as file:
        for entry in [entry for entry in report.entries if entry.path[0] == "parameters"] or report.entries:
            file.writestr(ZipInfo(entry.name + ".npy", EPOCH), _bytes(entry.value))
    return out.getvalue()


def npy(report: Report, _view: View) -> bytes:
    """The gradient by one variable; the value where there is no gradient."""
    single = [entry for entry in report.entries if len(entry.path) == 1]
    found = [entry for entry in report.entries if len(entry.path) > 1] or single
    if len(found) > 1:
        names = ", ".join([f"`{entry.name}`" for entry in found[:6]])
        raise error(
            "one-array", f"a .npy file holds one array, and here are {names}", hint="-o FILE.npz holds them all by name", exit=Exit.USAGE
        )
    return _bytes(found[0].value)


def _bytes(value: Any) -> bytes:
    import numpy as np

    out = BytesIO()
    np.lib.format.write_array(out, np.array(value, dtype=float), allow_pickle=False)
    return out.getvalue()
