"""Calls of functions with a derivative of their own: the user's rule in, cotangents or tangents out, in both modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnostics import AutodiffError, Label, error
from ..graph import NAME, PARAM, Expr, Fn, Graph
from ..ops.arithmetic import detach
from ..ops.linear import add_up, unbroadcast
from .conditions import carry, gate, plus
from .linearity import culprit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..graph import Site
    from ..ops.structured import Callee
    from ..types import Type
    from .conditions import Gated


REVERSE_ALONE = "nonlinear-rule"


def pull_call(graph: Graph, i: int, cotangent: Gated, on_path: set[int]) -> Iterator[tuple[int, Gated]]:
    """What a call hands back to its arguments: the place of each, and its share."""
    node = graph.nodes[i]
    args = [Expr(graph, j) for j in node.args]
    wanted = [k for k, j in enumerate(node.args) if j in on_path]
    _refuse_captures(graph, i, wanted)
    if node.attr.pullback is None:
        shares = [_times(cotangent, _partial(graph, node.attr, k, args), args[k].type) for k in wanted]
    else:
        value, condition = _whole(cotangent)
        results = inlined(graph, node.attr.pullback, [value, *args])
        shares = [_some(graph.broadcast(results[k], args[k].type.shape), condition) for k in wanted]
    for k, share in zip(wanted, shares, strict=True):
        if share is not None:
            yield k, share


def push_call(graph: Graph, i: int, tangents: Mapping[int, Gated]) -> Gated | None:
    """The tangent of a call: partials times tangents, or the transpose of the pullback."""
    node = graph.nodes[i]
    args = [Expr(graph, j) for j in node.args]
    given = {k: tangents[j] for k, j in enumerate(node.args) if j in tangents}
    _refuse_captures(graph, i, given)
    if node.attr.pullback is not None:
        return _transposed(graph, i, given, args)
    total = None
    for k, tangent in given.items():
        moved = carry(tangent, lambda t: graph.broadcast(t, node.type.shape), "")
        share = _times(moved, _partial(graph, node.attr, k, args), node.type)
        total = plus(total, share) if share is not None else total
    return total


def _refuse_captures(graph: Graph, i: int, wanted: Iterable[int]) -> None:
    """A rule tells of the parameters alone: what the function reads besides has no derivative, which is not 0."""
    callee = graph.nodes[i].attr
    for k in wanted:
        name = callee.fn.params[k][0]
        if name[:1] == "k" and name[1:].isdigit() and name in _read(callee.fn):
            site, of = graph.sites[i], graph.sites[graph.nodes[i].args[k]]
            what = f"`{of.span.text}`" if of else "a name of the program"
            fixed = f"; detach({of.span.text}) holds it fixed" if of else ""
            raise error(
                "no-derivative", f"the rule of `{callee.name}` is silent about {what}, which `{callee.name}` reads from outside",
                site and site.span, hint=f"make it a parameter of `{callee.name}`, with a derivative of its own in the rule{fixed}",
            )  # fmt: skip


def _read(fn: Fn) -> set[str]:
    """The parameters that a value changes with: not those that only conditions read, or what is detached."""
    todo, seen, found = list(fn.outs), set(fn.outs), set()
    while todo:
        node = fn.nodes[todo.pop()]
        if node.op is PARAM:
            found.add(node.attr)
        if node.op is not detach:
            fresh = {j for j in node.args if fn.nodes[j].type.kind != "bool"} - seen
            seen |= fresh
            todo += fresh
    return found


def inlined(graph: Graph, fn: Fn, args: Sequence[Expr]) -> list[Expr]:
    """The results of a function over nodes of this graph."""
    env = graph.inline(fn, {name: a for (name, _), a in zip(fn.params, args, strict=True)})
    return [Expr(graph, env[o]) for o in fn.outs]


def _partial(graph: Graph, callee: Callee, k: int, args: Sequence[Expr]) -> Expr | None:
    if callee.partials is None:
        site = graph.site and graph.site.span
        raise error("endless-rule", f"the rule of `{callee.name}` needs the derivative of `{callee.name}`, which is that rule", site)
    partial = callee.partials[k]
    return None if partial is None else inlined(graph, partial, args)[0]


def _times(given: Gated, partial: Expr | None, type: Type) -> Gated | None:
    """The product, summed over what the argument was stretched along."""
    if partial is None or partial.whole == 0:
        return None
    value, condition = given
    product = value * partial
    if product.type.shape == type.shape:
        return (product, condition)
    if condition is not None and condition.type.shape:
        condition = value.graph.broadcast(condition, product.type.shape)
    wide = value.graph.broadcast(product, product.type.shape)
    return carry((wide, condition), lambda u: unbroadcast(u, type.shape), "add")


def _whole(given: Gated) -> Gated:
    """A rule of the user's sees numbers; one condition over all of it stays outside."""
    value, condition = given
    return (gate(given), None) if condition is not None and condition.type.shape else (value, condition)


