"""The points where conventions decide: every row of the language's table of meanings that speaks of numbers,
the power table, kinks, steps, NaN, filled-in points at first and second order, and the far ends of the range.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from mpmath import mp

import programs
from autodiff_cli.derive import taylor
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.run import digits, floats

NAN, INF = math.nan, math.inf
PI, EULER = math.pi, float(mp.euler)

# text, point, value, and gradient in the order of the names
FIRST: list[tuple[str, dict[str, float], float, list[float]]] = [
    # log with a base
    ("log(x, 10)", {"x": 1000}, 3, [1 / (1000 * math.log(10))]),
    ("log(x, 2)", {"x": 8}, 3, [1 / (8 * math.log(2))]),
    ("log(x, b)", {"x": 9, "b": 3}, 2, [1 / (9 * math.log(3)), -2 / (3 * math.log(3))]),
    ("log(x, base=e)", {"x": 2}, math.log(2), [0.5]),
    # rounding and remainders
    ("round(x)", {"x": 2.5}, 2, [0]),
    ("round(x)", {"x": 3.5}, 4, [0]),
    ("round(x, 2)", {"x": 2.675}, 2.68, [0]),
    ("round(x, -2)", {"x": 1250}, 1200, [0]),
    ("round(x, n=1)", {"x": -0.25}, -0.2, [0]),
    ("x // y", {"x": 1, "y": 0.1}, 9, [0, 0]),
    ("x // y", {"x": -7, "y": 2}, -4, [0, 0]),
    ("x // y", {"x": 1, "y": 0}, INF, [0, 0]),
    ("x // y", {"x": -1, "y": 0}, -INF, [0, 0]),
    ("x // y", {"x": 0, "y": 0}, NAN, [0, 0]),
    ("x % y", {"x": -7, "y": 3}, 2, [1, 3]),
    ("x % y", {"x": 7, "y": -3}, -2, [1, 3]),
    ("x % y", {"x": 7, "y": 0}, NAN, [NAN, NAN]),
    ("mod(x, y)", {"x": 5.5, "y": 2}, 1.5, [1, -2]),
    ("remainder(x, y)", {"x": 5.5, "y": 2}, 1.5, [1, -2]),
    ("fmod(x, y)", {"x": -7, "y": 3}, -1, [1, 2]),
    ("fmod(x, y)", {"x": 1, "y": 0.1}, math.fmod(1, 0.1), [1, -9]),
    ("fmod(x, y)", {"x": 1, "y": 0}, NAN, [NAN, NAN]),
    # sign, heaviside, copysign
    ("sign(x)", {"x": -3}, -1, [0]),
    ("sign(x)", {"x": 0}, 0, [0]),
    ("heaviside(x)", {"x": 0}, 0.5, [0]),
    ("heaviside(x, h)", {"x": 0, "h": 0.25}, 0.25, [0, 1]),
    ("heaviside(x, h)", {"x": -1, "h": 0.25}, 0, [0, 0]),
    ("heaviside(x, h)", {"x": 1, "h": NAN}, 1, [0, 0]),
    ("copysign(x, y)", {"x": 3, "y": -2}, -3, [-1, 0]),
    ("copysign(x, y)", {"x": -3, "y": -2}, -3, [1, 0]),
    ("copysign(x, y)", {"x": 0, "y": -2}, 0, [0, 0]),
    # clip
    ("clip(x, a, b)", {"x": 0.5, "a": 0, "b": 1}, 0.5, [1, 0, 0]),
    ("clip(x, a, b)", {"x": 0, "a": 0, "b": 1}, 0, [1, 0, 0]),
    ("clip(x, a, b)", {"x": 1, "a": 0, "b": 1}, 1, [1, 0, 0]),
    ("clip(x, a, b)", {"x": -1, "a": 0, "b": 1}, 0, [0, 1, 0]),
    ("clip(x, a, b)", {"x": 2, "a": 0, "b": 1}, 1, [0, 0, 1]),
    ("clip(x, a, b)", {"x": 0.5, "a": 2, "b": 1}, 1, [0, 0, 1]),
    ("clip(x, a, b)", {"x": 9, "a": 2, "b": 1}, 1, [0, 0, 1]),
    ("clip(x, a, b)", {"x": NAN, "a": 0, "b": 1}, NAN, [NAN, 0, 0]),
    ("clip(x, a, b)", {"x": 5, "a": NAN, "b": 1}, NAN, [0, NAN, 0]),
    ("clip(x, a, b)", {"x": 5, "a": 0, "b": NAN}, NAN, [0, 0, NAN]),
    ("clip(x, min=1)", {"x": 0}, 1, [0]),
    ("clip(x, max=1)", {"x": 2}, 1, [0]),
    ("clamp(x, -1, 1)", {"x": 0.5}, 0.5, [1]),
    # hypot
    ("hypot(a, b, c)", {"a": 2, "b": 3, "c": 6}, 7, [2 / 7, 3 / 7, 6 / 7]),
    ("hypot(a, b)", {"a": 3e200, "b": 4e200}, 5e200, [0.6, 0.8]),
    ("hypot(a, b)", {"a": 3e-200, "b": 4e-200}, 5e-200, [0.6, 0.8]),
    ("hypot(a, b)", {"a": 0, "b": 0}, 0, [0, 0]),
    # circles in halves and degrees
    ("sinpi(x)", {"x": 1e15 + 0.5}, 1, [0]),
    ("cospi(x)", {"x": 0.5}, 0, [-PI]),
    ("tanpi(x)", {"x": 0.25}, 1, [2 * PI]),
    ("sind(x)", {"x": 30}, 0.5, [PI / 180 * math.sqrt(0.75)]),
    ("sind(x)", {"x": 180}, 0, [-PI / 180]),
    ("sind(x)", {"x": -330}, 0.5, [PI / 180 * math.sqrt(0.75)]),
    ("cosd(x)", {"x": 60}, 0.5, [-PI / 180 * math.sqrt(0.75)]),
    ("cosd(x)", {"x": 90}, 0, [-PI / 180]),
    ("cosd(x)", {"x": 240}, -0.5, [PI / 180 * math.sqrt(0.75)]),
    ("tand(x)", {"x": 45}, 1, [PI / 90]),
    ("tand(x)", {"x": 135}, -1, [PI / 90]),
    ("tand(x)", {"x": 90}, INF, [INF]),
    ("sinc(x)", {"x": 0.5}, 2 / PI, [-4 / PI]),
    ("sinc(x)", {"x": 0}, 1, [0]),
    ("sinc(x)", {"x": 3}, 0, [-1 / 3]),
    # xlogy and xlog1py
    ("xlogy(x, y)", {"x": 0, "y": 2}, 0, [math.log(2), 0]),
    ("xlogy(x, y)", {"x": 0, "y": 0}, 0, [-INF, 0]),
    ("xlogy(x, y)", {"x": 2, "y": 0}, -INF, [-INF, INF]),
    ("xlogy(x, y)", {"x": 0, "y": NAN}, NAN, [NAN, NAN]),
    ("xlogy(x, y)", {"x": 2, "y": -1}, NAN, [NAN, NAN]),
    ("xlogy(x, y)", {"x": 0, "y": -1}, 0, [NAN, 0]),
    ("xlog1py(x, y)", {"x": 0, "y": -1}, 0, [-INF, 0]),
    ("xlog1py(x, y)", {"x": 2, "y": 1e-20}, 2e-20, [1e-20, 2]),
    # log1mexp
    ("log1mexp(x)", {"x": -1e-12}, -27.631021115929048, [-999999999999.5]),
    ("log1mexp(x)", {"x": 0}, -INF, [-INF]),
    ("log1mexp(x)", {"x": 1}, NAN, [NAN]),
    ("log1mexp(x)", {"x": -800}, 0, [0]),
    # activations
    ("relu(x)", {"x": -2}, 0, [0]),
    ("relu(x)", {"x": 2}, 2, [1]),
    ("relu(x)", {"x": NAN}, NAN, [NAN]),
    ("leaky_relu(x)", {"x": -2}, -0.02, [0.01]),
    ("leaky_relu(x, s)", {"x": 0, "s": 0.1}, 0, [0.1, 0]),
    ("leaky_relu(x, slope=s)", {"x": -2, "s": 0.1}, -0.2, [0.1, -2]),
    ("leaky_relu(x, s)", {"x": NAN, "s": 0.1}, NAN, [NAN, 0]),
    ("leaky_relu(x, s)", {"x": -1, "s": NAN}, NAN, [0, NAN]),
    ("leaky_relu(x, s)", {"x": 1, "s": NAN}, 1, [1, 0]),
    ("elu(x)", {"x": -1}, math.expm1(-1), [math.exp(-1)]),
    ("elu(x, a)", {"x": 0, "a": 2}, 0, [2, 0]),
    ("elu(x, alpha=a)", {"x": -1, "a": 2}, 2 * math.expm1(-1), [2 * math.exp(-1), math.expm1(-1)]),
    ("elu(x, a)", {"x": NAN, "a": 2}, NAN, [NAN, 0]),
    ("hardtanh(x)", {"x": 1}, 1, [1]),
    ("hardtanh(x)", {"x": 2}, 1, [0]),
    ("hardtanh(x, min=0, max=3)", {"x": 2}, 2, [1]),
    ("selu(x)", {"x": 1}, 1.0507009873554804934, [1.0507009873554804934]),
    ("selu(x)", {"x": -1}, 1.7580993408473766 * math.expm1(-1), [1.7580993408473766 * math.exp(-1)]),
    ("selu(x)", {"x": NAN}, NAN, [NAN]),
    ("gelu(x)", {"x": 1}, 0.8413447460685429, [0.8413447460685429 + math.exp(-0.5) / math.sqrt(2 * PI)]),
    ('gelu(x, approximate="tanh")', {"x": 1}, 0.84119199060827676, [1.0829640838457826]),
    ("silu(x)", {"x": 1}, 0.7310585786300049, [0.9276705118714869]),
    ("swish(x)", {"x": -800}, 0, [0]),
    ("mish(x)", {"x": 1}, 0.86509838826731034, [1.0490362200997922]),
    ("softplus(x)", {"x": 800}, 800, [1]),
    ("softplus(x, beta=2)", {"x": 25}, 25, [1]),
    (
        "softplus(x, b)",
        {"x": 1, "b": 2},
        math.log1p(math.exp(2)) / 2,
        [0.8807970779778823, 0.8807970779778823 / 2 - math.log1p(math.exp(2)) / 4],
    ),
    ("softplus(x)", {"x": 21}, 21 + math.exp(-21), [1 / (1 + math.exp(-21))]),
    # gamma and its kin
    ("gamma(x)", {"x": 0.0}, INF, [-INF]),
    ("gamma(x)", {"x": -0.0}, -INF, [-INF]),
    ("gamma(x)", {"x": -1}, NAN, [NAN]),
    ("gamma(x)", {"x": -0.5}, -2 * math.sqrt(PI), [-2 * math.sqrt(PI) * 0.03648997397857652]),
    ("gamma(x)", {"x": 172}, INF, [INF]),
    ("lgamma(x)", {"x": -0.5}, 1.2655121234846454, [0.03648997397857652]),
    ("lgamma(x)", {"x": -1}, INF, [NAN]),
    ("lgamma(x)", {"x": 1e10}, 220258509288.81058, [23.025850929890456]),
    ("gammaln(x)", {"x": 3}, math.log(2), [1.5 - EULER]),
    ("betaln(a, b)", {"a": 2, "b": 3}, -math.log(12), [-13 / 12, -7 / 12]),
    (
        "betaln(a, b)",
        {"a": -0.3, "b": 2},
        float(mp.log(abs(mp.beta(-0.3, 2)))),
        [float(mp.psi(0, -0.3) - mp.psi(0, 1.7)), float(mp.psi(0, 2) - mp.psi(0, 1.7))],
    ),
    ("digamma(x)", {"x": 1}, -EULER, [PI**2 / 6]),
    ("psi(x)", {"x": -0.5}, 0.03648997397857652, [8.934802200544679]),
    ("trigamma(x)", {"x": 1}, PI**2 / 6, [-2 * 1.2020569031595942]),
    ("polygamma(0, x)", {"x": 1}, -EULER, [PI**2 / 6]),
    ("polygamma(2, x)", {"x": 1}, -2 * 1.2020569031595942, [PI**4 / 15]),
    ("factorial(x)", {"x": 22}, 1124000727777607680000, [1124000727777607680000 * float(mp.psi(0, 23))]),
    ("factorial(x)", {"x": -0.5}, math.sqrt(PI), [math.sqrt(PI) * float(mp.psi(0, 0.5))]),
    ("binom(n, 2)", {"n": -1}, 1, [-1.5]),
    ("binom(n, 2)", {"n": 5}, 10, [4.5]),
    ("comb(n, 0)", {"n": 5}, 1, [0]),
    ("binom(n, -1)", {"n": 5}, 0, [0]),
    ("binom(n, k)", {"n": 5, "k": 2}, 10, [10 * (1 / 5 + 1 / 4), 10 * float(mp.psi(0, 4) - mp.psi(0, 3))]),
    ("gammainc(2, x)", {"x": 1}, 1 - 2 / math.e, [1 / math.e]),
    ("gammaincc(2, x)", {"x": 1}, 2 / math.e, [-1 / math.e]),
    ("gammainc(1, x)", {"x": 0}, 0, [1]),
    ("gammainc(2, x)", {"x": -1}, NAN, [NAN]),
    ("betainc(2, 3, x)", {"x": 0.5}, 0.6875, [1.5]),
    ("betainc(0.5, 0.5, x)", {"x": 0.5}, 0.5, [2 / PI]),
    ("betainc(2, 3, x)", {"x": 2}, NAN, [NAN]),
    # Bessel functions
    ("j0(x)", {"x": 0}, 1, [0]),
    ("j1(x)", {"x": 0}, 0, [0.5]),
    ("jn(2.5, x)", {"x": -1}, NAN, [NAN]),
    ("jn(2, x)", {"x": -1}, 0.1149034849319005, [-0.2102436158811325]),
    ("yn(2.5, x)", {"x": 1}, float(mp.bessely(2.5, 1)), [float(mp.bessely(1.5, 1) - mp.bessely(3.5, 1)) / 2]),
    ("yn(2, x)", {"x": -1}, NAN, [NAN]),
    ("y0(x)", {"x": 0}, -INF, [INF]),
    ("iv(0.5, x)", {"x": 1}, float(mp.besseli(0.5, 1)), [float(mp.besseli(-0.5, 1) + mp.besseli(1.5, 1)) / 2]),
    ("i1(x)", {"x": 0}, 0, [0.5]),
    ("kv(1.3, x)", {"x": 2}, float(mp.besselk(1.3, 2)), [-float(mp.besselk(0.3, 2) + mp.besselk(2.3, 2)) / 2]),
    ("kv(1, x)", {"x": -2}, NAN, [NAN]),
    # integrals
    ("ellipk(m)", {"m": 0}, PI / 2, [PI / 8]),
    ("ellipk(m)", {"m": 1}, INF, [INF]),
    ("ellipk(m)", {"m": 2}, NAN, [NAN]),
    ("ellipe(m)", {"m": 0}, PI / 2, [-PI / 8]),
    ("ellipe(m)", {"m": 1}, 1, [-INF]),
    ("expi(x)", {"x": 0}, -INF, [INF]),
    ("expi(x)", {"x": -1}, -0.21938393439552029, [-math.exp(-1)]),
    ("exp1(x)", {"x": 1}, 0.21938393439552029, [-math.exp(-1)]),
    ("exp1(x)", {"x": 0}, INF, [-INF]),
    ("exp1(x)", {"x": -1}, NAN, [NAN]),
    ("zeta(2, q)", {"q": 1}, PI**2 / 6, [-2 * 1.2020569031595942]),
    ("zeta(s)", {"s": 0.5}, float(mp.zeta(0.5)), []),
    ("zeta(0.5, q)", {"q": 2}, float(mp.zeta(0.5, 2)), [-0.5 * float(mp.zeta(1.5, 2))]),
    ("lambertw(x)", {"x": 0}, 0, [1]),
    ("lambertw(x)", {"x": math.e}, 1, [1 / (2 * math.e)]),
    ("lambertw(x)", {"x": -1}, NAN, [NAN]),
    ("lambertw(x, -1)", {"x": -0.2}, float(mp.lambertw(-0.2, -1).real), [float(1 / (-0.2 + mp.exp(mp.lambertw(-0.2, -1).real)))]),
    ("lambertw(x, k=-1)", {"x": 0.5}, NAN, [NAN]),
    ("spence(x)", {"x": 0}, PI**2 / 6, [-INF]),
    ("spence(x)", {"x": 1}, 0, [-1]),
    ("spence(x)", {"x": 2}, -(PI**2) / 12, [-math.log(2)]),
    ("spence(x)", {"x": 1e-20}, PI**2 / 6, [math.log(1e-20)]),
    ("sinint(x)", {"x": 0}, 0, [1]),
    ("sinint(x)", {"x": INF}, PI / 2, [0]),
    ("cosint(x)", {"x": -1}, NAN, [NAN]),
    ("cosint(x)", {"x": 0}, -INF, [INF]),
    ("fresnels(x)", {"x": 1}, float(mp.fresnels(1)), [1]),
    ("fresnelc(x)", {"x": 1}, float(mp.fresnelc(1)), [0]),
    # the ends of erfinv, erfcinv, ndtri, logit
    ("erfinv(x)", {"x": 1}, INF, [INF]),
    ("erfinv(x)", {"x": 2}, NAN, [NAN]),
    ("erfcinv(x)", {"x": 0}, INF, [-INF]),
    ("erfcinv(x)", {"x": 2}, -INF, [-INF]),
    ("erfcinv(x)", {"x": -1}, NAN, [NAN]),
    ("ndtri(p)", {"p": 0}, -INF, [INF]),
    ("ndtri(p)", {"p": 1}, INF, [INF]),
    ("ndtri(p)", {"p": -1}, NAN, [NAN]),
    ("logit(p)", {"p": 0}, -INF, [INF]),
    ("logit(p)", {"p": 1}, INF, [INF]),
    ("logit(p)", {"p": 2}, NAN, [NAN]),
    # the power table
    ("x**y", {"x": 23, "y": 0}, 1, [0, math.log(23)]),
    ("x**y", {"x": 0, "y": 0.5}, 0, [INF, 0]),
    ("x**y", {"x": 0, "y": 1}, 0, [1, 0]),
    ("x**y", {"x": 0, "y": 3}, 0, [0, 0]),
    ("x**y", {"x": 0, "y": 0}, 1, [0, 0]),
    ("x**y", {"x": 0, "y": -1}, INF, [-INF, -INF]),
    ("x**y", {"x": 0, "y": -2.5}, INF, [-INF, -INF]),
    ("x**y", {"x": -2, "y": 3}, -8, [12, NAN]),
    ("x**y", {"x": -2, "y": -1}, -0.5, [-0.25, NAN]),
    ("x**y", {"x": -8, "y": 1 / 3}, NAN, [NAN, NAN]),
    ("x**y", {"x": NAN, "y": 0}, 1, [0, NAN]),
    ("x**0.5", {"x": 0}, 0, [INF]),
    ("x**0.5", {"x": -INF}, NAN, [NAN]),
    ("x**y", {"x": -INF, "y": -1.5}, NAN, [NAN, NAN]),
    ("x**y", {"x": -INF, "y": -3}, 0, [0, NAN]),
    ("x**1.0", {"x": 0}, 0, [1]),
    ("x**0", {"x": 0}, 1, [0]),
    ("x**0", {"x": NAN}, 1, [0]),
    ("0**n", {"n": 2.5}, 0, [0]),
    ("pow(x, 3)", {"x": -2.5}, -15.625, [18.75]),
    # ties, steps, NaN
    ("max(a, b)", {"a": 1, "b": 1}, 1, [0.5, 0.5]),
    ("max(a, b, c)", {"a": 1, "b": 2, "c": 2}, 2, [0, 0.5, 0.5]),
    ("max(max(a, b), c)", {"a": 2, "b": 2, "c": 2}, 2, [0.25, 0.25, 0.5]),
    ("min(a, b)", {"a": NAN, "b": 1}, NAN, [NAN, 0]),
    ("max(a, b)", {"a": NAN, "b": NAN}, NAN, [NAN, NAN]),
    ("maximum(a, b)", {"a": INF, "b": INF}, INF, [0.5, 0.5]),
    ("abs(x)", {"x": NAN}, NAN, [NAN]),
    ("floor(x)", {"x": NAN}, NAN, [0]),
    ("ceil(x)", {"x": -0.5}, 0, [0]),
    ("trunc(x)", {"x": -1.5}, -1, [0]),
    ("floor(x)", {"x": INF}, INF, [0]),
    ("heaviside(x)", {"x": NAN}, NAN, [0]),
    ("hypot(x, y)", {"x": INF, "y": NAN}, INF, [NAN, NAN]),
    # outside the domain
    ("log(x)", {"x": -4}, NAN, [NAN]),
    ("log2(x)", {"x": -4}, NAN, [NAN]),
    ("log10(x)", {"x": -4}, NAN, [NAN]),
    ("log1p(x)", {"x": -4}, NAN, [NAN]),
    ("atanh(x)", {"x": 2}, NAN, [NAN]),
    ("acosh(x)", {"x": -2}, NAN, [NAN]),
    ("asin(x)", {"x": 1.0000000000000002}, NAN, [NAN]),
    ("sqrt(x)", {"x": -1}, NAN, [NAN]),
    # singular points
    ("sqrt(x)", {"x": 0}, 0, [INF]),
    ("log(x)", {"x": 0}, -INF, [INF]),
    ("asin(x)", {"x": 1}, PI / 2, [INF]),
    ("atanh(x)", {"x": 1}, INF, [INF]),
    ("atan2(y, x)", {"y": 0, "x": 0}, 0, [NAN, NAN]),
    ("atan2(y, x)", {"y": 0, "x": 2}, 0, [0.5, 0]),
    ("logaddexp(a, b)", {"a": -INF, "b": -INF}, -INF, [0, 0]),
    ("logaddexp(a, b)", {"a": -INF, "b": 1}, 1, [0, 1]),
    ("logaddexp(a, b)", {"a": NAN, "b": 1}, NAN, [NAN, NAN]),
    # the far ends
    ("tanh(x)", {"x": 20}, 1, [1.6993417021166355e-17]),
    ("asinh(x)", {"x": 1e200}, 461.2101657793691, [1e-200]),
    ("atan2(y, x)", {"y": 1e200, "x": 1e200}, PI / 4, [5e-201, -5e-201]),
    ("asin(x)", {"x": 0.9999999999999999}, 1.5707963118937354, [67108864.0]),
    ("erfcx(x)", {"x": 28}, 0.020136801964214277, [-0.0007182570995130745]),
    ("erfcx(x)", {"x": 1e200}, 1e-200 / math.sqrt(PI), [0]),
    ("erfc(x)", {"x": 20}, 5.395865611607901e-176, [-2.1610374743867984e-174]),
    ("log_ndtr(x)", {"x": -39}, -765.0831565643775, [39.02560741993011]),
    ("log_ndtr(x)", {"x": -1e10}, -5e19, [1e10]),
    ("log_sigmoid(x)", {"x": -1000}, -1000, [1]),
    ("log_sigmoid(x)", {"x": 50}, -1.9287498479639178e-22, [1.9287498479639178e-22]),
    ("sigmoid(x)", {"x": -800}, 0, [0]),
    ("sigmoid(x)", {"x": 40}, 1, [4.248354255291589e-18]),
    ("logaddexp(a, b)", {"a": 0, "b": 900}, 900, [0, 1]),
    ("softsign(x)", {"x": 1e160}, 1, [0]),
    ("tanhshrink(x)", {"x": 1e-5}, 3.3333333331999998e-16, [9.9999999993333333e-11]),
    ("sech(x)", {"x": 700}, 2 * math.exp(-700), [-2 * math.exp(-700)]),
    ("ndtri(p)", {"p": 1e-300}, -37.047096299361199, [2.697304465042612e298]),
    ("detach(x)*x", {"x": 3}, 9, [3]),
    ("stop_gradient(x)", {"x": 3}, 3, [0]),
    ("where(x > 0, x, 2*x)", {"x": -1}, -2, [2]),
]


# text, point, second derivatives row by row
SECOND: list[tuple[str, dict[str, float], list[list[float]]]] = [
    # filled-in points
    ("sinc(x)", {"x": 0}, [[-(PI**2) / 3]]),
    ("sinint(x)", {"x": 0}, [[0]]),
    ("xlogy(x, y)", {"x": 0, "y": 2}, [[0, 0.5], [0.5, 0]]),
    ("xlog1py(x, y)", {"x": 0, "y": 1}, [[0, 0.5], [0.5, 0]]),
    ("ellipk(m)", {"m": 0}, [[PI / 2 * 9 / 32]]),
    ("ellipe(m)", {"m": 0}, [[-PI / 2 * 3 / 32]]),
    ("spence(x)", {"x": 1}, [[0.5]]),
    ("lambertw(x)", {"x": 0}, [[-2]]),
    ("gammainc(2, x)", {"x": 0}, [[1]]),
    ("gammainc(3, x)", {"x": 0}, [[0]]),
    ("betainc(0.5, 0.5, x)", {"x": 0.5}, [[0]]),
    ("j1(x)", {"x": 0}, [[0]]),
    ("j0(x)", {"x": 0}, [[-0.5]]),
    ("binom(n, 2)", {"n": 3}, [[1]]),
    ("x**3", {"x": 0}, [[0]]),
    ("x**2", {"x": 0}, [[2]]),
    # powers
    ("x**y", {"x": 23, "y": 0}, [[0, 1 / 23], [1 / 23, math.log(23) ** 2]]),
    ("x**y", {"x": 0, "y": 3}, [[0, 0], [0, 0]]),
    ("x**y", {"x": 0, "y": 2}, [[2, 0], [0, 0]]),
    ("x**y", {"x": 0, "y": 1.5}, [[INF, 0], [0, 0]]),
    ("x**y", {"x": 0, "y": 1}, [[0, NAN], [NAN, 0]]),
    ("x**y", {"x": 0, "y": 0.5}, [[-INF, NAN], [NAN, 0]]),
    ("x**y", {"x": 0, "y": 0}, [[0, NAN], [NAN, NAN]]),
    ("x**y", {"x": -2, "y": 3}, [[-12, NAN], [NAN, NAN]]),
    # kinks: the chain rule over what was chosen
    ("max(x, 0)**2", {"x": 0}, [[0.5]]),
    ("relu(x)**2", {"x": 0}, [[0]]),
    ("relu(1 - m)**2", {"m": 0.25}, [[2]]),
    ("abs(t)", {"t": 0}, [[0]]),
    ("clip(x, 0, 1)**2", {"x": 1}, [[2]]),
    # no second derivative, and outside the domain
    ("hypot(x, y)", {"x": 0, "y": 0}, [[NAN, NAN], [NAN, NAN]]),
    ("log(x)", {"x": -4}, [[NAN]]),
    ("atanh(x)", {"x": 2}, [[NAN]]),
    ("acosh(x)", {"x": -2}, [[NAN]]),
    ("logit(x)", {"x": 2}, [[NAN]]),
    ("log1mexp(x)", {"x": 1}, [[NAN]]),
    ("xlogy(x, y)", {"x": 2, "y": -1}, [[0, NAN], [NAN, NAN]]),
    ("exp1(x)", {"x": -1}, [[NAN]]),
    ("gammainc(2, x)", {"x": -1}, [[NAN]]),
    ("erfcinv(x)", {"x": 3}, [[NAN]]),
    ("ndtri(x)", {"x": 3}, [[NAN]]),
    # large arguments
    ("logaddexp(a, b)", {"a": 0, "b": 900}, [[0, 0], [0, 0]]),
    ("logaddexp(a, b)", {"a": -INF, "b": -INF}, [[0, 0], [0, 0]]),
    ("softplus(x)", {"x": 800}, [[0]]),
    ("sigmoid(x)", {"x": -700}, [[math.exp(-700)]]),
    ("log_sigmoid(x)", {"x": -800}, [[0]]),
    ("log_sigmoid(x)", {"x": 40}, [[-4.248354255291589e-18]]),
    ("tanh(x)", {"x": 20}, [[-3.398683404233271e-17]]),
    ("log_ndtr(x)", {"x": -39}, [[-0.99934511722970672]]),
    ("log_ndtr(x)", {"x": 50}, [[0]]),
    ("erfcx(x)", {"x": 28}, [[5.1206355696386504e-5]]),
    ("hypot(x, y)", {"x": 3e200, "y": 4e200}, [[1.28e-201, -9.6e-202], [-9.6e-202, 7.2e-202]]),
    ("atan2(y, x)", {"y": 0, "x": 1e100}, [[0, -1e-200], [-1e-200, 0]]),
    ("lgamma(g)", {"g": 3.5}, [[0.3303577561002349]]),
    ("expm1(x)", {"x": 700}, [[math.exp(700)]]),
]


@pytest.mark.parametrize(("text", "point", "value", "gradient"), FIRST, ids=lambda v: v if isinstance(v, str) else None)
def test_value_and_gradient(text: str, point: dict[str, float], value: float, gradient: list[float]) -> None:
    if not gradient:
        assert programs.alike(float(floats.evaluate(programs.read(text, point).fn, point)[0]), value, 1e-13)
        return
    for found in (programs.reverse(text, point), programs.forward(text, point)):
        assert all(programs.alike(a, b, 1e-13, 1e-300) for a, b in zip(found, [value, *gradient], strict=True)), found


@pytest.mark.parametrize(("text", "point", "value", "gradient"), FIRST, ids=lambda v: v if isinstance(v, str) else None)
def test_digits_say_the_same(text: str, point: dict[str, float], value: float, gradient: list[float]) -> None:
    if any(x == 0 and math.copysign(1, x) < 0 for x in point.values()):
        return
    found = digits.evaluate(programs.read(text, point).fn, point, 40, doubles=True)[0]
    assert programs.alike(float(found), value, 1e-13, 1e-300), found


@pytest.mark.parametrize(("text", "point", "rows"), SECOND, ids=lambda v: v if isinstance(v, str) else None)
def test_second_derivatives(text: str, point: dict[str, float], rows: list[list[float]]) -> None:
    found = programs.hessian(text, point)
    assert all(
        programs.alike(a, b, 1e-12, 1e-300) for left, right in zip(found, rows, strict=True) for a, b in zip(left, right, strict=True)
    ), found


# text, point, value and derivatives: right to the digits that are shown, however small, near 0, near poles and far out
RELATIVE: list[tuple[str, dict[str, float], list[float]]] = [
    ("sinc(x)", {"x": 1e16}, [0, 1e-16, -2e-32, -9.869604401089359e-16]),
    ("sinc(x)", {"x": 700}, [0, 0.0014285714285714286, -4.081632653061224e-06, -0.014099417365987714]),
    ("sinc(x)", {"x": 745.5}, [-0.00042697503176900156, 5.727364611254213e-07, 0.004214073116186279, -1.6958040708999112e-05]),
    ("sinc(x)", {"x": 1e-300}, [1, -3.289868133696453e-300, -3.289868133696453, 1.9481818206800488e-299]),
    ("sinint(x)", {"x": 5e-324}, [5e-324, 1, 0, -0.3333333333333333]),
    ("sinint(x)", {"x": 1e-300}, [1e-300, 1, -3.3333333333333334e-301, -0.3333333333333333]),
    ("fresnels(x)", {"x": 1000.1}, [0.4996817612052057, 0.01570731738325055, 3141.5192036052713, -155052.87412195906]),
    ("fresnels(x)", {"x": 12345.678}, [0.5000109663298015, 0.9050382876748867, -16496.466941450086, -1361433990.405234]),
    ("fresnelc(x)", {"x": 1e200}, [0.5, 1, 0, -INF]),
    ("binom(5, x)", {"x": 6}, [0, -0.16666666666666666, 0.8166666666666667, -2.1020103775962182]),
    ("binom(5, x)", {"x": -0.999999999999}, [1.666629797137214e-13, 0.1666666666674833, 0.8166666666687686, 2.1020103775987966]),
    ("binom(7.5, x)", {"x": -1}, [0, 0.11764705882352941, 0.6529302450128194, 2.0980361650873984]),
    ("binom(7.5, x)", {"x": 27.5}, [0, 2.976223916511958e-08, -2.1532006949823488e-08, -2.806689184365254e-07]),
    ("binom(x, 2.5)", {"x": 0.5}, [0, -0.26666666666666666, 0.20602365926394167, 1.2487268262964182]),
    ("binom(20000, x)", {"x": 2.5}, [17019941549.615719, 149779415660.17218, 1312469922142.7852, 11452903437159.229]),
    ("beta(x, 2.5)", {"x": -2.5}, [0, -1.2566370614359172, -4.223236232321196, -40.4057710876161]),
    ("beta(x, 3)", {"x": -2.999999999999}, [-0.3333333333339445, -0.6111111111126853, -1.5740740740793986, -5.324074074096675]),
    ("beta(x, 1e-10)", {"x": 0.5}, [10000000001.386293, -4.934802200387348, 16.82879664413206]),
    ("betaln(x, 1)", {"x": -2.000000001}, [-0.6931471810599453, 0.49999999975, 0.24999999974999998]),
    ("polygamma(0, x)", {"x": -0.999999999999}, [-1000022122209.0801, 1.0000442449083979e24, -2.0001327361933916e36]),
    ("polygamma(1, x)", {"x": -0.999999999999}, [1.0000442449083979e24, -2.0001327361933916e36, 6.000530950646445e48]),
    ("polygamma(4, x)", {"x": -745.5}, [-1.937292914972963e-11, 15382.22709720487, -6.962206743267424e-16]),
    ("polygamma(5, x)", {"x": -745.5}, [15382.22709720487, -6.962206743267424e-16, 2580880.436371196]),
    ("polygamma(5, x)", {"x": -30.5}, [15382.227096367653, -1.3496502186660906e-07, 2580880.43637117]),
    ("polygamma(0, x)", {"x": -1000000000.5}, [20.72326583794641, 9.869604400089358, -9.99999998e-19]),
    ("gamma(x)", {"x": -0.999999999999}, [-1000022122209.9257, 1.0000442449083979e24, -2.0001327361933916e36, 6.000530950646445e48]),
    ("gamma(x)", {"x": -2.00000001}, [-49999999.84248139, -5000000060774709.0, -1.0000000182324132e24, -3.0000000729296527e32]),
    ("lgamma(x)", {"x": -0.999999999999}, [27.63104323789378, -1000022122209.0801, 1.0000442449083979e24]),
    ("lgamma(x)", {"x": 1.0000000000000002}, [-1.2816762426960008e-16, -0.5772156649015325]),
    ("lgamma(x)", {"x": 0.999999999999}, [5.772028958989666e-13, -0.5772156649031778]),
    ("hypot(x, 3)", {"x": 100000000.0}, [100000000.00000004, 0.9999999999999996, 8.999999999999988e-24, -2.699999999999994e-31]),
    ("hypot(x, 1e-200)", {"x": 1e-160}, [1e-160, 1, 1e80, -3e240]),
    ("hypot(x, 1e-20)", {"x": 1e30}, [1e30, 1, 9.999999999999999e-131, -2.9999999999999993e-160]),
    ("asin(x)", {"x": 1e-20}, [1e-20, 1, 1e-20, 1]),
    ("acos(x)", {"x": 1e-20}, [1.5707963267948966, -1, -1e-20]),
    ("atanh(x)", {"x": 1e-20}, [1e-20, 1, 2e-20]),
    ("asin(x)", {"x": 1e-05}, [1.0000000000166668e-05, 1.00000000005, 1.0000000001500001e-05, 1.00000000045]),
    ("acos(x)", {"x": 1e-05}, [1.5707863267948965, -1.00000000005, -1.0000000001500001e-05]),
    ("atanh(x)", {"x": 1e-05}, [1.0000000000333334e-05, 1.0000000001, 2.0000000004000003e-05]),
    ("sigmoid(x)", {"x": 1e-20}, [0.5, 0.25, -1.25e-21, -0.125]),
    ("softplus(x)", {"x": 1e-20}, [0.6931471805599453, 0.5, 0.25, -1.25e-21]),
    ("log_sigmoid(x)", {"x": 1e-20}, [-0.6931471805599453, 0.5, -0.25, 1.25e-21]),
    ("silu(x)", {"x": 1e-20}, [5e-21, 0.5, 0.5, -5e-21]),
    ("softplus(x, 2)", {"x": 1e-20}, [0.34657359027997264, 0.5, 0.5, -1e-20]),
    ("sigmoid(x)", {"x": 1e-08}, [0.5000000025, 0.25, -1.25e-09, -0.12499999999999999]),
    ("softplus(x)", {"x": 1e-08}, [0.6931471855599454, 0.5000000025, 0.25, -1.25e-09]),
    ("log_sigmoid(x)", {"x": 1e-08}, [-0.6931471755599453, 0.4999999975, -0.25, 1.25e-09]),
    ("silu(x)", {"x": 1e-08}, [5.000000025e-09, 0.500000005, 0.5, -5e-09]),
    ("softplus(x, 2)", {"x": 1e-08}, [0.34657359527997267, 0.500000005, 0.49999999999999994, -9.999999999999999e-09]),
    ("sigmoid(x)", {"x": -1e-05}, [0.49999750000000004, 0.24999999999375, 1.2499999999583335e-06, -0.1249999999875]),
    ("softplus(x)", {"x": -1e-05}, [0.6931421805724453, 0.49999750000000004, 0.24999999999375, 1.2499999999583335e-06]),
    ("log_sigmoid(x)", {"x": -1e-05}, [-0.6931521805724453, 0.5000025, -0.24999999999375, -1.2499999999583335e-06]),
    ("silu(x)", {"x": -1e-05}, [-4.999975e-06, 0.4999950000000001, 0.499999999975, 4.99999999975e-06]),
    ("softplus(x, 2)", {"x": -1e-05}, [0.34656859030497267, 0.4999950000000002, 0.49999999995, 9.999999998666668e-06]),
    ("logit(x)", {"x": 0.4999999999990905}, [-3.637978807091713e-12, 4, -2.9103830456733704e-11]),
    ("atan(x)", {"x": 1e100}, [1.5707963267948966, 1e-200, -2e-300]),
    ("log_ndtr(x)", {"x": -100000.0}, [-5000000012.431864, 100000.00001, -0.9999999999, 1.9999999976e-15]),
    ("log_ndtr(x)", {"x": -1e16}, [-5e31, 1e16, -1, 2e-48]),
    ("log_ndtr(x)", {"x": -8.5}, [-39.19739642821767, 8.614595320165172, -0.9871923088077279, 0.002794542085349912]),
    ("log_ndtr(x)", {"x": 1e155}, [0, 0, 0, 0]),
    ("erf(x)", {"x": 1e308}, [1, 0, 0, 0]),
    ("ndtr(x)", {"x": -1e308}, [0, 0, 0, 0]),
    ("erfc(x)", {"x": 26}, [5.663192408856143e-296, -2.9470349932662697e-294, 1.53245819649846e-292]),
    ("betainc(0.5, 0.5, x)", {"x": 0.9999999999999999}, [0.9999999932921207, 30209602.60898412]),
    ("kv(2, x)", {"x": 700}, [4.6831281768188284e-306, -4.6864911629274486e-306, 4.689861393812209e-306]),
    ("kv(2, x)", {"x": 300}, [3.748560827278026e-132, -3.7548862638475594e-132, 3.761243717527619e-132]),
    ("kv(0.5, x)", {"x": 1.7}, [0.17560418370135833, -0.22725247302528723, 0.32447278234091814]),
    ("gammainc(300, x)", {"x": 1e-20}, [0, 0, 0]),
    ("gammainc(2.5, x)", {"x": 1e-20}, [3.0090111122547e-51, 7.52252778063675e-31]),
    ('gelu(x, "tanh")', {"x": -8.5}, [-1.0174447308598297e-24, -1.7239866867738058e-23, -2.884004443814559e-22, -4.761217453708978e-21]),
    ('gelu(x, "tanh")', {"x": -5}, [-2.291796196629506e-07, -1.5463619875325946e-06, -9.934132224996203e-06, -6.037967578425878e-05]),
    (
        'gelu(x, "tanh")',
        {"x": -20},
        [-3.3754509563109673e-261, -2.9424328724945027e-259, -2.5620732028460162e-257, -2.228359899334415e-255],
    ),
    ('gelu(x, "tanh")', {"x": 1e155}, [1e155, 1, 0, 0]),
    ('gelu(x, "tanh")', {"x": -1e155}, [0, 0, 0, 0]),
    ("airyai(x)", {"x": -10000000000.0}, [0.00017362064481528185, -177.56561416929327, -1736206.4481528185]),
    ("airybi(x)", {"x": -10000000000.0}, [0.0017756561416929328, 17.36206448152823, -17756561.416929327]),
    ("airyai(x)", {"x": -12345.678}, [0.011457890743303643, 5.8092155682946505, -141.45542967600744]),
    ("airybi(x)", {"x": -12345.678}, [-0.052282940170047344, 1.2730978605516041, 645.4683442326698]),
    ("airyai(x)", {"x": 100.3}, [1.3077059798821936e-292, -1.309991816031988e-291, 1.31162909782184e-290]),
    ("airybi(x)", {"x": 100.3}, [1.215233191094221e290, 1.2167515874458122e291, 1.2188788906675036e292]),
    ("airyai(x)", {"x": 10000000000.0}, [0, 0, 0]),
    ("j0(x)", {"x": 10000000000.0}, [2.175591750246892e-06, 7.676508175684158e-06, -2.1755917510145425e-06]),
    ("j0(x)", {"x": -12345.678}, [3.058671332275825e-05, -0.007180894964739374, -3.116836586259765e-05]),
    ("jn(2, x)", {"x": 1e16}, [-8.661427680921661e-10, 7.931694266803265e-09]),
    ("y0(x)", {"x": 1e20}, [-7.95068198242545e-11, 6.698009040703424e-12]),
    ("zeta(3, x)", {"x": -100.3}, [-34.41872264898075, -384.5104561904216, -4869.3801508981605]),
    ("zeta(-2, x)", {"x": -100.3}, [341389.104, -10160.556666666667, 201.6]),
    ("mish(x)", {"x": 1e-20}, [6e-21, 0.6, 0.64, -0.096]),
    ("mish(x)", {"x": -20.0}, [-4.122307240628761e-08, -3.916191874348969e-08, -3.710076504245658e-08, -3.503961126707727e-08]),
    ("erfcinv(x)", {"x": 5e-324}, [27.21329321081295]),
    ("gamma(x)", {"x": -1e-310}, [-INF]),
    ("digamma(x)", {"x": -1e-10}, [9999999999.422785, 1e20, 1.9999999999999998e30]),
    ("jn(0.5, x)", {"x": 5e-324}, [1.7735048886036274e-162]),
    ("i1(x)", {"x": -800}, [-INF, INF]),
    ("i0(x)", {"x": 800}, [INF, INF]),
]


@pytest.mark.parametrize(("text", "point", "series"), RELATIVE, ids=lambda v: v if isinstance(v, str) else None)
def test_digits_that_are_shown_are_right(text: str, point: dict[str, float], series: list[float]) -> None:
    (name,) = point
    found = programs.derivatives(text, name, len(series) - 1, point) if len(series) > 1 else programs.forward(text, point)[:1]
    assert all(programs.alike(a, b, 5e-13, 1e-321) for a, b in zip(found, series, strict=True)), found


@pytest.mark.parametrize(("text", "point", "series"), RELATIVE, ids=lambda v: v if isinstance(v, str) else None)
def test_many_digits_say_the_same(text: str, point: dict[str, float], series: list[float]) -> None:
    """Quickly, too: nothing here may take seconds."""
    (name,) = point
    fn = programs.read(text, point).fn
    found = digits.evaluate(taylor(fn, name, len(series) - 1) if len(series) > 1 else fn, point, 400)
    assert all(programs.alike(float(a), b, 5e-13, 1e-321) for a, b in zip(found, series, strict=True)), found


# text and points where mpmath alone would take seconds or minutes
QUICK: list[tuple[str, list[float]]] = [
    ("polygamma(3, x)", [-1e10, -1e10 - 0.5, -1e300, 1e300]),
    ("digamma(x)", [-1e10, -1e10 - 0.5, 1e300]),
    ("gamma(x)", [-1e10, -1e5 - 0.5, 1e300, -1e300]),
    ("lgamma(x)", [-1e10 - 0.5, 1e300]),
    ("betaln(x, 2.5)", [5e-324, 1e300]),
    ("beta(x, 1e-10)", [1e200, 1e-300]),
    ("yn(2, x)", [-1e300, 1e300, 1e-300, 300.0]),
    ("y0(x)", [1e-50, 1e100, 500.0]),
    ("kv(2, x)", [1e300, 1e-300, 100.3]),
    ("iv(2, x)", [1e300, -1e300]),
    ("fresnels(x)", [1e300, -1e10, 75.3]),
    ("airyai(x)", [-1e300, 1e300, -100.0]),
    ("zeta(-0.3, x)", [1e6, 1e300]),
    ("zeta(-745.5, x)", [1e-8, 1e300, -1e6 - 0.5]),
    ("ellipk(x)", [-1e308]),
    ("gammaincc(x, 2.5)", [5e-324]),
    ("log_ndtr(x)", [-1e300, 1e308]),
]


@pytest.mark.parametrize(("text", "points"), QUICK, ids=lambda v: v if isinstance(v, str) else None)
def test_huge_arguments_come_to_an_end_at_many_digits(text: str, points: list[float]) -> None:
    """A series that is summed where an asymptotic one is due would not."""
    fn = programs.read(text, {"x": 1.5}).fn
    smooth = not text.startswith("gammaincc(")
    for x in points:
        assert len(digits.evaluate(taylor(fn, "x", 2) if smooth else fn, {"x": x}, 150)) == (3 if smooth else 1)


HIGHER: list[tuple[str, dict[str, float], list[Any]]] = [
    ("sinc(x)", {"x": 0}, [1, 0, -(PI**2) / 3, 0, PI**4 / 5, 0, -(PI**6) / 7]),
    ("lambertw(x)", {"x": 0}, [0, 1, -2, 9, -64, 625]),
    ("spence(x)", {"x": 1}, [0, -1, 1 / 2, -2 / 3, 6 / 4, -24 / 5]),
    ("x**3", {"x": 0}, [0, 0, 0, 6, 0]),
    ("tanh(x)", {"x": 0.5}, [0.46211715726000974, *[float(mp.diff(mp.tanh, 0.5, k)) for k in range(1, 6)]]),
    ("erfcx(x)", {"x": 28}, [0.020136801964214277, -0.0007182570995130745, 5.1206355696386504e-5]),
    ("log(x)", {"x": -4}, [NAN, NAN, NAN, NAN]),
    ("ellipk(m)", {"m": 0}, [PI / 2, PI / 8, 9 * PI / 64, 75 * PI / 256]),
    ("polygamma(1, x)", {"x": 2}, [float(mp.psi(k, 2)) for k in range(1, 6)]),
    ("binom(n, 3)", {"n": 0.5}, [float(mp.binomial(0.5, 3)), (3 * 0.25 - 6 * 0.5 + 2) / 6, (6 * 0.5 - 6) / 6, 1, 0, 0]),
    ("airyai(x)", {"x": 0.5}, [float(mp.airyai(0.5, derivative=k)) for k in range(5)]),
]


@pytest.mark.parametrize(("text", "point", "series"), HIGHER, ids=lambda v: v if isinstance(v, str) else None)
def test_derivatives_of_every_order(text: str, point: dict[str, float], series: list[Any]) -> None:
    (name,) = point
    found = programs.derivatives(text, name, len(series) - 1, point)
    assert all(programs.alike(a, b, 1e-11, 1e-14) for a, b in zip(found, series, strict=True)), found


@pytest.mark.parametrize(
    ("text", "name"),
    [("jn(v, x)", "v"), ("zeta(s, x)", "s"), ("gammainc(a, x)", "a"), ("betainc(a, 2, x)", "a"), ("kv(v, x)", "v"), ("iv(v, x)", "v")],
)
def test_no_derivative_is_said_by_name(text: str, name: str) -> None:
    with pytest.raises(AutodiffError, match=f"has no derivative by its argument `{name}`"):
        programs.reverse(text, {name: 1.5, "x": 0.5}, (name,))
    assert programs.reverse(text, {name: 1.5, "x": 0.5}, ("x",))[1] != 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("round(x, 0.5)", "must be a whole number"),
        ("polygamma(-1, x)", "at least 0"),
        ("lambertw(x, 2)", "is 0 or -1"),
        ('gelu(x, "fast")', "is `fast`"),
    ],
)
def test_static_arguments_are_checked(text: str, said: str) -> None:
    with pytest.raises(AutodiffError, match=said):
        programs.read(text, {"x": 1.0})


@pytest.mark.parametrize(("x", "y"), [(-2.5, -math.inf), (-0.5, math.inf), (-2.5, math.inf), (-0.5, -math.inf)])
def test_powers_of_negative_bases_to_infinity_have_the_slope_of_their_limit(x: float, y: float) -> None:
    value, slope = programs.reverse("x**y", {"x": x, "y": y}, ("x",))
    assert value == abs(x) ** y
    assert slope == (0.0 if value == 0 else math.inf * math.copysign(1.0, y))
