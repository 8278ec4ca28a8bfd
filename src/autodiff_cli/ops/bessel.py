"""Bessel, Airy, elliptic and integral functions: entries of the op table."""

from __future__ import annotations

from typing import Any

from ..diagnostics import error
from ..graph import PI, NoDerivative
from . import plainly
from .arithmetic import eq
from .elementary import cos, cospi, exp, log, sin, sinpi
from .entry import POSITIVE, elementwise
from .steps import whole

BY_ORDER = NoDerivative("only the derivative by x is known")
ORDERS = (0.3, 3.0)


def _branch(x: Any, k: float = 0) -> Any:
    branch = whole("k", "lambertw", k)
    if branch not in (0, -1):
        raise error("unknown-branch", f"`k` of `lambertw` is 0 or -1 (the real branches), and it is {branch}")
    return lambertw(x, attr=branch) if branch else lambertw(x)


# fmt: off
j0 = elementwise("j0", lambda x: -j1(x),                          doc="Bessel function of the first kind, order 0",  example="j0(1)")
j1 = elementwise("j1", lambda x: (j0(x) - jn(2, x)) / 2,          doc="Bessel function of the first kind, order 1",  example="j1(1)")
jn = elementwise("jn", (BY_ORDER, lambda v, x: (jn(v - 1, x) - jn(v + 1, x)) / 2), doc="Bessel function of the first kind, any order", example="jn(2, 1)", domain="v whole, or x >= 0", sample=(ORDERS, POSITIVE))
y0 = elementwise("y0", lambda x: -y1(x),                          doc="Bessel function of the second kind, order 0", example="y0(1)", sample=POSITIVE, domain="x >= 0")
y1 = elementwise("y1", lambda x: (y0(x) - yn(2, x)) / 2,          doc="Bessel function of the second kind, order 1", example="y1(1)", sample=POSITIVE, domain="x >= 0")
yn = elementwise("yn", (BY_ORDER, lambda v, x: (yn(v - 1, x) - yn(v + 1, x)) / 2), doc="Bessel function of the second kind, any order", example="yn(2, 1)", sample=(ORDERS, POSITIVE), domain="x >= 0")
i0 = elementwise("i0", lambda x: i1(x),                           doc="modified Bessel function of the first kind, order 0", example="i0(1)")
i1 = elementwise("i1", lambda x: (i0(x) + iv(2, x)) / 2,          doc="modified Bessel function of the first kind, order 1", example="i1(1)")
iv = elementwise("iv", (BY_ORDER, lambda v, x: (iv(v - 1, x) + iv(v + 1, x)) / 2), doc="modified Bessel function of the first kind, any order", example="iv(2, 1)", domain="v whole, or x >= 0", sample=(ORDERS, POSITIVE))
kv = elementwise("kv", (BY_ORDER, lambda v, x: -((kv(v - 1, x) + kv(v + 1, x)) / 2)), doc="modified Bessel function of the second kind, any order", example="kv(2, 1)", sample=(ORDERS, POSITIVE), domain="x >= 0")
sinc = elementwise("sinc", lambda x: cardinal(x, attr=(1, True)), doc="sin(pi x)/(pi x), 1 at 0", example="sinc(0.5)",
                   written={"x": "(cos(pi*x) - sinc(x))/x  # 0 at 0"})
cardinal = elementwise("cardinal", lambda x, nh: cardinal(x, attr=(nh[0] + 1, nh[1])), doc="n-th derivative of sin(x)/x or, of half turns, of sinc", hidden=True,
                       plain=lambda x, nh: _cardinal(x, *nh), hole=lambda x, nh: eq(x, 0))
airyai  = elementwise("airyai",  lambda x: airyaip(x),      doc="Airy function Ai",       example="airyai(1)",
                      written={"x": "# Ai'(x), which has no name here"})
airybi  = elementwise("airybi",  lambda x: airybip(x),      doc="Airy function Bi",       example="airybi(1)",
                      written={"x": "# Bi'(x), which has no name here"})
airyaip = elementwise("airyaip", lambda x: x * airyai(x),   doc="slope of airyai",        hidden=True)
airybip = elementwise("airybip", lambda x: x * airybi(x),   doc="slope of airybi",        hidden=True)

ellipk = elementwise("ellipk", lambda m: PI / 8 * hyp2f1(m, attr=(1.5, 1.5, 2)),      doc="complete elliptic integral of the first kind, parameter m = k**2",  example="ellipk(0.5)",
                     written={"m": "(ellipe(m)/(1 - m) - ellipk(m))/(2*m)  # pi/8 at 0"}, sample=(-2.0, 0.95), domain="m <= 1")
