"""Matches of grammar rules in, the tree out: one method a rule of `grammar/autodiff.lark`."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any

from .placement import refuse_outside, refuse_parameters
from .words import SYMBOLS, Refused, normalise, symbol, unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIXES = frozenset(("np", "numpy", "np.linalg", "numpy.linalg", "math", "jnp", "jnp.linalg"))
ATTRIBUTES = frozenset(("T", "shape"))
CALLED = frozenset(("grad", "deriv", "jacobian", "hessian"))

Children = list[Any]


class Tree:
    """A piece of a program: `kind` says what it is, `start` and `end` where it stands in the text.

    number (text) · name (name, prefix) · string (value) · unary (symbol, operand) ·
    binary (symbol, left, right) · compare (first, symbol, second, …) · and, or (left, right) ·
    ifelse (condition, then, otherwise) · call (callee, args, keywords) · index (value, items) ·
    attribute (value, name) · slice (start, stop, step) · ellipsis · list, tuple (items…) ·
    comprehension (item, clauses) · program (statements…) · expression (value) ·
    assign (target, value) · change (target, operator, value) · augmented (name, symbol, value) · def (name, params, body, decorators) ·
    param (name, default) · return (value) · if (condition, body, orelse) · for (target, iterable, body) ·
    while (condition, body) · pass, break, continue
    """

    __slots__ = ("end", "kind", "parts", "start")

    def __init__(self, kind: str, parts: tuple[Any, ...], start: int, end: int) -> None:
        self.kind, self.parts, self.start, self.end = kind, parts, start, end

    def __repr__(self) -> str:
        return f"<{self.kind} {self.start}:{self.end}>"


def walk(*roots: Any) -> Iterator[Tree]:
    """Every piece of trees, of tuples of trees and of what is in them; a piece comes before its parts."""
    todo = list(roots)
    while todo:
        item = todo.pop()
        if isinstance(item, Tree):
            yield item
            todo += item.parts
        elif type(item) is tuple:
            todo += item


class Builder:
    """What the parser calls with the children of each rule it has matched, leaves first."""

    # --- statements

    def program(self, c: Children) -> Tree:
        statements = _trees(c)
        refuse_outside(statements)
        return Tree("program", statements, statements[0].start if statements else 0, statements[-1].end if statements else 0)

    def expression_line(self, c: Children) -> Tree:
        return Tree("expression", (c[0],), c[0].start, c[0].end)

    def tuple_line(self, c: Children) -> Tree:
        raise Refused("bare-tuple", c[0])

    def assignment(self, c: Children) -> Tree:
        target, _, value = c
        if _changes(target):
            return Tree("change", (target, "", value), target.start, value.end)
        if not _assignable(target):
            raise Refused("target", target, value)
        return Tree("assign", (target, value), target.start, value.end)

    def augmented(self, c: Children) -> Tree:
        target, sign, value = c
        if target.kind == "index":
            return Tree("change", (target, sign.value[:-1], value), target.start, value.end)
        if target.kind != "name" or not _assignable(target):
            raise Refused("augmented-target", target, value, sign)
        return Tree("augmented", (target, symbol(sign.value)[:-1], value), target.start, value.end)

    def return_line(self, c: Children) -> Tree:
        return Tree("return", (c[1] if len(c) > 1 else None,), c[0].start_pos, c[-1].end if len(c) > 1 else c[0].end_pos)

    def word_line(self, c: Children) -> Tree:
        return Tree(c[0].value, (), c[0].start_pos, c[0].end_pos)

    def if_block(self, c: Children) -> Tree:
        orelse = c[4] if len(c) > 4 else ()
        return Tree("if", (c[1], c[3], orelse), c[0].start_pos, (orelse or c[3])[-1].end)

    def elif_block(self, c: Children) -> tuple[Tree]:
        return (self.if_block(c),)

    def else_block(self, c: Children) -> tuple[Tree, ...]:
        return c[2]  # type: ignore[no-any-return]  # a block

    def for_block(self, c: Children) -> Tree:
        return Tree("for", (c[1], c[3], c[5]), c[0].start_pos, c[5][-1].end)

    def while_block(self, c: Children) -> Tree:
        return Tree("while", (c[1], c[3]), c[0].start_pos, c[3][-1].end)

    def def_block(self, c: Children) -> Tree:
        at = next(k for k, child in enumerate(c) if type(child) is not Tree)
        name, body = c[at + 1], c[-1]
        params = tuple(p for p in c[at:] if type(p) is Tree)
        refuse_parameters(params)
        return Tree("def", (_name(name), params, body, tuple(c[:at])), c[0].start if at else c[0].start_pos, body[-1].end)

    def decorator(self, c: Children) -> Tree:
        return c[1]  # type: ignore[no-any-return]  # a tree

    def parameter(self, c: Children) -> Tree:
        return Tree("param", (_name(c[0]), c[2] if len(c) > 1 else None), c[0].start_pos, c[-1].end if len(c) > 1 else c[0].end_pos)

    def block(self, c: Children) -> tuple[Tree, ...]:
        return _trees(c)

    def bare_tuple(self, c: Children) -> Tree:
        return Tree("tuple", _trees(c), c[0].start, c[-1].end if type(c[-1]) is Tree else c[-1].end_pos)

    def targets(self, c: Children) -> Tree:
        return c[0] if len(c) == 1 else self.bare_tuple(c)

    def target(self, c: Children) -> Tree:
        return self.name(c) if len(c) == 1 else self.parenthesised(c)

    # --- expressions

    def ifelse(self, c: Children) -> Tree:
        return Tree("ifelse", (c[2], c[0], c[4]), c[0].start, c[4].end)

    def logic(self, c: Children) -> Tree:
        return Tree(c[1].value, (c[0], c[2]), c[0].start, c[2].end)

    def compare(self, c: Children) -> Tree:
        parts: list[Any] = []
        for child in c:
            if type(child) is Tree:
                parts.append(child)
            elif parts[-1] == "not":
                parts[-1] = "not in"
            else:
                parts.append(symbol(child.value))
        return Tree("compare", tuple(parts), c[0].start, c[-1].end)

    def binary(self, c: Children) -> Tree:
        left, sign, right = c
        text = sign.value
        return Tree("binary", (SYMBOLS.get(text, text), left, right), left.start, right.end)

    def unary(self, c: Children) -> Tree:
        sign, operand = c
        return Tree("unary", (symbol(sign.value), operand), sign.start_pos, operand.end)

    def call(self, c: Children) -> Tree:
        callee = c[0]
        if callee.kind != "name":
            _refuse_product(callee, c[-1])
        elif callee.parts[0].startswith("__"):
            raise Refused("internal", callee)
        end = c[-1].end_pos
        if len(c) == 4 and c[2].kind != "keyword":
            return Tree("call", (callee, (c[2],), ()), callee.start, end)
        args: list[Tree] = []
        keywords: dict[str, Tree] = {}
        for child in c[2:-1]:
            if type(child) is Tree:
                _add(child, args, keywords)
        return Tree("call", (callee, tuple(args), tuple(keywords.items())), callee.start, end)

    def keyword(self, c: Children) -> Tree:
        return Tree("keyword", (_name(c[0]), c[2]), c[0].start_pos, c[2].end)

    def index(self, c: Children) -> Tree:
        return Tree("index", (c[0], _trees(c[2:])), c[0].start, c[-1].end_pos)

    def attribute(self, c: Children) -> Tree:
        value, _, word = c
        name = normalise(word.value)
        if value.kind == "name" and name not in ATTRIBUTES:
            base, prefix = value.parts
            prefix = f"{prefix}.{base}" if prefix else base
            if prefix in PREFIXES:
                return Tree("name", (intern(name), prefix), value.start, word.end_pos)
        if name not in ATTRIBUTES:
            raise Refused("attribute", value, word)
        return Tree("attribute", (value, name), value.start, word.end_pos)

    def slice(self, c: Children) -> Tree:
        parts: list[Tree | None] = [None, None, None]
        place = 0
        for child in c:
            if type(child) is Tree:
                parts[place] = child
            else:
                place += 1
        first, last = c[0], c[-1]
        start = first.start if type(first) is Tree else first.start_pos
        return Tree("slice", tuple(parts), start, last.end if type(last) is Tree else last.end_pos)

    def number(self, c: Children) -> Tree:
        token = c[0]
        return Tree("number", (token.value.replace("_", ""),), token.start_pos, token.end_pos)

    def name(self, c: Children) -> Tree:
        token = c[0]
        return Tree("name", (_name(token), ""), token.start_pos, token.end_pos)

    constant = name

    def string(self, c: Children) -> Tree:
        return Tree("string", ("".join([unquote(t.value) for t in c]),), c[0].start_pos, c[-1].end_pos)

    def ellipsis(self, c: Children) -> Tree:
        return Tree("ellipsis", (), c[0].start_pos, c[0].end_pos)

    def parenthesised(self, c: Children) -> Tree:
        inner: Tree = c[1]
        inner.start, inner.end = c[0].start_pos, c[2].end_pos
        return inner

    def bracketed_tuple(self, c: Children) -> Tree:
        return Tree("tuple", c[1].parts if len(c) == 3 else (), c[0].start_pos, c[-1].end_pos)

    def array(self, c: Children) -> Tree:
        return Tree("list", _trees(c), c[0].start_pos, c[-1].end_pos)

    def comprehension(self, c: Children) -> Tree:
        return Tree("comprehension", (c[1], tuple(c[2:-1])), c[0].start_pos, c[-1].end_pos)

    def generator(self, c: Children) -> Tree:
        last = c[-1][-1]
        return Tree("comprehension", (c[0], tuple(c[1:])), c[0].start, last.end)

    def clause(self, c: Children) -> tuple[Any, ...]:
        return ("for", c[1], c[3]) if c[0].type == "FOR" else ("if", c[1])


def _trees(children: Children) -> tuple[Tree, ...]:
    return tuple([child for child in children if type(child) is Tree])


def _name(token: Any) -> str:
    text = token.value
    if text.isascii():
        return intern(text)
    name = normalise(text)
    if not name.isidentifier() and name != "∞":
        raise Refused("name", token)
    return intern(name)


def _assignable(target: Tree) -> bool:
    """A name, or a tuple of what can be assigned."""
    todo = [target]
    while todo:
        tree = todo.pop()
        if tree.kind == "tuple":
            todo.extend(tree.parts)
        elif tree.kind != "name" or tree.parts[1] or tree.parts[0] in ("True", "False", "None", "∞"):
            return False
    return True


def _changes(target: Tree) -> bool:
    """Whether a target is an entry of an array, or several of which one is."""
    parts = target.parts if target.kind == "tuple" else (target,)
    return any(part.kind == "index" for part in parts) and all(part.kind == "index" or _assignable(part) for part in parts)


def _add(child: Tree, args: list[Tree], keywords: dict[str, Tree]) -> None:
    """One argument of a call, as Python takes them: keywords last, each once."""
    if child.kind != "keyword":
        if keywords:
            raise Refused("positional-after-keyword", child)
        args.append(child)
        return
    name, value = child.parts
    if name in keywords:
        raise Refused("keyword-twice", child)
    keywords[name] = value


def _refuse_product(callee: Tree, close: Any) -> None:
    """`(x+1)(x+2)` and `2(x+1)` are products without a sign; `grad(f)(2)` has a message of its own."""
    inner = callee.parts[0] if callee.kind == "call" else callee
    if not (callee.kind == "call" and inner.kind == "name" and inner.parts[0] in CALLED):
        raise Refused("product", callee, close)
