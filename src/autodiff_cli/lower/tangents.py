"""Derivatives inside loops by a name from outside, or from an earlier turn: what is asked for in, tangents that go round with the carries out.

The body of a loop is a graph of its own, so what a carry was made of is not in it. A derivative by one number therefore
has, beside every carry that depends on that number, its tangent as a further carry (forward accumulation; Wengert, 1964),
and a condition where the tangent is a structural zero in some turns. They are found by lowering the body again: the
first time a derivative is asked for, its value stands in for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive.conditions import both
from ..derive.names import variables
from ..derive.push import push
from ..derive.turn import read_by
from ..diagnostics import error
from ..graph import NAME, PARAM, Expr
from ..ops.linear import permuted
from ..ops.structured import loop_, out_
from .frames import Again, Unroll

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..derive.conditions import Gated
    from ..diagnostics import AutodiffError, Span
    from ..graph import Graph
    from .frames import Frame
    from .lowering import Lowering

    Key = tuple[Any, ...]
    Seeds = dict[int, Gated]


class End(NamedTuple):
    """A variable that a loop left: where the loop and its nodes are, the name, and the variable that it still is where no turn set it."""

    span: Span
    name: str
    whole: Collection[int]
    before: Expr | None


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
    """The tangent of a value of a frame by a variable, which may be of a frame outside; None is a structural zero."""
    return swept(frame.graph, tangents_of(self, frame, [value], x), value, x)


def swept(graph: Graph, seeds: Mapping[int, Gated], value: Expr, x: Expr) -> Gated | None:
    """The tangent of a value from those of what it is made of; by an array, its entries stand in front."""
    site = graph.site
    if x.type.shape:
        from ..derive.entries import tangent

        found = tangent(seeds, value, x.type.shape)
    else:
        found = push(graph, dict(seeds), [value.id]).get(value.id)
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
    _look_into(self, values, x)
    for v, held in variables(x):
        seeds[v.id] = (frame.graph.const("1"), held)
        place = start_of(v, frame.names)
        if place is not None and frame.wanted is not None:
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
        raise _from_outside_a_rule(self, x)
    key, seeds = (x.graph, x.id), {}
    for letter, k, param in inputs(values):
        found = _carried(frame, key, x, k) if letter == "c" else _outside(self, frame, letter, k, x)
        if found is not None:
            seeds[param] = found
    return seeds


def _from_outside_a_rule(self: Lowering, x: Expr) -> AutodiffError:
    """What a rule is called with may depend on such a name, and the rule is the same for all calls."""
    name = x.node.attr[0] if x.node.op is NAME else x.node.attr
    hint = f"`{name}` as a parameter of the function and of its rule"
    told = f"`{name}` is from outside the rule, and what the rule is called with may depend on it"
    return error("rule-outside", told, self.span(self.here) if self.here is not None else None, hint=hint)


def _outside(self: Lowering, frame: Frame, letter: str, k: int, x: Expr) -> Gated | None:
    """The tangent of a constant or of an item of a loop, as it is read in the loop."""
    value = frame.outside(letter, k)
    if frame.parent is None or not depends(self, frame.parent, [value], x):
        return None
    if x.type.shape and letter == "k" and _is(frame.parent, value, x):
        return (frame.graph.const("1"), None)
    found = tangent(self, frame.parent, value, x)
    if found is None:
        return None
    return frame.local(found) if letter == "k" else _turn_by_turn(frame, k, found, len(x.type.shape) > 0)


def _is(frame: Frame, value: Expr, x: Expr) -> bool:
    """Whether a value of a frame is a variable of this frame or of one further out, as it is read here."""
    while value.graph is not x.graph and frame.parent is not None:
        name = str(value.node.attr) if value.node.op is PARAM else ""
        if name[:1] != "k" or not name[1:].isdigit():
            return False
        value, frame = frame.outside("k", int(name[1:])), frame.parent
    return value.graph is x.graph and value.id == x.id


def _turn_by_turn(frame: Frame, k: int, found: Gated, many: bool) -> Gated:  # noqa: FBT001 (whether entries stand in front)
    """The tangent of an item of a loop, from that of the array of all items: a further array that is scanned."""
    rank = len(frame.scanned[k].type.shape)

    def item(e: Expr) -> Expr:
        if not e.type.shape:
            return frame.local(e)  # type: ignore[no-any-return]  # an expression stays one
        array = permuted(e, (1, 0, *range(2, rank + 1))) if many else e
        if array.id not in [x.id for x in frame.scanned]:
            frame.scanned.append(array)
        place = [x.id for x in frame.scanned].index(array.id)
        return frame.graph.param(f"x{place}", array.type._replace(shape=array.type.shape[1:]))

    value, condition = found
    return (item(value), condition and item(condition))


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


def _look_into(self: Lowering, values: Sequence[Expr], x: Expr) -> None:
    """Where a loop set a name, and values are made of that variable in other ways than by the name, its last turn is written out."""
    for v, _ in variables(x):
        end = self.ends.get((v.graph, v.id))
        if end is not None and _made_in(self, end, v, reached(values, v)):
            raise Again(end.span, end.name)


def _made_in(self: Lowering, end: End, v: Expr, found: set[int]) -> bool:
    """Whether nodes may depend on what a loop left: on nodes of it, on loops after it, or on the variable from before it."""
    nodes = v.graph.nodes
    if any(i in end.whole or (i > v.id and nodes[i].op is loop_) for i in found):
        return True
    for w, _ in variables(end.before) if end.before is not None else ():
        earlier = self.ends.get((w.graph, w.id))
        of_turns = _carry(w) is not None
        if w.id in found or (of_turns and any(nodes[i].op is PARAM for i in found)) or (earlier and _made_in(self, earlier, w, found)):
            return True
    return False


def unroll(self: Lowering, why: str) -> Unroll:
    """Why a loop cannot be one node, at the place where lowering stands."""
    hint = "for k in range(100): …, with `if` and `break` on data, is written out and counts it all"
    return Unroll(why, self.span(self.here) if self.here is not None else None, hint)


def start_of(v: Expr, names: Sequence[str]) -> int | None:
    """The number of the carry that a variable is at the start of a turn; a name that was given another one's value is a variable of its own."""
    place = _carry(v)
    if place is None or place >= len(names) or (v.node.op is NAME and v.node.attr[0] != names[place]):
        return None
    return place


