"""Roots, powers, exponentials, trigonometric and hyperbolic functions: entries of the op table."""

from __future__ import annotations

from typing import Any

from ..graph import PI, Parameter
from .arithmetic import eq, guard
from .entry import POSITIVE, UNIT, elementwise

NEAR = (-1.2, 1.2)
AWAY = (0.1, 3.0)


def _logarithm(x: Any, base: Any = None) -> Any:
    named = log if base is None else {"e": log, "2": log2, "10": log10}.get(base.text)
    return named(x) if named else log(x) / log(base)


def _length(x: Any, y: Any, *more: Any) -> Any:
    return hypot(x, y, *more)


def _turned(j: int, k: int, xs: Any) -> Any:
    """What x_j does to the share of x_k: less than all of it by the shares of the others, which no difference gives for a large x_k."""
    length = hypot(*xs)
    if j != k:
        return -(share(*xs, attr=k) * share(*xs, attr=j)) / length
    others = [share(*xs, attr=m) ** 2 for m in range(len(xs)) if m != k]
    return sum(others[1:], start=others[0]) / length


# fmt: off
sqrt   = elementwise("sqrt",   lambda x: 0.5 / sqrt(x),           doc="square root",             example="sqrt(2)",   sample=POSITIVE, domain="x >= 0", latex=r"\sqrt")
cbrt   = elementwise("cbrt",   lambda x: 1 / (3 * cbrt(x) ** 2),  doc="cube root",               example="cbrt(-8)",  sample=POSITIVE, latex=r"\sqrt[3]")
square = elementwise("square", lambda x: 2 * x,                   doc="x times x",               example="square(3)")
exp    = elementwise("exp",    lambda x: exp(x),                  doc="e to the power x",        example="exp(1)",    latex=r"\exp")
exp2   = elementwise("exp2",   lambda x: log(2) * exp2(x),        doc="2 to the power x",        example="exp2(10)")
exp10  = elementwise("exp10",  lambda x: log(10) * exp10(x),      doc="10 to the power x",       example="exp10(2)")
expm1  = elementwise("expm1",  lambda x: exp(x),                  doc="exp(x) - 1, accurate near 0", example="expm1(1e-9)")
log    = elementwise("log",    lambda x: 1 / x,                   doc="natural logarithm, or to a base", example="log(8, 2)",
                     written={"x": "1/(x*log(base))  # 1/x without a base", "base": "-log(x)/(base*log(base)**2)"}, sample=POSITIVE, domain="x >= 0",
                     guard=True, aliases=("ln",), latex=r"\log", call=_logarithm)
log2   = elementwise("log2",   lambda x: 1 / log(2) / x,          doc="logarithm to base 2",     example="log2(8)",   sample=POSITIVE, domain="x >= 0", guard=True, latex=r"\log_2")
log10  = elementwise("log10",  lambda x: 1 / log(10) / x,         doc="logarithm to base 10",    example="log10(1000)", sample=POSITIVE, domain="x >= 0",
                     guard=True, latex=r"\log_{10}")
log1p  = elementwise("log1p",  lambda x: 1 / (1 + x),             doc="log(1 + x), accurate near 0", example="log1p(1e-9)", sample=(-0.9, 4.0), domain="x >= -1", guard=True)
hypot  = elementwise("hypot",  lambda k, *xs: share(*xs, attr=k), doc="length of a vector, scaled", example="hypot(3, 4)",
                     written={"x": "x/hypot(x, y)  # 0 at the origin", "y": "y/hypot(x, y)  # 0 at the origin"}, sample=(0.5, 3.0), call=_length, kink=lambda *xs: eq(hypot(*xs), 0),
                     parameters=(Parameter("x"), Parameter("y"), Parameter("more", variadic=True)))
share  = elementwise("share",  lambda k, *xs: _turned(k, xs[-1], xs[:-1]), doc="one of its arguments over their length, 0 where all are 0",
                     hidden=True, parameters=(Parameter("x"), Parameter("y"), Parameter("more", variadic=True)),
                     plain=lambda *xs: xs[xs[-1]] / hypot(*xs[:-1]), hole=lambda *xs: eq(hypot(*xs[:-1]), 0))
div0   = elementwise("div0",   (lambda x, y: guard(1 / y, 0 / y), lambda x, y: -(x / y) / y),
                     doc="x / y, 0 where y is 0 but without a derivative there", hidden=True, sample=((-3.0, 3.0), POSITIVE), plain=lambda x, y: x / y, hole=lambda x, y: eq(y, 0))

