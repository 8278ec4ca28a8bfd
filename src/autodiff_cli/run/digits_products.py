"""mpmath kernels of digamma, its derivatives and products of gamma functions on the whole line: mpmath and an attribute in, a function out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import kernels_products as products
from .kernels_polygamma import by_cotangent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Maker = Callable[[Any, Any], Callable[..., Any]]


def pole(mp: Any, x: Any) -> bool:
    return bool(x <= 0 and x == mp.floor(x))


def cotangent(mp: Any, n: int, r: Any) -> Any:
    """The n-th derivative of pi*cot(pi x) at the distance r from a pole."""
    c = mp.cospi(r) / mp.sinpi(r)
    value = mp.mpf(0)
    for k in reversed(by_cotangent(n)):
        value = value * c + k
    return value * mp.pi ** (n + 1)


def polygamma(mp: Any, n: int, x: Any) -> Any:
    """The n-th derivative of digamma; below 0 by reflection."""
    if mp.isinf(x):
        return mp.nan if x < 0 else mp.inf if n == 0 else mp.zero
    if pole(mp, x):
        return mp.inf if n % 2 else mp.nan if x else -mp.inf
    if x > 0:
        return mp.psi(n, x)
    with mp.extraprec(max(0, mp.mag(x)) + 20):
        above = mp.psi(n, 1 - x)
        return (-above if n % 2 else above) - cotangent(mp, n, x - mp.nint(x))


def total(mp: Any, addends: Sequence[Any]) -> Any:
    """The sum, rounded once whatever the sizes."""
    sizes = [mp.mag(a) for a in addends if a]
    with mp.extraprec(max(sizes, default=0) - min(sizes, default=0) + 10):
        found = mp.fsum(addends)
    return +found


def between(mp: Any, n: int, x: Any, d: Any) -> Any:
    """polygamma(n, x + d) - polygamma(n, x); for small d by Taylor's series."""
    near = abs(x) if x > 0 else abs(x - mp.nint(x))
    if not d or mp.mag(d) > mp.mag(near) - 20:
        with mp.extraprec(40 + max(0, mp.mag(x), mp.mag(d))):
            return polygamma(mp, n, x + d) - polygamma(mp, n, x)
    total, step, k = mp.zero, d, 1
    while True:
        term = step * polygamma(mp, n + k, x)
        total += term
        if abs(term) <= abs(total) * mp.eps:
            return total
        k += 1
        step = step * d / k


def _digammas(mp: Any, n: int | None) -> Callable[..., Any]:
    def digammas(x: Any, d: Any) -> Any:
        if not (mp.isfinite(x) and mp.isfinite(d)) or pole(mp, x) or pole(mp, total(mp, [x, d])):
            return mp.nan
        return between(mp, n or 0, x, d)

    return digammas


class Digits:
    """The arithmetic of mpmath at the precision in force."""

    def __init__(self, mp: Any) -> None:
        self.mp, self.nan = mp, mp.nan

    @property
    def pi(self) -> Any:
        return +self.mp.pi

    def total(self, addends: Sequence[Any]) -> Any:
        return total(self.mp, addends)

    def sine(self, m: int, r: Any) -> Any:
        return (self.mp.sinpi(r), self.mp.cospi(r), -self.mp.sinpi(r), -self.mp.cospi(r))[m % 4]

    def cotangent(self, m: int, r: Any) -> Any:
        return cotangent(self.mp, m, r) / self.mp.pi

    def slope(self, m: int, addends: Sequence[Any]) -> Any:
        return polygamma(self.mp, m, self.total(addends))

    def between(self, m: int, low: Sequence[Any], high: Sequence[Any]) -> Any:
        x, y, d = self.total(low), self.total(high), self.total([*high, *[-a for a in low]])
        return -between(self.mp, m, y, -d) if abs(y) < abs(x) else between(self.mp, m, x, d)

    def size(self, factors: Sequence[products.Factor]) -> Any:
        mp = self.mp
        with mp.extraprec(2 * max([0, *[mp.mag(mp.fsum(f.addends)) for f in factors]])):
            total = mp.fsum([exponent * mp.loggamma(mp.fsum(addends)) for exponent, addends, _ in factors])
        return mp.exp(total) if mp.mag(total) < 4000 else mp.inf if total > 0 else mp.zero


