"""Pictures of graphs: what is drawn, what is folded, and that every format says the same of the same picture."""

from __future__ import annotations

import html
import json
import random
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.emit.dot import dot, label
from autodiff_cli.emit.drawing import observe
from autodiff_cli.emit.graph.backward import named
from autodiff_cli.emit.graph.document import document
from autodiff_cli.emit.graph.layout import layout
from autodiff_cli.emit.graph.mermaid import mermaid
from autodiff_cli.emit.graph.mermaid import text as mermaid_text
from autodiff_cli.emit.graph.model import KINDS, Choice, Drawing
from autodiff_cli.emit.graph.picture import picture
from autodiff_cli.emit.graph.themes import THEMES
from autodiff_cli.emit.graph.tree import tree
from autodiff_cli.emit.graph.words import lines, title
from autodiff_cli.ops import FUNCTIONS
from autodiff_cli.render.json import dumps
from console import ROOT, autodiff, shell
from programs import read, same

if TYPE_CHECKING:
    from collections.abc import Iterable

    from autodiff_cli.emit.graph.model import Node

CUSTOM = """def my_relu(x):
    return max(x, 0)

@derivative(my_relu)
def _(x):
    return 0 if x < 0 else 1

y = my_relu(x)*x
y + my_relu(y)
"""
BRANCHES = "y = x**2 if x > 0 else sin(x)\ny*z"
DECIMAL = re.compile(r"(?<![\w.\[,=-])\d+\.\d+(?![\w.])")
NEWTON = (ROOT / "examples" / "newton.ad").read_text(encoding="utf-8")
CLUSTERED = "def f(u):\n    return sin(u)*cos(u)\n\nf(x) + f(2*x)"


def drawn(text: str, values: dict[str, Any] | None = None, **choice: Any) -> Drawing:
    """The picture of a program; with `values`, as it ran."""
    fn = read(text, values).fn
    return picture(fn, None if values is None else observe(fn, values), Choice(**choice))


def titles(drawing: Drawing) -> list[str]:
    return [title(node) for node in drawing.nodes]


def node(drawing: Drawing, name: str) -> Node:
    """The one node with this first line."""
    (found,) = [node for node in drawing.nodes if title(node) == name]
    return found


def edges(drawing: Drawing, kind: str = "data") -> list[tuple[str, str]]:
    """The edges of a kind, by the first lines of their ends."""
    names = {node.id: title(node) for node in drawing.nodes}
    return [(names[e.source], names[e.target]) for e in drawing.edges if e.kind == kind]


# --- what is drawn


def test_shared_parts_are_drawn_once() -> None:
    found = drawn("x*x + sin(x)")
    assert titles(found) == ["x", "*", "sin", "+"]
    assert edges(found) == [("x", "*"), ("x", "*"), ("x", "sin"), ("*", "+"), ("sin", "+")]
    assert node(found, "+").kind == "output"


def test_a_diamond_has_one_node_for_what_is_shared() -> None:
    assert titles(drawn("sin(t)*exp(sin(t)) + sin(t)**2")).count("sin") == 1


def test_with_values_the_graph_is_drawn_as_it_ran() -> None:
    found = drawn("sqrt(x) if x > 0 else y*x", {"x": -2.0, "y": 3.0})
    assert "sqrt" not in titles(found)
    assert (node(found, "x").value, node(found, "x").gradient) == (-2.0, 3.0)
    assert [e.role for e in found.edges if e.role] == ["condition", "else"]
    assert [c.title for c in found.clusters] == ["else of x > 0"]
    assert found.clusters[0].taken


def test_static_draws_both_sides_and_says_which_was_taken() -> None:
    found = drawn(BRANCHES, {"x": 2.0, "z": 3.0}, static=True)
    assert {(c.title, c.taken) for c in found.clusters} == {("if x > 0", True), ("else of x > 0", False)}
    assert node(found, "sin").value is None
    assert [e.role for e in found.edges if e.off] == ["else"]
    assert {c.taken for c in drawn(BRANCHES).clusters} == {None}


