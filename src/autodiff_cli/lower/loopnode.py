"""A loop as one node: a plan in, a body whose names keep their types, and the names after it, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import Expr, Site
from ..ops.arithmetic import not_, real
from ..syntax.tree import walk
from ..types import BOOL, REAL, Type, broadcast
from .carried import Turn, advance, opened, settle
from .frames import Frame, Unroll, Unset, assigned_in, target_names
from .lastset import Parts, after_loop
from .tangents import Wanted
from .tuples import apart, shapes, together, whole_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from ..syntax import Tree
    from .iteration import Items
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]

PASSES = 24
KEPT = ("@broke", "@returned")
TANGENTS = ("@d", "@q", "@f")
TURN = "@turn"
UNSET = Unset("", None)


class Plan(NamedTuple):
    """A loop to become a node: `items` of a `for`, or the `condition` of a `while`."""

    tree: Tree
    body: Any
    target: Tree | None
    items: Items | None
    condition: Tree | None


class Pass(NamedTuple):
    """One lowering of a body: the carries by name, what became of them, and the condition to go on."""

    frame: Frame
    after: dict[str, Any]
    test: Expr | None
    test_frame: Frame | None


def as_node(self: Lowering, plan: Plan) -> Task:
    """Lower the body until the types of its carries hold, then make the node."""
    outer, env = self.frame, self.names.env
    carries, wanted, notes = _first_carries(self, plan, env), Wanted(), len(self.names.notes)
    for _ in range(PASSES):
        del self.names.notes[notes:]
        done = yield _lower_pass(self, plan, carries, env, outer, wanted)
        if not _settle(self, plan, carries, done, env) and not settle(self, wanted, Turn(done.frame, carries, done.after)):
            self.names.env = dict(env)
            _make(self, plan, carries, done, outer)
            return None
    raise Unroll("its names do not keep their type", self.span(plan.tree))


def _first_carries(self: Lowering, plan: Plan, env: dict[str, Any]) -> dict[str, Expr]:
    """The names that the loop assigns and that have a value before."""
    carries: dict[str, Expr] = {}
    items = [] if plan.target is None else [n for n in target_names(plan.target) if _elsewhere(self, plan, n)]
    for name in sorted({*assigned_in(plan.body), *items}):
        value = self.names.settled(env[name]) if name in env else self.names.outside(name, None)
        if value is None or isinstance(value, Unset):
            continue
        for part, held in apart({name: value}).items():
            if not isinstance(held, Expr):
                raise _no_number(self, plan, part)
            carries[part] = self.frame.local(held)
    return carries


def _lower_pass(self: Lowering, plan: Plan, carries: dict[str, Expr], env: dict[str, Any], outer: Frame, wanted: Wanted) -> Task:
    captures: dict[int, Expr] = {}
    test = test_frame = None
    try:
        if plan.condition is not None:
            from .statements import one_condition

            test_frame = _enter(self, plan, carries, env, outer, captures)
            opened(test_frame, wanted, carries)
            value = yield plan.condition
            test = self.frame.local(one_condition(self, value, plan.condition, "while"))
        frame = _enter(self, plan, carries, env, outer, captures)
        opened(frame, wanted, carries)
        from .statements import block

        yield block(self, plan.body)
        return Pass(frame, advance(self, frame, wanted, carries), test, test_frame)
    finally:
        self.frame, self.names.env = outer, env


def _enter(self: Lowering, plan: Plan, carries: dict[str, Expr], env: dict[str, Any], outer: Frame, captures: dict[int, Expr]) -> Frame:
    """A frame for a turn: carries and items are its parameters."""
    from .statements import assign_name, bind

    frame = self.frame = Frame(outer, captures, expanding=outer.graph.expanding)
    frame.carried, frame.scanned = list(carries.values()), list((plan.items and plan.items.xs) or ())
    self.names.env = {n: v for n, v in env.items() if not n.startswith("@")}
    frame.graph.site = Site(self.span(plan.tree))
    params = {name: frame.graph.param(f"c{k}", init.type) for k, (name, init) in enumerate(carries.items()) if not name.startswith("@")}
    for name, value in together(params).items():
        assign_name(self, name, value, self.span(plan.tree))
    if plan.items is not None and plan.target is not None:
        parts = [frame.graph.param(f"x{k}", Type(x.type.kind, x.type.shape[1:])) for k, x in enumerate(plan.items.xs or ())]
        bind(self, plan.target, plan.items.make(parts), self.span(plan.target))
    return frame


def _settle(self: Lowering, plan: Plan, carries: dict[str, Expr], done: Pass, env: dict[str, Any]) -> bool:
    """Give carries the types that a turn makes of them; whether anything changed."""
    changed = False
    for name in sorted(assigned_in(plan.body)):
        outside = self.names.outside(name, None) if name not in carries and name not in env and name in self.names.free else None
        if outside is not None:
            carries[name] = self.frame.local(outside)
            changed = True
    _same_parts(self, plan, *[shapes([name for name in names if name[:2] not in TANGENTS]) for names in (carries, done.after)])
    for name, value in done.after.items():
        if name in carries or not _carried(self, plan, name, value, env):
            continue
        if not isinstance(value, Expr):
            raise _no_number(self, plan, name)
        carries[name] = _blank(self, value.type)
        changed = True
    for name, init in list(carries.items()):
        value = done.after.get(name)
        if isinstance(value, Expr):
            wanted = _joined(self, plan, name, init.type, value.type)
            if wanted != init.type:
                carries[name] = self.frame.graph.broadcast(real(init) if init.type.kind != wanted.kind else init, wanted.shape)
                changed = True
        elif value is not None:
            raise _no_number(self, plan, name)
    return changed


def _same_parts(self: Lowering, plan: Plan, before: dict[str, set[str]], after: dict[str, set[str]]) -> None:
    """A tuple has as many values after a turn as before it."""
    for name, parts in before.items():
        if after.get(name, parts) != parts:
            counts = [f"{len(found)} value{'s' * (len(found) != 1)}" for found in (parts, after[name])]
            told = f"`{name}` holds {counts[0]} before a turn and {counts[1]} after it"
            raise Unroll(told, self.span(plan.tree), f"{name} = … with {counts[0]} in every turn")


def _carried(self: Lowering, plan: Plan, name: str, value: Any, env: dict[str, Any]) -> bool:
    """Whether a name that the body makes is needed after it."""
    name = whole_of(name)
    if name in KEPT:
        return isinstance(value, Expr) and value.text != "False"
    if name == "@value":
        return isinstance(done := value, Expr) or done is not None
    if name.startswith("@") or not isinstance(env.get(name, UNSET), Unset) or isinstance(value, Unset):
        return False
    return plan.items is not None and _elsewhere(self, plan, name)


def _elsewhere(self: Lowering, plan: Plan, name: str) -> bool:
    """Whether a name stands outside the loop too."""
    return bool(self.mentions(name) > sum(tree.kind == "name" and tree.parts[0] == name for tree in walk(plan.body, plan.target)))


def _joined(self: Lowering, plan: Plan, name: str, before: Type, after: Type) -> Type:
    if before == after:
        return before
    shape = broadcast(before.shape, after.shape)
    if shape != after.shape:
        why = f"`{name}` changes its shape from {before.shape} to {after.shape}"
        raise Unroll(why, self.span(plan.tree), f"{name} = zeros{after.shape} before the loop, if that is its shape in every turn")
    kind = "bool" if before.kind == after.kind == "bool" else "real"
    if kind == "real" and after.kind == "bool":
        return Type("real", before.shape)
    return Type(kind, shape)  # type: ignore[arg-type]  # one of the two kinds


def _no_number(self: Lowering, plan: Plan, name: str) -> Unroll:
    hint = "f(x) if condition else g(x) chooses between two functions"
    return Unroll(f"`{name}` is no number or array", self.span(plan.tree), None if name.startswith("@") else hint)


def _blank(self: Lowering, type: Type) -> Expr:
    """A start for a carry that is set before it is read."""
    graph = self.frame.graph
    return graph.broadcast(graph.const("False" if type.kind == "bool" else "0"), type.shape)


def _make(self: Lowering, plan: Plan, carries: dict[str, Expr], done: Pass, outer: Frame) -> None:
    """The node, and the names after it."""
    self.at(plan.tree)
    found = after_loop(self, _parts(self, plan, carries, done, outer))
    self.names.env.update(together({name: value for name, value in found.items() if name[:2] not in TANGENTS and name != TURN}))
    _after(self, plan, carries)


def _parts(self: Lowering, plan: Plan, carries: dict[str, Expr], done: Pass, outer: Frame) -> Parts:
    frame, graph, names = done.frame, done.frame.graph, list(carries)
    ends = [_end(done, name, k, carries[name].type) for k, name in enumerate(names)]
    starts, counted = list(carries.values()), len(names)
    test = _test(done, [names.index(n) for n in KEPT if n in carries], outer)
    if test is not None and plan.items is not None:
        more = test.graph.param(f"c{counted}", REAL) < plan.items.number
        test, names = more & test, [*names, TURN]
        starts.append(outer.graph.const("0"))
        ends.append(graph.param(f"c{counted}", REAL) + 1)
    read = {j for node in graph.nodes for j in node.args} | {o.id for o in ends}
    items = {k: x for k, x in enumerate(frame.scanned) if graph.param(f"x{k}", Type(x.type.kind, x.type.shape[1:])).id in read}
    number = plan.items.number if plan.items is not None else 0
    return Parts(frame, self.span(plan.tree), names, starts, ends, done.after, test, items, number, self.turns)


def _test(done: Pass, stops: Sequence[int], outer: Frame) -> Expr | None:
    """The condition to go on: that of the loop, and none of the ways out of it taken."""
    p = done.test
    frame = done.test_frame or Frame(outer, done.frame.captures, expanding=outer.graph.expanding)
    for k in stops:
        off = not_(frame.graph.param(f"c{k}", BOOL))
        p = off if p is None else p & off
    return p


def _end(done: Pass, name: str, k: int, type: Type) -> Expr:
    """What a carry is after a turn; flags and values that were not set keep what they were."""
    graph, value = done.frame.graph, done.after.get(name)
    if value is None:
        return graph.param(f"c{k}", type)
    value = done.frame.local(value)
    value = real(value) if value.type.kind == "bool" and type.kind == "real" else value
    return graph.broadcast(value, type.shape)


def _after(self: Lowering, plan: Plan, carries: dict[str, Expr]) -> None:
    """`break` is over with its loop; names that only a turn sets may not be set."""
    env = self.names.env
    env.pop("@broke", None)
    names = assigned_in(plan.body) | (set(target_names(plan.target)) if plan.target is not None else set())
    for name in names - set(shapes(carries)) - set(env):
        env[name] = Unset(name, self.span(plan.tree))
