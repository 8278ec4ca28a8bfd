"""A function of rows, and rows, in; those for which it cannot be evaluated, and what is said about them, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Diagnostic, Exit
from ..notes.rows import rows as rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..data.plan import OnError

    Array = Any


def failing(run: Callable[[Array], object], rows: Array, *, first: bool) -> Array:
    """Those of `rows` for which `run`, called with the places of some rows, raises an error of evaluation; in no order.

    An error that knows its rows (`AutodiffError.rows`) takes them away at once; else they are found by halves.
    With `first`, no rows behind the first such row are looked for, which is the smallest of those that come out.
    """
    import numpy as np

    bad = [rows[:0]]
    waiting = [rows]
    while waiting:
        some = waiting.pop()
        problem = _raised(run, some)
        if problem is None:
            continue
        known = np.ones(1, bool) if len(some) == 1 else problem.rows
        if known is None:
            waiting += np.array_split(some, 2)[::-1]
            continue
        bad.append(some[known])
        rest = some[: known.argmax()] if first else some[~known]
        waiting = [*([] if first else waiting), *([rest] if len(rest) else [])]
    return np.concatenate(bad)


def _raised(run: Callable[[Array], object], rows: Array) -> AutodiffError | None:
    try:
        run(rows)
    except AutodiffError as problem:
        if problem.diagnostic.exit != Exit.EVALUATION:
            raise
        return problem
    return None


def bad_rows(count: int, first: AutodiffError | None, on_error: OnError, *, reduced: bool) -> list[Diagnostic]:
    """How many rows were passed over, and what was wrong with the first of them."""
    if not count:
        return []
    was, have = ("was", "has") if count == 1 else ("were", "have")
    message = f"{rows_of(count)} {was} left out" if reduced or on_error == "skip" else f"{rows_of(count)} {have} no results"
    if first is None:
        return [Diagnostic("bad-rows", message, severity="note")]
    found = first.diagnostic
    hint = found.hint if found.code == "unlike-shapes" else None
    return [Diagnostic("bad-rows", message, found.labels, (f"the first: {found.message}", *found.notes), hint, severity="note")]
