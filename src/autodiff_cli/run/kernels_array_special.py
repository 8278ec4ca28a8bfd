"""Kernels of arrays for special functions and derivatives of powers: a name, an attribute and the kernel of floats in.

The function of arrays serves the ordinary rows; the rows where its result is 0, not finite or near
the ends of the range are done by the kernel of floats, which knows the edges.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special as sp

from .arrays_lane import Whole
from .kernels_special import SCIPY

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[..., Any]

LEAST, MOST = 1e-280, 1e280
COST = 200


def special(name: str, attr: Any, scalar: Kernel) -> Whole | None:
    """The kernel of an op that has a function of arrays, of SciPy or of ours; None for another op."""
    if name in SCIPY:
        return patched(getattr(sp, SCIPY[name]), scalar)
    found = OWN[name](attr) if name in OWN else None
    return found and patched(found, scalar)


def patched(function: Kernel, scalar: Kernel) -> Whole:
    """`function`, but `scalar` for the rows with an odd result."""

    def fill(out: Any, *args: Any) -> None:
        found = function(*args)
        size = np.absolute(found)
        odd = np.flatnonzero(~((size > LEAST) & (size < MOST)))
        np.copyto(out, found)
        if len(odd):
            columns = np.broadcast_arrays(out, *args)[1:]
            out[odd] = list(map(scalar, *[column[odd].tolist() for column in columns]))

    return Whole(fill, cost=COST)


def _cosint(x: Any) -> Any:
    return np.where(x >= 0, sp.sici(x)[1], np.nan)


def _lambertw(k: int | None) -> Kernel:
    return lambda x: np.where((x >= -math.exp(-1)) & (x < (0.0 if k else math.inf)), sp.lambertw(x, k or 0).real, np.nan)


def _polygamma(n: int) -> Kernel:
    scale = (1 if n % 2 else -1) * float(math.factorial(n))
    return (lambda x: scale * sp.zeta(n + 1.0, x)) if n else sp.psi


def _slope(x: Any) -> Any:
    """The density of the normal distribution over its distribution function."""
    return np.where(x > 37, np.exp(-x * x / 2) / math.sqrt(2 * math.pi), math.sqrt(2 / math.pi) / sp.erfcx(-x / math.sqrt(2)))


def _power(jk: tuple[int, int]) -> Kernel | None:
    j, k = jk
    return None if j and k else _by_base(j) if j else _by_exponent(k)


def _by_base(j: int) -> Kernel:
    """y(y-1)…(y-j+1) x**(y-j)."""

    def function(x: Any, y: Any) -> Any:
        factor = y
        for i in range(1, j):
            factor = factor * (y - i)
        return factor * np.power(x, y - j)

    return function


def _by_exponent(k: int) -> Kernel:
    """x**y log(x)**k."""
    return lambda x, y: np.log(x) ** k * np.power(x, y)


OWN: dict[str, Callable[[Any], Kernel | None]] = {
    "airyai": lambda _: lambda x: sp.airy(x)[0],
    "airyaip": lambda _: lambda x: sp.airy(x)[1],
    "airybi": lambda _: lambda x: sp.airy(x)[2],
    "airybip": lambda _: lambda x: sp.airy(x)[3],
    "cosint": lambda _: _cosint,
    "dpow": _power,
    "erf": lambda _: sp.erf,
    "exp1": lambda _: sp.exp1,
    "fresnelc": lambda _: lambda x: sp.fresnel(x)[1],
    "fresnels": lambda _: lambda x: sp.fresnel(x)[0],
    "lambertw": _lambertw,
    "mills": lambda n: _slope if n < 0 else None,
    "polygamma": _polygamma,
    "sinint": lambda _: lambda x: sp.sici(x)[0],
    "spherical_jn": lambda n: lambda x: sp.spherical_jn(n, x),
    "zeta": lambda _: sp.zeta,
}
