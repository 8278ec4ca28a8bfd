"""Loops over arrays against the same turns written out: values, gradients and second order in every mix of modes, points and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodiff_cli.ops import OPS
from autodiff_cli.ops.arithmetic import select
from autodiff_cli.ops.linear import add_up, indexed
from autodiff_cli.ops.structured import loop, out, stacked
from autodiff_cli.run import point
from loops import body, derived, first, function, real, rows_are_points, same, total

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff_cli.graph import Expr

tanh, sqrt, sin, exp = OPS["tanh"], OPS["sqrt"], OPS["sin"], OPS["exp"]
RNG = np.random.default_rng(0)
W, H, XS = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=(5, 3))
Pair = list[Any]


def cell(h: Expr, w: Expr, x: Expr) -> Pair:
    """A turn of a recurrent network: the new state and a loss."""
    new = tanh(add_up(w * h, (1,)) + x)
    return [new, total(new * new)]


def network(w: Expr, h: Expr, xs: Expr) -> Any:
    node = loop(body(cell, (1, 1, 1, 1), types=[real(3), real(3, 3), real(3)]), None, [h], [w], [xs])
    return total(stacked(out(node, 1), attr=5) * 2) + total(first(node))


def network_written_out(w: Expr, h: Expr, xs: Expr) -> Any:
    loss: Any = 0
    for t in range(5):
        h, one = cell(h, w, indexed(xs, (t,)))
        loss += one * 2
    return loss + total(h)


def bent(h: Any, k: Any) -> Any:
    return select(h > 0, sqrt(h) * k, h * h)


def entries(h: Expr, k: Expr) -> Any:
    """A condition for every entry."""
    node = loop(body(bent, (1, 1), types=[real(3), real()]), 4, [h], [k])
    return total(first(node) * sin(h))


def entries_written_out(h: Expr, k: Expr) -> Any:
    z = h
    for _ in range(4):
        z = bent(z, k)
    return total(z * sin(h))


def kept(z: Any, x: Any) -> Pair:
    y = select(x > 0, sqrt(x), x * z)
    return [y + z / 2, y]


def taken(s: Any, y: Any) -> Any:
    return select(y > 0.5, s + y * y, s * 0.9)


def passed_on(z: Expr, xs: Expr) -> Any:
    """What one loop keeps is scanned by another and stacked, with structural zeros in some turns."""
    one = loop(body(kept, (1, 0, 1, 1)), None, [z], [], [xs])
    two = loop(body(taken, (1, 0, 1)), None, [z], [], [out(one, 1)])
    return first(one) + first(two) + total(stacked(out(one, 1), attr=4))


def passed_on_written_out(z: Expr, xs: Expr) -> Any:
    s, ys = z, []
    for t in range(4):
        z, y = kept(z, indexed(xs, (t,)))
        ys.append(y)
    for y in ys:
        s = taken(s, y)
    return z + s + (ys[0] + ys[1] + ys[2] + ys[3])


def growth(s: Any, i: Any, k: Any, x: Any) -> Pair:
    y = sqrt(x) * k * s
    return [s + y, i + 1, y]


def until(s: Expr, k: Expr, xs: Expr) -> Any:
    """A loop that breaks off: its turns are bounded by the inputs and by a test."""
    return loop(body(growth, (2, 1, 1, 1), lambda s, i, k: (s < 2) & (i < 6)), 6, [s, xs.graph.const("0")], [k], [xs])


def broken_off(xs: Expr, k: Expr) -> Any:
    """Two loops of unlike length over one array; what the first keeps is scanned to the full length and stacked."""
    a, b = until(k, k, xs), until(k * 0.5, k * 0.7, xs)
    c = loop(body(lambda z, y, w: z + y * y * w, (1, 0, 2)), 6, [k], [], [out(a, 2), xs])
    return first(a) * first(b) + total(stacked(out(a, 2), attr=6) * sin(xs)) + first(c)


def until_written_out(s: Any, k: Expr, xs: Expr) -> tuple[Any, list[Any]]:
    on, ys = None, []
    for t in range(6):
        on = s < 2 if on is None else on & (s < 2)
        more, _, y = growth(s, xs.graph.const("0"), k, indexed(xs, (t,)))
        ys.append(select(on, y, 0))
        s = select(on, more, s)
    return s, ys


def broken_off_written_out(xs: Expr, k: Expr) -> Any:
    (a, ys), (b, _) = until_written_out(k, k, xs), until_written_out(k * 0.5, k * 0.7, xs)
    z, other = k, xs.graph.const("0")
    for t, y in enumerate(ys):
        z = z + y * y * indexed(xs, (t,))
        other = other + y * sin(indexed(xs, (t,)))
    return a * b + other + z


def chosen(xs: Expr, k: Expr) -> Any:
    """What a loop keeps is scanned in one arm, and otherwise in the other."""
    made = loop(body(lambda z, x: [z * x + x, exp(-z)], (1, 0, 1, 1)), None, [k], [], [xs])
    less = loop(body(lambda s, y: s * y + y, (1, 0, 1)), None, [k], [], [out(made, 1)])
    more = loop(body(lambda s, y: s + y * y, (1, 0, 1)), None, [k], [], [out(made, 1)])
    return select(k > 0.5, first(less), first(more)) * 2


def chosen_written_out(xs: Expr, k: Expr) -> Any:
    z, ys = k, []
    for t in range(4):
        x = indexed(xs, (t,))
        ys.append(exp(-z))
        z = z * x + x
    less = more = k
    for y in ys:
        less, more = less * y + y, more + y * y
    return select(k > 0.5, less, more) * 2


PROGRAMS: dict[str, tuple[Callable[..., Expr], Callable[..., Expr], dict[str, Any]]] = {
    "a recurrent network": (network, network_written_out, {"w": W, "h": H, "xs": XS}),
    "conditions of entries": (entries, entries_written_out, {"h": np.array([0.5, -0.4, 0.8]), "k": 1.3}),
    "conditions of entries at 0": (entries, entries_written_out, {"h": np.array([0.0, -0.4, 1.0]), "k": 1.3}),
    "passed on": (passed_on, passed_on_written_out, {"z": 0.7, "xs": np.array([0.5, -0.3, 1.2, 0.1])}),
    "passed on at 0": (passed_on, passed_on_written_out, {"z": 0.7, "xs": np.array([0.0, 0.4, 0.0, -0.2])}),
    "broken off": (broken_off, broken_off_written_out, {"xs": np.array([0.3, 0.5, 0.2, 0.4, 0.6, 0.9]), "k": 0.9}),
    "broken off, singular after it": (broken_off, broken_off_written_out, {"xs": np.array([2.0, 2.0, 2.0, 0.0, 0.0, 0.0]), "k": 1.2}),
    "broken off at once": (broken_off, broken_off_written_out, {"xs": np.array([2.0, 0.5, 0.2, 0.4, 0.6, 0.9]), "k": 2.5}),
    "never broken off": (broken_off, broken_off_written_out, {"xs": np.array([0.3, 0.5, 0.2, 0.4, 0.6, 0.9]), "k": 0.1}),
    "scanned in arms": (chosen, chosen_written_out, {"xs": np.array([0.3, 0.5, -0.2, 0.4]), "k": 0.4}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_over_arrays(name: str) -> None:
    build, written_out, values = PROGRAMS[name]
    params = [(n, real(*np.shape(v))) for n, v in values.items()]
    pairs = zip(derived(function(build, *params), list(values)), derived(function(written_out, *params), list(values)), strict=True)
    for ours, plain in pairs:
        same(point.evaluate(ours, values), point.evaluate(plain, values))


@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_of_arrays(name: str) -> None:
    """Four rows with turns of their own, all inputs or some of them different from row to row."""
    build, _, values = PROGRAMS[name]
    fn = function(build, *[(n, real(*np.shape(v))) for n, v in values.items()])
    for each in derived(fn, list(values)):
        for chosen in (list(values), list(values)[:1], list(values)[1:]):
            columns = {n: np.stack([np.asarray(values[n]) * s for s in (1.0, 0.9, 1.1, 2.0)]) for n in chosen}
            rows_are_points(each, columns, {n: v for n, v in values.items() if n not in chosen})