def test_names_of_the_program_and_the_sides_of_a_choice_are_drawn() -> None:
    found = drawn("h = 2*x; a, b = h*3, h + 1; y = a if x > 0 else b; y += 1; y")
    assert {"h: *", "a: *", "b: +", "y: if else", "y: +"} <= set(titles(found))
    assert node(found, "y: if else").kind == "choice"
    assert [e.role for e in found.edges if e.target == node(found, "y: if else").id] == ["condition", "then", "else"]


def test_values_in_a_drawing_have_as_many_digits_as_are_asked_for() -> None:
    last = drawn("x/3", {"x": 1.0}).nodes[-1]
    assert lines(last, 12) == ["/", "value 0.333333333333", "gradient 1"]
    assert lines(last, 3) == ["/", "value 0.333", "gradient 1"]


def test_arrays_show_their_shapes_and_a_few_entries() -> None:
    found = drawn("sum(v**2)", {"v": np.array([1.0, 2.0])})
    assert lines(node(found, "v"), 12) == ["v", "shape (2,)", "value [1, 2]", "gradient [2, 4]"]
    wide = drawn("sum(v**2)", {"v": np.arange(100.0)})
    assert lines(node(wide, "v"), 12)[2:] == ["value [0, 1, …, 99]", "gradient [0, 2, …, 198]"]


def test_calls_stand_in_boxes_and_inline_opens_them() -> None:
    found = drawn(CLUSTERED)
    assert [c.title for c in found.clusters] == ["f(x)", "f(2*x)"]
    assert [n.label for n in found.nodes if n.cluster == found.clusters[0].id] == ["sin", "cos", "*"]
    assert not drawn(CLUSTERED, inline=True).clusters
    assert len(drawn(CLUSTERED, inline=True).nodes) == len(found.nodes)


def test_calls_in_calls_and_branches_in_calls_stand_in_each_other() -> None:
    found = drawn("def g(u):\n    return u*u if u > 0 else -u\ndef f(u):\n    return g(u) + 1\nf(x)")
    parents = {c.title: c.parent for c in found.clusters}
    ids = {c.title: c.id for c in found.clusters}
    assert parents == {"f(x)": "", "g(u)": ids["f(x)"], "if u > 0": ids["g(u)"], "else of u > 0": ids["g(u)"]}


def test_a_rule_of_ones_own_is_a_box_with_the_value_and_gradient_of_the_call() -> None:
    found = drawn(CUSTOM, {"x": 3.0}, partials=True)
    own = [f"its own derivative\nby {v}: 0 if {v} < 0 else 1 = 1" for v in "xy"]
    assert [(c.kind, c.title, c.note) for c in found.clusters] == [("rule", f"my_relu({v})", own[k]) for k, v in enumerate("xy")]
    inner = [n for n in found.nodes if n.label == "max"]
    assert [(n.value, n.gradient) for n in inner] == [(3.0, 6.0), (9.0, 1.0)]
    assert node(found, "+").value == 18.0


def test_the_partials_of_a_rule_are_of_its_box_and_of_no_edge_in_it() -> None:
    found = drawn(
        "def f(a, b):\n    c = a*b\n    return c*c + a\n@derivative(f)\ndef _(a, b):\n    return 100, b\nf(x, y)*2",
        {"x": 2.0, "y": 3.0},
        partials=True,
    )
    (box,) = found.clusters
    assert box.note.split("\n")[1:] == ["by x: 100", "by y: y = 3"]
    inside = {n.id for n in found.nodes if n.cluster == box.id}
    assert not [e for e in found.edges if e.target in inside and (e.rule or e.partial is not None)]
    assert "its own derivative\\lby x: 100\\l" in dot(found, Choice())


def test_a_loop_is_a_box_with_what_it_carries_going_round() -> None:
    found = drawn(NEWTON, {"a": 3.0})
    box = next(c for c in found.clusters if c.kind == "loop")
    assert (box.title, box.note) == ("while abs(x - before) > 1e-14*x", "6 turns")
    assert ("x: /", "x") in edges(found, "next")
    assert ("x: if else", "x") in edges(found, "start")
    assert found.nodes[-1].value == pytest.approx(3**0.5)


