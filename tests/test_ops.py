"""Every op of the table against mpmath: value, first and second partials, edges, both kernel sets, both directions.

A new op is tested by being in the table: its arguments, interval and static arguments come from its entry.
"""

from __future__ import annotations

import itertools
import math

import pytest
from mpmath import mp

import oracle
import programs
from autodiff_cli.derive import gradient
from autodiff_cli.emit import text
from autodiff_cli.graph import Fn, Graph
from autodiff_cli.op import NoDerivative
from autodiff_cli.ops import FUNCTIONS, OPS
from autodiff_cli.ops.entry import zero
from autodiff_cli.program import compile
from autodiff_cli.run import digits_kernels, floats, kernels_float
from autodiff_cli.run.kernels_float import COMPARED

CASES = oracle.cases()
NAMES = [case.op.name for case in CASES]
SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-200, -1e-200, 2.0, -2.0, 0.5, -0.5, 3.7, 30.0, -30.0, 800.0, -800.0]
each = pytest.mark.parametrize("case", CASES, ids=NAMES)


@each
def test_value_and_partials_in_floats(case: oracle.Case) -> None:
    """Within a few units in the last place of what one unit of the arguments moves the result by."""
    for xs in oracle.points(case, 3):
        found = oracle.float_results(case, xs)
        assert oracle.ulps(found[0], oracle.true_partial(case, xs), oracle.scale(case, xs)) < 8, xs
        if zero in case.op.d:
            continue
        for k, d in zip(case.smooth, found[1:], strict=True):
            assert oracle.ulps(d, oracle.true_partial(case, xs, k), oracle.scale(case, xs, k)) < 10, (xs, k)


@each
def test_second_partials(case: oracle.Case) -> None:
    """The partial of the partial, by the graph in floats, against the value differentiated twice at many digits."""
    if zero in case.op.d:
        return
    first = gradient(case.fn, [case.names[k] for k in case.smooth])
    for xs in oracle.points(case, 1)[-2:]:
        point = dict(zip(case.names, xs, strict=True))
        for (row, k), m in itertools.product(enumerate(case.smooth), case.smooth):
            found = floats.evaluate(gradient(first.only(row + 1), [case.names[m]]), point)[1]
            truth = oracle.true_partial(case, xs, k, m)
            scale = max(
                [
                    abs(truth),
                    abs(oracle.true_partial(case, xs, k) / (xs[m] or 1)),
                    *[abs(x * oracle.true_partial(case, xs, k, m, i)) for i, x in enumerate(xs)],
                ]
            )
            assert oracle.ulps(float(found), truth, scale) < 16, (xs, k, m)


@each
def test_forward_is_reverse(case: oracle.Case) -> None:
    names = tuple(case.names[k] for k in case.smooth)
    for xs in oracle.points(case, 2):
        point = dict(zip(case.names, xs, strict=True))
        reverse, forward = floats.evaluate(gradient(case.fn, names), point), floats.evaluate(programs.tangents(case.fn, names), point)
        assert all(programs.alike(float(a), float(b)) for a, b in zip(reverse, forward, strict=True))


@each
def test_value_and_gradient_take_few_steps(case: oracle.Case) -> None:
    """At most 8, of two arguments where it takes any number."""
    count = 2 if case.op.variadic else len(case.names)
    graph = Graph()
    inputs = [graph.param(name) for name in case.names[:count]]
    fn = Fn(graph, case.fn.params[:count], [case.op(*inputs, attr=case.attr)], ["value"])
    program = compile(gradient(fn, [case.names[k] for k in case.smooth if k < count]))
    assert sum(len(run.steps) for run in program.runs) <= 8


@each
def test_kernel_sets_agree_at_special_arguments(case: oracle.Case) -> None:
    """NaN and inf in the same places; the digits have no sign of zero."""
    count = len(case.names)
    values = SPECIAL if count == 1 else SPECIAL[:14] if count == 2 else SPECIAL[:8]
    for xs in itertools.product(values, repeat=count):
        if any(x == 0 and math.copysign(1, x) < 0 for x in xs) and case.op.name in {
            "atan2",
            "copysign",
            "csc",
            "cot",
            "csch",
            "coth",
            "gamma",
            "div",
        }:
            continue
        point = dict(zip(case.names, xs, strict=True))
        found = float(floats.evaluate(case.fn, point)[0])
        with mp.workdps(40):
            truth = oracle.true_value(case, *[mp.mpf(x) for x in xs])
        assert same(found, truth), (xs, found, truth)


def same(found: float, truth: object) -> bool:
    """Equal to 12 digits; what is beyond the range of floats is 0 or inf."""
    rounded = float(mp.mpf(truth))
    if found != found or rounded != rounded or found in {math.inf, -math.inf}:
        return found == rounded or (found != found and rounded != rounded) or abs(rounded) > 1e307
    return programs.alike(found, rounded, 1e-11, 1e-195) or abs(rounded) > 1e307


@pytest.mark.parametrize("name", sorted(COMPARED))
def test_math_may_be_trusted(name: str) -> None:
    """The functions that the floats take from `math` by name were compared with mpmath at every special argument."""
    op = OPS[name]
    fast, slow = kernels_float.kernel(op, None)
    digits, _ = digits_kernels.kernel(op, None)
    assert fast is getattr(math, name)
    arity = 2 if name in {"atan2", "fmod", "pow", "hypot"} else 1
    for xs in itertools.product(SPECIAL, repeat=arity):
        if name == "atan2" and any(x == 0 and math.copysign(1, x) < 0 for x in xs):
            continue
        found = slow(*xs)
        with mp.workdps(40):
            truth = digits(*map(mp.mpf, xs))
        assert found is truth or same(found, truth), (xs, found, truth)


