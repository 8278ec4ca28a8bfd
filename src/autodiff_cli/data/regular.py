"""Bytes of a piece of a text table in; whether all its rows have one width, by looking at all bytes at once, out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .records import Dialect

QUOTE, NEWLINE, RETURN = 34, 10, 13
BOM = b"\xef\xbb\xbf"


def regular(data: bytes, dialect: Dialect, width: int) -> tuple[bytes, int, bool] | None:
    """The same bytes with plain line ends, the number of rows, whether there are quotes; None unless every row has `width` cells."""
    import numpy as np

    if data.startswith(BOM):  # polars would drop it, though it is not the first of the file
        return None
    if b'"' in data:
        return None if dialect.space else _regular_with_quotes(data, ord(dialect.mark), width)
    if dialect.space:
        data = _single_blanks(data)
    elif b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if b"\r" in data:
            return None
    codes = np.frombuffer(data, np.uint8)
    ends = codes[np.flatnonzero((codes == ord(dialect.mark)) | (codes == NEWLINE))] == NEWLINE
    return (data, len(ends) // width, False) if _even(ends, width) else None


def _even(ends: Any, width: int) -> bool:
    return len(ends) % width == 0 and bool(ends[width - 1 :: width].all()) and int(ends.sum()) * width == len(ends)


def _regular_with_quotes(data: bytes, mark: int, width: int) -> tuple[bytes, int, bool] | None:
    import numpy as np

    codes = np.frombuffer(data, np.uint8)
    inside = _inside(codes)
    if b"\r" in data:
        returns = np.flatnonzero((codes[:-1] == RETURN) & (codes[1:] == NEWLINE) & ~inside[:-1])
        codes, inside = np.delete(codes, returns), np.delete(inside, returns)
        if ((codes == RETURN) & ~inside).any():
            return None
    quotes = np.flatnonzero(codes == QUOTE)
    opening, closing = quotes[inside[quotes]], quotes[~inside[quotes]]
    around = np.zeros(256, bool)
    around[[QUOTE, NEWLINE, mark]] = True
    before = codes[opening[opening > 0] - 1]
    if inside[-1] or not around[before].all() or not around[codes[closing + 1]].all():
        return None
    ends = codes[np.flatnonzero(((codes == mark) | (codes == NEWLINE)) & ~inside)] == NEWLINE
    return (codes.tobytes(), len(ends) // width, True) if _even(ends, width) else None


def _inside(codes: Any) -> Any:
    """True from each opening quote up to the character before its closing one."""
    import numpy as np

    return (np.cumsum(codes == QUOTE, dtype=np.uint8) & 1).astype(bool)


def _single_blanks(data: bytes) -> bytes:
    if b"#" in data:
        data = re.sub(rb"#[^\n]*", b"", data)
    data = re.sub(rb"[ \t\r]+", b" ", data)
    return re.sub(rb" ?\n[ \n]*", b"\n", data).lstrip(b" \n")
