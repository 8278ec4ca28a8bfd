"""`x[…] = value` in, the error out that shows the new value to write: values do not change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import AutodiffError, error
from ..graph import Expr
from ..ops import FUNCTIONS
from ..syntax.tree import walk
from .anew import Array, Item, Value, anew, names_not_in
from .shapes import as_operand
from .statements import unpacked

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from ..syntax import Tree
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]


class Level(NamedTuple):
    """One index of a target: the array it looks into, its items, and the shape of what it chooses, if that is known."""

    base: Tree
    array: Array
    items: list[Item]
    chosen: tuple[int, ...] | None


def change(self: Lowering, tree: Tree) -> Task:
    """Refuse an assignment to entries of an array."""
    target, sign, value = tree.parts
    found = yield value
    names = names_not_in(self.source.text)
    if target.kind == "tuple":
        hint = yield _several(self, target, value, found, names)
    elif sign:
        hint = yield _augmented(self, target, sign, value, found, names)
    else:
        everywhere = yield _everywhere(self, target, value)
        hint = yield _one(self, target, everywhere or Value(_listed(self, value, found), _shape(found)), names)
    first = next(part for part in target.parts if part.kind == "index") if target.kind == "tuple" else target
    message = f"values do not change, and `{_text(self, first)}` would change `{_text(self, _root(first))}`"
    raise error("immutable", message, self.span(first), "write a new value", hint=hint)


def _several(self: Lowering, target: Tree, value: Tree, found: Any, names: Iterator[str]) -> Task:
    """`x[0], y = a, b`: the values first, under names of their own, then one change after another."""
    listed, changes = [], []
    for part, item in zip(
        target.parts, unpacked(self, found, len(target.parts), self.span(target).to(self.span(value)), target), strict=True
    ):
        listed.append(next(names) if part.kind == "index" else _text(self, part))
        if part.kind == "index":
            changes.append((yield _one(self, part, Value(listed[-1], _shape(item)), names)))
    return "; ".join([f"{', '.join(listed)} = {_text(self, value)}", *changes])


def _augmented(self: Lowering, target: Tree, sign: str, value: Tree, found: Any, names: Iterator[str]) -> Task:
    """`x[0] += 1`; where several entries get the same, all of the array is what it is added to."""
    level = yield _level(self, target)
    kinds = [item.kind for item in level.items]
    whole = _shape(found) == () and set(kinds) != {"place"} and kinds.count("places") < 2
    left, right = "" if whole else _text(self, target), as_operand(_text(self, value))
    return (yield _one(self, target, Value(f"{left} {sign} {right}", level.chosen or (), whole=whole), names))


def _everywhere(self: Lowering, target: Tree, value: Tree) -> Task:
    """`x[m]*2 + y[m]` as the same of whole arrays, where that is what `x[m]` is to be; else None."""
    level = yield _level(self, target)
    if [item.kind for item in level.items] != ["mask"] or level.array.shape is None or level.base is not target.parts[0]:
        return None
    todo, taken = [value], []
    while todo:
        part = todo.pop()
        if part.kind == "index" and [_text(self, item) for item in part.parts[1]] == [level.items[0].text]:
            if _shape((yield _known(self, part.parts[0]))) != level.array.shape:
                return None
            taken.append(part)
        elif part.kind in ("binary", "unary"):
            todo += [child for child in part.parts if not isinstance(child, str)]
        elif part.kind == "call" and part.parts[0].kind == "name" and _by_entry(part.parts[0].parts[0]):
            todo += part.parts[1]
        elif _shape((yield _known(self, part))):
            return None
    if not taken:
        return None
    text, start = self.span(value).text, value.start
    for part in sorted(taken, key=lambda part: -part.start):
        text = text[: part.start - start] + _text(self, part.parts[0]) + text[part.end - start :]
    return Value(" ".join(text.split()))


def _by_entry(name: str) -> bool:
    op = FUNCTIONS.get(name)
    return op is not None and op.rule == "elementwise"


def _one(self: Lowering, target: Tree, value: Value, names: Iterator[str]) -> Task:
    """The statement that stands for `target = value`."""
    root = _root(target)
    name, loop = _text(self, root) if root.kind == "name" else "y", ""
    while target is not root:
        if target.kind == "attribute":  # `A.T[0] = …`
            value, target = Value(f"{as_operand(value.text)}.T"), target.parts[0]
            continue
        level = yield _level(self, target)
        new = None if loop else anew(level.array, level.items, value, level.chosen, names)
        if new is None:
            return f"{name} = where(c, y, {name}), with conditions `c` and new values `y` for the entries of `{name}`"
        value, loop, target = Value(new.text, level.array.shape or ()), new.loop, level.base
    return f"{loop}{name} = {value.text}"


def _level(self: Lowering, target: Tree) -> Task:
    """An index with what it looks into; `A[0][1]` is `A[0, 1]`."""
    base, items = target.parts[0], (yield _items(self, target))
    while base.kind == "index":
        inner = yield _items(self, base)
        if any(item.kind != "place" for item in inner):
            break
        base, items = base.parts[0], [*inner, *items]
    array, chosen = (yield _known(self, base)), (yield _known(self, target))
    shape = _shape(array) or None
    return Level(base, Array(_text(self, base), shape), items, _shape(chosen) if shape and isinstance(chosen, Expr) else None)


def _items(self: Lowering, index: Tree) -> Task:
    found = []
    for tree in index.parts[1]:
        found.append((yield _item(self, tree)))
    return found


def _item(self: Lowering, tree: Tree) -> Task:
    """One item of an index."""
    text = _text(self, tree)
    if tree.kind == "slice":
        bounds = tuple([None if part is None else _text(self, part) for part in tree.parts])
        return Item("slice", text, bounds=bounds, plain=all([part is None or _plain(self, part) for part in tree.parts]))
    if tree.kind == "ellipsis":
        return Item("ellipsis", text)
    value = yield _known(self, tree)
    if not isinstance(value, Expr):
        return Item("other", text)
    rank = len(value.type.shape)
    if value.type.kind == "bool":
        return Item("mask", text, max(rank, 1))
    return Item(
        "places" if rank else "place",
        text,
        rank,
        plain=all([_plain(self, part, signs=()) for part in tree.parts])
        if rank and tree.kind == "list"
        else not rank and _plain(self, tree),
    )


def _known(self: Lowering, tree: Tree) -> Task:
    """What a tree stands for; None where that cannot be told."""
    try:
        return (yield tree)
    except AutodiffError:
        return None


def _plain(self: Lowering, tree: Tree, signs: tuple[str, ...] = ("-",)) -> bool:
    """Whether a place is not below 0, as it is written, but for a sign before a number."""
    if tree.kind == "unary" and tree.parts[0] in signs:
        return bool(tree.parts[1].kind == "number")
    return all(
        part.kind == "number"
        or (part.kind == "name" and _counts_up(self.source.text, part.parts[0]))
        or (part.kind == "binary" and part.parts[0] in ("+", "*", "//", "%"))
        for part in walk(tree)
    )


def _counts_up(text: str, name: str) -> bool:
    """Whether a name is only that of loops over `range(n)` and `range(0, n)`."""
    from ..syntax.found import after
    from ..syntax.statements import parts

    headers = [*re.finditer(rf"\bfor\s+{name}\s+in\s+range\s*(?=\()", text)]
    bounds = [parts(text[head.end() + 1 : after(text, head.end()) - 1]) for head in headers]
    set_elsewhere = re.search(rf"(?<![\w.]){name}\b\s*(?:,|(?:[-+*/%@|&^]|//|\*\*)?=(?!=))", text)
    up = all([len(b) == 1 or (len(b) == 2 and b[0].isdigit()) for b in bounds])
    return bool(headers) and up and not set_elsewhere and len(headers) == len(re.findall(rf"\bfor\b[^\n]*?\b{name}\b[^\n]*?\bin\b", text))


def _listed(self: Lowering, tree: Tree, found: Any) -> str:
    """The text of a value; several are an array."""
    text = _text(self, tree)
    return f"[{text[1:-1] if text.startswith('(') else text}]" if type(found) is tuple and tree.kind == "tuple" else text


def _shape(value: Any) -> tuple[int, ...]:
    if type(value) is tuple:
        return (len(value), *_shape(value[0])) if value else ()
    return value.type.shape if isinstance(value, Expr) else ()


def _root(tree: Tree) -> Tree:
    while tree.kind in ("index", "attribute"):
        tree = tree.parts[0]
    return tree


def _text(self: Lowering, tree: Tree) -> str:
    return " ".join(self.span(tree).text.split())
