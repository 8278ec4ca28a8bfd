"""A tree in, its text with every bracket written out: how the line was understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.tree import Tree

Pieces = list[Any]
DEEPEST = 20
BLOCKS = {"def": 2, "if": 1, "for": 2, "while": 1}  # kinds of statements with a block, and which of their parts it is
ATOMS = frozenset(("number", "name", "string", "call", "index", "attribute", "list", "tuple", "comprehension", "ellipsis"))


def brackets(tree: Tree) -> list[str]:
    """One line a statement; what stands in a block is indented."""
    found: list[str] = []
    todo: list[tuple[int, Tree | str]] = [(0, part) for part in reversed(tree.parts if tree.kind == "program" else (tree,))]
    while todo:
        depth, part = todo.pop()
        found.append("    " * min(depth, DEEPEST) + (part if isinstance(part, str) else _written(part)))
        if not isinstance(part, str) and part.kind in BLOCKS:
            body, otherwise = part.parts[BLOCKS[part.kind]], part.parts[2] if part.kind == "if" else None
            last: list[tuple[int, Tree | str]] = [(depth, "else:"), *[(depth + 1, s) for s in otherwise]] if otherwise else []
            todo += reversed([*[(depth + 1, s) for s in body], *last])
            found[-1:] = [*["    " * min(depth, DEEPEST) + line for line in _decorators(part)], found[-1]]
    return found


def _decorators(tree: Tree) -> list[str]:
    return [f"@{_written(decorator)}" for decorator in tree.parts[3]] if tree.kind == "def" else []


def _written(tree: Tree) -> str:
    written: list[str] = []
    todo: Pieces = [tree]
    while todo:
        piece = todo.pop()
        if isinstance(piece, str):
            written.append(piece)
        else:
            todo.extend(reversed(RULES.get(piece.kind, _unknown)(piece)))
    return "".join(written)


def _inner(tree: Tree) -> Pieces:
    """An operand: in brackets unless it is one word."""
    return [tree] if tree.kind in ATOMS else ["(", tree, ")"]


def _unary(tree: Tree) -> Pieces:
    symbol, operand = tree.parts
    return [symbol + (" " if symbol.isalpha() else ""), *_inner(operand)]


def _binary(tree: Tree) -> Pieces:
    symbol, left, right = tree.parts
    return [*_inner(left), f" {symbol} ", *_inner(right)]


def _logic(tree: Tree) -> Pieces:
    return [*_inner(tree.parts[0]), f" {tree.kind} ", *_inner(tree.parts[1])]


def _compare(tree: Tree) -> Pieces:
    pieces = _inner(tree.parts[0])
    for symbol, operand in zip(tree.parts[1::2], tree.parts[2::2], strict=True):
        pieces += [f" {symbol} ", *_inner(operand)]
    return pieces


def _ifelse(tree: Tree) -> Pieces:
    condition, then, otherwise = tree.parts
    return [*_inner(then), " if ", *_inner(condition), " else ", *_inner(otherwise)]


def _call(tree: Tree) -> Pieces:
    callee, args, keywords = tree.parts
    named = [[f"{name}=", value] for name, value in keywords]
    return [*_inner(callee), "(", *_joined([[a] for a in args] + named), ")"]


def _index(tree: Tree) -> Pieces:
    value, items = tree.parts
    return [*_inner(value), "[", *_joined([[item] for item in items]), "]"]


def _slice(tree: Tree) -> Pieces:
    start, stop, step = tree.parts
    return [*([start] if start else []), ":", *([stop] if stop else []), *([":", step] if step else [])]


def _list(tree: Tree) -> Pieces:
    return ["[", *_joined([[item] for item in tree.parts]), "]"]


def _tuple(tree: Tree) -> Pieces:
    return _joined([[item] for item in tree.parts])


def _assign(tree: Tree) -> Pieces:
    return [tree.parts[0], " = ", tree.parts[1]]


def _augmented(tree: Tree) -> Pieces:
    name, symbol, value = tree.parts
    return [name, " = ", name, f" {symbol} ", *_inner(value)]


def _change(tree: Tree) -> Pieces:
    target, sign, value = tree.parts
    return [target, f" {sign}= ", value]


def _def(tree: Tree) -> Pieces:
    name, params, _, _ = tree.parts
    return [f"def {name}(", *_joined([[p.parts[0], *(["=", p.parts[1]] if p.parts[1] else [])] for p in params]), "):"]


def _return(tree: Tree) -> Pieces:
    return ["return ", tree.parts[0]] if tree.parts[0] else ["return"]


def _comprehension(tree: Tree) -> Pieces:
    item, clauses = tree.parts
    pieces: Pieces = ["[", *_inner(item)]
    for word, *parts in clauses:
        pieces += [f" {word} ", *([parts[0], " in ", *_inner(parts[1])] if word == "for" else _inner(parts[0]))]
    return [*pieces, "]"]


def _joined(items: list[Pieces]) -> Pieces:
    return [piece for k, item in enumerate(items) for piece in ([", "] if k else []) + item]


def _unknown(tree: Tree) -> Pieces:
    return [tree.kind]


def _name(tree: Tree) -> Pieces:
    name, prefix = tree.parts
    return [f"{prefix}.{name}" if prefix else name]


def _string(tree: Tree) -> Pieces:
    from .text import literal

    return [literal(tree.parts[0])]


RULES: dict[str, Callable[[Tree], Pieces]] = {
    "and": _logic,
    "assign": _assign,
    "attribute": lambda tree: [*_inner(tree.parts[0]), ".", tree.parts[1]],
    "augmented": _augmented,
    "binary": _binary,
    "call": _call,
    "change": _change,
    "compare": _compare,
    "comprehension": _comprehension,
    "def": _def,
    "ellipsis": lambda _: ["..."],
    "expression": lambda tree: [tree.parts[0]],
    "for": lambda tree: ["for ", tree.parts[0], " in ", tree.parts[1], ":"],
    "if": lambda tree: ["if ", tree.parts[0], ":"],
    "ifelse": _ifelse,
    "index": _index,
    "list": _list,
    "name": _name,
    "number": lambda tree: [tree.parts[0]],
    "or": _logic,
    "return": _return,
    "slice": _slice,
    "string": _string,
    "tuple": _tuple,
    "unary": _unary,
    "while": lambda tree: ["while ", tree.parts[0], ":"],
}
