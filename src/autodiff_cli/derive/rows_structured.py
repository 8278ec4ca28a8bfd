"""Loops and calls of one row in, the same over many rows at once out, in the graph itself.

Where rows take different numbers of turns, a row that is done keeps its carries, and all turns are taken that any row takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import Expr, Fn, Graph
from ..ops.arithmetic import not_, real, select
from ..ops.linear import any_, permuted, reshaped
from ..ops.structured import Body, Callee, call, call_, loop, loop_, nothing, out, out_, scanned, stacked
from ..ops.tensor import largest
from ..types import REAL, Type, is_sequence
from .callee import inlined
from .conditions import each_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph import Node
    from .rows import Rows

TURN = "turn"


def looped(rows: Rows, node: Node) -> Expr:
    """A loop over rows; its results are put down for `taken`."""
    body: Body = node.attr
    n, *args = node.args
    vary = [True] * body.nc + [rows.many[j] for j in args[body.nc :]]
    carries = [rows.spread(j) for j in args[: body.nc]]
    constants, xs = [rows.of[j] for j in args[body.nc : body.nc + body.nk]], [rows.of[j] for j in args[body.nc + body.nk :]]
    if body.test is None and not rows.many[n]:
        turn = Body(_over(body.fn, body.fn, vary, rows.count), body.nc, body.nk, body.nx, body.ny, None, body.rev, body.limit)
        made = loop(turn, rows.of[n], carries, constants, xs)
        rows.results[len(rows.of)] = [out(made, k) for k in range(body.trips)] + [
            rows.graph.broadcast(out(made, body.trips), (rows.count,))
        ]
        return made
    count = None if not rows.many[n] else rows.of[n]
    made = _apart(body, rows, vary, count, (rows.of[n], carries, constants, xs), _asked(rows, len(rows.of)))
    results = [*range(body.nc), *range(body.nc + 1, body.nc + 1 + body.ny + body.nc)]
    rows.results[len(rows.of)] = [*[out(made, k) for k in results], out(made, body.nc) if count is None else count]
    return made


def _over(fn: Fn, inputs: Fn, vary: Sequence[bool], count: int) -> Fn:
    """A function over some of the inputs of a body, with rows in those that vary."""
    from .rows import over_rows

    return over_rows(
        fn, {name for (name, _), many in zip(fn.params, vary, strict=False) if many} & {name for name, _ in inputs.params}, count
    )


def _asked(rows: Rows, i: int) -> Expr | None:
    """Which rows want node i at all; None where all may have it."""
    if rows.regions is None:
        from ..regions import Regions

        rows.regions = Regions(rows.fn.nodes)
        rows.regions.assign(rows.fn.outs)
    regions = rows.regions
    region, total = regions.of.get(i, 0), None
    while region:
        predicate = regions.predicate[region]
        if predicate < i and rows.many[predicate]:
            p = rows.of[predicate] if regions.wanted[region] else not_(rows.of[predicate])
            total = p if total is None else p & total
        region = regions.parent[region]
    return total


def _apart(
    body: Body,
    rows: Rows,
    vary: Sequence[bool],
    count: Expr | None,
    given: tuple[Expr, list[Expr], list[Expr], list[Expr]],
    asked: Expr | None,
) -> Expr:
    """The loop in which a row that is done does nothing: a further carry counts its turns, or the turns of all rows."""
    n, carries, constants, xs = given
    graph, many = Graph(expanding=True), rows.count
    inner = _over(body.fn, body.fn, vary, many)
    inputs = [graph.param(name, type) for name, type in inner.params]
    turn = graph.param(TURN, Type("real", (many,)) if count is None else REAL)
    more = [(name, e) for name, e in (("turns", count), ("asked", asked if count is None else None)) if e is not None]
    late = {name: graph.param(name, e.type) for name, e in more}
    going = _test(graph, body, inputs, vary, many) if count is None else turn < late["turns"]
    going = going & late["asked"] if "asked" in late else going
    found = inlined(graph, inner, inputs)
    after = [_where(going, new, old) for new, old in zip(found, inputs[: body.nc], strict=False)]
    kept = [_where(going, y, graph.const("0" if y.type.kind == "real" else "False")) for y in found[body.nc :]]
    step = turn + real(going) if count is None else turn - 1 if body.rev else turn + 1
    names = [name for name, _ in inner.params]
    own = [*inner.params[: body.nc], (TURN, turn.type)]
    middle, end = [*inner.params[body.nc : body.nc + body.nk], *[(name, e.type) for name, e in more]], inner.params[body.nc + body.nk :]
    fn = Fn(graph, [*own, *middle, *end], [*after, step, *kept], [*names[: body.nc], TURN, *[f"y{k}" for k in range(body.ny)]])
    test = Fn(graph, [*own, *middle], [graph.add(any_, [going], (0,))], ["go on"]) if count is None else None
    most = n if count is None else rows.graph.add(largest, [count], ((0,),))
    start = rows.graph.const("0") if count is None or not body.rev else most - 1
    whole = Body(fn, body.nc + 1, body.nk + len(more), body.nx, body.ny, test, body.rev, body.limit)
    return loop(whole, most, [*carries, rows.graph.broadcast(start, turn.type.shape)], [*constants, *[e for _, e in more]], xs)


def _test(graph: Graph, body: Body, inputs: Sequence[Expr], vary: Sequence[bool], many: int) -> Expr:
    """Which rows go on."""
    assert body.test is not None  # noqa: S101 (for the type checker; it was asked)
    test = _over(body.test, body.test, vary, many)
    return inlined(graph, test, inputs[: len(test.params)])[0]


def _where(going: Expr, a: Expr, b: Expr) -> Expr:
    """One condition a row selects whole rows."""
    shape = a.type.shape
    held = going if len(shape) == 1 else going.graph.broadcast(reshaped(going, (*going.type.shape, *[1] * (len(shape) - 1))), shape)
    return select(held, a, b)  # type: ignore[no-any-return]  # an expression


def taken(rows: Rows, node: Node) -> Expr:
    """One result of a loop."""
    return rows.results[node.args[0]][node.attr]  # type: ignore[no-any-return]  # an expression


def as_turns(rows: Rows, node: Node) -> Expr:
    """The axis that is scanned stands before that of the rows."""
    x = rows.of[node.args[0]]
    return rows.graph.add(scanned, [permuted(x, (1, 0, *range(2, len(x.type.shape))))])


def as_array(rows: Rows, node: Node) -> Expr:
    """The axis of the turns stands behind that of the rows."""
    found = rows.graph.add(stacked, [rows.of[node.args[0]]], node.attr)
    return permuted(found, (1, 0, *range(2, len(found.type.shape))))


def chosen_turns(rows: Rows, node: Node) -> Expr:
    """A selection between sequences."""
    p, a, b = [rows.of[j] for j in node.args]
    if not rows.many[node.args[0]]:
        arms = [nothing(rows.graph, _with_rows(e.type, rows.count)) if e.node.op.name == "nothing" else e for e in (a, b)]
        return rows.graph.add(select, [p, *arms], node.attr)
    given = [e for e in (a, b) if e.node.op.name != "nothing"]

    def choose(p: Expr, *arms: Expr) -> list[Expr]:
        left, none = iter(arms), p.graph.const("0" if a.type.kind == "real" else "False")
        return [_where(p, *[none if e.node.op.name == "nothing" else next(left) for e in (a, b)])]

    return each_turn(choose, [p, *given])[0]


def _with_rows(type: Type, count: int) -> Type:
    return type._replace(shape=(type.shape[0], count, *type.shape[1:]))


def called(rows: Rows, node: Node) -> Expr:
    """A call keeps its rule: that of rows is the rule of one row, row by row."""
    callee: Callee = node.attr
    vary = [rows.many[j] for j in node.args]
    fn = _over(callee.fn, callee.fn, vary, rows.count)
    partials = callee.partials and tuple([p and _over(p, p, vary, rows.count) for p in callee.partials])
    pullback = callee.pullback and _back(callee.pullback, vary, rows.count)
    return call(Callee(callee.name, fn, partials, pullback), [rows.of[j] for j in node.args])


def _back(pullback: Fn, vary: Sequence[bool], count: int) -> Fn:
    """What is the same in all rows gets the sum over them."""
    from ..ops.linear import add_up

    fn = _over(pullback, pullback, [True, *vary], count)
    graph = Graph(expanding=True)
    env = graph.inline(fn, {})
    outs = [Expr(graph, env[o]) for o in fn.outs]
    return Fn(graph, fn.params, [e if many else add_up(e, (0,)) for e, many in zip(outs, vary, strict=True)], fn.names)


def is_of_sequences(node: Node) -> bool:
    """Whether a selection is between sequences."""
    return node.op is select and is_sequence(node.type)


STRUCTURED: dict[object, Callable[[Rows, Node], Expr]] = {loop_: looped, out_: taken, scanned: as_turns, stacked: as_array, call_: called}
