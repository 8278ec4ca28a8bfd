"""Kernels of NumPy float64 arrays: an op and its attribute in, a function of arrays and numbers out.

Most kernels are NumPy expressions; over lanes they write down their steps (see `arrays_lane`). An op
that is in no table here runs its kernel of floats entry by entry.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import kernels_array_forms as forms
from .kernels_array_choice import choose, domain, each, guard, real

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Op

    Kernel = Callable[..., Any]

COMPARED = frozenset(
    "cbrt exp exp2 expm1 floor ceil trunc fmod heaviside isfinite isinf isnan log log10 log1p log2 sign sinh sqrt square tan tanh cosh".split()
)


def power(x: Any, y: Any) -> Any:
    """x**y; small whole powers as products."""
    product = POWERS.get(y) if type(y) is float else None
    return product(x) if product else _raised(x, y)


def _raised(x: Any, y: Any) -> Any:
    """As C has it, but NaN at -inf where the exponent is not whole."""
    found = np.power(x, y)
    return found if type(y) is float and y == math.floor(y) else domain(found, x, y)


POWERS: dict[float, Kernel] = {
    -1.0: lambda x: 1.0 / x,
    2.0: np.square,
    3.0: lambda x: np.square(x) * x,
    4.0: lambda x: np.square(np.square(x)),
}


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


ARRAYS: dict[str, Kernel] = {
    "above": forms.above,
    "abs": np.absolute,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "add": np.add,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "below": forms.below,
    "clip": lambda x, lo, hi: np.minimum(np.maximum(x, lo), hi),
    "copysign": copysign,
    "cos": forms.cos,
    "cospi": forms.cospi,
    "counts": forms.counts,
    "cot": lambda x: 1.0 / np.tan(x),
    "coth": lambda x: 1.0 / np.tanh(x),
    "csc": lambda x: 1.0 / forms.sin(x),
    "csch": forms.csch,
    "div": np.divide,
    "div0": forms.div0,
    "elu": forms.elu,
    "elu_by_x": forms.elu_by_x,
    "eq": np.equal,
    "exp10": lambda x: np.power(10.0, x),
    "floordiv": np.floor_divide,
    "gap": lambda x: (1.0 - x) * (1.0 + x),
    "ge": np.greater_equal,
    "gt": np.greater,
    "guard": guard,
    "hypot": forms.hypot,
    "inside": forms.inside,
    "le": np.less_equal,
    "leaky_by_x": forms.leaky_by_x,
    "leaky_relu": forms.leaky_relu,
    "log1mexp": forms.log1mexp,
    "log_sigmoid": lambda x: -forms.softplus(-x),
    "logaddexp": forms.logaddexp,
    "logit": forms.logit,
    "lt": np.less,
    "max": _chain(np.maximum),
    "min": _chain(np.minimum),
    "mod": np.remainder,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "not": np.logical_not,
    "pow": power,
    "ratio0": forms.ratio0,
    "times0": forms.times0,
    "real": real,
    "rest": lambda x: x * (1.0 - x),
    "relu": lambda x: np.maximum(x, 0.0),
    "sec": lambda x: 1.0 / forms.cos(x),
    "sech": forms.sech,
    "selu": lambda x: 1.0507009873554805 * forms.elu(x, 1.6732632423543772),
    "sigmoid": forms.sigmoid,
    "sin": forms.sin,
    "sinpi": forms.sinpi,
    "softplus": forms.softplus,
    "softsign": lambda x: x / (1.0 + np.absolute(x)),
    "sub": np.subtract,
    "takes": forms.takes,
    "tanhshrink": forms.tanhshrink,
    "tie_share": forms.tie_share,
    "xlog1py": forms.xlog1py,
    "xlogy": forms.xlogy,
}  # fmt: skip


STATIC: dict[str, Callable[[Any], Kernel]] = {"round": rounded, "share": forms.share, "gauss": forms.gauss, "soft_gate": forms.gate}


def kernel(op: Op, attr: Any) -> Kernel:
    """The function of arrays and numbers that an op is."""
    name = op.name
    if name in ARRAYS:
        return ARRAYS[name]
    if name in COMPARED:
        return getattr(np, name)  # type: ignore[no-any-return]  # a ufunc
    if name in STATIC:
        return STATIC[name](attr)
    from .kernels_array_special import special
    from .kernels_float import kernel as of_floats

    fast, slow = of_floats(op, attr)
    return special(name, attr, slow) or each(fast, slow)


__all__ = ["guard", "kernel", "real"]
