"""Results that are arrays, one a row, in; their JSON texts out."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from .encode import spelled
from .ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from numpy.typing import NDArray

    Array = Any
    Shape = tuple[int, ...]


def texts(result: Array, missing: NDArray[Any] | None) -> pl.Series:
    """Each row's array as nested lists, with non-finite numbers as strings; `null` where it is missing."""
    import polars as pl

    if isinstance(result, Ragged):
        found = _ragged(result)
    elif not result.strides[0]:
        found = list(_dense(result[:1], result.shape[1:])) * len(result)
    else:
        found = list(_dense(result, result.shape[1:]))
    series = pl.Series(found, dtype=pl.String)
    return series if missing is None or not missing.any() else series.set(pl.Series(missing), "null")


def _ragged(result: Ragged) -> list[str]:
    """Cell by cell, each with the digits of its own entries."""
    digits = _digits(result.entries)
    return [
        _bracketed(digits[start : start + prod(result.shapes[code])], result.shapes[code])
        for start, code in zip(result.starts.tolist(), result.codes.tolist(), strict=True)
    ]


def _dense(result: Array, shape: Shape) -> Iterator[str]:
    digits, size = _digits(result), prod(shape)
    return (
        (_bracketed(digits[start : start + size], shape) for start in range(0, size * len(result), size)) if size else _empty(result, shape)
    )


def _empty(result: Array, shape: Shape) -> Iterator[str]:
    return iter([_bracketed([], shape)] * len(result))


def _digits(numbers: Array) -> list[str]:
    import numpy as np
    import polars as pl

    if numbers.dtype == object:  # of many digits
        return spelled(pl.Series(list(map(str, numbers.flat)), dtype=pl.String)).to_list()
    return spelled(pl.Series(np.ascontiguousarray(numbers, dtype=float).reshape(-1))).to_list()


def _bracketed(entries: list[str], shape: Shape) -> str:
    """The entries as nested lists, from the innermost axis to the outermost."""
    if not shape:
        return entries[0]
    for size, many in [(size, prod(shape[:axis])) for axis, size in reversed(list(enumerate(shape)))]:
        entries = ["[" + ",".join(entries[k * size : (k + 1) * size]) + "]" for k in range(many)]
    return entries[0]