def _slope(factors: Callable[[Any, Any], list[products.Factor]]) -> Maker:
    """The derivatives of a beta function or a binomial coefficient."""

    def make(mp: Any, ij: tuple[int, int] | None) -> Callable[..., Any]:
        i, j = ij or (0, 0)

        def slope(x: Any, y: Any) -> Any:
            if not (mp.isfinite(x) and mp.isfinite(y)):
                return mp.nan
            if factors is products.binomial and j == 0 and abs(y) < 1024 and y == mp.floor(y):
                return polynomial(mp, x, int(y), i)
            spread = max([0, *[abs(mp.mag(z)) for z in (x, y) if z]])
            with mp.extraprec(min(spread, 1100) + 60):
                return products.derivative(Digits(mp), factors(x, y), i, j)

        return slope

    return make


def beta_edge(mp: Any, a: Any, b: Any) -> Any:
    """The beta function at poles of gamma and at infinity; None elsewhere."""
    if not (mp.isfinite(a) and mp.isfinite(b)):
        return mp.zero if a > 0 and b > 0 else mp.nan
    with mp.extraprec(2000):
        poles, last = pole(mp, a) + pole(mp, b), pole(mp, a + b)
    if poles:
        return mp.inf if poles == 1 and not last and max(a, b) > 0 else mp.nan
    return mp.zero if last else None


def _beta(mp: Any, _attr: Any) -> Callable[..., Any]:
    slope = _slope(products.beta)(mp, None)

    def beta(a: Any, b: Any) -> Any:
        known = beta_edge(mp, a, b)
        return slope(a, b) if known is None else known

    return beta


def _betaln(mp: Any, _attr: Any) -> Callable[..., Any]:
    def betaln(a: Any, b: Any) -> Any:
        known = beta_edge(mp, a, b)
        if known is not None:
            return mp.inf if known else -mp.inf if known == 0 else mp.nan
        with mp.extraprec(2 * max(0, mp.mag(a), mp.mag(b)) + 60):
            return log_gamma(mp, a) + log_gamma(mp, b) - log_gamma(mp, a + b)

    return betaln


def log_gamma(mp: Any, x: Any) -> Any:
    """log|gamma(x)|."""
    if mp.isinf(x) or pole(mp, x):
        return mp.inf
    if x > 0:
        return mp.loggamma(x)
    with mp.extraprec(max(0, mp.mag(x)) + 20):
        return mp.log(mp.pi / abs(mp.sinpi(x - mp.nint(x)))) - mp.loggamma(1 - x)


def gamma(mp: Any, x: Any) -> Any:
    """The gamma function; far below 0 by reflection."""
    if not x or mp.isinf(x) or pole(mp, x):
        return mp.inf if not x or x > 0 else mp.nan
    if x > 0 or mp.mag(x) < 10:
        return mp.gamma(x) if mp.mag(x) < 2000 else mp.inf
    with mp.extraprec(2 * mp.mag(x) + 20):
        whole = mp.nint(x)
        return mp.pi / mp.sinpi(x - whole) / mp.gamma(1 - x) * (-1 if whole % 2 else 1)


def polynomial(mp: Any, n: Any, k: int, j: int) -> Any:
    """The j-th derivative by n of n(n-1)...(n-k+1)/k!, by Taylor arithmetic."""
    if j == 0 and 0 <= n < 2 * k and n == mp.floor(n):
        k = int(n) - k
    if k < 0:
        return mp.zero
    series = [mp.one] + [mp.zero] * j
    for i in range(k):
        series = [(c * (n - i) + (series[m - 1] if m else 0)) / (i + 1) for m, c in enumerate(series)]
    return series[j] * mp.factorial(j)


def _binom(mp: Any, _attr: Any) -> Callable[..., Any]:
    slope = _slope(products.binomial)(mp, None)

    def binom(n: Any, k: Any) -> Any:
        if not mp.isfinite(k) or (mp.isinf(n) and abs(k) > 1024):
            return mp.nan
        if k == mp.floor(k) and (abs(k) < 1024 or (n == mp.floor(n) and n >= 0 and n - k < 1024)):
            return polynomial(mp, n, int(k), 0)
        return slope(n, k)

    return binom


TABLE: dict[str, Maker] = {
    "gamma": lambda mp, _: lambda x: gamma(mp, x),
    "lgamma": lambda mp, _: lambda x: log_gamma(mp, x),
    "digamma": lambda mp, _: lambda x: polygamma(mp, 0, x),
    "polygamma": lambda mp, n: lambda x: polygamma(mp, n, x),
    "digammas": _digammas,
    "beta": _beta,
    "beta_slope": _slope(products.beta),
    "betaln": _betaln,
    "binom": _binom,
    "binom_slope": _slope(products.binomial),
    "dbinom": lambda mp, kj: lambda n: polynomial(mp, n, *kj),
}
