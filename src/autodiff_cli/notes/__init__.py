"""What is worth saying about a result: a function, its derivative and a point in, diagnostics out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..diagnostics import Diagnostic
    from ..graph import Fn

__all__ = ["about", "not_finite", "on_kinks"]


def about(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], results: Sequence[Any]) -> list[Diagnostic]:
    """Where a result that is not finite was born, and which kinks the point sits on.

    `fn` has the value as its first result and `results` are the values of all its results. The
    modules that know are imported only where there is something to say.
    """
    from ..program import compile as compiled
    from ..run.point import shaped

    if shaped(compiled(fn).fn):
        return _about_arrays(fn, values, wrt, results)
    found: list[Diagnostic] = []
    if any(r - r != 0 for r in results):
        from .origin import origins

        found += origins(fn, values, wrt, results)
    return [*found, *on_kinks(fn, values, wrt)]


def on_kinks(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], digits: int = 0) -> list[Diagnostic]:
    """Which kinks a point of numbers sits on; with `digits`, as decimals of so many have it."""
    from .kinks import kinks, touched
    from .numbers import DOUBLES, decimals

    numbers = decimals(digits) if digits else DOUBLES
    spans = touched(fn, values, wrt, numbers)
    if not spans:
        return []
    from .bends import bends

    return kinks(fn, spans, values, wrt, numbers) or bends(fn, spans, values, wrt, numbers)


def _about_arrays(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], results: Sequence[Any]) -> list[Diagnostic]:
    from .ties import ties

    found: list[Diagnostic] = []
    from .births import first_bad, origins
    from .conditioned import singular

    found += singular(fn, values)
    if any(first_bad(r) is not None for r in results):
        found += origins(fn, values, results)
    return found + ties(fn, values, wrt)


def not_finite(
    fn: Fn, values: Mapping[str, Any], results: Sequence[Any], wrt: Sequence[str] = (), *, limits: bool = True
) -> list[Diagnostic]:  # fmt: skip
    """Only where results that are not finite were born; with `limits`, with the limit there."""
    from ..program import compile as compiled
    from ..run.point import shaped

    if shaped(compiled(fn).fn):
        from .births import origins as in_arrays

        return in_arrays(fn, values, results)
    from .origin import origins

    return origins(fn, values, wrt, results, limits=limits)