def test_loops_in_loops_have_boxes_in_boxes() -> None:
    found = drawn("s = x\nfor i in range(5):\n    for j in range(6):\n        s = sin(s)*y\n    s = s + i\ns")
    outer, inner = found.clusters
    assert inner.parent == outer.id
    assert (outer.note, inner.note) == ("5 turns", "6 turns")
    assert "item" not in titles(found)


def test_derivatives_inside_a_program_are_one_node_until_opened() -> None:
    text = "y = sin(x)*x\ngrad(y, x) + 1"
    assert "grad(y, x)" in titles(drawn(text))
    assert "cos" in titles(drawn(text, inline=True))
    assert not drawn(text, inline=True).clusters


def test_partials_are_formulas_and_numbers() -> None:
    found = drawn("h = x*y; sin(h + 1)*2", {"x": 2.0, "y": 3.0}, partials=True)
    assert {(e.rule, e.partial) for e in found.edges if e.rule} >= {("y", 3.0), ("x", 2.0), ("1", 1.0), ("2", 2.0)}
    rule, value = next((e.rule, e.partial) for e in found.edges if e.rule.startswith("cos"))
    assert (rule, value) == ("cos(x*y + 1)", pytest.approx(np.cos(7.0)))


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("x**2.5", ["2.5*x**1.5"]),
        ("x**y", ["y*x**(y - 1)", "x**y*log(x)"]),
        ("log(x)", ["1/x"]),
        ("hypot(x, y)", ["x/hypot(x, y)", "y/hypot(x, y)"]),
        ("erf(x)", ["2/sqrt(pi)*exp(-x**2)"]),
    ],
)
def test_partials_are_in_words_of_the_language(text: str, rules: list[str]) -> None:
    assert [e.rule for e in drawn(text, partials=True).edges if e.rule] == rules


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_is_drawn_with_its_partials_and_backward(name: str) -> None:
    """The example of each, once with its first decimal number as a variable where that is no static argument."""
    text = FUNCTIONS[name].example
    number = DECIMAL.search(text)
    check_drawing(drawn(text, {}, partials=True, backward=True))
    if number:
        variable = DECIMAL.sub("x", text, count=1)
        try:
            found = drawn(variable, {"x": float(number[0])}, partials=True, backward=True)
        except AutodiffError as problem:
            assert problem.diagnostic.code in ("static-value", "no-derivative")
        else:
            check_drawing(found)


def test_gradients_are_the_sums_of_what_comes_back() -> None:
    found = drawn("x*y + x**2*sin(y) + x/y", {"x": 2.0, "y": 3.0}, backward=True)
    for one in found.nodes:
        if one.kind in ("backward", "accumulate"):
            shares = [e.partial for e in found.edges if e.target == one.id and e.partial is not None]
            assert not shares or sum(shares) == pytest.approx(one.gradient)
    assert {n.label for n in found.nodes if n.kind == "backward"} == {
        "AddBackward",
        "MulBackward",
        "PowBackward",
        "SinBackward",
        "DivBackward",
    }
    assert [title(n) for n in found.nodes if n.kind == "accumulate"] == ["y.grad: AccumulateGrad", "x.grad: AccumulateGrad"]


PROGRAMS: list[tuple[str, dict[str, Any]]] = [
    ("(v/w)[0]", {"v": np.array([1.0, 2.0]), "w": np.array([1.0, 0.0])}),
    ("max(sqrt(x*x + y*y), 1e-10)", {"x": 0.0, "y": 0.0}),
    ("sum(where(v > 0, log(v), 0))", {"v": np.array([0.0, 1.0])}),
    ("sum(x*v) + mean(v)*x + std(v)", {"x": 2.0, "v": np.array([1.0, 2.0, 5.0])}),
    ("s = 0\nfor i in range(6):\n    s = s + sin(x*i)\ngrad(s, x)*s", {"x": 2.0}),
    ("s = x\nwhile s < 50:\n    s = s*s + 1\nr = sin(s)*s\ny = grad(r, x)\ny*r", {"x": 1.5}),
    ("r = x\ns = 1\nwhile r < 50:\n    r = r*2 + 1\n    s = s + r\nr*2 + s*3", {"x": 1.0}),
    ("s = x\nt = y\nfor i in range(8):\n    s, t = s*t, t + s\ns*t + s", {"x": 0.3, "y": 0.2}),
    ("jvp(x**3*y, x, y)*x + deriv(sin(x), x)*y", {"x": 1.2, "y": 0.5}),
    ("softmax(v)[0]*v[1] + logsumexp(v) + sort(v)[0]", {"v": np.array([1.0, 2.0, 0.5])}),
    ("sum(M@v@v*v) + det(M)*v[0]", {"M": np.array([[1.0, 2.0], [3.0, 5.0]]), "v": np.array([1.0, 2.0])}),
    ("cross_entropy([x, y, x*y], 1)", {"x": 0.3, "y": 0.2}),
    ("detach(x)*x + floor(x)*x", {"x": 2.5}),
    ("v[i]*x", {"v": np.array([1.0, 2.0]), "i": 1.0, "x": 2.0}),
]


