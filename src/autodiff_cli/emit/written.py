"""Derivative rules as people write them, for functions whose own rules are spelled with ops that the language does not have.

A rule is a formula of the language and, where it needs any, words behind it. Parameters that a call leaves out have their defaults.
"""

from __future__ import annotations

from typing import NamedTuple


class Written(NamedTuple):
    """A formula to paste, and where it is not the whole truth."""

    formula: str
    words: str = ""

    def __str__(self) -> str:
        return ", ".join([part for part in (self.formula, self.words) if part])


AT_ORIGIN = "0 at the origin"
WHERE_ZERO = "0 where x is 0"
TIES = "ties share it evenly"
RULES: dict[str, dict[str, Written]] = {
    "airyai": {"x": Written("", "Ai'(x), which has no name here")},
    "airybi": {"x": Written("", "Bi'(x), which has no name here")},
    "beta": {"a": Written("beta(a, b)*(digamma(a) - digamma(a + b))"), "b": Written("beta(a, b)*(digamma(b) - digamma(a + b))")},
    "betainc": {"x": Written("x**(a - 1)*(1 - x)**(b - 1)/beta(a, b)")},
    "betaln": {"a": Written("digamma(a) - digamma(a + b)"), "b": Written("digamma(b) - digamma(a + b)")},
    "binom": {"n": Written("binom(n, k)*(digamma(n + 1) - digamma(n - k + 1))"), "k": Written("binom(n, k)*(digamma(n - k + 1) - digamma(k + 1))")},
    "clip": {
        "x": Written("1 if min <= x <= max else 0"), "min": Written("1 if x < min <= max else 0"), "max": Written("1 if x > max or min > max else 0"),
    },
    "ellipe": {"m": Written("(ellipe(m) - ellipk(m))/(2*m)", "-pi/8 at 0")},
    "ellipk": {"m": Written("(ellipe(m)/(1 - m) - ellipk(m))/(2*m)", "pi/8 at 0")},
    "elu": {"x": Written("1 if x > 0 else alpha*exp(x)"), "alpha": Written("0 if x > 0 else expm1(x)")},
    "erfcinv": {"x": Written("-sqrt(pi)/2*exp(erfcinv(x)**2)")},
    "erfcx": {"x": Written("2*x*erfcx(x) - 2/sqrt(pi)")},
    "gammainc": {"x": Written("x**(a - 1)*exp(-x)/gamma(a)")},
    "gammaincc": {"x": Written("-x**(a - 1)*exp(-x)/gamma(a)")},
    "gelu": {"x": Written("ndtr(x) + x*exp(-x**2/2)/sqrt(2*pi)")},
    "hardtanh": {
        "x": Written("1 if min <= x <= max else 0"), "min": Written("1 if x < min <= max else 0"), "max": Written("1 if x > max or min > max else 0"),
    },
    "hypot": {"x": Written("x/hypot(x, y)", AT_ORIGIN), "y": Written("y/hypot(x, y)", AT_ORIGIN)},
    "lambertw": {"x": Written("1/(x + exp(lambertw(x, k)))")},
    "leaky_relu": {"x": Written("1 if x > 0 else slope"), "slope": Written("0 if x > 0 else x")},
    "log": {"x": Written("1/(x*log(base))", "1/x without a base"), "base": Written("-log(x)/(base*log(base)**2)")},
    "log1mexp": {"x": Written("exp(x)/expm1(x)")},
    "log_ndtr": {"x": Written("exp(-x**2/2)/(sqrt(2*pi)*ndtr(x))")},
    "logaddexp": {"x": Written("sigmoid(x - y)"), "y": Written("sigmoid(y - x)")},
    "max": {"x": Written("1 if x > y else 0", TIES), "y": Written("1 if y > x else 0", TIES)},
    "min": {"x": Written("1 if x < y else 0", TIES), "y": Written("1 if y < x else 0", TIES)},
    "mish": {"x": Written("tanh(softplus(x)) + x*sech(softplus(x))**2*sigmoid(x)")},
    "ndtri": {"p": Written("sqrt(2*pi)*exp(ndtri(p)**2/2)")},
    "polygamma": {"x": Written("polygamma(n + 1, x)")},
    "pow": {"x": Written("y*x**(y - 1)"), "y": Written("x**y*log(x)")},
    "relu": {"x": Written("1 if x > 0 else 0")},
    "selu": {"x": Written("1.0507009873554805 if x > 0 else 1.7580993408473766*exp(x)")},
    "sinc": {"x": Written("(cos(pi*x) - sinc(x))/x", "0 at 0")},
    "sinint": {"x": Written("sin(x)/x", "1 at 0")},
    "softplus": {"x": Written("sigmoid(beta*x)"), "beta": Written("(x*sigmoid(beta*x) - softplus(x, beta))/beta")},
    "softsign": {"x": Written("1/(1 + abs(x))**2")},
    "spence": {"x": Written("log(x)/(1 - x)", "-1 at 1")},
    "xlog1py": {"x": Written("log1p(y)"), "y": Written("x/(1 + y)", WHERE_ZERO)},
    "xlogy": {"x": Written("log(y)"), "y": Written("x/y", WHERE_ZERO)},
}  # fmt: skip
