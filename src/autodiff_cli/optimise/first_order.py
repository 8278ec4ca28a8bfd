"""SGD, momentum and Adam with PyTorch's update formulas in float64: a loss and settings in, its parameters changed in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import RATES, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Kept, Settings
    from .loss import Loss

    Array = Any
    Update = Callable[[Array, Array], None]

MOMENTUM = 0.9
BETAS, EPSILON = (0.9, 0.999), 1e-8


def sgd(rate: float, momentum: float) -> Update:
    """Let v = momentum v + g, which starts as g; x = x - rate v."""
    velocity: list[Array] = []

    def update(x: Array, g: Array) -> None:
        if momentum and velocity:
            np.multiply(velocity[0], momentum, out=velocity[0])
            np.add(velocity[0], g, out=velocity[0])
        elif momentum:
            velocity.append(g.copy())
        x -= rate * (velocity[0] if momentum else g)

    return update


def adam(rate: float) -> Update:
    """Let m and v be means of g and g² that forget; x = x - rate m̂ / (√v̂ + ε), with m̂ and v̂ corrected for their start at 0."""
    first, second = BETAS
    state: dict[str, Any] = {"steps": 0}

    def update(x: Array, g: Array) -> None:
        if not state["steps"]:
            state.update(m=np.zeros_like(x), v=np.zeros_like(x), free=np.empty_like(x))
        state["steps"] += 1
        m, v, free = state["m"], state["v"], state["free"]
        m += np.multiply(np.subtract(g, m, out=free), 1 - first, out=free)
        np.multiply(v, second, out=v)
        v += np.multiply(np.multiply(g, g, out=free), 1 - second, out=free)
        np.divide(np.sqrt(v, out=free), (1 - second ** state["steps"]) ** 0.5, out=free)
        np.divide(m, np.add(free, EPSILON, out=free), out=free)
        x -= np.multiply(free, rate / (1 - first ** state["steps"]), out=free)

    return update


def rule(settings: Settings) -> Update:
    """The update of the optimizer that is asked for."""
    rate = settings.rate or RATES[settings.optimizer]
    if settings.optimizer == "adam":
        return adam(rate)
    default = MOMENTUM if settings.optimizer == "momentum" else 0.0
    return sgd(rate, default if settings.momentum is None else settings.momentum)


def descend(loss: Loss, settings: Settings, kept: Kept) -> Outcome:
    """Steps until they are used up, or until no entry of the gradient over everything is above `tol`."""
    update = rule(settings)
    for step in range(settings.steps):
        if settings.tol is not None and loss.batches > 1 and step % loss.batches == 0 and _largest(loss.whole()) <= settings.tol:
            return Outcome(loss.whole()[0], step)
        value, slope = loss.batch()
        kept.keep(step, loss.x, loss.finite(value, slope))
        if settings.tol is not None and loss.batches == 1 and _largest((value, slope)) <= settings.tol:
            return Outcome(value, step)
        update(loss.x, slope)
    value, slope = loss.whole()
    kept.keep(settings.steps, loss.x, loss.finite(value, slope))
    unmet = settings.tol is not None and _largest((value, slope)) > settings.tol
    return Outcome(value, settings.steps, "steps" if unmet else None)


def _largest(found: tuple[float, Array]) -> float:
    """The size of the largest entry of the gradient."""
    return float(np.abs(found[1]).max())
