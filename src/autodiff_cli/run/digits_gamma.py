"""mpmath kernels of error and gamma functions: mpmath and an attribute in, a function out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .digits_parts import exp
from .digits_power import power

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[Any, Any], Callable[..., Any]]


def repeated(mp: Any, n: int, x: Any) -> Any:
    """exp(x**2) times the n-th repeated integral of erfc from x on; n = -1 is 2/sqrt(pi)."""
    if mp.isinf(x):
        return mp.zero if x > 0 else mp.inf
    if n < 0:
        return 2 / mp.sqrt(mp.pi)
    if x > 1:
        return mp.hyperu(mp.mpf(n + 1) / 2, mp.mpf(1) / 2, x * x) / (mp.sqrt(mp.pi) * 2**n)
    with mp.extraprec(20 * (n + 1)):
        before, here = 2 / mp.sqrt(mp.pi), exp(mp, x * x) * erfc(mp, x)
        for k in range(1, n + 1):
            before, here = here, (before - 2 * x * here) / (2 * k)
    return here


def erfc(mp: Any, x: Any) -> Any:
    """erfc for arguments of any size."""
    if abs(x) < 10:
        return mp.erfc(x)
    tail = exp(mp, -x * x) * repeated(mp, 0, abs(x)) if mp.isfinite(x) else mp.zero
    return tail if x > 0 else 2 - tail


def _ndtr(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: erfc(mp, -x / mp.sqrt(2)) / 2


def _log_ndtr(mp: Any, _attr: Any) -> Callable[..., Any]:
    def log_ndtr(x: Any) -> Any:
        if x > 0:
            return mp.log1p(-erfc(mp, x / mp.sqrt(2)) / 2)
        return -x * x / 2 + mp.log(repeated(mp, 0, -x / mp.sqrt(2)) / 2) if mp.isfinite(x) else x

    return log_ndtr


def _mills(mp: Any, n: int) -> Callable[..., Any]:
    def mills(x: Any) -> Any:
        if mp.isinf(x):
            return (mp.zero if x > 0 else mp.inf) if n < 0 else mp.inf if x > 0 else mp.zero
        with mp.extraprec(20 * (n + 2)):
            if x < -1:
                return mp.mpf(2) ** (mp.mpf(n) / 2) * repeated(mp, n, -x / mp.sqrt(2)) / repeated(mp, 0, -x / mp.sqrt(2))
            before, here = exp(mp, -x * x / 2) / mp.sqrt(2 * mp.pi) / _ndtr(mp, None)(x), mp.one
            for k in range(1, n + 1):
                before, here = here, (x * here + before) / k
            return here if n >= 0 else before

    return mills


def _erfcinv(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: erfcinv(mp, x)


def erfcinv(mp: Any, x: Any) -> Any:
    """The inverse of erfc, by Newton's steps on its logarithm in the tail."""
    if not 0 <= x <= 2:
        return mp.nan
    if x in {0, 2}:
        return mp.inf if x == 0 else -mp.inf
    if x > mp.mpf("0.01"):
        return mp.erfinv(1 - x)
    goal, y = mp.log(x), mp.sqrt(-mp.log(x))
    with mp.extraprec(20):
        for _ in range(200):
            tail = mp.erfc(y)
            step = (mp.log(tail) - goal) * tail * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
            y += step
            if abs(step) < abs(y) * mp.eps * 16:
                break
    return +y


