"""Loops over numbers: values, both directions and second order against mpmath, structural zeros, rows, loops without end."""

from __future__ import annotations

import math
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from mpmath import mp

from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import AutodiffError, Exit
from autodiff_cli.ops import OPS
from autodiff_cli.ops.arithmetic import select
from autodiff_cli.ops.structured import loop, out
from autodiff_cli.program import compile
from autodiff_cli.run import arrays, digits, floats, tensors
from loops import body, first, function, rows_are_points
from programs import tangents

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodiff_cli.graph import Expr, Fn

sin, cos, sqrt, exp, log, max_ = (OPS[n] for n in ("sin", "cos", "sqrt", "exp", "log", "max"))


def counted(step: Callable[..., Any], n: int) -> Callable[..., Any]:
    """The same loop over mpmath's numbers."""

    def run(x: Any, *constants: Any) -> Any:
        for _ in range(n):
            x = step(x, *constants)
        return x

    return run


def history(x: Expr, k: Expr) -> Any:
    """What one loop keeps is scanned by another."""
    made = loop(body(lambda z, k: [sin(z * k) + z / 2, z * k], (1, 1, 0, 1)), 6, [x], [k])
    return first(loop(body(lambda s, y: s + y * y * s, (1, 0, 1)), 6, [x], [], [out(made, 1)])) + first(made)


def history_by_hand(x: Any, k: Any) -> Any:
    z, ys = x, []
    for _ in range(6):
        ys.append(z * k)
        z = mp.sin(z * k) + z / 2
    s = x
    for y in ys:
        s = s + y * y * s
    return s + z


def newton(a: Expr) -> Any:
    test = lambda r, a: (r * r - a) ** 2 > 1e-26  # noqa: E731 (reads as the condition)
    return first(loop(body(lambda r, a: (r + a / r) / 2, (1, 1), test=test), None, [a.graph.const("1")], [a]))


def nested(x: Expr, k: Expr) -> Any:
    inner = body(lambda s, z: s + sin(s * z), (1, 1))
    return first(loop(body(lambda z, k: first(loop(inner, 3, [z * k], [k])), (1, 1)), 4, [x], [k]))


def nested_by_hand(x: Any, k: Any) -> Any:
    z = x
    for _ in range(4):
        s = z * k
        for _ in range(3):
            s = s + mp.sin(s * k)
        z = s
    return z


def branching(z: Any, k: Any) -> Any:
    return select(z < 1, z * k + 0.3, sqrt(z) * k)


def swapped(x: Expr, v: Expr) -> Any:
    """Two carries of which only one is asked for."""
    return first(loop(body(lambda x, v: [x + v * 0.1, v - sin(x) * 0.1], (2,)), 7, [x, v]))


def swapped_by_hand(x: Any, v: Any) -> Any:
    for _ in range(7):
        x, v = x + v / 10, v - mp.sin(x) / 10
    return x


def chosen_loop(x: Expr, k: Expr) -> Any:
    """A loop in one arm only."""
    made = loop(body(lambda z, k: z * k + exp(-z), (1, 1)), 5, [x], [k])
    return select(x > 0, first(made), x * k)


def inner_while(x: Expr, k: Expr) -> Any:
    """A loop of as many turns as its own data wants, in the turns of another."""
    halved = body(lambda z, k: z * k, (1, 1), test=lambda z, k: z > 1)
    return first(loop(body(lambda z, k: first(loop(halved, None, [z * 7], [k])) + z, (1, 1)), 3, [x], [k]))


def inner_while_by_hand(x: Any, k: Any) -> Any:
    for _ in range(3):
        z = x * 7
        while z > 1:
            z = z * k
        x = z + x
    return x


# function, names, point, the same over mpmath's numbers
LOOPS: dict[str, tuple[Callable[..., Any], list[float], Callable[..., Any]]] = {
    "for": (
        lambda x, k: first(loop(body(lambda z, k: sin(z * k) + z / 2, (1, 1)), 10, [x], [k])),
        [0.3, 0.7],
        counted(lambda z, k: mp.sin(z * k) + z / 2, 10),
    ),
    "for, no constant": (lambda x: first(loop(body(lambda z: z + 1 / z), 9, [x])), [0.4], counted(lambda z: z + 1 / z, 9)),
    "no turn": (lambda x, k: first(loop(body(lambda z, k: z * k, (1, 1)), 0, [x], [k])), [0.4, 2.0], lambda x, k: x + 0 * k),
    "kept values scanned by another": (history, [0.3, 0.7], history_by_hand),
    "while": (newton, [3.0], mp.sqrt),
    "branch": (
        lambda x, k: first(loop(body(branching, (1, 1)), 12, [x], [k])),
        [0.3, 1.1],
        counted(lambda z, k: z * k + mp.mpf(0.3) if z < 1 else mp.sqrt(z) * k, 12),
    ),
    "nested": (nested, [0.1, 0.3], nested_by_hand),
    "one of two carries": (swapped, [0.5, 0.2], swapped_by_hand),
    "in an arm, taken": (chosen_loop, [0.5, 0.2], counted(lambda z, k: z * k + mp.exp(-z), 5)),
    "in an arm, not taken": (chosen_loop, [-0.5, 0.2], lambda x, k: x * k),
    "while in for": (inner_while, [1.0, 0.4], inner_while_by_hand),
}


