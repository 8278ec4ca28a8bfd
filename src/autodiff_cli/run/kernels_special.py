"""Float kernels of special functions, by SciPy where it is right: a name and an attribute in, a function out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import kernels_families as families
from .kernels_power import power

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[..., float]

INF, NAN = math.inf, math.nan

SCIPY = {
    "erfcx": "erfcx",
    "erfinv": "erfinv",
    "erfcinv": "erfcinv",
    "ndtr": "ndtr",
    "ndtri": "ndtri",
    "log_ndtr": "log_ndtr",
    "digamma": "psi",
    "j0": "j0",
    "j1": "j1",
    "y0": "y0",
    "y1": "y1",
    "i0": "i0",
    "i1": "i1",
    "ellipk": "ellipk",
    "ellipe": "ellipe",
    "expi": "expi",
}


def special(name: str, attr: Any) -> Kernel:
    """A function of Python floats; a NaN argument makes the value NaN."""
    from scipy import special as sp

    function = getattr(sp, SCIPY[name]) if name in SCIPY else OWN[name](sp, attr)
    return lambda *args: float(function(*args)) if all(a == a for a in args) else NAN


def _exp1(sp: Any, _: Any) -> Kernel:
    return lambda x: float(sp.exp1(x)) if x >= 0 else NAN


def _sinint(sp: Any, _: Any) -> Kernel:
    return lambda x: float(sp.sici(x)[0])


def _cosint(sp: Any, _: Any) -> Kernel:
    return lambda x: float(sp.sici(x)[1]) if x >= 0 else NAN


def _fresnel(which: int) -> Callable[[Any, Any], Kernel]:
    return lambda sp, _: lambda x: sp.fresnel(x)[which] if -1e150 < x < 1e150 else math.copysign(0.5, x)


def _airy(which: int) -> Callable[[Any, Any], Kernel]:
    return lambda sp, _: lambda x: families.airy(sp, which, x)


def _spherical_jn(sp: Any, n: int) -> Kernel:
    return lambda x: float(sp.spherical_jn(n, x))


def _lambertw(sp: Any, k: int | None) -> Kernel:
    def branch(x: float) -> float:
        if not -math.exp(-1) <= x or (k and x >= 0):
            return NAN if x == x else x
        return float(sp.lambertw(x, k or 0).real)

    return branch


def _polygamma(sp: Any, n: int) -> Kernel:
    if n == 0:
        return lambda x: float(sp.psi(x))
    scale = (1 if n % 2 else -1) * math.factorial(n)

    def polygamma(x: float) -> float:
        if x > 0 or (x % 1 and x > -INF):
            return float(scale * sp.zeta(n + 1, x))
        return NAN if x == -INF else INF if n % 2 else NAN if x else -INF

    return polygamma


def _zeta(sp: Any, _: Any) -> Kernel:
    def zeta(s: float, q: float) -> float:
        if s in {INF, -INF} or q in {INF, -INF}:
            return families.hurwitz(s, q)
        if s < -1e4:
            return NAN
        if q == 1.0:
            return float(sp.zeta(s))
        if s > 500 and q > 0:
            return math.fsum([power(q + k, -s) for k in range(60)])
        if s > 1 and q > 0:
            return float(sp.zeta(s, q))
        return families.hurwitz(s, q)

    return zeta


def _beta(sp: Any, _: Any) -> Kernel:
    def beta(a: float, b: float) -> float:
        known = families.beta_edge(a, b)
        return float(sp.beta(a, b)) if known is None else known

    return beta


def _betaln(sp: Any, _: Any) -> Kernel:
    def betaln(a: float, b: float) -> float:
        known = families.beta_edge(a, b)
        if known is None:
            return float(sp.betaln(a, b))
        return INF if known else -INF if known == 0 else NAN

    return betaln


def _binom(sp: Any, _: Any) -> Kernel:
    def binom(n: float, k: float) -> float:
        if -1024 < k < 1024 and k == math.floor(k):
            return families.polynomial(n, int(k), 0)
        if n - n != 0 or k - k != 0 or (n < 0 and n == math.floor(n)):
            return NAN
        if n >= 0 and n - k < 1024 and n == math.floor(n) and k == math.floor(k):
            return families.polynomial(n, int(n - k), 0)
        if max(abs(n), abs(k), abs(n - k)) < 150:
            return families.gammas_ratio(sp, n, k)
        return float(sp.binom(n, k)) if max(abs(n), abs(k)) < 1e4 else NAN

    return binom


OWN: dict[str, Callable[[Any, Any], Kernel]] = {
    "ierfcx": lambda sp, n: lambda x: families.repeated(sp.erfcx, n, x),
    "jn": lambda sp, _: lambda v, x: families.first_bessel(sp, v, x),
    "yn": lambda sp, _: lambda v, x: families.second_bessel(sp, v, x),
    "iv": lambda sp, _: lambda v, x: families.modified_bessel(sp, v, x),
    "kv": lambda sp, _: lambda v, x: families.third_bessel(sp, v, x),
    "spence": lambda sp, _: lambda x: sp.spence(x) if x < INF else -INF,
    "mills": lambda sp, n: lambda x: families.mills(sp.erfcx, n, x),
    "exp1": _exp1,
    "sinint": _sinint,
    "cosint": _cosint,
    "fresnels": _fresnel(0),
    "fresnelc": _fresnel(1),
    "airyai": _airy(0),
    "airyaip": _airy(1),
    "airybi": _airy(2),
    "airybip": _airy(3),
    "spherical_jn": _spherical_jn,
    "lambertw": _lambertw,
    "polygamma": _polygamma,
    "digammas": lambda sp, n: lambda x, d: families.digammas(n or 0, x, d),
    "zeta": _zeta,
    "beta": _beta,
    "betaln": _betaln,
    "betainc": lambda sp, _: lambda a, b, x: sp.betainc(a, b, x) if families.proper(a, b, x) else NAN,
    "binom": _binom,
    "dbinom": lambda sp, kj: lambda n: families.polynomial(n, *kj),
    "gammainc": lambda sp, _: lambda a, x: families.lower_gamma(sp, a, x),
    "gammaincc": lambda sp, _: lambda a, x: families.upper_gamma(sp, a, x),
    "gammapdf": lambda sp, _: families.gamma_density,
    "betapdf": lambda sp, ij: lambda a, b, x: families.beta_density(sp, a, b, x, *ij),
    "hyp2f1": lambda sp, abc: lambda m: families.hypergeometric(sp, m, *abc),
    "logratio": lambda sp, n: lambda x: families.log_ratio(n, x),
}