@pytest.mark.parametrize(("text", "values"), PROGRAMS, ids=[text for text, _ in PROGRAMS])
@pytest.mark.parametrize("choice", [{}, {"static": True}, {"inline": True}, {"max_nodes": 6}])
def test_the_backward_pass_ends_in_variables_and_its_shares_add_up(text: str, values: dict[str, Any], choice: dict[str, Any]) -> None:
    found = drawn(text, values, backward=True, **choice)
    nodes = {n.id: n for n in found.nodes}
    back = [e for e in found.edges if e.kind == "backward"]
    ordered(back)
    givers = {e.source for e in back}
    assert any(n.kind == "accumulate" or n.label.startswith("… ") for n in found.nodes if n.id.startswith("b"))
    for id in {e.target for e in back}:
        one, shares = nodes[id], [np.asarray(e.partial) for e in back if e.target == id and e.source != "seed"]
        assert one.kind == "accumulate" or id in givers or one.label.startswith("… ")
        if one.gradient is not None and shares and not one.label.startswith("… "):
            total = np.sum(shares, axis=0)
            assert np.allclose(total, one.gradient, rtol=1e-12, atol=1e-15)
            assert np.shape(total) == np.shape(one.gradient)


def ordered(edges: list[Any]) -> None:
    """Fail where edges go round in a circle."""
    left = {e.source: [f.target for f in edges if f.source == e.source] for e in edges}
    while left:
        ends = [id for id, targets in left.items() if not any(t in left for t in targets)]
        assert ends
        for id in ends:
            del left[id]


def test_a_loop_that_hands_back_by_several_results_says_which() -> None:
    found = drawn(PROGRAMS[6][0], PROGRAMS[6][1], backward=True)
    loop = node(found, "LoopBackward")
    assert loop.gradient is None
    assert {(e.role, e.partial) for e in found.edges if e.target == loop.id} == {("r", 2.0), ("s", 3.0)}


def test_what_passes_no_derivative_has_no_backward_node() -> None:
    assert [n.label for n in drawn(*PROGRAMS[12], backward=True).nodes if n.kind == "backward"] == [
        "AddBackward",
        "MulBackward",
        "MulBackward",
    ]
    found = drawn(*PROGRAMS[13], backward=True)
    assert [n.label for n in found.nodes if n.id.startswith("bn")] == ["MulBackward", "AccumulateGrad", "IndexBackward", "AccumulateGrad"]
    assert "" not in titles(found)
    found = drawn("sort(v)[0]", {"v": np.array([2.0, 1.0])}, backward=True)
    assert node(found, "argsort[0]").gradient is None
    assert "ArgsortBackward" not in titles(found)
    assert "IfBackward" in titles(drawn(BRANCHES, backward=True))
    assert "GradBackward" in titles(drawn("grad(x**3, x)*x", {"x": 2.0}, backward=True))


def test_a_structural_zero_has_the_shape_of_its_node() -> None:
    found = drawn("sum(where(w > 1, v, 2*v))", {"v": np.arange(3.0), "w": np.arange(3.0)})
    assert np.array_equal(node(found, "w").gradient, np.zeros(3))  # type: ignore[arg-type]  # an array


def test_what_the_engine_makes_of_a_product_with_a_vector_is_read_over() -> None:
    values = {"W": np.array([[1.0, 2.0], [3.0, 4.0]]), "x": np.array([1.0, 2.0])}
    assert titles(drawn("a = W @ x; sum([sum(a), 2])", values)) == ["W", "x", "a: @", "sum", "2", "[…]", "sum"]


