"""Forms that neither overflow nor cancel: entries of the op table."""

from __future__ import annotations

from typing import Any

from ..graph import When
from .arithmetic import eq, ne
from .elementary import exp, expm1, log, log1p, sech
from .entry import POSITIVE, PROBABILITY, elementwise
from .steps import LEAST

BELOW_ZERO = (-4.0, -0.05)


def _softplus(x: Any, beta: Any = 1) -> Any:
    return softplus(beta * x) / beta


def _share(x: Any, y: Any, lead: Any) -> Any:
    """The share of one exponential in the sum of two; a structural zero where both are 0."""
    return When(ne(logaddexp(x, y), LEAST), sigmoid(lead))


# fmt: off
sigmoid  = elementwise("sigmoid",  lambda x: 0.25 * sech(x / 2) ** 2, doc="1/(1 + exp(-x))",                example="sigmoid(0)",    aliases=("expit",), latex=r"\sigma")
logit    = elementwise("logit",    lambda x: 1 / rest(x),             doc="log(x/(1 - x))",                 example="logit(0.75)",   written={"x": "1/(x*(1 - x))"}, sample=PROBABILITY, domain="0 <= x <= 1", guard=True)
rest     = elementwise("rest",     lambda x: 1 - 2 * x,               doc="x*(1 - x)",                    hidden=True, plain=lambda x: x * (1 - x))
softplus = elementwise("softplus", lambda x: sigmoid(x),               doc="log(1 + exp(beta x))/beta",     example="softplus(800)",
                       written={"x": "sigmoid(beta*x)", "beta": "(x*sigmoid(beta*x) - softplus(x, beta))/beta"}, call=_softplus)
log_sigmoid = elementwise("log_sigmoid", lambda x: sigmoid(-x),        doc="log(sigmoid(x))",               example="log_sigmoid(-1000)")
logaddexp = elementwise("logaddexp", (lambda x, y: _share(x, y, x - y), lambda x, y: _share(x, y, y - x)),
                        doc="log(exp(x) + exp(y))", example="logaddexp(1000, 1000)", written={"x": "sigmoid(x - y)", "y": "sigmoid(y - x)"})
log1mexp = elementwise("log1mexp", lambda x: -exp(x) / (0 - expm1(x)), doc="log(1 - exp(x)), x <= 0", example="log1mexp(-1e-12)",
                       written={"x": "exp(x)/expm1(x)"}, sample=BELOW_ZERO, domain="x <= 0", guard=True)
xlogy    = elementwise("xlogy",    (lambda x, y: log(y),   lambda x, y: ratio0(x, y)), doc="x log(y), 0 at x = 0", example="xlogy(0, 0)",
                       written={"x": "log(y)", "y": "x/y  # 0 where x is 0"},
                       sample=((-3.0, 3.0), POSITIVE), domain="y >= 0, or x = 0", guard=True)
xlog1py  = elementwise("xlog1py",  (lambda x, y: log1p(y), lambda x, y: ratio0(x, 1 + y)), doc="x log(1 + y), 0 at x = 0", example="xlog1py(0, -1)",
                       written={"x": "log1p(y)", "y": "x/(1 + y)  # 0 where x is 0"},
                       sample=((-3.0, 3.0), (-0.9, 3.0)), domain="y >= -1, or x = 0", guard=True)
ratio0   = elementwise("ratio0",   (lambda x, y: 1 / y, lambda x, y: -ratio0(ratio0(x, y), y)), doc="x / y, 0 at x = 0", hidden=True, sample=((-3.0, 3.0), POSITIVE),
                       plain=lambda x, y: x / y, hole=lambda x, y: eq(x, 0) & eq(y, 0))
times0   = elementwise("times0",   (lambda x, y: y, lambda x, y: x), doc="x y, 0 where x is 0 also at an infinite y", hidden=True, plain=lambda x, y: x * y)
# fmt: on
