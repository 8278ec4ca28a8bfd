"""Loops over numbers: a step of a program in, a function of turns, carries, constants and inputs out.

Floats run generated Python; a turn that raises there is done again step by step, as every turn is with digits.
Inputs that nothing reads later are freed as they are scanned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import Exit, error
from ..ops.structured import nothing_
from . import floats
from .codegen import BROKEN, ENDED, STOPPED, turns
from .slim import consumed, slim, used_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..diagnostics import AutodiffError
    from ..graph import Op, Site
    from ..program import Program, Step
    from ..types import Type
    from .slim import Slim

STRETCH = 4096


class Machine(NamedTuple):
    """How a program runs step by step: a number, its constants by slots, and its runs with kernels in place of ops."""

    constant: Callable[[str], Any]
    constants: Callable[[Program], dict[int, Any]]
    bind: Callable[[Program], list[Any]]

    def zero(self, type: Type) -> Any:
        return False if type.kind == "bool" else self.constant("0")

    def trace(self, program: Program, values: Mapping[str, Any]) -> dict[int, Any]:
        slots = self.constants(program)
        for i, name in program.params:
            slots[i] = values[name]
        floats.execute(program, slots, self.bind(program))
        return slots

    def keeping(self) -> Machine:
        """One whose trace has every value; this has them all."""
        return self


def over_floats(program: Program, step: Step, *, free: bool) -> Callable[..., Any]:
    """The function of a loop over Python floats; with `free`, what nothing reads later goes as it runs."""
    needed = slim(step.attr, used_results(program)[step.slot])
    return Loop(
        needed,
        Machine(floats.named, floats.constants, floats.bind),
        turns(needed),
        program.fn.sites[step.slot],
        free and consumed(program, step),
    ).run


def replay(program: Program, slot: int, slots: Mapping[int, Any], machine: Any = None) -> Iterator[tuple[int, Program, dict[int, Any]]]:
    """A loop of a program again, step by step, from the values of a trace; over floats, if not on another machine."""
    node = program.fn.nodes[slot]
    again = Loop(
        slim(node.attr, used_results(program)[slot]),
        machine or Machine(floats.named, floats.constants, floats.bind),
        None,
        None,
        free=False,
    )
    return again.replayed(*[slots[j] for j in node.args])


def over_digits(program: Program, step: Step) -> Callable[..., Any]:
    """The function of a loop over mpmath's numbers."""
    from . import digits

    needed = slim(step.attr, used_results(program)[step.slot])
    return Loop(needed, of_digits(), None, program.fn.sites[step.slot], consumed(program, step), digits.spend).run


def of_digits() -> Machine:
    """The machine of mpmath's numbers, at the precision of the moment."""
    from mpmath import mp

    from . import digits

    return Machine(lambda text: digits.constant(mp, text), lambda program: digits.constants(mp, program), digits.bind)


class Counting:
    """The numbers of an array that counts, one a turn; they take no memory."""

    __slots__ = ("number", "numbers")

    def __init__(self, numbers: range, number: Callable[[int], Any]) -> None:
        self.numbers, self.number = numbers, number

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Any]:
        return map(self.number, self.numbers)

    def __reversed__(self) -> Iterator[Any]:
        return map(self.number, reversed(self.numbers))

    def __getitem__(self, part: slice) -> list[Any]:
        return list(map(self.number, self.numbers[part]))

    def __delitem__(self, part: slice) -> None:
        self.numbers = self.numbers[: part.start]


def leaf(op: Op, attr: Any, number: Callable[[Any], Any], constant: Callable[[str], Any]) -> Callable[[], Any]:
    """An array or a sequence that loops scan, made anew each time."""
    if op.name == "iota":
        return lambda: Counting(range(attr), number)
    if op is nothing_:
        return list
    return lambda: [constant(text) for text in attr[0]]


