"""The carries of a loop that are tangents of others: what was asked for in a turn in, more carries, and what a turn makes of them, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive.conditions import gate
from ..derive.names import variables
from ..graph import Expr
from .tangents import Missing, depends, inputs, reached, start_of, tangent, unroll
from .tuples import apart

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..derive.conditions import Gated
    from .frames import Frame
    from .lowering import Lowering
    from .tangents import Key, Wanted

HIGHEST = 4


class Turn(NamedTuple):
    """A body that was lowered: its frame, its carries with what they start from, and what names stand for at its end."""

    frame: Frame
    carries: dict[str, Expr]
    env: dict[str, Any]

    def end(self, name: str) -> Expr:
        """What a carry is after the turn."""
        value = self.env.get(name)
        if not isinstance(value, Expr):
            return self.frame.graph.param(f"c{self.frame.names.index(name)}", self.carries[name].type)
        return self.frame.local(value)  # type: ignore[no-any-return]  # an expression stays one

    def last(self, key: Key, x: Expr) -> Expr:
        """The variable after the turn: x from outside, or what the name stands for by then."""
        return self.end(key[1]) if key[0] == "own" else x

    def reads(self) -> dict[str, set[str]]:
        """The carries that each carry is made of in the turn, by way of numbers."""
        names = self.frame.names
        ends = {name: self.end(name) for name in names if self.carries[name].type.kind == "real"}
        return {name: {names[k] for letter, k, _ in inputs([end]) if letter == "c"} for name, end in ends.items()}


def names_of(n: int, name: str) -> tuple[str, str]:
    """What the tangent of a carry by variable n is called, and its condition."""
    return f"@d{n} {name}", f"@q{n} {name}"


def opened(frame: Frame, wanted: Wanted, carries: dict[str, Expr]) -> None:
    """Tell a frame the tangents of its carries at the start of a turn."""
    frame.wanted, frame.names = wanted, list(carries)
    params = {name: frame.graph.param(f"c{k}", init.type) for k, (name, init) in enumerate(carries.items())}
    for key, names in wanted.of.items():
        pairs = [(name, *names_of(wanted.number(key), name)) for name in names]
        frame.tangents[key] = {name: (params[value], params.get(condition)) for name, value, condition in pairs if value in params}
        if key in wanted.first:
            frame.first[key] = params[f"@f{wanted.number(key)}"]


def advance(self: Lowering, frame: Frame, wanted: Wanted, carries: dict[str, Expr]) -> dict[str, Any]:
    """What names stand for at the end of a turn, with the tangents of the carries among them."""
    turn = Turn(frame, carries, apart(self.names.env))
    for key, names in wanted.of.items():
        n, last = wanted.number(key), turn.last(key, wanted.variables[key])
        for name in names:
            value, condition = names_of(n, name)
            found = _tried(self, frame, turn.end(name), last)
            _mark(wanted, condition, found)
            shaped = _zero(frame) if found is None else found[0] if condition in carries else gate(found)
            turn.env[value] = frame.graph.broadcast(shaped, carries[value].type.shape)
            turn.env[condition] = _stretched(_holds(frame, found), carries.get(condition))
        if key in frame.first:
            turn.env[f"@f{n}"] = _not_set_again(frame, key, last)
    return turn.env


def settle(self: Lowering, wanted: Wanted, turn: Turn) -> bool:
    """Make carries of the tangents that were asked for; whether the body has to be lowered again."""
    carries = turn.carries
    again, before, reads = bool(wanted.asked), len(carries), turn.reads()
    for key in wanted.variables:
        asked = wanted.asked.get(key, set())
        x = carries[key[1]] if key[0] == "own" else wanted.variables[key]
        moving = _moving(self, turn, key, x, reads)
        if "" in asked:
            wanted.first.add(key)
            carries[f"@f{wanted.number(key)}"] = self.frame.graph.const("True")
        _more(self, wanted.of.setdefault(key, []), _needed(asked, moving, reads))
        wanted.still[key] = set(turn.frame.names) - moving
        for name in wanted.of[key]:
            _start(self, wanted, key, name, x, carries)
    wanted.asked.clear()
    return again or len(carries) > before


def _needed(asked: Collection[str], moving: set[str], reads: dict[str, set[str]]) -> set[str]:
    """The carries whose tangents are wanted, and those that these are made of."""
    return closed({name for name in asked if name in moving}, lambda found: {m for name in found for m in reads[name]} & moving)


def _more(self: Lowering, known: list[str], needed: set[str]) -> None:
    known += sorted(needed - set(known), key=lambda name: (name.count("@"), name))
    if any(name.count("@") > HIGHEST for name in known):
        raise unroll(self, "a turn differentiates what the turn before made of such a derivative, so that the order grows")


def _moving(self: Lowering, turn: Turn, key: Key, x: Expr, reads: dict[str, set[str]]) -> set[str]:
    """The carries that depend on a variable in some turn, by way of numbers."""
    frame, last = turn.frame, turn.last(key, x)
    own = {v.id for v, _ in variables(last)} if last.graph is frame.graph else set()
    found: set[str] = set()
    for name in reads:
        end = turn.end(name)
        outside = [frame.outside(letter, k) for letter, k, _ in inputs([end]) if letter != "c"]
        if own & reached([end]) or depends(self, self.frame, [turn.carries[name], *outside], x):
            found.add(name)
    return closed(found, lambda found: {name for name, of in reads.items() if of & found})


def closed(found: set[str], step: Callable[[set[str]], set[str]]) -> set[str]:
    """The least set that holds these names and what `step` leads to."""
    while not (more := step(found)) <= found:
        found = found | more
    return found


def _start(self: Lowering, wanted: Wanted, key: Key, name: str, x: Expr, carries: dict[str, Expr]) -> None:
    """The tangent of a carry before the first turn, where it is not there yet."""
    value, condition = names_of(wanted.number(key), name)
    if value in carries and (condition in carries) == (condition in wanted.conditional):
        return
    init = carries[name]
    found = None if init.text is not None else _tried(self, self.frame, init, x)
    _mark(wanted, condition, found)
    shape = (*_in_front(x), *init.type.shape)
    carries.setdefault(value, self.frame.graph.broadcast(_zero(self.frame) if found is None else gate(found), shape))
    if condition in wanted.conditional:
        carries.setdefault(condition, _holds(self.frame, found))


def _tried(self: Lowering, frame: Frame, value: Expr, x: Expr) -> Gated | None:
    """A tangent; where what it is made of was only asked for, the value stands in for it."""
    try:
        return tangent(self, frame, value, x)
    except Missing:
        return (frame.graph.broadcast(value, (*_in_front(x), *value.type.shape)), None)


def _in_front(x: Expr) -> tuple[int, ...]:
    """The axis of the entries of a variable in a tangent by it; a number has none."""
    if not x.type.shape:
        return ()
    from ..derive.block import size

    return (size(x.type.shape),)


def _stretched(condition: Expr, before: Expr | None) -> Expr:
    """A condition as it goes round: once there is one for every entry it stays so."""
    stays = before is not None and before.type.shape and not condition.type.shape
    return condition.graph.broadcast(condition, before.type.shape) if before is not None and stays else condition


def _mark(wanted: Wanted, condition: str, found: Gated | None) -> None:
    if found is None or found[1] is not None:
        wanted.conditional.add(condition)


def _zero(frame: Frame) -> Expr:
    return frame.graph.const("0")


def _holds(frame: Frame, found: Gated | None) -> Expr:
    """Whether a tangent counts."""
    return frame.graph.const("False") if found is None else frame.graph.const("True") if found[1] is None else found[1]


def _not_set_again(frame: Frame, key: Key, last: Expr) -> Expr:
    """Whether a name is still the variable from before the loop."""
    before, place = frame.first[key], frame.names.index(key[1])
    for v, held in variables(last):
        if start_of(v, frame.names) == place:
            return before if held is None else before & held
    return frame.graph.const("False")