def partials(by_hand: Callable[..., Any], point: Sequence[float], *orders: int) -> float:
    with mp.workdps(60):
        return float(mp.diff(by_hand, tuple(map(mp.mpf, point)), tuple(orders)))


@pytest.mark.parametrize("name", LOOPS)
def test_loops_in_both_directions_and_at_second_order(name: str) -> None:
    """Value, gradient and Hessian; the Hessian by push over pull, pull over pull and push over push."""
    build, point, by_hand = LOOPS[name]
    names = [f"x{k}" for k in range(len(point))]
    fn, values, n = function(build, *names), dict(zip(names, point, strict=True)), len(names)
    unit = [[int(i == k) for i in range(n)] for k in range(n)]
    want = [float(by_hand(*map(mp.mpf, point))), *[partials(by_hand, point, *unit[k]) for k in range(n)]]
    reverse, forward = gradient(fn, names), tangents(fn, tuple(names))
    close = pytest.approx(want, rel=1e-12, abs=1e-12)
    assert floats.evaluate(reverse, values) == close
    assert floats.evaluate(forward, values) == close
    assert [float(v) for v in digits.evaluate(reverse, values, 30)] == close
    for k in range(n):
        row = [want[k + 1], *[partials(by_hand, point, *[a + b for a, b in zip(unit[k], unit[i], strict=True)]) for i in range(n)]]
        for second in (
            gradient(reverse.only(k + 1), names),
            tangents(reverse.only(k + 1), tuple(names)),
            tangents(forward.only(k + 1), tuple(names)),
        ):
            assert floats.evaluate(second, values) == pytest.approx(row, rel=1e-10, abs=1e-10)


