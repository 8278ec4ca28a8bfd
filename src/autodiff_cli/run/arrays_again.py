"""A program of numbers that runs again and again over rows: its plan for the values of the inputs that have no rows, and buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arrays_block import Space
from .arrays_plan import plan

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..program import Program
    from .arrays_plan import Plan

    Array = Any

KEPT = 8


class Again:
    """A program whose inputs `columns` differ from row to row, with one plan for each set of values of the others."""

    __slots__ = ("columns", "plans", "program")

    def __init__(self, program: Program, columns: Collection[str]) -> None:
        self.program, self.columns = program, columns
        self.plans: dict[str, Ready] = {}

    def ready(self, values: Mapping[str, Any]) -> Ready | None:
        """The plan for these values; None if there were many others before."""
        key = repr(sorted(values.items()))
        if key not in self.plans:
            if len(self.plans) >= KEPT:
                return None
            self.plans[key] = Ready(plan(self.program, self.columns, values))
        return self.plans[key]


class Ready:
    """A plan, and buffers that nobody has taken."""

    __slots__ = ("plan", "spaces")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.spaces: list[Space] = []

    def take(self) -> Space:
        """Buffers to run in."""
        return self.spaces.pop() if self.spaces else Space(self.plan)

    def give(self, space: Space) -> None:
        """The buffers are free again."""
        space.forget()
        self.spaces.append(space)

    def once(self, values: Mapping[str, Any], rows: int, outs: Sequence[Array]) -> None:
        """The same in buffers that are free."""
        space = self.take()
        self.run(space, values, rows, outs)
        self.give(space)

    def run(self, space: Space, values: Mapping[str, Any], rows: int, outs: Sequence[Array]) -> None:
        """Write the results over rows into arrays."""
        arrays, most = [], self.plan.rows
        for result, out in zip(self.plan.results, outs, strict=True):
            if result is None:
                arrays.append(out)
            else:
                out.fill(result)
        if not arrays or not rows:
            return
        columns = [values[name] for _, name in self.plan.columns]
        if rows <= most:
            space.run(columns, arrays)
            return
        for i in range(0, rows, most):
            space.run([c[i : i + most] for c in columns], [a[i : i + most] for a in arrays])
