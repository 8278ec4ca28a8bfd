"""One point: a program and values in, results out; floats where every node is one number, NumPy arrays otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.arithmetic import add, sub
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
SMALLEST, LARGEST = 2.2250738585072014e-308, 1.7976931348623157e308
MANY = 20_000  # nodes
SUMS = (add, sub)


def evaluate(fn: Fn, values: Mapping[str, Any]) -> list[Any]:
    """The results of a function."""
    return run(compile(fn), values)


def run(program: Program, values: Mapping[str, Any], meter: Meter | None = None) -> list[Any]:
    """The results of a program: numbers are Python's, arrays NumPy's; `meter` is told of every array."""
    if not shaped(program.fn):
        return floats.run(program, values)
    from . import tensors

    return tensors.run(program, values, meter=meter)


def watched(program: Program, values: Mapping[str, Any], meter: Meter | None = None) -> tuple[list[Any], bool]:
    """The results of a program, and whether a number on the way may have left the range of float64: one that is not finite, tiny or 0,
    made of numbers that are none of this.

    Of arrays, and of the many numbers of a large program, only the results are looked at.
    """
    if shaped(program.fn):
        results = run(program, values, meter)
        return results, any(_odd_entries(r) for r in results)
    slots = floats.trace(program, values, free=True)
    results = [slots[o] for o in program.fn.outs]
    if any(type(r) is float and r - r != 0 for r in results):
        return results, True
    few = len(slots) < MANY
    return results, any(_odd(x) for x in slots.values()) and _left_range(program, slots) if few else any(map(_odd, results))


def _left_range(program: Program, slots: Mapping[int, Any]) -> bool:
    """Whether a step made an odd number of ordinary ones; sums do not, but for what is not finite at the end, nor do ops with kinks."""
    for run in program.runs:
        for op, slot, args, _ in run.steps:
            if (
                op.rule == "elementwise"
                and op not in SUMS
                and op.kink is None
                and _odd(slots.get(slot))
                and not any(_odd(slots.get(j)) for j in args)
            ):
                return True
    return False


def ordinary(program: Program, values: Mapping[str, Any]) -> list[Any] | None:
    """The results of a program over arrays; None where one is not finite, or a step left the range of float64 in an entry."""
    import numpy as np

    from . import tensors

    slots = tensors.trace(program, values)
    results = [slots[o] for o in program.fn.outs]
    if not all(np.isfinite(r).all() for r in results):
        return None
    for run in program.runs:
        for op, slot, args, _ in run.steps:
            if op.rule == "elementwise" and op not in SUMS and op.kink is None:
                odd = _odd_ones(slots[slot])
                if np.any(odd) and np.any(odd & ~np.any(np.broadcast_arrays(*[_odd_ones(slots[j]) for j in args]), axis=0)):
                    return None
    return results


def _odd_ones(x: Any) -> Any:
    """Which entries are tiny, 0, or not finite."""
    import numpy as np

    size = np.abs(x)
    return np.zeros(np.shape(x), bool) if size.dtype == bool else ~((size >= SMALLEST) & (size <= LARGEST))


def _odd(x: Any) -> bool:
    return type(x) is float and not SMALLEST <= abs(x) <= LARGEST


def _odd_entries(x: Any) -> bool:
    if not hasattr(x, "dtype"):
        return _odd(x)
    import numpy as np

    size = np.abs(x)
    return x.dtype != bool and not bool(((size >= SMALLEST) & (size <= LARGEST)).all())


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
            held = [one.nodes[i].attr for i in needed if one.nodes[i].op in (loop_, call_)]
            todo += [attr.fn for attr in held] + [attr.test for attr in held if getattr(attr, "test", None)]
    return fn.cache.setdefault("shaped", False)  # type: ignore[no-any-return]  # the cache holds any derived thing


def _arrays(fn: Fn, needed: list[int]) -> bool:
    nodes = fn.nodes
    found = {i for i in needed if nodes[i].type.shape and nodes[i].type.shape != (EACH,)}
    if not found:
        return False
    read = {j for i in needed if nodes[i].op is not scanned for j in nodes[i].args} | set(fn.outs)
    return any(i in read or nodes[i].op.name not in SCANNED or len(nodes[i].type.shape) > 1 for i in found)
