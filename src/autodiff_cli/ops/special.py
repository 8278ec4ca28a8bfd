"""Error functions, gamma functions and their kin: entries of the op table.

Hidden ops are members of families that close under differentiation, so that no derivative of any
order cancels or breaks at a removable point.
"""

from __future__ import annotations

from typing import Any

from ..diagnostics import error
from ..graph import PI, NoDerivative
from . import plainly
from .arithmetic import select
from .elementary import exp, sqrt
from .entry import POSITIVE, PROBABILITY, composite, elementwise
from .steps import whole

SHAPES = (0.6, 6.0)
BY_SHAPE = NoDerivative("only the derivative by its last argument is known")


def _polygamma(n: float, x: Any) -> Any:
    order = whole("n", "polygamma", n)
    if order < 0:
        raise error("negative-order", f"`n` of `polygamma` is at least 0, and it is {order}")
    return polygamma(x, attr=order)


def _choose_by_n(n: Any, k: Any) -> Any:
    if k.whole is not None:
        return 0 if k.whole < 1 else dbinom(n, attr=(k.whole, 1))
    return binom_slope(n, k, attr=(1, 0))


def _psi(x: Any, n: int) -> Any:
    return polygamma(x, attr=n) if n else digamma(x)


def _beta_rate(a: Any, b: Any, k: int, n: tuple[int, int]) -> Any:
    """The derivative of log(beta(a, b)) by its argument k, differentiated on n[0] times by a and n[1] times by b."""
    both = _psi(a + b, sum(n))
    return -both if n[1 - k] else _psi((a, b)[k], n[k]) - both


def _binom_rate(n: Any, k: Any, by: int, times: tuple[int, int]) -> Any:
    """The same for log(binom(n, k)), by n or by k."""
    i, j = times
    rest = _psi(n - k + 1, i + j) * (-1) ** j
    if by == 0:
        return -rest if j else _psi(n + 1, i) - rest
    return rest if i else rest - _psi(k + 1, j)


def _beta_of(a: Any, b: Any, i: int, j: int) -> Any:
    return beta(a, b) if i == j == 0 else gamma(a - i) * gamma(b - j) / gamma(a + b)


