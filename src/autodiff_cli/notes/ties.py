"""The kinks that an array sits on: how many entries, where the first one is, and what was chosen there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..derive import gradient
from ..derive.pull import between
from ..diagnostics import Diagnostic, Label
from ..graph import BROADCAST, CONST, PARAM, Expr, Fn, Graph
from ..ops.arithmetic import select
from ..ops.losses import whole_numbers
from ..program import compile
from ..run import floats, point
from .kinks import conditions
from .probe import probe
from .words import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..graph import Op

    Slots = Mapping[int, Any]

STEP, SAME, MOST = 1e-7, 1e-4, 4
EXTREMES = ("largest", "smallest")


def ties(fn: Fn, values: Mapping[str, Any], wrt: Sequence[str]) -> list[Diagnostic]:
    """One note with a label for every piece of text that is on a kink, if the slopes on both sides tell of one."""
    whole = whole_numbers(fn)
    names = [name for name in wrt if name in values and name not in whole]
    if not names or not any(node.op.kink or node.op is select or node.op.name in (*EXTREMES, "length", "argsort") for node in fn.nodes):
        return []
    body = compile(fn.only(0)).fn
    inputs = {i for i, node in enumerate(body.nodes) if node.op is PARAM and node.attr in names}
    path = between(body, body.outs, inputs)  # type: ignore[arg-type]  # a frozen graph
    slots = point.trace(compile(fn.only(0)), values)
    labels = dict([label for i in path if i in slots for label in _labels(body, i, slots)])
    code = _sides(probe(fn, names), values, names) if labels else None
    if code is None:
        return []
    found = tuple([Label(span, text) for span, text in labels.items()])
    return [Diagnostic(code, f"the point is on a {code}", found[:MOST], severity="note")]


def _labels(fn: Fn, i: int, slots: Slots) -> Iterator[tuple[Any, str]]:
    site = fn.sites[i]
    tied = None if site is None else _tied(fn, i, slots)
    if tied is None or site is None:
        return
    import numpy as np

    count, size = int(np.sum(tied)), int(np.size(tied))
    if count:
        first = tuple(np.argwhere(tied)[0].tolist())
        many = f"{count} of {size} entries" if size > 1 else ""
        where = f"the first at {list(first)}" if size > 1 else ""
        yield site.span, ", ".join([part for part in (many, where, _chosen(fn, i, slots, first)) if part])


def _tied(fn: Fn, i: int, slots: Slots) -> Any:
    """Which entries of a node are on a kink."""
    op, args, attr, _ = fn.nodes[i]
    if op is select:
        pairs = [fn.nodes[c].args for c in conditions(fn, args[0]) if c in slots]
        equal = [slots[a] == slots[b] for a, b in pairs if a in slots and b in slots]
        return sum(equal[1:], start=equal[0]) > 0 if equal else None
    if op.kink is not None:
        return point.evaluate(_predicate(fn, i), {f"a{k}": slots[j] for k, j in enumerate(args)})[0]
    if op.name in EXTREMES:
        import numpy as np

        x = np.asarray(slots[args[0]])
        best = np.expand_dims(slots[i], tuple(attr[0]))
        return (x == best).sum(axis=attr[0]) > 1
    return slots[i] == 0 if op.name == "length" else None


def _predicate(fn: Fn, i: int) -> Fn:
    op, args, attr, _ = fn.nodes[i]
    graph = Graph(expanding=True)
    inputs = [graph.param(f"a{k}", fn.nodes[j].type) for k, j in enumerate(args)]
    found = op.kink(*inputs) if attr is None else op.kink(*inputs, attr)  # type: ignore[misc]  # looked at before
    return Fn(graph, [(f"a{k}", p.type) for k, p in enumerate(inputs)], [graph.lift(found)], ["kink"])


def _chosen(fn: Fn, i: int, slots: Slots, first: tuple[int, ...]) -> str:
    """What the derivative does there."""
    op, args, _, _ = fn.nodes[i]
    if op is select:
        condition = slots[args[0]]
        taken = bool(condition[first] if getattr(condition, "shape", ()) else condition)
        return f"{_side(fn, i, args[1 if taken else 2]) or ('the first' if taken else 'the second')} was chosen"
    if op.name in EXTREMES:
        return "tied entries share the slope evenly"
    if op.name == "length":
        return "slope 0 was chosen"
    numbers = [slots[j][first].item() if getattr(slots[j], "shape", ()) else slots[j] for j in args]
    slopes = _slopes(op, fn.nodes[i].attr, numbers)
    moving = [s for s, j in zip(slopes, args, strict=True) if any(fn.nodes[k].op is PARAM for k in _below(fn, j))]
    return f"slope {' and '.join(dict.fromkeys(map(number, moving)))} was chosen" if moving else ""


def _side(fn: Fn, i: int, j: int) -> str:
    """What the user calls the value `j` that a selection `i` took; nothing where it has no text of its own."""
    while fn.nodes[j].op is BROADCAST:
        j = fn.nodes[j].args[0]
    mine, site = fn.sites[i], fn.sites[j]
    if fn.nodes[j].op is CONST:
        return f"`{fn.nodes[j].attr}`"
    return f"`{site.span.text}`" if site and mine and site.span != mine.span else ""


def _below(fn: Fn, i: int) -> set[int]:
    found, todo = {i}, [i]
    while todo:
        for j in fn.nodes[todo.pop()].args:
            if j not in found:
                found.add(j)
                todo.append(j)
    return found


def _slopes(op: Op, attr: Any, numbers: Sequence[float]) -> list[float]:
    """The partials of one op at numbers."""
    graph = Graph(expanding=True)
    inputs = [graph.param(f"a{k}") for k in range(len(numbers))]
    value = Expr(graph, graph.intern(op, tuple([x.id for x in inputs]), attr))
    names = [f"a{k}" for k in range(len(numbers))]
    fn = gradient(Fn(graph, [(n, x.type) for n, x in zip(names, inputs, strict=True)], [value], ["value"]), names)
    return [float(s) for s in floats.evaluate(fn, dict(zip(names, numbers, strict=True)))[1:]]


def _sides(fn: Fn, values: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Whether the value ("jump") or the slope ("kink") differs just below and just above the point, along one direction without symmetry."""
    import numpy as np

    steps: dict[str, Any] = {}
    for k, name in enumerate(names):
        x = np.asarray(values[name], dtype=float)
        steps[name] = STEP * np.cos(1.0 + k + np.arange(x.size)).reshape(x.shape) * np.maximum(1.0, np.abs(x))
    with np.errstate(all="ignore"):
        sides = [_along(fn, values, steps, sign) for sign in (-1.0, 1.0)]
        here = _slope(point.evaluate(fn, values), steps)
    (low, below), (high, above) = sides
    scale = max(abs(here), abs(below), abs(above), 1e-300)
    jump = abs(high - low) > 4 * scale + SAME * max(abs(high), abs(low)) if np.isfinite([high, low]).all() else False
    bends = abs(below - above) > SAME * scale or abs(below - here) > SAME * scale
    return "jump" if jump else "kink" if bends else None


def _along(fn: Fn, values: Mapping[str, Any], steps: Mapping[str, Any], sign: float) -> tuple[float, float]:
    moved = {**values}
    for name, step in steps.items():
        x = values[name] + sign * step
        moved[name] = x if getattr(values[name], "shape", ()) else float(x)
    results = point.evaluate(fn, moved)
    return float(results[0]), _slope(results, steps)


def _slope(results: Sequence[Any], steps: Mapping[str, Any]) -> float:
    """The derivative along the step."""
    import numpy as np

    return float(sum(np.sum(np.asarray(d) * step) for d, step in zip(results[1:], steps.values(), strict=False)))
