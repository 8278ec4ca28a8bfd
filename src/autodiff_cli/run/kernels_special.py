"""Float kernels of special functions, by SciPy where it is right: a name and an attribute in, a function out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import kernels_families as families
from . import kernels_products as products
from . import kernels_waves as waves
from .kernels_polygamma import digammas, polygamma
from .kernels_power import power

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[..., float]

INF, NAN = math.inf, math.nan

SCIPY = {
    "erfcx": "erfcx",
    "erfinv": "erfinv",
    "ndtr": "ndtr",
    "ndtri": "ndtri",
    "log_ndtr": "log_ndtr",
    "i0": "i0",
    "i1": "i1",
    "ellipk": "ellipk",
    "ellipe": "ellipe",
    "expi": "expi",
}


class Scipy:
    """scipy.special, imported when a function of it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        from scipy import special

        function = getattr(special, name)
        setattr(self, name, function)
        return function


SP = Scipy()


def special(name: str, attr: Any) -> Kernel:
    """A function of Python floats; a NaN argument makes the value NaN."""
    function = getattr(SP, SCIPY[name]) if name in SCIPY else OWN[name](SP, attr)
    return lambda *args: float(function(*args)) if all(a == a for a in args) else NAN


def _exp1(sp: Any, _: Any) -> Kernel:
    return lambda x: float(sp.exp1(x)) if x >= 0 else NAN


def _sinint(sp: Any, _: Any) -> Kernel:
    return lambda x: float(sp.sici(x)[0])


def _cosint(sp: Any, _: Any) -> Kernel:
    return lambda x: float(sp.sici(x)[1]) if x >= 0 else NAN


def _fresnel(which: int) -> Callable[[Any, Any], Kernel]:
    return lambda sp, _: lambda x: sp.fresnel(x)[which] if -6 < x < 6 else waves.fresnel(which, x)


def _airy(which: int) -> Callable[[Any, Any], Kernel]:
    return lambda sp, _: lambda x: families.airy(which, x)


def _standing(which: int, order: int) -> Callable[[Any, Any], Kernel]:
    """A Bessel function of order 0 or 1, far out by its phase."""

    def make(sp: Any, _: Any) -> Kernel:
        near = getattr(sp, f"{'jy'[which]}{order}")

        def function(x: float) -> float:
            if not waves.far(order, abs(x) if which == 0 else x):
                return float(near(x))
            value = waves.hankel(order, abs(x))[which]
            return -value if x < 0 and order else value

        return function

    return make


def _cardinal(_: Any, attr: tuple[int, bool]) -> Kernel:
    from .kernels_series import cardinal

    n, half_turns = attr
    return lambda x: cardinal(n, x, half_turns=half_turns)


def _product(factors: Callable[[float, float], list[Any]]) -> Callable[[Any, Any], Kernel]:
    """The derivatives of a beta function or a binomial coefficient."""

    def make(sp: Any, ij: tuple[int, int] | None) -> Kernel:
        numbers, (i, j) = products.Floats(sp), ij or (0, 0)

        def slope(x: float, y: float) -> float:
            if x - x != 0 or y - y != 0:
                return NAN
            if factors is products.binomial and j == 0 and -1024 < y < 1024 and y == math.floor(y):
                return families.polynomial(x, int(y), i)
            return float(products.derivative(numbers, factors(x, y), i, j))

        return slope

    return make


def _lambertw(sp: Any, k: int | None) -> Kernel:
    def branch(x: float) -> float:
        if not -math.exp(-1) <= x or (k and x >= 0):
            return NAN if x == x else x
        return float(sp.lambertw(x, k or 0).real)

    return branch


def _polygamma(sp: Any, n: int | None) -> Kernel:
    return lambda x: polygamma(sp, n or 0, x)


def _zeta(sp: Any, _: Any) -> Kernel:
    def zeta(s: float, q: float) -> float:
        if s in {INF, -INF} or q in {INF, -INF}:
            return families.hurwitz(sp, s, q)
        if s < -1e4:
            return NAN
        if q == 1.0:
            return float(sp.zeta(s))
        if s > 500 and q > 0:
            return math.fsum([power(q + k, -s) for k in range(60)])
        if s > 1 and q > 0:
            return float(sp.zeta(s, q))
        return families.hurwitz(sp, s, q)

    return zeta


def _beta(sp: Any, _: Any) -> Kernel:
    slope = _product(products.beta)(sp, None)

    def beta(a: float, b: float) -> float:
        known = products.beta_edge(a, b)
        return slope(a, b) if known is None else known

    return beta


def _betaln(sp: Any, _: Any) -> Kernel:
    def betaln(a: float, b: float) -> float:
        known = products.beta_edge(a, b)
        if known is None:
            return products.log_size(products.Floats(sp), products.beta(a, b))
        return INF if known else -INF if known == 0 else NAN

    return betaln


def _binom(sp: Any, _: Any) -> Kernel:
    slope = _product(products.binomial)(sp, None)

    def binom(n: float, k: float) -> float:
        if -1024 < k < 1024 and k == math.floor(k):
            return families.polynomial(n, int(k), 0)
        if 0 <= n < INF and k - k == 0 and n - k < 1024 and n == math.floor(n) and k == math.floor(k):
            return families.polynomial(n, int(n - k), 0)
        return slope(n, k)

    return binom


OWN: dict[str, Callable[[Any, Any], Kernel]] = {
    "erfcinv": lambda sp, _: lambda x: sp.erfcinv(x) if not 0 < x < 1e-290 else families.inverse_tail(sp, x),
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
    "digamma": _polygamma,
    "sinsq": lambda sp, _: waves.sine_of_square,
    "cossq": lambda sp, _: waves.cosine_of_square,
    "cardinal": _cardinal,
    "gauss": lambda sp, n: lambda x: families.gauss(n, x),
    "j0": _standing(0, 0),
    "j1": _standing(0, 1),
    "y0": _standing(1, 0),
    "y1": _standing(1, 1),
    "airyai": _airy(0),
    "airyaip": _airy(1),
    "airybi": _airy(2),
    "airybip": _airy(3),
    "lambertw": _lambertw,
    "polygamma": _polygamma,
    "digammas": lambda sp, n: lambda x, d: digammas(sp, n or 0, x, d),
    "zeta": _zeta,
    "beta": _beta,
    "betaln": _betaln,
    "beta_slope": _product(products.beta),
    "binom_slope": _product(products.binomial),
    "betainc": lambda sp, _: lambda a, b, x: families.incomplete_beta(sp, a, b, x),
    "binom": _binom,
    "dbinom": lambda sp, kj: lambda n: families.polynomial(n, *kj),
    "gammainc": lambda sp, _: lambda a, x: families.lower_gamma(sp, a, x),
    "gammaincc": lambda sp, _: lambda a, x: families.upper_gamma(sp, a, x),
    "gammapdf": lambda sp, _: families.gamma_density,
    "betapdf": lambda sp, ij: lambda a, b, x: families.beta_density(sp, a, b, x, *ij),
    "hyp2f1": lambda sp, abc: lambda m: families.hypergeometric(sp, m, *abc),
    "logratio": lambda sp, n: lambda x: families.log_ratio(n, x),
}
