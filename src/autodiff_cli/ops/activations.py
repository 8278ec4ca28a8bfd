"""Activations of neural networks: entries of the op table."""

from __future__ import annotations

from typing import Any

from ..diagnostics import error
from ..graph import CONST, PI, Formula, When
from .arithmetic import eq, guard, ne, select
from .elementary import exp, expm1, sech, tanh
from .entry import composite, elementwise
from .special import ndtr
from .stable import sigmoid, softplus
from .steps import abs_, clip

SCALE = Formula(CONST, (), "1.0507009873554804934193349852946")
ALPHA = Formula(CONST, (), "1.6732632423543772848170429916717")
WAYS = ("none", "tanh")


def _by_input(x: Any, parameter: Any, slope: Any) -> Any:
    """The partial by x of `x if x > 0 else …`; zero where not x but the parameter is NaN."""
    return slope if parameter.text else When(counts(x, parameter), slope)


def _gelu(x: Any, approximate: str = "none") -> Any:
    return x * (ndtr(x) if approximate == "none" else soft_gate(x, attr=("gelu", 0)))


def _way(x: Any, approximate: str = "none") -> Any:
    if approximate not in WAYS:
        raise error("unknown-mode", f"`approximate` of `gelu` is `{approximate}`", hint='approximate="none" or approximate="tanh"')
    return gelu(x) if approximate == "none" else gelu(x, attr=approximate)


def _soft_gate(x: Any, kind: str, n: int) -> Any:
    """The gate and its slope; those of higher order have no words."""
    if n > 1:
        return None
    if kind == "mish":
        return sech(softplus(x)) ** 2 * sigmoid(x) if n else tanh(softplus(x))
    root = (2 / x.graph.lift(PI)) ** 0.5
    inner = root * (x + 0.044715 * x**3)
    return 0.5 * sech(inner) ** 2 * root * (1 + 0.134145 * x**2) if n else 0.5 * (1 + tanh(inner))


# fmt: off
relu  = elementwise("relu", lambda x: When(~(x <= 0), guard(1, x)),                       doc="0 if x <= 0 else x", example="relu(-1)",
                    written={"x": "1 if x > 0 else 0"}, kink=lambda x: eq(x, 0))
leaky_relu = elementwise("leaky_relu", (lambda x, slope: _by_input(x, slope, leaky_by_x(x, slope)), lambda x, slope: When(x <= 0, guard(x, slope))),
                         doc="x if x > 0 else slope*x", example="leaky_relu(-1)",
                         written={"x": "1 if x > 0 else slope", "slope": "0 if x > 0 else x"}, call=lambda x, slope=0.01: leaky_relu(x, slope), kink=lambda x, slope: eq(x, 0))
leaky_by_x = elementwise("leaky_by_x", (lambda x, slope: 0, lambda x, slope: When(x <= 0, 1)), doc="slope of leaky_relu: 1 if x > 0 else slope", hidden=True,
                         plain=lambda x, slope: select(x > 0, 1, slope))
elu   = elementwise("elu", (lambda x, alpha: _by_input(x, alpha, elu_by_x(x, alpha)), lambda x, alpha: When(x <= 0, guard(expm1(x), alpha))),
                    doc="x if x > 0 else alpha*expm1(x)", example="elu(-1)",
                    written={"x": "1 if x > 0 else alpha*exp(x)", "alpha": "0 if x > 0 else expm1(x)"}, call=lambda x, alpha=1: elu(x, alpha), kink=lambda x, alpha: eq(x, 0) & ne(alpha, 1))
elu_by_x = elementwise("elu_by_x", (lambda x, alpha: When(x <= 0, elu_by_x(x, alpha)), lambda x, alpha: When(x <= 0, exp(x))),
                       doc="slope of elu: 1 if x > 0 else alpha*exp(x)", hidden=True, plain=lambda x, alpha: select(x > 0, 1, alpha * exp(x)))
counts = elementwise("counts", (lambda x, parameter: 0, lambda x, parameter: 0), kind="bool", doc="whether a slope by x is a number: not where only its parameter is NaN", hidden=True, plain=lambda x, _: x.graph.const("True"))
selu  = elementwise("selu", lambda x: select(x > 0, SCALE, SCALE * ALPHA * exp(x)), doc="elu with the self-normalising scales", example="selu(-1)",
                    written={"x": "1.0507009873554805 if x > 0 else 1.7580993408473766*exp(x)"}, kink=lambda x: eq(x, 0))
gelu  = composite("gelu", _gelu, doc="x*ndtr(x), or its approximation by tanh", example="gelu(1)",
                  written={"x": "ndtr(x) + x*exp(-x**2/2)/sqrt(2*pi)"}, parameters=("approximate",), call=_way)
silu  = composite("silu", lambda x: x * sigmoid(x),        doc="x*sigmoid(x)",        example="silu(1)", aliases=("swish",))
mish  = composite("mish", lambda x: x * soft_gate(x, attr=("mish", 0)), doc="x*tanh(softplus(x))", example="mish(1)",
                  written={"x": "tanh(softplus(x)) + x*sech(softplus(x))**2*sigmoid(x)"})
soft_gate = elementwise("soft_gate", lambda x, kn: soft_gate(x, attr=(kn[0], kn[1] + 1)), doc="n-th derivative of what mish or the tanh form of gelu multiplies x by", hidden=True,
                        plain=lambda x, kn: _soft_gate(x, *kn))
hardtanh = composite("hardtanh", lambda x, min, max: clip(x, min, max), doc="x, but not below min and not above max", example="hardtanh(2)",
                     written={"x": "1 if min <= x <= max else 0", "min": "1 if x < min <= max else 0", "max": "1 if x > max or min > max else 0"},
                     call=lambda x, min=-1, max=1: hardtanh(x, min, max), kink=lambda x, lo, hi: eq(x, lo) | eq(x, hi))
softsign = elementwise("softsign", lambda x: (1 / (1 + abs_(x))) ** 2, doc="x/(1 + abs(x))", example="softsign(1)",
                       written={"x": "1/(1 + abs(x))**2"})
tanhshrink = elementwise("tanhshrink", lambda x: tanh(x) ** 2,         doc="x - tanh(x)",    example="tanhshrink(1)")
# fmt: on
