"""How shapes, indices and nested lists are written in the language: their parts in, texts out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.linear import Many

if TYPE_CHECKING:
    from collections.abc import Sequence


def sizes(shape: Sequence[int]) -> str:
    """The sizes of axes, as arguments or in a tuple."""
    return ", ".join(map(str, shape))


def nested(texts: Sequence[str], shape: Sequence[int]) -> str:
    """The nested list of the entries of an array in row order."""
    level = list(texts)
    for size in reversed(shape):
        level = ["[" + ", ".join(level[k : k + size]) + "]" for k in range(0, len(level), size)] if size else [f"zeros({sizes(shape)})"]
    return level[0]


def item(part: Any, size: int) -> str:
    """One part of an index."""
    if part is None or isinstance(part, int):
        return str(part)
    if isinstance(part, Many):
        return nested([str(k) for k in part], part.shape)
    start, stop, step = part
    last = stop < 0 if step < 0 else stop >= size
    first = start >= size - 1 if step < 0 else start <= 0
    return f"{'' if first else start}:{'' if last else stop}{'' if step == 1 else f':{step}'}"


def index_text(attr: Sequence[Any], shape: Sequence[int]) -> str:
    """An index as it is written in brackets."""
    left = list(shape)
    return indices([item(part, 0 if part is None else left.pop(0)) for part in attr])


def indices(items: list[str]) -> str:
    """Items in brackets, full slices at the end left out."""
    while len(items) > 1 and items[-1] == ":":
        items = items[:-1]
    return "[" + ", ".join(items) + "]"


def aligned(before: Sequence[int], after: Sequence[int]) -> list[str]:
    """The index that adds or takes away axes of size 1."""
    items, k = [], 0
    for n in after:
        while k < len(before) and before[k] != n and before[k] == 1:
            items.append("0")
            k += 1
        if k < len(before) and before[k] == n:
            items.append(":")
            k += 1
        else:
            items.append("None")
    return items + ["0"] * (len(before) - k)
