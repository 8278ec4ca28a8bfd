"""Nodes that people read: forms in, nodes of a graph out, each sum and product written once and in the order of textbooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import CONST, PARAM, Expr, Graph
from ..ops.arithmetic import div, neg, pow_
from ..ops.elementary import exp
from .forms import atom, constant, merged, number_of, product_of, reduced, scaled, single, without
from .numbers import ONE, ZERO, parts, rational, short

if TYPE_CHECKING:
    from fractions import Fraction

    from .forms import Form, Product

FEW = 4  # terms of a sum that a number is multiplied into
MANY = 64  # terms or factors after which a sum or product that is used again is a node of its own
NEVER_ZERO = (exp,)


class Algebra:
    """The graph under construction, the form that each of its sums has, and what was left out that had no value somewhere.

    `sums` has the form of nodes that are sums, `known` the node of each form, `partial` the nodes that have no value
    somewhere, `products` the form of nodes that are products or numbers, `lost` the nodes whose zeros or missing values are no longer seen.
    """

    __slots__ = ("decimals", "graph", "known", "lost", "partial", "products", "sums")

    def __init__(self, *, decimals: bool = False) -> None:
        self.graph = Graph()
        self.decimals = decimals
        self.sums: dict[int, Form] = {}
        self.products: dict[int, Form] = {}
        self.known: dict[Any, Expr] = {}
        self.partial: set[int] = set()
        self.lost: dict[int, None] = {}

    def atom(self, x: Expr) -> Form:
        """A node as a form: a number where it is a constant that can be written out."""
        text = x.text
        number = None if text is None or x.type.kind == "bool" else rational(text)
        if number is not None:
            return constant(number)
        if x.id in self.products:
            return self.products[x.id]
        if x.id not in self.partial and self._may_fail(x):
            self.partial.add(x.id)
        return atom(x.id)

    def _may_fail(self, x: Expr) -> bool:
        op, args, _, _ = x.node
        if any(i in self.partial for i in args):
            return True
        whole = x.args[1].whole if op is pow_ else None
        safe = whole is not None and whole >= 0 or op is div and x.args[1].text not in (None, "0")
        return bool(op.domain) and not safe

    def add(self, a: Form, b: Form) -> Form:
        """The sum; `a` may be changed."""
        a, b = (self._opened(form) for form in (a, b))
        if len(a) < len(b):
            a, b = dict(b), a
        for product, factor in b.items():
            total = a.get(product, ZERO) + factor
            if total and short(total):
                a[product] = total
            elif total:
                a[merged(product, self._number(factor))] = ONE
            else:
                a.pop(product, None)
                self._lose(product)
        return a

    def _lose(self, product: Product) -> None:
        for i, exponent in product:
            if exponent < 0 and not self._nonzero(i) or i in self.partial:
                self.lost[i] = None

    def _opened(self, form: Form) -> Form:
        """A number times a short sum as that sum; a copy, never the form of a node."""
        term = single(form)
        inner = term and self._inner(term[1], term[0])
        return dict(scaled(inner, term[0])) if term and inner else form

    def _inner(self, product: Product, factor: Fraction) -> Form | None:
        """The sum that a term is a number times, if it is short enough to be written among other terms."""
        if len(product) != 1 or product[0][1] != 1:
            return None
        inner = self.sums.get(product[0][0])
        return inner if inner and (len(inner) <= FEW or abs(factor) == 1 and len(inner) <= MANY) else None

    def multiply(self, a: Form, b: Form) -> Form:
        """The product."""
        for one, other in ((a, b), (b, a)):
            number = number_of(one)
            if number is not None and all(short(factor * number) for factor in other.values()):
                if not number:
                    for product in other:
                        self._lose(product)
                return dict(scaled(other, number))
        (m, p), (n, q) = self.factors(a), self.factors(b)
        if not m * n:
            return {}
        product = merged(p, q)
        self._look_for_lost(p, q, dict(product))
        return {product: m * n} if short(m * n) else {merged(product, self._number(n)): m}

    def _look_for_lost(self, p: Product, q: Product, powers: dict[int, int]) -> None:
        for i, exponent in (*p, *q):
            if exponent < 0 <= powers.get(i, 0) and not self._nonzero(i) or i not in powers and i in self.partial:
                self.lost[i] = None

    def _nonzero(self, i: int) -> bool:
        op, _, attr, _ = self.graph.nodes[i]
        return op in NEVER_ZERO or op is CONST and attr not in ("nan", "-0")

    def _number(self, number: Fraction) -> Product:
        """A number that cannot be multiplied in, as an atom."""
        top, bottom = parts(number, decimals=True)
        sign = "-" if number < 0 else ""
        found = [(self.graph.const(sign + top).id, 1)] if (sign + top) != "1" else []
        return product_of([*found, (self.graph.const(bottom).id, -1)] if bottom != "1" else found)

    def power(self, form: Form, n: int) -> Form:
        """A whole power."""
        if n == 1:
            return form
        if n == 0:
            return constant(ONE)
        number, product = self.factors(form)
        if not number and n < 0 or abs(n) > MANY and abs(number) != 1 or not short(number**n):
            return self.atom(pow_(self.node(form), n))
        return {product_of([(i, exponent * n) for i, exponent in product]): number**n} if number else {}

    def factors(self, form: Form) -> tuple[Fraction, Product]:
        """A form as number times product; a sum becomes a node, without what its terms share."""
        if not form:
            return ZERO, ()
        term = single(form)
        if term:
            return term
        number, part, rest = reduced(form)
        flat = self._flat(rest)
        if flat is not rest:
            more, product = self.factors(flat)
            return number * more, merged(part, product)
        below = self._below(rest)
        if below:
            more, product = self.factors(below[1])
            return number * more, merged(merged(part, product), ((below[0], -1),))
        turned = scaled(rest, -ONE)
        if frozenset(turned.items()) in self.known and frozenset(rest.items()) not in self.known:
            number, rest = -number, turned
        return number, merged(part, ((self.node(rest).id, 1),))

    def _flat(self, form: Form) -> Form:
        """A sum without sums among its terms."""
        if not any(self._inner(product, factor) for product, factor in form.items()):
            return form
        total: Form = {}
        for product, factor in form.items():
            total = self.add(total, {product: factor})
        return total

    def _below(self, form: Form) -> tuple[int, Form] | None:
        """A sum over one line, where that leaves no more terms: `1 - x/(x + 1)` is 1 over `x + 1`."""
        if len(form) > FEW:
            return None
        for i in dict.fromkeys(
            [i for product in form for i, e in product if e < 0 and len(self.sums.get(i, form)) <= FEW and i in self.sums]
        ):
            above: Form = {}
            for product, factor in form.items():
                above = self.add(above, self._expanded(merged(product, ((i, 1),)), factor))
            if len(above) <= len(form):
                return i, above
        return None

    def _expanded(self, product: Product, factor: Fraction) -> Form:
        """A product with a short sum multiplied out."""
        for i, exponent in product:
            inner = self.sums.get(i, {})
            if exponent == 1 and 0 < len(inner) <= FEW:
                rest = without(product, ((i, 1),))
                return {merged(rest, p): f * factor for p, f in inner.items()}
        return {product: factor}

    def node(self, form: Form) -> Expr:
        """The node of a form."""
        key = frozenset(form.items())
        if key not in self.known:
            made = self.known[key] = self._sum(form)
            if len(form) < 2 and made.id not in self.sums:
                self.products[made.id] = form
            if any(i in self.partial or exponent < 0 and not self._nonzero(i) for product in form for i, exponent in product):
                self.partial.add(made.id)
        return self.known[key]

    def _sum(self, form: Form) -> Expr:
        if len(form) > 1:
            number, part, _ = reduced(form)
            if self._worth(part) or number.denominator > 1:
                return self._product(*self.factors(form))
        terms = list(self._over_one_line(form).items())
        first = next((k for k, (_, factor) in enumerate(terms) if factor > 0), 0)
        if not terms:
            return self.graph.const("0")
        product, factor = terms.pop(first)
        total = self._product(factor, product)
        for product, factor in terms:
            x = self._product(abs(factor), product)
            total = total + x if factor > 0 else total - x
        if len(form) > 1:
            self.sums[total.id] = form
        return total

    def _over_one_line(self, form: Form) -> Form:
        """A sum with few terms over powers of one sum as one term, where what stands above gets shorter."""
        for i in dict.fromkeys([i for product in form for i, e in product if e < 0 and i in self.sums]):
            part = {product: factor for product, factor in form.items() if any(j == i and e < 0 for j, e in product)}
            if 1 < len(part) <= FEW and len(part) < len(form):
                number, product = self.factors(part)
                if all(j == i or len(self.sums.get(j, ())) < len(part) for j, _ in product):
                    form = self.add({p: f for p, f in form.items() if p not in part}, {product: number})
        return form

    def _worth(self, part: Product) -> bool:
        """Whether people would write in front of a sum what its terms share: more than one variable."""
        return len(part) > 1 or any(self.graph.nodes[i].op is not PARAM for i, _ in part)

    def _product(self, number: Fraction, product: Product) -> Expr:
        above, below = self._powers(product)
        top, bottom = parts(number, decimals=self.decimals)
        sums = [k for k, (x, e) in enumerate(above) if e == 1 and self._mixed(x)] if number < 0 and top == "1" else []
        if sums:
            x = above[sums[0]][0]
            above[sums[0]] = (self.node(scaled(self.sums[x.id], -ONE)), 1)
            number = -number
        upper = [self._power(*factor) for factor in above]
        if top != "1" or not upper:
            upper.insert(0, self.graph.const(top))
        if number < 0:
            upper[0] = neg(upper[0])
        lower = [*([self.graph.const(bottom)] if bottom != "1" else []), *[self._power(*factor) for factor in below]]
        return self._times(upper) / self._times(lower) if lower else self._times(upper)

    def _mixed(self, x: Expr) -> bool:
        return any(factor < 0 for factor in self.sums.get(x.id, {}).values())

    def _powers(self, product: Product) -> tuple[list[tuple[Expr, int]], list[tuple[Expr, int]]]:
        """What stands above and below the line: constants, variables, functions, sums; exponentials above, x**n * x as x**(n + 1)."""
        powers = dict(product)
        for i, exponent in product:
            op, args, _, _ = self.graph.nodes[i]
            if op is pow_ and exponent == 1 and args[0] in powers:
                raised = self.add(dict(self.atom(Expr(self.graph, args[1]))), constant(ONE * powers.pop(args[0])))
                del powers[i]
                number = number_of(raised)
                negative = number is not None and number < 0
                whole = pow_(Expr(self.graph, args[0]), self.node(scaled(raised, -ONE) if negative else raised))
                powers[whole.id] = powers.get(whole.id, 0) + (-1 if negative else 1)
        order = sorted(powers.items(), key=lambda power: (self._rank(power[0]), power[0]))
        pairs = [(Expr(self.graph, i), exponent) for i, exponent in order]
        above = [(x, e) for x, e in pairs if e > 0 or x.node.op is exp]
        return above, [(x, -e) for x, e in pairs if e < 0 and x.node.op is not exp]

    def _rank(self, i: int) -> int:
        op = self.graph.nodes[i].op
        return 0 if op is CONST else 1 if op is PARAM else 2 if i in self.sums else 3

    def _power(self, x: Expr, exponent: int) -> Expr:
        if exponent == 1:
            return x
        if x.node.op is exp:
            inner = self.multiply(constant(ONE * exponent), self._opened(self.atom(x.args[0])))
            return exp(self.node(inner))  # type: ignore[no-any-return]  # an expression
        return pow_(x, exponent)  # type: ignore[no-any-return]  # an expression

    @staticmethod
    def _times(factors: list[Expr]) -> Expr:
        total = factors[0]
        for x in factors[1:]:
            total = total * x
        return total
