"""One point: a program and values in, results out; floats where every node is one number, NumPy arrays otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.structured import call_, loop_, scanned
from ..program import compile
from ..types import EACH
from . import floats

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph import Fn
    from ..program import Program
    from .meter import Meter

SCANNED = ("array", "iota")


def evaluate(fn: Fn, values: Mapping[str, Any]) -> list[Any]:
    """The results of a function."""
    return run(compile(fn), values)


def run(program: Program, values: Mapping[str, Any], meter: Meter | None = None) -> list[Any]:
    """The results of a program: numbers are Python's, arrays NumPy's; `meter` is told of every array."""
    if not shaped(program.fn):
        return floats.run(program, values)
    from . import tensors

    return tensors.run(program, values, meter=meter)


def trace(program: Program, values: Mapping[str, Any]) -> dict[int, Any]:
    """The value of every node that ran, by its position in `program.fn.nodes`."""
    if not shaped(program.fn):
        return floats.trace(program, values)
    from . import tensors

    return tensors.trace(program, values)


def shaped(fn: Fn) -> bool:
    """Whether a node that the function needs is an array, or of the body of a loop in it; arrays that loops scan are not."""
    todo, seen = [fn], set()
    while todo and "shaped" not in fn.cache:
        one = todo.pop()
        if id(one) not in seen:
            seen.add(id(one))
            needed = one.needs()
            if _arrays(one, needed):
                fn.cache["shaped"] = True
            todo += [one.nodes[i].attr.fn for i in needed if one.nodes[i].op in (loop_, call_)]
    return fn.cache.setdefault("shaped", False)  # type: ignore[no-any-return]  # the cache holds any derived thing


def _arrays(fn: Fn, needed: list[int]) -> bool:
    nodes = fn.nodes
    found = {i for i in needed if nodes[i].type.shape and nodes[i].type.shape != (EACH,)}
    if not found:
        return False
    read = {j for i in needed if nodes[i].op is not scanned for j in nodes[i].args} | set(fn.outs)
    return any(i in read or nodes[i].op.name not in SCANNED or len(nodes[i].type.shape) > 1 for i in found)