def _carry(v: Expr) -> int | None:
    """The number of the carry that a variable holds."""
    e = v.args[0] if v.node.op is NAME else v
    name = str(e.node.attr) if e.node.op is PARAM else ""
    return int(name[1:]) if name[:1] == "c" and name[1:].isdigit() else None


def reached(values: Sequence[Expr], without: Expr | None = None) -> set[int]:
    """The nodes that values are made of by way of numbers, not through one node."""
    nodes, seen = values[0].graph.nodes, set()
    todo = [e.id for e in values]
    while todo:
        i = todo.pop()
        node = nodes[i]
        if i not in seen and getattr(node.type, "kind", "") != "bool" and (without is None or i != without.id):
            seen.add(i)
            result = node.op is out_ and nodes[node.args[0]].op is loop_
            seen.update(node.args if result else ())
            todo += read_by(nodes[node.args[0]], node.attr) if result else node.args
    return seen


def depends(self: Lowering, frame: Frame, values: Sequence[Expr], x: Expr) -> bool:
    """Whether values of a frame may be made of x, by way of numbers."""
    if x.graph is not frame.graph:
        return frame.parent is not None and _by_inputs(self, frame, values, (x.graph, x.id), x)
    _look_into(self, values, x)
    return x.text is None and any(v.id in reached(values) or _by_last_turn(self, frame, values, v) for v, _ in variables(x))


def _by_last_turn(self: Lowering, frame: Frame, values: Sequence[Expr], v: Expr) -> bool:
    """Whether values may be made of what the last turn left of a variable elsewhere than in its own carry."""
    place = start_of(v, frame.names)
    return (
        place is not None
        and frame.wanted is not None
        and _by_inputs(self, frame, values, ("own", frame.names[place]), frame.carried[place])
    )


def _by_inputs(self: Lowering, frame: Frame, values: Sequence[Expr], key: Key, x: Expr) -> bool:
    """Whether inputs of a body that values are made of may be made of a variable that was there before the turn."""
    still = frame.wanted.still.get(key, ()) if frame.wanted is not None else ()
    own = frame.names.index(key[1]) if key[0] == "own" else None
    for letter, k, _ in inputs(values):
        if frame.names[k] not in still and k != own if letter == "c" else depends(self, frame.parent, [frame.outside(letter, k)], x):  # type: ignore[arg-type]  # a loop has a frame outside
            return True
    return False
