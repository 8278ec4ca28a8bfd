"""L-BFGS and Newton-CG of SciPy, with exact gradients and exact Hessian-vector products: a loss and settings in, its parameters changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import Outcome

if TYPE_CHECKING:
    from . import Kept, Settings
    from .loss import Loss

METHODS = {"lbfgs": "L-BFGS-B", "newton-cg": "Newton-CG"}
FLATTER = 1e-3
FLAT, LEVEL, SHORT = 1e-8, 1e-13, 1e-9  # largest slope, relative decrease and step that end a search without `tol`


def search(loss: Loss, settings: Settings, kept: Kept) -> Outcome:
    """Steps until the search says that it is at a minimum, or no entry of the gradient is above `tol`."""
    from scipy import optimize

    value, slope = loss.at(loss.x.copy())
    kept.keep(0, loss.x, value)
    tol, steep = settings.tol, float(np.abs(slope).max())
    if np.abs(slope).max() <= (tol or 0.0):
        return Outcome(value, 0)

    def step(intermediate_result: Any) -> None:
        kept.keep(kept.steps + 1, intermediate_result.x, float(intermediate_result.fun))
        if tol is not None and np.abs(loss.at(kept.x)[1]).max() <= tol:
            raise StopIteration

    def at(x: Any) -> Any:
        found, slope = loss.at(x)
        return found, slope.copy()

    extra = {"hessp": loss.times} if settings.optimizer == "newton-cg" else {}
    minimize: Any = optimize.minimize
    found = minimize(
        at, loss.x.copy(), jac=True, method=METHODS[settings.optimizer], callback=step, options=_options(settings), **extra,
    )  # fmt: skip
    value, slope = loss.at(kept.x)
    met = found.success and _flatter(slope, steep) if tol is None else np.abs(slope).max() <= tol
    return Outcome(value, kept.steps, None if met else "steps" if kept.steps >= settings.steps else "search")


def _flatter(slope: Any, steep: float) -> bool:
    """Whether the slope is small beside that of the start: Newton-CG calls it a success when a step is 0 for want of curvature."""
    return bool(np.abs(slope).max() <= FLATTER * max(steep, 1.0))


def _options(settings: Settings) -> dict[str, Any]:
    """With `tol` the search goes on until that is met or it finds no lower loss."""
    tol = settings.tol
    if settings.optimizer == "lbfgs":
        return {
            "maxiter": settings.steps,
            "maxfun": 100 * settings.steps,
            "gtol": FLAT if tol is None else tol,
            "ftol": LEVEL if tol is None else 0.0,
        }
    return {"maxiter": settings.steps, "xtol": SHORT if tol is None else 0.0}
