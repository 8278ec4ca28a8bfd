"""mpmath kernels of powers, trigonometric and special functions: mpmath and an attribute in, a function out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .digits_parts import exp, remainder

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[Any, Any], Callable[..., Any]]


# --- powers ------------------------------------------------------------------------------------------


def power(mp: Any, x: Any, y: Any) -> Any:
    """x**y as `math.pow` has it, but for the sign of zero."""
    if y == 0 or x == 1:
        return mp.one
    if x != x or y != y:
        return mp.nan
    if x == 0 or mp.isinf(x) or mp.isinf(y):
        return mp.mpf(_infinite(float(x), float(y)))
    if x < 0 and y != mp.floor(y):
        return mp.nan
    size = exp(mp, y * mp.log(abs(x))) if y != mp.floor(y) or mp.mag(y) > 60 else mp.power(abs(x), int(y))
    return -size if x < 0 and y % 2 else size


def _infinite(x: float, y: float) -> float:
    from .kernels_power import power as floats

    return floats(abs(x) if x == 0 else x, y)


def _dpow(mp: Any, jk: tuple[int, int]) -> Callable[..., Any]:
    from .kernels_power import at_zero

    j, k = jk

    def dpow(x: Any, y: Any) -> Any:
        if k == 0:
            factor = mp.fprod([y - i for i in range(j)])
            return _scaled(mp, factor, power(mp, x, y - j)) if y == y else y
        if x == 0:
            return mp.mpf(at_zero(float(y), j, k))
        if not x > 0:
            return mp.nan
        scale = power(mp, x, y - j)
        if x == mp.inf:
            return y if y != y else mp.inf if scale else mp.zero
        return scale * _polynomial(mp, mp.log(x), y, j, k) if scale else mp.zero

    return dpow


def _scaled(mp: Any, factor: Any, scale: Any) -> Any:
    return factor * scale if factor and scale else mp.zero


def _polynomial(mp: Any, log: Any, y: Any, j: int, k: int) -> Any:
    q = [mp.zero] * k + [mp.one]
    for i in range(j):
        q = [(y - i) * c + (m + 1) * (q[m + 1] if m < k else 0) for m, c in enumerate(q)]
    return mp.fsum([c * log**m for m, c in enumerate(q) if c])


# --- trigonometric -----------------------------------------------------------------------------------


def _degrees(function: str) -> Maker:
    """sin or cos of degrees, exact at multiples of 30."""
    halves = {0: 0, 30: 1, 90: 2, 150: 1, 180: 0, 210: -1, 270: -2, 330: -1, 360: 0, 390: 1, 420: 0}

    shift = 0 if function == "sinpi" else 90

    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        def sine(x: Any) -> Any:
            if mp.isinf(x):
                return mp.nan
            turn = remainder(mp, abs(x), mp.mpf(360))
            sign = mp.sign(x) if function == "sinpi" else 1
            if turn + shift in halves:
                return sign * mp.mpf(halves[int(turn + shift)]) / 2
            return sign * getattr(mp, function)(turn / 180)

        return sine

    return make


def _tangent(per_turn: int) -> Maker:
    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        def tangent(x: Any) -> Any:
            if mp.isinf(x):
                return mp.nan
            turn, sign = remainder(mp, abs(x), mp.mpf(per_turn)), mp.sign(x)
            eighths = 8 * turn / per_turn
            if eighths == mp.floor(eighths):
                return sign * [mp.zero, mp.one, mp.inf, -mp.one, mp.zero, mp.one, -mp.inf, -mp.one][int(eighths % 8)]
            return sign * mp.sinpi(2 * turn / per_turn) / mp.cospi(2 * turn / per_turn)

        return tangent

    return make


def _sinc(mp: Any, _attr: Any) -> Callable[..., Any]:
    return lambda x: mp.one if not x else mp.zero if mp.isinf(x) else mp.sinpi(x) / (mp.pi * x)


def _circular(name: str) -> Maker:
    return lambda mp, _attr: lambda x: mp.nan if mp.isinf(x) else getattr(mp, name)(x)


def _spherical_jn(mp: Any, n: int) -> Callable[..., Any]:
    def spherical(x: Any) -> Any:
        if not x or mp.isinf(x):
            return mp.one if not x and n == 0 else mp.zero
        value = mp.sqrt(mp.pi / (2 * abs(x))) * mp.besselj(n + mp.mpf(1) / 2, abs(x))
        return -value if x < 0 and n % 2 else value

    return spherical


# --- error functions ---------------------------------------------------------------------------------


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


# --- gamma functions ---------------------------------------------------------------------------------


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


# --- integrals and their kin -------------------------------------------------------------------------


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
    return lambda m: mp.nan if m > 1 else mp.inf if m == 1 else mp.zero if mp.isinf(m) else mp.hyp2f1(*abc, m)


def zeta(s: Any, q: Any) -> Any:
    """Hurwitz' zeta function."""
    from mpmath import mp

    if s == 1 or (q <= 0 and q == mp.floor(q)):
        return mp.inf if s >= 1 else mp.nan
    if s < -10000:
        return mp.nan
    if s > 5000 or mp.mag(q) > 60:
        return _far_zeta(mp, s, q)
    value = mp.zeta(s, q)
    return value if isinstance(value, mp.mpf) else mp.nan


