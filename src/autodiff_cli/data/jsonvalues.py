"""Values of JSON: texts in, numbers, conditions and cells out."""

from __future__ import annotations

from typing import Any

from .cells import MISSING, Column

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
    """Values of JSON as numbers or conditions."""
    import numpy as np

    gap = [value is None or isinstance(value, str) and value in MISSING for value in values]
    kind = kind or next(
        ("bool" if value is True or value is False else "real" for value, no in zip(values, gap, strict=True) if not no), None
    )
    if kind == "bool":
        bad = [not no and value is not True and value is not False for value, no in zip(values, gap, strict=True)]
        return Column(np.array([value is True for value in values]), _mask(gap), _mask(bad), kind)
    numbers = [None if no else _number(value) for value, no in zip(values, gap, strict=True)]
    bad = [number is None and not no for number, no in zip(numbers, gap, strict=True)]
    return Column(np.array(numbers, float), _mask(gap), _mask(bad), kind)


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