def test_a_counter_that_nothing_reads_is_not_drawn() -> None:
    found = drawn("s = 0\nfor i in range(6):\n    s = s + x\nfor i in range(7):\n    s = s*2\ns", {"x": 2.0})
    assert "i" not in titles(found)
    assert len(edges(found, "next")) == 2
    assert "i" in titles(drawn("for i in range(6):\n    s = x*i\ns", {"x": 2.0}))
    assert dumps(document(drawn("s = 0\nfor i in range(6):\n    s = s + x*i\ns", {"x": 2.0}, backward=True)))


def test_every_turn_of_a_short_loop_keeps_its_name() -> None:
    found = drawn("s = x\nfor i in range(3):\n    s = s*x + 1\ns", {"x": 2.0})
    assert [title(n) for n in found.nodes if n.kind not in ("variable", "constant")] == ["*", "s: +"] * 3
    assert [n for n in titles(drawn("a = softmax(v); sum(a*a)", {"v": np.arange(3.0)})) if n.startswith("a: ")] == ["a: exp"]


def test_operands_keep_their_order() -> None:
    assert titles(drawn("2**x - x**2")).count("2") == 2
    crossed = dot(drawn("x**y - y**x"), Choice())
    assert crossed.count('label=" left"') == crossed.count('label=" right"') == 2
    assert "left" not in dot(drawn("x**y - x/y"), Choice())
    assert "headport=nw" in dot(drawn("x - y", backward=True), Choice())


def test_the_side_that_was_not_taken_is_dashed_everywhere() -> None:
    found = drawn(BRANCHES, {"x": 2.0, "z": 3.0}, static=True)
    (off,) = [n.id for n in found.nodes if n.label == "sin"]
    assert f'{off} [style="filled,dashed,rounded"' in dot(found, Choice())
    assert f"class {off} off\n" in mermaid(found, Choice())


def test_counts_of_folded_nodes_agree() -> None:
    body = "s = a\n    for i in range(6):\n        s = s*a + 1\n    return s"
    found = drawn(f"def f(a):\n    {body}\nf(x)*f(y) + z*(x + 2)*sin(y)", {"x": 2.0, "y": 3.0, "z": 1.0}, max_nodes=4)
    counts = [int(re.findall(r"\d+", n.label)[0]) for n in found.nodes if n.kind == "folded"]
    assert sum(counts) == found.folded


def test_loops_and_rules_hand_back_in_one_piece() -> None:
    assert "LoopBackward" in titles(drawn(NEWTON, {"a": 3.0}, backward=True))
    found = drawn(CUSTOM, {"x": 3.0}, backward=True)
    assert titles(found).count("MyReluBackward") == 2
    grad = node(found, "x.grad: AccumulateGrad")
    assert [e.partial for e in found.edges if e.target == grad.id] == [6.0, 6.0]
    gelu = "def f(x):\n    return x*ndtr(x)\n\n@derivative(f)\ndef _(x):\n    return 5*x\n\nf(x)"
    found = drawn(gelu, {"x": 2.0}, backward=True)
    assert [e.partial for e in found.edges if e.target == node(found, "x.grad: AccumulateGrad").id] == [10.0]
    assert named("log_sigmoid") == "LogSigmoidBackward"


def test_what_does_not_move_has_no_backward_pass() -> None:
    assert not [n for n in drawn("2*pi", {}, backward=True).nodes if n.kind == "backward"]
    assert not [n for n in drawn("x > 1", {"x": 2.0}, backward=True).nodes if n.kind == "backward"]


def test_constants_can_be_left_out() -> None:
    assert titles(drawn("2*x + 3", hide_constants=True)) == ["x", "*", "+"]
    assert titles(drawn("4.2", hide_constants=True)) == ["4.2"]


def test_a_constant_of_many_stands_beside_each() -> None:
    assert titles(drawn("x**2 + y**2")).count("2") == 1
    many = drawn("+".join(f"x{k}**2" for k in range(9)))
    assert titles(many).count("2") == 9


# --- folding


