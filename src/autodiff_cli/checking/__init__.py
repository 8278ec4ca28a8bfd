"""A function and a point in; its derivatives by every way there is, and whether they agree as far as their digits go, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive import expand, gradient
from ..derive.callee import REVERSE_ALONE
from ..derive.names import variables
from ..derive.products import along, shown, target
from ..derive.push import push
from ..diagnostics import AutodiffError
from ..graph import Expr, Fn, Graph
from ..ops.arithmetic import detach
from ..ops.structured import loop_
from ..run import digits, point
from .branches import followed
from .differences import NOTHING, Slope, slope
from .entry import entry, labels, moved
from .exact import FLOOR, allowed, condition, growth, truth, ulps, within
from .literals import literal, without_rules
from .rules import rules
from .witness import DIGITS, Witness, witness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..diagnostics import Diagnostic
    from .exact import Truth
    from .rules import Rule

MOST, FEW = 100, 16  # entries of a variable that are all looked at in all ways; so many of more
AGREE, ITERATED = 1e-15, 1e-6  # how far the exact derivative may be from differences in digits; where a loop on data runs


class Line(NamedTuple):
    """One variable, or one entry of an array.

    `error` is the larger one of reverse and forward, where that exists, in units of the last place, `most` what rounding explains;
    `grown` is how many times larger than a rounding the error is that it leads to. `verdict` is "pass", "fail", "kink", or "open" where it
    could not be found out what rounding explains.
    """

    label: str
    reverse: float
    forward: float | None
    difference: Slope
    exact: Any
    error: float
    most: float
    grown: float
    verdict: str
    bend: Witness | None


class Checked(NamedTuple):
    """The lines of a point, what was found of rules of one's own, and of large variables how many entries are looked at in all ways.

    `reverse_alone` is why there is no forward mode, where there is none; `apart` is where exact numbers would take another way than float64.
    """

    lines: list[Line]
    rules: list[Rule]
    sampled: Mapping[str, tuple[int, int]]
    reverse_alone: Diagnostic | None = None
    apart: Diagnostic | None = None

    @property
    def passed(self) -> bool:
        return all(line.verdict != "fail" for line in self.lines) and all(rule.verdict != "wrong" for rule in self.rules)


class Point(NamedTuple):
    """What is looked at: a function, the same with everything held that passes no derivative (or None), and where."""

    fn: Fn
    frozen: Fn | None
    held: Mapping[str, Any]
    values: Mapping[str, Any]
    wrt: Sequence[str]
    known: dict[int, Any]  # the value there, by the number of digits


class Found(NamedTuple):
    """The derivative by one entry: in float64 by both modes, in digits, and how rounding errors grow."""

    reverse: float
    forward: float | None
    exact: Any
    growth: Any


def checked(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str]) -> Checked:
    """Every derivative of a function of one number, at a point of float64: reverse, forward, differences, and 50 digits.

    `values` has a number or an array for each parameter; where a rule of the program is wrong, the exact derivative is that of the body.
    """
    values = {name: _unsigned(value) for name, value in values.items()}
    fn = literal(fn)
    own = rules(fn, values)
    plain = without_rules(fn) if any(rule.verdict == "wrong" for rule in own) else fn
    plain, apart = followed(plain, values)
    frozen, held = (None, {}) if any(rule.verdict != "right" for rule in own) else _frozen(plain, values)
    at = Point(plain, frozen, held, values, wrt, {})
    reverse = _rescued(gradient(fn, wrt), values)
    exact = truth(gradient(plain, wrt), values, None if plain is not fn else reverse)
    lines: list[Line] = []
    sampled: dict[str, tuple[int, int]] = {}
    alone = _reverse_alone(fn, wrt) if own else None
    for k, name in enumerate(wrt, 1):
        every = labels(name, values[name])
        suspects = [j for j in range(len(every)) if not _within_all(float(entry(reverse[k], j)), exact, k, j)] if len(every) > MOST else []
        chosen = _chosen(len(every), suspects)
        if len(chosen) < len(every):
            sampled[name] = len(chosen), len(every)
        tangents = _forward(fn, values, name, chosen) if alone is None else [None] * len(chosen)
        for j, forward in zip(chosen, tangents, strict=True):
            found = Found(float(entry(reverse[k], j)), forward, entry(exact.results[k], j), exact.growth[k][j])
            lines.append(_line(at, name, j, every[j], found))
    return Checked(lines, own, sampled, alone, apart)


def _unsigned(value: Any) -> Any:
    """A value with 0 for -0: digits know no sign of 0."""
    condition = value.dtype == bool if hasattr(value, "dtype") else isinstance(value, bool)
    return value if condition else value + 0.0


def _reverse_alone(fn: Fn, wrt: Sequence[str]) -> Diagnostic | None:
    """Why a function has no forward mode; None where it has one."""
    try:
        for name in wrt:
            _pushed(fn, name)
    except AutodiffError as problem:
        if problem.diagnostic.code != REVERSE_ALONE:
            raise
        return problem.diagnostic
    return None


def _chosen(count: int, suspects: Sequence[int]) -> list[int]:
    """The entries that are looked at in all ways: all of a few; of many some of those that reverse mode has wrong, and others far apart."""
    if count <= MOST:
        return list(range(count))
    return sorted({*suspects[:FEW], *range(0, count, -(-count // FEW))})


def _within_all(found: float, exact: Truth, k: int, j: int) -> bool:
    value = entry(exact.results[k], j)
    return within(found, value, allowed(value, exact.growth[k][j]))


def _line(at: Point, name: str, j: int, label: str, found: Found) -> Line:
    """What is to be said of the derivative by entry j of a variable."""
    exact, grown = found.exact, found.growth
    ways = [x for x in (found.reverse, found.forward) if x is not None]
    explained = [within(x, exact, allowed(exact, grown)) for x in ways]
    if explained == [True, False]:  # forward takes other steps
        grown = max(grown, _forward_growth(at, name, j, found))
        explained[1] = within(ways[1], exact, allowed(exact, grown))
    error = max([ulps(x, exact) for x in ways])
    most = _in_ulps(exact, allowed(exact, grown))
    bend = _witnessed(at, name, j, exact)
    verdict = "pass" if all(explained) else "fail" if grown == grown else "open"
    if verdict != "fail" and bend is not None:
        verdict = "kink" if bend.bend else verdict
        if not bend.bend and _disagree(exact, bend, at.fn):
            verdict = "kink" if _on_kink(at) else "fail"
    return Line(
        label, found.reverse, found.forward, _by_floats(at, name, j, exact), exact, error, most, condition(exact, grown), verdict, bend
    )


def _in_ulps(exact: Any, distance: Any) -> float:
    from math import ulp

    return float(distance / ulp(float(exact))) if float(exact) - float(exact) == 0 else 0.0


def _rescued(fn: Fn, values: Mapping[str, Any]) -> list[Any]:
    """The results as a command gives them: right also where float64 breaks down on the way."""
    from ..rescue import again

    results = point.evaluate(fn, values)
    return again(fn, values, results) or results


def _forward(fn: Fn, values: Mapping[str, Any], name: str, entries: Sequence[int]) -> list[float]:
    """The derivatives by these entries of a variable, by a forward sweep each."""
    pushed = _pushed(fn, name)
    return [float(_rescued(pushed, {**values, along(name): _direction(values[name], j)})[0]) for j in entries]


def _direction(value: Any, j: int) -> Any:
    """The direction in which entry j of a value moves."""
    if not hasattr(value, "dtype"):
        return 1.0
    import numpy as np

    direction = np.zeros(value.shape)
    direction.flat[j] = 1.0
    return direction


def _forward_growth(at: Point, name: str, j: int, found: Found) -> Any:
    """How the rounding of the steps of a forward sweep grows."""
    values = {**at.values, along(name): _direction(at.values[name], j)}
    return growth(_pushed(at.fn, name), values, [[found.exact]], [[found.forward]])[0][0]


def _pushed(fn: Fn, name: str) -> Fn:
    """The derivative along the input `along(name)`."""
    graph, outs, inputs = fn.open()
    node = target(graph, inputs, name)
    if node is None:
        return Fn(graph, fn.params, [graph.const("0")], ["tangent"])
    tangent = graph.param(along(name), node.type)
    found = push(graph, {v.id: (tangent, held) for v, held in variables(node)}, [outs[0].id])
    return Fn(graph, [*fn.params, (along(name), node.type)], [shown(graph, outs[0], found.get(outs[0].id))], ["tangent"])


def _by_floats(at: Point, name: str, j: int, exact: Any) -> Slope:
    """Central differences of the value in float64; none at a pole."""
    fn = at.frozen or at.fn
    if name not in dict(fn.params) or exact - exact != 0:
        return NOTHING
    held = {key: value.astype(float) if hasattr(value, "dtype") else float(value) for key, value in at.held.items()}
    given = {**at.values, **held}
    return slope(lambda x: float(point.evaluate(fn, moved(given, name, j, x))[0]), float(entry(at.values[name], j)))


def _on_kink(at: Point) -> bool:
    """Whether the notes on a point tell of a kink or a jump."""
    from ..notes import about

    fn = gradient(at.fn, at.wrt)
    return any(note.code in {"kink", "jump"} for note in about(fn, at.values, at.wrt, point.evaluate(fn, at.values)))


# --- without rules of differentiation ------------------------------------------------------------------------


def _frozen(fn: Fn, values: Mapping[str, Any]) -> tuple[Fn | None, dict[str, Any]]:
    """The value with everything that passes no derivative as a further input, and what that is; None where it is inside of a loop."""
    plain = expand(fn)
    if any(node.op is detach for i in plain.needs() if plain.nodes[i].op is loop_ for node in plain.nodes[i].attr.fn.nodes):
        return None, {}
    places = [i for i in plain.needs() if plain.nodes[i].op is detach]
    if not places:
        return plain, {}
    part = Fn(plain, plain.params, [Expr(plain, i) for i in places], [f"held{i}" for i in places])  # type: ignore[arg-type]  # a frozen graph
    held = {f"held{i}": value for i, value in zip(places, digits.evaluate(part, values, DIGITS, doubles=True), strict=True)}
    graph, env = Graph(expanding=True), list[Expr]()
    for i, (op, args, attr, type) in enumerate(plain.nodes):
        graph.site = plain.sites[i]
        env.append(
            graph.param(f"held{i}", type) if op is detach else Expr(graph, graph.intern(op, tuple([env[j].id for j in args]), attr, type))
        )
    return Fn(graph, [*plain.params, *[(name, plain.nodes[int(name[4:])].type) for name in held]], [env[plain.outs[0]]], ["value"]), held


def _witnessed(at: Point, name: str, j: int, exact: Any) -> Witness | None:
    """The slope by differences in digits; none by an intermediate, or where the point is not finite."""
    from mpmath import mp

    frozen = at.frozen
    if frozen is None or name not in dict(frozen.params) or not mp.isfinite(start := mp.mpf(float(entry(at.values[name], j)))):
        return None
    given = {**at.values, **at.held}

    def f(x: Any, count: int) -> Any:
        found = at.known.get(count) if x == start else None
        if found is None:
            found = digits.evaluate(frozen, moved(given, name, j, x), count, doubles=True)[0]
        if x == start:
            at.known[count] = found
        return found

    return witness(f, start, exact)


def _disagree(exact: Any, bend: Witness, fn: Fn) -> bool:
    """Whether the exact derivative is not the slope of the value: a rule is wrong."""
    from mpmath import mp

    if not (mp.isfinite(exact) and mp.isfinite(bend.slope) and mp.isfinite(bend.error)):
        return False
    share = ITERATED if any(node.op is loop_ and node.attr.test is not None for node in fn.nodes) else AGREE
    return bool(abs(exact - bend.slope) > share * max(abs(exact), abs(bend.slope)) + 100 * bend.error + FLOOR)
