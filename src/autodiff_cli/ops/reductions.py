"""Reductions of the language: sums, products, extremes, norms and moments; language calls in, nodes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import error
from ..graph import OPS, Expr, Op
from .array import AXIS, arglargest, argsmallest, arrays_only, axes_of, called, count, cumulative, function, one_axis, reduced, window
from .elementary import sqrt
from .linear import add_up, any_, joined, reshaped, stretch_back, sum_
from .steps import max_, min_
from .tensor import largest, smallest

if TYPE_CHECKING:
    from collections.abc import Callable


def _sum(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return reduced(add_up, x, axis, keepdims, "sum")


def mean_of(x: Expr, axes: tuple[int, ...]) -> Expr:
    """The mean over axes."""
    return add_up(x, axes) / count(x, axes)  # type: ignore[no-any-return]  # an expression


def centred(x: Expr, axes: tuple[int, ...]) -> Expr:
    """Each entry less the mean over axes."""
    return x - stretch_back(mean_of(x, axes), x.type.shape, axes)  # type: ignore[no-any-return]  # an expression


def _variance(x: Expr, axes: tuple[int, ...], ddof: float) -> Expr:
    size = count(x, axes)
    total = add_up(centred(x, axes) ** 2, axes)
    return total / (x.graph.lift(size) - ddof) if size > ddof else total * x.graph.const("nan")  # type: ignore[no-any-return]  # an expression


def _deviation(x: Expr, axes: tuple[int, ...], ddof: float) -> Expr:
    size = count(x, axes)
    spread = x.graph.add(OPS["length"], [centred(x, axes)], (axes,))
    return spread / sqrt(x.graph.lift(size) - ddof) if size > ddof else spread * x.graph.const("nan")  # type: ignore[no-any-return]  # an expression


def halves(x: Expr, axis: int) -> Expr:
    """The product along an axis as a tree of products of halves: division-free, so zeros do no harm."""
    parts = x
    while (n := parts.type.shape[axis]) > 1:
        low, high = window(parts, axis, 0, n // 2), window(parts, axis, n // 2, 2 * (n // 2))
        product = low * high
        parts = joined([product, window(parts, axis, n - 1, n)], axis) if n % 2 else product
    return reshaped(parts, (*x.type.shape[:axis], *x.type.shape[axis + 1 :]))


def _prod(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    def make(x: Expr, axes: tuple[int, ...]) -> Expr:
        if not count(x, axes):
            return x.graph.broadcast(x.graph.const("1"), tuple([n for k, n in enumerate(x.type.shape) if k not in axes]))
        for k in reversed(axes):
            x = halves(x, k)
        return x

    return reduced(make, x, axis, keepdims, "prod")


def products_so_far(x: Expr, axis: int) -> Expr:
    """Running products by doubling (Hillis and Steele, 1986)."""
    n, reach = x.type.shape[axis], 1
    while reach < n:
        x = joined([window(x, axis, 0, reach), window(x, axis, reach, n) * window(x, axis, 0, n - reach)], axis)
        reach *= 2
    return x


def _extreme(op: Op, pair: Op) -> Callable[..., Any]:
    def call(x: Any, *more: Any, axis: Any = None, keepdims: Any = False) -> Any:
        if more:
            return pair(x, *more)
        return reduced(lambda x, axes: _nonempty(x, axes, op).graph.add(op, [x], (axes,)), x, axis, keepdims, pair.name)

    return call


def _nonempty(x: Expr, axes: tuple[int, ...], op: Op) -> Expr:
    if not count(x, axes):
        raise error("empty", f"the {op.name.removeprefix('arg')} entry of an empty array")
    return x


def _place_of(op: Op, name: str) -> Callable[..., Any]:
    def call(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
        arrays_only(x, name)
        flat = reshaped(x, (count(x, axes_of(x, None, name)),)) if axis is None else x
        k = 0 if axis is None else one_axis(axis, len(x.type.shape), name)
        _nonempty(flat, (k,), op)
        found = x.graph.add(op, [flat], k)
        return reshaped(found, tuple([1 if axis is None or j == k else n for j, n in enumerate(x.type.shape)])) if keepdims else found

    return call


def _any(condition: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return reduced(lambda x, axes: x.graph.add(any_, [x], axes) if axes else x, condition, axis, keepdims, "any")


def _all(condition: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return ~_any(~condition, axis, keepdims)


def _norm(x: Any, ord: Any = 2, axis: Any = None, keepdims: Any = False) -> Any:
    several = len(x.type.shape) if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if several > 1 and isinstance(ord, float):  # the default, a whole number, is Frobenius; what is given is a float
        raise error(
            "norm-order",
            "operator norms of a matrix are not here",
            hint="norm(A) is the Frobenius norm; norm(A, ord=1, axis=0) is over an axis",
        )
    return reduced(lambda x, axes: _norm_over(x, axes, ord), x, axis, keepdims, "norm")


def _norm_over(x: Expr, axes: tuple[int, ...], ord: Any) -> Expr:
    if ord == 2:
        return x.graph.add(OPS["length"], [x], (axes,))
    size = OPS["abs"](x)
    if ord == 1:
        return add_up(size, axes)
    if ord == float("inf"):
        return x.graph.add(largest, [_nonempty(size, axes, largest)], (axes,))
    if not isinstance(ord, float) or not ord > 1:
        raise error("norm-order", f"`ord` of `norm` is {ord}", hint="1, 2, inf or any number above 1")
    return x.graph.add(OPS["power_length"], [x], (axes, ord))


def _cumprod(x: Any, axis: Any = None) -> Any:
    return products_so_far(*cumulative(x, axis, "cumprod"))


# fmt: off
called(sum_, _sum, *AXIS)
called(max_, _extreme(largest, max_), *AXIS)
called(min_, _extreme(smallest, min_), *AXIS)
function("prod", _prod, *AXIS, doc="product of entries",                      example="prod([2, 3])")
function("mean", lambda x, axis=None, keepdims=False: reduced(mean_of, x, axis, keepdims, "mean"), *AXIS, doc="mean of entries", example="mean([1, 3])")
function("var",  lambda x, axis=None, ddof=0, keepdims=False: reduced(lambda x, axes: _variance(x, axes, ddof), x, axis, keepdims, "var"), "axis", "ddof", "keepdims", doc="variance, divisor n - ddof", example="var([1, 3])")
function("std",  lambda x, axis=None, ddof=0, keepdims=False: reduced(lambda x, axes: _deviation(x, axes, ddof), x, axis, keepdims, "std"), "axis", "ddof", "keepdims", doc="standard deviation, divisor n - ddof", example="std([1, 3])")
function("any",  _any, *AXIS, doc="whether any entry is true",                example="any([0, 1])")
function("all",  _all, *AXIS, doc="whether all entries are true",             example="all([0, 1])")
function("argmax", _place_of(arglargest, "argmax"),  *AXIS, doc="place of the first largest entry",  example="argmax([1, 3, 2])")
function("argmin", _place_of(argsmallest, "argmin"), *AXIS, doc="place of the first smallest entry", example="argmin([1, 3, 2])")
function("norm", _norm, "ord", *AXIS, doc="norm over all entries or an axis", example="norm([3, 4])")
function("cumprod", _cumprod, "axis", doc="running products",                 example="cumprod([1, 2, 3])")
function("amax", lambda x, axis=None, keepdims=False: max_.call(x, axis=axis, keepdims=keepdims), *AXIS, doc="largest entry",  example="amax([1, 3])")  # type: ignore[misc]
function("amin", lambda x, axis=None, keepdims=False: min_.call(x, axis=axis, keepdims=keepdims), *AXIS, doc="smallest entry", example="amin([1, 3])")  # type: ignore[misc]
# fmt: on
