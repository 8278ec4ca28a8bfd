"""A loop in a function and values in; what the first turns of it start from, in digits, out."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError
from ..graph import Expr, Fn
from ..run import digits
from ..run.loops import most_turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TURNS = 3


def arguments(fn: Fn, args: Sequence[int], values: Mapping[str, Any], count: int) -> list[Any]:
    """The values of nodes, with `count` digits."""
    part = Fn(fn, fn.params, [Expr(fn, j) for j in args], [f"a{k}" for k in range(len(args))])  # type: ignore[arg-type]  # a frozen graph
    return digits.evaluate(part, values, count, doubles=True)


def turns(fn: Fn, place: int, values: Mapping[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """The values that the body of the loop at a place starts from, in its first turns; none where these cannot be computed."""
    node = fn.nodes[place]
    body = node.attr
    try:
        total, *given = arguments(fn, node.args, values, count)
        carries, constants, xs = (
            given[: body.nc],
            given[body.nc : body.nc + body.nk],
            [list(islice(x, TURNS)) for x in given[body.nc + body.nk :]],
        )
        most = most_turns(total, given[body.nc + body.nk :], body.limit if body.test else None)
        names = [name for name, _ in body.fn.params]
        for turn in range(min(TURNS, most)):
            start = dict(zip(names, (*carries, *constants, *[x[turn] for x in xs]), strict=True))
            if body.test is not None and not digits.evaluate(body.test, _of(body.test, start), count, doubles=True)[0]:
                return
            yield start
            carries = digits.evaluate(body.fn, start, count, doubles=True)[: body.nc]
    except (AutodiffError, IndexError, ValueError, digits.TooLong):
        return


def _of(fn: Fn, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a function takes."""
    return {name: values[name] for name, _ in fn.params}
