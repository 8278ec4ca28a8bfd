"""Derivatives as expressions: what people would write, with the values of the gradient when they are parsed back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from mpmath import mp

from autodiff_cli.api import understand
from autodiff_cli.derive import gradient, taylor
from autodiff_cli.diagnostics import AutodiffError, Source
from autodiff_cli.emit import derivation
from autodiff_cli.formula import derivative, expressions
from autodiff_cli.run import digits, floats, point
from console import ROOT, autodiff
from oracle import cases, points
from programs import read, same
from strategies import expressions as random_texts
from strategies import points as random_points

if TYPE_CHECKING:
    from autodiff_cli.graph import Fn
    from oracle import Case

CLOSE = mp.mpf(10) ** -25
SHOWN = [
    ("x**2", "2*x"),
    ("x**3 + 2*x + 1", "3*x**2 + 2"),
    ("a*x**2 + b*x + c", "2*a*x + b"),
    ("0.1*x*3", "0.3"),
    ("x/3", "1/3"),
    ("x**1.5", "1.5*x**0.5"),
    ("x**n", "n*x**(n - 1)"),
    ("2**x", "2**x*log(2)"),
    ("1/x", "-1/x**2"),
    ("(a + x)/(a - x)", "2*a/(a - x)**2"),
    ("x/(x + 1)", "1/(x + 1)**2"),
    ("sqrt(1 - x**2)", "-x/sqrt(1 - x**2)"),
    ("asin(x)", "1/sqrt(1 - x**2)"),
    ("exp(-x**2/2)", "-x*exp(-x**2/2)"),
    ("x**2*exp(-x)", "x*(2 - x)*exp(-x)"),
    ("log(cos(x))", "-tan(x)"),
    ("sin(-x)", "-cos(x)"),
    ("log(exp(x))", "1"),
    ("sin(x)**2 + cos(x)**2", "0"),
    ("abs(x)*x", "2*abs(x)"),
    ("tanh(w*x + b)", "w*sech(w*x + b)**2"),
    ("erf(x)", "2*exp(-x**2)/sqrt(pi)"),
    ("hypot(x, y)", "x/hypot(x, y)"),
    ("x**2 if x > 0 else 3*x", "2*x if x > 0 else 3"),
    ("relu(x)", "1 if x > 0 else 0"),
    ("max(x, y)", "1 if x > y else 1/2 if x == y else 0"),
    ("clip(x, 0, 1)", "1 if 0 <= x <= 1 else 0"),
    ("mish(x)", "x*sech(softplus(x))**2*sigmoid(x) + tanh(softplus(x))"),
    ("(x - 1)**2*(x + 2)", "3*(x - 1)*(x + 1)"),
    ("floor(x)*y", "0"),
    ("detach(x)*x", "detach(x)"),
]
ARRAYS = [
    "sum(v**2)", "dot(v, w)", "norm(v)", "sum((B@v)**2)", "trace(inv(A))", "det(A)", "logdet(A)", "mean(v)", "var(v)", "max(v)", "prod(v)",
    "softmax(v)[0]", "logsumexp(v)", "mse(v, w)", "v[0]*v[1]", "sum(v[1:])", "sum(A.T@A)", "sum(x*v + y)", "sum(where(v > 1, v, 0))",
    "sum(cumsum(v))", "sum(relu(B@v))", "sum(solve(A, v))", "interp(x, [0, 1, 2], [1, 2, 4])", "sum(outer(v, w))", "sum(diff(v)**2)",
    "sum(max(v, w))", "sum(sigmoid(B@v + x))", "cross_entropy(v, [0, 1, 0])",
]  # fmt: skip


def by_all(text: str, values: dict[str, Any] | None = None, order: int = 1) -> dict[str, str]:
    """The derivative by every variable, as a text of its own."""
    lowered = read(text, values)
    found, _ = expressions(lowered.fn, lowered.free, order)
    derivation.check(found)
    return dict(zip(lowered.free, derivation.alone(found), strict=True))


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_derivatives_read_as_people_write_them(text: str, shown: str) -> None:
    assert by_all(text)["x"] == shown


def agrees(text: str, values: dict[str, float], order: int) -> None:
    """Where a derivative is a finite number, its text has that number, to 25 digits."""
    fn = read(text).fn
    if fn.params:
        for name, one in by_all(text, order=order).items():
            exact = slope(fn, name, values, order)
            assert not mp.isfinite(exact) or close(value(one, values), exact), (name, one)


def value(text: str, values: dict[str, float]) -> Any:
    """What a text is, with 50 digits."""
    return digits.evaluate(read(text).fn, values)[0]


def close(a: Any, b: Any) -> bool:
    """Equal to 25 digits."""
    with mp.workdps(60):
        return bool(abs(a - b) <= CLOSE * max(1, abs(b)))


def slope(fn: Fn, name: str, values: dict[str, float], order: int) -> Any:
    """A derivative by the engine, with 50 digits."""
    found: Any = digits.evaluate(taylor(fn, name, order), values)[order]
    return found


@given(random_texts, random_points)
def test_texts_have_the_values_of_the_gradient(text: str, values: dict[str, float]) -> None:
    agrees(text, values, 1)


@given(random_texts, random_points)
def test_texts_of_second_order_have_the_values_of_the_second_derivative(text: str, values: dict[str, float]) -> None:
    agrees(text, values, 2)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.op.name)
def test_the_derivatives_of_every_function_have_words(case: Case) -> None:
    """First and second order; airyai and airybi have slopes without a name, a few others only second ones."""
    for order in (1, 2):
        for k in case.smooth:
            try:
                found, _ = expressions(case.fn, [case.names[k]], order)
                derivation.check(found)
            except AutodiffError as problem:
                assert problem.diagnostic.code in {"no-text", "no-derivative"}
                continue
            (text,) = derivation.alone(found)
            for xs in points(case, 2)[-2:]:
                values = dict(zip(case.names, xs, strict=True))
                assert close(value(text, values), slope(case.fn, case.names[k], values, order)), (order, case.names[k])


def test_functions_whose_derivatives_have_no_words() -> None:
    wordless = set()
    for case in cases():
        for k in case.smooth:
            try:
                derivation.check(expressions(case.fn, [case.names[k]])[0])
            except AutodiffError:
                wordless.add(case.op.name)
    assert wordless == {"airyai", "airybi"}


FORMULAS = [json.loads(line) for line in (ROOT / "tests/data/feynman_sample.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", FORMULAS, ids=lambda case: case["id"])
def test_derivatives_of_physics_formulas_parsed_back(case: Any) -> None:
    fn = read(case["expr"]).fn
    exact = dict(
        zip([name for name, _ in fn.params], floats.evaluate(gradient(fn, [n for n, _ in fn.params]), case["inputs"])[1:], strict=True)
    )
    for name, one in by_all(case["expr"]).items():
        assert floats.evaluate(read(one).fn, case["inputs"])[0] == pytest.approx(exact[name], rel=1e-12, abs=0)


SHOWN_ARRAYS = [
    ("v@A@v", "v", "A @ v + v @ A"),
    ("v@A@v/2 - w@v", "v", "A @ v/2 + v @ A/2 - w"),
    ("v@v", "v", "2*v"),
    ("sum(v**2)", "v", "2*v"),
    ("norm(v)", "v", "v/norm(v)"),
    ("sum(exp(v))", "v", "exp(v)"),
    ("sum((A@v - w)**2)", "v", "2*(A.T @ (A @ v - w))"),
    ("sum((A@v - w)**2)", "A", "2*outer(A @ v - w, v)"),
    ("mean((B@v - u)**2)", "v", "B.T @ (B @ v - u)"),
    ("sum((v@A)**2)", "v", "2*(A @ (v @ A))"),
    ("norm(A@v - w)", "A", "outer(A @ v - w, v)/norm(A @ v - w)"),
    ("sum(relu(A@v + w)*w)", "v", "A.T @ where(A @ v + w > 0, w, 0)"),
    ("sum(exp(A@v))", "A", "outer(exp(A @ v), v)"),
    ("trace(A@A)", "A", "2*A.T"),
    ("trace(A.T@A)", "A", "2*A"),
    ("sum(A@A.T)", "A", "2*(ones(3, 3) @ A)"),
    ("sum(solve(A, v))", "A", "-outer(solve(A.T, ones(3)), solve(A, v))"),
    ("softmax(v)[0]", "v", "(concatenate([[1], zeros(2)]) - softmax(v)[0])*softmax(v)"),
    ("sum(softmax(v)*w)", "v", "(w - sum(w*softmax(v)))*softmax(v)"),
    ("logsumexp(v)", "v", "softmax(v)"),
    ("logsumexp(A@v)", "A", "outer(softmax(A @ v), v)"),
    ("log_softmax(v)[0]", "v", "concatenate([[1], zeros(2)]) - exp(log_softmax(v))"),
    ("softmax(A)[0, 0]", "A", None),
    ("sum(softmax(A, axis=0)[:2]*B)", "A", None),
    ("sum(tanh(A@v + w)**2)", "A", None),
    ("sum(A@B.T)", "B", None),
    ("sum(sum(A@A.T@v)*w)", "A", None),
    ("v@inv(A)@w", "A", None),
    ("sum((A[:, :1]@B[:1])**2)", "A", None),
    ("sum(outer(v, w)@u3)", "v", None),
    ("sum(solve(A, v)*softmax(w))", "w", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "shown"), SHOWN_ARRAYS)
def test_derivatives_by_arrays_read_as_people_write_them(text: str, name: str, shown: str | None) -> None:
    """Without rows and columns of vectors, with numbers in front and calls as themselves; parsed back they have the same values."""
    import numpy as np

    draw = np.random.default_rng(3)
    values: dict[str, Any] = {key: draw.uniform(0.5, 2, shape) for key, shape in (("v", 3), ("w", 3), ("u", 2), ("u3", 3), ("B", (2, 3)))}
    values["A"] = draw.uniform(0.5, 2, (3, 3)) + 3 * np.eye(3)
    fn = read(text, values).fn
    found = by_all(text, {key: values[key] for key, _ in fn.params})[name]
    assert shown in (None, found)
    assert same(point.evaluate(read(found, values).fn, values)[0], point.evaluate(gradient(fn, [name]), values)[1], 1e-12), found


@pytest.mark.parametrize("text", ARRAYS)
def test_derivatives_over_arrays_parsed_back(text: str) -> None:
    import numpy as np

    draw = np.random.default_rng(1)
    values: dict[str, Any] = {
        "v": draw.uniform(0.5, 2, 3),
        "w": draw.uniform(0.5, 2, 3),
        "B": draw.uniform(0.5, 2, (2, 3)),
        "x": 1.3,
        "y": 0.7,
    }
    values["A"] = draw.uniform(0.5, 2, (3, 3)) + 3 * np.eye(3)
    fn = read(text, values).fn
    names = [name for name, _ in fn.params]
    exact = dict(zip(names, point.evaluate(gradient(fn, names), values)[1:], strict=True))
    for name, one in by_all(text, {name: values[name] for name in names}).items():
        assert same(point.evaluate(read(one, values).fn, values)[0], exact[name], 1e-9), one


PROGRAMS = [
    "s = 0\nfor i in range(5):\n    s = s + x**i\ns",
    "s = x\nfor i in range(4):\n    s = s - (s*s - y)/(2*s)\ns",
    "s = 0\nfor c in [1, 2, 3]:\n    s = s*x + c\ns*y",
    "s = 0\nfor i in range(3):\n    for j in range(3):\n        s = s + x**i*y**j\ns",
    "a, b = x, y\nfor i in range(6):\n    a, b = b, a + sin(b)\na*b",
    "def f(u):\n    return u**2 if u > 1 else u\nf(x) + f(f(x)*y)",
    "def f(u):\n    return u\n@derivative(f)\ndef _(u):\n    return 3*u\nf(x)**2*y",
    "sum(x**k/factorial(k) for k in range(6))*y",
    "grad(sin(x)*y, x) + hessian(x**3*y, x)",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs_with_loops_functions_and_rules(text: str) -> None:
    for values in ({"x": 1.3, "y": 0.7}, {"x": 0.6, "y": 2.1}):
        exact = digits.evaluate(gradient(read(text).fn, ["x", "y"]), values)[1:]
        found = by_all(text)
        for name, slope_ in zip(("x", "y"), exact, strict=True):
            assert close(value(found.get(name, "0"), values), slope_)


def test_a_long_loop_has_no_text() -> None:
    for text in ("s = 0\nfor i in range(100000):\n    s = s + x*i\ns", "s = x\nwhile s < 100:\n    s = s*s + 1\ns"):
        with pytest.raises(AutodiffError, match="a loop that is run backwards"):
            by_all(text)


def test_long_derivatives_repeat_nothing() -> None:
    """The text grows with the number of steps, however often they are used."""
    short, long = (len(by_all("a = x; " + "a = a*a + 1; " * n + "a")["x"]) for n in (20, 40))
    assert long < 2.2 * short
    chain = by_all("*".join(f"(x + {k})" for k in range(1, 301)))["x"]
    assert len(chain) < 50 * 8 * 300
    assert len(by_all("sin(" * 80 + "x" + ")" * 80, order=2)["x"]) < 30_000


def test_lines_can_be_pasted_back() -> None:
    """Also where a variable has the name of a derivative, or of a part that got a name, or a name that is none."""
    text = 't1*col("a b")*d_x*exp(sin(t1*d_x*x)*cos(t1*d_x*x))*tan(sin(t1*d_x*x))*sin(cos(t1*d_x*x))*sin(x)*cos(x)'
    lowered = understand(Source("expression", text), {})
    shown = derivative(lowered, lowered.free).text or ""
    values = {name: 0.3 + 0.1 * k for k, name in enumerate(lowered.free)}
    exact = floats.evaluate(gradient(lowered.fn, lowered.free), values)[1:]
    lines = shown.splitlines()
    for k, slope_ in enumerate(reversed(exact)):
        assert floats.evaluate(read("\n".join(lines[: len(lines) - k])).fn, values)[0] == pytest.approx(slope_, rel=1e-9)


def test_any_depth() -> None:
    depth = 20_000
    assert by_all("-(1-x" + "*y" * depth + ")")["x"] == f"y**{depth}"
    assert by_all("-" * depth + "x") == {"x": "1"}


def notes(text: str) -> list[str]:
    lowered = understand(Source("expression", text), {})
    return [note.message for note in derivative(lowered, lowered.free).notes]


def test_a_text_that_says_more_or_less_than_the_derivative_says_so() -> None:
    assert notes("x**2 + sin(x)") == []
    assert notes("log(x)") == ["the text holds in the domain of `log(x)`: x >= 0"]
    assert notes("x*log(x)") == []
    assert notes("x**2/x") == ["factors were cancelled: the text has a value where `x == 0`, and the derivative may have none"]
    assert notes("sinc(x)") == ["the text has no value where x == 0; `autodiff grad` fills that in"]


LATEX = [
    ("x**2", "2 x"),
    ("sqrt(1 - x**2)", r"-\frac{x}{\sqrt{1 - x^{2}}}"),
    ("x**2 if x > 0 else 3*x", r"\begin{cases} 2 x & \text{if } x > 0 \\ 3 & \text{otherwise} \end{cases}"),
    ("omega_0*x", r"\omega_{0}"),
    ("exp(-x)", "-e^{-x}"),
    ("sin(x)**3/3", r"\sin^{2}\left(x\right) \cos\left(x\right)"),
    ("x1*x/(x + Beta)", r"\frac{x_{1} \mathrm{Beta}}{{\left(x + \mathrm{Beta}\right)}^{2}}"),
]


@pytest.mark.parametrize(("text", "shown"), LATEX)
def test_latex(text: str, shown: str) -> None:
    lowered = understand(Source("expression", text), {})
    assert derivative(lowered, ["x"], latex=True).text == shown


@given(random_texts)
def test_latex_is_balanced(text: str) -> None:
    lowered = understand(Source("expression", text), {})
    if lowered.free:
        shown = derivative(lowered, lowered.free, latex=True).text or ""
        assert shown.count("{") == shown.count("}")
        assert shown.count(r"\left") == shown.count(r"\right")
        assert shown.count(r"\begin{cases}") == shown.count(r"\end{cases}")


@pytest.mark.parametrize(
    ("text", "order", "most"), [("tan(x)", 15, 250), ("tanh(x)", 12, 250), ("exp(sin(x))", 8, 300), ("sqrt(1 + x**2)", 8, 200)]
)
def test_high_orders_are_short_and_right(text: str, order: int, most: int) -> None:
    found = autodiff("derive", text, "--order", str(order)).out.strip()
    assert len(found) <= most
    value = float(autodiff("eval", found, "x=0.3").out.split()[-1])
    wanted = json.loads(autodiff("grad", text, "x=0.3", "--order", str(order), "--json").out)["derivatives"]["x"][-1]
    assert value == pytest.approx(wanted, rel=1e-11)
