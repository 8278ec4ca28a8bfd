"""Float kernels of trigonometric and hyperbolic functions that `math` lacks: a float in, a float out."""

from __future__ import annotations

import math

INF, NAN = math.inf, math.nan


def sec(x: float) -> float:
    return 1.0 / math.cos(x)


def csc(x: float) -> float:
    return 1.0 / math.sin(x)


def cot(x: float) -> float:
    return 1.0 / math.tan(x)


def sinpi(x: float) -> float:
    turn = math.fmod(x, 2.0)
    half = abs(turn)
    sign = math.copysign(1.0, x)
    if half >= 1.0:
        half, sign = half - 1.0, -sign
    if half == 0:
        return 0.0 * x
    if half > 0.5:
        half = 1.0 - half
    return sign * (math.sin(math.pi * half) if half <= 0.25 else math.cos(math.pi * (0.5 - half)))


def cospi(x: float) -> float:
    half = abs(math.fmod(x, 2.0))
    if half > 1.0:
        half = 2.0 - half
    sign = 1.0
    if half > 0.5:
        half, sign = 1.0 - half, -1.0
    if half == 0.5:
        return 0.0
    return sign * (math.cos(math.pi * half) if half <= 0.25 else math.sin(math.pi * (0.5 - half)))


def tanpi(x: float) -> float:
    if math.fmod(x, 0.25) == 0 and math.fmod(x, 0.5):
        return 1.0 if math.fmod(abs(x), 1.0) == (0.25 if x > 0 else 0.75) else -1.0
    return sinpi(x) / cospi(x)


def tanpi_edge(x: float) -> float:
    return math.copysign(INF, sinpi(x)) if x - x == 0 else NAN


def sind(x: float) -> float:
    turn = math.fmod(x, 360.0)
    half = abs(turn)
    sign = math.copysign(1.0, x)
    if half >= 180.0:
        half, sign = half - 180.0, -sign
    if half == 0:
        return 0.0 * x
    if half > 90.0:
        half = 180.0 - half
    return sign * sine_of_degrees(half)


def cosd(x: float) -> float:
    half = abs(math.fmod(x, 360.0))
    if half > 180.0:
        half = 360.0 - half
    return -sine_of_degrees(half - 90.0) if half > 90.0 else sine_of_degrees(90.0 - half) if half > 45.0 else cosine_of_degrees(half)


def sine_of_degrees(x: float) -> float:
    """sin of 0 <= x <= 90 degrees."""
    if x == 30.0:
        return 0.5
    return math.sin(math.radians(x)) if x <= 45.0 else cosine_of_degrees(90.0 - x)


def cosine_of_degrees(x: float) -> float:
    return math.cos(math.radians(x))


def tand(x: float) -> float:
    if math.fmod(x, 45.0) == 0 and math.fmod(x, 90.0):
        return 1.0 if math.fmod(abs(x), 180.0) == (45.0 if x > 0 else 135.0) else -1.0
    return sind(x) / cosd(x)


def tand_edge(x: float) -> float:
    return math.copysign(INF, sind(x)) if x - x == 0 else NAN


def sinc(x: float) -> float:
    return sinpi(x) / (math.pi * x) if x else 1.0


def sech(x: float) -> float:
    y = math.exp(-abs(x))
    return 2.0 * y / (1.0 + y * y)


def csch(x: float) -> float:
    if abs(x) < 20.0:
        return 1.0 / math.sinh(x)
    return math.copysign(2.0 * math.exp(-abs(x)), x)


def coth(x: float) -> float:
    return 1.0 / math.tanh(x)