@pytest.mark.parametrize(
    "op", [op for op in OPS.values() if op.example and op.rule in {"elementwise", "composite"}], ids=lambda op: op.name
)
def test_example_evaluates(op: object) -> None:
    example = OPS[str(op)].example
    value = floats.evaluate(programs.read(example).fn, {})[0]
    assert value == value


@each
def test_text_round_trip(case: oracle.Case) -> None:
    """What the graph says of itself is read as the same graph."""
    written = text.texts(case.fn)[0]
    again = text.texts(programs.read(written).fn)[0]
    assert again == written


def test_every_name_of_the_language_finds_its_op() -> None:
    for name, op in FUNCTIONS.items():
        assert name == op.name or name in op.aliases
        assert not op.hidden
    assert FUNCTIONS["ln"] is FUNCTIONS["log"]
    assert "add" not in FUNCTIONS
    assert FUNCTIONS["pow"].infix


def test_an_op_without_a_derivative_says_why() -> None:
    for op in OPS.values():
        assert all(d.reason for d in op.d if isinstance(d, NoDerivative))


def test_constants_of_rules_are_exact() -> None:
    """The digits see `2/sqrt(pi)` and not its float64."""
    graph = Graph()
    x = graph.param("x")
    fn = Fn(graph, [("x", x.type)], [OPS["erf"](x)], ["value"])
    from autodiff_cli.run import digits

    slope = digits.evaluate(gradient(fn, ["x"]), {"x": "0"}, 60)[1]
    with mp.workdps(60):
        assert abs(slope - 2 / mp.sqrt(mp.pi)) < mp.mpf(10) ** -58


# text, where it bends or jumps, where it does not
KINKS = [
    ("abs", (0.0,), (1.0,)),
    ("sign", (0.0,), (-1.0,)),
    ("floor", (2.0,), (2.5,)),
    ("ceil", (2.0,), (2.5,)),
    ("trunc", (-2.0,), (0.0,)),
    ("round", (2.5,), (2.0,)),
    ("mod", (6.0, 3.0), (7.0, 3.0)),
    ("fmod", (-6.0, 3.0), (0.0, 3.0)),
    ("floordiv", (6.0, 3.0), (7.0, 3.0)),
    ("copysign", (0.0, 1.0), (1.0, 1.0)),
    ("heaviside", (0.0, 0.5), (1.0, 0.5)),
    ("max", (1.0, 2.0, 2.0), (1.0, 1.0, 2.0)),
    ("min", (1.0, 1.0, 2.0), (1.0, 2.0, 2.0)),
    ("clip", (1.0, 0.0, 1.0), (0.5, 0.0, 1.0)),
    ("hardtanh", (1.0, 0.0, 1.0), (0.5, 0.0, 1.0)),
    ("hypot", (0.0, 0.0), (1.0, 0.0)),
    ("relu", (0.0,), (1.0,)),
    ("leaky_relu", (0.0, 0.1), (1.0, 0.1)),
    ("elu", (0.0, 2.0), (0.0, 1.0)),
    ("selu", (0.0,), (1.0,)),
]


@pytest.mark.parametrize(("name", "on", "off"), KINKS, ids=[k[0] for k in KINKS])
def test_kinks_are_where_they_are(name: str, on: tuple[float, ...], off: tuple[float, ...]) -> None:
    for at, wanted in ((on, True), (off, False)):
        graph = Graph()
        inputs = [graph.param(f"a{k}") for k in range(len(at))]
        kink = OPS[name].kink
        assert kink is not None
        fn = Fn(graph, [(f"a{k}", x.type) for k, x in enumerate(inputs)], [kink(*inputs)], ["kink"])
        assert floats.evaluate(fn, {f"a{k}": x for k, x in enumerate(at)})[0] is wanted


def test_every_kink_of_the_table_was_looked_at() -> None:
    assert {k[0] for k in KINKS} == {op.name for op in OPS.values() if op.kink is not None}


NUMPY = {
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "sign": "sign", "round": "round", "floordiv": "floor_divide", "mod": "remainder",
    "fmod": "fmod", "heaviside": "heaviside", "max": "maximum", "min": "minimum", "div": "divide", "hypot": "hypot", "cbrt": "cbrt",
}  # fmt: skip
TIES = [*SPECIAL, 1.5, -1.5, 2.5, -2.5, 0.1, -0.1, 7.0, -7.0, 2.675, 0.145, 1e16]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NUMPY)
def test_steps_are_numpys(name: str) -> None:
    """Value and sign of zero, at infinities and NaN too."""
    import numpy as np

    _, slow = kernels_float.kernel(OPS[name], None)
    for xs in itertools.product(
        TIES, repeat=len(oracle.points(next(c for c in CASES if c.op.name == name), 0)[0]) if name not in {"max", "min", "hypot"} else 2
    ):
        found, wanted = slow(*xs), float(getattr(np, NUMPY[name])(*xs))
        assert programs.alike(found, wanted, 1e-15, 0), (xs, found, wanted)
        if name not in {"max", "min"} and found == 0:
            assert math.copysign(1, found) == math.copysign(1, wanted), xs


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("n", [1, 2, 3, -1, -2])
def test_rounding_to_places_is_numpys(n: int) -> None:
    import numpy as np

    _, slow = kernels_float.kernel(OPS["round"], n)
    for x in [*TIES, 1250.0, 1.005, 123456.789]:
        assert programs.alike(slow(x), float(np.round(x, n)), 0, 0), x
