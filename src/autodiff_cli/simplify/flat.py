"""A form with sums among its factors in; the same multiplied out, where that stays short, out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .forms import merged, without
from .numbers import ONE

if TYPE_CHECKING:
    from .algebra import Algebra
    from .forms import Form

ROUNDS, MOST = 400, 60  # sums that are multiplied out, terms
ZERO = ONE - ONE


def flat(algebra: Algebra, form: Form) -> Form:
    """Sums of terms without sums; the form itself where that takes too many terms."""
    terms = dict(form)
    for _ in range(ROUNDS):
        found = next(((product, i) for product in terms for i, exponent in product if exponent > 0 and i in algebra.sums), None)
        if found is None:
            return terms
        product, i = found
        factor, rest = terms.pop(product), without(product, ((i, 1),))
        for inner, number in algebra.sums[i].items():
            whole = merged(rest, inner)
            terms[whole] = terms.get(whole, ZERO) + factor * number
            if not terms[whole]:
                del terms[whole]
        if len(terms) > MOST:
            break
    return form
