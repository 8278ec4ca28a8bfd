"""Long sums over arrays: the same results as of the function as it is written, from a graph that does not grow with the terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import programs
from autodiff_cli import api, derive, matrices, rescue, rolling
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.program import compile
from autodiff_cli.run import tensors
from autodiff_cli.run.reaching import reaching
from autodiff_cli.series.rolled import rolled

if TYPE_CHECKING:
    from autodiff_cli.api import Task
    from autodiff_cli.report import Report

Array = Any
Point = dict[str, Any]
N = 120
RNG = np.random.default_rng(3)
X, P, A = RNG.normal(size=N + 2), RNG.uniform(0.5, 2.0, size=N + 2), RNG.normal(size=(N + 1, 3))
NAMES = {f"x{i}": float(v) for i, v in enumerate(P[: N + 1])}
DATA = RNG.uniform(0.2, 2.0, size=(N, 2)).round(4).tolist()


def many(term: str, sign: str = " + ", count: int = N) -> str:
    """Terms with `{i}` and `{j}` for a number and the next one."""
    return sign.join([term.format(i=i, j=i + 1) for i in range(count)])


def turns(body: str, start: str = "0", end: str = "t", count: int = N) -> str:
    return f"t = {start}\nfor i in range({count}):\n    {body}\n{end}"


class Case(NamedTuple):
    """A program; the products its Hessian takes, and the nodes of it over arrays, at most."""

    text: str
    values: Point
    products: int
    nodes: int = 150


ROSENBROCK = "100*({b} - {a}**2)**2 + (1 - {a})**2"
OF_NAMES = ROSENBROCK.format(a="x{i}", b="x{j}")
OF_ENTRIES = ROSENBROCK.format(a="x[{i}]", b="x[{j}]")
OF_TURNS = ROSENBROCK.format(a="x[i]", b="x[i+1]")
ROLLED = {
    "names": Case(many(OF_NAMES), NAMES, 3),
    "differences of names": Case(many("x{i}*sin(x{j})", " - "), NAMES, 3),
    "names and parameters": Case(many("(a*x{i} - b)**2*x{j}"), {**NAMES, "a": 1.2, "b": 0.3}, 5),
    "a sum inside": Case(f"x3*x5 - 0.5*({many('exp(x{i}*x{j})')} + 1)", NAMES, 3),
    "no value outside the domain": Case(many("log(x{i})*sqrt(x{j})"), NAMES, 3),
    "exponents": Case(many("x{i}**x{j}"), NAMES, 3),
    "data": Case(" + ".join([f"({y} - a*exp(-b*{t}))**2/2" for t, y in DATA]), {"a": 1.2, "b": 0.3}, 2),
    "entries": Case(many(OF_ENTRIES), {"x": X}, 3),
    "entries of a matrix": Case(many("A[{i}, 0]*A[{i}, 1]**2*A[{j}, 2]"), {"A": A}, 3),
    "entries twice": Case(many("x[{i}]**3") + " + " + many("x[{i}]*A[{i}, 1]"), {"x": X, "A": A}, 2),
    "a comprehension": Case(f"sum([x[i]**2*x[i+1] for i in range({N})])", {"x": X}, 3),
    "a mean beside other terms": Case(f"mean([exp(x[i])*x[i+1] for i in range({N})]) + x[0]*x[5]", {"x": X}, 3),
    "turns": Case(turns("t += " + OF_TURNS), {"x": X}, 3),
    "turns with two terms": Case(turns("t = t + (x[i+1] - x[i]**2)**2 - a*(1 - x[i])**2", "a*a", f"t/{N}"), {"x": X, "a": 1.5}, 4),
    "turns that add in front": Case(turns("t = x[i]*x[i+1] + t"), {"x": X}, 3),
    "turns over rows": Case(turns("t += sum(A[i]**2)*x[i]"), {"A": A, "x": X}, 2),
    "turns over pairs": Case("t = 0\nfor a, b in zip(x[:-1], x[1:]):\n    t += (b - a**2)**2\nt", {"x": X}, 3),
    "two sums": Case("t = 0\ns = 0\n" + f"for i in range({N}):\n    t += x[i]*x[i+1]\n    s += x[i]**3\nt - s/2", {"x": X}, 3),
}
PLAIN = {
    "few terms": Case(many(OF_NAMES, count=40), NAMES, 3),
    "kinks": Case(many("abs(x{i}*x{j})"), NAMES, 3),
    "conditions": Case(turns("t += x[i]**2 if x[i] > 0 else x[i]*x[i+1]"), {"x": X}, 3),
    "the largest of many": Case(f"max([x[i]*x[i+1] for i in range({N})])", {"x": X}, 3),
    "turns that hang on the one before": Case(turns("t += t*0.01*x[i] + x[i]**2"), {"x": X}, N),
    "a rule of one's own": Case(f"def f(u):\n    return u*u\n\n@derivative(f)\ndef _(u):\n    return 3*u\n\n{many('f(x{i})')}", NAMES, 1),
    "a rule in turns": Case(
        f"def f(u):\n    return u*u\n\n@derivative(f)\ndef _(u):\n    return 3*u\n\n{turns('t += f(x[i])*x[i+1]')}", {"x": X}, 3
    ),
}


def tasks(case: Case, *, together: bool) -> tuple[Task, Task]:
    """The gradient and the sparse Hessian."""
    lowered = programs.read(case.text, case.values)
    wrt = [name for name in case.values if name in lowered.free]
    return api.gradient(lowered, wrt, together=together), matrices.hessian(lowered, wrt, sparse=True, together=together)


def told(task: Task, values: Point) -> Report | str:
    try:
        return api.answer(task, values, rescue="never")
    except AutodiffError as problem:
        return str(problem.diagnostic)


def matrix(report: Report) -> Array:
    assert report.matrix is not None
    found = np.zeros((report.matrix.down.size, report.matrix.across.size))
    found[report.matrix.rows, report.matrix.columns] = report.matrix.values
    return found


def agree(a: Report, b: Report) -> None:
    """The same entries, numbers equal but for rounding."""
    assert [(e.name, e.path) for e in a.entries] == [(e.name, e.path) for e in b.entries]
    assert a.notes == b.notes
    for one, other in zip(a.entries, b.entries, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("name", ROLLED)
def test_a_long_sum_over_arrays_is_what_is_written(name: str) -> None:
    case = ROLLED[name]
    (gradient, hessian), (slopes, curvatures) = tasks(case, together=True), tasks(case, together=False)
    assert rolling.results(gradient, case.values) is not None
    assert rolling.results(hessian, case.values) is not None
    agree(api.answer(gradient, case.values), api.answer(slopes, case.values, rescue="never"))
    ours, plain = api.answer(hessian, case.values), api.answer(curvatures, case.values, rescue="never")
    agree(ours, plain)
    assert ours.matrix is not None
    assert plain.matrix is not None
    assert ours.matrix.named()[0][:2] == plain.matrix.named()[0][:2]
    assert np.array_equal(matrix(ours), matrix(ours).T)
    assert np.array_equal(matrix(ours) != 0, matrix(plain) != 0)
    assert matrix(ours) == pytest.approx(matrix(plain), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", ROLLED)
def test_its_graph_is_that_of_one_term_and_its_products_are_as_few(name: str) -> None:
    case = ROLLED[name]
    lowered = programs.read(case.text, case.values)
    found = rolled(lowered.fn, [name for name in case.values if name in lowered.free])
    assert found is not None
    assert len(found.fn.nodes) <= case.nodes
    for together in (True, False):
        assert str(tasks(case, together=together)[1].effort).startswith(f"{case.products:,} product")


@pytest.mark.parametrize("text", [many(OF_NAMES), many(OF_ENTRIES), turns("t += " + OF_TURNS)], ids=["names", "entries", "turns"])
def test_the_value_is_that_of_python_to_its_last_bit(text: str) -> None:
    values = {"x": P} if "[" in text else NAMES
    total = 0.0
    for a, b in zip(P[:N].tolist(), P[1 : N + 1].tolist(), strict=True):
        if "for" in text:
            total += 100 * (b - a**2) ** 2 + (1 - a) ** 2
        else:
            total = total + 100 * (b - a**2) ** 2 + (1 - a) ** 2
    task = tasks(Case(text, values, 3), together=True)[0]
    assert (rolling.results(task, values) or [])[0] == total


@pytest.mark.parametrize("count", [200, 1_000])
def test_nodes_do_not_grow_with_the_terms(count: int) -> None:
    x = np.linspace(-1, 1, count + 1)
    for text in (many(OF_ENTRIES, count=count), turns("t += " + OF_TURNS, count=count)):
        gradient, hessian = tasks(Case(text, {"x": x}, 3), together=True)
        assert None not in {gradient.plain, hessian.plain}
        assert len(gradient.fn.nodes) < 100
        assert len(hessian.fn.needs()) < 150


@pytest.mark.parametrize("name", PLAIN)
def test_what_has_more_to_tell_than_its_value_stays_as_it_is_written(name: str) -> None:
    case = PLAIN[name]
    assert [task.plain for task in tasks(case, together=True)] == [None, None]


SEVEN = np.arange(N + 2) == 7
DOUBTFUL = {
    "an infinite input": (many(OF_ENTRIES), np.where(SEVEN, np.inf, 1.0)),
    "a term that overflows": (many(OF_ENTRIES), np.where(SEVEN, 1e200, 1.0)),
    "a turn that overflows": (turns("t += " + OF_TURNS), np.where(SEVEN, 1e200, 1.0)),
    "terms below float64": (many("x[{i}]**2*x[{j}]"), np.full(N + 2, 1e-160)),
    "a term without a value": (many("log(x[{i}])*x[{j}]"), np.where(SEVEN, 0.0, 1.0)),
    "a term that breaks down": (many("log(1 + exp(x[{i}]))*x[{j}]"), np.where(SEVEN, 800.0, 1.0)),
    "a turn outside the array": (turns("t += x[i + 5]*x[i]"), np.ones(N + 2)),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_where_a_result_is_in_doubt_the_function_as_it_is_written_tells(name: str) -> None:
    text, x = DOUBTFUL[name]
    case = Case(text, {"x": x}, 0)
    for ours, plain in zip(tasks(case, together=True), tasks(case, together=False), strict=True):
        assert ours.plain is not None
        assert rolling.results(ours, case.values) is None
        assert str(told(ours, case.values)) == str(told(plain, case.values))


@pytest.mark.parametrize("x", [np.zeros(N + 2), np.ones(N + 2)], ids=["zeros", "ones"])
def test_a_zero_of_ordinary_numbers_is_in_no_doubt(x: Array) -> None:
    for task in tasks(Case(many(OF_ENTRIES), {"x": x}, 3), together=True):
        assert rolling.results(task, {"x": x}) is not None


def test_one_look_tells_that_none_of_many_results_broke_down(monkeypatch: pytest.MonkeyPatch) -> None:
    values = dict(list(NAMES.items())[:41])
    fn = derive.gradient(programs.read(many(OF_NAMES, count=40), values).fn, list(values))
    looks: list[int] = []

    def counted(program: Any, slots: Any, outs: Any) -> Any:
        looks.append(len(outs))
        return reaching(program, slots, outs)

    monkeypatch.setattr("autodiff_cli.rescue.reaching", counted)
    results = tensors.evaluate(fn, values)
    assert rescue.broken(fn, values, results) == [False] * len(results)
    assert looks == [len(compile(fn).fn.outs)]
