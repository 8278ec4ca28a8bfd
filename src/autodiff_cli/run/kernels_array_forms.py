"""Trigonometric and stable forms and activations as NumPy expressions: arrays and numbers in, an array out."""

from __future__ import annotations

import math
import sys
from functools import reduce
from typing import Any

import numpy as np

from . import kernels_gates as gates
from .arrays_lane import Whole
from .kernels_array_choice import choose, guard, mended, real
from .kernels_parts import logaddexp as logaddexp_of_floats
from .kernels_parts import share as share_of_floats

LOG2 = math.log(2.0)


def _tan_is_fast() -> bool:
    """Whether NumPy computes tan of many numbers at once; of sin and cos of float64 it does so nowhere."""
    introspect = getattr(np.lib, "introspect", None)
    if introspect is None or sys.platform != "linux":
        return False
    found = introspect.opt_func_info(func_name="^tan$", signature="float64").get("tan", {}).get("dd", {})
    return not found.get("current", "baseline").startswith("baseline")


def _sin(x: Any) -> Any:
    """2t/(1 + t²) with t = tan(x/2)."""
    t = np.tan(x * 0.5)
    return (t + t) / (np.square(t) + 1.0)


def _cos(x: Any) -> Any:
    """(1 - t²)/(1 + t²) with t = tan(x/2); where that cancels, sin(x)/tan(x)."""
    q = np.square(np.tan(x * 0.5))
    near = (1.0 - q) / (q + 1.0)
    return choose(np.absolute(near) < 0.6, _sin(x) / np.tan(x), near)


sin, cos = (_sin, _cos) if _tan_is_fast() else (np.sin, np.cos)


def _half_turns(x: Any) -> tuple[Any, Any]:
    """x in half turns modulo 2, exactly: its sign and its size, at most 1."""
    r = x - 2.0 * np.rint(x * 0.5)
    return r, np.absolute(r)


def _sine_of_half(h: Any) -> Any:
    """sin(pi h) for 0 <= h <= 1, exact at quarters."""
    h = np.minimum(h, 1.0 - h)
    return choose(h > 0.25, cos(math.pi * (0.5 - h)), sin(math.pi * h))


def sinpi(x: Any) -> Any:
    r, h = _half_turns(x)
    return np.copysign(_sine_of_half(h), choose(h == 1.0, x, r))


def cospi(x: Any) -> Any:
    _, h = _half_turns(x)
    near = h <= 0.5
    s = _sine_of_half(choose(near, 0.5 - h, h - 0.5))
    return choose(near, s, -s) + 0.0


def sech(x: Any) -> Any:
    y = np.exp(-np.absolute(x))
    return 2.0 * y / (1.0 + np.square(y))


def csch(x: Any) -> Any:
    size = np.absolute(x)
    return choose(size < 20.0, 1.0 / np.sinh(x), np.copysign(2.0 * np.exp(-size), x))


def _length(*given: Any) -> None:
    """sqrt(x² + y² + …); where a square leaves the middle of the range, by scaling."""
    *xs, out = given
    total = np.square(xs[0])
    for x in xs[1:]:
        total = total + np.square(x)
    np.sqrt(total, out=out)
    odd = np.nonzero(~((total > 1e-280) & (total < 1e300)))
    if len(odd[0]):
        out[odd] = reduce(np.hypot, [x[odd] for x in np.broadcast_arrays(*given)[:-1]])


hypot = Whole(_length, cost=20)


def share(k: int) -> Whole:
    """The k-th of its arguments over their length; where a square leaves the middle of the range, by floats."""
    scalar = share_of_floats(k)

    def fill(*given: Any) -> None:
        *xs, out = given
        total = np.square(xs[0])
        for x in xs[1:]:
            total = total + np.square(x)
        np.divide(xs[k], np.sqrt(total), out=out)
        mended(~((total > 1e-280) & (total < 1e300)), scalar, *given)

    return Whole(fill, cost=20)


def gauss(n: int) -> Any:
    """exp(-x**2/n), from the square of the head of x."""

    def kernel(x: Any) -> Any:
        near = np.minimum(np.maximum(x, -60.0), 60.0)
        head = np.rint(near * 65536.0) * 2.0**-16
        t = (head - near) * (head + near) * (1.0 / n)
        return np.exp(-(np.square(head) * (1.0 / n))) * (1.0 + t * (1.0 + t * (0.5 + t * (1.0 / 6.0 + t * (1.0 / 24.0)))))

    return kernel


