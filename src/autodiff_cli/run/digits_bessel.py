"""mpmath kernels of Bessel, Airy and Fresnel functions: mpmath and an attribute in, a function out.

Far out they are asymptotic series, near 0 of whole orders power series: mpmath would take seconds there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .digits_families import half_square
from .digits_large import airy, small_bessel
from .digits_parts import exp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Maker = Callable[[Any, Any], Callable[..., Any]]

MOST = 5000  # the order from which on mpmath takes seconds


def falling(mp: Any, ratio: Callable[[int], Any]) -> Iterator[Any]:
    """The terms of an asymptotic series with these ratios, from 1 on, until they are below the precision or grow."""
    term, k = mp.one, 0
    while True:
        yield term
        step = ratio(k)
        if abs(step) > 1 or mp.mag(term) < -mp.prec - 10 or not term:
            return
        term, k = term * step, k + 1


def alternating(mp: Any, ratio: Callable[[int], Any]) -> tuple[Any, Any]:
    """t0 - t2 + t4 - … and t1 - t3 + t5 - …"""
    terms = [-t if k % 4 > 1 else t for k, t in enumerate(falling(mp, ratio))]
    return mp.fsum(terms[::2]), mp.fsum(terms[1::2])


def far(mp: Any, v: Any, x: Any) -> bool:
    """Whether the smallest term of Hankel's expansion is below the precision."""
    return bool(x > mp.prec * 0.4 + 20 + v * v / 2)


def _ratio(v: Any, x: Any, sign: int = 1) -> Callable[[int], Any]:
    return lambda k: sign * (2 * v - 2 * k - 1) * (2 * v + 2 * k + 1) / (8 * (k + 1)) / x


def hankel(mp: Any, v: Any, x: Any) -> tuple[Any, Any]:
    """The Bessel functions of the first and second kind far out."""
    with mp.extraprec(max(0, mp.mag(x)) + 20):
        p, q = alternating(mp, _ratio(v, x))
        turn = v / 2 + mp.mpf(1) / 4
        sine, cosine, a, b = mp.sin(x), mp.cos(x), mp.cospi(turn), mp.sinpi(turn)
        s, c = sine * a - cosine * b, cosine * a + sine * b
        size = mp.sqrt(2 / (mp.pi * x))
        return size * (p * c - q * s), size * (p * s + q * c)


def _first(mp: Any, v: Any, x: Any) -> Any:
    """J of order v."""
    whole = v == mp.floor(v)
    if (mp.isinf(x) or far(mp, v, abs(x))) and (x > 0 or whole):
        value = mp.zero if mp.isinf(x) else hankel(mp, v, abs(x))[0]
        return -value if x < 0 and v % 2 else value
    if v > MOST and x * x < v and x > 0:
        return small_bessel(mp, v, x)
    return mp.besselj(v, x) if abs(v) <= MOST else mp.nan


def _second(mp: Any, v: Any, x: Any) -> Any:
    """Y of order v."""
    if not x > 0:
        return mp.nan if x < 0 else mp.bessely(v, x)
    if mp.isinf(x) or far(mp, v, x):
        return mp.zero if mp.isinf(x) else hankel(mp, v, x)[1]
    if abs(v) > MOST:
        return mp.nan
    return _whole(mp, abs(int(v)), x, -1) * (-1 if v < 0 and v % 2 else 1) if v == mp.floor(v) else mp.bessely(v, x)


def _whole(mp: Any, n: int, x: Any, sign: int) -> Any:
    """Y (sign -1) or K (1) of a whole order at least 0, by its series of powers and the logarithm."""
    with mp.extraprec(int(3 * x) + 30):
        square, half = sign * x * x / 4, x / 2
        low = mp.fsum([mp.factorial(n - k - 1) / mp.factorial(k) * (-sign) ** k * half ** (2 * k - n) for k in range(n)])
        term, k, psi = half**n / mp.factorial(n), 0, -2 * mp.euler + mp.harmonic(n)
        total, log = mp.zero, 2 * mp.log(half)
        least = abs(low) * mp.eps
        while True:
            part = term * (log - psi)
            total += part
            if abs(part) <= max(least, abs(total) * mp.eps) and k > x:
                return (total - low) / mp.pi if sign < 0 else (low - (-1) ** n * total) / 2
            k += 1
            term = term * square / (k * (n + k))
            psi += mp.mpf(1) / k + mp.mpf(1) / (n + k)


