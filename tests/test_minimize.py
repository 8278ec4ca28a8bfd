"""`minimize`: against PyTorch's losses, over rows, by SciPy with exact products, and what it does when it fails."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff_cli.cli import progress
from autodiff_cli.optimise import Settings, loss, minimise
from autodiff_cli.optimise.loss import Loss, RowsLoss
from console import autodiff
from programs import read

DATA = Path(__file__).parent / "data"
TRAINING = json.loads(DATA.joinpath("training.json").read_text())
CASES = {
    case["id"]: case
    for case in map(json.loads, DATA.joinpath("cases.jsonl").read_text().splitlines())
    if case["category"] == "training-numerics"
}
HOW = {  # what the words of a case ask for
    "sgd-three-steps": "--optimizer sgd --lr 0.1 --steps 3",
    "divergence-detected": "--optimizer sgd --lr 1.1 --steps 5",
    "sgd-momentum-three-steps": "--optimizer momentum --lr 0.1 --steps 3",
    "adam-zero-gradient": "--optimizer adam --steps 100",
}
NETWORK = "mse(relu(X @ W1.T + b1) @ W2.T + b2, Y)"
RATES = {"sgd": "0.1", "momentum": "0.1", "adam": "0.01"}


def found(*words: str) -> dict[str, Any]:
    """The JSON object that `minimize` writes."""
    outcome = autodiff("minimize", *words, "--json")
    assert outcome.code == 0, str(outcome)
    return json.loads(outcome.out)  # type: ignore[no-any-return]  # an object


def history(path: Path) -> list[float]:
    return [float(line.split(",")[1]) for line in path.read_text().splitlines()[1:]]


def quietly(_steps: int, _loss: float) -> None:
    """Nobody asked."""


@pytest.mark.parametrize("name", RATES)
def test_the_network_of_the_tutorial_trains_as_in_pytorch(name: str, tmp_path: Path) -> None:
    """The loss at the start and after each of 100 steps, and the last parameters, to 1e-12."""
    start, losses, ends = tmp_path / "start.json", tmp_path / "loss.csv", tmp_path / "params.npz"
    start.write_text(json.dumps(TRAINING["start"]))
    outcome = autodiff(
        "minimize", NETWORK, f"X={TRAINING['X']}", f"Y={TRAINING['Y']}", "--set", f"@{start}", "--wrt", "W1,b1,W2,b2", "--optimizer", name,
        "--lr", RATES[name], "--steps", "100", "--history", str(losses), "-o", str(ends),
    )  # fmt: skip
    assert str(outcome) == ""
    assert len(history(losses)) == 101
    assert history(losses) == pytest.approx(TRAINING[name]["losses"], rel=1e-12, abs=1e-12)
    with np.load(ends) as members:
        assert set(members) == set(TRAINING["start"])
        for key, value in TRAINING[name]["end"].items():
            assert members[key] == pytest.approx(np.array(value), rel=1e-12, abs=1e-12)


def test_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """100 steps of SGD are 60 and then 40 from the file of the first ones."""
    start, half = tmp_path / "start.json", tmp_path / "half.npz"
    start.write_text(json.dumps(TRAINING["start"]))
    words = [NETWORK, f"X={TRAINING['X']}", f"Y={TRAINING['Y']}", "--wrt", "W1,b1,W2,b2", "--optimizer", "sgd", "--lr", "0.1"]
    assert autodiff("minimize", *words, "--set", f"@{start}", "--steps", "60", "-o", str(half)).code == 0
    assert found(*words, "--set", f"@{half}", "--steps", "40")["loss"] == pytest.approx(TRAINING["sgd"]["losses"][-1], rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_training_numerics(name: str) -> None:
    case = CASES[name]
    given = [f"{key}={value}" for key, value in case["inputs"].items()]
    result = found(case["expr"], *given, *HOW[name].split())
    assert result["loss"] == pytest.approx(case["expect_value"].pop("f"), rel=1e-12)
    assert result["parameters"] == pytest.approx(case["expect_value"], rel=1e-12)


# --- rows --------------------------------------------------------------------------------------------

POINTS = np.random.default_rng(0).normal(size=(50, 2))
TARGETS = np.sin(POINTS[:, 0]) + 0.1 * POINTS[:, 1]
ROWWISE = "(w2 @ tanh(W1 @ [x, z] + b1) + b2 - y)**2"
WEIGHTS: dict[str, Any] = {
    "W1": np.random.default_rng(1).normal(size=(4, 2)), "b1": np.zeros(4), "w2": np.random.default_rng(2).normal(size=4), "b2": 0.0,
}  # fmt: skip
COLUMNS = {"x": POINTS[:, 0], "z": POINTS[:, 1], "y": TARGETS}


def rows(**more: Any) -> RowsLoss:
    fn = read(ROWWISE, {**WEIGHTS, "x": 0.0, "z": 0.0, "y": 0.0}).fn
    return RowsLoss(fn, list(WEIGHTS), WEIGHTS, COLUMNS, **more)


def whole() -> Loss:
    """The same loss with matrices, at a point."""
    values = {**WEIGHTS, "X": POINTS, "Y": TARGETS}
    return Loss(read("mse(tanh(X @ W1.T + b1) @ w2 + b2, Y)", values).fn, list(WEIGHTS), values)


def test_the_loss_over_rows_is_the_mean_or_the_sum() -> None:
    value, slope = whole().whole()
    for how, scale in (("mean", 1), ("sum", 50)):
        at_rows, slope_rows = rows(how=how).whole()
        assert at_rows == pytest.approx(scale * value, rel=1e-14)
        assert slope_rows == pytest.approx(scale * slope, rel=1e-12, abs=1e-14)


def test_gradients_are_added_up_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of 7 rows give what all rows at once give, and products with the Hessian too."""
    value, slope = rows().whole()
    vector = np.linspace(-1, 1, len(slope))
    product = rows().times(rows().x, vector)
    monkeypatch.setattr(loss, "PIECE", 7)
    in_pieces, slope_in_pieces = rows().whole()
    assert in_pieces == pytest.approx(value, rel=1e-14)
    assert slope_in_pieces == pytest.approx(slope, rel=1e-12, abs=1e-14)
    assert rows().times(rows().x, vector) == pytest.approx(product, rel=1e-12, abs=1e-13)
    assert whole().times(rows().x, vector) == pytest.approx(product, rel=1e-12, abs=1e-13)


