"""Losses and what they are made of: language calls in, nodes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import error
from ..graph import PARAM
from .arithmetic import select
from .array import arrays_only, axes_of, function, one_axis, reduced
from .elementary import exp, log
from .linear import add_up, class_number, place_below, reshaped, stretch_back, take_along
from .reductions import mean_of
from .stable import softplus, times0, xlog1py, xlogy
from .steps import abs_
from .tensor import lse, shifted

if TYPE_CHECKING:
    from ..graph import Expr, Fn
    from ..op import Op

MODES = ("mean", "sum", "none")


def averaged(x: Expr, reduction: str, name: str) -> Expr:
    """The mean, the sum or the entries of a loss; one number is a batch of one."""
    if reduction not in MODES:
        raise error("unknown-mode", f"`reduction` of `{name}` is `{reduction}`", hint='reduction="mean", "sum" or "none"')
    axes = tuple(range(len(x.type.shape)))
    if reduction == "none" or not axes:
        return x
    return add_up(x, axes) if reduction == "sum" else mean_of(x, axes)


def sum_of_exponentials(x: Expr, axes: tuple[int, ...]) -> Expr:
    """log(sum(exp(x))) over axes."""
    return x.graph.add(lse, [x], (axes,))


def _normalised(x: Any, axis: Any, name: str) -> Any:
    arrays_only(x, name)
    axes = axes_of(x, axis, name)
    z = shifted(x, axes)
    return z - stretch_back(log(add_up(exp(z), axes)), x.type.shape, axes)


def _log_softmax(x: Any, axis: Any = -1) -> Any:
    return _normalised(x, axis, "log_softmax")


def _softmax(x: Any, axis: Any = -1) -> Any:
    return exp(_normalised(x, axis, "softmax"))


def _mse(pred: Any, target: Any, reduction: Any = "mean") -> Any:
    return averaged((pred - target) ** 2, reduction, "mse")


def _mae(pred: Any, target: Any, reduction: Any = "mean") -> Any:
    return averaged(abs_(pred - target), reduction, "mae")


def _huber(pred: Any, target: Any, delta: Any = 1, reduction: Any = "mean") -> Any:
    r = pred - target
    size = abs_(r)
    return averaged(select(size <= delta, r**2 / 2, delta * (size - delta / 2)), reduction, "huber")


def _cross_entropy(logits: Any, targets: Any, axis: Any = -1, reduction: Any = "mean") -> Any:
    return _likelihood(_normalised(logits, axis, "cross_entropy"), targets, axis, reduction, "cross_entropy")


def _nll(log_probs: Any, targets: Any, axis: Any = -1, reduction: Any = "mean") -> Any:
    arrays_only(log_probs, "nll")
    return _likelihood(log_probs, targets, axis, reduction, "nll")


def _likelihood(scores: Expr, targets: Any, axis: Any, reduction: Any, name: str) -> Expr:
    """-sum of targets times scores a case, a zero target counting 0; class numbers pick one score a case."""
    k = one_axis(axis, len(scores.type.shape), name)
    shape, given = scores.type.shape, targets.type.shape
    cases = (*shape[:k], *shape[k + 1 :])
    if given == shape:
        return averaged(-add_up(_weighted(targets, scores), (k,)), reduction, name)
    if given != cases:
        raise error(
            "shape", f"targets of shape {given} for scores of shape {shape}",
            hint=f"class numbers have shape {cases}, as ravel(t) makes them; probabilities have shape {shape}",
        )  # fmt: skip
    places = reshaped(targets, (*cases[:k], 1, *cases[k:]))
    picked = scores.graph.add(take_along, [scores, _classes(places, shape[k])], k)
    return averaged(-reshaped(picked, cases), reduction, name)


def _classes(places: Expr, size: int) -> Expr:
    return places.graph.add(class_number, [places], size)


def class_numbers(fn: Fn) -> set[str]:
    """The inputs that are class numbers, which have no derivative."""
    return _read_by(fn, class_number)


def whole_numbers(fn: Fn) -> set[str]:
    """The inputs that have to be whole: class numbers and places."""
    return _read_by(fn, class_number, place_below)


def _read_by(fn: Fn, *ops: Op) -> set[str]:
    found: set[str] = set()
    for node in fn.nodes:
        place = node.args[0] if node.op in ops else None
        while place is not None and fn.nodes[place].op.rule == "linear":
            place = fn.nodes[place].args[0]
        if place is not None and fn.nodes[place].op is PARAM:
            found.add(fn.nodes[place].attr)
    return found


def _weighted(targets: Expr, scores: Expr) -> Expr:
    """Targets times scores, 0 where t is 0 also at s = -inf."""
    return times0(targets, scores)  # type: ignore[no-any-return]  # an expression


def _binary(p: Any, t: Any, reduction: Any = "mean") -> Any:
    return averaged(-xlogy(t, p) - xlog1py(1 - t, -p), reduction, "binary_cross_entropy")


def _from_logits(z: Any, t: Any, reduction: Any = "mean") -> Any:
    return averaged(softplus(z) - z * t, reduction, "binary_cross_entropy_with_logits")


# fmt: off
function("logsumexp",   lambda x, axis=None, keepdims=False: reduced(sum_of_exponentials, x, axis, keepdims, "logsumexp"), "axis", "keepdims", doc="log(sum(exp(x)))", example="logsumexp([1000, 1000])")
function("softmax",     _softmax, "axis",     doc="exp(x)/sum(exp(x)) along the last axis",  example="softmax([1, 2])")
function("log_softmax", _log_softmax, "axis", doc="log(softmax(x)) along the last axis",     example="log_softmax([1, 2])")
function("mse",   _mse,   "reduction", doc="mean of squared differences",  example="mse([1, 2], [1, 4])")
function("mae",   _mae,   "reduction", doc="mean of absolute differences", example="mae([1, 2], [1, 4])")
function("huber", _huber, "reduction", doc="squares near 0, absolute values beyond delta", example="huber([1, 5], [1, 1])")
function("cross_entropy", _cross_entropy, "axis", "reduction", doc="from logits, and class numbers or probabilities", example="cross_entropy([[2, 1]], [0])")
function("nll",   _nll, "axis", "reduction", doc="from log-probabilities, and class numbers or probabilities", example="nll(log_softmax([[2, 1]]), [0])")
function("binary_cross_entropy", _binary, "reduction", aliases=("bce",), doc="from probabilities", example="binary_cross_entropy(0.5, 1)")
function("binary_cross_entropy_with_logits", _from_logits, "reduction", aliases=("bce_with_logits",), doc="from logits", example="bce_with_logits(0, 1)")
# fmt: on
