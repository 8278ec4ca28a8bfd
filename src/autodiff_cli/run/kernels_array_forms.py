"""Trigonometric and stable forms and activations as NumPy expressions: arrays and numbers in, an array out."""

from __future__ import annotations

import math
import sys
from functools import reduce
from typing import Any

import numpy as np

from .arrays_lane import Whole
from .kernels_array_choice import choose, mended
from .kernels_parts import logaddexp as logaddexp_of_floats

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


def elu(x: Any, alpha: Any) -> Any:
    return choose(np.greater(x, 0.0), x, alpha * np.expm1(x))


def tanhshrink(x: Any) -> Any:
    """x - tanh(x), below 2 by the continued fraction of tanh, which does not cancel."""
    square, tail = np.square(x), 0.0
    for k in range(27, 1, -2):
        tail = square / (k + tail)
    return choose(np.absolute(x) < 2.0, x * (tail / (1.0 + tail)), x - np.tanh(x))
