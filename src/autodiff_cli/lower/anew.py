"""An array, an index of it and a value in; the text of the array with the value there out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..types import broadcast
from .shapes import as_operand

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Shape = tuple[int | None, ...]


class Item(NamedTuple):
    """One item of an index: a place, places, a mask, a slice, all ("full"), "ellipsis" or "other".

    `bounds` are the texts of a slice; `plain` says that no place or bound is below 0 but by a minus sign before a number.
    """

    kind: str
    text: str
    rank: int = 0
    bounds: tuple[str | None, ...] = ()
    plain: bool = True


class Array(NamedTuple):
    """What is changed: its text, and its shape or None where that is not known yet."""

    text: str
    shape: Shape | None

    def size(self, axis: int) -> str:
        return f"{self.text}.shape[{axis}]" if axis else f"len({self.text})"


class Value(NamedTuple):
    """What is put there; with `whole` the text is what follows on the array, and there is a value for every entry."""

    text: str
    shape: tuple[int, ...] = ()
    whole: bool = False

    def over(self, array: str) -> str:
        return f"{array}{self.text}" if self.whole else self.text


class New(NamedTuple):
    """The text of the new array, and the `for` that makes it one entry after another."""

    text: str
    loop: str = ""


FULL = Item("full", ":")
NAMES = "kjniwvmpqabcrst"


def names_not_in(text: str) -> Iterator[str]:
    """Names that a text does not hold, one after another."""
    used = set(re.findall(r"\w+", text))
    yield from [name for name in (*NAMES, *[f"k{n}" for n in range(1000)]) if name not in used]


def anew(array: Array, items: Sequence[Item], value: Value, chosen: tuple[int, ...] | None, names: Iterator[str]) -> New | None:
    """The array with the value at an index, which chooses a part of this shape; None where no line says it."""
    kinds = [item.kind for item in items]
    if "other" in kinds or (chosen is not None and not value.whole and broadcast(value.shape, chosen) != chosen):
        return None
    if kinds == ["mask"]:
        return _masked(array, items[0], value, names)
    if array.shape is None and len(items) == 1 and kinds != ["ellipsis"]:
        return _each(array, items[0], value, names)
    axes = _axes(items, array.shape)
    shape = array.shape or (None,) * len(axes)
    return _spread(Array(array.text, shape), axes, value, chosen, names) if _simple(axes, value) else _paired(array, axes, value, names)


def _axes(items: Sequence[Item], shape: Shape | None) -> list[Item]:
    """One item for each axis."""
    short = max(0, len(shape or ()) - len([item for item in items if item.kind != "ellipsis"]))
    dots = next((k for k, item in enumerate(items) if item.kind == "ellipsis"), len(items))
    spread = [*items[:dots], *[FULL] * (short or (shape is None and dots < len(items))), *items[dots + 1 :]]
    return [FULL if item.kind == "slice" and item.bounds[0] in (None, "0") and item.bounds[1:] == (None, None) else item for item in spread]


def _simple(axes: Sequence[Item], value: Value) -> bool:
    """Whether every item is about an axis of its own, as where no more than one holds several places."""
    many = [k for k, item in enumerate(axes) if item.kind in ("places", "mask")]
    if not many:
        return True
    chosen = [k for k, item in enumerate(axes) if item.kind in ("places", "mask", "place")]
    apart = chosen[-1] - chosen[0] >= len(chosen)
    return len(many) == 1 and axes[many[0]].rank == 1 and not (apart and value.shape)


def _masked(array: Array, mask: Item, value: Value, names: Iterator[str]) -> New | None:
    """A mask alone: its conditions, for all entries behind each of them; a value for each place that it keeps goes there by itself."""
    rest = len(array.shape or ()) - mask.rank
    if len(value.shape) > max(rest, 0) and not value.whole and value.shape != (1,):
        if mask.rank > 1 or array.shape is None:
            return None
        place, part = next(names), next(names)
        inner = _spread(array, [Item("place", place), *[FULL] * rest], Value(part, value.shape[1:]), None, names)
        return inner and _looped(array, mask, f"{place}, {part}", value.text, inner.text)
    behind = f"[{', '.join([':'] * mask.rank + ['None'] * rest)}]" if rest > 0 else ""
    condition = f"{as_operand(mask.text)}{behind}" if behind else mask.text
    return New(f"where({condition}, {value.over(array.text)}, {array.text})")


def _each(array: Array, item: Item, value: Value, names: Iterator[str]) -> New:
    """An array of any number of axes, entry by entry of the first one."""
    if value.shape and item.kind == "slice" and item.bounds[2] is None:
        return New(_joined(array, 0, item, value.text))
    k, size = next(names), array.size(0)
    if value.shape and item.kind != "place":
        place, part = k, next(names)
        return _looped(array, item, f"{place}, {part}", value.text, _each(array, Item("place", place), Value(part), names).text)
    condition = _condition(item, size, k, "") if item.kind != "places" else f"any({k} == {_places(item, size)})"
    return New(f"[where({condition}, {value.over(f'{array.text}[{k}]')}, {array.text}[{k}]) for {k} in range({size})]")


def _spread(array: Array, axes: list[Item], value: Value, chosen: tuple[int, ...] | None, names: Iterator[str]) -> New | None:
    """The array by a condition on its places, where the value can be stretched over it; else piece by piece."""
    kept = [k for k, item in enumerate(axes) if item.kind != "place"]
    count = len(value.shape)
    if count > len(kept):
        return None
    along = kept[len(kept) - count :]
    bound = [k for k, n in zip(along, value.shape, strict=True) if axes[k].kind != "full" and n != 1]
    if not bound or value.whole:
        return New(_where(array, axes, value, along))
    axis = bound[0]
    if axes[axis].kind == "slice" and axes[axis].bounds[2] is None:
        size = chosen[kept.index(axis)] if chosen else None
        return _replaced(array, axes, axis, value, (size, chosen), names)
    if axis != along[0] or len(bound) > 1 or axes[axis].kind == "mask":
        return None
    place, part = next(names), next(names)
    inner = _spread(array, [*axes[:axis], Item("place", place), *axes[axis + 1 :]], Value(part, value.shape[1:]), None, names)
    return inner and _looped(array, axes[axis], f"{place}, {part}", value.text, inner.text, axis)


def _replaced(
    array: Array, axes: list[Item], axis: int, value: Value, sizes: tuple[int | None, tuple[int, ...] | None], names: Iterator[str]
) -> New | None:
    """The array with the part along a slice made anew."""
    size, chosen = sizes
    item, shape = axes[axis], array.shape or ()
    start, stop, _ = item.bounds
    piece = Array(_part(array, axis, f"{start or ''}:{stop or ''}"), (*shape[:axis], size, *shape[axis + 1 :]))
    inner = _spread(piece, [*axes[:axis], FULL, *axes[axis + 1 :]], value, chosen, names)
    return None if inner is None or inner.loop else New(_joined(array, axis, item, inner.text))


def _where(array: Array, axes: Sequence[Item], value: Value, along: Sequence[int]) -> str:
    """The choice between value and array; the value has an axis of length 1 where the index has a place."""
    rank = len(axes)
    found = [_condition(item, array.size(k), *_ranged(array, k, rank)) for k, item in enumerate(axes) if item.kind != "full"]
    if not found:
        return _everywhere(array, value)
    behind = ["None" if axes[k].kind == "place" else ":" for k in range(along[0], rank)] if along and not value.whole else []
    text = f"{as_operand(value.text)}[{', '.join(behind)}]" if "None" in behind else value.over(array.text)
    condition = found[0] if len(found) == 1 else " & ".join([f if f.startswith("any(") else f"({f})" for f in found])
    return f"where({condition}, {text}, {array.text})"


def _everywhere(array: Array, value: Value) -> str:
    """The value in place of all entries."""
    shape = array.shape or ()
    if value.whole or (
        value.shape and len(value.shape) == len(shape) and all(n in (None, m) for n, m in zip(shape, value.shape, strict=True))
    ):
        return value.over(array.text)
    return f"zeros({array.text}.shape) + {as_operand(value.text)}" if value.shape else f"full({array.text}.shape, {value.text})"


def _ranged(array: Array, axis: int, rank: int) -> tuple[str, str]:
    """The places along an axis, and the new axes behind it."""
    behind = f"[:, {', '.join(['None'] * (rank - 1 - axis))}]" if axis < rank - 1 else ""
    return f"arange({array.size(axis)}){behind}", behind


def _condition(item: Item, size: str, places: str, behind: str) -> str:
    """What holds of the places that an item chooses."""
    if item.kind == "place":
        place = _place(item.text, size)
        return f"{places} == {place if item.plain else f'{as_operand(place)} % {size}'}"
    if item.kind == "mask":
        return f"{as_operand(item.text)}{behind}"
    if item.kind == "slice" and item.plain and item.bounds[2] is None:
        start, stop, _ = item.bounds
        found = [f"{places} {sign} {_place(b, size)}" for sign, b in ((">=", start), ("<", stop)) if b is not None]
        return found[0] if len(found) == 1 else " & ".join([f"({f})" for f in found])
    if places.startswith("arange"):
        return f"any(arange({size})[:, None] == {_places(item, size)}, axis=1){behind}"
    return f"any({places} == {_places(item, size)})"


def _place(text: str, size: str) -> str:
    """A place counted from the front, where a sign says that it is counted from the end."""
    return f"{size} - {text[1:].lstrip()}" if re.fullmatch(r"[-−]\s*\d+", text) else text


def _places(item: Item, size: str) -> str:
    """The places that an item chooses, counted from the front."""
    return item.text if item.kind == "places" and item.plain else f"arange({size})[{item.text}]"


def _part(array: Array, axis: int, bounds: str) -> str:
    return f"{array.text}[{':, ' * axis}{bounds}]"


def _joined(array: Array, axis: int, item: Item, middle: str) -> str:
    """What stands before a slice, the new part, and what stands behind."""
    start, stop, _ = item.bounds
    before = [_part(array, axis, f":{start}")] if start not in (None, "0") else []
    behind = [_part(array, axis, f"{stop}:")] if stop is not None else []
    parts = ", ".join([*before, middle, *behind])
    return f"concatenate([{parts}]{f', axis={axis}' * (axis > 0)})" if before or behind else middle


def _looped(array: Array, item: Item, targets: str, value: str, inner: str, axis: int = 0) -> New:
    return New(inner, f"for {targets} in zip({_places(item, array.size(axis))}, {value}): ")


def _paired(array: Array, axes: Sequence[Item], value: Value, names: Iterator[str]) -> New | None:
    """Several arrays of places, one entry after another."""
    several = [item for item in axes if item.kind != "full"]
    fits = all(item.kind == "places" and item.rank == 1 for item in several) and len(value.shape) <= 1 and not value.whole
    if not fits or any(item.kind != "full" for item in axes[len(several) :]) or len(axes) > len(several) or array.shape is None:
        return None
    places = [next(names) for _ in several]
    if value.shape == (1,):
        value = Value(f"{as_operand(value.text)}[0]")
    if not value.shape and re.search(rf"\b{re.escape(array.text)}\b", value.text):
        value = Value(f"full(len({several[0].text}), {value.text})", (0,))
    part = [next(names)] if value.shape else []
    inner = _where(array, [Item("place", place) for place in places], Value(part[0] if part else value.text), ())
    sources = [_places(item, array.size(k)) for k, item in enumerate(several)]
    return New(inner, f"for {', '.join([*places, *part])} in zip({', '.join([*sources, *[value.text] * len(part)])}): ")
