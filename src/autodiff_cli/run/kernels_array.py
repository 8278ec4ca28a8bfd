"""Kernels of NumPy float64 arrays: an op and its attribute in, a function of arrays and numbers out.

Most kernels are NumPy expressions; over lanes they write down their steps (see `arrays_lane`). An op
that is in no table here runs its kernel of floats row by row.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays_lane import Lane, Whole
from .kernels_parts import logaddexp as logaddexp_of_floats

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Op

    Kernel = Callable[..., Any]

LOG2 = math.log(2.0)
RAISED = (ValueError, OverflowError, ZeroDivisionError)
COMPARED = frozenset(
    "cbrt exp exp2 expm1 floor ceil trunc fmod heaviside isfinite isinf isnan log log10 log1p log2 sign sinh sqrt square tan tanh cosh".split()
)


def each(fast: Kernel, slow: Kernel) -> Whole:
    """A kernel of floats, row by row."""

    def fill(out: Any, *args: Any) -> None:
        columns = [a.tolist() for a in np.broadcast_arrays(out, *args)[1:]]
        try:
            out[...] = list(map(fast, *columns))
        except RAISED:
            out[...] = list(map(slow, *columns))

    return Whole(fill, cost=500)


def _guard(out: Any, d: Any, v: Any) -> None:
    if out is not d:
        np.copyto(out, d)
    least = np.minimum.reduce(v, axis=None)
    if least != least:
        out[np.isnan(v)] = np.nan


def _spread(out: Any, p: Any) -> None:
    np.copyto(out, p.view(np.int8))
    np.negative(out, out=out)


def _bits(x: Any) -> Any:
    return np.asarray(x, np.float64).view(np.int64)


def _blend(out: Any, mask: Any, a: Any, b: Any) -> None:
    """b ^ ((a ^ b) & mask): a choice without a jump."""
    a, b, found = _bits(a), _bits(b), out.view(np.int64)
    if b.ndim == 0 and b == 0:
        np.bitwise_and(a, mask, out=found)
        return
    np.bitwise_xor(a, b, out=found)
    np.bitwise_and(found, mask, out=found)
    np.bitwise_xor(found, b, out=found)


def _real(out: Any, p: Any) -> None:
    np.copyto(out, p)


keep = Whole(_guard, cost=1, over=(0,))
spread = Whole(_spread, cost=2, kind="mask")
blend = Whole(_blend, cost=3, over=(1,))
real = Whole(_real, cost=2)


def choose(p: Any, a: Any, b: Any) -> Any:
    """`a` where `p` holds, else `b`, for numbers."""
    return blend(spread(p), a, b)


def guard(d: Any, v: Any) -> Any:
    """`d`, NaN where `v` is NaN."""
    if type(v) is float:
        return d if v == v else math.nan
    return -keep(-d, v) if type(d) is Lane and d.minus else keep(d, v)


def power(x: Any, y: Any) -> Any:
    """x**y; small whole powers as products."""
    product = POWERS.get(y) if type(y) is float else None
    return product(x) if product else np.power(x, y)


POWERS: dict[float, Kernel] = {
    -1.0: lambda x: 1.0 / x,
    2.0: np.square,
    3.0: lambda x: np.square(x) * x,
    4.0: lambda x: np.square(np.square(x)),
}


# --- trigonometric and hyperbolic --------------------------------------------------------------------


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


def hypot(*xs: Any) -> Any:
    """sqrt(x² + y² + …); where a square leaves the middle of the range, by scaling."""
    return lengths(*xs)


def _lengths(out: Any, *xs: Any) -> None:
    total = sum(np.square(x) for x in xs)
    np.sqrt(total, out=out)
    odd = np.flatnonzero(~((total > 1e-280) & (total < 1e300)))
    if len(odd):
        out[odd] = _scaled([x[odd] if np.ndim(x) else x for x in xs])


def _scaled(xs: list[Any]) -> Any:
    total = np.absolute(xs[0])
    for x in xs[1:]:
        total = np.hypot(total, x)
    return total


lengths = Whole(_lengths, cost=20)


# --- exponentials and their stable forms -------------------------------------------------------------


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


def _by_floats(out: Any, value: Any, x: Any, y: Any) -> None:
    np.copyto(out, value)
    odd = np.flatnonzero(~(np.absolute(value) > 0.5 * np.absolute(np.maximum(x, y))))
    if len(odd):
        out[odd] = list(map(logaddexp_of_floats, *[a[odd].tolist() for a in np.broadcast_arrays(out, x, y)[1:]]))


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


# --- parts, steps and activations --------------------------------------------------------------------


def rounded(n: int | None) -> Kernel:
    if not n:
        return np.rint
    scale = float(f"1e{abs(n)}")
    if n < 0:
        return lambda x: np.rint(x / scale) * scale
    return lambda x: choose(np.absolute(x * scale) < 1e308, np.rint(x * scale) / scale, x)


def _chain(func: np.ufunc) -> Kernel:
    def kernel(*xs: Any) -> Any:
        best = xs[0]
        for x in xs[1:]:
            best = func(best, x)
        return best

    return kernel


def copysign(x: Any, y: Any) -> Any:
    return choose(np.equal(y, y), np.copysign(x, y), y)


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


ARRAYS: dict[str, Kernel] = {
    "abs": np.absolute,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "add": np.add,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "clip": lambda x, lo, hi: np.minimum(np.maximum(x, lo), hi),
    "copysign": copysign,
    "cos": cos,
    "cospi": cospi,
    "cot": lambda x: 1.0 / np.tan(x),
    "coth": lambda x: 1.0 / np.tanh(x),
    "csc": lambda x: 1.0 / sin(x),
    "csch": csch,
    "div": np.divide,
    "div0": div0,
    "elu": elu,
    "eq": np.equal,
    "exp10": lambda x: np.power(10.0, x),
    "floordiv": np.floor_divide,
    "ge": np.greater_equal,
    "gt": np.greater,
    "guard": guard,
    "hypot": hypot,
    "le": np.less_equal,
    "leaky_relu": leaky_relu,
    "log1mexp": log1mexp,
    "log_sigmoid": lambda x: -softplus(-x),
    "logaddexp": logaddexp,
    "logit": logit,
    "lt": np.less,
    "max": _chain(np.maximum),
    "min": _chain(np.minimum),
    "mod": np.remainder,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "not": np.logical_not,
    "pow": power,
    "ratio0": ratio0,
    "times0": times0,
    "real": real,
    "relu": lambda x: np.maximum(x, 0.0),
    "sec": lambda x: 1.0 / cos(x),
    "sech": sech,
    "selu": lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772),
    "sigmoid": sigmoid,
    "sin": sin,
    "sinpi": sinpi,
    "softplus": softplus,
    "softsign": lambda x: x / (1.0 + np.absolute(x)),
    "sub": np.subtract,
    "tanhshrink": tanhshrink,
    "xlog1py": xlog1py,
    "xlogy": xlogy,
}  # fmt: skip


def kernel(op: Op, attr: Any) -> Kernel:
    """The function of arrays and numbers that an op is."""
    name = op.name
    if name in ARRAYS:
        return ARRAYS[name]
    if name in COMPARED:
        return getattr(np, name)  # type: ignore[no-any-return]  # a ufunc
    if name == "round":
        return rounded(attr)
    from .kernels_array_special import special
    from .kernels_float import kernel as of_floats

    fast, slow = of_floats(op, attr)
    return special(name, attr, slow) or each(fast, slow)