def test_a_large_graph_is_folded_to_a_readable_one_and_says_so() -> None:
    found = drawn("+".join(f"x{k}*{k}" for k in range(3_334)))
    assert 100 < len(found.nodes) <= 200
    assert found.folded + sum(n.kind != "folded" for n in found.nodes) == pytest.approx(13_333, abs=10)
    assert any(n.label.startswith("… ") for n in found.nodes)
    assert "nodes folded" in dot(found, Choice())
    check_drawing(found)


def test_calls_are_closed_before_anything_is_folded_away() -> None:
    body = " + ".join(f"sin({k + 2}*u)" for k in range(20))
    found = drawn(f"def f(u):\n    return {body}\nf(x) + f(2*x) + f(3*x) + f(4*x)", max_nodes=40)
    assert [n.name for n in found.nodes if n.kind == "folded"] == ["f(x)", "f(2*x)", "f(3*x)", "f(4*x)"]
    assert not found.clusters


@pytest.mark.parametrize("most", [1, 2, 5, 20, 100])
def test_limits_hold(most: int) -> None:
    text = "+".join(f"sin(x{k % 11}*{k})" for k in range(300))
    assert len(drawn(text, max_nodes=most).nodes) <= most + 1
    deep = drawn(text, max_nodes=0, max_depth=3)
    assert titles(deep).count("+") == 4
    check_drawing(deep)


def test_drawing_takes_time_that_grows_with_the_graph() -> None:
    depth = 30_000
    fn = read("-(1-x" + "*y" * depth + ")").fn
    whole = picture(fn, None, Choice(max_nodes=0))
    assert dot(whole, Choice()).count(" -> ") > depth
    assert len(picture(fn, None, Choice()).nodes) < 200


def test_many_conditions_in_each_other_are_drawn() -> None:
    text = "0" + "".join(f" if x < {k} else {k}*y" for k in range(1_500))
    found = drawn(text)
    assert len(found.nodes) <= 200
    check_drawing(found)


# --- formats


def check_drawing(found: Drawing) -> None:
    """Edges join nodes that are there, boxes stand in boxes before them, and every format takes it."""
    ids = {n.id for n in found.nodes}
    assert len(ids) == len(found.nodes)
    assert all(e.source in ids and e.target in ids for e in found.edges)
    seen = {""}
    for cluster in found.clusters:
        assert cluster.parent in seen
        seen.add(cluster.id)
    assert all(n.cluster in seen and n.kind in KINDS for n in found.nodes)
    order = {n.id: k for k, n in enumerate(found.nodes)}
    assert all(order[e.source] < order[e.target] for e in found.edges if e.kind != "next")
    choice = Choice()
    assert dot(found, choice).count(" -> ") >= len(found.edges)
    assert mermaid(found, choice)
    assert tree(found, choice)
    json.loads(dumps(document(found)))
    check_layout(found)


def written(one: Node) -> list[str]:
    return lines(one, 12)


def check_layout(found: Drawing) -> None:
    """Nodes stand apart, and below what they take."""
    placed = layout(found, written)
    assert list(placed.nodes) == [n.id for n in found.nodes]
    rows: dict[float, list[Any]] = {}
    for place in placed.nodes.values():
        assert place.x >= place.width / 2
        assert place.x + place.width / 2 <= placed.width
        rows.setdefault(place.y, []).append(place)
    for row in rows.values():
        for a, b in zip(sorted(row), sorted(row)[1:], strict=False):
            assert a.x + a.width / 2 <= b.x - b.width / 2 + 0.2
    assert all(placed.nodes[e.source].y < placed.nodes[e.target].y for e in found.edges if e.kind in ("data", "start"))
    assert len(placed.edges) == len(found.edges)
    assert placed == layout(found, written)


WILD = [
    'a "quoted" name', "back\\slash\\", "a < b", "{curly|record}", "two\nlines", "Ünïcödé ∂ 文字 🙂", "שלום עולם", "مرحبا", "&amp;",
    "tab\there", "#hash;", "`tick`", "<b>bold</b>", "\\N\\G", "]]-->", "a" * 10_000, "%s %d", "end", "subgraph",
]  # fmt: skip