# a loop at a singular point, the point, value and gradient as the unrolled program has them
SINGULAR: dict[str, tuple[Callable[..., Any], list[float], list[float]]] = {
    "max with a floor, through sqrt at 0": (
        lambda x: first(loop(body(lambda s: max_(sqrt(s), 0.5)), 2, [sqrt(x)])),
        [0.0],
        [math.sqrt(0.5), 0.0],
    ),
    "a branch that is off": (lambda x: first(loop(body(lambda s: select(s > 0, sqrt(s), 0)), 3, [x])), [0.0], [0.0, 0.0]),
    "off in the first turn only": (
        lambda x, k: first(loop(body(lambda s, k: select(s > 0.5, sqrt(s), s + k), (1, 1)), 2, [x], [k])),
        [0.0, 1.0],
        [1.0, 0.5, 0.5],
    ),
    "a carry nobody asks for": (lambda x: first(loop(body(lambda a, b: [b * b, sqrt(b) * 0], (2,)), 1, [x, x])), [0.0], [0.0, 0.0]),
    "a constant no turn uses": (lambda x: first(loop(body(lambda z, k: z * k, (1, 1)), 0, [x + 1], [sqrt(x)])), [0.0], [1.0, 1.0]),
    "a constant no turn wants": (
        lambda x: first(loop(body(lambda z, k: z * k, (1, 1), test=lambda z, k: z > 9), None, [x + 1], [sqrt(x)])),
        [0.0],
        [1.0, 1.0],
    ),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_a_structural_zero_stays_one_round_a_loop(name: str) -> None:
    build, point, want = SINGULAR[name]
    names = [f"x{k}" for k in range(len(point))]
    fn, values = function(build, *names), dict(zip(names, point, strict=True))
    for derived in (gradient(fn, names), tangents(fn, tuple(names))):
        assert floats.evaluate(derived, values) == pytest.approx(want), name


def columns_of(name: str, point: Sequence[float]) -> dict[str, Any]:
    """Forty rows around a point; where an arm is chosen, on both sides."""
    rng = np.random.default_rng(7)
    spread = {f"x{k}": np.abs(v) * rng.uniform(0.6, 1.4, 40) for k, v in enumerate(point)}
    if "arm" in name:
        spread["x0"] *= np.where(rng.random(40) < 0.4, -1, 1)
    return spread


@pytest.mark.parametrize("name", LOOPS)
def test_rows_with_turns_of_their_own(name: str) -> None:
    """Value, gradient and second derivatives of rows side by side; some inputs are the same in all rows."""
    build, point, _ = LOOPS[name]
    names = [f"x{k}" for k in range(len(point))]
    fn, columns = function(build, *names), columns_of(name, point)
    reverse = gradient(fn, names)
    for each in (fn, reverse, tangents(fn, tuple(names)), gradient(reverse.only(1), names), tangents(reverse.only(1), tuple(names))):
        for chosen in {tuple(names), *[(n,) for n in names]}:
            rest = {n: point[k] for k, n in enumerate(names) if n not in chosen}
            rows_are_points(each, {n: columns[n] for n in chosen}, rest)


@pytest.mark.parametrize("name", SINGULAR)
def test_structural_zeros_of_some_rows(name: str) -> None:
    build, point, _ = SINGULAR[name]
    names = [f"x{k}" for k in range(len(point))]
    fn = function(build, *names)
    columns = {n: np.array([point[k], point[k] + 0.1, 0.7, 0.2]) for k, n in enumerate(names)}
    for each in (gradient(fn, names), tangents(fn, tuple(names))):
        rows_are_points(each, columns, {})


@pytest.mark.parametrize("name", LOOPS)
def test_rows_in_blocks(name: str) -> None:
    """The runner of rows takes programs with loops too."""
    build, point, _ = LOOPS[name]
    names = [f"x{k}" for k in range(len(point))]
    fn, x0 = gradient(function(build, *names), names), columns_of(name, point)["x0"]
    rest = dict(zip(names[1:], point[1:], strict=True))
    found = arrays.evaluate(fn, {"x0": x0, **rest}, len(x0))
    for a, b in zip(found, tensors.evaluate(fn, {"x0": x0, **rest}, frozenset({"x0"})), strict=True):
        np.testing.assert_array_equal(np.broadcast_to(a, x0.shape), np.broadcast_to(b, x0.shape))


def kepler(m: Expr, e: Expr) -> Any:
    """The eccentric anomaly by Newton's method, from a start that is good for small eccentricities."""
    step = body(lambda u, m, e: u - (u - e * sin(u) - m) / (1 - e * cos(u)), (1, 2), lambda u, m, e: (u - e * sin(u) - m) ** 2 > 1e-24)
    return first(loop(step, None, [m], [m, e]))


def test_a_while_over_100_000_rows() -> None:
    """Each row takes as many turns as it needs."""
    rng = np.random.default_rng(0)
    m, e = rng.uniform(0, 3, 100_000), rng.uniform(0, 0.9, 100_000)
    program = compile(function(kepler, "m", "e"))
    u = arrays.run(program, {"m": m, "e": e}, len(m))[0]
    np.testing.assert_allclose(u - e * np.sin(u), m, rtol=1e-9, atol=1e-11)


# --- loops that do not end, loops that are off, interruptions ---------------------------------------------


def endless(limit: int = 1000) -> Fn:
    return function(lambda x, k: first(loop(body(lambda z, k: z + k, (1, 1), lambda z, k: z > k, limit=limit), None, [x], [k])), "x", "k")


@pytest.mark.parametrize(
    "run",
    [floats.evaluate, digits.evaluate, lambda fn, v: tensors.evaluate(fn, {**v, "x": np.array([-1.0, 5.0])}, frozenset("x"))],
    ids=["floats", "digits", "rows"],
)
def test_a_loop_that_does_not_end_is_stopped(run: Callable[..., Any]) -> None:
    with pytest.raises(AutodiffError) as stopped:
        run(endless(), {"x": 5.0, "k": 0.5})
    assert stopped.value.diagnostic.code == "endless-loop"
    assert stopped.value.diagnostic.exit is Exit.EVALUATION
    assert "1,000 turns" in stopped.value.diagnostic.message


def test_a_loop_that_is_off_does_not_run() -> None:
    """Neither at a point nor on the rows that are off; nor does its derivative."""
    grow = body(lambda z: z * 2, (1,), lambda z: (z > 0) & (z < 100), limit=50)
    fn = function(lambda x: select(x > 0, first(loop(grow, None, [x])), x), "x")
    spin = function(
        lambda x: select(x > 0, first(loop(body(lambda z: z - 1, (1,), lambda z: (z < 0) | (z > 0.5), limit=9), None, [x])), x * x), "x"
    )
    for each in (fn, gradient(fn, ["x"]), spin, gradient(spin, ["x"])):
        assert floats.evaluate(each, {"x": -3.0})
        rows_are_points(each, {"x": np.array([-3.0, 3.0, -1.0, 1.0])}, {})


def test_an_interruption_ends_a_loop() -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            floats.evaluate(endless(10**9), {"x": 5.0, "k": 0.5})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_turns_that_raise_are_done_again() -> None:
    """Division by zero and overflow inside a loop give what IEEE gives, and the loop goes on."""
    fn = function(lambda x: [out(loop(body(lambda z, s: [z - 1, s + 1 / z], (2,)), 5, [x, x]), k) for k in (0, 1)], "x")
    assert floats.evaluate(fn, {"x": 2.0}) == [-3.0, math.inf]
    big = function(lambda x: first(loop(body(exp), 4, [x])), "x")
    assert floats.evaluate(big, {"x": 2.0}) == [math.inf]
    assert floats.evaluate(gradient(big, ["x"]), {"x": -2.0})[1] == pytest.approx(float(partials(counted(mp.exp, 4), [-2.0], 1)))


def test_equal_loops_are_one_node_and_survive_pickling() -> None:
    build, point, _ = LOOPS["nested"]
    names = ["x0", "x1"]
    values = dict(zip(names, point, strict=True))
    fn = function(lambda x, k: build(x, k) + build(x, k), *names)
    assert [node.op.name for node in fn.nodes].count("loop") == 1
    again = pickle.loads(pickle.dumps(gradient(fn, names)))  # noqa: S301 (our own)
    assert floats.evaluate(again, values) == floats.evaluate(gradient(fn, names), values)


# --- Runge-Kutta --------------------------------------------------------------------------------------


def pendulum(x: Expr, v: Expr, k: Expr, h: Expr) -> list[Expr]:
    """A step of the classical method for a damped pendulum."""

    def turn(x: Expr, v: Expr) -> Any:
        return -(k * sin(x)) - 0.1 * v

    a1 = turn(x, v)
    x2, v2 = x + h / 2 * v, v + h / 2 * a1
    a2 = turn(x2, v2)
    x3, v3 = x + h / 2 * v2, v + h / 2 * a2
    a3 = turn(x3, v3)
    x4, v4 = x + h * v3, v + h * a3
    a4 = turn(x4, v4)
    return [x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)]


