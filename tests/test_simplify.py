"""The algebra for display keeps every value, and its identities hold wherever both sides are defined."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_cli.emit.text import texts
from autodiff_cli.equality import compare
from autodiff_cli.run import digits
from autodiff_cli.simplify import identities, simplify
from autodiff_cli.simplify.numbers import decimal, parts, rational, short
from programs import read
from strategies import expressions, points

TABLES = (identities.ODD_OR_EVEN, identities.VALUES, identities.INVERSES, identities.PRODUCTS, identities.SUMS)
SIMPLER = [
    ("2*x + 3*x", "5*x"),
    ("x*x*x", "x**3"),
    ("x + x - 2*x + y", "y"),
    ("2/4*x", "x/2"),
    ("0.25*x", "x/4"),
    ("x*y/x**3", "y/x**2"),
    ("-(1 - x)", "x - 1"),
    ("(2*x + 2*y)/2", "x + y"),
    ("(x + y)**2*(x + y)", "(x + y)**3"),
    ("x*-y*-3", "3*x*y"),
    ("sin(-x)/cos(-x)", "-tan(x)"),
    ("exp(x)**2*exp(-x)", "exp(x)"),
    ("a*sin(x)**2 + a*cos(x)**2", "a"),
    ("sqrt(x)*sqrt(x)", "sqrt(x)**2"),
    ("x**n*x", "x**(n + 1)"),
    ("1e-30*x*1e-20", "1e-50*x"),
    ("x*0.1 + x*0.2", "0.3*x"),
    ("not x < 1", "x >= 1"),
    ("not log(x) < 1", "not log(x) < 1"),
    ("1 - x/(x + 1) + y", "1 - x/(x + 1) + y"),
    ("z*(1 - x/(x + 1))", "z/(x + 1)"),
    ("123456789.123*987654321.987*x", "123456789.123*987654321.987*x"),
]


@pytest.mark.parametrize(("text", "simpler"), SIMPLER)
def test_simpler(text: str, simpler: str) -> None:
    assert texts(simplify(read(text).fn)[0]) == [simpler]


@given(expressions, points)
def test_values_are_kept(text: str, values: dict[str, float]) -> None:
    fn = read(text).fn
    before, after = (float(digits.evaluate(one, values)[0]) for one in (fn, simplify(fn)[0]))
    assert before - before != 0 or after == pytest.approx(before, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("identity", [one for table in TABLES for one in table], ids=lambda one: one.pattern)
def test_identities_hold_and_have_one_domain(identity: identities.Identity) -> None:
    """A quotient and its value may differ at the poles, which no point is on but 0."""
    found = compare(read(identity.pattern), read(identity.text), {})
    assert found.difference is None or (found.difference.kind == "domain" and found.difference.point == {"a": 0.0})
    assert found.points


@given(st.fractions(max_denominator=1000))
def test_numbers_read_back(number: Fraction) -> None:
    top, bottom = parts(number)
    assert Fraction(top) / Fraction(bottom) == abs(number)
    assert not decimal(number) or rational(decimal(number)) in (abs(number), None)


@pytest.mark.parametrize("text", ["-0", "inf", "pi", "1e400", "nan", "True", "0." + "1" * 30])
def test_what_is_no_short_number_stays_as_it_is(text: str) -> None:
    assert rational(text) is None


def test_short_numbers() -> None:
    assert short(Fraction(1, 3))
    assert short(Fraction("1e-30"))
    assert not short(Fraction("1.2345678901234567891"))
    assert [decimal(Fraction(n)) for n in ("0.5", "1e-30", "12e20", "0.001", "100")] == ["0.5", "1e-30", "1.2e+21", "0.001", "100"]


def test_a_factor_that_cannot_be_multiplied_in_stays() -> None:
    (text,) = texts(simplify(read("x*0.12345678901234567*0.9876543210987654").fn)[0])
    assert digits.evaluate(read(text).fn, {"x": 1.0}) == digits.evaluate(read("0.12345678901234567*0.9876543210987654").fn, {})


def test_division_by_zero_stays() -> None:
    for text in ("x/0", "0**-1*x", "(x - x)**-2"):
        fn = simplify(read(text).fn)[0]
        assert float(digits.evaluate(fn, {"x": 1.0})[0]) == float("inf")
