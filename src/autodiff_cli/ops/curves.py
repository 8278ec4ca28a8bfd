"""Functions along samples of a curve: differences, integrals, interpolation, polynomials; language calls in, nodes out."""

from __future__ import annotations

from typing import Any

from ..diagnostics import error
from ..types import broadcast
from .arithmetic import lt, select
from .array import function, many, one_axis, shape_error, window
from .linear import add_up, reshaped
from .steps import whole


def _diff(x: Any, n: Any = 1, axis: Any = -1) -> Any:
    if not x.type.shape:
        raise error("needs-array", "`diff` is the difference of neighbours in an array", hint="grad(y, x) is the derivative")
    k = one_axis(axis, len(x.type.shape), "diff")
    for _ in range(whole("n", "diff", n)):
        size = x.type.shape[k]
        x = window(x, k, min(1, size), size) - window(x, k, 0, max(size - 1, 0))
    return x


def _trapezoid(y: Any, x: Any = None, dx: Any = 1, axis: Any = -1) -> Any:
    k = one_axis(axis, len(y.type.shape), "trapezoid")
    n = y.type.shape[k]
    heights = (window(y, k, 1, n) + window(y, k, 0, max(n - 1, 0))) / 2
    if x is None:
        return add_up(heights * dx, (k,))
    if x.type.shape not in ((n,), y.type.shape):
        raise shape_error("trapezoid", y.type.shape, x.type.shape)
    widths = _diff(x, axis=k if x.type.shape == y.type.shape else 0)
    if len(x.type.shape) < len(y.type.shape):
        widths = reshaped(widths, (*widths.type.shape, *[1] * (len(y.type.shape) - 1 - k)))
    return add_up(heights * widths, (k,))


def _polyval(p: Any, x: Any) -> Any:
    """Horner's rule, highest power first, as NumPy's."""
    first, *rest = many(p, "polyval") or [x.graph.lift(0)]
    total = first
    for coefficient in rest:
        total = total * x + coefficient
    return x.graph.broadcast(total, broadcast(total.type.shape, x.type.shape) or ())


def _interp(x: Any, xp: Any, fp: Any) -> Any:
    """Piecewise linear, constant beyond the ends; one piece after the other is selected."""
    xs, ys = many(xp, "interp"), many(fp, "interp")
    if len(xs) != len(ys) or not xs:
        raise error("shape", f"`interp` takes as many places as values, and has {len(xs)} and {len(ys)}")
    found = ys[-1]
    for k in reversed(range(len(xs) - 1)):
        piece = ys[k] + (x - xs[k]) * ((ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k]))
        found = select(lt(x, xs[k + 1]), piece, found)
    return select(lt(x, xs[0]), ys[0], found)


# fmt: off
function("diff", _diff, "n", "axis", doc="differences of neighbours",         example="diff([1, 4, 9])")
function("trapezoid", _trapezoid, "axis", doc="integral by the trapezoidal rule", example="trapezoid([1, 2, 3])")
function("interp", _interp, doc="piecewise linear interpolation",             example="interp(1.5, [1, 2], [10, 20])")
function("polyval", _polyval, doc="polynomial, highest power first",          example="polyval([1, 0, 2], 3)")
# fmt: on
