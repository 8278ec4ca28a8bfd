"""Strict JSON: one object, keys in a fixed order, `"NaN"` and `"Infinity"` as strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..report import nested

if TYPE_CHECKING:
    from ..report import Report
    from . import View


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

    return encode(_strict(document), ensure_ascii=False, allow_nan=False)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if hasattr(value, "shape"):
        return _strict(value.tolist())
    if not isinstance(value, float):
        return value
    if value != value:
        return "NaN"
    return value if abs(value) < float("inf") else "Infinity" if value > 0 else "-Infinity"
