"""What of a loop has to run: its body and the results that are used in, programs over what these need out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..derive.turn import closure, dependence, places_of, united
from ..graph import Expr, Fn
from ..ops.structured import loop_, out_, scanned
from ..program import compile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ops.structured import Body
    from ..program import Program, Step


class Slim(NamedTuple):
    """The places of the carries, constants, inputs, kept values and trajectories that have to be there.

    `turn` gives the new carries, then what is kept; `test` says whether a turn follows. Both take
    the inputs `names`, which stand in the order carries, constants, inputs. `counted` says whether
    anything asks for the number of turns.
    """

    body: Body
    turn: Program
    test: Program | None
    names: tuple[str, ...]
    carries: tuple[int, ...]
    constants: tuple[int, ...]
    xs: tuple[int, ...]
    kept: tuple[int, ...]
    saved: tuple[int, ...]
    counted: bool

    def result(self, carries: Sequence[object], kept: Sequence[object], saved: Sequence[object], trips: float) -> list[object]:
        """The results by their numbers; those that nobody uses are None."""
        body = self.body
        found: list[object] = [None] * (body.trips + 1)
        for start, places, values in ((0, self.carries, carries), (body.nc, self.kept, kept), (body.nc + body.ny, self.saved, saved)):
            for k, value in zip(places, values, strict=True):
                found[start + k] = value
        found[-1] = trips
        return found


def slim(body: Body, used: frozenset[int]) -> Slim:
    """What the results `used` of a loop need; made once."""
    key = ("slim", body, used)
    if key not in body.fn.cache:
        body.fn.cache[key] = _slim(body, used)
    return body.fn.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _slim(body: Body, used: frozenset[int]) -> Slim:
    nc, ny, names = body.nc, body.ny, [name for name, _ in body.fn.params]
    deps = dependence(body.fn, real=False)
    kept, saved = [k for k in range(ny) if nc + k in used], [k for k in range(nc) if nc + ny + k in used]
    start = united([1 << k for k in (*[k for k in range(nc) if k in used], *saved)]) | united(deps[nc + k] for k in kept)
    if body.test is not None:
        start |= united(dependence(body.test, real=False))
    needed = closure(start, lambda bits: united(deps[j] for j in places_of(bits, nc)))
    places = places_of(needed, len(names))
    carries = [k for k in places if k < nc]
    outs = [*carries, *[nc + k for k in kept]]
    turn = Fn(body.fn, body.fn.params, [Expr(body.fn, body.fn.outs[k]) for k in outs], [body.fn.names[k] for k in outs])  # type: ignore[arg-type]  # frozen graphs
    return Slim(
        body, compile(turn), None if body.test is None else compile(_renamed(body)), tuple([names[k] for k in places]), tuple(carries),
        tuple([k for k in places if nc <= k < nc + body.nk]), tuple([k for k in places if k >= nc + body.nk]), tuple(kept), tuple(saved), body.trips in used,
    )  # fmt: skip


def _renamed(body: Body) -> Fn:
    """The test over the names of the body's own parameters."""
    from ..graph import Graph

    graph, test = Graph(expanding=True), body.test
    assert test is not None  # noqa: S101 (for the type checker; it was asked)
    given = {name: graph.param(*own) for (name, _), own in zip(test.params, body.fn.params, strict=False)}
    env = graph.inline(test, given)
    return Fn(graph, body.fn.params, [Expr(graph, env[o]) for o in test.outs], test.names)


def used_results(program: Program) -> dict[int, frozenset[int]]:
    """For every loop of a program, the numbers of its results that are used."""
    if "used" not in program.cache:
        found: dict[int, set[int]] = {}
        for run in program.runs:
            for op, slot, args, attr in run.steps:
                if op is loop_:
                    found.setdefault(slot, set())
                elif op is out_:
                    found.setdefault(args[0], set()).add(attr)
        program.cache["used"] = {slot: frozenset(ks) for slot, ks in found.items()}
    return program.cache["used"]  # type: ignore[no-any-return]  # the cache holds any derived thing


def consumed(program: Program, step: Step) -> bool:
    """Whether nothing reads the inputs of a loop after it, so that they may go as it runs."""
    if "readers" not in program.cache:
        readers: dict[int, list[Step]] = {}
        for run in program.runs:
            for one in run.steps:
                for j in one.args:
                    readers.setdefault(j, []).append(one)
        program.cache["readers"] = readers
    readers, nodes = program.cache["readers"], program.fn.nodes

    def free(j: int) -> bool:
        last = readers[j][-1].slot == step.slot and all(one.op is loop_ for one in readers[j])
        return last and nodes[j].op in {out_, scanned} and j not in program.fn.outs and step.args.count(j) == 1

    return all(free(j) for j in step.args[1 + step.attr.nc + step.attr.nk :])
