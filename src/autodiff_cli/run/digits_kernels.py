"""Kernels of mpmath numbers at the precision in force: an op and its attribute in, a function that never raises out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import digits_bessel, digits_families, digits_gamma, digits_integrals, digits_parts, digits_power, digits_products, digits_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Op

    Kernel = Callable[..., Any]

DIRECT = {
    name: name for name in ("asin acos atan sinh cosh tanh sech csch coth asinh acosh atanh csc cot expm1 log1p erf ellipk ellipe").split()
} | {
    "expi": "ei",
    "exp1": "e1",
    "sinint": "si",
    "cosint": "ci",
}

TURNING = frozenset("sin cos tan sec csc cot".split())
ANGLE = 300_000  # bits

EXACT = digits_parts.EXACT | digits_steps.EXACT | digits_power.EXACT | digits_families.EXACT
TABLE = (
    digits_parts.TABLE
    | digits_steps.TABLE
    | digits_power.TABLE
    | digits_families.TABLE
    | digits_gamma.TABLE
    | digits_products.TABLE
    | digits_integrals.TABLE
    | digits_bessel.TABLE
)

_known: dict[tuple[str, Any], tuple[Kernel, Kernel]] = {}


def kernel(op: Op, attr: Any) -> tuple[Kernel, Kernel]:
    """The function of an op, twice: as it never raises, it is its own slow form."""
    key = (op.name, attr)
    if key not in _known:
        found = _find(op.name, attr)
        _known[key] = (found, found)
    return _known[key]


def knows(op: Op) -> bool:
    """Whether an op is one of numbers, with a kernel here."""
    return op.name in EXACT or op.name in TABLE or op.name in DIRECT


def _find(name: str, attr: Any) -> Kernel:
    from mpmath import mp

    if name in EXACT:
        return EXACT[name](mp, attr)
    function = TABLE[name](mp, attr) if name in TABLE else getattr(mp, DIRECT[name])
    return _safe(mp, _turning(mp, function) if name in TURNING else function, EDGES.get(name))


def _turning(mp: Any, function: Kernel) -> Kernel:
    """NaN for an angle with more bits than pi is known to within a second; it is noted in `LOST`."""

    def kernel(x: Any) -> Any:
        if mp.isfinite(x) and x and mp.mag(x) > ANGLE:
            digits_steps.LOST.get()[:] = [x]
            return mp.nan
        return function(x)

    return kernel


def _safe(mp: Any, function: Kernel, edge: Callable[..., Any] | None) -> Kernel:
    """NaN for NaN arguments, complex results and what mpmath refuses; `edge` answers first, or gives None."""

    def kernel(*args: Any) -> Any:
        for a in args:
            if a != a:
                return mp.nan
        found = edge(mp, *args) if edge else None
        if found is not None:
            return found
        try:
            value = function(*args)
        except (ValueError, ZeroDivisionError, OverflowError, ArithmeticError, mp.NoConvergence):
            return mp.nan
        return value if type(value) is mp.mpf else mp.mpf(value) if not isinstance(value, mp.mpc) else mp.nan

    return kernel


def _pole_at_zero(mp: Any, x: Any) -> Any:
    return None if x else mp.inf


EDGES: dict[str, Callable[..., Any]] = dict.fromkeys(("csc", "cot", "csch", "coth"), _pole_at_zero)
