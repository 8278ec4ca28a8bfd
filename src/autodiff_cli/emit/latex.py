r"""A function in, its results as LaTeX of the package amsmath out: `\frac`, `\sqrt`, exponents, `cases`."""

from __future__ import annotations

from re import fullmatch, split
from typing import TYPE_CHECKING, Any

from ..graph import CONST, NAME, PARAM
from ..ops import OPS
from .arrays import operands, written
from .text import AND, ATOM, COMPARE, NOT, OR, POWER, REAL, SELECT, TERNARY, TIGHT, UNARY, arguments, truth

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Node

    Pieces = list[Any]

GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega".split()
    + "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split()
)
NUMBERS = {
    "pi": r"\pi",
    "e": "e",
    "inf": r"\infty",
    "-inf": r"-\infty",
    "nan": r"\mathrm{NaN}",
    "True": r"\text{true}",
    "False": r"\text{false}",
}
SIGNS = {"<=": r" \le ", ">=": r" \ge ", "==": " = ", "!=": r" \ne ", "%": r" \bmod ", "//": r" \mathbin{//} "}
WORDS = {"and": r"\land ", "or": r"\lor ", "not": r"\lnot "}
MEANT = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
BARS = {"\u0304": r"\bar", "\u0305": r"\overline"}  # marks above a letter, and over each of several
FRACTION, TIMES, MINUS, RAISED, EXP = OPS["div"], OPS["mul"], OPS["neg"], OPS["pow"], OPS["exp"]
ROOTS = (OPS["sqrt"], OPS["cbrt"])


def latex(nodes: Sequence[Node], out: int, named: Mapping[int, str] = {}) -> str:
    """The node `out` as LaTeX; `named` parts by their names."""
    found: list[str] = []
    todo: Pieces = [(out, 0)]
    while todo:
        piece = todo.pop()
        if isinstance(piece, str):
            found.append(piece)
            continue
        i, least, *bare = piece
        if bare:
            todo.extend(reversed(_unsigned(nodes, i)))
            continue
        level, pieces = (ATOM, [variable(named[i])]) if i in named else _pieces(nodes, nodes[i])
        todo.extend(reversed([r"\left(", *pieces, r"\right)"] if level < least else pieces))
    return "".join(found)


def _signed(nodes: Sequence[Node], i: int) -> bool:
    """Whether a product begins with a minus sign."""
    while nodes[i].op is TIMES:
        i = nodes[i].args[0]
    return nodes[i].op is MINUS or nodes[i].op is CONST and nodes[i].attr.startswith("-")


def _unsigned(nodes: Sequence[Node], i: int) -> Pieces:
    """The pieces of such a product without it."""
    node = nodes[i]
    if node.op is CONST:
        return [number(node.attr[1:])]
    if node.op is MINUS:
        return [(node.args[0], TIGHT)]
    return [(node.args[0], TIGHT, "bare"), _between(nodes, node.args[1]), (node.args[1], TIGHT + 1)]


def _between(nodes: Sequence[Node], right: int) -> str:
    """What stands between two factors: a dot before a number."""
    while nodes[right].op in (TIMES, RAISED):
        right = nodes[right].args[0]
    return r" \cdot " if nodes[right].op is CONST and nodes[right].attr[0].isdigit() else " "


def _pieces(nodes: Sequence[Node], node: Node) -> tuple[int, Pieces]:
    while node.op is NAME:
        node = nodes[node.args[0]]
    if node.op in LEAVES:
        return LEAVES[node.op](node)
    if node.op is SELECT:
        return _selection(nodes, node)
    if written(nodes, node) is not None:
        return _over_arrays(nodes, node)
    if node.op.infix is not None:
        return _operation(nodes, node, operands(nodes, node.args) if node.type.shape else node.args)
    return _call(nodes, node)


def _constant(node: Node) -> tuple[int, Pieces]:
    return UNARY if node.attr.startswith("-") else ATOM, [number(node.attr)]


def _variable(node: Node) -> tuple[int, Pieces]:
    return ATOM, [variable(node.attr)]


def _indicator(node: Node) -> tuple[int, Pieces]:
    """A condition as a number: Iverson's brackets."""
    return ATOM, ["[", (node.args[0], 0), "]"]


LEAVES = {CONST: _constant, PARAM: _variable, REAL: _indicator}


def _operation(nodes: Sequence[Node], node: Node, args: Sequence[int]) -> tuple[int, Pieces]:
    infix: Any = node.op.infix
    level, symbol = infix.level, infix.symbol
    if node.op is FRACTION:
        if _signed(nodes, args[0]):
            return UNARY, [r"-\frac{", (args[0], 0, "bare"), "}{", (args[1], 0), "}"]
        return ATOM, [r"\frac{", (args[0], 0), "}{", (args[1], 0), "}"]
    if node.op is RAISED:
        return POWER, _raised(nodes, *args)
    if level == NOT:
        return NOT, [r"\lnot ", (args[0], NOT)]
    if len(args) == 1:
        return level, [symbol, (args[0], level)]
    least = (level + 1, level + 1) if level == COMPARE else (level, level + 1)
    mark = _between(nodes, args[1]) if node.op is TIMES else SIGNS.get(symbol, f" {symbol} ")
    return level, [(args[0], least[0]), mark, (args[1], least[1])]


