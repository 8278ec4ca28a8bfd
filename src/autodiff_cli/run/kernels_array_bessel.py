"""Arrays of Bessel functions and integrals of sines: SciPy's functions in, functions of arrays out; NaN marks what the floats have to do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .kernels_array_forms import cospi, sinpi

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[..., Any]

SPLIT = 2.0**27 + 1


def hankel(v: Any, x: Any, which: int) -> Any:
    """The Bessel function of the first (0) or second (1) kind far out."""
    p, q = 1.0 + 0.0 * x, 0.0
    term: Any = 1.0
    for k in range(40):
        term = term * ((2 * v - 2 * k - 1) * (2 * v + 2 * k + 1) / (8.0 * (k + 1)) / x)
        signed = -term if k % 4 in {1, 2} else term
        p, q = (p + signed, q) if k % 2 else (p, q + signed)
        if np.max(np.abs(term), initial=0.0) < 1e-18:
            break
    turn = v / 2 + 0.25
    a, b = cospi(turn), sinpi(turn)
    sine, cosine = np.sin(x), np.cos(x)
    s, c = sine * a - cosine * b, cosine * a + sine * b
    return math.sqrt(2 / math.pi) / np.sqrt(x) * (p * s + q * c if which else p * c - q * s)


def cylinder(near: Kernel, which: int) -> Kernel:
    """`near` for whole orders, and from 25 + v**2/2 on Hankel's expansion; the floats do the rest."""

    def function(v: Any, x: Any) -> Any:
        size = np.abs(x)
        whole = v == np.floor(v)
        far = (size > 25.0 + v * v / 2) & (size < np.inf) & ((x > 0) | whole & (which == 0))
        v, x, far, whole = np.broadcast_arrays(v, x, far, whole)
        value = np.where(whole | (x > 40.0) | (which == 1) & (np.abs(v - np.rint(v)) < 0.25), near(v, x), np.nan)
        if far.any():
            odd = (x < 0) & (v % 2 == 1)
            value[far] = hankel(v[far], np.abs(x[far]), which) * np.where(odd[far], -1.0, 1.0)
        return value

    return function


def standing(name: str) -> Callable[[Any, Any], Kernel]:
    """j0, j1, y0 or y1."""
    order, which = float(name[1]), int(name[0] == "y")
    return lambda sp, _: lambda x: cylinder(lambda _, z: getattr(sp, name)(z), which)(np.float64(order), x)


def kv(sp: Any, _: Any) -> Kernel:
    """Of orders that are not whole the floats do what is near 1."""

    def function(v: Any, x: Any) -> Any:
        return np.where((v != np.floor(v)) & (x > 0.01) & (x < 2.2) & (np.abs(v) < 4), np.nan, sp.kv(v, x))

    return function


def cardinal(_: Any, attr: tuple[int, bool]) -> Kernel | None:
    """The n-th derivative of sin(x)/x or, of half turns, of sinc."""
    n, half_turns = attr
    unit = math.pi if half_turns else 1.0

    def near(x: Any) -> Any:
        square, total = np.square(unit * x), 0.0
        first = (n + 1) // 2
        for k in range(first + 16, first - 1, -1):
            total = total * square + (-1) ** k / ((2 * k + 1) * math.factorial(2 * k - n))
        return unit**n * total * (unit * x if n % 2 else 1.0)

    def far(x: Any) -> Any:
        turns = (sinpi(x), cospi(x)) if half_turns else (np.sin(x), np.cos(x))
        value = turns[0] / unit / x
        for k in range(1, n + 1):
            value = (unit ** (k - 1) * turns[k % 2] * (-1.0 if k % 4 > 1 else 1.0) - k * value) / x
        return value

    return (lambda x: np.where(np.abs(x) * unit < n + 1, near(x), far(x))) if n < 4 else None


def of_square(shift: int) -> Kernel:
    """sin(pi (x**2 + shift)/2), from the square and what its rounding lost (Dekker, 1971)."""

    def function(x: Any) -> Any:
        c = SPLIT * x
        high = c - (c - x)
        low = x - high
        square = x * x
        lost = ((high * high - square) + 2.0 * high * low) + low * low
        whole = np.rint(square)
        rest = (square - whole) + (lost - np.rint(lost))
        near = np.rint(rest)
        angle = math.pi / 2 * (rest - near)
        quarter = np.fmod(np.fmod(whole, 4.0) + np.fmod(np.rint(lost), 4.0) + near + (8.0 + shift), 4.0)
        value = np.where(np.fmod(quarter, 2.0) == 0, np.sin(angle), np.cos(angle))
        return np.where(quarter >= 2, -value, value)

    return function


def fresnel(which: int) -> Callable[[Any, Any], Kernel]:
    return lambda sp, _: lambda x: np.where(np.abs(x) < 6, sp.fresnel(x)[which], np.nan)


OWN: dict[str, Callable[[Any, Any], Kernel | None]] = {
    "cardinal": cardinal,
    "cossq": lambda *_: of_square(1),
    "fresnelc": fresnel(1),
    "fresnels": fresnel(0),
    "iv": lambda sp, _: lambda v, x: np.where(np.abs(x) > 1e-9, sp.iv(v, x), np.nan),
    "jn": lambda sp, _: cylinder(sp.jv, 0),
    "kv": kv,
    "sinc": lambda *_: cardinal(None, (0, True)),
    "sinsq": lambda *_: of_square(0),
    "yn": lambda sp, _: cylinder(sp.yv, 1),
} | {name: standing(name) for name in ("j0", "j1", "y0", "y1")}
