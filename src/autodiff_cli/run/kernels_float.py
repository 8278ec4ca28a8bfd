"""Kernels of Python floats: an op and its attribute in, a fast function and one that never raises out."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from . import kernels_gamma as gamma
from . import kernels_parts as parts
from . import kernels_power as power
from . import kernels_trig as trig

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Op

    Kernel = Callable[..., Any]

INF, NAN = math.inf, math.nan

COMPARED = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 expm1 fmod gamma hypot isfinite isinf isnan log log10 log1p "
    "log2 sin sinh sqrt tan tanh".split()
)

FLOATS: dict[str, Kernel] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "not": operator.not_,
    "name": lambda x: x,
    "detach": lambda x: x,
    "real": float,
    "guard": lambda d, v: d if v == v else NAN,
    "abs": abs,
    "sign": parts.sign,
    "floor": parts.floor,
    "ceil": parts.ceil,
    "trunc": parts.trunc,
    "copysign": parts.copysign,
    "heaviside": parts.heaviside,
    "max": parts.largest,
    "min": parts.smallest,
    "takes": parts.takes,
    "tie_share": parts.tie_share,
    "clip": parts.clip,
    "inside": parts.inside,
    "below": parts.below,
    "above": parts.above,
    "ratio0": parts.ratio0,
    "times0": parts.times0,
    "div0": parts.div0,
    "gap": parts.gap,
    "rest": parts.rest,
    "square": lambda x: x * x,
    "pow": power.raised,
    "exp10": lambda x: math.pow(10.0, x),
    "sigmoid": parts.sigmoid,
    "logit": parts.logit,
    "softplus": parts.softplus,
    "log_sigmoid": parts.log_sigmoid,
    "logaddexp": parts.logaddexp,
    "log1mexp": parts.log1mexp,
    "xlogy": parts.xlogy,
    "xlog1py": parts.xlog1py,
    "relu": parts.relu,
    "counts": parts.counts,
    "leaky_relu": parts.leaky_relu,
    "leaky_by_x": parts.leaky_by_x,
    "elu": parts.elu,
    "elu_by_x": parts.elu_by_x,
    "selu": parts.selu,
    "softsign": parts.softsign,
    "tanhshrink": parts.tanhshrink,
    "lgamma": gamma.log_gamma,
    "deg2rad": math.radians,
    "rad2deg": math.degrees,
    "sec": trig.sec,
    "csc": trig.csc,
    "cot": trig.cot,
    "sinpi": trig.sinpi,
    "cospi": trig.cospi,
    "tanpi": trig.tanpi,
    "sind": trig.sind,
    "cosd": trig.cosd,
    "tand": trig.tand,
    "sinc": trig.sinc,
    "sech": trig.sech,
    "csch": trig.csch,
    "coth": trig.coth,
}


def _gate(attr: tuple[str, int]) -> Kernel:
    from .kernels_gates import floats

    return floats(attr)


STATIC: dict[str, Callable[[Any], Kernel]] = {
    "round": parts.rounded,
    "dpow": power.dpow,
    "share": parts.share,
    "soft_gate": _gate,
}

EDGES: dict[str, Kernel] = {
    "div": parts.quotient,
    "div0": parts.quotient,
    "ratio0": parts.quotient,
    "floordiv": parts.floordiv_edge,
    "pow": power.power_edge,
    "floor": lambda x: x,
    "ceil": lambda x: x,
    "trunc": lambda x: x,
    "round": lambda x: x,
    "exp2": lambda x: INF,
    "sinh": lambda x: math.copysign(INF, x),
    "log": lambda x: -INF if x == 0 else NAN,
    "log2": lambda x: -INF if x == 0 else NAN,
    "log10": lambda x: -INF if x == 0 else NAN,
    "log1p": lambda x: -INF if x == -1 else NAN,
    "log1mexp": lambda x: -INF if x == 0 else NAN,
    "logit": parts.logit_edge,
    "xlogy": parts.xlogy_edge,
    "xlog1py": parts.xlog1py_edge,
    "atanh": lambda x: math.copysign(INF, x) if x in {1.0, -1.0} else NAN,
    "tanpi": trig.tanpi_edge,
    "tand": trig.tand_edge,
    "sinc": lambda x: 0.0 if x == x else x,
    "csc": lambda x: math.copysign(INF, x) if x == 0 else NAN,
    "cot": lambda x: math.copysign(INF, x) if x == 0 else NAN,
    "csch": lambda x: math.copysign(INF, x),
    "coth": lambda x: math.copysign(INF, x),
    "gamma": lambda x: math.copysign(INF, x) if abs(x) < 0.5 else INF if x > 0 else NAN,
    "lgamma": lambda x: INF,
}


def kernel(op: Op, attr: Any) -> tuple[Kernel, Kernel]:
    """The fast function of an op, which may raise, and the slow one, which gives the IEEE answer."""
    name = op.name
    if name in FLOATS:
        fast = FLOATS[name]
    elif name in STATIC:
        fast = STATIC[name](attr)
    elif name in COMPARED:
        fast = getattr(math, name)
    else:
        from .kernels_special import special

        fast = special(name, attr)
    return fast, _safe(fast, EDGES.get(name))


def _safe(fast: Kernel, edge: Kernel | None) -> Kernel:
    def slow(*args: Any) -> Any:
        try:
            return fast(*args)
        except OverflowError:
            return edge(*args) if edge else INF
        except (ValueError, ZeroDivisionError):
            return edge(*args) if edge else NAN

    return slow