def _raised(nodes: Sequence[Node], base: int, exponent: int) -> Pieces:
    """A power: of a variable, of a function behind its name, or of anything else in braces."""
    op, power = nodes[base].op, ["^{", (exponent, 0), "}"]
    if op is PARAM or op is CONST:
        return [(base, ATOM), *power]
    if (op.latex or "")[1:].isalpha() and len(nodes[base].args) == 1 and op not in (*ROOTS, EXP) and nodes[exponent].op is CONST:
        return [op.latex, *power, r"\left(", (nodes[base].args[0], 0), r"\right)"]
    return ["{", (base, ATOM), "}", *power]


def _selection(nodes: Sequence[Node], node: Node) -> tuple[int, Pieces]:
    p, a, b = node.args
    if node.type.kind == "bool":
        if truth(nodes, b) == "False":
            return AND, [(p, AND), r" \land ", (a, AND + 1)]
        if truth(nodes, a) == "True":
            return OR, [(p, OR), r" \lor ", (b, OR + 1)]
    lines: Pieces = []
    while True:
        if node.type.shape:
            p, a, b = operands(nodes, (p, a, b)) if nodes[p].type.shape else (p, *operands(nodes, (a, b)))
        lines += [(a, TERNARY), r" & \text{if } ", (p, 0), r" \\ "]
        if nodes[b].op is not SELECT or nodes[b].type.kind == "bool":
            break
        p, a, b = nodes[b].args
    return ATOM, [r"\begin{cases} ", *lines, (b, TERNARY), r" & \text{otherwise} \end{cases}"]


def _call(nodes: Sequence[Node], node: Node) -> tuple[int, Pieces]:
    op = node.op
    args = arguments(op, operands(nodes, node.args) if node.type.shape and op.aligned else node.args, node.attr)
    inside: Pieces = [piece for k, a in enumerate(args) for piece in ([", "] * bool(k) + [a if isinstance(a, str) else (a, 0)])]
    if op is EXP:
        return POWER, ["e^{", *inside, "}"]
    if op in ROOTS:
        return ATOM, [f"{op.latex}{{", *inside, "}"]
    if op.latex == r"\left|":
        return ATOM, [r"\left|", *inside, r"\right|"]
    return ATOM, [op.latex or function(op.name), r"\left(", *inside, r"\right)"]


def _over_arrays(nodes: Sequence[Node], node: Node) -> tuple[int, Pieces]:
    """What has no sign of its own: the words of the language, upright."""
    found: Any = written(nodes, node)
    level, pieces = found
    return level, [_upright(piece) if isinstance(piece, str) else piece for piece in pieces]


def _upright(piece: str) -> str:
    if piece.strip() == "@":
        return r" \, "
    if piece == ".T":
        return r"^{\mathsf T}"
    words = split(r"([^\W\d]\w*)", piece)
    return "".join(
        [escaped(word) if k % 2 == 0 else WORDS.get(word) or NUMBERS.get(word) or function(word) for k, word in enumerate(words)]
    )


def function(name: str) -> str:
    """The name of a function, upright."""
    return rf"\operatorname{{{escaped(name)}}}"


def escaped(name: str) -> str:
    """A word whose characters mean nothing else to LaTeX."""
    return "".join(["\\" + c if c in "_%&#${}" else MEANT.get(c, c) for c in name])


def number(digits: str) -> str:
    """A number; its exponent of ten written out."""
    mantissa, mark, exponent = digits.partition("e")
    if digits in NUMBERS:
        return NUMBERS[digits]
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if mark else digits


def variable(name: str) -> str:
    """A variable: Greek letters by name, what follows `_` and digits at the end as an index, longer words upright, a bar as one."""
    bar = next((mark for mark in BARS if mark in name), None)
    if bar:
        letter, mark, index = variable(name.replace(bar, "")).partition("_{")
        return f"{BARS[bar]}{{{letter}}}{mark}{index}"
    found = fullmatch(r"([^\W\d_]+)_?(\w*)", name)
    if not found:
        return rf"\text{{{escaped(name)}}}"
    stem, index = "".join([greek(c) for c in found[1]]), found[2].strip("_")
    letter = (
        stem
        if stem.startswith("\\") and len(found[1]) == 1
        else "\\" + stem
        if stem in GREEK
        else stem
        if len(stem) == 1
        else rf"\mathrm{{{stem}}}"
    )
    return f"{letter}_{{{_index(index)}}}" if index else letter


def greek(letter: str) -> str:
    """A Greek letter by its name, which a font may lack; any other letter as it is."""
    if not "\u0391" <= letter <= "\u03c9":
        return letter
    from unicodedata import name

    *_, case, _, word = (" " * 3 + name(letter, "")).split(" ")
    called = word.lower().replace("lamda", "lambda")
    called = called.capitalize() if case == "CAPITAL" else called
    return f"\\{called}" if called in GREEK else letter


def _index(name: str) -> str:
    return name if name.isdigit() or len(name) == 1 else rf"\mathrm{{{escaped(name)}}}"