PENDULUM = {"x": 1.0, "v": 0.5, "k": 2.0}


def runge_kutta(n: int) -> Fn:
    step = body(pendulum, (2, 2))
    return function(lambda x, v, k: first(loop(step, n, [x, v], [k, x.graph.lift(2.0 / n)])), "x", "v", "k")


def test_runge_kutta_takes_little_memory() -> None:
    """Value and gradient of 2,000, 20,000 and 200,000 steps in a process of their own."""
    script = "import test_loops; test_loops.measure()"
    done = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert float(lines[-1][1]) < 100
    results = [list(map(float, line[2:])) for line in lines]
    assert results[1] == pytest.approx(results[0], rel=1e-10)
    assert results[2] == pytest.approx(results[0], rel=1e-10)


def measure() -> None:
    """Print the steps, the most megabytes so far, value and gradient."""
    for n in (2_000, 20_000, 200_000):
        program = compile(gradient(runge_kutta(n), list(PENDULUM)))
        found = floats.run(program, PENDULUM)
        status = dict(line.split(":") for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines())
        print(n, f"{int(status['VmHWM'].split()[0]) / 1024:.1f}", *map(repr, found))  # noqa: T201 (the figures are for people)


def test_runge_kutta_against_differences() -> None:
    value, *slopes = floats.evaluate(gradient(runge_kutta(500), list(PENDULUM)), PENDULUM)
    for name, slope in zip(PENDULUM, slopes, strict=True):
        above, below = [floats.evaluate(runge_kutta(500), {**PENDULUM, name: PENDULUM[name] + d})[0] for d in (1e-5, -1e-5)]
        assert (above - below) / 2e-5 == pytest.approx(slope, rel=1e-8)
    assert value == floats.evaluate(runge_kutta(500), PENDULUM)[0]


def test_runge_kutta_against_a_tape() -> None:
    """The same steps with HIPS autograd."""
    from autograd import numpy as anp
    from autograd import value_and_grad

    def taped(x: Any, v: Any, k: Any, n: int) -> Any:
        h = 2.0 / n

        def turn(x: Any, v: Any) -> Any:
            return -(k * anp.sin(x)) - 0.1 * v

        for _ in range(n):
            a1 = turn(x, v)
            x2, v2 = x + h / 2 * v, v + h / 2 * a1
            a2 = turn(x2, v2)
            x3, v3 = x + h / 2 * v2, v + h / 2 * a2
            a3 = turn(x3, v3)
            x4, v4 = x + h * v3, v + h * a3
            a4 = turn(x4, v4)
            x, v = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return x

    _, slopes = value_and_grad(taped, (0, 1, 2))(*PENDULUM.values(), 500)
    found = floats.evaluate(gradient(runge_kutta(500), list(PENDULUM)), PENDULUM)
    assert found[1:] == pytest.approx(list(map(float, slopes)), rel=1e-10)
