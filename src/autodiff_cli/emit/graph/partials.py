"""A node and one of its arguments in; the local partial between them out, as a formula and as a number or an array."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...derive.conditions import gate
from ...derive.pull import pull
from ...diagnostics import AutodiffError
from ...graph import CONST, PARAM, Expr, Fn, Graph
from ...ops.arithmetic import select
from ..text import text, variable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...report import Value
    from ..drawing import Shown

LONGEST, ARGUMENT = 24, 12
BODY = re.compile(r"\b[ackx]\d+\b")
POWER = re.compile(r"\*\*\((\d+\.\d+) - 1\)")
PLACE = re.compile(r"\bp(\d+)_\b")


def written(fn: Fn, i: int, k: int, names: Mapping[int, str], params: Mapping[str, str]) -> str:
    """The local partial of node i by its argument k as a formula in the names of the program; "" where it is no short one.

    `names` are of the arguments as the language writes them, `params` of the parameters of a body.
    """
    found = partial(fn, i, k)
    if found is None or fn.nodes[i].op is select:
        return ""
    args = fn.nodes[i].args
    formula = _spoken(found, fn.nodes[i].op, k)
    formula = PLACE.sub(lambda place: _name(fn, args[int(place[1])], names, params, alone=_alone(place)), formula)
    return formula if len(formula) <= LONGEST and "…" not in formula else ""


def _spoken(found: Fn, op: Any, k: int) -> str:
    """A partial in words that people know: as it is, as the op table writes it for people, or with its hidden operations spelled out."""
    from ..formulas import Formula, as_written

    whole: Formula | None = Formula(found.nodes, found.outs[0])
    if whole and whole.hidden():
        me = next((n for n, node in enumerate(found.nodes) if node.op is op), None)
        whole = (None if me is None else as_written(found.nodes, me, k)) or whole.spoken()
    return POWER.sub(_lowered, text(whole.nodes, whole.out, LONGEST)) if whole else ""


def _lowered(power: re.Match[str]) -> str:
    """A power that is 1 lower, as its decimal."""
    from decimal import Decimal

    return f"**{Decimal(power[1]) - 1}"


def _alone(place: re.Match[str]) -> bool:
    """Whether a name is all of a formula or of an argument of a call."""
    before, after = place.string[: place.start()], place.string[place.end() :]
    return before.endswith(("(", ", ")) and after.startswith((")", ",")) or not before + after


def _name(fn: Fn, j: int, names: Mapping[int, str], params: Mapping[str, str], *, alone: bool) -> str:
    node = fn.nodes[j]
    if names.get(j) or node.op is PARAM:
        return names.get(j) or variable(node.attr)
    said = BODY.sub(lambda word: params.get(word[0], word[0]), text(fn.nodes, j, ARGUMENT))
    return (
        said if alone or said.isalnum() or said.endswith(")") and said.partition("(")[0].isalnum() and said.count("(") == 1 else f"({said})"
    )


def local(fn: Fn, i: int, k: int, shown: Shown | None) -> Value | None:
    """The value of the local partial of node i by its argument k; None where it is not known."""
    found = None if shown is None else partial(fn, i, k)
    if fn.nodes[i].op is select and not fn.nodes[fn.nodes[i].args[0]].type.shape:
        return 1.0 if shown and i in shown.values else None
    if found is None or shown is None or any(j not in shown.values for j in (i, *fn.nodes[i].args)):
        return None
    from ...run.point import evaluate

    values = {f"p{n}_": shown.values[j] for n, j in enumerate(fn.nodes[i].args)}
    return evaluate(found, values)[0]


def partial(fn: Fn, i: int, k: int) -> Fn | None:
    """The partial as a function of the arguments, each a variable of its own; None where it has more axes than the node."""
    op, args, attr, type = fn.nodes[i]
    if type.shape and (not op.aligned or fn.nodes[args[k]].type.shape != type.shape):
        return None
    key = ("partial", i, k)
    if key not in fn.cache:
        fn.cache[key] = _local(fn, op, args, attr, k)
    return fn.cache[key]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _local(fn: Fn, op: Any, args: tuple[int, ...], attr: Any, k: int) -> Fn | None:
    graph = Graph(expanding=True)
    nodes = [fn.nodes[j] for j in args]
    params = [(f"p{n}_", node.type) for n, node in enumerate(nodes)]
    given = [graph.const(node.attr) if node.op is CONST else graph.param(*param) for node, param in zip(nodes, params, strict=True)]
    result = graph.add(op, given, attr)
    one = graph.broadcast(graph.const("1"), result.type.shape)
    try:
        found = pull(graph, [(result.id, (one, None))], [given[k].id]).get(given[k].id)
    except AutodiffError:
        return None
    slope = graph.const("0") if found is None else gate(found)
    return Fn(graph, params, [Expr(graph, slope.id)], ["partial"])
