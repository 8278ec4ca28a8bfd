"""Derivatives inside loops by a name from outside, or from an earlier turn: what is asked for in, tangents that go round with the carries out.

The body of a loop is a graph of its own, so what a carry was made of is not in it. A derivative by one number therefore
has, beside every carry that depends on that number, its tangent as a further carry (forward accumulation; Wengert, 1964),
and a condition where the tangent is a structural zero in some turns. They are found by lowering the body again: the
first time a derivative is asked for, its value stands in for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..derive.conditions import both
from ..derive.names import variables
from ..derive.push import push
from ..graph import NAME, PARAM, Expr
from ..ops.structured import loop_, out_
from .frames import Again, Unroll

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..derive.conditions import Gated
    from .frames import Frame
    from .lowering import Lowering

    Key = tuple[Any, ...]
    Seeds = dict[int, Gated]


class Missing(Exception):
    """A carry has no tangent yet; it was asked for."""


class Wanted:
    """The tangents that go round a loop: for each variable the carries that have one, those that do not depend on it, and conditions."""

    __slots__ = ("asked", "conditional", "first", "of", "still", "variables")

    def __init__(self) -> None:
        self.variables: dict[Key, Expr] = {}
        self.of: dict[Key, list[str]] = {}
        self.still: dict[Key, set[str]] = {}
        self.asked: dict[Key, set[str]] = {}
        self.conditional: set[str] = set()
        self.first: set[Key] = set()

    def ask(self, key: Key, x: Expr, name: str) -> None:
        self.variables.setdefault(key, x)
        self.asked.setdefault(key, set()).add(name)

    def number(self, key: Key) -> int:
        return list(self.variables).index(key)


def tangent(self: Lowering, frame: Frame, value: Expr, x: Expr) -> Gated | None:
    """The tangent of a value of a frame by one number, which may be of a frame outside; None is a structural zero."""
    graph, site = frame.graph, frame.graph.site
    seeds = tangents_of(self, frame, [value], x)
    found = push(graph, seeds, [value.id]).get(value.id)
    graph.site = site
    return found


def tangents_of(self: Lowering, frame: Frame, values: Sequence[Expr], x: Expr) -> Seeds:
    """The tangents by x of what values are made of, in the graph of the frame."""
    return _own(self, frame, values, x) if x.graph is frame.graph else _from_outside(self, frame, values, x)


def _own(self: Lowering, frame: Frame, values: Sequence[Expr], x: Expr) -> Seeds:
    """By a variable of this frame: 1 there; if it is what the last turn left, the carries that were made of it have tangents."""
    seeds: Seeds = {}
    if x.text is not None:
        return seeds
    for v, held in variables(x):
        seeds[v.id] = (frame.graph.const("1"), held)
        made = v.args[0] if v.node.op is NAME else v
        place = place_of(made, "c")
        if made.node.op is out_ and made.args[0].node.op is loop_:
            _look_into(self, made, reached(values, v))
        elif place is not None and frame.wanted is not None:
            for k, share in _earlier(self, frame, values, v, place).items():
                seeds[k] = (share[0], both(held, share[1]))
    return seeds


def _earlier(self: Lowering, frame: Frame, values: Sequence[Expr], v: Expr, place: int) -> Seeds:
    """What the last turn left of a variable in other carries; of constants, if it is still the variable from before the loop."""
    key, before, seeds = ("own", frame.names[place]), frame.carried[place], {}
    for letter, k, param in inputs(values, v):
        if letter == "c" and k != place:
            found = _carried(frame, key, before, k)
        else:
            found = None if letter == "c" else _outside(self, frame, letter, k, before)
            if found is not None:
                found = _while_first(frame, key, before, found)
        if found is not None:
            seeds[param] = found
    return seeds


def _while_first(frame: Frame, key: Key, x: Expr, found: Gated) -> Gated:
    """A tangent by the variable from before the loop counts while the name still is that variable."""
    if frame.wanted is not None and key not in frame.first:
        frame.wanted.ask(key, x, "")
        raise Missing
    return (found[0], both(frame.first[key], found[1]))


def _from_outside(self: Lowering, frame: Frame, values: Sequence[Expr], x: Expr) -> Seeds:
    """By a variable of a frame outside: constants have the tangents that they have there, carries their own."""
    if frame.wanted is None or frame.parent is None:
        raise unroll(self, "a derivative by a name from outside the rule counts all of it")
    key, seeds = (x.graph, x.id), {}
    for letter, k, param in inputs(values):
        found = _carried(frame, key, x, k) if letter == "c" else _outside(self, frame, letter, k, x)
        if found is not None:
            seeds[param] = found
    return seeds


def _outside(self: Lowering, frame: Frame, letter: str, k: int, x: Expr) -> Gated | None:
    """The tangent of a constant or of an item of a loop, as it is read in the loop."""
    value = frame.outside(letter, k)
    if frame.parent is None or not depends(frame.parent, [value], x):
        return None
    if letter == "x" or (x.type.shape and value.id != x.id):
        raise unroll(
            self,
            f"{'an item' if letter == 'x' else 'what it reads'} depends on the {'array' if x.type.shape else 'name'} that it is differentiated by",
        )
    if x.type.shape:
        return (frame.graph.const("1"), None)
    found = tangent(self, frame.parent, value, x)
    return None if found is None else (frame.local(found[0]), found[1] and frame.local(found[1]))


def _carried(frame: Frame, key: Key, x: Expr, k: int) -> Gated | None:
    """The tangent of a carry at the start of a turn."""
    name, wanted = frame.names[k], frame.wanted
    if wanted is None or name in wanted.still.get(key, ()):
        return None
    if name in frame.tangents.get(key, ()):
        return frame.tangents[key][name]  # type: ignore[no-any-return]  # frames know nothing of gated values
    wanted.ask(key, x, name)
    raise Missing


def inputs(values: Sequence[Expr], without: Expr | None = None) -> list[tuple[str, int, int]]:
    """The parameters of a body that values are made of by way of numbers: letter, number and node."""
    graph = values[0].graph
    found = [(e.node.attr[0], e.node.attr[1:], i) for i in sorted(reached(values, without)) if (e := Expr(graph, i)).node.op is PARAM]
    return [(letter, int(number), i) for letter, number, i in found if letter in "ckx" and number.isdigit()]


def _look_into(self: Lowering, made: Expr, found: set[int]) -> None:
    """A name that a loop has set: nothing else may come from that loop, nor from the name before where there may be no turn."""
    loop, place = made.args[0], made.node.attr
    before = set() if loop.node.attr.test is None else {v.id for v, _ in variables(loop.args[1 + place])}
    if found & {loop.id, *before}:
        raise Again(self.loops[loop.graph, loop.id])


def unroll(self: Lowering, why: str) -> Unroll:
    """Why a loop cannot be one node, at the place where lowering stands."""
    hint = "for k in range(100): …, with `if` and `break` on data, is written out and counts it all"
    return Unroll(why, self.span(self.here) if self.here is not None else None, hint)


def place_of(e: Expr, letter: str) -> int | None:
    """The number of a parameter of a body that is a carry, a constant or an item."""
    name = str(e.node.attr) if e.node.op is PARAM else ""
    return int(name[1:]) if name[:1] == letter and name[1:].isdigit() else None


def reached(values: Sequence[Expr], without: Expr | None = None) -> set[int]:
    """The nodes that values are made of by way of numbers, not through one node."""
    seen: set[int] = set()
    todo = [e.id for e in values]
    while todo:
        i = todo.pop()
        node = values[0].graph.nodes[i]
        if i not in seen and getattr(node.type, "kind", "") != "bool" and (without is None or i != without.id):
            seen.add(i)
            todo += node.args
    return seen


def depends(frame: Frame, values: Sequence[Expr], x: Expr) -> bool:
    """Whether values of a frame may be made of x, by way of numbers."""
    if x.graph is frame.graph:
        return x.text is None and any({v.id for v, _ in variables(x)} & reached([value]) for value in values)
    if frame.parent is None:
        return False
    for letter, k, _ in [found for value in values for found in inputs([value])]:
        still = frame.wanted.still.get((x.graph, x.id), ()) if frame.wanted is not None else ()
        if frame.names[k] not in still if letter == "c" else depends(frame.parent, [frame.outside(letter, k)], x):
            return True
    return False
