"""Contractions, matrix functions and reductions: pull and push written as expressions of ops of this table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import INF, Expr, Op, When
from ..types import Type
from .arithmetic import detach, eq, guard, isfinite, isnan, ne, real, select
from .elementary import div0, exp
from .entry import enter
from .linear import Many, add_up, indexed, later, place, stretch_back, swapped
from .steps import abs_, sign

if TYPE_CHECKING:
    from collections.abc import Callable

Rule = tuple["Callable[..., Any]", "Callable[..., Any]"]
SMALL = 8


def tensor(name: str, typed: Callable[..., Type], *rules: Rule, **fields: Any) -> Op:
    """An op with (pull, push) an argument: each gets (cotangent or tangent, arguments, result, attribute)."""
    return enter(Op(name, "tensor", d=rules, typed=typed, hidden=name != "matmul", **fields), lambda x: x)


def reduction(name: str, partial: Callable[..., Any], **fields: Any) -> Op:
    """An op over axes, attribute (axes, …), with one elementwise partial of the argument and the stretched result."""
    return enter(Op(name, "reduce", d=(partial,), typed=_reduced, rows=_later, hidden=True, **fields), lambda x: x)


def _later(attr: Any, rows: int) -> Any:
    return (later(attr[0], rows), *attr[1:])


def _reduced(attr: Any, x: Type) -> Type:
    return Type("real", tuple([n for axis, n in enumerate(x.shape) if axis not in attr[0]]))


def _product_type(_: Any, a: Type, b: Type) -> Type:
    return Type("real", (*a.shape[:-1], b.shape[-1]))


def _square(_: Any, a: Type, *_more: Type) -> Type:
    return a


def _batch(_: Any, a: Type) -> Type:
    return Type("real", a.shape[:-2])


def _solved(_: Any, _a: Type, b: Type) -> Type:
    return b


def _wide(u: Expr, like: Expr) -> Expr:
    """One number a matrix, as a matrix."""
    rank = len(like.type.shape)
    return stretch_back(u, like.type.shape, (rank - 2, rank - 1))


def total(x: Expr) -> Expr:
    """The sum over the last two axes."""
    rank = len(x.type.shape)
    return add_up(x, (rank - 2, rank - 1))


# --- determinants: minors all the way down, so that every order holds at any rank (Jacobi's formula) --------


def _minors(a: Expr) -> Expr:
    """The matrices that are left without row i and column j, for every i and j: shape (…, n, n, n-1, n-1)."""
    shape = a.type.shape
    n = shape[-1]
    rest = [[r for r in range(n) if r != i] for i in range(n)]
    rows = Many([rest[i][r] for i in range(n) for _ in range(n) for r in range(n - 1) for _ in range(n - 1)], (n, n, n - 1, n - 1))
    cols = Many([rest[j][c] for _ in range(n) for j in range(n) for _ in range(n - 1) for c in range(n - 1)], (n, n, n - 1, n - 1))
    return indexed(a, (*[(0, size, 1) for size in shape[:-2]], rows, cols))


def _signs(a: Expr) -> Expr:
    n = a.type.shape[-1]
    even = Many([i for i in range(n) for j in range(n) if (i + j) % 2 == 0], ((n * n + 1) // 2,))
    odd = Many([j for i in range(n) for j in range(n) if (i + j) % 2 == 0], ((n * n + 1) // 2,))
    ones = a.graph.broadcast(a.graph.const("2"), even.shape)
    return a.graph.add(place, [ones], ((n, n), (even, odd))) - 1  # type: ignore[no-any-return]  # an expression


def _pull_cofactor(u: Expr, args: list[Expr], _: Expr, __: Any) -> Any:
    (a,) = args
    n = a.type.shape[-1]
    if n <= 1:
        return None
    if n > SMALL:
        return _far(u, a)
    minors = _minors(a)
    inner = a.graph.add(cofactor, [minors]) * _wide(u * _signs(a), minors)
    items = minors.node.attr
    return a.graph.add(place, [inner], (a.type.shape, items))


def _push_cofactor(t: Expr, args: list[Expr], _: Expr, __: Any) -> Any:
    (a,) = args
    n = a.type.shape[-1]
    if n <= 1:
        return None
    if n > SMALL:
        return swapped(_far(swapped(t), a))
    minors = _minors(a)
    return total(a.graph.add(cofactor, [minors]) * indexed(t, minors.node.attr)) * _signs(a)


def _far(u: Expr, a: Expr) -> Expr:
    """From d cof(A) = cof(A) tr(A⁻¹ dA) − A⁻ᵀ dAᵀ cof(A), transposed; NaN where A is singular."""
    back, c = swapped(inv(a)), cofactor(a)
    return back * _wide(total(c * u), a) - matmul(matmul(c, swapped(u)), back)  # type: ignore[no-any-return]


# --- Cholesky (Murray, 2016) ---------------------------------------------------------------------------------


def _lower(x: Expr) -> Expr:
    """The lower triangle with its diagonal halved."""
    n = x.type.shape[-1]
    mask = [(i, j) for i in range(n) for j in range(i + 1)]
    half = Many([i for i, _ in mask], (len(mask),)), Many([j for _, j in mask], (len(mask),))
    weights = x.graph.broadcast(x.graph.const("1"), (len(mask),))
    diagonal = Many(list(range(n)), (n,))
    halves = x.graph.add(place, [x.graph.broadcast(x.graph.const("0.5"), (n,))], ((n, n), (diagonal, diagonal)))
    return x * (x.graph.add(place, [weights], ((n, n), half)) - halves)  # type: ignore[no-any-return]


def _pull_cholesky(u: Expr, _: list[Expr], y: Expr, __: Any) -> Any:
    back = inv(y)
    s = matmul(matmul(swapped(back), _lower(matmul(swapped(y), u))), back)
    return 0.5 * (s + swapped(s))


def _push_cholesky(t: Expr, _: list[Expr], y: Expr, __: Any) -> Any:
    back = inv(y)
    s = 0.5 * (t + swapped(t))
    return matmul(y, _lower(matmul(matmul(back, s), swapped(back))))


# --- reductions ----------------------------------------------------------------------------------------------


def _share(x: Expr, y: Expr, attr: Any) -> Any:
    """1 over the number of entries that are tied with the chosen one, for those that are."""
    tied = eq(x, y)
    count = stretch_back(add_up(real(tied), attr[0]), x.type.shape, attr[0])
    return When(tied | isnan(x), guard(1 / count, y))


def shifted(x: Expr, axes: tuple[int, ...]) -> Expr:
    """The entries less the largest one over axes, which is a constant here: what is left neither overflows nor cancels."""
    most = detach(x.graph.add(largest, [x], (axes,)))
    return x - stretch_back(select(isfinite(most), most, 0), x.type.shape, axes)  # type: ignore[no-any-return]  # an expression


def _softmax_share(x: Expr, _: Expr, attr: Any) -> Any:
    """The shares e / sum(e) with e = exp(x - max x)."""
    e = exp(shifted(x, attr[0]))
    share = e / stretch_back(add_up(e, attr[0]), x.type.shape, attr[0])
    return When(ne(x, -INF), select(eq(x, INF), 1, share))


def _power_share(x: Expr, y: Expr, attr: Any) -> Any:
    """sign(x) (|x|/y)^(p-1), by way of the largest entry: an entry that is 0 then has derivative 0 by every other one."""
    axes, p = attr
    size = abs_(x)
    most = stretch_back(detach(x.graph.add(largest, [size], (axes,))), x.type.shape, axes)
    less = x.graph.lift(p) - 1
    return sign(x) * div0(size, most) ** less * div0(most, y) ** less


def solved(a: Expr, b: Expr) -> Any:
    """A⁻¹B for matrices B."""
    return a.graph.add(solve, [a, b])


# fmt: off
matmul   = tensor("matmul", _product_type,
                  (lambda u, args, y, _: matmul(u, swapped(args[1])), lambda t, args, y, _: matmul(t, args[1])),
                  (lambda u, args, y, _: matmul(swapped(args[0]), u), lambda t, args, y, _: matmul(args[0], t)),
                  doc="matrix product", example="matmul([[1, 2], [3, 4]], [1, 1])")
inv      = tensor("inverse", _square,
                  (lambda u, args, y, _: -matmul(matmul(swapped(y), u), swapped(y)), lambda t, args, y, _: -matmul(matmul(y, t), y)),
                  spell="inv", doc="inverse matrix")
solve    = tensor("solved", _solved,
                  (lambda u, args, y, _: -matmul(solved(swapped(args[0]), u), swapped(y)), lambda t, args, y, _: -solved(args[0], matmul(t, y))),
                  (lambda u, args, y, _: solved(swapped(args[0]), u), lambda t, args, y, _: solved(args[0], t)),
                  spell="solve", doc="solution of A X = B")
det      = tensor("determinant", _batch,
                  (lambda u, args, y, _: _wide(u, args[0]) * cofactor(args[0]), lambda t, args, y, _: total(t * cofactor(args[0]))),
                  spell="det", doc="determinant")
cofactor = tensor("cofactor", _square, (_pull_cofactor, _push_cofactor), doc="matrix of cofactors",
                  plain=lambda a: _wide(det(a), a) * swapped(inv(a)), hole=lambda a: eq(det(a), 0))
logabsdet = tensor("logabsdet", _batch,
                  (lambda u, args, y, _: _wide(u, args[0]) * swapped(inv(args[0])), lambda t, args, y, _: total(t * swapped(inv(args[0])))),
                  doc="log of the absolute value of the determinant")
detsign  = enter(Op("detsign", "elementwise", d=(lambda a: 0,), typed=_batch, hidden=True, doc="sign of the determinant, which may be 0"), lambda x: x)
chol     = tensor("cholesky_factor", _square, (_pull_cholesky, _push_cholesky), spell="cholesky", doc="lower Cholesky factor of (A + A.T)/2")
largest  = reduction("largest",  _share, spell="max", doc="largest entry over axes")
smallest = reduction("smallest", _share, spell="min", doc="smallest entry over axes")
lse      = reduction("log_sum_exp", _softmax_share, spell="logsumexp", doc="log of the sum of exponentials over axes")
length   = reduction("length", lambda x, y, _: div0(x, y), spell="norm", doc="Euclidean norm over axes, scaled")
power_length = reduction("power_length", _power_share, spell="norm", doc="p-norm over axes, scaled: attribute axes and p")
# fmt: on
