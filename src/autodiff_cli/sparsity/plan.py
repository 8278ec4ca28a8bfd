"""A pattern and its colours in; the seeds of the products, and where among the products each entry of the matrix stands, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .colouring import NONE, columns, star
from .pattern import Pattern, distinct

if TYPE_CHECKING:
    Array = Any


class Plan(NamedTuple):
    """Entry k of the matrix, at (`pattern.rows[k]`, `pattern.columns[k]`), is number `entry[k]` of product `product[k]`.

    `colours` holds the number of the product that each seed goes into, -1 for a seed that nothing hangs on; `mode` says what the
    products are.
    """

    mode: str
    pattern: Pattern
    colours: Array
    product: Array
    entry: Array

    @property
    def products(self) -> int:
        """How many products give the matrix."""
        return int(self.colours.max(initial=NONE)) + 1


def jacobian(pattern: Pattern, mode: str | None = None) -> Plan:
    """The fewer of tangents (forward mode) and cotangents (reverse mode), or those of `mode`."""
    import numpy as np

    forward = None if mode == "reverse" else columns(pattern)
    settled = mode == "forward" or forward is not None and forward.max(initial=NONE) < np.bincount(pattern.columns).max(initial=0)
    reverse = None if settled else columns(transposed(pattern))  # a full column alone needs a product for each of its entries
    if reverse is None or forward is not None and forward.max(initial=NONE) <= reverse.max(initial=NONE):
        return Plan("forward", pattern, forward, forward[pattern.columns], pattern.rows)  # type: ignore[index]  # one of the two is there
    return Plan("reverse", pattern, reverse, reverse[pattern.rows], pattern.columns)


def hessian(pattern: Pattern) -> Plan:
    """Products of the Hessian with vectors; of each pair (i, j) and (j, i) one is read, and stands for both."""
    import numpy as np

    pattern = symmetric(pattern)
    colours = star(pattern)
    count = int(colours.max(initial=NONE)) + 1
    low, high = np.minimum(pattern.rows, pattern.columns), np.maximum(pattern.rows, pattern.columns)
    met = np.bincount(pattern.rows * count + colours[pattern.columns], minlength=pattern.shape[0] * count)
    alone = met[low * count + colours[high]] == 1
    return Plan("forward over reverse", pattern, colours, colours[np.where(alone, high, low)], np.where(alone, low, high))


def transposed(pattern: Pattern) -> Pattern:
    """The pattern with rows for columns."""
    import numpy as np

    rows, cols, (m, n) = pattern
    order = np.lexsort((rows, cols))
    return Pattern(cols[order], rows[order], (n, m))


def symmetric(pattern: Pattern) -> Pattern:
    """The pattern with (j, i) for every (i, j)."""
    import numpy as np

    rows, cols, (n, _) = pattern
    keys = distinct(np.concatenate([rows * n + cols, cols * n + rows]))
    return Pattern(*np.divmod(keys, max(n, 1)), pattern.shape)
