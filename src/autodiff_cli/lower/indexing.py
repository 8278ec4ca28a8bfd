"""Lists, attributes and indices: trees and lowered parts in, nodes of linear ops out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import Span, error
from ..graph import Expr
from ..ops.array import array, constants, stacked
from ..ops.linear import Many, indexed, permuted, place_below, take

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from ..syntax import Tree
    from .lowering import Lowering

    Rule = Generator[Tree, Expr, Expr]


def lower_list(self: Lowering, tree: Tree) -> Rule:
    """`[a, b]`: an array of its entries along a new first axis."""
    if not tree.parts:
        raise error("empty-list", "a list without entries is no array", self.span(tree), hint="zeros(0)")
    parts = []
    for item in tree.parts:
        parts.append(self.expr((yield item), item))
    self.at(tree)
    shapes = [p.type.shape for p in parts]
    for item, shape in zip(tree.parts, shapes, strict=True):
        if shape != shapes[0]:
            raise error(
                "ragged-list",
                f"an entry of shape {shape} beside one of shape {shapes[0]}",
                self.span(item),
                hint="every row of a matrix has the same length",
            )
    return stacked(parts)


def lower_attribute(self: Lowering, tree: Tree) -> Rule:
    """`.T` reverses the axes; `.shape` is an array of whole numbers that are known beforehand."""
    value, name = tree.parts
    x = self.expr((yield value), value)
    self.at(tree)
    shape = x.type.shape
    if name == "T":
        return permuted(x, tuple(reversed(range(len(shape)))))
    return constants(x, [str(n) for n in shape], (len(shape),))


def lower_index(self: Lowering, tree: Tree) -> Rule:
    """`x[…]` with whole numbers, slices, `None`, `...`, arrays, and at most one array of data-dependent places."""
    value, items = tree.parts
    of: Any = yield value
    if type(of) is tuple:
        return (yield _of_tuple(self, of, tree))
    x = self.expr(of, value)
    shape = x.type.shape
    if not shape:
        raise error("needs-array", "one number has no entries", self.span(tree))
    found: list[Any] = []
    for item in _spread(self, items, shape):
        found.append(item if item is None or isinstance(item, tuple) else (yield from _item(self, item)))
    self.at(tree)
    return _chosen(self, x, found, tree)


def _of_tuple(self: Lowering, values: tuple[Any, ...], tree: Tree) -> Any:
    """An entry of several values, at a place that is known beforehand."""
    items = tree.parts[1]
    k = (
        int(self.calls.whole(self.expr((yield items[0]), items[0]), self.span(items[0]), "a place"))
        if len(items) == 1 and items[0].kind != "slice"
        else None
    )
    if k is None or not -len(values) <= k < len(values):
        raise error("out-of-range", f"there is no such entry of {len(values)} values", self.span(tree))
    return values[k]


def _spread(self: Lowering, items: Sequence[Tree], shape: tuple[int, ...]) -> list[Any]:
    """The items with `...` written out as full slices."""
    used = sum(not (_is_none(item) or item.kind == "ellipsis") for item in items)
    if used > len(shape):
        raise error(
            "index-count",
            f"{used} places for {len(shape)} {'axis' if len(shape) == 1 else 'axes'}",
            self.span(items[0]).to(self.span(items[-1])),
        )
    full: list[Any] = [(None, None, None)] * (len(shape) - used)
    dots = [k for k, item in enumerate(items) if item.kind == "ellipsis"]
    if len(dots) > 1:
        raise error("index-count", "`...` stands once in an index", self.span(items[dots[1]]))
    if dots:
        return [*map(_bare, items[: dots[0]]), *full, *map(_bare, items[dots[0] + 1 :])]
    return list(map(_bare, items))


def _is_none(item: Tree) -> bool:
    return item.kind == "name" and item.parts[0] == "None"


def _bare(item: Tree) -> Any:
    return None if _is_none(item) else item


def _item(self: Lowering, item: Tree) -> Generator[Tree, Expr, Any]:
    if item.kind == "slice":
        bounds = []
        for part in item.parts:
            bounds.append(
                None
                if part is None or _is_none(part)
                else int(self.calls.whole(self.expr((yield part), part), self.span(part), "a bound of a slice"))
            )
        if bounds[2] == 0:
            raise error("slice-step", "the step of a slice is 0", self.span(item))
        return tuple(bounds)
    return (item, self.expr((yield item), item))


def _chosen(self: Lowering, x: Expr, items: list[Any], tree: Tree) -> Expr:
    """Static places first, then the places that depend on data."""
    static: list[Any] = []
    data: list[tuple[int, Expr]] = []
    axis = made = 0
    for item in items:
        if item is None:
            static.append(None)
            made += 1
            continue
        size = x.type.shape[axis]
        fixed = _fixed(self, item, size)
        if isinstance(fixed, Expr):
            data.append((made, fixed))
            fixed = (0, size, 1)
        static.append(fixed)
        made += 1 if isinstance(fixed, tuple) and not isinstance(fixed, Many) else 0
        axis += 1
    if len([places for _, places in data if places.type.shape]) > 1 or (data and any(isinstance(s, Many) for s in static)):
        raise error(
            "index-arrays", "one array of places that depend on data at a time", self.span(tree), hint="index once more: x[i][:, j]"
        )
    if None in static or any(s != (0, n, 1) for s, n in zip(static, x.type.shape, strict=False)):
        x = indexed(x, tuple(static))
    for at, places in reversed(data):
        x = x.graph.add(take, [x, x.graph.add(place_below, [places], x.type.shape[at])], at)
    return x


def _fixed(self: Lowering, item: Any, size: int) -> Any:
    """An item as whole numbers, a slice with all its numbers, or an array of places; or an expression of data."""
    if not isinstance(item[0], type(None) | int):
        tree, value = item
        return _places(self, tree, value, size)
    bounds = range(size)[slice(*item)]
    return (bounds.start, bounds.stop, bounds.step)


def _places(self: Lowering, tree: Tree, value: Expr, size: int) -> Any:
    span = self.span(tree)
    if value.text is not None and not value.type.shape and value.type.kind == "real":
        return _in_range(int(self.calls.whole(value, span, "a place")), size, span)
    if value.node.op is not array:
        if value.type.kind == "bool":
            raise error(
                "mask", "which entries a mask of data keeps is not known beforehand", span, hint="where(mask, x, 0) keeps the shape"
            )
        return value
    texts, shape = value.node.attr
    if value.type.kind == "bool":
        if shape != (size,):
            raise error("mask", f"a mask of {shape[0] if shape else 0} conditions for {size} entries", span)
        chosen = [k for k, t in enumerate(texts) if t == "True"]
        return Many(chosen, (len(chosen),))
    return Many([_in_range(_whole_text(t, span), size, span) for t in texts], shape)


def _whole_text(text: str, span: Span) -> int:
    if not text.lstrip("-").isdigit():
        raise error("whole-number", f"a place must be a whole number, and it is {text}", span)
    return int(text)


def _in_range(k: int, size: int, span: Span) -> int:
    if not -size <= k < size:
        raise error(
            "out-of-range",
            f"there is no entry {k}: the axis has {size}",
            span,
            hint=f"0 to {size - 1}, or -1 for the last" if size else None,
        )
    return k % size
