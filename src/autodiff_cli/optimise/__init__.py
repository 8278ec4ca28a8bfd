"""Minimising: a `Loss` and settings in; its parameters changed in place, how it ended out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from .loss import Loss

    Record = Callable[[int, float], None]

OPTIMIZERS = ("sgd", "momentum", "adam", "lbfgs", "newton-cg")
FIRST_ORDER = OPTIMIZERS[:3]
RATES = {"sgd": 0.01, "momentum": 0.01, "adam": 0.001}
STEPS = 1000


class Settings(NamedTuple):
    """What is asked for; `rate` and `momentum` are for the first three optimizers, `tol` bounds the largest entry of the gradient."""

    optimizer: str = "lbfgs"
    rate: float | None = None
    momentum: float | None = None
    steps: int = STEPS
    tol: float | None = None


class Outcome(NamedTuple):
    """`loss` is that of the parameters that were kept; `why` says why it is no answer ("steps", "search" or "not-finite"), None where it is one."""

    loss: float
    steps: int
    why: str | None = None


class NotFinite(Exception):
    """A loss or a gradient that is not finite, and the parameters there."""

    def __init__(self, loss: float, at: Any) -> None:
        super().__init__(loss)
        self.loss, self.at = loss, at


def minimise(loss: Loss, settings: Settings, record: Record) -> Outcome:
    """Change `loss.x` step by step; `record` is told the number of steps made and the loss after them."""
    import numpy as np

    kept = Kept(loss, record)
    try:
        with np.errstate(all="ignore"):
            if settings.optimizer in FIRST_ORDER:
                from .first_order import descend

                return descend(loss, settings, kept)
            from .second_order import search

            return search(loss, settings, kept)
    except NotFinite as problem:
        loss.bad = problem
        loss.x[:] = kept.x
        return Outcome(kept.loss, kept.steps, "not-finite")


class Kept:
    """The last parameters whose loss was finite, after how many steps, and that loss."""

    def __init__(self, loss: Loss, record: Record) -> None:
        self.x, self.loss, self.steps, self.record = loss.x.copy(), float("nan"), 0, record

    def keep(self, steps: int, x: Any, value: float) -> None:
        """These are good."""
        self.x[:] = x
        self.loss, self.steps = value, steps
        self.record(steps, value)