@pytest.mark.parametrize("name", WILD, ids=range(len(WILD)))
def test_a_name_of_any_letters_is_a_label(name: str) -> None:
    literal = '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'
    fn = read(f"col({literal})*2").fn
    found = picture(fn, None, Choice())
    assert len(titles(found)[0]) <= 40
    text = dot(found, Choice())
    shown = drawn_by_dot(text)
    assert sorted(shown) == sorted(titles(found))
    assert max(map(len, text.splitlines())) < 400
    json.loads(dumps(document(found)))


def drawn_by_dot(text: str) -> list[str]:
    """The texts of the nodes in what `dot` makes of a drawing; where it is not installed, what its own rules of quoting say."""
    if shutil.which("dot") is None:
        found = re.findall(r'^ +n\w+ \[.*label="((?:[^"\\]|\\.)*)"\]$', text, re.MULTILINE)
        return [html.unescape(re.sub(r"\\(.)", r"\1", one)) for one in found]
    done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=True)
    svg = done.stdout.decode()
    assert not done.stderr
    parts = re.findall(r'<g id="node\d+" class="node">\n<title>(.*?)</title>\n(.*?)</g>', svg, re.DOTALL)
    return [html.unescape(re.findall(r"<text[^>]*>(.*?)</text>", part)[0]).replace("\xa0", " ") for _, part in parts]