def _some(value: Expr, condition: Expr | None) -> Gated | None:
    return None if value.whole == 0 else (value, condition)


def _transposed(graph: Graph, i: int, given: Mapping[int, Gated], args: Sequence[Expr]) -> Gated:
    """The pullback is linear in the cotangent u: the tangent is d/du of the sum of pullback(u)_k * t_k."""
    node = graph.nodes[i]
    rule = _forward(node.attr.pullback, node.type, tuple(given))
    if not isinstance(rule, Fn):
        raise _nonlinear(node.attr.name, graph.sites[i], rule)
    tangents = [gate(t) for t in given.values()]
    return (inlined(graph, rule, [*args, *tangents])[0], None)


def _nonlinear(name: str, call: Site | None, where: Site | None) -> AutodiffError:
    found = error(
        "nonlinear-rule", f"the rule of `{name}` is not linear in the cotangent, so it has no forward mode",
        call and call.span, "a derivative in reverse alone can pass here",
        hint="`autodiff grad`, `autodiff jac` and grad(y, x) in the language go in reverse alone",
    ).diagnostic  # fmt: skip
    more = (Label(where.span, "not linear in it"),) if where else ()
    return AutodiffError(found._replace(labels=(*found.labels, *more)))


def _forward(pullback: Fn, type: Type, places: tuple[int, ...]) -> Fn | Site | None:
    """The function of arguments and tangents that the pullback's transpose is, or what is not linear in it. Made once."""
    key = ("transpose", type, places)
    if key not in pullback.cache:
        graph, outs, _ = pullback.open()
        bad = culprit(Fn(graph, pullback.params, outs, pullback.names), pullback.params[0][0], [outs[k].id for k in places])
        pullback.cache[key] = _forward_fn(pullback, type, places) if bad is None else graph.sites[bad]
    return pullback.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _forward_fn(pullback: Fn, type: Type, places: tuple[int, ...]) -> Fn:
    from .pull import pull

    graph = Graph(expanding=True)
    params = [(f"x{k}", t) for k, (_, t) in enumerate(pullback.params[1:])]
    params += [(f"t{k}", params[k][1]) for k in places]
    inputs = {name: graph.param(name, t) for name, t in params}
    u = graph.add(NAME, [graph.broadcast(graph.const("0"), type.shape)], ("", 0, False, False))
    results = inlined(graph, pullback, [u, *[inputs[f"x{k}"] for k in range(len(pullback.params) - 1)]])
    total = graph.const("0")
    for k in places:
        product = results[k] * inputs[f"t{k}"]
        total = total + add_up(product, tuple(range(len(product.type.shape))))
    found = pull(graph, [(total.id, (graph.const("1"), None))], [u.id]).get(u.id)
    tangent = graph.const("0") if found is None else gate(found)
    return Fn(graph, params, [graph.broadcast(tangent, type.shape)], ["tangent"])
