"""The ops that every other entry is written with: arithmetic, comparisons, selection."""

from __future__ import annotations

from math import comb, perm
from typing import Any

from ..constants import WHOLE
from ..graph import OPS, Expr, Infix
from ..types import Type
from .entry import POSITIVE, elementwise, step, structured, zero


def _whole(value: int, *args: Expr) -> Expr | None:
    minus = any((a.text or "").startswith("-") for a in args)
    return args[0].graph.const(str(value)) if abs(value) < WHOLE and (value or not minus) else None


def _fold_add(x: Expr, y: Expr) -> Expr | None:
    a, b = x.whole, y.whole
    return None if a is None or b is None else _whole(a + b, x, y)


def _fold_sub(x: Expr, y: Expr) -> Expr | None:
    a, b = x.whole, y.whole
    return None if a is None or b is None else _whole(a - b, x, y)


def _fold_mul(x: Expr, y: Expr) -> Expr | None:
    a, b = x.whole, y.whole
    if a == 1:
        return y
    if b == 1:
        return x
    return None if a is None or b is None else _whole(a * b, x, y)


def _fold_div(x: Expr, y: Expr) -> Expr | None:
    a, b = x.whole, y.whole
    if b == 1:
        return x
    return None if a is None or not b or a % b else _whole(a // b, x, y)


def _fold_pow(x: Expr, y: Expr) -> Expr | None:
    a, b = x.whole, y.whole
    if b == 1:
        return x
    if a is None or b is None or b < 0 or abs(a) > 1 and b > 53:
        return None
    return _whole(a ** (b if abs(a) > 1 else b % 2 or 2 * bool(b)), y)


def _fold_neg(x: Expr) -> Expr | None:
    if x.node.op is neg:
        return x.args[0]
    text = x.text
    if x.whole is None or text is None:
        return None
    return x.graph.const(text[1:] if text.startswith("-") else f"-{text}")


def _fold_not(p: Expr) -> Expr | None:
    if p.node.op is not_:
        return p.args[0]
    return p.graph.const("False" if p.text == "True" else "True") if p.text else None


def _fold_select(p: Expr, a: Expr, b: Expr, *attr: Any) -> Expr | None:
    if p.text:
        return a if p.text == "True" else b
    if a.id == b.id:
        return a
    return p if not attr and a.text == "True" and b.text == "False" else None


def _select_type(_: Any, p: Type, a: Type, b: Type) -> Type:
    return b if a.kind == b.kind else Type("real", b.shape)


def _is_zero(x: Expr) -> bool:
    return x.whole == 0


def guard(d: Any, v: Any) -> Any:
    """`d`, but NaN where `v` is NaN; its own derivative is guarded too."""
    return OPS_guard(d, v)


add = elementwise("add", (lambda x, y: 1, lambda x, y: 1), doc="sum", example="2 + 3", infix=Infix("+", 11), fold=_fold_add)
sub = elementwise("sub", (lambda x, y: 1, lambda x, y: -1), doc="difference", example="2 - 3", infix=Infix("-", 11), fold=_fold_sub)
mul = elementwise("mul", (lambda x, y: y, lambda x, y: x), doc="product", example="2 * 3", infix=Infix("*", 12), fold=_fold_mul)
div = elementwise(
    "div", (lambda x, y: 1 / y, lambda x, y: 0 if _is_zero(x) else -(x / y) / y), doc="quotient", example="2 / 3",
    infix=Infix("/", 12), fold=_fold_div, sample=((-3.0, 3.0), POSITIVE), domain="y != 0",
)  # fmt: skip
neg = elementwise("neg", lambda x: -1, doc="negative", example="-2", infix=Infix("-", 13), fold=_fold_neg)
pow_ = elementwise(
    "pow", (lambda x, y: _power_by_base(x, y), lambda x, y: dpow(x, y, attr=(0, 1))), doc="power", example="2 ** 3",
    written={"x": "y*x**(y - 1)", "y": "x**y*log(x)"},
    infix=Infix("**", 14, right=True), fold=_fold_pow, call=lambda x, y: x**y, sample=(POSITIVE, (-3.0, 3.0)), domain="x > 0, or x = 0 with y >= 0, or y whole",
)  # fmt: skip
dpow = elementwise(
    "dpow", (lambda x, y, jk: dpow(x, y, attr=(jk[0] + 1, jk[1])), lambda x, y, jk: dpow(x, y, attr=(jk[0], jk[1] + 1))),
    doc="derivative of x**y, j times by x and k times by y", hidden=True, sample=(POSITIVE, (-3.0, 3.0)),
    plain=lambda x, y, jk: _power_slope(x, y, *jk), hole=lambda x, y, jk: eq(x, 0) if jk != (1, 0) else None,
)  # fmt: skip


def _power_by_base(x: Expr, y: Expr) -> Any:
    if _is_zero(y):
        return 0
    return y * x ** (y - 1) if y.text is not None else dpow(x, y, attr=(1, 0))


def _power_slope(x: Expr, y: Expr, j: int, k: int) -> Any:
    """The sum of C(k, i) f'(y) x**(y - j) log(x)**(k - i), where f' is the i-th derivative of f = y (y - 1) … (y - j + 1)."""
    f = falling(j)
    total: Any = x.graph.lift(0)
    for i in range(min(k, j) + 1):
        factor = sum((comb(k, i) * perm(n, i) * c * y ** (n - i) for n, c in enumerate(f) if n >= i and c), start=y.graph.lift(0))
        total = total + factor * x ** (y - j) * OPS["log"](x) ** (k - i)
    return total


def falling(k: int) -> list[int]:
    """The coefficients of y (y - 1) … (y - k + 1), of the lowest power first."""
    f = [1]
    for m in range(k):
        f = [a - m * b for a, b in zip([0, *f], [*f, 0], strict=True)]
    return f


OPS_guard = elementwise(
    "guard", (lambda d, v: OPS_guard(1, v), zero), doc="d, NaN where v is NaN", hidden=True, plain=lambda d, _: d,
    fold=lambda d, v: d if d.node.op is OPS_guard and d.node.args[1] == v.id else None,
)  # fmt: skip
detach = step("detach", doc="passes the value and no derivative", example="detach(2)", aliases=("stop_gradient",))
real = step("real", doc="a condition as 1.0 or 0.0", hidden=True, typed=lambda _, p: Type("real", p.shape))

lt = elementwise("lt", (zero, zero), kind="bool", doc="less than", example="1 < 2", infix=Infix("<", 6))
le = elementwise("le", (zero, zero), kind="bool", doc="at most", example="1 <= 2", infix=Infix("<=", 6))
gt = elementwise("gt", (zero, zero), kind="bool", doc="greater than", example="1 > 2", infix=Infix(">", 6))
ge = elementwise("ge", (zero, zero), kind="bool", doc="at least", example="1 >= 2", infix=Infix(">=", 6))
eq = elementwise("eq", (zero, zero), kind="bool", doc="equal", example="1 == 2", infix=Infix("==", 6))
ne = elementwise("ne", (zero, zero), kind="bool", doc="not equal", example="1 != 2", infix=Infix("!=", 6))
not_ = step("not", kind="bool", doc="negation of a condition", example="not 1 > 2", infix=Infix("not", 5), fold=_fold_not)
isnan = step("isnan", kind="bool", doc="whether x is NaN", example="isnan(0)", latex=r"\operatorname{isnan}")
isinf = step("isinf", kind="bool", doc="whether x is infinite", example="isinf(0)")
isfinite = step("isfinite", kind="bool", doc="whether x is neither NaN nor infinite", example="isfinite(0)")
select = structured(
    "select", doc="a where p holds, else b; the other one is not evaluated", hidden=True, fold=_fold_select, typed=_select_type,
)  # fmt: skip
