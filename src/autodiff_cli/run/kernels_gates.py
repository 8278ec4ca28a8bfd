"""Factors of activations and their derivatives of every order, over floats, arrays or digits: functions of numbers in, a function out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

FAR = 1e50  # the cube of what lies beyond may overflow, and there the factors are 0 or 1 for any exponent of a number
CUBIC = 0.044715


class Functions(NamedTuple):
    """What the factors are made of."""

    sigmoid: Callable[[Any], Any]
    softplus: Callable[[Any], Any]
    tanh: Callable[[Any], Any]
    sech: Callable[[Any], Any]
    near: Callable[[Any, float], Any]
    root: Any
    cubic: Any


def gate(kind: str, n: int, f: Functions) -> Callable[[Any], Any]:
    """The n-th derivative of tanh(softplus(x)) for "mish", of sigmoid(2 sqrt(2/pi) (x + 0.044715 x**3)) for "gelu"."""

    def mish(x: Any) -> Any:
        x = f.near(x, FAR)
        w = f.softplus(x)
        return f.tanh(w) if n == 0 else _of_tanh([w, *_of_softplus(f.sigmoid(x), f.sigmoid(-x), n)], n, f)

    def gelu(x: Any) -> Any:
        x = f.near(x, FAR)
        w = f.root * (x + f.cubic * (x * x * x))
        if n == 0:
            return f.sigmoid(2 * w)
        series = [w, f.root * (1 + 3 * f.cubic * (x * x)), f.root * 3 * f.cubic * x, f.root * f.cubic]
        return _of_tanh(series[: n + 1] + [0] * (n - 3), n, f) / 2

    return mish if kind == "mish" else gelu


def _of_softplus(up: Any, down: Any, n: int) -> list[Any]:
    """The Taylor coefficients of softplus from the first on: s' = s r and r' = -s r of s = sigmoid(x), r = sigmoid(-x)."""
    s, r = [up], [down]
    for k in range(n - 1):
        slope = _summed([s[i] * r[k - i] for i in range(k + 1)]) / (k + 1)
        s.append(slope)
        r.append(-slope)
    return [c / (k + 1) for k, c in enumerate(s)]


def _of_tanh(w: list[Any], n: int, f: Functions) -> Any:
    """The n-th derivative of tanh of a series: y' = q w' and q' = -2 y q w' with q = sech**2."""
    first = f.sech(w[0])
    y, q, both = [f.tanh(w[0])], [first * first], []
    for k in range(n):
        y.append(_summed([q[k - i] * ((i + 1) * w[i + 1]) for i in range(k + 1)]) / (k + 1))
        if k + 1 < n:
            both.append(_summed([y[i] * q[k - i] for i in range(k + 1)]))
            q.append(-2 * _summed([both[k - i] * ((i + 1) * w[i + 1]) for i in range(k + 1)]) / (k + 1))
    return y[n] * math.factorial(n)


def _summed(terms: list[Any]) -> Any:
    return sum(terms[1:], start=terms[0])


def floats(attr: tuple[str, int]) -> Callable[[float], float]:
    from .kernels_parts import sigmoid, softplus
    from .kernels_trig import sech

    return gate(*attr, Functions(sigmoid, softplus, math.tanh, sech, _near, math.sqrt(2 / math.pi), CUBIC))


def _near(x: float, most: float) -> float:
    return -most if x < -most else min(x, most)
