"""mpmath kernels of arithmetic, steps, selections, stable forms and activations: mpmath and an attribute in, a function out."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[Any, Any], Callable[..., Any]]


def _same(_mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: x


def _plain(function: Callable[..., Any]) -> Maker:
    return lambda _mp, _attr: function


def quotient(mp: Any, x: Any, y: Any) -> Any:
    """x / y, with the infinity or NaN of IEEE at y = 0; inf / inf is NaN in mpmath too."""
    if y:
        return x / y
    return mp.nan if x != x or not x or y != y else mp.sign(x) * mp.inf


def _extreme(better: Callable[..., bool]) -> Maker:
    def choose(*xs: Any) -> Any:
        best = xs[0]
        for x in xs:
            if better(x, best) or x != x:
                best = x
        return best

    return _plain(choose)


def _clip(_mp: Any, _attr: Any) -> Callable[..., Any]:
    low, high = _extreme(operator.gt)(0, 0), _extreme(operator.lt)(0, 0)
    return lambda x, lo, hi: high(low(x, lo), hi)


def _hypot(mp: Any, _attr: Any) -> Callable[..., Any]:
    def hypot(*xs: Any) -> Any:
        total = sum([x * x for x in xs], mp.zero)
        return mp.sqrt(total) if total == total else mp.inf if any(mp.isinf(x) for x in xs) else total

    return hypot


def _sign(mp: Any, _attr: Any) -> Callable[..., Any]:
    return mp.sign  # type: ignore[no-any-return]  # a function


def _copysign(_mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x, y: abs(x) if y >= 0 else -abs(x)


def _heaviside(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x, h: mp.one if x > 0 else mp.zero if x < 0 else h if x == 0 else x


def exp(mp: Any, x: Any) -> Any:
    """e**x; exponents that no number format could hold are 0 or inf."""
    if x != x or mp.isinf(x) or mp.mag(x) > 4000:
        return x if x != x else mp.inf if x > 0 else mp.zero
    return mp.exp(x)


def _exponential(base: int | None) -> Maker:
    return lambda mp, _attr: lambda x: exp(mp, x if base is None else x * mp.log(base))


def _logarithm(base: int | None) -> Maker:
    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        return lambda x: mp.nan if not x >= 0 else -mp.inf if not x else mp.log(x) if base is None else mp.log(x) / mp.log(base)

    return make


def _sigmoid(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: 1 / (1 + exp(mp, -x)) if x >= 0 else exp(mp, x) / (1 + exp(mp, x))


def _logit(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: mp.nan if x < 0 or x > 1 else -mp.inf if x == 0 else mp.inf if x == 1 else mp.log(x) - mp.log1p(-x)


def softplus(mp: Any, x: Any) -> Any:
    """log(1 + exp(x))."""
    if mp.isinf(x):
        return x if x > 0 else mp.zero
    return x + mp.log1p(exp(mp, -x)) if x > 0 else mp.log1p(exp(mp, x))


def _logaddexp(mp: Any, _attr: Any) -> Callable[..., Any]:
    def logaddexp(x: Any, y: Any) -> Any:
        big, small = (x, y) if x > y else (y, x)
        return big if mp.isinf(big) or mp.isinf(small) else big + mp.log1p(exp(mp, small - big))

    return logaddexp


def _log1mexp(mp: Any, _attr: Any) -> Callable[..., Any]:
    def log1mexp(x: Any) -> Any:
        if not x < 0:
            return -mp.inf if x == 0 else mp.nan
        return mp.log(-mp.expm1(x)) if x > -1 else mp.log1p(-exp(mp, x))

    return log1mexp


def _xlogy(shift: int) -> Maker:
    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        log = _logarithm(None)(mp, None)

        def xlogy(x: Any, y: Any) -> Any:
            if not x:
                return mp.zero if y == y else y
            return x * (mp.log1p(y) if shift and y > -1 else log(y + shift))

        return xlogy

    return make


def _times0(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x, y: x * y if x else mp.mpf(0)


def _ratio0(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x, y: quotient(mp, x, y) if x else mp.zero if y == y else y


def _div0(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x, y: quotient(mp, x, y) if y else mp.zero if x == x else x


def _selu(mp: Any, _attr: Any) -> Callable[..., Any]:
    scale, alpha = "1.0507009873554804934193349852946", "1.6732632423543772848170429916717"
    return lambda x: mp.mpf(scale) * (x if x > 0 else mp.mpf(alpha) * mp.expm1(x))


def _tanhshrink(mp: Any, _attr: Any) -> Callable[..., Any]:
    def tanhshrink(x: Any) -> Any:
        if mp.isinf(x) or not x:
            return x
        with mp.extraprec(max(0, -2 * mp.mag(x)) + 10):
            return x - mp.tanh(x)

    return tanhshrink


# Ops that decide about NaN themselves.
EXACT: dict[str, Maker] = {
    "add": _plain(operator.add),
    "sub": _plain(operator.sub),
    "mul": _plain(operator.mul),
    "div": lambda mp, _: lambda x, y: quotient(mp, x, y),
    "neg": _plain(operator.neg),
    "not": _plain(operator.not_),
    "name": _same,
    "detach": _same,
    "real": lambda mp, _: lambda p: mp.one if p else mp.zero,
    "isnan": _plain(lambda x: bool(x != x)),
    "isinf": lambda mp, _: lambda x: bool(mp.isinf(x)),
    "isfinite": lambda mp, _: lambda x: bool(mp.isfinite(x)),
    "guard": lambda mp, _: lambda d, v: d if v == v else mp.nan,
    "max": _extreme(operator.gt),
    "min": _extreme(operator.lt),
    "clip": _clip,
    "hypot": _hypot,
    "heaviside": _heaviside,
    "ratio0": _ratio0,
    "times0": _times0,
    "div0": _div0,
    "leaky_relu": lambda _mp, _: lambda x, slope: x if x > 0 else slope * x,
    "elu": lambda mp, _: lambda x, alpha: x if x > 0 else alpha * mp.expm1(x),
}

TABLE: dict[str, Maker] = {
    "abs": _plain(abs),
    "sign": _sign,
    "copysign": _copysign,
    "cbrt": lambda mp, _: lambda x: mp.sign(x) * mp.cbrt(abs(x)) if mp.isfinite(x) else x,
    "square": _plain(lambda x: x * x),
    "sqrt": lambda mp, _: mp.sqrt,
    "exp": _exponential(None),
    "exp2": _exponential(2),
    "exp10": _exponential(10),
    "log": _logarithm(None),
    "log2": _logarithm(2),
    "log10": _logarithm(10),
    "sigmoid": _sigmoid,
    "logit": _logit,
    "softplus": lambda mp, _: lambda x: softplus(mp, x),
    "log_sigmoid": lambda mp, _: lambda x: -softplus(mp, -x),
    "logaddexp": _logaddexp,
    "log1mexp": _log1mexp,
    "xlogy": _xlogy(0),
    "xlog1py": _xlogy(1),
    "relu": lambda mp, _: lambda x: mp.zero if x <= 0 else x,
    "selu": _selu,
    "softsign": lambda mp, _: lambda x: quotient(mp, x, 1 + abs(x)),
    "tanhshrink": _tanhshrink,
}
