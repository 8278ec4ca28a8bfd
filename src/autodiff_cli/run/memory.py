"""Where the arrays of a list of steps live: shapes in, memory out, given on to a later array after an array's last use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays_lane import DTYPES
from .kernels_fill import Fill, memory_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .arrays_lane import Step

    Array = Any
    Shape = tuple[int, ...]

FEW = 32  # so short an innermost axis costs more than a long one that is not one piece


class Memory:
    """Buffers by type and size; `bytes` is all that was ever asked for."""

    __slots__ = ("bytes", "free", "held")

    def __init__(self) -> None:
        self.free: list[Array] = []
        self.held: dict[Any, Array] = {}
        self.bytes = 0

    def take(self, shape: Shape, kind: str, order: Shape | None = None) -> tuple[Array, Array]:
        """An array, and the buffer it lies in; `order` are its axes from the outermost in memory to the innermost."""
        size, dtype = int(np.prod(shape, dtype=int)), np.dtype(DTYPES[kind])
        fitting = [b for b in self.free if b.dtype == dtype and len(b) >= size]
        if fitting:
            buffer = min(fitting, key=len)
            self.free = [b for b in self.free if b is not buffer]
        else:
            buffer = np.empty(size, dtype)
            self.bytes += buffer.nbytes
        if order is None:
            return buffer[:size].reshape(shape), buffer
        return buffer[:size].reshape([shape[k] for k in order]).transpose(np.argsort(order)), buffer

    def give(self, buffer: Array) -> None:
        """The buffer is free for other arrays."""
        self.free.append(buffer)

    def hold(self, shape: Shape, dtype: Any) -> Array:
        """An array for the time of one step, the same for all steps that ask for so much."""
        size = int(np.prod(shape, dtype=int))
        key = (np.dtype(dtype), size)
        if key not in self.held:
            self.held[key] = np.empty(size, dtype)
            self.bytes += self.held[key].nbytes
        return self.held[key].reshape(shape)


def layout(shape: Shape, args: Sequence[Array]) -> Shape | None:
    """The order of axes for the result of a step entry by entry: that of an argument, else with a long axis innermost; None for row order."""
    for a in args:
        if a.shape == shape and a.ndim > 1 and not a.flags.c_contiguous and 0 not in a.strides:
            return memory_order(a)
        if a.shape == shape and 0 not in a.strides:
            return None
    if len(shape) < 2 or shape[-1] >= FEW or max(shape) <= FEW:
        return None
    long = max(range(len(shape)), key=lambda k: shape[k])
    return (*[k for k in range(len(shape)) if k != long], long)


def last_uses(steps: Sequence[Step], keep: Iterable[int]) -> dict[int, int]:
    """The step after which nothing looks at the memory of a slot; a view looks at that of its argument."""
    last: dict[int, int] = dict.fromkeys(keep, len(steps))
    for k in range(len(steps) - 1, -1, -1):
        func, args, slot, _ = steps[k]
        until = max(k, last.get(slot, k)) if type(func) is Fill and func.view else k
        for j in args:
            last[j] = max(last.get(j, -1), until)
    return last


def needed(steps: Sequence[Step], outs: Iterable[int]) -> list[Step]:
    """The steps that the slots `outs` come from."""
    wanted = set(outs)
    found = []
    for step in reversed(steps):
        if step.slot in wanted or step.slot < 0:
            wanted.update(step.args)
            found.append(step)
    return found[::-1]
