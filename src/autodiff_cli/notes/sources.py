"""Which entries of its arguments an entry of a node comes from: a node and a place in; nodes and places out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import BROADCAST
from ..ops.arithmetic import select
from ..ops.structured import out_

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..graph import Fn

    Slots = Mapping[int, Any]
    Place = tuple[int, ...]


def sources(fn: Fn, slots: Slots, i: int, at: Place) -> Iterator[tuple[int, Place | None]]:
    """Every argument with the place of its entry that counts; of many that count, the first that is not finite."""
    op, args, attr, _ = fn.nodes[i]
    if op is select:
        condition = slots[args[0]]
        chosen = bool(condition[at] if getattr(condition, "shape", ()) else condition)
        yield (args[1] if chosen else args[2]), _same(fn, args[1] if chosen else args[2], at)
    elif op is BROADCAST:
        shape = fn.nodes[args[0]].type.shape
        yield args[0], tuple([0 if n == 1 else k for n, k in zip(shape, at[len(at) - len(shape) :], strict=True)])
    elif op.rule == "structured":
        for j in fn.nodes[args[0]].args[1:] if op is out_ else args:
            yield j, _first(slots.get(j), (...,))
    elif op.rule == "linear" and op.effect[0] != "add":
        yield from _moved(fn, slots, i, at)
    elif op.rule == "elementwise":
        for j in args:
            yield j, _same(fn, j, at)
    else:
        for k, j in enumerate(args):
            yield j, _first(slots.get(j), _window(op.name, attr, k, at, len(fn.nodes[j].type.shape)))


def _same(fn: Fn, j: int, at: Place) -> Place:
    return at if fn.nodes[j].type.shape else ()


def _moved(fn: Fn, slots: Slots, i: int, at: Place) -> Iterator[tuple[int, Place | None]]:
    """Ops that move entries are run over the places in their place: 1 for the first entry, and so on."""
    import numpy as np

    from ..run.kernels_tensor import kernel

    op, args, attr, _ = fn.nodes[i]
    types = [fn.nodes[j].type for j in args]
    parts = len(args) if op.name == "joined" else 1
    counted, start = [], 1
    for j in args[:parts]:
        size = int(np.size(slots[j]))
        counted.append(np.arange(start, start + size, dtype=float).reshape(np.shape(slots[j])))
        start += size
    moved = kernel(op.name, attr, [types[0]._replace(kind="real"), *types[1:]], [False] * len(args))(
        *counted, *[slots[j] for j in args[parts:]]
    )
    found = int(np.asarray(moved)[at])
    for j, places in zip(args[:parts], counted, strict=True):
        if 0 <= found - int(places.flat[0] if places.size else found + 1) < places.size:
            yield j, tuple(int(k) for k in np.unravel_index(found - int(places.flat[0]), places.shape))


def _window(name: str, attr: Any, k: int, at: Place, rank: int) -> tuple[Any, ...]:
    """The part of an argument that an entry is made of."""
    if name == "matmul":
        return (*at[:-1], slice(None)) if k == 0 else (*at[:-2], slice(None), at[-1])
    axes = attr if name in ("sum", "any_of") else attr[0] if isinstance(attr, tuple) and attr and isinstance(attr[0], tuple) else None
    if axes is None or not all(isinstance(a, int) for a in axes):
        return (slice(None),) * rank
    rest = iter(at)
    return tuple([slice(None) if axis in axes else next(rest) for axis in range(rank)])


def _first(value: Any, window: tuple[Any, ...]) -> Place | None:
    """The place in the whole array of the first entry of a part that is not finite."""
    import numpy as np

    if value is None or isinstance(value, list):
        return None if value is None else ()
    bad = np.zeros(np.shape(value), bool)
    bad[window] = ~np.isfinite(np.asarray(value)[window])
    return tuple(np.argwhere(bad)[0].tolist()) if bad.any() else None
