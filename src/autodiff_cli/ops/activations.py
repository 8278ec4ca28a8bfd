"""Activations of neural networks: entries of the op table."""

from __future__ import annotations

from typing import Any

from ..diagnostics import error
from ..graph import CONST, PI, Formula, When
from .arithmetic import eq, guard, ne, select
from .elementary import exp, expm1, sqrt, tanh
from .entry import composite, elementwise
from .special import ndtr
from .stable import sigmoid, softplus
from .steps import abs_, clip

SCALE = Formula(CONST, (), "1.0507009873554804934193349852946")
ALPHA = Formula(CONST, (), "1.6732632423543772848170429916717")
CUBIC = Formula(CONST, (), "0.044715")
WAYS = ("none", "tanh")


def _by_input(x: Any, parameter: Any, below: Any) -> Any:
    """The partial by x of `x if x > 0 else …`; zero where not x but the parameter is NaN."""
    slope = guard(select(x <= 0, below, 1), x)
    return slope if parameter.text else When(eq(parameter, parameter) | ~(x <= 0), slope)


def _gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "none":
        return x * ndtr(x)
    return 0.5 * x * (1 + tanh(sqrt(2 / PI) * (x + CUBIC * x**3)))


def _way(x: Any, approximate: str = "none") -> Any:
    if approximate not in WAYS:
        raise error("unknown-mode", f"`approximate` of `gelu` is `{approximate}`", hint='approximate="none" or approximate="tanh"')
    return gelu(x) if approximate == "none" else gelu(x, attr=approximate)


# fmt: off
relu  = elementwise("relu", lambda x: When(~(x <= 0), guard(1, x)),                       doc="0 if x <= 0 else x", example="relu(-1)", kink=lambda x: eq(x, 0))
leaky_relu = elementwise("leaky_relu", (lambda x, slope: _by_input(x, slope, slope), lambda x, slope: When(x <= 0, guard(x, slope))),
                         doc="x if x > 0 else slope*x", example="leaky_relu(-1)", call=lambda x, slope=0.01: leaky_relu(x, slope), kink=lambda x, slope: eq(x, 0))
elu   = elementwise("elu", (lambda x, alpha: _by_input(x, alpha, alpha * exp(x)), lambda x, alpha: When(x <= 0, guard(expm1(x), alpha))),
                    doc="x if x > 0 else alpha*expm1(x)", example="elu(-1)", call=lambda x, alpha=1: elu(x, alpha), kink=lambda x, alpha: eq(x, 0) & ne(alpha, 1))
selu  = elementwise("selu", lambda x: select(x > 0, SCALE, SCALE * ALPHA * exp(x)), doc="elu with the self-normalising scales", example="selu(-1)", kink=lambda x: eq(x, 0))
gelu  = composite("gelu", _gelu, doc="x*ndtr(x), or its approximation by tanh", example="gelu(1)", parameters=("approximate",), call=_way)
silu  = composite("silu", lambda x: x * sigmoid(x),        doc="x*sigmoid(x)",        example="silu(1)", aliases=("swish",))
mish  = composite("mish", lambda x: x * tanh(softplus(x)), doc="x*tanh(softplus(x))", example="mish(1)")
hardtanh = composite("hardtanh", lambda x, min, max: clip(x, min, max), doc="x, but not below min and not above max", example="hardtanh(2)",
                     call=lambda x, min=-1, max=1: hardtanh(x, min, max), kink=lambda x, lo, hi: eq(x, lo) | eq(x, hi))
softsign = elementwise("softsign", lambda x: (1 / (1 + abs_(x))) ** 2, doc="x/(1 + abs(x))", example="softsign(1)")
tanhshrink = elementwise("tanhshrink", lambda x: tanh(x) ** 2,         doc="x - tanh(x)",    example="tanhshrink(1)")
# fmt: on
