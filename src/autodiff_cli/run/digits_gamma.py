"""mpmath kernels of error functions and incomplete gamma and beta functions: mpmath and an attribute in, a function out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .digits_large import beta_share, gamma_share
from .digits_parts import exp
from .digits_power import power

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[Any, Any], Callable[..., Any]]

FIRST = 100  # bits that Newton's steps begin with
LARGE, HUGE = 500, 1e10  # from which on mpmath takes seconds, and up to where sums do not


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
    """The n-th derivative of log(ndtr(x)), by h' = -h (x + h)."""

    def mills(x: Any) -> Any:
        if mp.isinf(x):
            return mp.zero if x > 0 or n > 2 else mp.inf if n == 1 else -mp.one
        if mp.mag(x) > mp.prec:
            return mp.zero if x > 0 else -x if n == 1 else -mp.one if n == 2 else mp.factorial(n - 1) / (-x) ** n
        with mp.extraprec((2 * max(0, mp.mag(x)) + 20) * (n + 1)):
            tail = repeated(mp, 0, -x / mp.sqrt(2)) if x < 1 else exp(mp, x * x / 2) * 2 * _ndtr(mp, None)(x)
            series = [mp.sqrt(2 / mp.pi) / tail if mp.isfinite(tail) else mp.zero]
            for k in range(n - 1):
                series.append(
                    -(mp.fsum([series[i] * series[k - i] for i in range(k + 1)]) + x * series[k] + (series[k - 1] if k else 0)) / (k + 1)
                )
            return series[n - 1] * mp.factorial(n - 1)

    return mills


def _erfcinv(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: erfcinv(mp, x)


def _erfinv(mp: Any, _attr: Any) -> Callable[..., Any]:
    def erfinv(x: Any) -> Any:
        if abs(x) < 0.999 or abs(x) >= 1:
            return mp.erfinv(x)
        return mp.sign(x) * erfcinv(mp, 1 - abs(x))

    return erfinv


def erfcinv(mp: Any, x: Any) -> Any:
    """The inverse of erfc, by Newton's steps on its logarithm in the tail."""
    if not 0 <= x <= 2:
        return mp.nan
    if x in {0, 2}:
        return mp.inf if x == 0 else -mp.inf
    if x > mp.mpf("0.01"):
        return mp.erfinv(1 - x)
    with mp.extraprec(20):
        y = goal = mp.log(x)
        for bits in _doubling(mp.prec):
            with mp.workprec(bits):
                y = _by_steps(mp, goal, mp.sqrt(-goal) if y is goal else y)
    return +y


def _doubling(bits: int) -> list[int]:
    """Ever more bits up to so many, each about twice those before: as a step of Newton's makes them right."""
    found = [bits]
    while found[-1] > FIRST:
        found.append(found[-1] // 2 + 20)
    return found[::-1]


def _by_steps(mp: Any, goal: Any, y: Any) -> Any:
    """Where the logarithm of erfc is `goal`: steps of Newton's from y, up to one that leaves no bit wrong at this precision."""
    for _ in range(200):
        tail = mp.erfc(y)
        step = (mp.log(tail) - goal) * tail * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < abs(y) * mp.ldexp(1, -mp.prec // 2 - 4):
            break
    return y


def _ndtri(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda p: -mp.sqrt(2) * erfcinv(mp, 2 * p)


def _gammainc(mp: Any, *, upper: bool) -> Callable[..., Any]:
    def gammainc(a: Any, x: Any) -> Any:
        if not (a >= 0 and x >= 0 and a + x > 0):
            return mp.nan
        if mp.isinf(a) or mp.isinf(x) or not a:
            return mp.nan if mp.isinf(a) and mp.isinf(x) else mp.mpf(int(bool(mp.isinf(a)) is upper))
        if not x:
            return mp.mpf(int(upper))
        if a > LARGE:
            return gamma_share(mp, a, x, upper=upper) if a < HUGE else mp.nan
        if mp.mag(a) < -mp.prec - 20:
            return a * mp.e1(x) if upper else mp.one
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
    def betainc(a: Any, b: Any, x: Any) -> Any:
        if not _proper(mp, a, b, x):
            return mp.nan
        if LARGE < a + b < HUGE and min(a, b) > 1:
            return beta_share(mp, a, b, x)
        return mp.betainc(a, b, 0, x, regularized=True)

    return betainc


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
    "erfinv": _erfinv,
    "erfcinv": _erfcinv,
    "ndtri": _ndtri,
    "gammainc": lambda mp, _: _gammainc(mp, upper=False),
    "gammaincc": lambda mp, _: _gammainc(mp, upper=True),
    "gammapdf": _gammapdf,
    "betainc": _betainc,
    "betapdf": _betapdf,
}
