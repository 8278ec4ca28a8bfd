"""Loops: trees in, one `loop` node out where every turn is alike, else the turns one after another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..diagnostics import error
from .frames import Frame, Unroll, Unset, assigned_in, target_names
from ..graph import Expr, Fn
from .iteration import iteration
from ..ops.arithmetic import not_, real
from ..ops.structured import Body, loop, out
from ..types import BOOL, REAL, Type, broadcast

if TYPE_CHECKING:
    from collections.abc import Generator

    from .iteration import Items
    from .lowering import Lowering
    from ..syntax import Tree

    Task = Generator[Any, Any, Any]

FEW, MOST, PASSES = 4, 100_000, 6
STATIC_TURNS = 1_000
FLAGS = ("@broke", "@returned")


def for_loop(self: Lowering, tree: Tree) -> Task:
    """`for`: one node, unless a turn needs to know its own number or changes the shape of a name."""
    target, iterable, body = tree.parts
    items = yield iteration(self, iterable)
    before, notes = self.names.env, len(self.names.notes)
    why = None
    if items.xs is not None and items.count > FEW:
        try:
            yield as_node(self, Plan(tree, body, target, items, None))
        except Unroll as forced:
            why = forced
            del self.names.notes[notes:]
        else:
            return None
    self.names.env = dict(before)
    if items.count > MOST:
        raise too_many(self, tree, items.count, why)
    yield turns(self, target, items, body, 0, self.span(iterable))
    self.names.env.pop("@broke", None)
    return None


def too_many(self: Lowering, tree: Tree, count: int, why: Unroll | None) -> Exception:
    """More turns than are written out, and the use that would have them written out."""
    reason = why.why if why else "its items are no array"
    return error(
        "too-many-turns", f"a loop of {count} turns would be written out, and at most {MOST} are: {reason}",
        (why and why.span) or self.span(tree),
    )  # fmt: skip


def turns(self: Lowering, target: Tree, items: Items, body: Any, start: int, span: Any) -> Task:
    """The turns from `start` on, one after another."""
    from .statements import bind, block, stopped, unless

    for k in range(start, items.count):
        bind(self, target, items.at(k), span)
        yield block(self, body)
        self.names.env.pop("@skipped", None)
        stop = stopped(self)
        if stop is None:
            continue
        if stop.text != "True" and k + 1 < items.count:
            yield unless(self, stop, turns, target, items, body, k + 1, span)
        return None
    return None


def while_loop(self: Lowering, tree: Tree) -> Task:
    """`while`: one node; where the condition is known beforehand, few turns are written out."""
    condition, body = tree.parts
    before, notes = dict(self.names.env), len(self.names.notes)
    if (yield static_turns(self, tree, STATIC_TURNS, None)):
        return None
    self.names.env = dict(before)
    del self.names.notes[notes:]
    try:
        yield as_node(self, Plan(tree, body, None, None, condition))
    except Unroll as forced:
        why = forced
    else:
        return None
    self.names.env = dict(before)
    if not (yield static_turns(self, tree, MOST, why)):
        raise error("static-loop", f"the turns of this loop must be known beforehand: {why.why}", why.span or self.span(tree))
    return None


def static_turns(self: Lowering, tree: Tree, most: int, why: Unroll | None) -> Task:
    """Turns written out while the condition is known; whether the loop ended so."""
    from .statements import block, one_condition, stopped

    condition, body = tree.parts
    for _ in range(most):
        value = yield condition
        p = one_condition(self, value, condition, "while")
        decided = self.decide(p, self.span(condition), recursive=False)
        if decided is None:
            return False
        if not decided:
            self.names.env.pop("@broke", None)
            return True
        yield block(self, body)
        self.names.env.pop("@skipped", None)
        stop = stopped(self)
        if stop is not None:
            self.names.env.pop("@broke", None)
            return stop.text == "True"
    if why is not None:
        raise too_many(self, tree, most + 1, why)
    return False


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
    carries = _first_carries(self, plan, env)
    for _ in range(PASSES):
        done = yield _lower_pass(self, plan, carries, env, outer)
        changed = _settle(self, plan, carries, done, env)
        if not changed:
            self.names.env = dict(env)
            _make(self, plan, carries, done, outer)
            return None
    raise Unroll("its names do not keep their type", self.span(plan.tree))


def _first_carries(self: Lowering, plan: Plan, env: dict[str, Any]) -> dict[str, Expr]:
    """The names that the body assigns and that have a value before."""
    carries: dict[str, Expr] = {}
    for name in sorted(assigned_in(plan.body)):
        value = env.get(name)
        if value is None or isinstance(value, Unset):
            continue
        if not isinstance(value, Expr):
            raise Unroll(f"`{name}` is no number or array", self.span(plan.tree))
        carries[name] = self.frame.local(value)
    return carries


def _lower_pass(self: Lowering, plan: Plan, carries: dict[str, Expr], env: dict[str, Any], outer: Frame) -> Task:
    captures: dict[int, Expr] = {}
    test = test_frame = None
    try:
        if plan.condition is not None:
            from .statements import one_condition

            test_frame = _enter(self, plan, carries, env, outer, captures)
            value = yield plan.condition
            test = self.frame.local(one_condition(self, value, plan.condition, "while"))
        frame = _enter(self, plan, carries, env, outer, captures)
        from .statements import block

        yield block(self, plan.body)
        return Pass(frame, self.names.env, test, test_frame)
    finally:
        self.frame, self.names.env = outer, env


def _enter(self: Lowering, plan: Plan, carries: dict[str, Expr], env: dict[str, Any], outer: Frame, captures: dict[int, Expr]) -> Frame:
    """A frame for a turn: carries and items are its parameters."""
    from .statements import assign_name, bind

    frame = self.frame = Frame(outer, captures, expanding=outer.graph.expanding)
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
    for name, value in done.after.items():
        if name in carries or not _carried(self, plan, name, value, env):
            continue
        if not isinstance(value, Expr):
            raise Unroll(f"`{name}` is no number or array", self.span(plan.tree))
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
            raise Unroll(f"`{name}` is no number or array after a turn", self.span(plan.tree))
    return changed


def _carried(self: Lowering, plan: Plan, name: str, value: Any, env: dict[str, Any]) -> bool:
    """Whether a name that the body makes is needed after it."""
    if name in FLAGS:
        return isinstance(value, Expr) and value.text != "False"
    if name == "@value":
        return isinstance(done := value, Expr) or done is not None
    if name.startswith("@") or name in env or isinstance(value, Unset):
        return False
    return plan.items is not None and self.mentions(name) > Counter(_all_names(plan))[name]


def _all_names(plan: Plan) -> list[str]:
    found: list[str] = []
    todo: list[Any] = [plan.body, plan.target]
    while todo:
        item = todo.pop()
        if item is None or isinstance(item, str):
            continue
        if type(item) is tuple:
            todo += item
            continue
        if item.kind == "name":
            found.append(item.parts[0])
        todo += [p for p in item.parts if not isinstance(p, str)]
    return found


def _joined(self: Lowering, plan: Plan, name: str, before: Type, after: Type) -> Type:
    if before == after:
        return before
    shape = broadcast(before.shape, after.shape)
    if shape != after.shape:
        raise Unroll(f"`{name}` changes its shape from {before.shape} to {after.shape}", self.span(plan.tree))
    kind = "bool" if before.kind == after.kind == "bool" else "real"
    if kind == "real" and after.kind == "bool":
        return Type("real", before.shape)
    return Type(kind, shape)  # type: ignore[arg-type]  # one of the two kinds


def _blank(self: Lowering, type: Type) -> Expr:
    """A start for a carry that is set before it is read."""
    graph = self.frame.graph
    return graph.broadcast(graph.const("False" if type.kind == "bool" else "0"), type.shape)


def _make(self: Lowering, plan: Plan, carries: dict[str, Expr], done: Pass, outer: Frame) -> None:
    """The node, and the names after it."""
    self.at(plan.tree)
    stop = [n for n in FLAGS if n in carries]
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
            more = test_frame.graph.param(f"c{counted}", REAL) < plan.items.count
            p = more if p is None else more & p
            inits.append(outer.graph.const("0"))
            outs.append(graph.param(f"c{counted}", REAL) + 1)
        params = _params(inits, frame.captures.values())
        test = Fn(test_frame.graph, params, [p], ["go on"])  # type: ignore[list-item]  # it is set by now
    read = {j for node in graph.nodes for j in node.args} | {o.id for o in outs}
    given = plan.items.xs or () if plan.items is not None else ()
    xs = {k: x for k, x in enumerate(given) if graph.param(f"x{k}", Type(x.type.kind, x.type.shape[1:])).id in read}
    scanned = [(f"x{k}", Type(x.type.kind, x.type.shape[1:])) for k, x in xs.items()]
    body_fn = Fn(graph, [*_params(inits, frame.captures.values()), *scanned], outs, [f"c{k}" for k in range(len(outs))])
    body = Body(body_fn, len(inits), len(frame.captures), len(xs), 0, test)
    count = outer.graph.const(str(plan.items.count if plan.items is not None else 0))
    node = loop(body, count, inits, list(frame.captures.values()), list(xs.values()))
    for k, name in enumerate(names):
        self.names.env[name] = out(node, k)
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


