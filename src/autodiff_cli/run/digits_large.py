"""Incomplete gamma and beta, Bessel and Airy functions of large parameters in mpmath, where mpmath itself takes seconds: numbers in, a number out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .digits_parts import exp

if TYPE_CHECKING:
    from collections.abc import Callable

    Coefficients = Callable[[int], tuple[Any, Any]]

MOST = 2_000_000  # terms
WIDE = 12  # so many deviations above its middle the gamma distribution is added up from below


def gamma_share(mp: Any, a: Any, x: Any, *, upper: bool) -> Any:
    """The regularized incomplete gamma function of a large a: a power series up to the middle, and some way beyond; else a continued fraction."""
    if x > a + WIDE * mp.sqrt(a):
        with mp.extraprec(30):
            scale = _gamma_peak(mp, a, x) * a
            above = scale / fraction(mp, x + 1 - a, lambda k: (k * (a - k), x + 2 * k + 1 - a))
        return above if upper else 1 - above
    with mp.extraprec(150 if upper else 30):
        total, term = mp.one, mp.one
        for k in range(1, MOST):
            term = term * x / (a + k)
            total += term
            if mp.mag(term) < mp.mag(total) - mp.prec:
                below = _gamma_peak(mp, a, x) * total
                return 1 - below if upper else below
    return mp.nan


def _gamma_peak(mp: Any, a: Any, x: Any) -> Any:
    """x**a exp(-x)/gamma(a + 1)."""
    with mp.extraprec(2 * max(0, mp.mag(a), mp.mag(x)) + 20):
        return exp(mp, a * mp.log(x) - x - mp.loggamma(a + 1))


def beta_share(mp: Any, a: Any, b: Any, x: Any) -> Any:
    """The regularized incomplete beta function of large parameters, by its continued fraction on the side where that is short."""
    if x in {0, 1}:
        return +x
    if x * (a + b + 2) > a + 1:
        with mp.extraprec(150):
            return 1 - beta_share(mp, b, a, 1 - x)

    def part(n: int) -> tuple[Any, Any]:
        k = n // 2
        if n % 2:
            return -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)), mp.one
        return k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)), mp.one

    with mp.extraprec(2 * max(0, mp.mag(a + b)) + 20):
        scale = exp(mp, a * mp.log(x) + b * mp.log1p(-x) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b)) / a
    with mp.extraprec(30):
        return scale / fraction(mp, mp.one, part)


def fraction(mp: Any, first: Any, part: Coefficients) -> Any:
    """first + a1/(b1 + a2/(b2 + …)), of which `part` gives (a, b), by Lentz's method; NaN where it has no end."""
    value = up = first
    down = mp.zero
    for n in range(1, MOST):
        a, b = part(n)
        up, down = b + a / up, 1 / (b + a * down)
        step = up * down
        value *= step
        if mp.mag(step - 1) < 3 - mp.prec:
            return value
    return mp.nan


def small_bessel(mp: Any, v: Any, x: Any) -> Any:
    """J of an order far above the argument, by its power series."""
    with mp.extraprec(mp.mag(v) + 20):
        square, term, total, k = -x * x / 4, mp.one, mp.one, 1
        while term and mp.mag(term) > -mp.prec:
            term = term * square / (k * (v + k))
            total, k = total + term, k + 1
        return total * exp(mp, v * mp.log(x / 2) - mp.loggamma(v + 1))


def airy(mp: Any, name: str, order: int, x: Any) -> Any:
    """Ai, Bi and their slopes far above 0."""
    sign = -1 if name == "airyai" else 1
    with mp.extraprec(2 * mp.mag(x) + 20):
        zeta = 2 * x * mp.sqrt(x) / 3
        term, total, k = mp.one, mp.one, 0
        while mp.mag(term) > -mp.prec:
            ratio = mp.mpf((6 * k + 1) * (6 * k + 5)) / (72 * (k + 1))
            term, k = term * sign * ratio / zeta, k + 1
            total += term * (mp.mpf(6 * k + 1) / (1 - 6 * k) if order else 1)
        root = mp.sqrt(mp.sqrt(x))
        size = exp(mp, sign * zeta) / mp.sqrt(mp.pi) / (2 if sign < 0 else 1)
        return size * total * (sign * root if order else 1 / root)
