"""Parts, steps and selections of real numbers: entries of the op table."""

from __future__ import annotations

from typing import Any

from ..diagnostics import error
from ..graph import CONST, INF, Formula, Infix, Parameter, When
from .arithmetic import eq, guard, le, ne, real, select
from .entry import POSITIVE, composite, elementwise, step, zero

LEAST = Formula(CONST, (), "-inf")
ZEROS = (lambda x, min, max: 0,) * 3
ANY_NUMBER = (Parameter("x"), Parameter("y"), Parameter("more", variadic=True))


def _rounded(x: Any, n: float = 0) -> Any:
    places = whole("n", "round", n)
    return round_(x, attr=places) if places else round_(x)


def whole(parameter: str, function: str, value: float) -> int:
    """A static argument that has to be a whole number."""
    if isinstance(value, tuple):
        raise error("whole-number", f"`{parameter}` of `{function}` is one number here, and it is {len(value)}")
    if value != value or value - value != 0 or int(value) != value:
        raise error("whole-number", f"`{parameter}` of `{function}` must be a whole number, and it is {value:g}")
    return int(value)


def _between(x: Any, min: Any = None, max: Any = None) -> Any:
    return clip(x, LEAST if min is None else min, INF if max is None else max)


def _half_way(x: Any, n: int = 0) -> Any:
    scaled = x * (f"1e{n}" if n else 1)
    return eq(scaled - floor(scaled), 0.5)


def _share(chosen: Any, k: int, *xs: Any) -> Any:
    """1 over the number of arguments that are tied with the chosen one, for those that are."""
    best = chosen(*xs)
    return When(takes(xs[k], best), tie_share(best, *xs))


def _tie(chosen: Any, *xs: Any) -> Any:
    best = chosen(*xs)
    return sum((real(eq(x, best)) for x in xs[1:]), start=real(eq(xs[0], best))) > 1


# fmt: off
abs_   = elementwise("abs", lambda x: sign(x),  doc="absolute value",                      example="abs(-2)",   kink=lambda x: eq(x, 0), latex=r"\left|")
sign   = step("sign",   doc="-1, 0 or 1",                                                  example="sign(-2)",  kink=lambda x: eq(x, 0))
floor  = step("floor",  doc="largest whole number not above x",                            example="floor(-1.5)", kink=lambda x: eq(x, floor(x)))
ceil   = step("ceil",   doc="smallest whole number not below x",                           example="ceil(-1.5)",  kink=lambda x: eq(x, ceil(x)))
trunc  = step("trunc",  doc="whole part of x",                                             example="trunc(-1.5)", kink=lambda x: eq(x, trunc(x)) & ne(x, 0))
round_ = step("round",  doc="nearest number with n decimal places, half to even",          example="round(2.5)",  kink=_half_way, parameters=("n",), call=_rounded)
floordiv = elementwise("floordiv", (zero, zero), doc="quotient rounded down",              example="7 // 2",    infix=Infix("//", 12), sample=((-3.0, 3.0), POSITIVE), domain="y != 0",
                       kink=lambda x, y: eq(mod(x, y), 0), parameters=(Parameter("x"), Parameter("y")))
mod    = elementwise("mod", (lambda x, y: 1, lambda x, y: -floordiv(x, y)), doc="remainder with the sign of y", example="-7 % 3", infix=Infix("%", 12),
                     guard=True, sample=((-3.0, 3.0), POSITIVE), domain="y != 0", aliases=("remainder",), call=lambda x, y: mod(x, y), kink=lambda x, y: eq(mod(x, y), 0))
fmod   = elementwise("fmod", (lambda x, y: 1, lambda x, y: -round_((x - fmod(x, y)) / y)), doc="remainder with the sign of x", example="fmod(-7, 3)",
                     guard=True, sample=((-3.0, 3.0), POSITIVE), domain="y != 0", kink=lambda x, y: eq(fmod(x, y), 0) & ne(x, 0))
copysign = elementwise("copysign", (lambda x, y: sign(x) * copysign(1, y), lambda x, y: 0), doc="x with the sign of y", example="copysign(2, -1)",
                       kink=lambda x, y: eq(x, 0) | eq(y, 0))
heaviside = elementwise("heaviside", (lambda x, h: 0, lambda x, h: When(eq(x, 0), 1)), doc="0 below 0, h at 0, 1 above", example="heaviside(0)",
                        call=lambda x, h=0.5: heaviside(x, h), kink=lambda x, h: eq(x, 0))