def _ndtri(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda p: -mp.sqrt(2) * erfcinv(mp, 2 * p)


def _polygamma(mp: Any, n: int) -> Callable[..., Any]:
    def polygamma(x: Any) -> Any:
        if x <= 0 and x == mp.floor(x):
            at_pole = (mp.nan if x else -mp.inf) if n == 0 else mp.inf if n % 2 else mp.nan if x else -mp.inf
            return at_pole if not mp.isinf(x) else mp.nan
        return (mp.inf if n == 0 else mp.zero) if mp.isinf(x) else mp.psi(n, x)

    return polygamma


def _digammas(mp: Any, n: int | None) -> Callable[..., Any]:
    def digammas(x: Any, d: Any) -> Any:
        if not (mp.isfinite(x) and mp.isfinite(d)) or any(z <= 0 and z == mp.floor(z) for z in (x, x + d)):
            return mp.nan
        with mp.extraprec(max(0, 2 * (mp.mag(x) - mp.mag(d)) if d else 0) + 40):
            return mp.psi(n or 0, x + d) - mp.psi(n or 0, x)

    return digammas


def _lgamma(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: mp.inf if mp.isinf(x) or (x <= 0 and x == mp.floor(x)) else mp.re(mp.loggamma(x))


def beta_edge(mp: Any, a: Any, b: Any) -> Any:
    """The beta function at poles of gamma and at infinity; None elsewhere."""
    if not (mp.isfinite(a) and mp.isfinite(b)):
        return mp.zero if a > 0 and b > 0 else mp.nan
    poles = _pole(mp, a) + _pole(mp, b)
    if poles:
        return mp.inf if poles == 1 and not _pole(mp, a + b) and max(a, b) > 0 else mp.nan
    return mp.zero if _pole(mp, a + b) else None


def _pole(mp: Any, x: Any) -> bool:
    return bool(x <= 0 and x == mp.floor(x))


def _beta(mp: Any, _attr: Any) -> Callable[..., Any]:
    def beta(a: Any, b: Any) -> Any:
        known = beta_edge(mp, a, b)
        if known is not None:
            return known
        with mp.extraprec(max(0, mp.mag(a), mp.mag(b))):
            return mp.beta(a, b) if max(abs(a), abs(b)) < 1000 or min(a, b) < 0 else exp(mp, _betaln(mp, None)(a, b))

    return beta


def _betaln(mp: Any, _attr: Any) -> Callable[..., Any]:
    log = _lgamma(mp, None)

    def betaln(a: Any, b: Any) -> Any:
        known = beta_edge(mp, a, b)
        if known is not None:
            return mp.inf if known else -mp.inf if known == 0 else mp.nan
        with mp.extraprec(max(0, mp.mag(a) if mp.isfinite(a) else 0, mp.mag(b) if mp.isfinite(b) else 0) + 20):
            return log(a) + log(b) - log(a + b)

    return betaln


def _binom(mp: Any, _attr: Any) -> Callable[..., Any]:
    def binom(n: Any, k: Any) -> Any:
        if not mp.isfinite(k) or (mp.isinf(n) and abs(k) > 1024):
            return mp.nan
        if k == mp.floor(k) and (abs(k) < 1024 or (n == mp.floor(n) and n >= 0 and n - k < 1024)):
            return _derivative(mp, n, int(k), 0)
        if _pole(mp, n + 1) or mp.isinf(n):
            return mp.nan
        with mp.extraprec(max(0, mp.mag(n), mp.mag(k))):
            return mp.gamma(n + 1) * mp.rgamma(k + 1) * mp.rgamma(n - k + 1) if max(abs(n), abs(k)) < 1e4 else mp.nan

    return binom


def _derivative(mp: Any, n: Any, k: int, j: int) -> Any:
    if j == 0 and 0 <= n < 2 * k and n == mp.floor(n):
        k = int(n) - k
    if k < 0:
        return mp.zero
    series = [mp.one] + [mp.zero] * j
    for i in range(k):
        series = [(c * (n - i) + (series[m - 1] if m else 0)) / (i + 1) for m, c in enumerate(series)]
    return series[j] * mp.factorial(j)


def _gammainc(mp: Any, *, upper: bool) -> Callable[..., Any]:
    def gammainc(a: Any, x: Any) -> Any:
        if not (a >= 0 and x >= 0 and a + x > 0):
            return mp.nan
        if mp.isinf(a) or mp.isinf(x) or not a:
            return mp.nan if mp.isinf(a) and mp.isinf(x) else mp.mpf(int(bool(mp.isinf(a)) is upper))
        if not x:
            return mp.mpf(int(upper))
        if a > 1e8:
            return mp.nan  # mpmath takes seconds
        return mp.gammainc(a, x, regularized=True) if upper else mp.gammainc(a, 0, x, regularized=True)

    return gammainc


def _gammapdf(mp: Any, _attr: Any) -> Callable[..., Any]:
    def density(a: Any, x: Any) -> Any:
        if x < 0 or mp.isinf(a):
            return mp.nan
        if a > 1000 and x:
            with mp.extraprec(2 * mp.mag(a)):
                return exp(mp, (a - 1) * mp.log(x) - x - mp.loggamma(a)) if mp.isfinite(x) else mp.zero
        scale = mp.rgamma(a)
        return mp.zero if not scale or mp.isinf(x) else scale * power(mp, x, a - 1) * exp(mp, -x)

    return density


def _proper(mp: Any, a: Any, b: Any, x: Any) -> bool:
    return bool(0 < a < mp.inf and 0 < b < mp.inf and 0 <= x <= 1)


def _betainc(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True) if _proper(mp, a, b, x) else mp.nan


def _betapdf(mp: Any, ij: tuple[int, int]) -> Callable[..., Any]:
    i, j = ij

    def density(a: Any, b: Any, x: Any) -> Any:
        if not _proper(mp, a, b, x):
            return mp.nan
        scale = mp.rgamma(a - i) * mp.rgamma(b - j)
        return scale * mp.gamma(a + b) * power(mp, x, a - 1 - i) * power(mp, 1 - x, b - 1 - j) if scale else mp.zero

    return density


TABLE: dict[str, Maker] = {
    "erfcx": lambda mp, _: lambda x: repeated(mp, 0, x),
    "ierfcx": lambda mp, n: lambda x: repeated(mp, n, x),
    "mills": _mills,
    "erfc": lambda mp, _: lambda x: erfc(mp, x),
    "ndtr": _ndtr,
    "log_ndtr": _log_ndtr,
    "erfcinv": _erfcinv,
    "ndtri": _ndtri,
    "gamma": lambda mp, _: lambda x: mp.inf if not x else mp.gamma(x),
    "lgamma": _lgamma,
    "digamma": lambda mp, _: _polygamma(mp, 0),
    "polygamma": _polygamma,
    "digammas": _digammas,
    "beta": _beta,
    "betaln": _betaln,
    "binom": _binom,
    "dbinom": lambda mp, kj: lambda n: _derivative(mp, n, *kj),
    "gammainc": lambda mp, _: _gammainc(mp, upper=False),
    "gammaincc": lambda mp, _: _gammainc(mp, upper=True),
    "gammapdf": _gammapdf,
    "betainc": _betainc,
    "betapdf": _betapdf,
}
