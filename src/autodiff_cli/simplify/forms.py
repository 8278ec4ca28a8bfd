"""Sums of products of powers: the form that expressions are brought to, and its arithmetic.

A form maps products to rational factors; a product is a sorted tuple of (atom, whole exponent), where an atom is the
position of a node of the graph under construction. `{}` is 0 and `{(): 2}` is 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .numbers import ONE, content

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    Product = tuple[tuple[int, int], ...]
    Form = dict[Product, Fraction]


def constant(number: Fraction) -> Form:
    """The form of a number."""
    return {(): number} if number else {}


def atom(i: int, exponent: int = 1) -> Form:
    """The form of a node that is taken as it is."""
    return {((i, exponent),): ONE}


def number_of(form: Form) -> Fraction | None:
    """The number that a form is, or None."""
    return form.get((), None) if len(form) == 1 else None if form else ONE - ONE


def single(form: Form) -> tuple[Fraction, Product] | None:
    """The factor and the product of a form with one term."""
    if len(form) != 1:
        return None
    ((product, factor),) = form.items()
    return factor, product


def scaled(form: Form, number: Fraction) -> Form:
    """A form times a number."""
    return form if number == 1 else {product: factor * number for product, factor in form.items()} if number else {}


def merged(a: Product, b: Product) -> Product:
    """The product of two products."""
    if not a or not b:
        return a or b
    powers = dict(a)
    for i, exponent in b:
        powers[i] = powers.get(i, 0) + exponent
    return product_of(powers.items())


def product_of(powers: Iterable[tuple[int, int]]) -> Product:
    """Powers as a product: sorted, without those to the power 0."""
    return tuple(sorted([(i, exponent) for i, exponent in powers if exponent]))


def shared(products: Iterable[Product]) -> Product:
    """The powers that are in every product: the smaller one of positive powers, the nearer to 0 of negative ones."""
    first, *rest = map(dict, products)
    for powers in rest:
        first = {i: _nearer(first[i], powers[i]) for i in first if i in powers and (first[i] > 0) == (powers[i] > 0)}
    return product_of(first.items())


def _nearer(a: int, b: int) -> int:
    return min(a, b, key=abs)


def without(product: Product, part: Product) -> Product:
    """A product divided by one of its parts."""
    return merged(product, tuple([(i, -exponent) for i, exponent in part])) if part else product


def reduced(form: Form) -> tuple[Fraction, Product, Form]:
    """A sum as number times product times a sum that shares nothing."""
    number, part = content(list(form.values())), shared(form)
    return number, part, {without(product, part): factor / number for product, factor in form.items()}