ellipe = elementwise("ellipe", lambda m: -(PI / 8 * hyp2f1(m, attr=(0.5, 1.5, 2))),   doc="complete elliptic integral of the second kind, parameter m = k**2", example="ellipe(0.5)",
                     written={"m": "(ellipe(m) - ellipk(m))/(2*m)  # -pi/8 at 0"}, sample=(-2.0, 0.95), domain="m <= 1")
hyp2f1 = elementwise("hyp2f1", lambda m, abc: _hypergeometric(m, *abc),               doc="hypergeometric function 2F1(a, b; c; m) with static a, b, c", hidden=True, sample=(-2.0, 0.95),
                     plain=lambda m, abc: _elliptic(m, abc), hole=lambda m, abc: eq(m, 0))
expi   = elementwise("expi",   lambda x: exp(x) / x,          doc="exponential integral Ei",          example="expi(1)",  sample=POSITIVE)
exp1   = elementwise("exp1",   lambda x: -(exp(-x) / x),      doc="exponential integral E1",          example="exp1(1)",  sample=POSITIVE, domain="x >= 0", guard=True)
sinint = elementwise("sinint", lambda x: cardinal(x, attr=(0, False)), doc="sine integral Si",             example="sinint(1)",
                     written={"x": "sin(x)/x  # 1 at 0"})
cosint = elementwise("cosint", lambda x: cos(x) / x,          doc="cosine integral Ci",               example="cosint(1)", sample=POSITIVE, domain="x >= 0", guard=True)
fresnels = elementwise("fresnels", lambda x: sinsq(x), doc="Fresnel integral of sin(pi t**2/2)", example="fresnels(1)", written={"x": "sinpi(x**2/2)"})
fresnelc = elementwise("fresnelc", lambda x: cossq(x), doc="Fresnel integral of cos(pi t**2/2)", example="fresnelc(1)", written={"x": "cospi(x**2/2)"})
sinsq  = elementwise("sinsq",  lambda x: PI * x * cossq(x),   doc="sin(pi x**2/2), of the exact square", hidden=True, plain=lambda x: sinpi(x**2 / 2))
cossq  = elementwise("cossq",  lambda x: -(PI * x * sinsq(x)), doc="cos(pi x**2/2), of the exact square", hidden=True, plain=lambda x: cospi(x**2 / 2))
lambertw = elementwise("lambertw", lambda x, k=0: 1 / (x + exp(lambertw(x, attr=k or None))), doc="inverse of w*exp(w), real branch k", example="lambertw(1)",
                       written={"x": "1/(x + exp(lambertw(x, k)))"}, sample=(-0.3, 4.0),
                       domain="x >= -1/e (branch 0), -1/e <= x < 0 (branch -1)", parameters=("k",), call=_branch)
spence = elementwise("spence", lambda x: -logratio(x, attr=0), doc="integral of log(t)/(1 - t) from 1 to x", example="spence(0)",
                     written={"x": "log(x)/(1 - x)  # -1 at 1"}, sample=POSITIVE, domain="x >= 0")
logratio = elementwise("logratio", lambda x, n: logratio(x, attr=n + 1), doc="n-th derivative of log(x)/(x - 1)", hidden=True, sample=POSITIVE,
                       plain=lambda x, n: plainly.quotient(lambda k: plainly.logarithm(log, x, k), x - 1, n), hole=lambda x, n: eq(x, 1))
# fmt: on


def _cardinal(x: Any, n: int, half_turns: bool) -> Any:  # noqa: FBT001 (the attribute of the op)
    if not half_turns:
        return plainly.quotient(lambda k: plainly.wave((sin, cos), x, k), x, n)
    if n == 0:
        return sinc(x)
    pi = x.graph.lift(PI)
    return (pi ** (n - 1) * plainly.wave((sin, cos), pi * x, n) - n * _cardinal(x, n - 1, half_turns)) / x


def _elliptic(m: Any, abc: tuple[float, ...]) -> Any:
    """The slopes of the two elliptic integrals have words; those of higher order have none."""
    if abc == (1.5, 1.5, 2):
        return 4 / PI * (ellipe(m) / (1 - m) - ellipk(m)) / m
    return 4 / PI * (ellipk(m) - ellipe(m)) / m if abc == (0.5, 1.5, 2) else None


def _hypergeometric(m: Any, a: float, b: float, c: float) -> Any:
    return a * b * hyp2f1(m, attr=(a + 1, b + 1, c + 1)) / c