def _far_zeta(mp: Any, s: Any, q: Any) -> Any:
    """The first terms of the sum for a large s, the integral for a large q."""
    if q < 0 or mp.isinf(s):
        return mp.nan if q < 0 else mp.inf if q < 1 else mp.one if q == 1 else mp.zero
    if mp.mag(q) > 60:
        return q ** (1 - s) / (s - 1) + q**-s / 2 if mp.isfinite(q) else mp.zero
    return mp.fsum([exp(mp, -s * mp.log(q + k)) for k in range(200)])


def _airy(name: str, order: int) -> Maker:
    def make(mp: Any, _attr: Any) -> Callable[..., Any]:
        ends = {mp.inf: mp.zero if name == "airyai" else mp.inf, -mp.inf: mp.nan if order else mp.zero}
        return lambda x: ends[x] if mp.isinf(x) else getattr(mp, name)(x, derivative=order)

    return make


def _bessel(name: str, order: int) -> Maker:
    return lambda mp, _attr: lambda x: getattr(mp, name)(order, x)


def _cylinder(name: str) -> Maker:
    return lambda mp, _attr: lambda v, x: getattr(mp, name)(v, x) if mp.isfinite(v) else mp.nan


# Ops that decide about NaN themselves.
EXACT: dict[str, Maker] = {"pow": lambda mp, _: lambda x, y: power(mp, x, y), "dpow": _dpow}

TABLE: dict[str, Maker] = {
    "sin": _circular("sin"),
    "cos": _circular("cos"),
    "tan": _circular("tan"),
    "sec": _circular("sec"),
    "atan2": lambda mp, _: mp.atan2,
    "deg2rad": lambda mp, _: lambda x: x * mp.pi / 180,
    "rad2deg": lambda mp, _: lambda x: x * 180 / mp.pi,
    "sinpi": _circular("sinpi"),
    "cospi": _circular("cospi"),
    "tanpi": _tangent(2),
    "sind": _degrees("sinpi"),
    "cosd": _degrees("cospi"),
    "tand": _tangent(360),
    "sinc": _sinc,
    "spherical_jn": _spherical_jn,
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
    "lambertw": _lambertw,
    "spence": _spence,
    "logratio": _logratio,
    "hyp2f1": _hyp2f1,
    "zeta": lambda _mp, _: zeta,
    "jn": _cylinder("besselj"),
    "yn": _cylinder("bessely"),
    "iv": _cylinder("besseli"),
    "kv": _cylinder("besselk"),
    "j0": _bessel("besselj", 0),
    "j1": _bessel("besselj", 1),
    "y0": _bessel("bessely", 0),
    "y1": _bessel("bessely", 1),
    "i0": _bessel("besseli", 0),
    "i1": _bessel("besseli", 1),
    "airyai": _airy("airyai", 0),
    "airyaip": _airy("airyai", 1),
    "airybi": _airy("airybi", 0),
    "airybip": _airy("airybi", 1),
}
