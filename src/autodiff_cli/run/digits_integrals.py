"""mpmath kernels of elliptic integrals, zeta, logarithmic and inverse functions: mpmath and an attribute in, a function out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .digits_parts import exp
from .digits_products import polygamma
from .kernels_families import by_recurrence

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[Any, Any], Callable[..., Any]]


def _lambertw(mp: Any, k: int | None) -> Callable[..., Any]:
    def branch(x: Any) -> Any:
        if x < -mp.exp(-1) or (k and x >= 0):
            return mp.nan
        return x if mp.isinf(x) else mp.re(mp.lambertw(x, k or 0))

    return branch


def _spence(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: mp.nan if x < 0 else -mp.inf if mp.isinf(x) else mp.re(mp.polylog(2, 1 - x))


def _logratio(mp: Any, n: int) -> Callable[..., Any]:
    def ratio(x: Any) -> Any:
        if not x > 0 or mp.isinf(x):
            return mp.nan if x < 0 else mp.zero if x else -mp.inf if n % 2 else mp.inf
        value = mp.log(x) / (x - 1) if n == 0 and x != 1 else mp.hyp2f1(1, 1, 2 + n, 1 - x) * x**-n
        return (-1) ** n * mp.factorial(n) / (n + 1) * value

    return ratio


def _hyp2f1(mp: Any, abc: tuple[float, float, float]) -> Callable[..., Any]:
    a, b, c = abc

    def function(m: Any) -> Any:
        if not m < 1 or mp.isinf(m):
            return mp.nan if m > 1 else mp.inf if m == 1 else mp.zero
        if abs(m) < 0.25:
            return mp.hyp2f1(a, b, c, m)
        with mp.extraprec(20 * int(c) + 4 * max(0, mp.mag(m)) + 2 * max(0, -mp.mag(1 - m))):
            return by_recurrence(m, c - a, c - b, int(c), mp.ellipk(m), mp.ellipe(m)) / mp.pi * (1 - m) ** (c - a - b)

    return function


def zeta(s: Any, q: Any) -> Any:
    """Hurwitz' zeta function."""
    from mpmath import mp

    if s == 1 or (q <= 0 and q == mp.floor(q)):
        return mp.inf if s >= 1 else mp.nan
    if s < -10000:
        return mp.nan
    if q < 0:
        return _zeta_below(mp, s, q)
    if s > 5000 or q > mp.prec or mp.isinf(q):
        return _far_zeta(mp, s, q)
    return _reflected_zeta(mp, s, q) if s < -20 - mp.prec / 5 else mp.zeta(s, q)


def _zeta_below(mp: Any, s: Any, q: Any) -> Any:
    """For q < 0: of whole s, since else it is not real."""
    if s != mp.floor(s) or not -1000 < s < 500 or mp.isinf(q):
        return mp.nan
    n = int(s) - 1
    return polygamma(mp, n, q) / mp.factorial(n) * (1 if n % 2 else -1) if n > 0 else mp.bernpoly(-n, q) / n


def _reflected_zeta(mp: Any, s: Any, q: Any) -> Any:
    """Hurwitz' formula, a sum of cosines over powers that fall fast far below 0."""
    rest = q - mp.ceil(q) + 1
    with mp.extraprec(60):
        total, n = mp.zero, 1
        while mp.mag(n) * (s - 1) > -mp.prec - 10 or n < 3:
            total += mp.cospi((1 - s) / 2 - 2 * n * rest) * mp.power(n, s - 1)
            n += 1
        value = 2 * mp.gamma(1 - s) * (2 * mp.pi) ** (s - 1) * total
        return value - mp.fsum([(rest + k) ** -s for k in range(int(mp.nint(q - rest)))])


def _far_zeta(mp: Any, s: Any, q: Any) -> Any:
    """The first terms of the sum for a large s, the integral and Bernoulli's numbers for a large q."""
    if mp.isinf(s):
        return mp.nan if s < 0 or q < 0 else mp.inf if q < 1 else mp.one if q == 1 else mp.zero
    if s > 5000:
        return mp.nan if q < 0 else mp.fsum([exp(mp, -s * mp.log(q + k)) for k in range(200)]) if mp.isfinite(q) else mp.zero
    if mp.isinf(q):
        return mp.zero if s > 1 else mp.nan
    term, total, k = s / q, mp.mpf(1) / 2 + q / (s - 1), 1
    while mp.mag(term) > -mp.prec + mp.mag(total) and k < mp.prec:
        total += mp.bernoulli(2 * k) / mp.factorial(2 * k) * term
        term, k = term * (s + 2 * k - 1) * (s + 2 * k) / (q * q), k + 1
    return total * exp(mp, -s * mp.log(q))


TABLE: dict[str, Maker] = {
    "lambertw": _lambertw,
    "spence": _spence,
    "logratio": _logratio,
    "hyp2f1": _hyp2f1,
    "zeta": lambda _mp, _: zeta,
}
