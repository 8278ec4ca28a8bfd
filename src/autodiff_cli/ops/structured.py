"""Ops that hold functions: `loop` runs a body turn by turn, `out` takes a result, `call` is a function with its own derivative."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import Expr, Op
from ..types import REAL, Several, Type, is_sequence, sequence
from .entry import enter, structured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph import Fn, Graph

TURNS = 1_000_000


class ByValue:
    """Equal where all parts are; functions are compared by what they do."""

    __slots__ = ("_hash", "_key")

    def _parts(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])

    def _settle(self) -> None:
        self._key = tuple([_content(part) for part in self._parts()])
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is type(self) and self._hash == other._hash and self._key == other._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._parts())


def _content(part: Any) -> Any:
    if isinstance(part, tuple):
        return tuple([_content(p) for p in part])
    return part.content() if hasattr(part, "content") else part


class Body(ByValue):
    """What a loop does in one turn.

    The parameters of `fn` are `nc` carries, `nk` constants and `nx` scanned inputs, its results
    the new carries and `ny` values to keep. `test`, over carries and constants, says whether a
    further turn follows. With `rev` the inputs are scanned from the end; what is kept stands in
    the order of the inputs. A loop with a test stops at `limit` turns with an error.
    """

    __slots__ = ("fn", "nc", "nk", "nx", "ny", "test", "rev", "limit")  # noqa: RUF023 (the order of the parameters)

    def __init__(  # noqa: PLR0913, PLR0917 (the parts of a loop)
        self,
        fn: Fn,
        nc: int,
        nk: int,
        nx: int,
        ny: int,
        test: Fn | None = None,
        rev: bool = False,  # noqa: FBT001 (a part)
        limit: int = TURNS,
    ) -> None:
        self.fn, self.nc, self.nk, self.nx, self.ny = fn, nc, nk, nx, ny
        self.test, self.rev, self.limit = test, rev, limit
        self._settle()

    def __repr__(self) -> str:
        return f"Body({self.nc} carries, {self.nk} constants, {self.nx} scanned, {self.ny} kept)"

    @property
    def trips(self) -> int:
        """The place of the number of turns among the results; before it stand the trajectories."""
        return 2 * self.nc + self.ny


class Callee(ByValue):
    """A function with the user's own derivative: `partials`, one a parameter (None for one that is static), or
    `pullback`, over the cotangent and the parameters, with one result a parameter.

    A rule that calls its own function holds this very callee, so what it is equal to cannot hang on its rule: it is
    then known by `itself`.
    """

    __slots__ = ("name", "fn", "partials", "pullback", "itself")  # noqa: RUF023 (the order of the parameters)

    def __init__(
        self, name: str, fn: Fn, partials: tuple[Fn | None, ...] | None = None, pullback: Fn | None = None, itself: object = None
    ) -> None:
        self.name, self.fn, self.partials, self.pullback, self.itself = name, fn, partials, pullback, itself
        self._settle()

    def _parts(self) -> tuple[Any, ...]:
        return super()._parts() if self.itself is None else (self.name, self.fn, None, None, self.itself)

    def ruled(self, partials: tuple[Fn | None, ...] | None, pullback: Fn | None) -> Callee:
        """The same with its rule."""
        self.partials, self.pullback = partials, pullback
        self._settle()
        return self

    def __repr__(self) -> str:
        return f"Callee({self.name})"


def loop(body: Body, n: Expr | int | None, carries: Sequence[Expr], constants: Sequence[Expr] = (), xs: Sequence[Expr] = ()) -> Expr:
    """The node of a loop of `n` turns; None is as many as the inputs have, or as the test allows.

    With a test, `n` (if it is not 0) is the most turns. Inputs are sequences, or arrays that are scanned along their first axis.
    """
    graph = next(e.graph for e in (*carries, *constants, *xs, n) if isinstance(e, Expr))
    turns = graph.lift("inf" if n is None else n)
    if body.test is not None and turns.whole == 0:
        turns = graph.const("inf")
    inputs = [x if is_sequence(x.type) else graph.add(scanned, [x]) for x in xs]
    return graph.add(loop_, [turns, *carries, *constants, *inputs], body)


def out(node: Expr, k: int) -> Expr:
    """Result k of a loop: final carries, kept sequences, trajectories (each carry at the start of each turn), the number of turns."""
    return node.graph.add(out_, [node], k)


def call(callee: Callee, args: Sequence[Expr]) -> Expr:
    """The node of a call that keeps its own derivative."""
    return args[0].graph.add(call_, list(args), callee)


def _loop_type(body: Body, *_: Type) -> Several:
    made = [body.fn.nodes[o].type for o in body.fn.outs]
    carried, kept = made[: body.nc], made[body.nc :]
    return Several([*carried, *[sequence(t) for t in (*kept, *carried)], REAL])


def _result_type(callee: Callee, *_: Type) -> Type:
    return callee.fn.nodes[callee.fn.outs[0]].type


def nothing(graph: Graph, type: Type) -> Expr:
    """The sequence without any value: what is missing counts as 0 or False."""
    return Expr(graph, graph.intern(nothing_, (), type, type))


# fmt: off
loop_   = structured("loop", hidden=True, typed=_loop_type, doc="a body turn by turn")
out_    = structured("out",  hidden=True, typed=lambda k, several: several[k], doc="one result of a node that has several")
call_   = structured("call", hidden=True, typed=_result_type, doc="a function with a derivative of its own")
scanned = structured("scanned", hidden=True, typed=lambda _, x: sequence(Type(x.kind, x.shape[1:])), fold=lambda x: x.args[0] if x.node.op is stacked else None,
                     doc="an array as one value a turn, along its first axis")
stacked = structured("stacked", hidden=True, typed=lambda n, x: Type(x.kind, (n, *x.shape[1:])), fold=lambda x, _: x.args[0] if x.node.op is scanned else None,
                     doc="the values of n turns as an array")
nothing_ = enter(Op("nothing", "leaf", hidden=True, typed=lambda type: type, doc="a sequence without any value"), None)
# fmt: on
