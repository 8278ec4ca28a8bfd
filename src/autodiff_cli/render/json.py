"""Strict JSON: one object, keys in a fixed order, `"NaN"` and `"Infinity"` as strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..constants import Digits
from ..report import all_finite, nested

if TYPE_CHECKING:
    from ..report import Report
    from . import View

RAW = "\\u0000"  # how a control character, which stands before digits that are to be a number, comes out


def json(report: Report, _view: View) -> str:
    """The whole report as one document on one line."""
    return dumps(nested(report)) + "\n"


def ndjson(report: Report, _view: View) -> str:
    """One object a line."""
    document = nested(report)
    return "".join([dumps(item) + "\n" for item in (document if isinstance(document, list) else [document])])


def dumps(document: Any) -> str:
    """The text of a document of dicts, lists, arrays, texts, numbers and conditions."""
    from json import dumps as encode

    text = encode(_strict(document), ensure_ascii=False, allow_nan=False)
    return _bare(text) if RAW in text else text


def _bare(text: str) -> str:
    """The text with the numbers of many digits as numbers."""
    from re import escape, sub

    return sub(f'"{escape(RAW)}([^"]*)"', r"\1", text)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if hasattr(value, "shape"):
        return _strict(value.tolist())
    if not isinstance(value, float):
        return value
    return _number(value)


def _number(value: float) -> float | str:
    """A number; what is not finite, and (marked) what has more digits than a float64, as a text."""
    if type(value) is Digits and all_finite(value):
        return f"\0{value.text}"
    if value != value:
        return "NaN"
    return value if abs(value) < float("inf") else "Infinity" if value > 0 else "-Infinity"
