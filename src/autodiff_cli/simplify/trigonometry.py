"""Products and sums of functions of one argument in, what the table of identities makes of them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import Expr
from ..ops import OPS
from . import identities
from .forms import merged, product_of, without

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from .algebra import Algebra
    from .forms import Form, Product
    from .identities import Side

LENGTH = OPS["hypot"]


def shortened(algebra: Algebra, form: Form) -> Form:
    """A product with quotients such as sin(a)/cos(a) as one function."""
    if len(form) != 1:
        return form
    ((product, factor),) = form.items()
    for pattern, result in identities.products():
        product = _replaced(algebra, product, pattern, result)
    return _squared(algebra, {product: factor})


def _squared(algebra: Algebra, form: Form) -> Form:
    """The square of a length as the sum of squares."""
    ((product, factor),) = form.items()
    for i, exponent in product:
        op, args, _, _ = algebra.graph.nodes[i]
        if op is LENGTH and exponent % 2 == 0:
            total: Form = {}
            for j in args:
                total = algebra.add(total, dict(algebra.power(algebra.atom(Expr(algebra.graph, j)), 2)))
            rest = {without(product, ((i, exponent),)): factor}
            return algebra.multiply(rest, algebra.power(total, exponent // 2))
    return form


def _replaced(algebra: Algebra, product: Product, pattern: Side, result: Side) -> Product:
    powers = dict(product)
    first, wanted = pattern.powers[0]
    for i, exponent in product:
        op, args, attr, _ = algebra.graph.nodes[i]
        if op is not first or attr is not None or exponent * wanted <= 0:
            continue
        found = _found(algebra, pattern, args[0])
        times = min([int(powers.get(k, 0) / e) for k, e in found]) if found else 0
        if times > 0:
            taken = tuple([(k, e * times) for k, e in found or ()])
            given = tuple([(_applied(algebra, op, args[0]), e * times) for op, e in result.powers])
            product = merged(without(product_of(powers.items()), product_of(taken)), product_of(given))
            powers = dict(product)
    return product


def _found(algebra: Algebra, side: Side, argument: int) -> list[tuple[int, int]] | None:
    """The nodes that the functions of a side are of this argument, with their powers; None where one is not in the graph."""
    found = []
    for op, exponent in side.powers:
        i = algebra.graph.ids.get((op, (argument,), None)) if op else argument
        if i is None:
            return None
        found.append((i, exponent))
    return found


def _applied(algebra: Algebra, op: object, argument: int) -> int:
    x = Expr(algebra.graph, argument)
    return argument if op is None else algebra.graph.add(op, [x]).id  # type: ignore[arg-type]  # an op of the table


def joined(algebra: Algebra, form: Form, fresh: Iterable[Product]) -> Form:
    """A sum in which pairs such as sin(a)**2 + cos(a)**2 are 1, one of each pair among the `fresh` terms."""
    for product in fresh:
        for i, exponent in product:
            for one, other in _pairs(algebra.graph.nodes[i].op):
                if exponent >= one.powers[0][1] and product in form:
                    _join(algebra, form, product, i, (one, other))
    return form


def _pairs(op: object) -> list[tuple[Side, Side]]:
    """The sums that are 1 with a function in their first or second term, which is put first."""
    found = identities.sums()
    return [pair for one, other in found for pair in ((one, other), (other, one)) if pair[0].powers[0][0] is op]


def _join(algebra: Algebra, form: Form, product: Product, i: int, pair: tuple[Side, Side]) -> None:
    """Take one pair out of a sum, if its other half is there."""
    first, second = pair
    argument = algebra.graph.nodes[i].args[0]
    mine, yours = _found(algebra, first, argument), _found(algebra, second, argument)
    if mine is None or yours is None or dict(product).get(i, 0) < mine[0][1]:
        return
    rest = without(product, product_of(mine))
    partner = merged(rest, product_of(yours))
    factor: Fraction | None = form.get(partner)
    if factor is not None and factor * second.sign * first.sign == form[product]:
        total = form.get(rest, 0) + form.pop(product) * first.sign
        del form[partner]
        if total:
            form[rest] = total
        else:
            form.pop(rest, None)