def test_a_label_stands_for_itself() -> None:
    assert label(['a"b\\N&<c>\n']) == '"a\\"b\\\\N&amp;<c> "'
    assert label(["a", "b"], "\\l") == '"a\\lb\\l"'
    assert label(["\u202eabc"]) == '" abc"'
    assert mermaid_text(["\u202eabc"]) == " abc"
    assert mermaid_text(['a"<b>&']) == "a#34;#60;b#62;#38;"


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.ad")), ids=lambda path: path.stem)
def test_every_example_is_drawn(path: Any) -> None:
    usage = re.search(r"^#     autodiff \w+ (@\S+ .*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert usage
    words = re.sub(r" --wrt \S+", "", usage[1]).replace("@weights.npy", "'full((8,4),0.1)'")
    for more in ("", " --static --partials --backward", " --inline --hide-constants --theme dark --rankdir LR", " --max-nodes 12"):
        there = shell(f"cd {ROOT / 'examples'}; autodiff graph {words} -q{more} | (command -v dot >/dev/null && dot -Tsvg || cat) | wc -c")
        assert there.code == 0, there.err
        assert not there.err
        assert int(there.out) > 1_000


def test_the_same_picture_gives_the_same_bytes() -> None:
    for form in ("dot", "mermaid", "json", "text"):
        line = f"autodiff graph 'x*y+x' x=1 y=2 --format {form} --partials --backward"
        assert shell(line, PYTHONHASHSEED="1").out == shell(line, PYTHONHASHSEED="2").out


def test_json_says_where_each_node_was_written() -> None:
    found = json.loads(autodiff("graph", "h = x*y\nh + sin(x)", "x=2", "y=3", "--format", "json").out)
    text = found["sources"]["expression"]
    spans = {n["label"]: text[n["span"]["start"] : n["span"]["end"]] for n in found["nodes"]}
    assert spans == {"x": "x", "y": "y", "*": "x*y", "sin": "sin(x)", "+": "h + sin(x)"}
    last = found["nodes"][-1]
    assert (last["span"]["line"], last["span"]["column"], last["op"], last["kind"]) == (2, 1, "add", "output")
    assert same([n["value"] for n in found["nodes"]], [2.0, 3.0, 6.0, np.sin(2.0), 6 + np.sin(2.0)])
    assert {"source", "target", "kind", "role", "off", "rule", "partial"} == set(found["edges"][0])


def test_a_tree_has_what_is_shared_by_its_number() -> None:
    text = tree(drawn("s = sin(x); s*exp(s)", {"x": 0.5}, digits=3), Choice(digits=3))
    assert text.splitlines()[1] == "├─ s: sin #1  value 0.479  gradient 2.39"
    assert "   └─ s: sin #1 (above)" in text
    assert "\033[" in tree(drawn("x*2"), Choice(), paint=True)
    assert len(tree(drawn("x" + "*y" * 3_000, max_nodes=0), Choice()).splitlines()) < 1_000


def test_every_kind_has_a_look_in_every_theme_and_format() -> None:
    from autodiff_cli.emit.dot import BORDERS, SHAPES
    from autodiff_cli.emit.graph.mermaid import SHAPES as BRACKETS
    from autodiff_cli.emit.graph.tree import COLORS

    looks: list[Iterable[str]] = [SHAPES, BRACKETS, COLORS, *[theme.nodes for theme in THEMES.values()]]
    assert all(set(look) == set(KINDS) for look in looks)
    assert all(set(theme.boxes) == set(BORDERS) for theme in THEMES.values())


@pytest.mark.parametrize("theme", THEMES)
def test_words_stand_out_from_what_they_stand_on(theme: str) -> None:
    """Contrast of at least 4.5 to 1, as the guidelines for accessible pages (WCAG 2) ask for."""
    for paint in (*THEMES[theme].nodes.values(), *THEMES[theme].boxes.values()):
        light, dark = sorted([luminance(paint.ink), luminance(paint.fill)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, paint


def luminance(color: str) -> float:
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_random_programs_are_drawn() -> None:
    rng = random.Random(7)  # noqa: S311 (programs, not secrets)
    steps = ("{a} = {b}*x", "{a} = sin({b})", "{a} = {b} if x > {k} else y", "{a} = max({b}, y)", "{a} = f({b}, x)")
    for _ in range(60):
        made = [rng.choice(steps).format(a=f"a{k}", b=f"a{rng.randrange(k)}", k=k) for k in range(1, 12)]
        program = "\n".join(["def f(u, v):", "    return u*v + 1 if u > v else cos(u)", "a0 = x", *made, "a11"])
        free = read(program).free
        values = {name: rng.uniform(-2, 2) for name in free} if rng.random() < 0.5 else None
        check_drawing(drawn(program, values, static=rng.random() < 0.5, backward=True, max_nodes=rng.choice([4, 9, 200])))


def test_pictures_in_pixels_never_go_to_a_terminal() -> None:
    for form in ("png", "pdf"):
        done = autodiff("graph", "x*y", "--format", form, terminal=True)
        assert (done.out, done.code) == ("", 2)
        assert f"-o graph.{form}" in done.err


def test_a_tree_has_colours_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\033[" in autodiff("graph", "x*y", "--format", "text", terminal=True).out
    assert "\033[" not in autodiff("graph", "x*y", "--format", "text").out


# --- troubles of users with other tools

CASES = [json.loads(line) for line in (ROOT / "tests/data/cases.jsonl").read_text(encoding="utf-8").splitlines()]
GRAPHS = {case["id"]: case for case in CASES if case["category"] == "dot-graph"}


def test_every_case_of_graphs_is_tested() -> None:
    assert set(GRAPHS) == {"dot-angle-brackets", "dot-quotes-and-backslash", "dot-shared-node-once", "dot-deterministic"}


@pytest.mark.parametrize("case", GRAPHS.values(), ids=list(GRAPHS))
def test_cases_of_graphs_hold(case: dict[str, Any]) -> None:
    """Where `dot` is not installed, what it would be given is looked at."""
    line = case["expr"] if shutil.which("dot") else case["expr"].replace("dot -Tsvg", "cat")
    done = shell(line)
    assert (done.code, done.err) == (0, "")
    if case["id"] == "dot-angle-brackets":
        assert {'label="<"', 'label=">"'} <= set(re.findall(r'label="[<>]"', shell(line.partition(" | ")[0]).out))
    if case["id"] == "dot-quotes-and-backslash":
        assert 'a\\\\b \\"q\\"' in shell(line.partition(" | ")[0]).out
        assert 'a\\b "q"' in drawn_by_dot(shell(line.partition(" | ")[0]).out)
    if case["id"] == "dot-shared-node-once":
        names = dict(re.findall(r'^  (\w+) \[.*label="(.*)"\]$', done.out, re.MULTILINE))
        joined = [(names[a], names[b]) for a, b in re.findall(r"^  (\w+) -> (\w+)", done.out, re.MULTILINE)]
        assert sorted(joined) == sorted([("x", "*"), ("x", "*"), ("x", "sin"), ("*", "+"), ("sin", "+")])