def test_an_epoch_sees_every_row_once() -> None:
    batches = rows(batch=8, seed=3)
    assert batches.batches == 7
    for _ in range(2):
        seen = np.concatenate([next(batches.order) for _ in range(batches.batches)])
        assert sorted(seen) == list(range(50))
    assert not np.array_equal(np.concatenate([next(rows(batch=8, seed=3).order)]), np.concatenate([next(rows(batch=8, seed=4).order)]))


def test_mini_batches_are_steps_of_their_own() -> None:
    """Two steps of SGD by hand."""
    batches, settings = rows(batch=30, seed=5), Settings("sgd", 0.1, steps=2)
    order = np.random.default_rng(5).permutation(50)
    minimise(batches, settings, quietly)
    values = {**WEIGHTS}
    for chosen in (order[:30], order[30:]):
        part = {**values, "X": POINTS[chosen], "Y": TARGETS[chosen]}
        one = Loss(read("mse(tanh(X @ W1.T + b1) @ w2 + b2, Y)", part).fn, list(WEIGHTS), part)
        one.x -= 0.1 * one.whole()[1]
        values = one.read(one.x)
    assert batches.x == pytest.approx(one.x, rel=1e-12, abs=1e-14)


def test_a_classifier_of_two_moons(tmp_path: Path) -> None:
    """What the cookbook does, at a small size: nearly every row is on the right side."""
    file, losses = tmp_path / "moons.csv", tmp_path / "loss.csv"
    t = np.linspace(0, math.pi, 20)
    moons = [*zip(np.cos(t), np.sin(t), t * 0, strict=True), *zip(1 - np.cos(t), 0.5 - np.sin(t), t * 0 + 1, strict=True)]
    file.write_text("x,y,c\n" + "".join([f"{x!r},{y!r},{c:g}\n" for x, y, c in np.array(moons).tolist()]))
    result = found(
        "bce_with_logits(w2 @ tanh(W1 @ [x, y] + b1) + b2, c)", "--data", str(file), "--W1", "randn(8, 2, seed=1)", "--b1", "zeros(8)",
        "--w2", "randn(8, seed=2)", "--b2", "0", "--optimizer", "adam", "--lr", "0.05", "--batch", "10", "--epochs", "60", "--history", str(losses),
    )  # fmt: skip
    curve = history(losses)
    assert result["steps"] == len(curve) - 1 == 240
    assert result["loss"] == curve[-1]
    assert curve[-1] < 0.1
    assert curve[0] > 0.5
    p = {name: np.array(value) for name, value in result["parameters"].items()}
    sides = np.tanh(np.array(moons)[:, :2] @ p["W1"].T + p["b1"]) @ p["w2"] + p["b2"] > 0
    assert np.mean(sides == np.array(moons)[:, 2]) >= 0.95


# --- SciPy -------------------------------------------------------------------------------------------

ROSENBROCK = "(1-x)**2 + 100*(y-x**2)**2"


