"""Texts that are emitted mean what they came from, are not longer than they need to be, and of any depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from autodiff_cli.diagnostics import Source
from autodiff_cli.emit.brackets import brackets
from autodiff_cli.emit.text import text, texts
from autodiff_cli.graph import CONST
from autodiff_cli.ops import OPS
from autodiff_cli.run import point
from autodiff_cli.syntax import parse
from programs import read, same
from strategies import expressions

if TYPE_CHECKING:
    from autodiff_cli.graph import Fn, Op

WRITTEN = [
    "x + y - z",
    "x - (y - z)",
    "x + (y + z)",
    "x*y/z",
    "x/(y*z)",
    "x*-y",
    "-x**2",
    "(-x)**2",
    "x**-y",
    "2**-1.5",
    "(x**y)**z",
    "x**y**z",
    "-(x*y)",
    "-x*y",
    "x - -y",
    "(-3)**x",
    "x//y%z",
    "sin(x)*max(x, y, z)",
    "x < y",
    "(x < y)*2",
    "x < y < z or not x == z",
    "x < y and z < x",
    "x < y and (y < z or x == z)",
    "(x if x < y else y)*2",
    "x if x < y else y if y < z else z",
    "(x if x < y else y) if y < z else z",
    "x + 0.1 + 1e-05",
    "polygamma(2, x)",
    'col("a b")*2',
    "pi*x + inf",
]


def shape(fn: Fn, i: int) -> object:
    """A node and all below it, independent of numbers."""
    op, args, attr, _ = fn.nodes[i]
    return attr if op is CONST else (op.name, attr, *[shape(fn, j) for j in args])


@pytest.mark.parametrize("written", WRITTEN)
def test_text_has_the_brackets_it_needs_and_no_more(written: str) -> None:
    assert texts(read(written).fn) == [written]


@given(expressions)
def test_text_reads_back_as_the_same_graph(written: str) -> None:
    fn = read(written).fn
    again = read(texts(fn)[0]).fn
    assert shape(again, again.outs[0]) == shape(fn, fn.outs[0])


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.example], ids=lambda op: op.name)
def test_every_example_reads_back(op: Op) -> None:
    fn = read(op.example).fn
    again = read(texts(fn)[0]).fn
    assert same(point.evaluate(again, {})[0], point.evaluate(fn, {})[0])


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("-x**2/2*y", "((-(x ** 2)) / 2) * y"),
        ("x^y^z", "x ** (y ** z)"),
        ("a < b < c", "a < b < c"),
        ("not a and b or c", "((not a) and b) or c"),
        ("x if c else y if d else z", "x if c else (y if d else z)"),
        ("f(x, n=-2)[1:, ::2].T", "f(x, n=-2)[1:, ::2].T"),
        ("x += 2*y", "x = x + (2 * y)"),
        ("a, b = 1, 2", "a, b = 1, 2"),
        ("np.sin(x)", "np.sin(x)"),
    ],
)
def test_brackets_show_how_a_line_is_read(written: str, shown: str) -> None:
    assert brackets(parse(Source("expression", written))) == [shown]


def test_texts_of_any_depth() -> None:
    depth = 100_000
    fn = read("-(1-x" + "*y" * depth + ")").fn
    assert len(text(fn.nodes, fn.outs[0])) > 2 * depth
    assert len(text(fn.nodes, fn.outs[0], 100)) < 110
    assert len(brackets(parse(Source("expression", "-" * depth + "x")))[0]) > 2 * depth
