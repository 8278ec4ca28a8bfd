"""A function in, the same function as people write it out: node by node, each as a sum of products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import BROADCAST, Expr, Fn
from ..ops import OPS
from ..ops.elementary import exp
from . import identities
from .algebra import MANY, Algebra
from .choices import chosen
from .flat import flat
from .forms import atom, constant, number_of, scaled, single
from .matrices import added, fitted, lifted, times, turned
from .numbers import ONE, content
from .trigonometry import joined, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph import Node
    from .forms import Form

    Rule = Callable[["Walk", Node], Form]

SUMS = (OPS["add"], OPS["sub"])
NEGATED = {a: b for one, other in (("lt", "ge"), ("le", "gt"), ("eq", "ne")) for a, b in ((OPS[one], OPS[other]), (OPS[other], OPS[one]))}


class Walk:
    """The nodes of a function, and the form that each has become.

    With `turned` the terms of results stand the other way round: a reverse sweep adds up from the end. With `out` products of
    sums are multiplied out.
    """

    __slots__ = ("algebra", "forms", "left", "nodes", "out", "turned")

    def __init__(self, fn: Fn, algebra: Algebra, *, turned: bool, out: bool = False) -> None:
        self.nodes, self.algebra, self.turned, self.out = fn.nodes, algebra, turned, out
        self.forms: dict[int, Form] = {}
        self.left: dict[int, int] = {}
        for i in fn.outs:
            self.left[i] = self.left.get(i, 0) + 2  # a result is never changed

    def run(self, fn: Fn) -> list[Expr]:
        """The results."""
        needed = fn.needs()
        asked = _asked(fn, needed)
        for i in needed:
            for j in fn.nodes[i].args:
                self.left[j] = self.left.get(j, 0) + 1 + (i in asked)
        for i in needed:
            self.algebra.graph.site = fn.sites[i]
            form = (self.exactly if i in asked else self.form)(fn.nodes[i])
            self.forms[i] = atom(self.algebra.node(form).id) if self.left[i] > 1 and _long(form) else form
        for o in set(fn.outs):
            if self.out:
                self.forms[o] = flat(self.algebra, self.forms[o])
            if self.turned:
                self.forms[o] = dict(reversed(self.forms[o].items()))
        return [self.shaped(o) for o in fn.outs]

    def form(self, node: Node) -> Form:
        """A node as the rule for its operation makes it."""
        return RULES.get(node.op, other)(self, node)

    def exactly(self, node: Node) -> Form:
        """The same of what a condition asks: left as it is where otherwise a missing value would no longer be seen."""
        before, self.algebra.lost = self.algebra.lost, {}
        form = self.form(node)
        if self.algebra.lost:
            form = other(self, node)
        self.algebra.lost = before
        return form

    def take(self, i: int) -> Form:
        """The form of an argument, to be changed: a sum itself if this is its last use, else a copy."""
        self.left[i] -= 1
        return self.forms.pop(i) if not self.left[i] and self.nodes[i].op in SUMS else dict(self.forms[i])

    def shaped(self, i: int) -> Expr:
        """The node of an argument with the shape that it had."""
        return self.algebra.graph.broadcast(self.algebra.node(self.forms[i]), self.nodes[i].type.shape)

    def bare(self, i: int) -> Expr:
        """The node of an argument; elementwise operations stretch it."""
        return self.algebra.node(self.forms[i])


def _asked(fn: Fn, needed: Sequence[int]) -> set[int]:
    """The nodes that conditions are computed from."""
    found: set[int] = set()
    for i in reversed(needed):
        if i in found or fn.nodes[i].type.kind == "bool":
            found.update(fn.nodes[i].args)
    return found


def _long(form: Form) -> bool:
    return len(form) > MANY or any(len(product) > MANY for product in form) and bool(form)


def other(walk: Walk, node: Node) -> Form:
    """Any operation: of arguments as people write them."""
    algebra, op = walk.algebra, node.op
    if not node.args:
        return algebra.atom(Expr(algebra.graph, algebra.graph.intern(op, (), node.attr, node.type)))
    if len(node.args) == 1 and node.attr is None and op.rule == "elementwise" and op.kind == "real":
        return _of_one(walk, node)
    if op.kind == "bool" and op.infix is not None and len(node.args) == 2:
        known = [number_of(walk.forms[i]) for i in node.args]
        if None not in known:
            return algebra.atom(algebra.graph.const(str(_compared(op.infix.symbol, *known))))
    args = [walk.bare(i) if op.aligned else walk.shaped(i) for i in node.args]
    if op.aligned:
        return algebra.atom(algebra.graph.add(op, args, node.attr))
    return algebra.atom(Expr(algebra.graph, algebra.graph.intern(op, tuple([x.id for x in args]), node.attr, node.type)))


def _compared(symbol: str, a: Any, b: Any) -> bool:
    return bool({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[symbol])


def _of_one(walk: Walk, node: Node) -> Form:
    """A function of one argument: its value at a constant, its sign, its inverse."""
    algebra, op, inner = walk.algebra, node.op, walk.forms[node.args[0]]
    sign = identities.parity().get(op)
    negative = sign is not None and bool(inner) and next(iter(inner.values())) < 0
    if negative:
        inner = scaled(inner, -ONE)
    found = _inverse(algebra, op, inner)
    if found is None:
        x = algebra.node(inner)
        value = identities.values().get((op, x.text or ""))
        found = algebra.atom(algebra.graph.const(value)) if value else algebra.atom(algebra.graph.add(op, [x]))
    return scaled(found, ONE * sign) if negative and sign else found


def _inverse(algebra: Algebra, op: Any, inner: Form) -> Form | None:
    term = single(inner)
    if term is None or term[0] <= 0 or len(term[1]) != 1:
        return None
    ((i, exponent),) = term[1]
    x = Expr(algebra.graph, i)
    if x.node.op is exp and op.name == "log" and term[0] == 1:
        return algebra.multiply(constant(ONE * exponent), algebra.atom(x.args[0]))
    if term[0] != 1:
        return None
    key = (op, x.node.op, 1) if exponent == 1 else (op, OPS["pow"], exponent)
    if key not in identities.inverses():
        return None
    inside = x.args[0] if exponent == 1 else x
    wanted = identities.inverses()[key]
    return algebra.atom(inside if wanted is None else algebra.graph.add(wanted, [inside]))


def _add(walk: Walk, node: Node) -> Form:
    return _sum(walk, *map(walk.take, node.args))


def _sub(walk: Walk, node: Node) -> Form:
    a, b = map(walk.take, node.args)
    return _sum(walk, a, scaled(b, -ONE))


def _sum(walk: Walk, a: Form, b: Form) -> Form:
    fresh = list(a if len(a) < len(b) else b)
    return joined(walk.algebra, walk.algebra.add(a, b), fresh)


def _neg(walk: Walk, node: Node) -> Form:
    return scaled(walk.forms[node.args[0]], -ONE)


def _mul(walk: Walk, node: Node) -> Form:
    a, b = (walk.forms[i] for i in node.args)
    return shortened(walk.algebra, walk.algebra.multiply(a, b))


def _div(walk: Walk, node: Node) -> Form:
    a, b = (walk.forms[i] for i in node.args)
    if number_of(b) == 0:
        return other(walk, node)
    return shortened(walk.algebra, walk.algebra.multiply(a, walk.algebra.power(b, -1)))


def _pow(walk: Walk, node: Node) -> Form:
    """Whole powers of factors; `x**(n + 2)` as `x**2 * x**n`, so that like powers meet."""
    algebra, base = walk.algebra, walk.forms[node.args[0]]
    exponent = dict(walk.forms[node.args[1]])
    number = number_of(exponent)
    if number_of(base) == 1:
        return constant(ONE)
    if number is not None and number.denominator == 1 and (base or number > 0):
        return shortened(algebra, algebra.power(base, int(number)))
    term = single(base)
    if term is None or term[0] != 1 or len(term[1]) != 1 or term[1][0][1] != 1:
        return other(walk, node)
    whole = exponent.get((), ONE - ONE)
    floor = whole.numerator // whole.denominator
    rest = algebra.add({(): ONE * -floor} if floor else {}, exponent)
    raised = algebra.atom(OPS["pow"](algebra.node(base), algebra.node(rest)))
    return algebra.multiply(algebra.power(base, floor), raised)


def _square(walk: Walk, node: Node) -> Form:
    return shortened(walk.algebra, walk.algebra.power(walk.forms[node.args[0]], 2))


def _exp(walk: Walk, node: Node) -> Form:
    """`exp(3*x)` as `exp(x)**3`, so that like powers meet; it is written as it was."""
    algebra, inner = walk.algebra, walk.forms[node.args[0]]
    if not inner or number_of(inner) is not None:
        return other(walk, node)
    number = content(list(inner.values()))
    number = number / abs(number) if number.denominator != 1 else number
    return algebra.power(algebra.atom(exp(algebra.node(scaled(inner, 1 / number)))), int(number))


def _stretched(walk: Walk, node: Node) -> Form:
    """Elementwise operations stretch by themselves, so the stretching is put back only where something else needs it."""
    return walk.forms[node.args[0]]


def _moved(walk: Walk, node: Node) -> Form:
    """A number in another shape, or some entries of an array of nothing else, are that number."""
    stretched = not walk.bare(node.args[0]).type.shape
    return walk.forms[node.args[0]] if stretched else other(walk, node)


def _reshaped(walk: Walk, node: Node) -> Form:
    (i,) = node.args
    if not walk.bare(i).type.shape:
        return _moved(walk, node)
    return fitted(walk.algebra, walk.forms[i], walk.nodes[i].type.shape, node.type.shape)


def _permuted(walk: Walk, node: Node) -> Form:
    (i,) = node.args
    if not walk.bare(i).type.shape:
        return _moved(walk, node)
    return turned(walk.algebra, walk.forms[i], walk.nodes[i].type.shape, node.attr)


def _sum_over(walk: Walk, node: Node) -> Form:
    (i,) = node.args
    shape = walk.nodes[i].type.shape
    return other(walk, node) if node.type.kind == "bool" else added(walk.algebra, walk.forms[i], shape, node.attr)


def _matmul(walk: Walk, node: Node) -> Form:
    a, b = node.args
    shapes = walk.nodes[a].type.shape, walk.nodes[b].type.shape
    return other(walk, node) if len(node.type.shape) > 2 else times(walk.algebra, (walk.forms[a], walk.forms[b]), shapes)


def _select(walk: Walk, node: Node) -> Form:
    p, *arms = node.args
    if node.type.kind == "bool":
        return walk.algebra.atom(walk.algebra.graph.add(node.op, [walk.bare(i) for i in node.args]))
    vector = lifted(walk.bare(p))
    if vector is not None:
        found = chosen(walk.algebra, vector, *[fitted(walk.algebra, walk.forms[i], node.type.shape, vector.type.shape) for i in arms])
        return fitted(walk.algebra, found, vector.type.shape, node.type.shape)
    return chosen(walk.algebra, walk.bare(p), *[walk.forms[i] for i in arms])


def _not(walk: Walk, node: Node) -> Form:
    p = walk.bare(node.args[0])
    opposite = None if set(p.node.args) & walk.algebra.partial else NEGATED.get(p.node.op)  # a NaN is not below and not above
    return walk.algebra.atom(opposite(*p.args) if opposite else ~p)


RULES: dict[Any, Rule] = {
    OPS["add"]: _add, OPS["sub"]: _sub, OPS["neg"]: _neg, OPS["mul"]: _mul, OPS["div"]: _div, OPS["pow"]: _pow,
    OPS["square"]: _square, exp: _exp, BROADCAST: _stretched, OPS["select"]: _select, OPS["not"]: _not,
    OPS["reshaped"]: _reshaped, OPS["permuted"]: _permuted, OPS["matmul"]: _matmul, OPS["sum"]: _sum_over, OPS["index"]: _moved, OPS["take"]: _moved,
}  # fmt: skip
