"""A loop as one node: a plan in, a body whose names keep their types, and the names after it, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import Expr, Fn
from ..ops.arithmetic import not_, real
from ..ops.structured import Body, loop, out
from ..syntax.tree import walk
from ..types import BOOL, REAL, Type, broadcast
from .carried import Turn, advance, opened, settle
from .frames import Frame, Unroll, Unset, assigned_in, target_names
from .tangents import Wanted

if TYPE_CHECKING:
    from collections.abc import Generator

    from ..syntax import Tree
    from .iteration import Items
    from .lowering import Lowering

    Task = Generator[Any, Any, Any]

PASSES = 24
KEPT = ("@broke", "@returned")
TANGENTS = ("@d", "@q", "@f")
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
        if not isinstance(value, Expr):
            raise _no_number(self, plan, name)
        carries[name] = self.frame.local(value)
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
        advance(self, frame, wanted, carries)
        return Pass(frame, self.names.env, test, test_frame)
    finally:
        self.frame, self.names.env = outer, env


def _enter(self: Lowering, plan: Plan, carries: dict[str, Expr], env: dict[str, Any], outer: Frame, captures: dict[int, Expr]) -> Frame:
    """A frame for a turn: carries and items are its parameters."""
    from .statements import assign_name, bind

    frame = self.frame = Frame(outer, captures, expanding=outer.graph.expanding)
    frame.carried, frame.scanned = list(carries.values()), list((plan.items and plan.items.xs) or ())
    self.names.env = {n: v for n, v in env.items() if not n.startswith("@")}
    for k, (name, init) in enumerate(carries.items()):
        param = frame.graph.param(f"c{k}", init.type)
        if not name.startswith("@"):
            assign_name(self, name, param, self.span(plan.tree))
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


def _carried(self: Lowering, plan: Plan, name: str, value: Any, env: dict[str, Any]) -> bool:
    """Whether a name that the body makes is needed after it."""
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
    hint = f"a name for each part, {name}1 and {name}2, or an array: {name} = [1, 2]"
    return Unroll(f"`{name}` is no number or array", self.span(plan.tree), None if name.startswith("@") else hint)


def _blank(self: Lowering, type: Type) -> Expr:
    """A start for a carry that is set before it is read."""
    graph = self.frame.graph
    return graph.broadcast(graph.const("False" if type.kind == "bool" else "0"), type.shape)


def _make(self: Lowering, plan: Plan, carries: dict[str, Expr], done: Pass, outer: Frame) -> None:
    """The node, and the names after it."""
    from .merging import own

    self.at(plan.tree)
    stop = [n for n in KEPT if n in carries]
    frame, graph, names = done.frame, done.frame.graph, list(carries)
    outs = [_end(done, name, k, carries[name].type) for k, name in enumerate(names)]
    inits = list(carries.values())
    test, counted = None, len(names)
    if stop or plan.condition is not None:
        test_frame = done.test_frame or Frame(outer, frame.captures, expanding=outer.graph.expanding)
        p = done.test
        for name in stop:
            off = not_(test_frame.graph.param(f"c{names.index(name)}", BOOL))
            p = off if p is None else p & off
        if plan.items is not None:
            more = test_frame.graph.param(f"c{counted}", REAL) < plan.items.number
            p = more if p is None else more & p
            inits.append(outer.graph.const("0"))
            outs.append(graph.param(f"c{counted}", REAL) + 1)
        params = _params(inits, frame.captures.values())
        test = Fn(test_frame.graph, params, [p], ["go on"])  # type: ignore[list-item]  # it is set by now
    read = {j for node in graph.nodes for j in node.args} | {o.id for o in outs}
    given = plan.items.xs or () if plan.items is not None else ()
    xs = {k: x for k, x in enumerate(given) if graph.param(f"x{k}", Type(x.type.kind, x.type.shape[1:])).id in read}
    scanned = [(f"x{k}", Type(x.type.kind, x.type.shape[1:])) for k, x in xs.items()]
    body_fn = Fn(graph, [*_params(inits, frame.captures.values()), *scanned], outs, [*names, *["@turn"] * (len(outs) - len(names))])
    body = Body(body_fn, len(inits), len(frame.captures), len(xs), 0, test, limit=self.turns)
    count = outer.graph.const(str(plan.items.number if plan.items is not None else 0))
    node = loop(body, count, inits, list(frame.captures.values()), list(xs.values()))
    self.loops[outer.graph, node.id] = self.span(plan.tree)
    for k, name in enumerate(names):
        if name[:2] not in TANGENTS:
            self.names.env[name] = own(self, name, out(node, k))
    _after(self, plan, carries)


def _end(done: Pass, name: str, k: int, type: Type) -> Expr:
    """What a carry is after a turn; flags and values that were not set keep what they were."""
    graph, value = done.frame.graph, done.after.get(name)
    if value is None:
        return graph.param(f"c{k}", type)
    value = done.frame.local(value)
    value = real(value) if value.type.kind == "bool" and type.kind == "real" else value
    return graph.broadcast(value, type.shape)


def _params(inits: Any, captures: Any) -> list[tuple[str, Type]]:
    return [*[(f"c{k}", e.type) for k, e in enumerate(inits)], *[(f"k{k}", e.type) for k, e in enumerate(captures)]]


def _after(self: Lowering, plan: Plan, carries: dict[str, Expr]) -> None:
    """`break` is over with its loop; names that only a turn sets may not be set."""
    env = self.names.env
    env.pop("@broke", None)
    names = assigned_in(plan.body) | (set(target_names(plan.target)) if plan.target is not None else set())
    for name in names - set(carries) - set(env):
        env[name] = Unset(name, self.span(plan.tree))
