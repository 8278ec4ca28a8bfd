"""A function in; for each function in it with a derivative of its own, whether that is the derivative of its body, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..derive import expand, gradient
from ..diagnostics import AutodiffError
from ..graph import PARAM, Expr, Fn, Graph
from ..ops.arithmetic import detach
from ..ops.structured import call, call_, loop_
from ..run import digits
from ..run.settled import entries
from .turns import arguments, turns
from .witness import DIGITS, witness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..graph import Site
    from ..ops.structured import Callee

PRECISION = 60
SURE, ITERATED = 1e-15, 1e-6  # how far apart the two may be; where the body iterates, it is as exact as its last turn


class Rule(NamedTuple):
    """A call of a function with its own derivative: `verdict` is "right", "wrong", "kink" or "instead" (the body is a step, and the rule stands in for it).

    `said` and `truth` are the derivative by an argument, or by the entry of it that `places` has first, of the value, or of the entry
    of it that stands second there.
    """

    callee: Callee
    site: Site | None
    verdict: str
    argument: int = 0
    said: Any = None
    truth: Any = None
    places: tuple[str, str] = ("", "")


def rules(fn: Fn, values: Mapping[str, Any]) -> list[Rule]:
    """What is to be said of every callee with a rule: at its first call, of those in loops at their first turns, until one is not right."""
    found: dict[Callee, Rule] = {}
    todo = [(fn, dict(values), False)]
    while todo:
        outer, given, again = todo.pop(0)
        for i in outer.needs():
            op, args, attr, _ = outer.nodes[i]
            if op is loop_ and _calls(attr.fn):
                todo += [(attr.fn, start, True) for start in turns(outer, i, given, DIGITS)]
            elif op is call_ and (attr not in found or again and found[attr].verdict == "right"):
                inside = arguments(outer, args, given, DIGITS)
                found[attr] = _looked(attr, outer.sites[i], inside)
                todo.append((attr.fn, dict(zip([name for name, _ in attr.fn.params], inside, strict=False)), again))
    return list(found.values())


def _calls(fn: Fn) -> bool:
    """Whether a function with a rule of its own is called in a function, or in a loop in it."""
    todo = [fn]
    while todo:
        one = todo.pop()
        for node in one.nodes:
            if node.op is call_:
                return True
            if node.op is loop_:
                todo.append(node.attr.fn)
    return False


def _looked(callee: Callee, site: Site | None, args: Sequence[Any]) -> Rule:
    """The rule against the derivative of the body, both in digits, at the arguments of the call."""
    fn, names = _alone(callee)
    given = {f"a{k}": value for k, value in enumerate(args)} | _weights(fn)
    body = expand(fn)
    try:
        mine, derivative = gradient(fn, names), gradient(body, names)
        ours, theirs = [_computed(one, given) for one in (mine, derivative)]
    except AutodiffError:
        return Rule(callee, site, "right")
    flat = all(Expr(derivative, o).whole == 0 for o in derivative.outs[1:])  # type: ignore[arg-type]  # a frozen graph
    step = flat and any(body.nodes[i].op is PARAM for i in body.needs())
    if (step or any(node.op is detach for node in body.nodes)) and any(x for value in ours for x in entries(value)):
        return Rule(callee, site, "instead")
    share = SURE if not _iterates(fn) else ITERATED
    for k, (name, said, truth) in enumerate(zip(names, ours, theirs, strict=True)):
        for at, (x, y) in enumerate(zip(entries(said), entries(truth), strict=True)):
            if _apart(x, y, share):
                bent = _bent(body, given, name, at)
                found = _seen((mine, derivative), given, (k, at), share) if "weights" in given else (x, y, "")
                place = _place(at, said.shape) if hasattr(said, "shape") else ""
                return Rule(callee, site, "kink" if bent else "wrong", int(name[1:]) + 1, *found[:2], (place, found[2]))
    return Rule(callee, site, "right")


def _computed(derivative: Fn, given: Mapping[str, Any]) -> list[Any]:
    return digits.evaluate(derivative, given, PRECISION, doubles=True)[1:]


def _seen(both: tuple[Fn, Fn], given: Mapping[str, Any], by: tuple[int, int], share: float) -> tuple[Any, Any, str]:
    """The two derivatives, by entry `by` of an argument, of one entry of the value where they are apart; and which that is.

    Half of the entries are left out until one is left; of all together, with their weights, where that tells of none.
    """
    import numpy as np

    weights = given["weights"]

    def look(chosen: Any) -> tuple[Any, Any]:
        found = [_computed(one, {**given, "weights": chosen.reshape(weights.shape)}) for one in both]
        x, y = [list(entries(result[by[0]]))[by[1]] for result in found]
        return x, y

    low, high = 0, weights.size
    place = np.arange(high)
    while high - low > 1:
        middle = (low + high) // 2
        left = _apart(*look(np.where((place >= low) & (place < middle), weights.ravel(), 0.0)), share)
        low, high = (low, middle) if left else (middle, high)
    x, y = look((place == low).astype(float))
    return (x, y, _place(low, weights.shape)) if _apart(x, y, share) else (*look(weights), "")


def _place(at: int, shape: tuple[int, ...]) -> str:
    """The entry at a place in row order, as it is written: [0] or [1, 2]."""
    found: list[int] = []
    for size in reversed(shape):
        at, k = divmod(at, size)
        found.insert(0, k)
    return f"[{', '.join(map(str, found))}]" if shape else ""


def _alone(callee: Callee) -> tuple[Fn, list[str]]:
    """The call as a function of its own, one number (an array is added up with unlike weights), and what it is differentiated by."""
    graph = Graph()
    inputs = [graph.param(f"a{k}", type) for k, (_, type) in enumerate(callee.fn.params)]
    value = call(callee, inputs)
    params = [(f"a{k}", type) for k, (_, type) in enumerate(callee.fn.params)]
    if value.type.shape:
        from ..ops.linear import add_up

        weights = graph.param("weights", value.type)
        params.append(("weights", value.type))
        value = add_up(value * weights, tuple(range(len(value.type.shape))))
    ruled = callee.partials or (True,) * len(inputs)
    names = [f"a{k}" for k, (x, rule) in enumerate(zip(inputs, ruled, strict=False)) if rule is not None and x.type.kind == "real"]
    return Fn(graph, params, [value], ["value"]), names


def _weights(fn: Fn) -> dict[str, Any]:
    shape = dict(fn.params)["weights"].shape if "weights" in dict(fn.params) else None
    if shape is None:
        return {}
    import numpy as np

    return {"weights": np.cos(1.0 + np.arange(np.prod(shape))).reshape(shape)}


def _apart(x: Any, y: Any, share: float) -> bool:
    from mpmath import mp

    if not (mp.isfinite(x) and mp.isfinite(y)):
        return False
    return bool(abs(x - y) > share * max(abs(x), abs(y)))


def _bent(body: Fn, given: Mapping[str, Any], name: str, at: int) -> bool:
    from .entry import moved

    def f(x: Any, count: int) -> Any:
        return digits.evaluate(body, moved(given, name, at, x), count, doubles=True)[0]

    start = list(entries(given[name]))[at]
    return bool(witness(f, start).bend)


def _iterates(fn: Fn) -> bool:
    """Whether a loop stands in a function, or in one that it calls."""
    return any(node.op is loop_ for inner in _functions(fn) for node in inner.nodes)


def _functions(fn: Fn) -> Iterator[Fn]:
    todo, seen = [fn], set()
    while todo:
        one = todo.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            todo += [node.attr.fn for node in one.nodes if node.op is call_]
