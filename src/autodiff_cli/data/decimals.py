"""The text of a value in; what it says in decimals out, to be read with any number of digits.

A number is its text, an array an object array of texts, a constant expression the function that computes it. What a binary file
holds is float64, and stays so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .values import PLAIN, TABLES, WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    Exact = Any


def decimal(text: str, value: Any, digits: int = 50) -> Exact:
    """What a text says, of which `value` is the float64; what cannot be read in decimals is that. Conditions in it are decided with `digits`."""
    stripped = text.strip()
    if stripped in WORDS or isinstance(value, bool):
        return value
    if PLAIN.issuperset(stripped):
        return stripped
    if stripped.startswith("@"):
        return shortest(value) if stripped == "@-" else _from_file(stripped[1:], value)
    found = _listed(stripped, value) if stripped.startswith("[") else None
    return _constant(stripped, digits) if found is None else found


def shortest(value: Any) -> Exact:
    """The shortest decimals that read back the same float64: what was written, where a table or JSON was read as float64."""
    if isinstance(value, bool | str):
        return value
    if not hasattr(value, "dtype"):
        return repr(float(value))
    import numpy as np

    return value if value.dtype == bool else np.frompyfunc(lambda x: repr(float(x)), 1, 1)(value)


def params(path: str, values: Mapping[str, Any]) -> dict[str, Exact]:
    """The values of a file for `--set @FILE`, of which `values` are the float64."""
    if path.lower().endswith(".npz"):
        return dict(values)
    found = _document(path)
    found = found["parameters"] if isinstance(found.get("parameters"), dict) else found
    return {name: _like(found.get(name), value) for name, value in values.items()}


def _from_file(path: str, value: Any) -> Exact:
    """The texts of a JSON file or of a table; a binary file holds float64."""
    lower = path.lower()
    if lower.endswith(".json"):
        return _like(_document(path), value)
    mark = next((mark for suffix, mark in TABLES.items() if lower.endswith(suffix)), None)
    return value if mark is None else _cells(path, mark, value)


def _document(path: str) -> Any:
    """A JSON file with its numbers as texts."""
    import json

    with open(path, encoding="utf-8-sig") as file:
        return json.load(file, parse_float=str, parse_int=str)


def _cells(path: str, mark: str, value: Any) -> Exact:
    """The cells of a table, the last lines of the file: a header may stand before them."""
    import csv

    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter=mark) if row]
    return _like([cell.strip() for row in rows[-len(value) :] for cell in row], value)


def _listed(text: str, value: Any) -> Exact | None:
    """The texts of a list of plain numbers; None for any other text."""
    import json

    try:
        return _like(json.loads(text, parse_float=str, parse_int=str), value)
    except ValueError:
        return None


def _like(found: Any, value: Any) -> Exact:
    """What was read, in the shape of its float64; where the two do not match, the shortest decimals of that."""
    if not hasattr(value, "dtype"):
        return found if isinstance(found, str) and found not in WORDS else value
    import numpy as np

    if value.dtype == bool or not isinstance(found, list):
        return value
    flat = _flat(found)
    if len(flat) != value.size or not all(isinstance(x, str) for x in flat):
        return shortest(value)
    texts = np.empty(value.size, object)
    texts[:] = flat
    plain = np.frompyfunc(lambda text, x: text if PLAIN.issuperset(text) else x, 2, 1)
    return plain(texts, value.ravel()).reshape(value.shape)


def _flat(found: list[Any]) -> list[Any]:
    """The leaves of a nested list, in order."""
    while any(isinstance(item, list) for item in found):
        found = [leaf for item in found for leaf in (item if isinstance(item, list) else [item])]
    return found


def _constant(text: str, digits: int) -> Exact:
    """A constant expression, as the function that computes it."""
    from ..diagnostics import Source
    from ..lower import lower
    from ..run.decided import Decided
    from ..syntax import parse

    source = Source("value", text)
    return lower(parse(source), source, {}, (), Decided({}, digits)).fn
