"""Selections as people write them: a tie that is one of three cases stands between the other two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import Expr
from ..ops import OPS
from .forms import without

if TYPE_CHECKING:
    from .algebra import Algebra
    from .forms import Form

SELECT, NOT, EQUAL, STRICT = OPS["select"], OPS["not"], OPS["eq"], {OPS["ge"]: OPS["gt"], OPS["le"]: OPS["lt"]}


def chosen(algebra: Algebra, p: Expr, a: Form, b: Form) -> Form:
    """`a if p else b`."""
    if p.node.op is NOT:
        return chosen(algebra, p.args[0], b, a)
    if p.node.op in STRICT:
        tie = _tie(algebra, p, a)
        if tie is not None:
            strict = STRICT[p.node.op](*p.args)
            equal = EQUAL(*p.args)
            one, half = (_with(algebra, a, tie, k) for k in (2, 1))
            return _select(algebra, strict, one, _select(algebra, equal, half, b))
    return _select(algebra, p, a, b)


def _select(algebra: Algebra, p: Expr, a: Form, b: Form) -> Form:
    if p.text:
        return a if p.text == "True" else b
    x, y = algebra.node(a), algebra.node(b)
    return a if x.id == y.id else algebra.atom(algebra.graph.add(SELECT, [p, x, y]))


def _tie(algebra: Algebra, p: Expr, form: Form) -> int | None:
    """The selection by `a == b` that every term has as a factor, where p is `a >= b`."""
    common = {i for product in form for i, exponent in product if exponent == 1}
    for i in sorted(common):
        op, args, _, _ = algebra.graph.nodes[i]
        if op is SELECT and all((i, 1) in product for product in form):
            by = Expr(algebra.graph, args[0])
            if by.node.op is EQUAL and set(by.node.args) == set(p.node.args):
                return i
    return None


def _with(algebra: Algebra, form: Form, tie: int, arm: int) -> Form:
    """The form with one arm of a selection in its place."""
    factor = algebra.atom(Expr(algebra.graph, algebra.graph.nodes[tie].args[arm]))
    total: Form = {}
    for product, number in form.items():
        total = algebra.add(total, algebra.multiply({without(product, ((tie, 1),)): number}, factor))
    return total
