"""Texts that are emitted mean what they came from, are not longer than they need to be, and of any depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from autodiff_cli.diagnostics import Source
from autodiff_cli.emit.brackets import brackets
from autodiff_cli.emit.dot import Drawn, dot, label
from autodiff_cli.emit.drawing import drawing, observe
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
    "x < y and y < z or not x == z",
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


def test_shared_parts_are_drawn_once() -> None:
    assert [node.lines[0] for node in drawing(read("sin(x)*sin(x) + sin(x)").fn)] == ["x", "sin", "*", "+"]


def test_a_label_stands_for_itself() -> None:
    assert label(['a"b\\N&<c>\n']) == '"a\\"b\\\\N&amp;<c> "'


def test_the_same_drawing_gives_the_same_bytes() -> None:
    nodes = [Drawn("variable", ("x",), ()), Drawn("output", ("*", "value 4"), (0, 0))]
    assert dot(nodes) == dot(list(nodes))
    assert dot(nodes).count("n0 -> n1") == 2


def test_with_values_the_graph_is_drawn_as_it_ran() -> None:
    fn = read("sqrt(x) if x > 0 else y*x", {"x": -2.0, "y": 3.0}).fn
    shown = observe(fn, {"x": -2.0, "y": 3.0})
    lines = [node.lines for node in drawing(fn, shown)]
    assert ("x", "value -2", "gradient 3") in lines
    assert ("y", "value 3", "gradient -2") in lines
    assert not any(line[0] == "sqrt" for line in lines)


def test_names_of_the_program_and_the_sides_of_a_choice_are_drawn() -> None:
    fn = read("h = 2*x; a, b = h*3, h + 1; y = a if x > 0 else b; y += 1; y").fn
    lines = {node.lines[0]: node for node in drawing(fn)}
    assert {"h: *", "a: *", "b: +", "y: if else", "y: +"} <= set(lines)
    assert lines["y: if else"].roles == ("condition", "then", "else")
    assert 'label="then"' in dot(drawing(fn))
    shown = drawing(fn, observe(fn, {"x": -1.0}))
    assert next(node for node in shown if node.lines[0] == "y: if else").roles == ("condition", "else")


def test_values_in_a_drawing_have_as_many_digits_as_are_asked_for() -> None:
    fn = read("x/3").fn
    shown = observe(fn, {"x": 1.0})
    assert drawing(fn, shown)[-1].lines == ("/", "value 0.333333333333", "gradient 1")
    assert drawing(fn, shown, 3)[-1].lines == ("/", "value 0.333", "gradient 1")


def test_texts_of_any_depth() -> None:
    depth = 100_000
    fn = read("-(1-x" + "*y" * depth + ")").fn
    assert len(text(fn.nodes, fn.outs[0])) > 2 * depth
    assert len(text(fn.nodes, fn.outs[0], 100)) < 110
    assert dot(drawing(fn)).count(" -> ") > 2 * depth
    assert len(brackets(parse(Source("expression", "-" * depth + "x")))[0]) > 2 * depth
