"""Float kernels of oscillating functions far out, by their exact phases: floats in, a float out."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from .kernels_trig import cospi, sinpi

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INF, NAN = math.inf, math.nan
FINE = 128  # bits after the point of a phase


def quarter_turns(x: float) -> tuple[int, float]:
    """x**2 from the exact square: the nearest whole number modulo 4, and the rest times pi/2."""
    top, bottom = x.as_integer_ratio()
    top, bottom = top * top % (4 * bottom * bottom), bottom * bottom
    whole = (2 * top + bottom) // (2 * bottom)
    return whole % 4, math.pi / 2 * ((top - whole * bottom) / bottom)


def sine_of_square(x: float) -> float:
    """sin(pi x**2/2)."""
    if x - x != 0:
        return NAN
    quarter, angle = quarter_turns(x)
    return (math.sin(angle), math.cos(angle), -math.sin(angle), -math.cos(angle))[quarter]


def cosine_of_square(x: float) -> float:
    """cos(pi x**2/2)."""
    if x - x != 0:
        return NAN
    quarter, angle = quarter_turns(x)
    return (math.cos(angle), -math.sin(angle), -math.cos(angle), math.sin(angle))[quarter]


def falling(ratio: Callable[[int], float]) -> Iterator[float]:
    """The terms of an asymptotic series with these ratios, from 1 on, as far as they fall."""
    term = 1.0
    for k in range(60):
        yield term
        step = ratio(k)
        if abs(step) > 1.0 or abs(term) < 1e-19:
            return
        term *= step


def alternating(ratio: Callable[[int], float]) -> tuple[float, float]:
    """t0 - t2 + t4 - … and t1 - t3 + t5 - …"""
    terms = [-t if k % 4 > 1 else t for k, t in enumerate(falling(ratio))]
    return math.fsum(terms[::2]), math.fsum(terms[1::2])


def fresnel(which: int, x: float) -> float:
    """The Fresnel integrals S (0) and C (1) for sizes of x above 6."""
    half = math.copysign(0.5, x)
    if not -1e17 < x < 1e17:
        return half
    z = math.pi * x * x / 2
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


def two_thirds_power(z: float) -> int:
    """2/3 z**1.5 as a whole number of 2**-FINE."""
    top, bottom = z.as_integer_ratio()
    return math.isqrt((4 * top**3 << 2 * FINE) // (9 * bottom**3))


def airy(which: int, x: float) -> float:
    """Ai, Ai', Bi, Bi' by their number, for sizes of x above 12."""
    if x in {INF, -INF}:
        return (0.0 if which < 2 else INF) if x > 0 else NAN if which % 2 else 0.0
    phase = two_thirds_power(abs(x))
    size = math.sqrt(math.sqrt(abs(x)))
    size = (size if which % 2 else 1 / size) / math.sqrt(math.pi)
    return size * (_decaying if x > 0 else _waving)(which, phase)


def _size(phase: int) -> float:
    return phase / (1 << FINE) if phase.bit_length() < 1000 + FINE else INF


def _ratio(which: int, zeta: float) -> Callable[[int], float]:
    if which % 2:
        return lambda k: (6 * k + 3) * (6 * k + 7) * (6 * k - 1) / (216 * (2 * k + 1) * (k + 1)) / zeta
    return lambda k: (6 * k + 1) * (6 * k + 3) * (6 * k + 5) / (216 * (2 * k + 1) * (k + 1)) / zeta


def _waving(which: int, phase: int) -> float:
    p, q = alternating(_ratio(which, _size(phase)))
    bits = FINE + max(0, phase.bit_length() - FINE) // 256 * 256 + 272
    turn = pi_bits(bits)
    angle = ((phase << bits - FINE) % (2 * turn) - turn // 4) / (1 << bits)
    s, c = math.sin(angle), math.cos(angle)
    return (c * p + s * q, s * p - c * q, c * q - s * p, c * p + s * q)[which]


def _decaying(which: int, phase: int) -> float:
    zeta = _size(phase)
    if zeta > 1500:
        return 0.0 if which < 2 else INF
    rest = (phase - int(zeta) * (1 << FINE)) / (1 << FINE) - (zeta - int(zeta))
    terms = list(falling(_ratio(which, zeta)))
    if which < 2:
        total = math.fsum(terms[::2]) - math.fsum(terms[1::2])
        half = math.exp(-zeta / 2) * total * (1 - rest) / 2
        return (-half if which else half) * math.exp(-zeta / 2)
    half = math.exp(zeta / 2)
    return half * math.fsum(terms) * (1 + rest) * half
