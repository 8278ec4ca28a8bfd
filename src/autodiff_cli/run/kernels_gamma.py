"""Float kernels of gamma functions without SciPy: floats in, a float out."""

from __future__ import annotations

import math

# zeta(k) - 1 for k = 2, 3, …: the coefficients of log(gamma) round 2.
ZETAS = (
    0.64493406684822644,
    0.20205690315959429,
    0.082323233711138192,
    0.036927755143369926,
    0.01734306198444914,
    0.0083492773819228268,
    0.0040773561979443394,
    0.0020083928260822144,
    0.00099457512781808534,
    0.00049418860411946456,
    0.0002460865533080483,
    0.00012271334757848915,
    6.1248135058704829e-5,
    3.0588236307020494e-5,
    1.5282259408651872e-5,
    7.6371976378997623e-6,
    3.8172932649998399e-6,
    1.9082127165539389e-6,
    9.5396203387279611e-7,
    4.7693298678780646e-7,
    2.3845050272773299e-7,
    1.1921992596531107e-7,
    5.960818905125948e-8,
    2.980350351465228e-8,
    1.4901554828365041e-8,
    7.4507117898354295e-9,
    3.7253340247884571e-9,
    1.862659723513049e-9,
    9.3132743241966818e-10,
)
SLOPE = 0.42278433509846714


def log_gamma(x: float) -> float:
    """log|gamma(x)|; round its zeros at 1 and 2 by the series there."""
    if 1.5 < x < 2.5:
        return _round_two(x - 2.0)
    if 0.5 < x <= 1.5:
        return _round_two(x - 1.0) - math.log1p(x - 1.0)
    return math.lgamma(x)


def _round_two(z: float) -> float:
    total = 0.0
    for k in range(len(ZETAS) + 1, 1, -1):
        total = (total * -z) + ZETAS[k - 2] / k
    return z * (SLOPE + z * total)
