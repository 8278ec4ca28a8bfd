"""A node of a graph under construction and values of names in; its value with many digits, before the graph is made, out."""

from __future__ import annotations

from math import inf, nextafter
from typing import TYPE_CHECKING, Any

from ..constants import Digits
from . import beforehand, digits
from .digits_kernels import kernel
from .digits_steps import snapped
from .settled import FAR, ROUNDS, SPARE, alike, clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph import Expr, Graph


class Decided:
    """What `lower` asks for values, with `wanted` digits of them right; `given` are the values of names, as digits take them.

    Two precisions have to agree, as they have in `settled`; what each of them makes of a graph is kept.
    """

    __slots__ = ("given", "known", "read", "wanted")

    def __init__(self, given: Mapping[str, Any], wanted: int) -> None:
        self.given, self.wanted = given, wanted
        self.known: dict[tuple[Graph, int], dict[int, Any]] = {}
        self.read: dict[tuple[str, int], Any] = {}

    def __call__(self, expr: Expr, _values: Mapping[str, Any]) -> Any:
        found = self._settled(expr)
        if not hasattr(found, "dtype"):
            return static(found, self.wanted)
        import numpy as np

        return found if found.dtype == bool else np.frompyfunc(lambda x: static(x, self.wanted), 1, 1)(found)

    def _settled(self, expr: Expr) -> Any:
        working = self.wanted + SPARE
        before = found = self._computed(expr, working)
        for _ in range(ROUNDS):
            before, working = found, max(2 * working + 20, FAR)
            found = self._computed(expr, working)
            if alike(before, found, self.wanted, working):
                return found
        return clean(found, self.wanted, before)

    def _computed(self, expr: Expr, working: int) -> Any:
        from mpmath import mp

        known = self.known.setdefault((expr.graph, working), {})
        if expr.id in known:
            return known[expr.id]
        with mp.workdps(working + digits.GUARD):
            numbers = beforehand.Numbers(
                lambda name: self._read(name, working), lambda text: digits.constant(mp, text), lambda op, attr: kernel(op, attr)[0],
                lambda fn, values: digits.evaluate(fn, values, working),
            )  # fmt: skip
            return beforehand.value(expr, numbers, known)

    def _read(self, name: str, working: int) -> Any:
        from mpmath import mp

        if (name, working) not in self.read:
            self.read[name, working] = digits.read(mp, self.given[name])
        return self.read[name, working]


def static(value: Any, digits: int) -> Any:
    """A number as a float that is whole where the number is, with its text where that says more."""
    from mpmath import mp

    if isinstance(value, bool):
        return value
    with mp.workdps(digits + SPARE):
        value = snapped(mp, +value)
        near = float(value)
        if value == near or not mp.isfinite(value):
            return near
        if near.is_integer():
            near = nextafter(near, inf if value > near else -inf)
        return Digits(mp.nstr(value, digits), near)