max_   = elementwise("max", lambda k, *xs: _share(max_, k, *xs), doc="the largest", example="max(1, 2)",
                     written={"x": "1 if x > y else 0  # ties share it evenly", "y": "1 if y > x else 0  # ties share it evenly"}, aliases=("maximum",), parameters=ANY_NUMBER,
                     kink=lambda *xs: _tie(max_, *xs), latex=r"\max")
min_   = elementwise("min", lambda k, *xs: _share(min_, k, *xs), doc="the smallest", example="min(1, 2)",
                     written={"x": "1 if x < y else 0  # ties share it evenly", "y": "1 if y < x else 0  # ties share it evenly"}, aliases=("minimum",), parameters=ANY_NUMBER,
                     kink=lambda *xs: _tie(min_, *xs), latex=r"\min")
clip   = elementwise(
    "clip", (
        lambda x, lo, hi: When(inside(x, lo, hi), guard(1, clip(x, lo, hi))),
        lambda x, lo, hi: When(below(x, lo, hi), guard(1, clip(x, lo, hi))),
        lambda x, lo, hi: When(above(x, lo, hi), guard(1, clip(x, lo, hi))),
    ), doc="x, but not below min and not above max", example="clip(3, 0, 1)",
    written={"x": "1 if min <= x <= max else 0", "min": "1 if x < min <= max else 0", "max": "1 if x > max or min > max else 0"}, aliases=("clamp",), call=_between,
    sample=((-3.0, 3.0), (-2.0, 0.0), (0.5, 2.0)), kink=lambda x, lo, hi: eq(x, lo) | eq(x, hi),
)
takes  = elementwise("takes",  (lambda x, best: 0, lambda x, best: 0), kind="bool", doc="whether x is the chosen one, or NaN", hidden=True, plain=lambda x, best: _takes(x, best))
tie_share = elementwise("tie_share", lambda k, *xs: 0, doc="1 over the number of further arguments that equal the first, NaN where that is", hidden=True, parameters=ANY_NUMBER,
                        plain=lambda best, *xs: _tied(best, *xs))
inside = elementwise("inside", ZEROS, kind="bool", doc="whether clip passes x on, on a bound too; at a NaN of x",  hidden=True, plain=lambda x, lo, hi: _bounded(x, lo, hi))
below  = elementwise("below",  ZEROS, kind="bool", doc="whether clip gives its lower bound; at a NaN of that bound", hidden=True, plain=lambda x, lo, hi: (x < lo) & _bounded(lo, LEAST, hi))
above  = elementwise("above",  ZEROS, kind="bool", doc="whether clip gives its upper bound; at a NaN of that bound", hidden=True, plain=lambda x, lo, hi: x > hi if lo.text == "-inf" else (x > hi) | (lo > hi))
where  = composite("where", lambda condition, a, b: select(condition, a, b), doc="a where the condition holds, else b", example="where(1 > 2, 3, 4)",
                   call=lambda condition, a, b: _choose(condition, a, b))
# fmt: on


def _takes(x: Any, best: Any) -> Any:
    """Of two, whether x is not the worse one."""
    others = [other for other in best.args if other.id != x.id]
    if best.node.op not in (max_, min_) or len(best.args) != 2 or len(others) != 1:
        return eq(x, best)
    return x >= others[0] if best.node.op is max_ else x <= others[0]


def _tied(best: Any, *xs: Any) -> Any:
    if len(xs) == 2 and xs[0].id != xs[1].id:
        return select(eq(*xs), 0.5, 1)
    return 1 / sum((real(eq(x, best)) for x in xs[1:]), start=real(eq(xs[0], best)))


def _bounded(x: Any, lo: Any, hi: Any) -> Any:
    """Lo <= x <= hi, without bounds that are infinite."""
    pairs = ((lo, x), (x, hi))
    asked = [le(a, b) for a, b in pairs if (x.graph.lift(b).text, x.graph.lift(a).text) != (None, "-inf") and x.graph.lift(b).text != "inf"]
    return asked[0] & asked[1] if len(asked) == 2 else (*asked, x.graph.const("True"))[0]


def _choose(condition: Any, a: Any, b: Any) -> Any:
    if a.type.kind != b.type.kind:
        a, b = (real(v) if v.type.kind == "bool" else v for v in (a, b))
    return select(condition, a, b)
