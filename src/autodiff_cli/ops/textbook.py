"""What a call of a function hands back to its arguments, as a textbook writes it: entries of the table in, their `back` filled.

Each rule is over the arguments of the call by name, its `value`, and `bar`, the cotangent of the value. It gives an expression; a
text with `{bar}` where words say it better; or None, where this form of the call has no such rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import OPS, Expr
from .arithmetic import eq, select
from .array import axes_of, count, iota
from .elementary import exp
from .linear import add_up, reshaped, stretch_back
from .stable import sigmoid

if TYPE_CHECKING:
    from ..types import Type


def word(name: str, args: list[Expr], type: Type, **statics: Any) -> Expr:
    """A call that stands as itself, for people to read."""
    graph = args[0].graph
    return Expr(graph, graph.intern(OPS[name], tuple([a.id for a in args]), tuple(statics.items()) or None, type))


def _spread(y: Expr, x: Expr, axis: Any, name: str) -> Expr:
    """What a reduction made, at every entry that it was made of; one number, or axes that were kept, stretch by themselves."""
    axes = axes_of(x, axis, name)
    return y if not y.type.shape or len(y.type.shape) == len(x.type.shape) else stretch_back(y, x.type.shape, axes)


def _summed(y: Expr, axis: Any, name: str) -> Expr:
    return _spread(add_up(y, axes_of(y, axis, name)), y, axis, name)


def _softmax(value: Expr, bar: Expr, x: Expr, axis: Any) -> Any:
    return value * (bar - _summed(bar * value, axis, "softmax")) if x.type.shape == bar.type.shape else None


def _log_softmax(value: Expr, bar: Expr, x: Expr, axis: Any) -> Any:
    return bar - exp(value) * _summed(bar, axis, "log_softmax")


def _logsumexp(value: Expr, bar: Expr, x: Expr, axis: Any, **_: Any) -> Any:
    if len(x.type.shape) == 1:
        return bar * word("softmax", [x], x.type)
    return _spread(bar, x, axis, "logsumexp") * exp(x - _spread(value, x, axis, "logsumexp"))


def _mean(bar: Expr, x: Expr, axis: Any, **_: Any) -> Any:
    n = count(x, axes_of(x, axis, "mean"))
    return bar.graph.broadcast(_spread(bar if n == 1 else bar / n, x, axis, "mean"), x.type.shape)


def _prod(axis: Any, **_: Any) -> Any:
    along = "" if axis is None else f" along axis {axis:g}" if isinstance(axis, int | float) else " along these axes"
    return "{bar} times the product of the other entries" + along


def _extreme(value: Expr, bar: Expr, x: Expr, axis: Any, **_: Any) -> Any:
    """Shared evenly by the entries that are as large (as small) as the result."""
    here = eq(x, _spread(value, x, axis, "max"))
    often = reshaped(add_up(OPS["real"](here), axes_of(x, axis, "max")), bar.type.shape)
    return select(here, _spread(bar / often, x, axis, "max"), 0)


def _entries(bar: Expr, amount: Any, reduction: str, n: int) -> Any:
    """A loss whose entries have this slope: of their mean, their sum, or each by itself."""
    return bar * (amount / n if reduction == "mean" and n > 1 else amount)


def _of_difference(bar: Expr, amount: Expr, x: Expr, reduction: str) -> Any:
    """The same by an argument of all entries, or by one number that stands in each of them."""
    n = _cases(amount)
    if amount.type.shape == x.type.shape:
        return _entries(bar, amount, reduction, n)
    if x.type.shape or reduction == "none":
        return None
    return _entries(bar, add_up(amount, tuple(range(len(amount.type.shape)))), reduction, n)


def _cases(x: Expr) -> int:
    size = 1
    for n in x.type.shape:
        size *= n
    return size


def _mse(bar: Expr, pred: Expr, target: Expr, reduction: Any, **_: Any) -> Any:
    return _of_difference(bar, 2 * (pred - target), pred, reduction)


def _mse_target(bar: Expr, pred: Expr, target: Expr, reduction: Any, **_: Any) -> Any:
    return _mse(bar, target, pred, reduction)


def _from_logits(bar: Expr, z: Expr, t: Expr, reduction: Any, **_: Any) -> Any:
    return _of_difference(bar, sigmoid(z) - t, z, reduction)


def _from_logits_target(bar: Expr, z: Expr, t: Expr, reduction: Any, **_: Any) -> Any:
    return _of_difference(bar, -z, t, reduction)


def _cross_entropy(bar: Expr, logits: Expr, targets: Expr, axis: Any, reduction: Any, **_: Any) -> Any:
    """The softmax less 1 at the class, or less the probability of each class."""
    shape, cases = logits.type.shape, logits.type.shape[:-1]
    if axes_of(logits, axis, "cross_entropy") != (len(cases),) or reduction == "none":
        return None
    found = word("softmax", [logits], logits.type)
    n = count(logits, tuple(range(len(cases))))
    if targets.type.shape == shape:
        return _entries(bar, found * _summed(targets, -1, "cross_entropy") - targets, reduction, n)
    classes = Expr(bar.graph, bar.graph.intern(iota, (), shape[-1]))
    hit = eq(classes, reshaped(targets, (*cases, 1)) if cases else targets)
    return _entries(bar, found - select(hit, 1, 0), reduction, n)


def _cross_entropy_targets(bar: Expr, logits: Expr, targets: Expr, axis: Any, reduction: Any, **_: Any) -> Any:
    if axes_of(logits, axis, "cross_entropy") != (len(logits.type.shape) - 1,) or reduction == "none":
        return None
    n = count(logits, tuple(range(len(logits.type.shape) - 1)))
    return _entries(bar, -word("log_softmax", [logits], logits.type), reduction, n)


def _solve(value: Expr, bar: Expr, a: Expr, b: Expr) -> Any:
    """A⁻ᵀ b̄ for the right side, and less its outer product with the solution for the matrix."""
    if len(a.type.shape) != 2 or len(b.type.shape) != 1:
        return None
    return -word("outer", [_solve_right(value, bar, a, b), value], a.type)


def _solve_right(value: Expr, bar: Expr, a: Expr, b: Expr) -> Any:
    if len(a.type.shape) != 2 or len(b.type.shape) > 2:
        return None
    return word("solve", [a.graph.add(OPS["permuted"], [a], (1, 0)), bar], value.type)


BACK: dict[str, dict[str, Any]] = {
    "softmax": {"x": _softmax},
    "log_softmax": {"x": _log_softmax},
    "logsumexp": {"x": _logsumexp},
    "mean": {"x": _mean},
    "prod": {"x": _prod},
    "max": {"x": _extreme},
    "min": {"x": _extreme},
    "mse": {"pred": _mse, "target": _mse_target},
    "binary_cross_entropy_with_logits": {"z": _from_logits, "t": _from_logits_target},
    "cross_entropy": {"logits": _cross_entropy, "targets": _cross_entropy_targets},
    "solve": {"a": _solve, "b": _solve_right},
}
for _name, _rules in BACK.items():
    OPS[_name].back = _rules
