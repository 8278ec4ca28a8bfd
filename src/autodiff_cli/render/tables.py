"""A report as a table of Parquet or Arrow: a point is one row of the same columns as rows have."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..report import flat

if TYPE_CHECKING:
    from ..report import Report
    from . import View


def parquet(report: Report, _view: View) -> bytes:
    """The flat results as Parquet."""
    out = BytesIO()
    _table(report).write_parquet(out)
    return out.getvalue()


def arrow(report: Report, _view: View) -> bytes:
    """The flat results as an Arrow file (ipc)."""
    out = BytesIO()
    _table(report).write_ipc(out)
    return out.getvalue()


def _table(report: Report) -> Any:
    import polars as pl

    names, rows = flat(report)
    return pl.DataFrame(rows, schema=names, orient="row")
