"""Notes beside results: what they cost, and what they must not say."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from mpmath import mp

from autodiff_cli.graph import Fn, Graph
from autodiff_cli.notes import kinks, limits
from autodiff_cli.notes.approach import DISTANCES, approached, common
from autodiff_cli.ops.arithmetic import not_, select
from autodiff_cli.run.budget import Expired, budget
from autodiff_cli.run.digits import constant
from console import autodiff

if TYPE_CHECKING:
    from collections.abc import Callable

SLOW = [
    ("grad", "polygamma(3, x)", "x=-1e10"), ("grad", "yn(2, x)", "x=-1e300"), ("eval", "digamma(-1e10)"), ("grad", "gamma(x)", "x=-1e10", "--order", "2"),
    ("grad", "fresnels(x)", "x=1e300"), ("grad", "1e-999999999*log(x)", "x=0"), ("grad", "zeta(x, -1)/x", "x=0"),
]  # fmt: skip


@pytest.mark.parametrize("words", SLOW, ids=lambda words: words[1])
def test_no_note_takes_long(words: tuple[str, ...]) -> None:
    assert autodiff(*words).code == 0 or words[1].startswith("zeta")


def _endless() -> None:
    with budget(0.05):
        while True:
            pass


def test_work_beyond_its_time_is_given_up() -> None:
    with pytest.raises(Expired):
        _endless()
    with budget(0.05):
        pass
    time.sleep(0.01)


def test_in_another_thread_there_is_no_limit() -> None:
    done = []

    def work() -> None:
        with budget(0):
            done.append(sum(range(100_000)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


def test_a_limit_that_takes_too_long_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object, **__: object) -> None:
        while True:
            pass

    monkeypatch.setattr("autodiff_cli.run.digits.evaluate", slow)
    monkeypatch.setattr(limits, "budget", lambda: budget(0.05))
    err = autodiff("grad", "sin(x)/x", "x=0").err
    assert "0 / 0 is nan" in err
    assert "note:" not in err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0." + "0" * 5000 + "125", "1.25e-5001"), ("1" * 5000 + "e-4999", "1." + "1" * 70), ("1e999999999999", "1e999999999999"), ("-2.5e-7", "-2.5e-7"),
        ("0.1", "0.1"), ("inf", "inf"), ("1e" + "9" * 5000, f"1e{10**15}"),
    ],
)  # fmt: skip
def test_any_literal_is_a_number_of_many_digits(text: str, value: str) -> None:
    with mp.workdps(60):
        found = constant(mp, text)
        mantissa, _, exponent = value.partition("e")
        wanted = mp.mpf(mantissa) * mp.mpf(10) ** int(exponent) if exponent else mp.mpf(value)
        assert mp.almosteq(found, wanted, 1e-55) or found == wanted


LAWS: dict[str, tuple[Callable[[Any], Any], str | None]] = {
    "2 + h": (lambda h: 2 + h, "2"), "h": (lambda h: h, "0"), "1 + h**0.1": (lambda h: 1 + h ** mp.mpf("0.1"), "1"),
    "h*log(h)": (lambda h: h * mp.log(h), "0"), "log(h)": (mp.log, "-inf"), "1/h": (lambda h: 1 / h, "inf"),
    "-log(h)**2/h": (lambda h: -(mp.log(h) ** 2) / h, "-inf"), "exp(-1/h)": (lambda h: mp.exp(-1 / h), "0"),
    "1/log(h)": (lambda h: 1 / mp.log(h), None), "sin(1/h)": (lambda h: mp.sin(1 / h), None), "cos(1/h)/h": (lambda h: mp.cos(1 / h) / h, None),
    "h*sin(1/h)": (lambda h: h * mp.sin(1 / h), "0"), "7": (lambda _: mp.mpf(7), "7"), "nan": (lambda _: mp.nan, None),
    "-inf": (lambda _: -mp.inf, "-inf"),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
def test_what_numbers_approach(law: str) -> None:
    f, end = LAWS[law]
    with mp.workdps(200):
        found = approached([f(mp.mpf(step)) for step in DISTANCES])
        assert (found is None) if end is None else (found == mp.mpf(end) or abs(found - mp.mpf(end)) < 1e-13)


def test_sides_have_to_agree() -> None:
    one, inf = mp.mpf(1), mp.inf
    assert common([one, one + mp.mpf("1e-14")]) == 1
    assert common([inf, inf]) == inf
    assert [common(sides) for sides in ([one, -one], [inf, -inf], [one, None], [one, inf])] == [None] * 4


MADE_OF_EACH_OTHER = """
p = 3*(x + y)
for k in range(4):
    x += sin(0.3*p)
    if k - x > grad(p*x**2, x):
        p = tanh(max(sin(p), grad(p*p**2, p)))
        x = tanh(max(sin(y), x + 0.7))
x*p
"""


def test_conditions_that_are_made_of_each_other_are_looked_at_once() -> None:
    """Eighty turns, each of which asks the one before twice: 2**80 ways to the first."""
    graph = Graph(expanding=True)
    x = graph.param("x")
    p = x > 0
    for k in range(1, 80):
        p = select(p, select(x > -k, p, not_(p)), select(x < k, not_(p), p))
    fn = Fn(graph, [("x", x.type)], [select(p, x, 2 * x)], ["value"])
    assert len(list(kinks.conditions(fn, p.id))) == 1 + 2 * 79
    assert kinks.touched(fn, {"x": 0.5}, ["x"]) == []
    done = autodiff("grad", MADE_OF_EACH_OTHER, "x=0.11", "y=0.23", "--csv")
    assert done.out.splitlines()[-1] == "1.3412872371736213,8.4663840444856,7.446384044485601"
