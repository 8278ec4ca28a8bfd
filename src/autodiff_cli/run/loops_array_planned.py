"""Loops over rows whose turns are arithmetic on numbers: a turn, with the test of the next one, is a plan over buffers.

A row that is done stands still beside the others, until moving these together costs less than what it has cost so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph import Expr, Fn, Graph
from ..ops.structured import call_, loop_
from ..program import compile
from .arrays_again import Again
from .arrays_lane import DTYPES
from .arrays_turns import Turns, at, stretched
from .loops import endless
from .loops_array import Alive, Apart
from .point import shaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph import Site
    from ..program import Program
    from .arrays_again import Ready
    from .slim import Slim

    Array = Any
    Places = Any

MOVED, STILL = 3.0, 7.0  # what it costs to move a number, and to keep one of a row that is done, in additions


def plain(slim: Slim) -> bool:
    """Whether test and turns are arithmetic on numbers."""
    return all(
        not shaped(part.fn) and not any(part.fn.nodes[i].op in {loop_, call_} for i in part.fn.needs())
        for part in (slim.turn, slim.test)
        if part is not None
    )


def with_test(slim: Slim) -> Program:
    """A turn, and whether a further one follows."""
    if slim.test is None:
        return slim.turn
    cache = slim.turn.cache
    if "with test" not in cache:
        graph, turn, test = Graph(expanding=True), slim.turn.fn, slim.test.fn
        given = {name: graph.param(name, type) for name, type in slim.body.fn.params}
        env = graph.inline(turn, given)
        outs = [Expr(graph, env[o]) for o in turn.outs]
        env = graph.inline(test, {**given, **dict(zip(slim.names, outs[: len(slim.carries)], strict=False))})
        cache["with test"] = compile(Fn(graph, turn.params, [*outs, *[Expr(graph, env[o]) for o in test.outs]], [*turn.names, *test.names]))
    return cache["with test"]  # type: ignore[no-any-return]  # the cache holds any derived thing


class Planned(Apart):
    """A loop in which rows take different numbers of turns, run by plans."""

    __slots__ = ("first", "fixed", "kinds", "turn")

    def __init__(self, slim: Slim, varying: frozenset[str], given: Sequence[int], site: Site | None, free: bool) -> None:  # noqa: FBT001 (a part)
        super().__init__(slim, varying, given, site, free)
        names = [name for name, _ in slim.body.fn.params]
        self.fixed = [(names[k], k) for k in slim.constants if names[k] not in varying]
        columns = {*slim.names} - {name for name, _ in self.fixed}
        program = with_test(slim)
        self.turn = Again(program, columns)
        self.first = None if slim.test is None else Again(slim.test, columns)
        self.kinds = [DTYPES[program.fn.nodes[o].type.kind] for o in program.fn.outs]

    def run(self, start: Places, size: int, count: Any, *args: Any) -> list[object]:
        """The results of the loop, those that are used."""
        fixed = {name: args[k] for name, k in self.fixed}
        turn = self.turn.ready(fixed)
        first = None if self.first is None else self.first.ready(fixed)
        if turn is None or (first is None) != (self.first is None):
            return super().run(start, size, count, *args)
        rows = Standing(self, start, size, count, args, turn.plan.cost)
        return self._turns(rows, turn, count, args) if first is None else self._while(rows, first, turn, count, args)

    def _while(self, rows: Standing, first: Ready, turn: Ready, count: Any, args: Sequence[Any]) -> list[object]:
        """Turns until the test fails in every row."""
        body = self.slim.body
        going = np.empty(rows.size(), bool)
        first.once(rows.values({}), rows.size(), [going])
        xs, kept, space = {k: args[k] for k in self.slim.xs}, Sequences(self.slim), turn.take()
        most = self._most(rows.start, count, args[body.nc + body.nk :])
        for t in range(most):
            rows.settle(going, t)
            if not rows.live:
                break
            out = self._turn(rows, turn, space, self._scanned(rows, t, xs), kept)
            going = out[-1]
        turn.give(space)
        over = most == body.limit and rows.live and np.any(np.asarray(count) > most)
        if over:
            rows.settle(going, most)
        rows.narrow()
        if over and rows.live:
            raise endless(self.slim, self.site, rows.values({}), self.machine)
        return self._results(rows, kept.kept, kept.saved, most, count)

    def _turns(self, rows: Standing, turn: Ready, count: Any, args: Sequence[Any]) -> list[object]:
        """As many turns as each row asks for."""
        body = self.slim.body
        xs, kept, space = {k: args[k] for k in self.slim.xs}, Sequences(self.slim), turn.take()
        most = self._most(rows.start, count, args[body.nc + body.nk :])
        for t in range(most - 1, -1, -1) if body.rev else range(most):
            rows.choose(t, [x.places[t] for k, x in xs.items() if self.given[1 + k] == 2 and t < len(x)])
            if rows.live:
                self._turn(rows, turn, space, self._scanned(rows, t, xs), kept)
        turn.give(space)
        return self._results(rows, kept.kept, kept.saved, most, count)

    def _turn(self, rows: Standing, turn: Ready, space: Any, scanned: Mapping[int, Any], kept: Sequences) -> list[Array]:
        """One turn; what its plan gives."""
        out = rows.blank(self.kinds)
        turn.run(space, rows.values(scanned), rows.size(), out)
        kept.add(rows, out)
        rows.advance(out)
        return out

    def _scanned(self, rows: Alive, t: int, xs: Mapping[int, Any]) -> dict[int, Any]:
        if not xs:
            return {}
        return {k: x if np.ndim(x) else stretched(x, rows.size()) for k, x in super()._scanned(rows, t, xs).items()}

    def _taken(self, rows: Alive, k: int, x: Turns, t: int) -> Array:
        mask, going = x.mask(t), rows.going  # type: ignore[attr-defined]  # rows that stand
        if x.places[t] is rows.places and (mask is None or (going is not None and not (going & ~mask).any())):
            return x[t]
        return super()._taken(rows, k, x, t)


class Sequences:
    """What the turns keep, and the rows that took part in each."""

    __slots__ = ("kept", "places", "saved", "slim", "taking")

    def __init__(self, slim: Slim) -> None:
        self.slim = slim
        self.places: list[Places] = []
        self.taking: list[Any] = []
        self.saved, self.kept = ([Turns((), self.places, self.taking) for _ in part] for part in (slim.saved, slim.kept))

    def add(self, rows: Standing, out: Sequence[Array]) -> None:
        """A turn of these rows."""
        self.places.append(rows.places)
        self.taking.append(rows.going)
        for sink, k in zip(self.saved, self.slim.saved, strict=True):
            sink.append(rows.carries[self.slim.carries.index(k)])
        for sink, value in zip(self.kept, out[len(self.slim.carries) :], strict=False):
            sink.append(value)


class Standing(Alive):
    """Rows side by side, some of which stand still.

    `going` is a mask of those that take the turn, None for all `live` of them, `still` the places of the others; `asked` is how
    many turns each row may take, None for any number. `wasted` is what the rows that stand have cost since they last moved.
    """

    __slots__ = ("all_asked", "asked", "cost", "counted", "first", "going", "live", "saved", "spare", "still", "wasted")

    def __init__(self, loop: Planned, start: Places, size: int, count: Any, args: Sequence[Any], cost: float) -> None:
        super().__init__(loop, start, size, args)
        slim = loop.slim
        self.cost = cost + STILL * len(slim.carries)
        self.counted = slim.counted
        self.saved = [k in slim.saved for k in slim.carries]
        self.all_asked = _within(count, start) if np.ndim(count) else None
        self.asked = None if self.all_asked is None else at(self.all_asked, start)
        self._afresh(self.size())

    def _begin(self, carries: Sequence[tuple[Any, bool]]) -> None:
        slim, params = self.loop.slim, self.loop.slim.body.fn.params
        self.whole = [(_laid(x, params[k][1].kind) if rows else x, rows) for k, (x, rows) in zip(slim.constants, self.whole, strict=True)]
        carries = [(_laid(x, params[k][1].kind) if rows else x, rows) for k, (x, rows) in zip(slim.carries, carries, strict=True)]
        self.first: list[Array] = []
        if self.start is not None:
            super()._begin(carries)
            return
        self.carries = self.first = [x if rows else stretched(x, self.rows) for x, rows in carries]
        self.constants = [c for c, _ in self.whole]

    def store(self) -> None:
        """Put the carries where they end; the arrays they began in are not ours to write into."""
        if self.places is None:
            self.ends = [value.copy() if self.carries is self.first else value for value in self.carries]
        else:
            super().store()

    def _afresh(self, live: int) -> None:
        """All rows are going."""
        self.going: Any = None
        self.still: Any = None
        self.live, self.wasted = live, 0.0
        self.spare: list[Array | None] = [None] * len(self.carries)

    def settle(self, going: Any, t: int) -> None:
        """The rows where `going` holds take turn t, those of them that were going before."""
        if self.asked is not None:
            going &= self.asked > t
        if self.going is not None:
            going &= self.going
        live = int(np.count_nonzero(going))
        if live < self.live:
            if self.counted:
                left = (~going if self.going is None else self.going ^ going).nonzero()[0]
                self.trips[left if self.places is None else self.places[left]] = t
            self.going, self.live, self.still = going, live, None
        if not self._pays(live):
            self.narrow()
        elif self.still is None and self.going is not None:
            self.still = (~self.going).nonzero()[0]

    def _pays(self, live: int) -> bool:
        """Whether to take the rows that stand along, beside so many that do not."""
        self.wasted += (self.size() - live) * self.cost
        return self.wasted <= MOVED * live * (len(self.carries) + len(self.constants) + 2)

    def narrow(self) -> None:
        """Leave out the rows that stand."""
        if self.going is None:
            return
        self.store()
        stay = self.going.nonzero()[0]
        self.carries = [value.take(stay) for value in self.carries]
        self.constants = [c.take(stay) if rows else c for c, (_, rows) in zip(self.constants, self.whole, strict=True)]
        self.asked = None if self.asked is None else self.asked.take(stay)
        self.places = stay if self.places is None else self.places[stay]
        self._afresh(len(stay))

    def choose(self, t: int, known: Sequence[Places]) -> None:
        """Rows among which are all that take turn t: those of what is scanned, or those that took the last one, or they alone."""
        if self.all_asked is None:
            return
        wanted = self.all_asked > t
        live = int(np.count_nonzero(wanted))
        for places in (*known[:1], self.places):
            asked: Any = self.asked if places is self.places else at(self.all_asked, places)
            going = asked > t
            if int(np.count_nonzero(going)) == live and (places is not self.places or known or self._pays(live)):
                self._go(places, asked, going, live)
                return
        places = np.flatnonzero(wanted)
        self._go(places, self.all_asked.take(places), None, live)

    def _go(self, places: Places, asked: Array, going: Any, live: int) -> None:
        same = places is self.places and live == self.live
        if places is not self.places:
            self.move(places)
            self._afresh(live)
        self.asked, self.live = asked, live
        if not same:
            everyone = live == self.size()
            self.going, self.still = (None, None) if everyone else (going, (~going).nonzero()[0])

    def blank(self, kinds: Sequence[Any]) -> list[Array]:
        """Arrays to write a turn into."""
        size = self.size()
        spare = [*self.spare, *[None] * (len(kinds) - len(self.spare))]
        return [np.empty(size, kind) if array is None else array for array, kind in zip(spare, kinds, strict=True)]

    def advance(self, out: Sequence[Array]) -> None:
        """The carries after a turn; rows that stand keep theirs."""
        carries = list(out[: len(self.carries)])
        if self.still is not None:
            for before, after in zip(self.carries, carries, strict=True):
                after[self.still] = before[self.still]
        own = self.carries is not self.first
        self.spare = [before if own and not saved else None for before, saved in zip(self.carries, self.saved, strict=True)]
        self.carries = carries


def _laid(x: Any, kind: str) -> Array:
    """A column as the kernels want it in memory."""
    return np.ascontiguousarray(x, DTYPES[kind])


def _within(count: Array, start: Places) -> Array:
    """How many turns the rows of a region take; the others take none."""
    if start is None:
        return count
    found = np.zeros(len(count))
    found[start] = count[start]
    return found
