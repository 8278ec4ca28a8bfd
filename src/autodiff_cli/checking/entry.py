"""Values of variables in; the same with one entry of one of them moved, out. Entries are counted through the array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def moved(values: Mapping[str, Any], name: str, at: int, x: Any) -> dict[str, Any]:
    """The values with `x` for entry `at` of `name`; a number is its own only entry."""
    value = values[name]
    if not hasattr(value, "dtype"):
        return {**values, name: x}
    import numpy as np

    kind = float if isinstance(x, float) else object
    fresh = np.array(value, kind)
    fresh.flat[at] = x
    return {**values, name: fresh}


def entry(value: Any, at: int) -> Any:
    """Entry `at` of an array, or the number itself."""
    return value.flat[at] if hasattr(value, "dtype") else value


def labels(name: str, value: Any) -> list[str]:
    """What the entries of a variable are called: `x`, or `v[0]`, `W[0, 1]` …"""
    shape = getattr(value, "shape", ())
    if not shape:
        return [name]
    from itertools import product

    return [f"{name}[{', '.join(map(str, place))}]" for place in product(*map(range, shape))]