class Loop:
    """One loop of one program."""

    __slots__ = ("fast", "free", "machine", "site", "slim", "spend")

    def __init__(
        self, slim: Slim, machine: Machine, fast: Callable[..., Any] | None, site: Site | None, free: bool,  # noqa: FBT001 (a part)
        spend: Callable[[int], None] | None = None,
    ) -> None:  # fmt: skip
        self.slim, self.machine, self.fast, self.site, self.free, self.spend = slim, machine, fast, site, free, spend

    def run(self, count: Any, *args: Any) -> list[object]:
        """The results of the loop, those that are used."""
        slim, body = self.slim, self.slim.body
        carries = tuple([args[k] for k in slim.carries])
        constants = [args[k] for k in slim.constants]
        saved: list[list[Any]] = [[] for _ in slim.saved]
        kept: list[list[Any]] = [[] for _ in slim.kept]
        sinks = [values.append for values in (*saved, *kept)]
        most = most_turns(count, args[body.nc + body.nk :], body.limit if body.test else None)
        xs = [self._fitted(args[k], k, most) for k in slim.xs]
        trips = most
        for items in self._stretches(most, xs):
            why, item, carries = self._some(items, carries, constants, sinks)
            if why != ENDED:
                trips = item if isinstance(item, int) else item[0]
        if slim.test is not None and trips == body.limit and trips < count:
            end = dict(zip(slim.names, (*carries, *constants), strict=False))
            if results(self.machine, slim.test, end)[0]:
                raise endless(slim, self.site, end, self.machine)
        if body.rev:
            for values in (*saved, *kept):
                values.reverse()
        return slim.result(carries, kept, saved, float(trips))

    def replayed(self, count: Any, *args: Any) -> Iterator[tuple[int, Program, dict[int, Any]]]:
        """The turns one by one: which it is, its program, and the value of every node that ran in it."""
        slim, body = self.slim, self.slim.body
        carries, constants = [args[k] for k in slim.carries], [args[k] for k in slim.constants]
        most = most_turns(count, args[body.nc + body.nk :], body.limit if body.test else None)
        for items in self._stretches(most, [self._fitted(args[k], k, most) for k in slim.xs]):
            for turn, item in enumerate(items):
                values = dict(zip(slim.names, (*carries, *constants, *self._scanned(item)), strict=True))
                if slim.test is not None and not results(self.machine, slim.test, values)[0]:
                    return
                slots = self.machine.trace(slim.turn, values)
                yield most - turn if body.rev else turn + 1, slim.turn, slots
                carries = [slots[o] for o in slim.turn.fn.outs[: len(carries)]]

    def _fitted(self, x: list[Any], k: int, most: int) -> list[Any]:
        """One entry a turn; an input that ends early is 0."""
        if len(x) == most:
            return x
        return x[:most] + [self.machine.zero(self.slim.body.fn.params[k][1])] * (most - len(x))

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

    def _some(
        self, items: Iterator[Any], carries: tuple[Any, ...], constants: list[Any], sinks: list[Any]
    ) -> tuple[int, Any, tuple[Any, ...]]:
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

    def _slowly(
        self, items: Iterator[Any], carries: tuple[Any, ...], constants: list[Any], sinks: list[Any]
    ) -> tuple[int, Any, tuple[Any, ...]]:
        """The same, step by step."""
        slim = self.slim
        count, saved = len(slim.carries), len(slim.saved)
        for item in items:
            if self.spend is not None:
                self.spend(len(slim.turn.fn.nodes))
            values = dict(zip(slim.names, (*carries, *constants, *self._scanned(item)), strict=True))
            if slim.test is not None and not results(self.machine, slim.test, values)[0]:
                return STOPPED, item, carries
            found = self.turn(values, carries)
            for sink, k in zip(sinks, slim.saved, strict=False):
                sink(carries[slim.carries.index(k)])
            for sink, value in zip(sinks[saved:], found[count:], strict=True):
                sink(value)
            carries = tuple(found[:count])
        return ENDED, None, carries

    def turn(self, values: Mapping[str, Any], _: Sequence[Any]) -> list[Any]:
        """The new carries and what is kept, from the values of a turn and its carries."""
        return results(self.machine, self.slim.turn, values)

    def _scanned(self, item: Any) -> Sequence[Any]:
        n = len(self.slim.xs)
        if not n:
            return ()
        if self.slim.test is not None:
            return item[1:]  # type: ignore[no-any-return]  # the number of the turn stands first
        return (item,) if n == 1 else item


def results(machine: Any, program: Program, values: Mapping[str, Any]) -> list[Any]:
    """The results of a program on some machine."""
    slots = machine.trace(program, values)
    return [slots[o] for o in program.fn.outs]


def endless(slim: Slim, site: Site | None, values: Mapping[str, Any], machine: Any) -> AutodiffError:
    """The error of a loop that does not end, with what its condition compares."""
    return error(
        "endless-loop", f"this loop has not ended after {slim.body.limit:,} turns", site and site.span, compared(slim, values, machine),
        hint=f"--max-iterations {10 * slim.body.limit}", exit=Exit.EVALUATION,
    )  # fmt: skip


def most_turns(count: Any, xs: Sequence[Any], limit: int | None) -> int:
    """The most turns that a loop takes: as many as are asked for, or as its longest input has."""
    asked = int(count) if count - count == 0 else max([len(x) for x in xs], default=limit or 0)
    return max(asked if limit is None else min(asked, limit), 0)


def _zipped(xs: list[Any]) -> Iterator[Any]:
    return iter(xs[0]) if len(xs) == 1 else zip(*xs, strict=True)


def compared(slim: Slim, values: Mapping[str, Any], machine: Any) -> str:
    """The comparisons of a test with their values: "`x > 1` is 2 > 1"; of rows, those of the first that goes on."""
    test = slim.test
    if test is None:
        return ""
    slots = machine.keeping().trace(test, values)
    going = slots.get(test.fn.outs[0])
    row = int(going.argmax()) if getattr(going, "size", 0) else 0
    said = []
    for i, (op, args, _, _) in enumerate(test.fn.nodes):
        if op.kind == "bool" and op.infix and len(args) == 2 and i in slots and all(j in slots for j in args):
            site = test.fn.sites[i]
            numbers = f"{_number(slots[args[0]], row)} {op.infix.symbol} {_number(slots[args[1]], row)}"
            said.append(f"`{site.span.text}` is {numbers}" if site else numbers)
    return ", ".join(said)


def _number(value: Any, row: int) -> str:
    if getattr(value, "ndim", 0):
        value = value.ravel()[row if row < value.size else 0]
    return f"{float(value):.12g}"
