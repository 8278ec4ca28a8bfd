"""What names stand for after a loop: the parts of its node in; its results out, and the variables of names that are differentiated by.

A name that the loop set is the variable of the last turn that set it, and what that turn and later ones made of it depends on
it. So where a derivative asks, that turn is written out: one loop finds it and keeps what it started from, the turn itself
stands in the graph around with its names, and another loop takes the turns behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive.conditions import both
from ..derive.names import variables
from ..graph import CONST, NAME, PARAM, Expr, Fn, needed
from ..ops.arithmetic import not_, select
from ..ops.structured import Body, loop, out
from ..types import Type
from .frames import Again
from .merging import own
from .tangents import End, start_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..diagnostics import Span
    from ..graph import Graph
    from .frames import Frame
    from .lowering import Lowering

    Ever = Expr | None


class Parts(NamedTuple):
    """A loop as it was lowered: the frame of a turn, the names of its carries, what they start from and are after a turn, the rest of its node."""

    frame: Frame
    span: Span
    names: list[str]
    starts: list[Expr]
    ends: list[Expr]
    after: Mapping[str, Any]
    test: Expr | None
    items: dict[int, Expr]
    number: int
    limit: int

    def place(self, name: str) -> int:
        return self.names.index(name)

    def params(self, starts: Sequence[Expr]) -> list[tuple[str, Type]]:
        """The parameters of a turn with these carries."""
        constants = self.frame.captures.values()
        return [*[(f"c{k}", e.type) for k, e in enumerate(starts)], *[(f"k{k}", e.type) for k, e in enumerate(constants)]]


class Kept(NamedTuple):
    """The last turn that set a name: whether there was one (None is always), its number, what its carries and items were."""

    ever: Ever
    number: Expr | None
    carries: list[Expr]
    items: list[Expr]


class Carries:
    """Further carries of a loop: what each starts from, and is after a turn."""

    def __init__(self, graph: Graph, first: int) -> None:
        self.graph, self.first = graph, first
        self.starts: list[Expr] = []
        self.ends: list[Expr] = []

    def add(self, start: Expr, step: Callable[[Expr], Expr]) -> int:
        """A carry; its number among all."""
        place = self.first + len(self.starts)
        self.starts.append(start)
        self.ends.append(step(self.graph.param(f"c{place}", start.type)))
        return place


def after_loop(self: Lowering, parts: Parts) -> dict[str, Expr]:
    """What every carry is after the loop; a name that is differentiated by is a variable of its own."""
    asked = sorted(self.written_out.get(parts.span, frozenset()) & set(parts.names))
    first = len(self.graph.nodes)
    found, last = _around(self, parts, asked) if asked else (_results(parts, _run(self, parts, parts.starts, None, ())[0]), {})
    whole = {i for i in range(first, len(self.graph.nodes)) if self.graph.nodes[i].op is not CONST}
    named = {name: last.get(name) or own(self, name, value) for name, value in zip(parts.names, found, strict=True)}
    for name, value in named.items():
        if name in self.named and name not in last:
            always = (parts.test is None or parts.number > 0) and _set(parts, name) is None
            self.ends[value.graph, value.id] = End(parts.span, name, whole, None if always else parts.starts[parts.place(name)])
    return named


def _results(parts: Parts, node: Expr) -> list[Expr]:
    return [out(node, k) for k in range(len(parts.names))]


def _around(self: Lowering, parts: Parts, asked: list[str]) -> tuple[list[Expr], dict[str, Expr]]:
    """The loop around the turns that set names last, one after another; what names are after it, and the variables of these."""
    for name in asked:
        _own_turns(self, parts, name)
    sets = {name: _set(parts, name) for name in asked}
    groups = [asked] if all(p is None for p in sets.values()) else [[name] for name in asked]
    state, since = parts.starts, None
    last = {name: _before(self, parts, name) for name in asked}
    for _ in groups:
        _, kept = _run(self, parts, state, since, [sets[group[0]] for group in groups])
        first = _earliest(kept)
        made = _written(self, parts, first)
        for name in asked:
            mine = kept[0] if len(groups) == 1 else kept[asked.index(name)]
            last[name] = _variable(self, name, _is(mine, first), made[_variable_of(parts, name).id], last[name])
        state = [_either(first.ever, made[end.id], before) for end, before in zip(parts.ends, state, strict=True)]
        since = first.number if since is None or first.number is None else _either(first.ever, first.number, since)
    if groups == [asked] and sets[asked[0]] is None:
        return state, last
    return _results(parts, _run(self, parts, state, since, ())[0]), last


def _own_turns(self: Lowering, parts: Parts, name: str) -> None:
    """A name that a loop in this one sets has its turns written out there too."""
    for v, _ in variables(_variable_of(parts, name)):
        if (v.graph, v.id) in self.ends:
            raise Again(self.ends[v.graph, v.id].span, name)


def _before(self: Lowering, parts: Parts, name: str) -> Expr:
    """The variable of a name from before the loop."""
    start = parts.starts[parts.place(name)]
    return start if start.text is None else own(self, name, start)


def _variable_of(parts: Parts, name: str) -> Expr:
    """What a name stands for at the end of a turn."""
    end = parts.ends[parts.place(name)]
    value = parts.after.get(name)
    return parts.frame.local(value) if isinstance(value, Expr) and value.type == end.type else end


def _set(parts: Parts, name: str) -> Expr | None:
    """The condition that a turn sets a name; None where it always does."""
    kept, place, never = None, parts.place(name), parts.frame.graph.const("False")
    for v, held in variables(_variable_of(parts, name)):
        if start_of(v, parts.names) == place:
            if held is None:
                return never
            kept = held if kept is None else kept | held
    return None if kept is None else not_(kept)


def _run(self: Lowering, parts: Parts, state: Sequence[Expr], since: Expr | None, sets: Sequence[Expr | None]) -> tuple[Expr, list[Kept]]:
    """A loop from a state on, over items those after turn `since`; with the last turn under each of the conditions `sets`."""
    graph, outer = parts.frame.graph, self.frame.graph
    inside = [graph.param(f"c{k}", e.type) for k, e in enumerate(state)]
    xs = {k: graph.param(f"x{k}", Type(x.type.kind, x.type.shape[1:])) for k, x in parts.items.items()}
    more, turn, going, ends = Carries(graph, len(state)), None, None, parts.ends
    if parts.number and (since is not None or any(p is not None for p in sets)) or len(sets) > 1:
        turn = more.add(outer.const("0"), lambda t: t + 1)
    if parts.number and since is not None and turn is not None:
        going = graph.param(f"c{turn}") > parts.frame.local(since)
        ends = [select(going, e, c) for e, c in zip(ends, inside, strict=True)]
    always = parts.number > 0 and len(sets) == 1
    places = [_kept(outer, more, both(going, p), turn, (state, inside, list(xs.values())), always=always) for p in sets]
    node = _node(self, parts, [*state, *more.starts], [*ends, *more.ends])
    return node, [Kept(*[_outs(node, place) for place in kept]) for kept in places]


def _outs(node: Expr, place: Any) -> Any:
    return None if place is None else [out(node, k) for k in place] if isinstance(place, list) else out(node, place)


def _kept(
    outer: Graph,
    more: Carries,
    p: Expr | None,
    turn: int | None,
    inputs: tuple[Sequence[Expr], Sequence[Expr], Sequence[Expr]],
    *,
    always: bool,
) -> tuple[Any, ...]:
    """The carries that keep the last turn in which p holds: whether there was one, its number, its carries, its items."""

    def kept(start: Expr, value: Expr) -> int:
        return more.add(start, lambda before: _either(p, value, before))

    state, carries, xs = inputs
    ever = None if p is None and always else kept(outer.const("False"), more.graph.const("True"))
    number = None if turn is None else kept(outer.const("-1"), more.graph.param(f"c{turn}"))
    blanks = [outer.broadcast(outer.const("False" if x.type.kind == "bool" else "0"), x.type.shape) for x in xs]
    return ever, number, list(map(kept, state, carries)), list(map(kept, blanks, xs))


def _either(p: Expr | None, a: Expr, b: Expr) -> Expr:
    """One value where p holds, else the other; None always holds."""
    return a if p is None else select(p, a, b)


def _node(self: Lowering, parts: Parts, starts: Sequence[Expr], ends: Sequence[Expr]) -> Expr:
    """The loop node with these carries."""
    params, names = parts.params(starts), [*parts.names, *["@turn"] * (len(starts) - len(parts.names))]
    test = None if parts.test is None else Fn(parts.test.graph, params, [parts.test], ["go on"])
    scanned = [(f"x{k}", Type(x.type.kind, x.type.shape[1:])) for k, x in parts.items.items()]
    constants = list(parts.frame.captures.values())
    fn = Fn(parts.frame.graph, [*params, *scanned], ends, names)
    body = Body(fn, len(starts), len(constants), len(scanned), 0, test, limit=parts.limit)
    return loop(body, self.frame.graph.const(str(parts.number)), starts, constants, list(parts.items.values()))


def _earliest(kept: Sequence[Kept]) -> Kept:
    """The turn that comes first of those that there were."""
    first, *others = kept
    for other in others:
        p = first.ever & (not_(other.ever) | (first.number <= other.number))  # type: ignore[operator]  # they have both
        sides = zip((first.carries, first.items), (other.carries, other.items), strict=True)
        carries, items = [[select(p, a, b) for a, b in zip(*side, strict=True)] for side in sides]
        first = Kept(first.ever | other.ever, select(p, first.number, other.number), carries, items)  # type: ignore[operator]
    return first


def _is(mine: Kept, first: Kept) -> Expr | None:
    """Whether a name was set last in the turn that is written out."""
    if mine.number is None or first.number is None or mine.number.id == first.number.id:
        return mine.ever
    return mine.ever & (mine.number <= first.number)  # type: ignore[no-any-return]  # operators of expressions build expressions


def _written(self: Lowering, parts: Parts, turn: Kept) -> dict[int, Expr]:
    """A turn written out in the graph around it: its nodes as they stand there, each name a variable of its own."""
    inner, graph = parts.frame.graph, self.frame.graph
    made: dict[int, Expr] = {}
    args = {f"c{k}": e for k, e in enumerate(turn.carries)} | {f"k{k}": e for k, e in enumerate(parts.frame.captures.values())}
    args |= {f"x{k}": e for k, e in zip(parts.items, turn.items, strict=True)}
    site, ends = graph.site, parts.ends + [_variable_of(parts, name) for name in parts.names]
    for i in needed(inner.nodes, [e.id for e in ends]):
        op, ids, attr, type = inner.nodes[i]
        graph.site = inner.sites[i]
        attr = (attr[0], len(graph.nodes), *attr[2:]) if op is NAME else attr
        made[i] = args[str(attr)] if op is PARAM else Expr(graph, graph.intern(op, tuple([made[j].id for j in ids]), attr, type))
        if (inner, i) in self.ends:
            end = self.ends[inner, i]
            self.ends[graph, made[i].id] = end._replace(
                whole={made[j].id for j in end.whole if j in made}, before=end.before and made[end.before.id]
            )
    graph.site = site
    return made


def _variable(self: Lowering, name: str, set: Expr | None, value: Expr, before: Expr) -> Expr:
    """The variable that a name is: `value` if the turn set it, else the one from before."""
    if set is None:
        return value
    return own(self, name, select(set, value, before), merged=True)  # type: ignore[no-any-return]  # an expression
