"""mpmath kernels of families that close under differentiation: mpmath and an attribute in, a function out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import kernels_gates as gates
from . import kernels_parts as parts
from .digits_parts import exp, quotient, softplus

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[Any, Any], Callable[..., Any]]


def _share(mp: Any, k: int) -> Callable[..., Any]:
    def part(*xs: Any) -> Any:
        if any(mp.isinf(x) for x in xs):
            return quotient(mp, xs[k], mp.inf)
        length = mp.sqrt(mp.fsum([x * x for x in xs]))
        return xs[k] / length if length else mp.zero

    return part


def _gauss(mp: Any, n: int) -> Callable[..., Any]:
    return lambda x: mp.zero if mp.isinf(x) else exp(mp, -x * x / n)


def half_square(mp: Any, x: Any) -> Any:
    """x**2/2 modulo 2."""
    with mp.extraprec(2 * abs(mp.mag(x)) + 20 if x else 0):
        return (x * x / 2) % 2


def _of_square(name: str) -> Maker:
    return lambda mp, _: lambda x: mp.nan if mp.isinf(x) else getattr(mp, name)(half_square(mp, x))


def _cardinal(mp: Any, attr: tuple[int, bool]) -> Callable[..., Any]:
    n, half_turns = attr

    def derivative(x: Any) -> Any:
        if mp.isinf(x):
            return mp.zero
        unit = mp.pi if half_turns else mp.one
        return _far(unit, x) if abs(x) * unit > n + 3 else _near(unit, x)

    def _far(unit: Any, x: Any) -> Any:
        turns = (mp.sinpi(x), mp.cospi(x)) if half_turns else (mp.sin(x), mp.cos(x))
        value = turns[0] / unit / x
        for k in range(1, n + 1):
            value = (unit ** (k - 1) * turns[k % 2] * (-1 if k % 4 > 1 else 1) - k * value) / x
        return value

    def _near(unit: Any, x: Any) -> Any:
        k = (n + 1) // 2
        with mp.extraprec(6 * n + 30):
            square = (unit * x) ** 2
            term = (-1) ** k * unit ** (2 * k) / (2 * k + 1) * (x if n % 2 else 1)
            total, least = term, abs(term) * mp.eps
            while abs(term) > least:
                term = -term * square * (2 * k + 1) / ((2 * k + 1 - n) * (2 * k + 2 - n) * (2 * k + 3))
                total += term
                k += 1
        return +total

    return derivative


def _gate(mp: Any, attr: tuple[str, int]) -> Callable[..., Any]:
    def sigmoid(x: Any) -> Any:
        return 1 / (1 + exp(mp, -x)) if x >= 0 else exp(mp, x) / (1 + exp(mp, x))

    def sech(x: Any) -> Any:
        y = exp(mp, -abs(x))
        return 2 * y / (1 + y * y)

    def tanh(x: Any) -> Any:
        return mp.sign(x) if mp.mag(x) > 60 else mp.tanh(x)

    def factor(x: Any) -> Any:
        functions = gates.Functions(
            sigmoid, lambda x: softplus(mp, x), tanh, sech, lambda x, most: max(-most, min(most, x)), mp.sqrt(2 / mp.pi), mp.mpf("0.044715")
        )
        return gates.gate(*attr, functions)(x)

    return factor


def _plain(function: Callable[..., Any]) -> Maker:
    return lambda _mp, _attr: function


# Ops that decide about NaN themselves.
EXACT: dict[str, Maker] = {
    "takes": _plain(parts.takes),
    "tie_share": lambda mp, _: lambda best, *xs: quotient(mp, mp.one, mp.mpf(sum(x == best for x in xs))) if best == best else mp.nan,
    "inside": _plain(parts.inside),
    "below": _plain(parts.below),
    "above": _plain(parts.above),
    "counts": _plain(parts.counts),
    "leaky_by_x": lambda mp, _: lambda x, slope: mp.one if x > 0 else slope if x <= 0 else x,
    "elu_by_x": lambda mp, _: lambda x, alpha: mp.one if x > 0 else alpha * exp(mp, x),
}

TABLE: dict[str, Maker] = {
    "gap": _plain(lambda x: (1 - x) * (1 + x)),
    "rest": _plain(lambda x: x * (1 - x)),
    "share": _share,
    "gauss": _gauss,
    "sinsq": _of_square("sinpi"),
    "cossq": _of_square("cospi"),
    "cardinal": _cardinal,
    "soft_gate": _gate,
}
