"""A loop backwards and forwards: cotangents or tangents of a loop in, another loop of the same kind out.

The body of that loop is the body's own pull or push. A value that may be a structural zero at the start of a turn has a
boolean carry beside it, which says whether it counts. Bodies are kept on the function they were derived from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import Expr
from ..ops.structured import out
from .conditions import both, gate, plus, whole
from .turn import ALWAYS, Turn, bits_of, closure, dependence, first_flags, known, moving, places_of, settled, united

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..graph import Graph
    from ..ops.structured import Body
    from .conditions import Gated
    from .turn import Derived, Flags, Found, Held, Known, Part


def pull_loop(graph: Graph, i: int, found: Mapping[int, Gated], on_path: set[int]) -> Iterator[tuple[int, Gated]]:
    """The cotangents of the arguments of loop i from those of its results: the place of each argument, and its share."""
    node, me = graph.nodes[i], Expr(graph, i)
    body: Body = node.attr
    nc, ny = body.nc, body.ny
    ends, kept, saved = [{k - at: v for k, v in found.items() if at <= k < at + size} for at, size in ((0, nc), (nc, ny), (nc + ny, nc))]
    wanted = tuple([k for k, j in enumerate(node.args[1:]) if j in on_path])
    derived = _pulled(body, (known(ends), known(kept), known(saved)), wanted)
    if derived is None:
        return
    turns = _turns(me)

    def start(part: Part) -> Expr:
        kind, k = part
        if kind == "primal":
            return out(me, nc + ny + k) if k < nc else Expr(graph, node.args[1 + k])
        return _given({"d": ends, "kept": kept, "saved": saved}[kind.rstrip("?!")], part, graph, carried=kind == "d")

    back, some = derived.made(turns, start), whole(p for _, p in found.values())
    for k in wanted:
        if ("d", k) in derived.results:
            held = derived.results.get(("d?", k))
            condition = out(back, held) if held is not None else _some_turn(turns) if nc <= k < nc + body.nk else None
            yield 1 + k, (out(back, derived.results["d", k]), both(some, condition))


def push_loop(graph: Graph, i: int, tangents: Mapping[int, Gated]) -> dict[int, Gated]:
    """The tangents of the results of loop i from those of its arguments."""
    node = graph.nodes[i]
    body: Body = node.attr
    given = {k: tangents[j] for k, j in enumerate(node.args[1:]) if j in tangents}
    if not given:
        return {}
    derived = _pushed(body, known(given))

    def start(part: Part) -> Expr:
        if part[0] == "primal":
            return Expr(graph, node.args[1 + part[1]])
        return _given(given, part, graph, carried=part[1] < body.nc)

    wide, some = derived.made(Expr(graph, node.args[0]), start), whole(p for _, p in given.values())
    first = derived.body.nc + derived.body.ny
    results: dict[int, Gated] = {}
    for (kind, k), place in derived.results.items():
        held = derived.results.get((f"{kind}?", k))
        if kind in {"d", "kept"}:
            at = body.nc + k if kind == "kept" else k
            results[at] = (out(wide, place), both(some, None if held is None else out(wide, held)))
        if kind == "d":
            results[body.nc + body.ny + k] = (out(wide, first + place), both(some, None if held is None else out(wide, first + held)))
    return results


def _given(given: Mapping[int, Gated], part: Part, graph: Graph, *, carried: bool) -> Expr:
    """The value or the condition of a part; where nothing is given, a zero that does not count."""
    kind, k = part
    asked = kind.endswith(("?", "!"))
    if k not in given:
        return graph.const("False" if asked else "0")
    value, condition = given[k]
    if asked:
        return graph.const("True") if condition is None else condition
    return gate(given[k]) if carried else value


def _turns(me: Expr) -> Expr:
    """How many turns a loop took: known beforehand, or its last result."""
    n, body = me.args[0], me.node.attr
    return n if body.test is None and n.whole is not None else out(me, body.trips)


def _some_turn(turns: Expr) -> Expr | None:
    """The sum over no turns is a structural zero."""
    if turns.whole is None:
        return turns > 0  # type: ignore[no-any-return]  # operators of expressions build expressions
    return None if turns.whole > 0 else turns.graph.const("False")


def _pulled(body: Body, given: tuple[Known, Known, Known], wanted: tuple[int, ...]) -> Derived | None:
    key = ("pull", body, given, wanted)
    if key not in body.fn.cache:
        body.fn.cache[key] = _pull_body(body, given, wanted)
    return body.fn.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _pull_body(body: Body, given: tuple[Known, Known, Known], wanted: tuple[int, ...]) -> Derived | None:
    ends, kept, saved = dict(given[0]), dict(given[1]), dict(given[2])
    types, deps, nc = [type for _, type in body.fn.params], dependence(body.fn), body.nc
    start = bits_of([*ends, *saved]) | united(deps[nc + k] for k in kept)
    useful = closure(start, lambda bits: united(deps[j] for j in places_of(bits, nc)))
    active = places_of(moving(body, bits_of(wanted)) & useful, nc)
    more = [k for k in wanted if k >= nc and useful >> k & 1]

    def turn(flags: Flags) -> tuple[Turn, Found]:
        made = Turn(body)
        found = _pull_turn(made, active, flags, kept, more)
        for j, held in saved.items():
            if j in active:
                found[j] = plus(found[j], made.gated(("saved", j), types[j], held))
        return made, found

    made, flags, found = settled(first_flags(active, ends, types), active, turn)
    carries = {**_carried(made, active, flags, found), **_sums(made, found)}
    each = {("d", k): v for k, v in found.items() if k >= nc + body.nk and v is not None}
    return made.assembled(carries, _kept(each), rev=not body.rev, test=False) if carries or each else None


def _pull_turn(made: Turn, active: list[int], flags: Flags, kept: Mapping[int, Held], more: list[int]) -> Found:
    """The cotangents at the start of a turn, of carries and of what else is wanted."""
    from .pull import pull

    nc = made.body.nc
    seeds = [(made.outs[j].id, made.gated(("d", j), made.types[j], flags.get(j, ALWAYS))) for j in active]
    for k, held in kept.items():
        seeds.append((made.outs[nc + k].id, made.gated(("kept", k), made.outs[nc + k].type, held)))
    found = pull(made.graph, seeds, [made.primal[k].id for k in (*active, *more)])
    return {k: found.get(made.primal[k].id) for k in (*active, *more)}


def _carried(made: Turn, active: list[int], flags: Flags, found: Found) -> dict[Part, Expr]:
    """The derivatives of carries for the next turn, and which of them count."""
    values = {("d", j): made.value(found[j], made.types[j]) for j in active}
    return {**values, **{("d?", j): made.condition(found[j], shape) for j, shape in flags.items()}}


def _sums(made: Turn, found: Found) -> dict[Part, Expr]:
    """The cotangents of constants so far."""
    carries: dict[Part, Expr] = {}
    for k, share in found.items():
        if share is not None and made.body.nc <= k < made.body.nc + made.body.nk:
            carries["d", k] = made.input(("d", k), made.types[k]) + made.value(share, made.types[k])
            if share[1] is not None:
                carries["d?", k] = made.input(("d?", k), share[1].type) | share[1]
    return carries


def _kept(each: Mapping[Part, Gated]) -> dict[Part, Expr]:
    """What is kept of a turn: values, and conditions where they have one."""
    kept: dict[Part, Expr] = {}
    for (kind, k), share in each.items():
        kept[kind, k] = gate(share)
        if share[1] is not None:
            kept[f"{kind}?", k] = share[1]
    return kept


def _pushed(body: Body, given: Known) -> Derived:
    key = ("push", body, given)
    if key not in body.fn.cache:
        body.fn.cache[key] = _push_body(body, dict(given))
    return body.fn.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _push_body(body: Body, given: Mapping[int, Held]) -> Derived:
    types = [type for _, type in body.fn.params]
    active = [j for j in places_of(moving(body, bits_of(given)), body.nc) if types[j].kind == "real"]

    def turn(flags: Flags) -> tuple[Turn, Found]:
        made = Turn(body)
        return made, _push_turn(made, active, flags, {k: held for k, held in given.items() if k >= body.nc})

    made, flags, found = settled(first_flags(active, given, types), active, turn)
    carries = {("primal", j): made.outs[j] for j in range(body.nc)}
    each = {("kept", k - body.nc): v for k, v in found.items() if k >= body.nc and v is not None}
    return made.assembled({**carries, **_carried(made, active, flags, found)}, _kept(each), rev=body.rev, test=True)


def _push_turn(made: Turn, active: list[int], flags: Flags, given: Mapping[int, Held]) -> Found:
    """The tangents of the results of a turn."""
    from .push import push

    held = {**{j: flags.get(j, ALWAYS) for j in active}, **given}
    seeds = {made.primal[k].id: made.gated(("d", k), made.types[k], shape) for k, shape in held.items()}
    found = push(made.graph, seeds, [o.id for o in made.outs])
    return {k: found.get(o.id) for k, o in enumerate(made.outs)}
