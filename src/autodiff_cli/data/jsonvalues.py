"""Values of JSON: texts in, numbers, conditions and cells out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError
from .arrays import nested
from .cells import MISSING, Column
from .ragged import Ragged

if TYPE_CHECKING:
    import polars as pl

    from ..diagnostics import Diagnostic

DTYPES: dict[str | None, type] = {"real": float, "bool": bool, None: float}
NUMBERS = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "nan": float("nan"),
}


class Digits(str):  # noqa: SLOT000 (json makes it from the digits)
    """A number by its digits."""


def parsed(text: str, *, exact: bool = False) -> tuple[Any, Any]:
    """The value of a text, or None and what is wrong with it."""
    import json

    try:
        if exact:
            return json.loads(text, parse_float=Digits, parse_int=Digits, parse_constant=Digits), None
        return json.loads(text), None
    except json.JSONDecodeError as problem:
        return None, problem
    except RecursionError:
        return None, json.JSONDecodeError("nested too deeply", text, 0)


def cell(value: Any) -> str | None:
    """A value as the text of a cell."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return as_json(value)


def as_json(value: Any) -> str:
    """The JSON text of a value; numbers that were kept by their digits come out so."""
    import json

    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{as_json(k)}:{as_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(as_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def column(values: list[Any], kind: str | None) -> Column:
    """Values of JSON as numbers or conditions, or as arrays of them."""
    import numpy as np

    gap = [value is None or isinstance(value, str) and value in MISSING for value in values]
    if any(type(value) is list for value in values):
        return _arrays(values, gap, kind)
    kind = kind or next(
        ("bool" if value is True or value is False else "real" for value, no in zip(values, gap, strict=True) if not no), None
    )
    if kind == "bool":
        bad = [not no and value is not True and value is not False for value, no in zip(values, gap, strict=True)]
        return Column(np.array([value is True for value in values]), _mask(gap), _mask(bad), kind)
    numbers = [None if no else _number(value) for value, no in zip(values, gap, strict=True)]
    bad = [number is None and not no for number, no in zip(numbers, gap, strict=True)]
    return Column(np.array(numbers, float), _mask(gap), _mask(bad), kind)


def _arrays(values: list[Any], gap: list[bool], kind: str | None) -> Column:
    """Cells of which some are arrays; a cell of the other kind than the first one is bad."""
    found = [None if no else _cell(value) for value, no in zip(values, gap, strict=True)]
    kinds = [_kind(cell) for cell in found]
    kind = kind or next((each for each in kinds if each), None)
    wrong = [cell is None or (each or kind) != kind for cell, each in zip(found, kinds, strict=True)]
    column = Ragged.of([() if no else cell for cell, no in zip(found, wrong, strict=True)], DTYPES[kind])
    return Column(column, _mask(gap), _mask([no and not lacks for no, lacks in zip(wrong, gap, strict=True)]), kind)


def vectors(cells: pl.Series, kind: str | None) -> Column | None:
    """A column of lists of numbers; None where one has something else in it."""
    import numpy as np

    gap = cells.is_null()
    sizes = cells.list.len().fill_null(0)
    entries = cells.filter(sizes > 0).explode()
    if entries.null_count():
        return None
    column = Ragged.vectors(entries.to_numpy(), sizes.to_numpy().astype(np.intp))
    return Column(column, gap.to_numpy() if gap.any() else None, None, kind or ("real" if len(entries) else None))


def lists(cells: pl.Series, kind: str | None) -> Column | None:
    """A column of lists of any depth, or of arrays; None where it holds something else."""
    import polars as pl

    inner: Any = cells.dtype
    while isinstance(inner, pl.List | pl.Array):
        inner = inner.inner
    if not (inner.is_numeric() or inner in (pl.Boolean, pl.Null)) or isinstance(cells.dtype, pl.Struct):
        return None
    flat = isinstance(cells.dtype, pl.List) and not cells.dtype.inner.is_nested() and inner.is_numeric()
    found = vectors(cells.cast(pl.List(pl.Float64)), kind) if flat else None
    return column(cells.to_list(), kind) if found is None else found


def _cell(value: Any) -> Any:
    """An array, a number or a condition; None for what is none of these."""
    if type(value) is not list:
        return value if isinstance(value, bool) else _number(value)
    try:
        return nested(value, "")
    except AutodiffError:
        return None


def _kind(cell: Any) -> str | None:
    """Of a cell, where it tells: an empty array does not."""
    if cell is None or getattr(cell, "size", 1) == 0:
        return None
    return "bool" if isinstance(cell, bool) or str(getattr(cell, "dtype", "")) == "bool" else "real"


def lack(value: Any, name: str) -> Diagnostic | None:
    """What is wrong with a list; None for one that is an array, and for any other value."""
    if type(value) is not list:
        return None
    try:
        nested(value, name)
    except AutodiffError as problem:
        return problem.diagnostic
    return None


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return NUMBERS.get(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _mask(marked: list[bool]) -> Any:
    import numpy as np

    return np.array(marked) if any(marked) else None