def _modified(mp: Any, v: Any, x: Any) -> Any:
    """I of order v."""
    whole = v == mp.floor(v)
    if mp.isinf(x) or mp.mag(x) > 1000:
        return mp.nan if x < 0 and not whole else -mp.inf if x < 0 and v % 2 else mp.inf
    if far(mp, v, abs(x)) and (x > 0 or whole):
        value = exp(mp, abs(x)) / mp.sqrt(2 * mp.pi * abs(x)) * mp.fsum(falling(mp, _ratio(v, abs(x), -1)))
        return -value if x < 0 and v % 2 else value
    return mp.besseli(v, x) if abs(v) <= MOST else mp.nan


def _third(mp: Any, v: Any, x: Any) -> Any:
    """K of order v."""
    if x < 0:
        return mp.nan
    if mp.isinf(x) or far(mp, v, x):
        return mp.zero if mp.isinf(x) else mp.sqrt(mp.pi / (2 * x)) * exp(mp, -x) * mp.fsum(falling(mp, _ratio(v, x)))
    if abs(v) > MOST:
        return mp.nan
    return _whole(mp, abs(int(v)), x, 1) if x and v == mp.floor(v) else mp.besselk(v, x)


def _of_order(function: Callable[..., Any], order: int) -> Maker:
    return lambda mp, _attr: lambda x: function(mp, mp.mpf(order), x)


def _any_order(function: Callable[..., Any]) -> Maker:
    return lambda mp, _attr: lambda v, x: function(mp, v, x) if mp.isfinite(v) else mp.nan


def _airy(name: str, order: int) -> Maker:
    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        ends = {mp.inf: mp.zero if name == "airyai" else mp.inf, -mp.inf: mp.nan if order else mp.zero}

        def function(x: Any) -> Any:
            if mp.isinf(x):
                return ends[x]
            if x < 0 and abs(x) ** 3 > (mp.prec * 0.6 + 30) ** 2:
                return _waving(mp, name, order, -x)
            if x > 0 and mp.mag(x) > 200:
                return airy(mp, name, order, x)
            return getattr(mp, name)(x, derivative=order)

        return function

    return make


def _waving(mp: Any, name: str, order: int, z: Any) -> Any:
    """Ai, Bi and their slopes far below 0."""
    with mp.extraprec(2 * max(0, mp.mag(z)) + 20):
        zeta = 2 * z * mp.sqrt(z) / 3
        if order:
            p, q = alternating(mp, lambda k: mp.mpf((6 * k + 3) * (6 * k + 7) * (6 * k - 1)) / (216 * (2 * k + 1) * (k + 1)) / zeta)
        else:
            p, q = alternating(mp, lambda k: mp.mpf((6 * k + 1) * (6 * k + 3) * (6 * k + 5)) / (216 * (2 * k + 1) * (k + 1)) / zeta)
        s, c = mp.sin(zeta - mp.pi / 4), mp.cos(zeta - mp.pi / 4)
        root = mp.sqrt(mp.sqrt(z))
        value = {("airyai", 0): c * p + s * q, ("airybi", 0): c * q - s * p, ("airyai", 1): s * p - c * q, ("airybi", 1): c * p + s * q}[
            name, order
        ]
        return value * (root if order else 1 / root) / mp.sqrt(mp.pi)


def _fresnel(which: int) -> Maker:
    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        near = mp.fresnelc if which else mp.fresnels

        def function(x: Any) -> Any:
            half = mp.sign(x) / 2
            if mp.isinf(x) or mp.mag(x) > mp.prec:
                return half
            z = mp.pi * x * x / 2
            if z < mp.prec * 0.8 + 30:
                return near(x)
            f, g = alternating(mp, lambda k: (k + mp.mpf(1) / 2) / z)
            turn = half_square(mp, x)
            sine, cosine = mp.sinpi(turn), mp.cospi(turn)
            return half + (f * sine - g * cosine if which else -f * cosine - g * sine) / (mp.pi * x)

        return function

    return make


TABLE: dict[str, Maker] = {
    "jn": _any_order(_first),
    "yn": _any_order(_second),
    "iv": _any_order(_modified),
    "kv": _any_order(_third),
    "j0": _of_order(_first, 0),
    "j1": _of_order(_first, 1),
    "y0": _of_order(_second, 0),
    "y1": _of_order(_second, 1),
    "i0": _of_order(_modified, 0),
    "i1": _of_order(_modified, 1),
    "airyai": _airy("airyai", 0),
    "airyaip": _airy("airyai", 1),
    "airybi": _airy("airybi", 0),
    "airybip": _airy("airybi", 1),
    "fresnels": _fresnel(0),
    "fresnelc": _fresnel(1),
}
