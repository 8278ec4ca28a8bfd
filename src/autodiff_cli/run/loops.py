"""Loops over numbers: a step of a program in, a function of turns, carries, constants and inputs out.

Floats run generated Python; a turn that raises there is done again step by step, as every turn is with digits.
Inputs that nothing reads later are freed as they are scanned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import Exit, error
from ..ops.arithmetic import not_, select
from . import floats
from .codegen import BROKEN, ENDED, turns
from .slim import consumed, slim, used_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..diagnostics import AutodiffError
    from ..graph import Site
    from ..program import Program, Step
    from .slim import Slim

STRETCH = 4096


class Machine(NamedTuple):
    """How a program runs step by step: its constants, and its runs with kernels in place of ops."""

    constant: Callable[[str], Any]
    bind: Callable[[Program], list[Any]]

    def results(self, program: Program, values: dict[str, Any]) -> list[Any]:
        slots = {i: self.constant(text) for i, text in program.consts}
        for i, name in program.params:
            slots[i] = values[name]
        floats.execute(program, slots, self.bind(program))
        return [slots[o] for o in program.fn.outs]


def over_floats(program: Program, step: Step) -> Callable[..., Any]:
    """The function of a loop over Python floats."""
    needed = slim(step.attr, used_results(program)[step.slot])
    return Loop(needed, Machine(floats.named, floats.bind), turns(needed), program.fn.sites[step.slot], consumed(program, step)).run


def over_digits(program: Program, step: Step) -> Callable[..., Any]:
    """The function of a loop over mpmath's numbers."""
    from mpmath import mp

    from . import digits

    needed = slim(step.attr, used_results(program)[step.slot])
    machine = Machine(lambda text: digits.constant(mp, text), digits.bind)
    return Loop(needed, machine, None, program.fn.sites[step.slot], consumed(program, step)).run


class Loop:
    """One loop of one program."""

    __slots__ = ("fast", "free", "machine", "site", "slim")

    def __init__(self, slim: Slim, machine: Machine, fast: Callable[..., Any] | None, site: Site | None, free: bool) -> None:  # noqa: FBT001 (a part)
        self.slim, self.machine, self.fast, self.site, self.free = slim, machine, fast, site, free

    def run(self, count: Any, *args: Any) -> list[object]:
        """The results of the loop, those that are used."""
        slim, body = self.slim, self.slim.body
        carries = tuple([args[k] for k in slim.carries])
        constants = [args[k] for k in slim.constants]
        saved: list[list[Any]] = [[] for _ in slim.saved]
        kept: list[list[Any]] = [[] for _ in slim.kept]
        sinks = [values.append for values in (*saved, *kept)]
        xs = [args[k] for k in slim.xs]
        most = _most(count, args[body.nc + body.nk :], body.limit if body.test else None)
        trips = most
        for items in self._stretches(most, xs):
            why, item, carries = self._some(items, carries, constants, sinks)
            if why != ENDED:
                trips = item if isinstance(item, int) else item[0]
        if body.test and trips == body.limit and trips < count:
            raise self.endless(carries, constants)
        if body.rev:
            for values in (*saved, *kept):
                values.reverse()
        return slim.result(carries, kept, saved, float(trips))

    def _stretches(self, most: int, xs: list[Any]) -> Iterator[Any]:
        """Iterators over the items of the turns, one after another."""
        body = self.slim.body
        if body.test is not None:
            yield zip(range(most), *xs, strict=False) if xs else iter(range(most))
        elif not xs:
            yield iter(range(most))
        elif body.rev and self.free:
            while xs[0]:
                tails = [x[-STRETCH:] for x in xs]
                for x in xs:
                    del x[-STRETCH:]
                yield _zipped(list(map(reversed, tails)))
        else:
            yield _zipped(list(map(reversed, xs)) if body.rev else xs)

    def _some(self, items: Iterator[Any], carries: tuple[Any, ...], constants: list[Any], sinks: list[Any]) -> tuple[int, Any, tuple[Any, ...]]:
        """Turns until the items run out or the test fails."""
        if self.fast is None:
            return self._slowly(items, carries, constants, sinks)
        while True:
            why, item, carries = self.fast(items, *carries, *constants, *sinks)
            if why != BROKEN:
                return why, item, carries
            why, item, carries = self._slowly(iter([item]), carries, constants, sinks)
            if why != ENDED:
                return why, item, carries

    def _slowly(self, items: Iterator[Any], carries: tuple[Any, ...], constants: list[Any], sinks: list[Any]) -> tuple[int, Any, tuple[Any, ...]]:
        """The same, step by step."""
        slim = self.slim
        count, saved = len(slim.carries), len(slim.saved)
        for item in items:
            values = dict(zip(slim.names, (*carries, *constants, *self._scanned(item)), strict=True))
            if slim.test is not None and not self.machine.results(slim.test, values)[0]:
                return 1, item, carries
            found = self.machine.results(slim.turn, values)
            for sink, k in zip(sinks, slim.saved, strict=False):
                sink(carries[slim.carries.index(k)])
            for sink, value in zip(sinks[saved:], found[count:], strict=True):
                sink(value)
            carries = tuple(found[:count])
        return ENDED, None, carries

    def _scanned(self, item: Any) -> Sequence[Any]:
        n = len(self.slim.xs)
        if not n:
            return ()
        if self.slim.test is not None:
            return item[1:]  # type: ignore[no-any-return]  # the number of the turn stands first
        return (item,) if n == 1 else item

    def endless(self, carries: Sequence[Any], constants: Sequence[Any]) -> AutodiffError:
        """The error of a loop that does not end, with what its condition compares."""
        slim, span = self.slim, self.site and self.site.span
        said = compared(slim, dict(zip(slim.names, (*carries, *constants), strict=False)), self.machine)
        return error(
            "endless-loop", f"this loop has not ended after {slim.body.limit:,} turns", span, said,
            hint="--max-iterations allows more turns", exit=Exit.EVALUATION,
        )  # fmt: skip


def _most(count: Any, xs: Sequence[Any], limit: int | None) -> int:
    """The most turns that a loop takes."""
    sizes = [len(x) for x in xs if x is not None]
    if count - count == 0:
        sizes.append(int(count))
    if limit is not None:
        sizes.append(limit)
    return max(min(sizes), 0)


def _zipped(xs: list[Any]) -> Iterator[Any]:
    return iter(xs[0]) if len(xs) == 1 else zip(*xs, strict=True)


def compared(slim: Slim, values: dict[str, Any], machine: Machine) -> str:
    """The comparisons of a test with their values: "`x > 1` is 2 > 1"."""
    test = slim.test
    if test is None:
        return ""
    slots = {i: machine.constant(text) for i, text in test.consts} | {i: values[name] for i, name in test.params}
    floats.execute(test, slots, machine.bind(test))
    said = []
    for i, (op, args, _, _) in enumerate(test.fn.nodes):
        if op.kind == "bool" and op.infix and len(args) == 2 and i in slots and op is not select and op is not not_:
            site = test.fn.sites[i]
            numbers = f"{_number(slots[args[0]])} {op.infix.symbol} {_number(slots[args[1]])}"
            said.append(f"`{site.span.text}` is {numbers}" if site else numbers)
    return ", ".join(said)


def _number(value: Any) -> str:
    return f"{float(value):.12g}"
