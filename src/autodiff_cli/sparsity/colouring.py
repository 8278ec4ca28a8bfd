"""A pattern in; for each column the number of the product that gives it, so that few products give every entry, out.

Entries are read off the products directly. The rules are those of A. H. Gebremedhin, F. Manne and A. Pothen, "What color is
your Jacobian? Graph coloring for computing derivatives", SIAM Review 47 (2005): columns of one colour share no row for a
Jacobian (a distance-2 colouring of the columns), and a star colouring for a Hessian: neighbours differ, and so do at least
three of the four vertices of every path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .pattern import Pattern

    Array = Any

NONE = -1  # the colour of a column without entries
STEPS = 20_000_000  # a greedy colouring that takes more is not tried
NARROW = 3  # rows so narrow need as many colours: no search finds fewer


def columns(pattern: Pattern) -> Array:
    """The colour of each column, such that no two of a colour have an entry in the same row."""
    import numpy as np

    used = np.bincount(pattern.columns, minlength=pattern.shape[1]) > 0
    widest = int(np.bincount(pattern.rows).max(initial=0))
    if widest == used.sum():
        return np.where(used, np.cumsum(used) - 1, NONE)
    turns = _in_turns(pattern, widest)
    return np.where(used, _greedy(pattern, used) if turns is None else turns, NONE)


def star(pattern: Pattern) -> Array:
    """The colour of each column of a symmetric pattern, such that one of the two entries (i, j) and (j, i) can be read off."""
    import numpy as np

    used = np.bincount(pattern.columns, minlength=pattern.shape[1]) > 0
    widest = int(np.bincount(pattern.rows).max(initial=0))
    if len(pattern.rows) == used.sum() ** 2:
        return np.where(used, np.cumsum(used) - 1, NONE)
    turns = _in_turns(pattern, widest)
    if turns is not None and (widest <= NARROW or len(pattern.rows) * widest**2 > STEPS):
        return np.where(used, turns, NONE)
    found = _greedy_star(pattern) if len(pattern.rows) * widest**2 <= STEPS else _greedy(pattern, used)
    return np.where(used, found if turns is None or found.max() < turns.max() else turns, NONE)


def _in_turns(pattern: Pattern, widest: int) -> Array | None:
    """As many colours in turn as the widest row has entries, which bands are coloured by; None where two would meet in a row."""
    import numpy as np

    colours = np.arange(pattern.shape[1]) % max(widest, 1)
    met = np.bincount(pattern.rows * widest + colours[pattern.columns])
    return colours if met.max(initial=0) <= 1 else None


def _greedy(pattern: Pattern, used: Array) -> Array:
    """Columns one after another, the fullest first, each with the first colour that none of its rows has."""
    import numpy as np

    colours = np.full(pattern.shape[1], NONE)
    by_column = _lines(pattern.columns, pattern.rows, pattern.shape[1])
    taken = [0] * pattern.shape[0]  # the colours of a row, as bits
    full = np.bincount(pattern.columns, minlength=pattern.shape[1])
    for j in np.argsort(-full, kind="stable")[: int(used.sum())].tolist():
        bits = 0
        for i in by_column[j]:
            bits |= taken[i]
        free = ~bits & (bits + 1)
        colours[j] = free.bit_length() - 1
        for i in by_column[j]:
            taken[i] |= free
    return colours


def _greedy_star(pattern: Pattern) -> Array:
    """Vertices one after another, the one with most neighbours first, each with the first colour that makes no path of two colours."""
    import numpy as np

    n = pattern.shape[1]
    near = [[k for k in line if k != j] for j, line in enumerate(_lines(pattern.rows, pattern.columns, n))]
    colours = [NONE] * n
    for v in np.argsort([-len(line) for line in near], kind="stable").tolist():
        forbidden: set[int] = set()
        for w in near[v]:
            forbidden.add(colours[w])
            for x in near[w]:
                if x == v or colours[x] == NONE:
                    continue
                if colours[w] == NONE or any(y != w and colours[y] == colours[w] for y in near[x]):
                    forbidden.add(colours[x])
        colours[v] = next(c for c in range(n) if c not in forbidden)
    return np.array(colours)


def _lines(of: Array, what: Array, count: int) -> list[list[int]]:
    """For each number of `of`, what stands beside it."""
    import numpy as np

    order = np.argsort(of, kind="stable")
    ends = np.cumsum(np.bincount(of, minlength=count))
    found = what[order].tolist()
    return [found[start:end] for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]
