"""One point: a program and values in, results out; floats where every node is one number, NumPy arrays otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..program import compile
from . import floats

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph import Fn
    from ..program import Program


def evaluate(fn: Fn, values: Mapping[str, Any]) -> list[Any]:
    """The results of a function."""
    return run(compile(fn), values)


def run(program: Program, values: Mapping[str, Any]) -> list[Any]:
    """The results of a program: numbers are Python's, arrays NumPy's."""
    if not shaped(program.fn):
        return floats.run(program, values)
    from . import tensors

    return tensors.run(program, values)


def trace(program: Program, values: Mapping[str, Any]) -> dict[int, Any]:
    """The value of every node that ran, by its position in `program.fn.nodes`."""
    if not shaped(program.fn):
        return floats.trace(program, values)
    from . import tensors

    return tensors.trace(program, values)


def shaped(fn: Fn) -> bool:
    """Whether a node of the function is an array."""
    found = fn.cache.get("shaped")
    if found is None:
        found = fn.cache["shaped"] = any(node.type.shape for node in fn.nodes)
    return found  # type: ignore[no-any-return]  # the cache holds any derived thing
