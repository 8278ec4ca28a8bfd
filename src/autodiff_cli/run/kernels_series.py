"""Float kernels by power series in whole numbers of many bits, where SciPy loses digits: floats in, a float out."""

from __future__ import annotations

import math
from functools import cache

from .kernels_power import power
from .kernels_trig import cospi, sinpi
from .kernels_waves import falling, far, pi_bits

BITS = 256
ONE = 1 << BITS
MOST = 40.0


def fixed(x: float) -> int:
    """x as a whole number of 2**-BITS."""
    top, bottom = x.as_integer_ratio()
    return (top << BITS) // bottom


def reciprocal_gamma(x: float) -> float:
    """1/gamma(x), 0 at its poles."""
    return (x if abs(x) < 1e-300 else 1.0 / math.gamma(x)) if x > 0 or x != math.floor(x) else 0.0


@cache
def _pi_square() -> int:
    pi = pi_bits(BITS)
    return pi * pi >> BITS


def cardinal(n: int, x: float, *, half_turns: bool) -> float:
    """The n-th derivative of sin(x)/x or, of half turns, of sin(pi x)/(pi x)."""
    unit = math.pi if half_turns else 1.0
    if x - x != 0:
        return 0.0 if x == x else x
    if abs(x) * unit < n + 3:
        return _cardinal_series(n, x, unit)
    turns = (sinpi(x), cospi(x)) if half_turns else (math.sin(x), math.cos(x))
    value = turns[0] / unit / x
    for k in range(1, n + 1):
        value = (unit ** (k - 1) * turns[k % 2] * (-1.0 if k % 4 > 1 else 1.0) - k * value) / x
    return value


def _cardinal_series(n: int, x: float, unit: float) -> float:
    """The terms (-1)**k (unit x)**(2k) / (2k+1)!, differentiated n times."""
    z = fixed(x)
    square = z * z >> BITS
    if unit != 1.0:
        square = square * _pi_square() >> BITS
    k = (n + 1) // 2
    total = term = ONE
    lead = (-1.0) ** k * unit ** (2 * k) / (2 * k + 1) * (x if n % 2 else 1.0)
    while abs(term) > 2:
        term = -(term * square * (2 * k + 1) // ((2 * k + 1 - n) * (2 * k + 2 - n) * (2 * k + 3) << BITS))
        total += term
        k += 1
    return lead * (total / ONE)


def bessel(v: float, x: float) -> float:
    """The Bessel function of the first kind for 0 < x < MOST and an order of moderate size."""
    if v < 0 and v == math.floor(v):
        return bessel(-v, x) * (-1.0 if v % 2 else 1.0)
    order, square = fixed(v), fixed(x) ** 2 >> BITS + 2
    total = term = ONE
    k = 0
    while abs(term) > 2:
        k += 1
        term = -(term * square // (k * (order + (k << BITS))))
        total += term
    return power(x, v) * power(2.0, -v) * reciprocal_gamma(v + 1) * (total / ONE)


def second_bessel(v: float, x: float) -> float:
    """The Bessel function of the second kind, of an order not near a whole number."""
    return (bessel(v, x) * cospi(v) - bessel(-v, x)) / sinpi(v)


def third_bessel(v: float, x: float) -> float:
    """K of order v: the integral of exp(-x cosh t) cosh(v t) by the trapezoidal rule, which converges like exp(-pi**2/h)."""
    half = math.exp(-x / 2)
    if far(v, x):
        terms = falling(lambda k: (2 * v - 2 * k - 1) * (2 * v + 2 * k + 1) / (8 * (k + 1)) / x)
        return math.sqrt(math.pi / 2) / math.sqrt(x) * math.fsum(terms) * half * half
    h, k, term = min(0.2, 0.6 / math.sqrt(x)), 0, 1.0
    total: list[float] = []
    while term > 1e-18 * (total[0] if total else 1.0) or k * h < 1.0:
        t = k * h
        term = math.exp(-2 * x * math.sinh(t / 2) ** 2) * math.cosh(v * t)
        total.append(term if k else term / 2)
        k += 1
    return h * math.fsum(total) * half * half


def gauss(a: float, b: float, c: float, z: float) -> float:
    """2F1(a, b; c; z) for positive a, b, c and 0 <= z < 1."""
    total = term = 1.0
    k = 0
    while term > 1e-18 * total:
        term *= (a + k) * (b + k) / ((c + k) * (k + 1)) * z
        total += term
        k += 1
    return total


@cache
def _airy_start() -> tuple[int, int]:
    """Ai(0) and -Ai'(0) as whole numbers."""
    ai = "35502805388781723926006318600418317639797917419917724058332651030081004245"
    slope = "25881940379280679840518356018920396347909113835493458221000181385610277267"
    return int(ai) * ONE // 10**74, int(slope) * ONE // 10**74


def airy(which: int, x: float) -> float:
    """Ai, Ai', Bi, Bi' by their number, for x of moderate size: c1 f(x) -+ c2 g(x)."""
    z = fixed(x)
    cube = z * z * z >> 2 * BITS
    if which % 2:
        f, g = _sum(ONE >> 1, cube, 3, 5) * z * z >> 2 * BITS, _sum(ONE, cube, 1, 3)
    else:
        f, g = _sum(ONE, cube, 2, 3), _sum(ONE, cube, 3, 4) * z >> BITS
    c1, c2 = _airy_start()
    if which < 2:
        return (c1 * f - c2 * g >> BITS) / ONE
    return math.sqrt(3.0) * ((c1 * f + c2 * g >> BITS) / ONE)


def _sum(start: int, cube: int, a: int, b: int) -> int:
    """start (1 + z/(a b) + z**2/(a b (a+3) (b+3)) + …)."""
    total = term = start
    while abs(term) > 2:
        term = term * cube // (a * b << BITS)
        a, b, total = a + 3, b + 3, total + term
    return total