def gate(attr: tuple[str, int]) -> Any:
    near = lambda x, most: np.minimum(np.maximum(x, -most), most)  # noqa: E731 (a field)
    return gates.gate(*attr, gates.Functions(sigmoid, softplus, np.tanh, sech, near, math.sqrt(2 / math.pi), gates.CUBIC))


def either(p: Any, q: Any) -> Any:
    """p or q, where q may be known beforehand."""
    return (True if q else p) if isinstance(q, bool) else np.logical_or(p, q)


def _is_nan(x: Any) -> Any:
    return x != x if isinstance(x, float) else np.isnan(x)


def takes(x: Any, best: Any) -> Any:
    return either(np.equal(x, best), _is_nan(x))


def tie_share(best: Any, *xs: Any) -> Any:
    """1 over the number of x that are the chosen one."""
    count = real(np.equal(xs[0], best))
    for x in xs[1:]:
        count = count + real(np.equal(x, best))
    return guard(1.0 / count, best)


def inside(x: Any, lo: Any, hi: Any) -> Any:
    return either(np.logical_and(np.less_equal(lo, x), np.less_equal(x, hi)), _is_nan(x))


def below(x: Any, lo: Any, hi: Any) -> Any:
    return either(np.logical_and(np.less(x, lo), np.less_equal(lo, hi)), _is_nan(lo))


def above(x: Any, lo: Any, hi: Any) -> Any:
    return either(np.less(hi, np.maximum(x, lo)), _is_nan(hi))


def counts(x: Any, parameter: Any) -> Any:
    return np.logical_or(np.equal(parameter, parameter), np.logical_not(np.less_equal(x, 0.0)))


def sigmoid(x: Any) -> Any:
    return np.exp(np.minimum(x, 0.0)) / (1.0 + np.exp(-np.absolute(x)))


def logit(x: Any) -> Any:
    t = 2.0 * (x - 0.5)
    return choose((x > 0.3) & (x < 0.65), np.log1p(t) - np.log1p(-t), np.log(x) - np.log1p(-x))


def softplus(x: Any) -> Any:
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.absolute(x)))


def logaddexp(x: Any, y: Any) -> Any:
    value = np.maximum(x, y) + np.log1p(np.exp(-np.absolute(x - y)))
    return _near_zero(choose(np.equal(x, y), x + LOG2, value), x, y)


def _by_floats(value: Any, x: Any, y: Any, out: Any) -> None:
    np.copyto(out, value)
    mended(np.absolute(value) <= 0.5 * np.absolute(np.maximum(x, y)), logaddexp_of_floats, x, y, out)


_near_zero = Whole(_by_floats, cost=6)  # the terms cancel there: one rounding more or less would be seen


def log1mexp(x: Any) -> Any:
    return choose(x > -LOG2, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


def xlogy(x: Any, y: Any) -> Any:
    return choose(np.equal(x, 0.0) & np.equal(y, y), 0.0, x * np.log(y))


def xlog1py(x: Any, y: Any) -> Any:
    return choose(np.equal(x, 0.0) & np.equal(y, y), 0.0, x * np.log1p(y))


def times0(x: Any, y: Any) -> Any:
    """x y, 0 where x is 0."""
    return choose(np.equal(x, 0.0), 0.0, x * y)


def ratio0(x: Any, y: Any) -> Any:
    return choose(np.equal(x, 0.0) & np.equal(y, y), 0.0, np.divide(x, y))


def div0(x: Any, y: Any) -> Any:
    return choose(np.equal(y, 0.0) & np.equal(x, x), 0.0, np.divide(x, y))


def leaky_relu(x: Any, slope: Any) -> Any:
    return choose(np.greater(x, 0.0), x, slope * x)


def leaky_by_x(x: Any, slope: Any) -> Any:
    return choose(np.greater(x, 0.0), 1.0, choose(np.less_equal(x, 0.0), slope, x))


def elu_by_x(x: Any, alpha: Any) -> Any:
    return choose(np.greater(x, 0.0), 1.0, alpha * np.exp(x))


def elu(x: Any, alpha: Any) -> Any:
    return choose(np.greater(x, 0.0), x, alpha * np.expm1(x))


def tanhshrink(x: Any) -> Any:
    """x - tanh(x), below 2 by the continued fraction of tanh, which does not cancel."""
    square, tail = np.square(x), 0.0
    for k in range(27, 1, -2):
        tail = square / (k + tail)
    return choose(np.absolute(x) < 2.0, x * (tail / (1.0 + tail)), x - np.tanh(x))
