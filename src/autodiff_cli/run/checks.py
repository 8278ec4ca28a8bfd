"""Checks of places that the data gives in; the same checks, as errors that show the text and know the rows, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Exit, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Site


def at_some(check: Callable[..., Any]) -> Callable[..., Any]:
    """A check of the places of those rows that are asked; the places of the others are 0."""
    import numpy as np

    def call(rows: Any, x: Any) -> Any:
        if rows is None:
            return check(x)
        found = np.zeros(np.shape(x))
        try:
            found[rows] = check(x[rows])
        except AutodiffError as problem:
            problem.rows = np.bincount(rows[problem.rows], minlength=len(x)) > 0
            raise
        return found

    return call


def placed(function: Callable[..., Any], name: str, site: Site | None, *, varies: bool = False) -> Callable[..., Any]:
    """A place that the data gives: one that is not there is an error that shows the text, and knows the rows if it `varies` by rows."""

    def call(x: Any) -> Any:
        try:
            return function(x)
        except IndexError as problem:
            found, size, *bad = problem.args
        what, last = ("class", "") if name == "class_number" else ("entry", ", or -1 for the last")
        lack = f"there is no {what} {found:g}" if found == found // 1 else f"{found:g} is no whole number"
        lacking = error("out-of-range", lack, site and site.span, f"of {size}", hint=f"0 to {size - 1}{last}", exit=Exit.EVALUATION)
        lacking.rows = bad[0].reshape(len(x), -1).any(axis=1) if varies and bad else None
        raise lacking

    return call