@pytest.mark.parametrize("optimizer", ["lbfgs", "newton-cg"])
def test_second_order(optimizer: str) -> None:
    result = found(ROSENBROCK, "x=-1.2", "y=1", "--optimizer", optimizer)
    assert result["parameters"] == pytest.approx({"x": 1, "y": 1}, abs=1e-8)
    matrix = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
    result = found(
        "sum((A @ v - [1, 2, 3])**2)", f"A={matrix.tolist()}", "v=[0, 0, 0]", "--wrt", "v", "--optimizer", optimizer, "--tol", "1e-9"
    )
    assert result["parameters"]["v"] == pytest.approx(np.linalg.solve(matrix, [1, 2, 3]), abs=1e-9)


def test_newton_needs_exact_products() -> None:
    """On a quadratic function Newton-CG is there after one step, its conjugate gradients being exact."""
    fn = read("sum((v - a)**2*[1, 10, 100])", {"v": np.zeros(3), "a": np.arange(3.0)}).fn
    problem = Loss(fn, ["v"], {"v": np.ones(3), "a": np.arange(3.0)})
    outcome = minimise(problem, Settings("newton-cg", tol=1e-9), quietly)
    assert outcome.why is None
    assert outcome.steps <= 5
    assert problem.x == pytest.approx(np.arange(3.0), abs=1e-10)


@pytest.mark.parametrize("optimizer", ["lbfgs", "newton-cg", "sgd", "momentum", "adam"])
def test_a_loss_that_ends_the_search_leaves_the_last_good_parameters(optimizer: str) -> None:
    problem = Loss(read("log(x)", {"x": 0.5}).fn, ["x"], {"x": 0.5})
    seen: list[float] = []
    outcome = minimise(
        problem, Settings(optimizer, 3.0 if optimizer in RATES else None, steps=50), lambda _steps, value: seen.append(value)
    )
    assert outcome.why == "not-finite"
    assert math.isfinite(outcome.loss)
    assert outcome.loss == seen[-1]
    assert problem.whole()[0] == outcome.loss


# --- progress ----------------------------------------------------------------------------------------


class Terminal:
    """A stderr that says it is one."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        """Nothing is held back."""


def test_progress_is_shown_on_a_terminal_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.5, 1.1, 1.15, 1.3])
    monkeypatch.setattr(progress, "monotonic", lambda: next(times))
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    shown = progress.Progress()
    shown.step(10, 5.0)
    assert terminal.text == ""
    shown.step(2000, 0.25)
    shown.done()
    assert terminal.text == "\rstep 2,000  loss 0.25\x1b[K\r\x1b[K"


def test_no_progress_in_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST", 0.0)
    shown = progress.Progress()
    shown.step(1, 1.0)
    shown.done()
    assert capsys.readouterr().err == ""


LOOP = """
def newton(a, n):
    x = a
    for k in range(n):
        x = (x + a/x)/2 if x > 0.1 else x + 1
    return x
"""
OWN = """
def soft(x):
    return min(max(x, -1), 1)
@derivative(soft)
def _(x):
    return 1
"""


@pytest.mark.parametrize(
    "text", [LOOP + "(newton(a*x, 4) - y)**2", LOOP + "(newton(a*x, round(x) + 1) - y)**2", OWN + "(soft(a*x) - y)**2 + b*b"]
)
@pytest.mark.parametrize("kind", [float, np.array])
def test_loops_and_rules_over_rows(text: str, kind: Any) -> None:
    """The derivative of each row, added up: at one parameter, and at an array of them."""
    columns = {"x": np.array([1.0, 2.0, 4.0]), "y": np.array([1.0, 1.0, 3.0])}
    wrapped = text if kind is float else text.replace("a*x", "sum(a)*x")
    values = {"a": 1.5 if kind is float else np.array([1.0, 0.5])} | ({"b": 0.5} if "b*b" in text else {})
    fn = read(wrapped, {**values, "x": 1.0, "y": 1.0}).fn
    problem = RowsLoss(fn, list(values), values, columns)
    value, slope = problem.whole()
    slope = slope.copy()
    points = [Loss(fn, list(values), {**values, "x": x, "y": y}) for x, y in zip(columns["x"].tolist(), columns["y"].tolist(), strict=True)]
    each = [one.whole() for one in points]
    assert value == pytest.approx(np.mean([v for v, _ in each]), rel=1e-14)
    assert slope == pytest.approx(np.mean([d for _, d in each], axis=0), rel=1e-13, abs=1e-15)
    product = problem.times(problem.x, slope)
    assert product == pytest.approx(np.mean([one.times(one.x, slope) for one in points], axis=0), rel=1e-12, abs=1e-14)