# fmt: off
erf     = elementwise("erf",     lambda x: 2 / sqrt(PI) * gauss(x, attr=1),           doc="error function",                      example="erf(1)", written={"x": "2/sqrt(pi)*exp(-x**2)"})
erfc    = elementwise("erfc",    lambda x: -(2 / sqrt(PI) * gauss(x, attr=1)),        doc="1 - erf(x), accurate in the tail",    example="erfc(20)", written={"x": "-2/sqrt(pi)*exp(-x**2)"})
gauss   = elementwise("gauss",   lambda x, n: -(2 // n * (x * gauss(x, attr=n))), doc="exp(-x**2/n)",                    hidden=True, plain=lambda x, n: exp(-(x**2) / n))
erfcx   = elementwise("erfcx",   lambda x: -2 * ierfcx(x, attr=1),                    doc="exp(x**2)*erfc(x)",                   example="erfcx(28)",
                      written={"x": "2*x*erfcx(x) - 2/sqrt(pi)"})
ierfcx  = elementwise("ierfcx",  lambda x, n: -2 * (n + 1) * ierfcx(x, attr=n + 1),   doc="exp(x**2) times the n-th repeated integral of erfc", hidden=True,
                      plain=lambda x, n: plainly.repeated_integral(erfcx(x), x, n))
erfinv  = elementwise("erfinv",  lambda x: sqrt(PI) / 2 * exp(erfinv(x) ** 2),        doc="inverse of erf",                      example="erfinv(0.5)", sample=(-0.95, 0.95), domain="-1 <= x <= 1")
erfcinv = elementwise("erfcinv", lambda x: -0.5 * sqrt(PI) * (select(x > 0, erfcx(erfcinv(x)), erfcinv(x)) / x), doc="inverse of erfc", example="erfcinv(0.5)",
                      written={"x": "-sqrt(pi)/2*exp(erfcinv(x)**2)"},
                      sample=(0.02, 1.95), domain="0 <= x <= 2")
ndtr    = elementwise("ndtr",    lambda x: gauss(x, attr=2) / sqrt(2 * PI),           doc="distribution function of the standard normal", example="ndtr(1.96)", written={"x": "exp(-x**2/2)/sqrt(2*pi)"})
ndtri   = elementwise("ndtri",   lambda p: select(p > 0, 1 / (p * mills(ndtri(p), attr=1)), 1 / p), doc="inverse of ndtr", example="ndtri(0.975)",
                      written={"p": "sqrt(2*pi)*exp(ndtri(p)**2/2)"}, sample=PROBABILITY,
                      domain="0 <= p <= 1", guard=True)
log_ndtr = elementwise("log_ndtr", lambda x: mills(x, attr=1),                        doc="log(ndtr(x)), accurate in the tail",  example="log_ndtr(-39)",
                       written={"x": "exp(-x**2/2)/(sqrt(2*pi)*ndtr(x))"})
mills   = elementwise("mills",   lambda x, n: mills(x, attr=n + 1),                   doc="n-th derivative of log_ndtr", hidden=True,
                      plain=lambda x, n: plainly.tail(exp(-(x**2) / 2) / (sqrt(2 * PI) * ndtr(x)), x, n))

gamma   = elementwise("gamma",   lambda x: gamma(x) * digamma(x),     doc="gamma function",                 example="gamma(5)", domain="x not 0, -1, -2, …",   sample=POSITIVE, latex=r"\Gamma")
lgamma  = elementwise("lgamma",  lambda x: digamma(x),                doc="log of the size of gamma(x)",    example="lgamma(100)", domain="x not 0, -1, -2, …", sample=POSITIVE, aliases=("gammaln",))
digamma = elementwise("digamma", lambda x: polygamma(x, attr=1),      doc="slope of lgamma",                example="digamma(1)", domain="x not 0, -1, -2, …", sample=POSITIVE, aliases=("psi",), latex=r"\psi")
trigamma = composite("trigamma", lambda x: polygamma(x, attr=1),      doc="slope of digamma",               example="trigamma(1)", domain="x not 0, -1, -2, …", sample=POSITIVE)
polygamma = elementwise("polygamma", lambda x, n: polygamma(x, attr=n + 1), doc="n-th derivative of digamma", example="polygamma(2, 1)",
                        written={"x": "polygamma(n + 1, x)"}, domain="x not 0, -1, -2, …", sample=POSITIVE, call=_polygamma, parameters=("n",))
digammas = elementwise("digammas", (lambda x, d, n=0: digammas(x, d, attr=n + 1), lambda x, d, n=0: polygamma(x + d, attr=n + 1)),
                       doc="polygamma(n, x + d) - polygamma(n, x)", hidden=True, sample=(0.2, 4.0), plain=lambda x, d, n=0: _psi(x + d, n) - _psi(x, n))
beta    = elementwise("beta",    (lambda a, b: beta_slope(a, b, attr=(1, 0)), lambda a, b: beta_slope(a, b, attr=(0, 1))), doc="beta function", example="beta(2, 3)",
                      written={"a": "beta(a, b)*(digamma(a) - digamma(a + b))", "b": "beta(a, b)*(digamma(b) - digamma(a + b))"}, domain="a, b not 0, -1, -2, …", sample=POSITIVE)
beta_slope = elementwise("beta_slope", (lambda a, b, ij: beta_slope(a, b, attr=(ij[0] + 1, ij[1])), lambda a, b, ij: beta_slope(a, b, attr=(ij[0], ij[1] + 1))),
                      doc="derivative of beta(a, b), i times by a and j times by b", hidden=True, sample=POSITIVE,
                      plain=lambda a, b, ij: plainly.logarithmic(beta(a, b), ij, lambda k, n: _beta_rate(a, b, k, n)))
betaln  = elementwise("betaln",  (lambda a, b: -digammas(a, b), lambda a, b: -digammas(b, a)), doc="log of the size of beta(a, b)", example="betaln(200, 300)",
                      written={"a": "digamma(a) - digamma(a + b)", "b": "digamma(b) - digamma(a + b)"}, domain="a, b not 0, -1, -2, …", sample=POSITIVE)
factorial = composite("factorial", lambda x: gamma(x + 1),            doc="gamma(x + 1)",                   example="factorial(5)", domain="x not -1, -2, …", sample=POSITIVE)
binom   = elementwise("binom",   (_choose_by_n, lambda n, k: binom_slope(n, k, attr=(0, 1))), doc="binomial coefficient", example="binom(5, 2)",
                      written={"n": "binom(n, k)*(digamma(n + 1) - digamma(n - k + 1))", "k": "binom(n, k)*(digamma(n - k + 1) - digamma(k + 1))"}, domain="n not -1, -2, …, or k whole",
                      sample=((3.1, 6.0), (0.2, 2.4)), aliases=("comb",))
binom_slope = elementwise("binom_slope", (lambda n, k, ij: binom_slope(n, k, attr=(ij[0] + 1, ij[1])), lambda n, k, ij: binom_slope(n, k, attr=(ij[0], ij[1] + 1))),
                      doc="derivative of binom(n, k), i times by n and j times by k", hidden=True, sample=((3.1, 6.0), (0.2, 2.4)),
                      plain=lambda n, k, ij: plainly.logarithmic(binom(n, k), ij, lambda m, d: _binom_rate(n, k, m, d)))
dbinom  = elementwise("dbinom",  lambda n, kj: 0 if kj[1] >= kj[0] else dbinom(n, attr=(kj[0], kj[1] + 1)), doc="j-th derivative by n of binom(n, k)", hidden=True,
                      plain=lambda n, kj: plainly.polynomial(n, *kj))

gammainc  = elementwise("gammainc",  (BY_SHAPE, lambda a, x: gammapdf(a, x)),  doc="regularised lower incomplete gamma function", example="gammainc(2, 1)",
                        written={"x": "x**(a - 1)*exp(-x)/gamma(a)"}, sample=SHAPES, domain="a > 0, x >= 0", guard=True)
gammaincc = elementwise("gammaincc", (BY_SHAPE, lambda a, x: -gammapdf(a, x)), doc="regularised upper incomplete gamma function", example="gammaincc(2, 1)",
                        written={"x": "-x**(a - 1)*exp(-x)/gamma(a)"}, sample=SHAPES, domain="a > 0, x >= 0", guard=True)
gammapdf  = elementwise("gammapdf",  (BY_SHAPE, lambda a, x: gammapdf(a - 1, x) - gammapdf(a, x)), doc="x**(a-1)*exp(-x)/gamma(a)", hidden=True, sample=SHAPES,
                        plain=lambda a, x: x ** (a - 1) * exp(-x) / gamma(a))
betainc   = elementwise("betainc",   (BY_SHAPE, BY_SHAPE, lambda a, b, x: betapdf(a, b, x, attr=(0, 0))), doc="regularised incomplete beta function", example="betainc(2, 3, 0.5)",
                        written={"x": "x**(a - 1)*(1 - x)**(b - 1)/beta(a, b)"},
                        sample=(SHAPES, SHAPES, PROBABILITY), domain="a, b > 0, 0 <= x <= 1", guard=True)
betapdf   = elementwise("betapdf",   (BY_SHAPE, BY_SHAPE, lambda a, b, x, ij: betapdf(a, b, x, attr=(ij[0] + 1, ij[1])) - betapdf(a, b, x, attr=(ij[0], ij[1] + 1))),
                        doc="x**(a-1-i)*(1-x)**(b-1-j)*gamma(a+b)/gamma(a-i)/gamma(b-j)", hidden=True, sample=(SHAPES, SHAPES, PROBABILITY),
                        plain=lambda a, b, x, ij: x ** (a - 1 - ij[0]) * (1 - x) ** (b - 1 - ij[1]) / _beta_of(a, b, *ij))
zeta      = elementwise("zeta",      (NoDerivative("the derivative by s is no function of the language"), lambda s, q: -(s * zeta(s + 1, q))), doc="zeta function of Hurwitz, of Riemann where q is 1",
                        example="zeta(2)", domain="s != 1, q not 0, -1, -2, …", sample=((1.5, 6.0), POSITIVE), call=lambda s, q=1: zeta(s, q))
# fmt: on
