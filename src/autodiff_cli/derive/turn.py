"""One turn of a derived loop: the body of a loop in, the body of its pull or push out, with what every part of it starts from.

A part is (kind, place): "primal" is a parameter of the body, "d" its cotangent or tangent and "d?" whether that counts;
"kept" and "saved", and "kept?" and "saved?", are cotangents of kept values and of trajectories. With "!" in place of "?"
one condition is that of all turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..graph import PARAM, Expr, Fn, Graph
from ..ops.structured import Body, loop, loop_, out_
from ..types import Type, is_sequence
from .conditions import gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..graph import Node
    from .conditions import Gated

    Part = tuple[str, int]
    Shape = tuple[int, ...]
    Held = Shape | str | None
    Flags = dict[int, Shape]
    Found = dict[int, Gated | None]
    Known = tuple[tuple[int, Held], ...]

ALWAYS = None
ONE = "one"


class Derived(NamedTuple):
    """A derived body, the parts that its inputs start from, and the number of each result among those of the loop."""

    body: Body
    carries: tuple[Part, ...]
    constants: tuple[Part, ...]
    scanned: tuple[Part, ...]
    results: dict[Part, int]

    def made(self, turns: Expr, start: Callable[[Part], Expr]) -> Expr:
        """The loop, with every part from where it starts."""
        first = iter(self.body.fn.params)
        carries = [turns.graph.broadcast(start(part), next(first)[1].shape) for part in self.carries]
        return loop(self.body, turns, carries, [start(p) for p in self.constants], [start(p) for p in self.scanned])


class Turn:
    """The graph of a turn under construction, and its parts as they are asked for."""

    __slots__ = ("body", "graph", "inputs", "outs", "primal", "types")

    def __init__(self, body: Body) -> None:
        self.body, self.graph = body, Graph(expanding=True)
        self.inputs: dict[Part, Expr] = {}
        self.types = [type for _, type in body.fn.params]
        self.primal = [self.input(("primal", k), type) for k, type in enumerate(self.types)]
        known = {name: e for (name, _), e in zip(body.fn.params, self.primal, strict=True)}
        env = self.graph.inline(body.fn, {**_left_out(self.graph, body.fn), **known})
        self.outs = [Expr(self.graph, env[o]) for o in body.fn.outs]

    def input(self, part: Part, type: Type) -> Expr:
        self.inputs[part] = self.graph.param(f"{part[0]} {part[1]}", type)
        return self.inputs[part]

    def gated(self, part: Part, type: Type, held: Held) -> Gated:
        """A value and, unless it always counts, its condition."""
        value = self.input(part, type)
        if held is ALWAYS:
            return (value, None)
        kind, shape = ("!", ()) if isinstance(held, str) else ("?", held)
        return (value, self.input((part[0] + kind, part[1]), Type("bool", shape)))

    def value(self, found: Gated | None, type: Type) -> Expr:
        return self.graph.broadcast(self.graph.const("0") if found is None else gate(found), type.shape)

    def condition(self, found: Gated | None, shape: Shape) -> Expr:
        held = self.graph.const("False") if found is None else self.graph.const("True") if found[1] is None else found[1]
        return self.graph.broadcast(held, shape)

    def assembled(self, carries: Mapping[Part, Expr], kept: Mapping[Part, Expr], *, rev: bool, test: bool) -> Derived:
        """The body with these new carries and kept values; inputs that nothing needs are left out."""
        outs = [*carries.values(), *kept.values()]
        names = [f"{kind} {place}" for kind, place in (*carries, *kept)]
        used = {node.attr for node in map(self.graph.nodes.__getitem__, Fn(self.graph, (), outs, names).needs()) if node.op is PARAM}
        more = [p for p, e in self.inputs.items() if p not in carries and (e.node.attr in used or (test and self._is_constant(p)))]
        constants, scanned = [p for p in more if self._is_constant(p)], [p for p in more if not self._is_constant(p)]
        params = [(e.node.attr, e.type) for e in [self.inputs[p] for p in (*carries, *constants, *scanned)]]
        fn = Fn(self.graph, params, outs, names)
        tested = _tested(self.body, [*carries], constants, fn) if test else None
        body = Body(fn, len(carries), len(constants), len(scanned), len(kept), tested, rev, self.body.limit)
        results = {part: k for k, part in enumerate((*carries, *kept))}
        return Derived(body, tuple(carries), tuple(constants), tuple(scanned), results)

    def _is_constant(self, part: Part) -> bool:
        return part[0].endswith("!") or (part[0] in {"primal", "d", "d?"} and self.body.nc <= part[1] < self.body.nc + self.body.nk)


def _left_out(graph: Graph, fn: Fn) -> dict[str, Expr]:
    """Parameters that stand in a derived body and that nothing needs, under names that no part of a turn has."""
    return {node.attr: graph.param(f"left {node.attr}", node.type) for node in fn.nodes if node.op is PARAM}


def _tested(body: Body, carries: Sequence[Part], constants: Sequence[Part], fn: Fn) -> Fn | None:
    """The test of the body over more carries and constants: it reads the same ones."""
    if body.test is None:
        return None
    own = body.test.params
    params = [
        own[k] if kind == "primal" else (name, type) for (kind, k), (name, type) in zip((*carries, *constants), fn.params, strict=False)
    ]
    return Fn(body.test, params, [Expr(body.test, o) for o in body.test.outs], body.test.names)  # type: ignore[arg-type]  # a frozen graph


def dependence(fn: Fn, *, real: bool = True) -> list[int]:
    """For every result, the parameters that it is computed from, as bits; with `real`, through numbers only."""
    key = ("dependence", real)
    if key not in fn.cache:
        place = {name: k for k, (name, _) in enumerate(fn.params)}
        bits = [0] * len(fn.nodes)
        for i in fn.needs():
            op, args, attr, type = fn.nodes[i]
            if real and type.kind == "bool":
                continue
            read = read_by(fn.nodes[args[0]], attr) if real and op is out_ and fn.nodes[args[0]].op is loop_ else args
            bits[i] = united([1 << place[attr]] if op is PARAM else [bits[j] for j in read])
        fn.cache[key] = [bits[o] for o in fn.outs]
    return fn.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def read_by(loop: Node, k: int) -> list[int]:
    """The arguments that result k of a loop is computed from through numbers: what it starts from, constants and scanned inputs."""
    body: Body = loop.attr
    made, kept = dependence(body.fn), body.nc + body.ny
    start = 0 if k == body.trips else made[k] if body.nc <= k < kept else 1 << (k if k < kept else k - kept)
    bits = closure(start, lambda bits: united(made[j] for j in places_of(bits, body.nc)))
    return [loop.args[1 + place] for place in places_of(bits, len(body.fn.params))]


def united(sets: Iterable[int]) -> int:
    """The union of sets of bits."""
    total = 0
    for bits in sets:
        total |= bits
    return total


def bits_of(places: Iterable[int]) -> int:
    """A set of places as bits."""
    return united(1 << k for k in places)


def places_of(bits: int, count: int) -> list[int]:
    """The places below `count` in a set of bits."""
    return [k for k in range(count) if bits >> k & 1]


def closure(start: int, step: Callable[[int], int]) -> int:
    """The least set of bits that holds `start` and what `step` leads to."""
    while True:
        more = start | step(start)
        if more == start:
            return start
        start = more


def moving(body: Body, bits: int) -> int:
    """The parameters `bits`, and the carries that depend on them in some turn."""
    deps = dependence(body.fn)
    return closure(bits, lambda known: bits_of(j for j in range(body.nc) if deps[j] & known))


def known(given: Mapping[int, Gated]) -> Known:
    """What is given, as a key: each place with the shape of its condition in a turn, or `ONE` for one over all turns."""

    def held(u: Expr, p: Expr | None) -> Held:
        return ALWAYS if p is None else p.type.shape if not is_sequence(u.type) else p.type.shape[1:] if is_sequence(p.type) else ONE

    return tuple(sorted([(k, held(u, p)) for k, (u, p) in given.items()]))


def first_flags(active: Sequence[int], given: Mapping[int, Held], types: Sequence[Type]) -> Flags:
    """Carries that start without a value that always counts."""
    return {j: types[j].shape if given.get(j) else () for j in active if j not in given or given[j] is not ALWAYS}


def settled(flags: Flags, active: Sequence[int], turn: Callable[[Flags], tuple[Turn, Found]]) -> tuple[Turn, Flags, Found]:
    """Turns are made until no carry wants a further flag, or one of another shape."""
    while True:
        made, found = turn(flags)
        more = dict(flags)
        for j in active:
            value = found[j]
            if value is None:
                more.setdefault(j, ())
            elif value[1] is not None and not more.get(j):
                more[j] = made.types[j].shape if value[1].type.shape else ()
        if more == flags:
            return made, flags, found
        flags = more