sin    = elementwise("sin",    lambda x: cos(x),                  doc="sine of x radians",       example="sin(pi/6)", latex=r"\sin")
cos    = elementwise("cos",    lambda x: -sin(x),                 doc="cosine of x radians",     example="cos(pi/3)", latex=r"\cos")
tan    = elementwise("tan",    lambda x: sec(x) ** 2,             doc="tangent of x radians",    example="tan(pi/4)", domain="cos(x) != 0", sample=NEAR, latex=r"\tan")
sec    = elementwise("sec",    lambda x: sec(x) * tan(x),         doc="1 / cos(x)",              example="sec(1)", domain="cos(x) != 0",    sample=NEAR, latex=r"\sec")
csc    = elementwise("csc",    lambda x: -(csc(x) * cot(x)),      doc="1 / sin(x)",              example="csc(1)", domain="sin(x) != 0",    sample=AWAY, latex=r"\csc")
cot    = elementwise("cot",    lambda x: -csc(x) ** 2,            doc="1 / tan(x)",              example="cot(1)", domain="sin(x) != 0",    sample=AWAY, latex=r"\cot")
gap    = elementwise("gap",    lambda x: -2 * x,                  doc="(1 - x)*(1 + x)",         hidden=True, plain=lambda x: 1 - x**2)
asin   = elementwise("asin",   lambda x: 1 / sqrt(gap(x)),        doc="inverse sine",            example="asin(0.5)", written={"x": "1/sqrt((1 - x)*(1 + x))"}, sample=UNIT, domain="-1 <= x <= 1",
                     aliases=("arcsin",), latex=r"\arcsin")
acos   = elementwise("acos",   lambda x: -1 / sqrt(gap(x)),       doc="inverse cosine",         example="acos(0.5)", written={"x": "-1/sqrt((1 - x)*(1 + x))"}, sample=UNIT, domain="-1 <= x <= 1",
                     aliases=("arccos",), latex=r"\arccos")
atan   = elementwise("atan",   lambda x: (1 / hypot(1, x)) ** 2,  doc="inverse tangent",         example="atan(1)",   aliases=("arctan",), latex=r"\arctan")
atan2  = elementwise("atan2",  (lambda y, x: x / hypot(x, y) / hypot(x, y), lambda y, x: -(y / hypot(x, y) / hypot(x, y))),
                     doc="angle of the point (x, y)", example="atan2(1, 1)", sample=((-3.0, 3.0), POSITIVE), aliases=("arctan2",))
sinpi  = elementwise("sinpi",  lambda x: PI * cospi(x),           doc="sin(pi x), exact at quarters",    example="sinpi(0.5)")
cospi  = elementwise("cospi",  lambda x: -(PI * sinpi(x)),        doc="cos(pi x), exact at quarters",    example="cospi(1)")
tanpi  = elementwise("tanpi",  lambda x: PI / cospi(x) ** 2,      doc="tan(pi x), exact at quarters",    example="tanpi(0.25)", domain="cospi(x) != 0", sample=(-0.45, 0.45))
sind   = elementwise("sind",   lambda x: PI / 180 * cosd(x),      doc="sine of x degrees",       example="sind(30)",  sample=(-400.0, 400.0))
cosd   = elementwise("cosd",   lambda x: -(PI / 180 * sind(x)),   doc="cosine of x degrees",     example="cosd(60)",  sample=(-400.0, 400.0))
tand   = elementwise("tand",   lambda x: PI / 180 / cosd(x) ** 2, doc="tangent of x degrees",    example="tand(45)", domain="cosd(x) != 0",  sample=(-85.0, 85.0))
deg2rad = elementwise("deg2rad", lambda x: PI / 180,              doc="degrees to radians",      example="deg2rad(180)", aliases=("radians",), sample=(-400.0, 400.0))
rad2deg = elementwise("rad2deg", lambda x: 180 / PI,              doc="radians to degrees",      example="rad2deg(pi)",  aliases=("degrees",))

sinh   = elementwise("sinh",   lambda x: cosh(x),                 doc="hyperbolic sine",         example="sinh(1)",   latex=r"\sinh")
cosh   = elementwise("cosh",   lambda x: sinh(x),                 doc="hyperbolic cosine",       example="cosh(1)",   latex=r"\cosh")
tanh   = elementwise("tanh",   lambda x: sech(x) ** 2,            doc="hyperbolic tangent",      example="tanh(0.5)", latex=r"\tanh")
sech   = elementwise("sech",   lambda x: -(sech(x) * tanh(x)),    doc="1 / cosh(x)",             example="sech(1)",   latex=r"\operatorname{sech}")
csch   = elementwise("csch",   lambda x: -(csch(x) * coth(x)),    doc="1 / sinh(x)",             example="csch(1)", domain="x != 0",   sample=AWAY, latex=r"\operatorname{csch}")
coth   = elementwise("coth",   lambda x: -csch(x) ** 2,           doc="1 / tanh(x)",             example="coth(1)", domain="x != 0",   sample=AWAY, latex=r"\coth")
asinh  = elementwise("asinh",  lambda x: 1 / hypot(1, x),         doc="inverse hyperbolic sine",    example="asinh(1)",   aliases=("arcsinh",), latex=r"\operatorname{arsinh}")
acosh  = elementwise("acosh",  lambda x: 1 / (sqrt(x - 1) * sqrt(x + 1)), doc="inverse hyperbolic cosine", example="acosh(2)", sample=(1.05, 4.0), domain="x >= 1",
                     aliases=("arccosh",), latex=r"\operatorname{arcosh}")
atanh  = elementwise("atanh",  lambda x: 1 / gap(x),              doc="inverse hyperbolic tangent", example="atanh(0.5)", written={"x": "1/((1 - x)*(1 + x))"}, sample=UNIT, domain="-1 <= x <= 1", guard=True,
                     aliases=("arctanh",), latex=r"\operatorname{artanh}")
# fmt: on
