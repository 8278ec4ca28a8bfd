"""Kernels of arrays for special functions and derivatives of powers: a name, an attribute and the kernel of floats in.

The function of arrays serves the ordinary rows; the rows where its result is 0, not finite or near
the ends of the range are done by the kernel of floats, which knows the edges.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import kernels_array_bessel, kernels_array_gamma
from .arrays_lane import Whole
from .kernels_array_choice import mended
from .kernels_special import SCIPY, SP

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[..., Any]

LEAST, MOST = 1e-280, 1e280
COST = 200


def special(name: str, attr: Any, scalar: Kernel) -> Whole | None:
    """The kernel of an op that has a function of arrays, of SciPy or of ours; None for another op."""
    if name in SCIPY:
        return patched(getattr(SP, SCIPY[name]), scalar)
    found = OWN[name](SP, attr) if name in OWN else None
    return found and patched(found, scalar)


def patched(function: Kernel, scalar: Kernel) -> Whole:
    """`function`, but `scalar` for the entries with an odd result that no NaN explains."""

    def fill(*given: Any) -> None:
        *args, out = given
        np.copyto(out, function(*args))
        size = np.absolute(out)
        odd = ~((size > LEAST) & (size < MOST))
        for arg in args:
            odd &= ~(np.isnan(arg) & np.isnan(out))
        mended(odd, scalar, *given)

    return Whole(fill, cost=COST)


def _cosint(sp: Any, _: Any) -> Kernel:
    return lambda x: np.where(x >= 0, sp.sici(x)[1], np.nan)


def _lambertw(sp: Any, k: int | None) -> Kernel:
    return lambda x: np.where((x >= -math.exp(-1)) & (x < (0.0 if k else math.inf)), sp.lambertw(x, k or 0).real, np.nan)


def _power(_: Any, jk: tuple[int, int]) -> Kernel | None:
    j, k = jk
    return None if j and k else _by_base(j) if j else _by_exponent(k)


def _by_base(j: int) -> Kernel:
    """y(y-1)…(y-j+1) x**(y-j), 0 where the factor is."""

    def function(x: Any, y: Any) -> Any:
        factor = y
        for i in range(1, j):
            factor = factor * (y - i)
        value = np.where(factor == 0, 0.0, factor * np.power(x, y - j))
        return np.where((x < 0) & (y != np.floor(y)), np.nan, value)

    return function


def _by_exponent(k: int) -> Kernel:
    """x**y log(x)**k."""
    return lambda x, y: np.log(x) ** k * np.power(x, y)


OWN: dict[str, Callable[[Any, Any], Kernel | None]] = (
    {
        "cosint": _cosint,
        "dpow": _power,
        "erfcinv": lambda sp, _: lambda x: np.where((x > 0) & (x < 1e-290), np.nan, sp.erfcinv(x)),
        "erf": lambda sp, _: sp.erf,
        "exp1": lambda sp, _: sp.exp1,
        "lambertw": _lambertw,
        "sinint": lambda sp, _: lambda x: sp.sici(x)[0],
        "spence": lambda sp, _: sp.spence,
    }
    | kernels_array_gamma.OWN
    | kernels_array_bessel.OWN
)
