"""Matrices and lines of mpmath numbers: object arrays in, object arrays out; the tensor ops that are no plain arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .digits_parts import exp
from .digits_power import power

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..types import Type

    Array = Any
    Rows = list[list[Any]]
    Maker = Callable[[Any, Any, Sequence[Type]], Callable[..., Array]]

SMALL = 6  # a singular matrix is taken apart into minors up to this size


def eliminated(mp: Any, a: Rows, b: Rows) -> tuple[Any, Rows | None]:
    """The determinant of `a`, and the X of a X = b; None where `a` is singular. Gauss, the largest pivot of each column."""
    n = len(a)
    rows = [[*left, *right] for left, right in zip(a, b, strict=True)]
    det = mp.one
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        if not rows[best][k]:
            return mp.zero, None
        if best != k:
            rows[k], rows[best], det = rows[best], rows[k], -det
        det *= rows[k][k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i][k:] = [x - factor * y for x, y in zip(rows[i][k:], rows[k][k:], strict=True)]
    return det, _substituted(rows, n)


def _substituted(rows: Rows, n: int) -> Rows:
    """The right sides of a triangle, solved from below."""
    found: Rows = [[] for _ in range(n)]
    for k in reversed(range(n)):
        right = rows[k][n:]
        for j in range(k + 1, n):
            right = [r - rows[k][j] * x for r, x in zip(right, found[j], strict=True)]
        found[k] = [r / rows[k][k] for r in right]
    return found


def _unit(mp: Any, n: int) -> Rows:
    return [[mp.one if i == j else mp.zero for j in range(n)] for i in range(n)]


def _nans(mp: Any, n: int, m: int) -> Rows:
    return [[mp.nan] * m for _ in range(n)]


def _finite(mp: Any, a: Rows) -> bool:
    return all(mp.isfinite(x) for row in a for x in row)


def inverse(mp: Any, a: Rows) -> Rows:
    """The inverse; NaN where there is none."""
    return solved(mp, a, _unit(mp, len(a)))


def solved(mp: Any, a: Rows, b: Rows) -> Rows:
    """The X of a X = b; NaN where `a` is singular."""
    found = eliminated(mp, a, b)[1] if _finite(mp, a) else None
    return _nans(mp, len(a), len(b[0]) if b else 0) if found is None else found


def determinant(mp: Any, a: Rows) -> Any:
    """The determinant; NaN where an entry is not finite."""
    return eliminated(mp, a, [[] for _ in a])[0] if _finite(mp, a) else mp.nan


def cofactor(mp: Any, a: Rows) -> Rows:
    """The matrix of cofactors, det(a) times the transposed inverse; of a singular matrix by its minors."""
    n = len(a)
    if not _finite(mp, a):
        return _nans(mp, n, n)
    with mp.workprec(2 * mp.prec + 20):  # close to a singular matrix, half of the digits go
        det, back = eliminated(mp, a, _unit(mp, n))
    if back is not None:
        return [[det * back[j][i] for j in range(n)] for i in range(n)]
    if n > SMALL:
        return _nans(mp, n, n)
    return [[(-1) ** (i + j) * determinant(mp, _minor(a, i, j)) for j in range(n)] for i in range(n)]


def _minor(a: Rows, i: int, j: int) -> Rows:
    return [[x for k, x in enumerate(row) if k != j] for r, row in enumerate(a) if r != i]


def logabsdet(mp: Any, a: Rows) -> Any:
    """The logarithm of the absolute value of the determinant."""
    det = determinant(mp, a)
    return det if det != det else mp.log(abs(det)) if det else -mp.inf


def detsign(mp: Any, a: Rows) -> Any:
    """The sign of the determinant, which may be 0."""
    return mp.sign(determinant(mp, a))


def cholesky_factor(mp: Any, a: Rows) -> Rows:
    """The lower factor of the symmetric part; NaN where that is not positive definite."""
    n = len(a)
    found: Rows = [[mp.zero] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            left = (a[i][j] + a[j][i]) / 2 - mp.fsum([x * y for x, y in zip(found[i][:j], found[j][:j], strict=True)])
            if i == j and not left > 0:
                return _nans(mp, n, n)
            found[i][j] = mp.sqrt(left) if i == j else left / found[j][j]
    return found


def _stacked(function: Callable[..., Any]) -> Maker:
    """A function of matrices, over stacks of them."""

    def make(mp: Any, _attr: Any, _types: Sequence[Type]) -> Callable[..., Array]:
        import numpy as np

        def over(*stacks: Array) -> Array:
            front = np.broadcast_shapes(*[s.shape[:-2] for s in stacks])
            whole = [np.broadcast_to(s, (*front, *s.shape[-2:])) for s in stacks]
            found = [function(mp, *[s[at].tolist() for s in whole]) for at in np.ndindex(*front)]
            inner = np.shape(found[0])[:2] if found and isinstance(found[0], list) else ()
            return np.array(found, object).reshape((*front, *inner))

        return over

    return make


# --- over lines of entries ---------------------------------------------------------------------------------


def _lined(function: Callable[..., Any]) -> Maker:
    """A function of a line of numbers and the rest of the attribute, over axes."""

    def make(mp: Any, attr: Any, types: Sequence[Type]) -> Callable[..., Array]:
        import numpy as np

        axes, rank = tuple(attr[0]), len(types[0].shape)
        kept = tuple([n for k, n in enumerate(types[0].shape) if k not in axes])

        def over(x: Array) -> Array:
            lines = np.transpose(x, (*[k for k in range(rank) if k not in axes], *axes)).reshape((*kept, -1))
            found = np.empty(kept, object)
            for at in np.ndindex(*kept):
                found[at] = function(mp, lines[at].tolist(), *attr[1:])
            return found

        return over

    return make


def _extreme(sign: int) -> Callable[..., Any]:
    def best(mp: Any, xs: list[Any]) -> Any:
        if any(x != x for x in xs):
            return mp.nan
        return max(xs, key=lambda x: sign * x, default=-sign * mp.inf)

    return best


def _length(mp: Any, xs: list[Any]) -> Any:
    return mp.inf if any(mp.isinf(x) for x in xs) else mp.sqrt(mp.fsum([x * x for x in xs]))


def _power_length(mp: Any, xs: list[Any], p: Any) -> Any:
    from .digits import constant

    p = constant(mp, repr(p))
    return power(mp, mp.fsum([power(mp, abs(x), p) for x in xs]), 1 / p)


def _log_sum_exp(mp: Any, xs: list[Any]) -> Any:
    most = _extreme(1)(mp, xs)
    return most + mp.log(mp.fsum([exp(mp, x - most) for x in xs])) if mp.isfinite(most) else most


def _along(function: Callable[[list[Any]], Any]) -> Maker:
    """Places of a line, along one axis: one, or as many as there are entries."""

    def make(mp: Any, axis: int, _types: Sequence[Type]) -> Callable[..., Array]:
        import numpy as np

        def over(x: Array) -> Array:
            return np.frompyfunc(mp.mpf, 1, 1)(np.apply_along_axis(lambda line: np.array(function(line.tolist()), int), axis, x))

        return over

    return make


def _place(sign: int) -> Callable[[list[Any]], int]:
    return lambda xs: next((k for k, x in enumerate(xs) if x != x), max(range(len(xs)), key=lambda k: sign * xs[k]))


def _order(xs: list[Any]) -> list[int]:
    return sorted(range(len(xs)), key=lambda k: (xs[k] != xs[k], xs[k] if xs[k] == xs[k] else 0))


def _matmul(_mp: Any, _attr: Any, _types: Sequence[Type]) -> Callable[..., Array]:
    import numpy as np

    return np.matmul


def _sum(_mp: Any, axes: Any, _types: Sequence[Type]) -> Callable[..., Array]:
    import numpy as np

    return lambda x: np.sum(x, axis=tuple(axes))


def _any(_mp: Any, axes: Any, _types: Sequence[Type]) -> Callable[..., Array]:
    import numpy as np

    return lambda x: np.any(x, axis=tuple(axes))


MATRIX: dict[str, Maker] = {
    "any_of": _any,
    "arglargest": _along(_place(1)),
    "argsmallest": _along(_place(-1)),
    "argsort": _along(_order),
    "cholesky_factor": _stacked(cholesky_factor),
    "cofactor": _stacked(cofactor),
    "determinant": _stacked(determinant),
    "detsign": _stacked(detsign),
    "inverse": _stacked(inverse),
    "largest": _lined(_extreme(1)),
    "length": _lined(_length),
    "log_sum_exp": _lined(_log_sum_exp),
    "logabsdet": _stacked(logabsdet),
    "matmul": _matmul,
    "power_length": _lined(_power_length),
    "smallest": _lined(_extreme(-1)),
    "solved": _stacked(solved),
    "sum": _sum,
}
