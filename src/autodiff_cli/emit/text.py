"""A function in, its results as text of our own language out, with as few brackets as its meaning needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import BROADCAST, CONST, NAME, PARAM
from ..ops import OPS
from ..syntax.words import RESERVED
from .arrays import caption as array_caption
from .arrays import operands, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Fn, Infix, Node, Op

TERNARY, OR, AND, NOT, COMPARE, UNARY, POWER, ATOM = 1, 3, 4, 5, 6, 13, 14, 15
TIGHT = 12
Pieces = list[Any]
SELECT, REAL = OPS["select"], OPS["real"]


def texts(fn: Fn) -> list[str]:
    """Every result of a function."""
    return [text(fn.nodes, out) for out in fn.outs]


def text(nodes: Sequence[Node], out: int, limit: int = 0, named: Mapping[int, str] = {}) -> str:
    """The node `out`, shared parts repeated unless they are `named`; cut with `…` after `limit` characters, if there is one."""
    written: list[str] = []
    length = 0
    todo: Pieces = [(out, 0)]
    while todo:
        piece = todo.pop()
        if isinstance(piece, str):
            written.append(piece)
            length += len(piece)
            if limit and length > limit:
                written.append("…")
                break
        else:
            i, least = piece
            todo.extend(reversed([named[i]] if i in named else _bracketed(nodes, i, least)))
    return "".join(written)


def _bracketed(nodes: Sequence[Node], i: int, least: int) -> Pieces:
    """The pieces of a node, in brackets where its operator binds less than `least`."""
    level, pieces = _pieces(nodes, nodes[i])
    return ["(", *pieces, ")"] if level < least else pieces


def _pieces(nodes: Sequence[Node], node: Node) -> tuple[int, Pieces]:
    op = node.op
    if op is NAME or op is REAL:
        return _pieces(nodes, nodes[node.args[0]])
    if op is SELECT:
        return _selection(nodes, node)
    found = written(nodes, node)
    if found is not None:
        return found
    if op.infix is not None:
        return _operation(op.infix, operands(nodes, node.args) if node.type.shape else node.args)
    if op is CONST or op is PARAM:
        return _leaf(node)
    return ATOM, _call(op, operands(nodes, node.args) if node.type.shape and op.aligned else node.args, node.attr)


def _leaf(node: Node) -> tuple[int, Pieces]:
    if node.op is PARAM:
        return ATOM, [variable(node.attr)]
    return (UNARY if node.attr.startswith("-") else ATOM), [node.attr]


def _operation(infix: Infix, args: Sequence[int]) -> tuple[int, Pieces]:
    level, symbol = infix.level, infix.symbol
    if len(args) == 1:
        return level, [symbol + (" " if symbol.isalpha() else ""), (args[0], level)]
    left, right = (level + 1, UNARY) if infix.right else (level, level + 1) if level != COMPARE else (level + 1, level + 1)
    mark = symbol if level >= TIGHT else f" {symbol} "
    return level, [(args[0], left), mark, (args[1], right)]


def _selection(nodes: Sequence[Node], node: Node) -> tuple[int, Pieces]:
    p, a, b = node.args
    if node.type.kind == "bool":
        if truth(nodes, b) == "False":
            if _chained(nodes, p, a):
                return COMPARE, _chain(nodes, p, a)
            p, a = operands(nodes, (p, a)) if nodes[p].type.shape else (p, a)
            return AND, [(p, AND), " and ", (a, AND + 1)]
        if truth(nodes, a) == "True":
            p, b = operands(nodes, (p, b)) if nodes[p].type.shape else (p, b)
            return OR, [(p, OR), " or ", (b, OR + 1)]
    if not node.type.shape:
        return TERNARY, [(a, TERNARY + 1), " if ", (p, TERNARY + 1), " else ", (b, TERNARY)]
    a, b, p = (*operands(nodes, (a, b)), p) if not nodes[p].type.shape else operands(nodes, (a, b, p))
    return ATOM, ["where(", (p, 0), ", ", (a, 0), ", ", (b, 0), ")"]


def _chained(nodes: Sequence[Node], p: int, q: int) -> bool:
    """Whether `p and q` is `x < y < z`."""
    infixes = [nodes[i].op.infix for i in (p, q)]
    return all(infix and infix.level == COMPARE for infix in infixes) and nodes[p].args[1] == nodes[q].args[0] and not nodes[p].type.shape


def _chain(nodes: Sequence[Node], p: int, q: int) -> Pieces:
    (x, y), (_, z) = nodes[p].args, nodes[q].args
    marks = [f" {nodes[i].op.infix.symbol} " for i in (p, q)]  # type: ignore[union-attr]  # comparisons are operators
    return [(x, COMPARE + 1), marks[0], (y, COMPARE + 1), marks[1], (z, COMPARE + 1)]


def truth(nodes: Sequence[Node], i: int) -> Any:
    """The text of a constant, also of a stretched one."""
    node = nodes[nodes[i].args[0]] if nodes[i].op is BROADCAST else nodes[i]
    return node.attr if node.op is CONST else None


def _call(op: Op, args: Sequence[int], attr: Any) -> Pieces:
    pieces: Pieces = [op.name, "("]
    for k, argument in enumerate(arguments(op, args, attr)):
        pieces += [", "] * bool(k) + [argument if isinstance(argument, str) else (argument, 0)]
    return [*pieces, ")"]


def arguments(op: Op, args: Sequence[int], attr: Any) -> list[int | str]:
    """The arguments of a call as the language writes them: static ones as text, nodes by position."""
    statics = list(attr) if isinstance(attr, tuple) else [] if attr is None else [attr]
    rest = list(args)
    found: list[int | str] = []
    for parameter in op.parameters:
        if parameter.static and statics:
            found.append(literal(statics.pop(0)))
        elif parameter.variadic:
            found += rest
            rest = []
        elif rest and not parameter.static:
            found.append(rest.pop(0))
    return [*found, *rest, *map(literal, statics)]


def literal(value: Any) -> str:
    """A static value as the language writes it."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value)


def variable(name: str) -> str:
    """A variable; one whose name is no name of the language is a column."""
    if name.isidentifier() and name not in RESERVED:
        return name
    return f"col({literal(name)})"


def caption(node: Node, nodes: Sequence[Node]) -> str:
    """The short label of one node: its operator, its function, its number or its name."""
    op = node.op
    if op is PARAM or op is CONST:
        return str(node.attr)
    found = array_caption(nodes, node)
    if found is not None:
        return found
    if op is SELECT:
        return "if else"
    if op is NAME:
        return str(node.attr[0])
    if op.infix is not None:
        return op.infix.symbol
    return op.name if node.attr is None else f"{op.name}[{literal(node.attr)}]"
