"""What holds wherever both sides are defined, and never elsewhere: a table in the language itself; letters stand for any expression."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..diagnostics import Source
from ..lower import lower
from ..syntax import parse

if TYPE_CHECKING:
    from ..graph import Fn, Op


class Identity(NamedTuple):
    """A text and what people write for it."""

    pattern: str
    text: str


ODD_OR_EVEN = (
    Identity("sin(-a)", "-sin(a)"),
    Identity("tan(-a)", "-tan(a)"),
    Identity("cos(-a)", "cos(a)"),
    Identity("sec(-a)", "sec(a)"),
    Identity("asin(-a)", "-asin(a)"),
    Identity("atan(-a)", "-atan(a)"),
    Identity("sinh(-a)", "-sinh(a)"),
    Identity("cosh(-a)", "cosh(a)"),
    Identity("tanh(-a)", "-tanh(a)"),
    Identity("sech(-a)", "sech(a)"),
    Identity("asinh(-a)", "-asinh(a)"),
    Identity("abs(-a)", "abs(a)"),
    Identity("sign(-a)", "-sign(a)"),
    Identity("erf(-a)", "-erf(a)"),
    Identity("sinc(-a)", "sinc(a)"),
    Identity("cbrt(-a)", "-cbrt(a)"),
)
VALUES = (
    Identity("sin(0)", "0"),
    Identity("cos(0)", "1"),
    Identity("tan(0)", "0"),
    Identity("exp(0)", "1"),
    Identity("log(1)", "0"),
    Identity("log(e)", "1"),
    Identity("sqrt(0)", "0"),
    Identity("sqrt(1)", "1"),
    Identity("sqrt(4)", "2"),
    Identity("sinh(0)", "0"),
    Identity("cosh(0)", "1"),
    Identity("tanh(0)", "0"),
    Identity("atan(0)", "0"),
    Identity("abs(0)", "0"),
    Identity("gamma(1)", "1"),
    Identity("gamma(2)", "1"),
    Identity("gamma(3)", "2"),
    Identity("gamma(4)", "6"),
    Identity("gamma(5)", "24"),
    Identity("gamma(6)", "120"),
)
INVERSES = (
    Identity("log(exp(a))", "a"),
    Identity("cbrt(a**3)", "a"),
    Identity("sqrt(a**2)", "abs(a)"),
    Identity("sinh(asinh(a))", "a"),
    Identity("asinh(sinh(a))", "a"),
    Identity("atanh(tanh(a))", "a"),
    Identity("tan(atan(a))", "a"),
)
PRODUCTS = (
    Identity("sin(a)/cos(a)", "tan(a)"),
    Identity("cos(a)/sin(a)", "cot(a)"),
    Identity("sinh(a)/cosh(a)", "tanh(a)"),
    Identity("cos(a)*tan(a)", "sin(a)"),
    Identity("abs(a)*sign(a)", "a"),
    Identity("sign(a)*a", "abs(a)"),
    Identity("abs(a)**2", "a**2"),
)
SUMS = (
    Identity("sin(a)**2 + cos(a)**2", "1"),
    Identity("cosh(a)**2 - sinh(a)**2", "1"),
    Identity("sech(a)**2 + tanh(a)**2", "1"),
    Identity("sec(a)**2 - tan(a)**2", "1"),
)


class Side(NamedTuple):
    """The functions of a letter in a term with the power of each, and the sign before it."""

    sign: int
    powers: tuple[tuple[Op | None, int], ...]


def read(text: str) -> Fn:
    """The function that a side of an identity is."""
    source = Source("identity", text)
    return lower(parse(source), source).fn


def sides(text: str) -> list[Side]:
    """The terms of a side; a power of the bare letter has no function."""
    fn = read(text)
    todo, found = [(fn.outs[0], 1)], []
    while todo:
        i, sign = todo.pop()
        op, args, _, _ = fn.nodes[i]
        if op.name in ("add", "sub"):
            todo += [(args[1], sign if op.name == "add" else -sign), (args[0], sign)]
        else:
            found.append(_term(fn, i, sign))
    return found


def _term(fn: Fn, i: int, sign: int) -> Side:
    powers: list[tuple[Op | None, int]] = []
    todo = [(i, 1)]
    while todo:
        k, exponent = todo.pop()
        op, args, attr, _ = fn.nodes[k]
        if op.name in ("mul", "div"):
            todo += [(args[1], exponent if op.name == "mul" else -exponent), (args[0], exponent)]
        elif op.name == "pow":
            todo.append((args[0], exponent * int(fn.nodes[args[1]].attr)))
        elif op.name == "neg":
            sign = -sign
            todo.append((args[0], exponent))
        elif attr != "1":
            powers.append((op if args else None, exponent))
    return Side(sign, tuple(powers))


@cache
def parity() -> dict[Op, int]:
    """The functions that are odd (-1) or even (1)."""
    found = {}
    for identity in ODD_OR_EVEN:
        (side,) = sides(identity.text)
        op = side.powers[0][0]
        if op is not None:
            found[op] = side.sign
    return found


@cache
def values() -> dict[tuple[Op, str], str]:
    """The value of a function of a constant."""
    found = {}
    for identity in VALUES:
        fn = read(identity.pattern)
        op, args, _, _ = fn.nodes[fn.outs[0]]
        found[op, fn.nodes[args[0]].attr] = identity.text
    return found


@cache
def inverses() -> dict[tuple[Op, Op, int], Op | None]:
    """The function of a power of a function, as one function or the bare letter: outer, inner and its exponent."""
    found = {}
    for identity in INVERSES:
        fn = read(identity.pattern)
        outer, args, _, _ = fn.nodes[fn.outs[0]]
        inner = fn.nodes[args[0]]
        exponent = int(fn.nodes[inner.args[1]].attr) if len(inner.args) > 1 else 1
        found[outer, inner.op, exponent] = sides(identity.text)[0].powers[0][0]
    return found


@cache
def products() -> list[tuple[Side, Side]]:
    """Products of functions of one letter and what they are."""
    return [(sides(identity.pattern)[0], sides(identity.text)[0]) for identity in PRODUCTS]


@cache
def sums() -> list[tuple[Side, Side]]:
    """The two terms of sums that are 1."""
    return [(first, second) for first, second in (sides(identity.pattern) for identity in SUMS)]
