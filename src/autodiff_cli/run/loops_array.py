"""Loops over arrays, at one point or over rows: a step of a program in, a function of the rows it runs on and its arguments out.

Where rows take different numbers of turns, a turn runs on the rows that are not done, side by side; the places of these
are kept with what the turn keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..diagnostics import AutodiffError
from . import floats, tensors
from .arrays_turns import Turns, at, narrowed, stretched
from .loops import Loop, endless, most_turns, results
from .slim import consumed, slim, used_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..graph import Site
    from ..program import Program, Step
    from ..types import Type
    from .slim import Slim

    Array = Any
    Places = Any


class Spread(NamedTuple):
    """What of a loop differs from row to row: inputs of its body, its results (2 for `Turns`), whether the turns do."""

    varying: frozenset[str]
    results: tuple[int, ...]
    apart: bool


def spread(program: Program, step: Step, given: Sequence[int], *, some: bool) -> Spread:
    """How rows go through a loop whose arguments are `given`; `some` if it runs on some rows only."""
    needed = slim(step.attr, used_results(program)[step.slot])
    body = needed.body
    args = dict(zip([name for name, _ in body.fn.params], given[1:], strict=True))
    carries = needed.names[: len(needed.carries)]
    varying = {name for name in needed.names if args[name]}
    apart = some or bool(given[0]) or 2 in given[1 + body.nc + body.nk :]
    while True:
        outs = _outs(needed.turn, varying)
        apart = apart or (needed.test is not None and bool(_outs(needed.test, varying)[0]))
        more = varying | {name for name, out in zip(carries, outs, strict=False) if out or apart}
        if more == varying:
            break
        varying = more
    ends = [int(name in varying) for name in carries]
    kept = [2 if apart else out for out in outs[len(carries) :]]
    saved = [2 if apart else ends[needed.carries.index(k)] for k in needed.saved]
    return Spread(frozenset(varying), tuple(needed.result(ends, kept, saved, int(apart))), apart)  # type: ignore[arg-type]  # numbers


def _outs(program: Program, varying: Iterable[str]) -> list[int]:
    rows = tensors.rows_of(program, frozenset(varying))
    return [rows.of[o] for o in program.fn.outs]


class Arrays(NamedTuple):
    """How the body of a loop runs over arrays; with `free`, what a turn does not need any more is dropped."""

    varying: frozenset[str]
    free: bool = True

    def zero(self, type: Type) -> Any:
        empty = False if type.kind == "bool" else 0.0
        return np.full(type.shape, empty) if type.shape else empty

    def trace(self, program: Program, values: Mapping[str, Any]) -> dict[int, Any]:
        bound = tensors.bind(program, self.varying)
        slots = tensors.Slots({i: floats.named(text) for i, text in program.consts})
        for i, name in program.params:
            slots[i] = values[name]
            if name in self.varying:
                slots[tensors.COUNT] = len(slots[i])
        try:
            tensors.execute(program, slots, bound, program.cache["last", self.varying] if self.free else {})
        except AutodiffError as problem:
            problem.rows = None  # they are those of a turn
            raise
        return slots if self.free else slots.nodes()

    def keeping(self) -> Arrays:
        """One whose trace has every value."""
        return self._replace(free=False)


class Together(Loop):
    """A loop in which all rows take the same turns; `late` are carries that differ from row to row only at the start."""

    __slots__ = ("late",)

    def __init__(self, slim: Slim, machine: Any, fast: Any, site: Site | None, free: bool) -> None:  # noqa: FBT001 (a part)
        super().__init__(slim, machine, fast, site, free)
        outs = _outs(slim.turn, machine.varying)
        self.late = [k for k, name in enumerate(slim.names[: len(slim.carries)]) if name in machine.varying and not outs[k]]

    def turn(self, values: Mapping[str, Any], carries: Sequence[Any]) -> list[Any]:
        found = super().turn(values, carries)
        for k in self.late:
            found[k] = stretched(found[k], len(carries[k]))
        return found


def over_arrays(program: Program, step: Step, given: Sequence[int], *, some: bool, free: bool) -> Callable[..., Any]:
    """The function of a loop; its first arguments are the places of the rows it runs on, None for all, and their number."""
    needed = slim(step.attr, used_results(program)[step.slot])
    found, site = spread(program, step, given, some=some), program.fn.sites[step.slot]
    free = free and consumed(program, step)
    if found.apart:
        from .loops_array_planned import Planned, plain

        kind = Planned if plain(needed) else Apart
        return kind(needed, found.varying, given, site, free).run
    together = Together(needed, Arrays(found.varying), None, site, free)
    names = [name for name, _ in needed.body.fn.params]
    late = [k + 1 for k in needed.carries if names[k] in found.varying and not given[k + 1]]

    first = 1 + needed.body.nc + needed.body.nk
    lists = [k for k in range(first, len(given)) if given[k]]

    def run(_: Any, size: int, *args: Any) -> list[object]:
        whole = list(args)
        for k in late:
            whole[k] = stretched(args[k], size)
        most = most_turns(args[0], args[first:], None) if lists else 0
        for k in lists:
            if len(args[k]) < most:
                zero = stretched(together.machine.zero(needed.body.fn.params[k - 1][1]), size)
                whole[k] = args[k] + [zero] * (most - len(args[k]))
        return together.run(*whole)

    return run


class Apart:
    """A loop in which rows take different numbers of turns, or which runs on some rows only."""

    __slots__ = ("free", "given", "late", "machine", "site", "slim")

    def __init__(self, slim: Slim, varying: frozenset[str], given: Sequence[int], site: Site | None, free: bool) -> None:  # noqa: FBT001 (a part)
        self.slim, self.given, self.site, self.free = slim, given, site, free
        self.machine = Arrays(varying)
        self.late = [k for k, out in enumerate(_outs(slim.turn, varying)) if not out]

    def run(self, start: Places, size: int, count: Any, *args: Any) -> list[object]:
        """The results of the loop, those that are used."""
        slim, body = self.slim, self.slim.body
        rows = Alive(self, start, size, args)
        xs = {k: args[k] for k in slim.xs}
        most = self._most(start, count, args[body.nc + body.nk :])
        places: list[Places] = []
        saved, kept = [Turns((), places) for _ in slim.saved], [Turns((), places) for _ in slim.kept]
        for t in range(most - 1, -1, -1) if body.rev else range(most):
            if not self._go(rows, t, count, xs):
                if body.test is not None:
                    break
                continue
            found = results(self.machine, slim.turn, rows.values(self._scanned(rows, t, xs)))
            for k in self.late:
                found[k] = stretched(found[k], rows.size())
            places.append(rows.places)
            for sink, k in zip(saved, slim.saved, strict=True):
                sink.append(rows.carries[slim.carries.index(k)])
            for sink, value in zip(kept, found[len(slim.carries) :], strict=True):
                sink.append(value)
            rows.carries = found[: len(slim.carries)]
        over = body.test is not None and most == body.limit and rows.size() and np.any(np.asarray(count) > most)
        if over and self._go(rows, most, count, xs):
            raise endless(slim, self.site, rows.values({}), self.machine)
        return self._results(rows, kept, saved, most, count)

    def _results(self, rows: Alive, kept: list[Turns], saved: list[Turns], most: int, count: Any) -> list[object]:
        if self.slim.body.rev:
            for turns in (*saved, *kept):
                turns.reverse()
            for turns in (*saved, *kept)[:1]:
                turns.places.reverse()
                if turns.taking is not None:
                    turns.taking.reverse()
        rows.store()
        if self.slim.body.test is None:
            rows.trips[...] = np.clip(count, 0, most)
        else:
            rows.trips[... if rows.places is None else rows.places] = most
        return self.slim.result(rows.ends, kept, saved, rows.trips)  # type: ignore[arg-type]  # one number a row

    def _most(self, start: Places, count: Any, xs: Sequence[Any]) -> int:
        counts = np.asarray(count, float)
        counts = at(counts, start) if counts.ndim else counts
        return most_turns(counts.max() if counts.size else 0.0, xs, self.slim.body.limit if self.slim.body.test else None)

    def _go(self, rows: Alive, t: int, count: Any, xs: Mapping[int, Any]) -> bool:
        """Settle which rows take turn t; whether there are any."""
        if self.slim.test is not None:
            going = results(self.machine, self.slim.test, rows.values({}))[0]
            rows.keep(going & (at(count, rows.places) > t) if np.ndim(count) else going, t)
        else:
            rows.move(self._takers(rows, t, count, xs))
        return rows.size() > 0

    def _takers(self, rows: Alive, t: int, count: Any, xs: Mapping[int, Any]) -> Places:
        """The rows that take turn t of a loop without a test; the same object while they are the same."""
        if not np.ndim(count):
            return rows.start
        found = np.flatnonzero(count > t) if rows.start is None else rows.start[count[rows.start] > t]
        if len(found) == rows.size():
            return rows.places
        for k, x in xs.items():
            if self.given[1 + k] == 2 and t < len(x) and x.places[t] is not None and np.array_equal(x.places[t], found):
                return x.places[t]
        return found

    def _scanned(self, rows: Alive, t: int, xs: Mapping[int, Any]) -> dict[int, Any]:
        """The inputs of a turn; one that ended early, or that a row did not make, is 0."""
        found: dict[int, Any] = {}
        for k, x in xs.items():
            kind = self.given[1 + k]
            if t >= len(x):
                found[k] = self._zeros(rows, k)
            elif kind == 2:
                found[k] = self._taken(rows, k, x, t)
            else:
                found[k] = at(x[t], rows.places) if kind else x[t]
            if self.free and t < len(x):
                x[t] = None
        return found

    def _taken(self, rows: Alive, k: int, x: Turns, t: int) -> Array:
        mask = x.mask(t)
        if mask is None:
            return self._of_rows(rows, k, x[t], x.places[t])
        return self._of_rows(rows, k, x[t][mask], narrowed(x.places[t], mask))

    def _of_rows(self, rows: Alive, k: int, value: Array, places: Places) -> Array:
        """The values of rows that stand side by side, out of those of other rows."""
        if places is None or places is rows.places:
            return value if places is rows.places else at(value, rows.places)
        wanted = np.arange(rows.rows) if rows.places is None else rows.places
        if not len(places):
            return self._zeros(rows, k)
        where = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
        there = places[where] == wanted
        found = value[where]
        return found if there.all() else np.where(there.reshape(-1, *[1] * (found.ndim - 1)), found, False)

    def _zeros(self, rows: Alive, k: int) -> Any:
        zero = self.machine.zero(self.slim.body.fn.params[k][1])
        return stretched(zero, rows.size()) if self.given[1 + k] else zero


class Alive:
    """The rows that take the turn: their places (None for all), their carries and constants side by side; `ends` of the others."""

    __slots__ = ("carries", "constants", "ends", "loop", "places", "rows", "start", "trips", "whole")

    def __init__(self, loop: Apart, start: Places, size: int, args: Sequence[Any]) -> None:
        slim, given = loop.slim, loop.given[1:]
        self.loop, self.start, self.rows = loop, start, size
        self.whole = [(args[k], bool(given[k])) for k in slim.constants]
        self.trips = np.zeros(self.rows)
        self.places: Places = start
        self._begin([(args[k], bool(given[k])) for k in slim.carries])

    def _begin(self, carries: Sequence[tuple[Any, bool]]) -> None:
        """The carries from where they start; some of them have rows."""
        self.ends = [np.array(x) if rows else stretched(x, self.rows) for x, rows in carries]
        self._gather()

    def size(self) -> int:
        return self.rows if self.places is None else len(self.places)

    def _gather(self) -> None:
        self.carries = [end.copy() if self.places is None else end.take(self.places, axis=0) for end in self.ends]
        self.constants = [at(c, self.places) if rows else c for c, rows in self.whole]

    def values(self, scanned: Mapping[int, Any]) -> dict[str, Any]:
        return dict(zip(self.loop.slim.names, (*self.carries, *self.constants, *scanned.values()), strict=False))

    def store(self) -> None:
        """Put the carries where they end."""
        for end, value in zip(self.ends, self.carries, strict=True):
            end[... if self.places is None else self.places] = value

    def move(self, places: Places) -> None:
        """Go on with other rows."""
        if places is not self.places:
            self.store()
            self.places = places
            self._gather()

    def keep(self, going: Any, t: int) -> None:
        """Go on with those of the rows that take turn t."""
        size = self.size()
        going = going if np.shape(going) == (size,) else np.broadcast_to(going, (size,))
        if np.count_nonzero(going) == size:
            return
        stay, left = going.nonzero()[0], (~going).nonzero()[0]
        done = left if self.places is None else self.places[left]
        self.trips[done] = t
        for end, value in zip(self.ends, self.carries, strict=True):
            end[done] = value[left]
        self.carries = [value.take(stay, axis=0) for value in self.carries]
        self.constants = [c.take(stay, axis=0) if rows else c for c, (_, rows) in zip(self.constants, self.whole, strict=True)]
        self.places = stay if self.places is None else self.places[stay]
