"""Lists, attributes and indices: trees and lowered parts in, nodes of linear ops out."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Diagnostic, Label, error
from ..graph import Expr
from ..ops.arithmetic import select
from ..ops.array import array, constants, stacked
from ..ops.linear import Many, indexed, permuted, place_below, reshaped, take
from ..types import broadcast

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from ..diagnostics import Span
    from ..syntax import Tree
    from .lowering import Lowering

    Shape = tuple[int, ...]
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
    """`x[…]` with whole numbers, slices, `None`, `...`, masks, and arrays of places that may depend on data."""
    value, items = tree.parts
    items = [item for item in items if item.kind != "tuple" or item.parts]  # `x[()]`
    of: Any = yield value
    if type(of) is tuple:
        return (yield _of_tuple(self, of, tree))
    x = self.expr(of, value)
    found: list[Any] = []
    for item in items:
        found.append(None if _is_none(item) else item if item.kind == "ellipsis" else (yield from _item(self, item)))
    if not x.type.shape and any(_axes_used(item) for item in found):
        raise error("needs-array", "one number has no entries", self.span(tree))
    self.at(tree)
    return _chosen(self, x, _spread(self, items, found, x.type.shape), self.span(value).text)


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


def _spread(self: Lowering, items: Sequence[Tree], found: list[Any], shape: Shape) -> list[Any]:
    """The items with `...` written out as full slices."""
    used = sum(map(_axes_used, found))
    if used > len(shape):
        raise error(
            "index-count",
            f"{used} places for {len(shape)} {'axis' if len(shape) == 1 else 'axes'}",
            self.span(items[0]).to(self.span(items[-1])),
        )
    dots = [k for k, item in enumerate(items) if item.kind == "ellipsis"]
    if len(dots) > 1:
        raise error("index-count", "`...` stands once in an index", self.span(items[dots[1]]))
    if dots:
        found[dots[0] : dots[0] + 1] = [(None, None, None)] * (len(shape) - used)
    return found


def _axes_used(item: Any) -> int:
    """How many axes an item of an index takes: a mask as many as it has itself."""
    if not isinstance(item, tuple):
        return 0
    mask = isinstance(item[1], Expr) and item[1].type.kind == "bool"
    return max(len(item[1].type.shape), 1) if mask else 1


def _is_none(item: Tree) -> bool:
    return item.kind == "name" and item.parts[0] == "None"


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


def _chosen(self: Lowering, x: Expr, items: list[Any], text: str) -> Expr:
    """Whole numbers, slices and new axes first, then the arrays of places: all together, as NumPy takes them."""
    places = _resolved(self, items, x.type.shape, text)
    arrays = any(isinstance(p, Many) or (isinstance(p, Expr) and p.type.shape) for p, _ in places)
    basic: list[Any] = []
    later: list[tuple[int, Any, Tree | None]] = []
    sizes = iter(x.type.shape)
    made = 0
    for place, tree in places:
        size = None if place is None else next(sizes)
        waits = isinstance(place, Many | Expr) or (arrays and isinstance(place, int))
        if waits:
            later.append((made, place, tree))
        basic.append((0, size, 1) if waits else place)
        made += not isinstance(basic[-1], int)
    if not x.type.shape:
        x = reshaped(x, (1,) * len(basic))
    elif any(item != (0, n, 1) for item, n in zip(basic, x.type.shape, strict=False)) or None in basic:
        x = indexed(x, tuple(basic))
    if arrays:
        return _together(self, x, later)
    for at, place, _ in reversed(later):
        x = x.graph.add(take, [x, _checked(self, place, x.type.shape[at])], at)
    return x


def _resolved(self: Lowering, items: list[Any], shape: Shape, text: str) -> list[tuple[Any, Tree | None]]:
    """Each item as a whole number, a slice with all its numbers, `None`, an array of places or an expression of data; with its text."""
    found: list[tuple[Any, Tree | None]] = []
    axis = 0
    for item in items:
        if item is None:
            found.append((None, None))
            continue
        used = _axes_used(item)
        if isinstance(item[0], type(None) | int):
            bounds = range(shape[axis])[slice(*item)]
            found.append(((bounds.start, bounds.stop, bounds.step), None))
        else:
            tree, value = item
            masks = value.type.kind == "bool"
            places = _kept(self, tree, value, shape[axis : axis + used], text) if masks else [_places(self, tree, value, shape[axis])]
            found += [(place, tree) for place in places]
        axis += used
    return found


def _together(self: Lowering, x: Expr, later: list[tuple[int, Any, Tree | None]]) -> Expr:
    """Entries by several arrays of places, stretched to one shape; it stands where they stand, or in front if something is between them."""
    axes, places, trees = zip(*later, strict=True)
    shapes = [p.shape if isinstance(p, Many) else p.type.shape if isinstance(p, Expr) else () for p in places]
    if broadcast(*shapes) is None:
        raise _unlike([(tree, shape) for tree, shape in zip(trees, shapes, strict=True) if tree is not None and shape], self)
    first = axes[0]
    if axes[-1] - first >= len(axes):
        x, first = permuted(x, (*axes, *[k for k in range(len(x.type.shape)) if k not in axes])), 0
    before, sizes, after = x.type.shape[:first], x.type.shape[first : first + len(axes)], x.type.shape[first + len(axes) :]
    if not any(isinstance(p, Expr) for p in places):
        return indexed(x, (*[(0, n, 1) for n in before], *places))
    flat = x.graph.const("0")
    for k, (place, size) in enumerate(zip(places, sizes, strict=True)):
        one = _checked(self, place, size) if isinstance(place, Expr) else _written(x, place)
        flat = flat * size + one if k else one
    return x.graph.add(take, [reshaped(x, (*before, prod(sizes), *after)), flat], first)


def _checked(self: Lowering, places: Expr, size: int) -> Expr:
    """Places that must be there; where the entry is not wanted they are not looked at, also not by its derivatives."""
    wanted = self.runs()
    found = places.graph.add(place_below, [places], size)
    return found if wanted is None else select(wanted, found, 0)


def _written(x: Expr, place: Any) -> Expr:
    """Places that are known, as an array of the graph."""
    return constants(x, [str(k) for k in place], place.shape) if isinstance(place, Many) else x.graph.lift(place)


def _unlike(operands: list[tuple[Tree, Shape]], self: Lowering) -> AutodiffError:
    labels = [Label(self.span(tree), f"shape {shape}") for tree, shape in operands]
    listed = " and ".join([str(shape) for _, shape in operands])
    hint = "x[i][:, j] takes rows, then columns of them"
    return AutodiffError(Diagnostic("index-arrays", f"places of shapes {listed} do not fit together", tuple(labels), hint=hint))


def _kept(self: Lowering, tree: Tree, mask: Expr, shape: Shape, text: str) -> list[Many]:
    """The places of the entries that a mask keeps, for each of its axes; what it is made of is static. `text` is what it masks."""
    span = self.span(tree)
    whole = f"where({span.text}, {text}, 0)"
    if not mask.type.shape:
        raise error("mask", "a mask is an array of conditions, and this is one condition", span, hint=whole)
    if mask.type.shape != shape:
        raise error("mask", f"a mask of shape {mask.type.shape} for entries of shape {shape}", span)
    try:
        held = self.calls.known(mask, span, "which entries a mask keeps")
    except AutodiffError as problem:
        raise error("mask", problem.diagnostic.message, span, hint=f"{whole} keeps the shape, sum({whole}) adds what is chosen") from None
    return [Many([int(k) for k in axis], axis.shape) for axis in held.nonzero()]


def _places(self: Lowering, tree: Tree, value: Expr, size: int) -> Any:
    span = self.span(tree)
    if value.text is not None and not value.type.shape:
        k = value.whole
        if self.under and k is not None and not -size <= k < size:
            return value
        return _in_range(int(self.calls.whole(value, span, "a place")), size, span)
    if value.node.op is not array:
        return value
    texts, shape = value.node.attr
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
