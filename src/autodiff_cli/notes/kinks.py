"""The kinks and jumps that a point sits on: which, what was chosen, the slopes on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive.pull import between
from ..diagnostics import Diagnostic, Label
from ..graph import PARAM, Fn, Graph
from ..ops.arithmetic import eq, ge, gt, le, lt, ne, not_, select
from ..ops.structured import loop_
from ..program import compile
from ..run import digits
from ..run.budget import Expired, budget
from .approach import beside
from .numbers import DOUBLES
from .probe import probe
from .words import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..diagnostics import Span
    from ..graph import Op
    from ..program import Program
    from .numbers import Numbers

    Slots = Mapping[int, Any]

COMPARISONS = (lt, le, gt, ge, eq, ne)
MADE = (select, not_)  # conditions of conditions
DIGITS = 200
STEPS = 20_000
SAME = "1e-15"
MOST = 4


class Sides(NamedTuple):
    """Value and slope of the result just below and just above the point, by one variable; None where there is no limit from that side."""

    name: str
    below: tuple[Any, Any]
    above: tuple[Any, Any]
    chosen: float

    @property
    def jumps(self) -> bool:
        return differ(self.below[0], self.above[0])

    @property
    def bends(self) -> bool:
        return differ(self.below[1], self.above[1]) or (self.chosen == self.chosen and differ(self.below[1], self.chosen))


def touched(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], numbers: Numbers = DOUBLES) -> list[Span]:
    """The texts of the value, on the way from `wrt` to it, that are on a kink or a jump."""
    if not _bends(fn):
        return []
    program = compile(fn.only(0))
    inputs = {i for i, node in enumerate(program.fn.nodes) if node.op is PARAM and node.attr in wrt}
    found: dict[Span | None, None] = {}
    _touch(program, inputs, numbers, numbers.trace(program, values), found, [STEPS])
    return [span for span in found if span is not None]


def _bends(fn: Fn) -> bool:
    """Whether a function can have a kink, in itself or in its loops."""
    if "bends" not in fn.cache:
        fn.cache["bends"] = any(node.op.kink or node.op is select or (node.op is loop_ and _bends(node.attr.fn)) for node in fn.nodes)
    return fn.cache["bends"]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _touch(
    program: Program, inputs: set[int], numbers: Numbers, slots: Slots, found: dict[Span | None, None], left: list[int]
) -> None:  # fmt: skip
    """Add the texts that are on a kink, also in the turns of loops, until no step is left."""
    fn = program.fn
    tied = _ties(fn, numbers, slots)
    for i in between(fn, fn.outs, inputs):  # type: ignore[arg-type]  # a frozen graph
        if i in slots and fn.nodes[i].op is loop_ and _bends(fn.nodes[i].attr.fn):
            for _, body, inner in numbers.replay(program, i, slots):
                left[0] -= len(inner)
                if left[0] < 0:
                    return
                _touch(body, {j for j, _ in body.params}, numbers, inner, found, left)
        elif i in slots and _on_kink(fn, i, numbers, slots, tied):
            found[fn.sites[i] and fn.sites[i].span] = None  # type: ignore[union-attr]  # just asked


def _on_kink(fn: Fn, i: int, numbers: Numbers, slots: Slots, tied: set[int]) -> bool:
    op, args, attr, _ = fn.nodes[i]
    if op is select:
        return args[0] in tied
    if op.kink is None:
        return False
    predicate = _predicate(op, len(args), attr)
    return bool(numbers.evaluate(predicate, {f"a{k}": slots[j] for k, j in enumerate(args)})[0])


def _ties(fn: Fn, numbers: Numbers, slots: Slots) -> set[int]:
    """The conditions that a comparison of equal numbers is part of."""
    found: set[int] = set()
    for i in fn.needs():
        op, args, _, type = fn.nodes[i]
        if op in COMPARISONS:
            if i in slots and numbers.same(slots[args[0]], slots[args[1]]):
                found.add(i)
        elif type.kind == "bool" and op in MADE and not found.isdisjoint(args):
            found.add(i)
    return found


def conditions(fn: Fn, p: int) -> Iterator[int]:
    """The comparisons that a condition is made of, each once."""
    todo, seen = [p], {p}
    while todo:
        i = todo.pop()
        op, args, _, _ = fn.nodes[i]
        if op in COMPARISONS:
            yield i
        elif op in MADE:
            todo.extend([j for j in args if j not in seen])
            seen.update(args)


def _predicate(op: Op, arity: int, attr: Any) -> Fn:
    graph = Graph(expanding=True)
    inputs = [graph.param(f"a{k}") for k in range(arity)]
    found = op.kink(*inputs) if attr is None else op.kink(*inputs, attr)  # type: ignore[misc]  # looked at before
    return Fn(graph, [(f"a{k}", p.type) for k, p in enumerate(inputs)], [graph.lift(found)], ["kink"])


def kinks(
    fn: Fn, spans: Sequence[Span], values: Mapping[str, Any], wrt: Sequence[str], numbers: Numbers = DOUBLES
) -> list[Diagnostic]:  # fmt: skip
    """One note for every kink that the slopes on both sides tell of."""
    try:
        with budget():
            found = [side for side in _sides(fn, values, wrt, numbers) if side.jumps or side.bends]
    except (Expired, digits.TooLong):
        return []
    if not found:
        return []
    jump = any(side.jumps for side in found)
    message = f"the point is on a {'jump' if jump else 'kink'}"
    labels = tuple([Label(span) for span in spans])
    return [Diagnostic("jump" if jump else "kink", message, labels[:MOST], tuple([_said(s) for s in found[:MOST]]), severity="note")]


def _said(side: Sides) -> str:
    below, above, chosen = ["unknown" if s is None else number(s) for s in (side.below[1], side.above[1], side.chosen)]
    slopes = f"{below} below and {above} above; {chosen} was chosen"
    if below == above:
        branch = ", that of the branch taken" if side.chosen == side.chosen else ""
        slopes = f"{below} on both sides" if below == chosen else f"{below} on both sides; {chosen} was chosen{branch}"
    if not side.jumps:
        return f"by `{side.name}` the slope is {slopes}"
    return f"by `{side.name}` the value jumps from {number(side.below[0])} to {number(side.above[0])}; the slope is {slopes}"


def _sides(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str], numbers: Numbers) -> Iterator[Sides]:
    from mpmath import mp

    fn = probe(fn, wrt)
    here = numbers.evaluate(fn, values)
    with mp.workdps(DIGITS):
        for k, name in enumerate(wrt, 1):
            value = values.get(name)
            if value is None or isinstance(value, bool) or value - value != 0 or k >= len(fn.outs):
                continue
            below, above = [beside(fn, values, {name: sign}, DIGITS, STEPS, doubles=numbers.doubles) for sign in (-1, 1)]
            yield Sides(name, (below[0], below[k]), (above[0], above[k]), float(here[k]))


def differ(a: Any, b: Any) -> bool:
    """Whether two numbers are unlike; nobody can say where one of them is unknown."""
    from mpmath import mp

    if a is None or b is None:
        return False
    a, b = mp.mpf(a), mp.mpf(b)
    if not mp.isfinite(a) or not mp.isfinite(b):
        return bool(not (mp.isnan(a) and mp.isnan(b)) and a != b)
    return bool(abs(a - b) > mp.mpf(SAME) * max(1, abs(a), abs(b)))
