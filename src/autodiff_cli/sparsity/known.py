"""A node of which the arguments may be known in; its value, where it hangs on no input of the program, out."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..graph import CONST, PARAM
from ..ops.arithmetic import select
from ..ops.structured import scanned
from ..run import kernels_tensor
from ..run.floats import RAISED, named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph import Fn

    Shape = tuple[int, ...]


FEW = 10_000_000  # entries that one op moves, beyond which it is taken to mix all of them
MOST = 8  # values that a selection may have


class Turns(list[Any]):
    """What each turn of a sequence hangs on, or its value in each turn."""

    __slots__ = ()


class Either(list[Any]):
    """The values that a selection may have, one or the other."""

    __slots__ = ()


def choices(value: Any) -> list[Any]:
    """All values that a node may have."""
    return value if isinstance(value, Either) else [value]


def size(shape: Shape) -> int:
    """How many entries an array has."""
    return prod(shape)


def known(fn: Fn, i: int, before: Mapping[int, Any], inputs: Mapping[str, Any]) -> Any:
    """The value of node i, from those of earlier nodes and of inputs, or `Either`; None where it is not known."""
    op, args, attr, _ = fn.nodes[i]
    if op is PARAM:
        return inputs.get(attr)
    if op.rule == "leaf":
        return named(attr) if op is CONST else kernels_tensor.leaf(op.name, attr) if op.name in kernels_tensor.LEAVES else None
    if op is select and args[1] in before and args[2] in before:
        either = Either([value for j in args[1:] for value in choices(before[j])])
        return either if len(either) <= MOST else None
    given: list[Any] = [before.get(j) for j in args]
    if op is select or any(value is None or isinstance(value, Either) for value in given):
        return None
    try:
        return Turns(given[0]) if op is scanned else _run(fn, i, given)
    except (IndexError, *RAISED):
        return None


def _run(fn: Fn, i: int, given: list[Any]) -> Any:
    op, args, attr, type = fn.nodes[i]
    if op.name in kernels_tensor.MAKERS:
        return kernels_tensor.kernel(op.name, attr, [fn.nodes[j].type for j in args], [False] * len(args))(*given)
    return _elementwise(op, attr, given, shaped=bool(type.shape)) if op.rule == "elementwise" else None


def _elementwise(op: Any, attr: Any, given: list[Any], *, shaped: bool) -> Any:
    if shaped:
        from ..run.kernels_array import kernel as of_arrays

        return of_arrays(op, attr)(*given)
    from ..run.kernels_float import kernel as of_floats

    return of_floats(op, attr)[1](*map(float, given))
