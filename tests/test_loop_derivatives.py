"""Derivatives inside loops, by names from outside and from earlier turns: against Python's own run of the text, which remembers what numbers were made of.

Each program stays one loop of the graph, so that the number of turns does not matter.
"""

from __future__ import annotations

import numpy as np
import pytest

import by_run
import programs
from autodiff_cli.derive import gradient
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.run import arrays, point

TEXTS: dict[str, tuple[str, dict[str, float]]] = {
    "by a name from outside": ("h=x\ng=0\nfor k in range(9):\n    h=sin(h)+x\n    g+=grad(h*y,x)\ng", {"x": 0.3, "y": 2.0}),
    "by deriv": ("h=x\ng=0\nfor k in range(9):\n    h=sin(h)+x*y\n    g+=deriv(h,x)*deriv(h,y)\ng", {"x": 0.3, "y": 2.0}),
    "in a while": ("h=x\ng=0\nwhile h < 50:\n    h=h*1.5+x*y\n    g+=grad(h*h,x)+deriv(h,y)\ng", {"x": 0.3, "y": 2.0}),
    "in the condition of a while": ("h=x\ng=0\nwhile grad(h,x) < 50:\n    h=h*1.5+x*y\n    g+=h\ng", {"x": 0.3, "y": 2.0}),
    "on one branch": (
        "h=x\ng=0\nfor k in range(9):\n    if h > 1:\n        h=sin(h)+x*0.1\n    else:\n        h=h*1.5\n    g+=grad(h*y,x)*h\ng",
        {"x": 0.3, "y": 2.0},
    ),
    "by an intermediate": ("h=x\ng=0\nz=2*x\nfor k in range(9):\n    h=h*0.5+z*y\n    g+=grad(h*z,x)+grad(h,z)\ng", {"x": 0.3, "y": 2.0}),
    "by a name that the loop sets": ("g=0\ns=0\nfor k in range(8):\n    g=g+grad(s,x)\n    x=x*1.1\n    s=s+x*x\ng", {"x": 1.0}),
    "by a name that was set before": ("x=z*1.0\ns=x*x\ng=0\nfor k in range(8):\n    g=g+grad(s,x)\n    x=x*1.1\n    s=s+1\ng", {"z": 1.0}),
    "of a constant, in the first turn": ("x=2*z\nb=x**2\ng=0\nfor k in range(8):\n    g+=grad(b*x,x)\n    x=x*1.1\ng", {"z": 1.0}),
    "by a name that one branch sets": (
        "x=z*2\nb=x**2\nh=1\ng=0\nwhile h < 50:\n    g+=grad(b*h*x,x)\n    if h > 10: x=x*1.1\n    h=h*1.5+x\ng",
        {"z": 0.3},
    ),
    "by a name that every turn sets": (
        "h=x\ng=0\nwhile h < 50:\n    x=x*1.1\n    h=h*1.5+x*y\n    g+=grad(h*h,x)+deriv(h,y)\ng",
        {"x": 0.3, "y": 2.0},
    ),
    "with a way out": (
        "h=x\ng=0\nfor k in range(9):\n    if h > 1:\n        x=sin(h)+x*0.1\n        if k > 6:\n            break\n    else:\n        h=h*1.5+x\n    g+=deriv(h*y,x)*h\ng",
        {"x": 0.3, "y": 2.0},
    ),
    "in a loop in a loop": (
        "h=x\ng=0\nfor k in range(9):\n    x=x*1.1\n    for j in range(6):\n        h=h*0.5+x*y\n        g+=grad(h,x)+grad(h,y)\ng",
        {"x": 0.3, "y": 2.0},
    ),
    "through a function": (
        "def f(a,b):\n    return a*b+a\nh=x\ng=0\nfor k in range(9):\n    h=f(h,x)*0.5\n    g+=grad(f(h,x),x)\ng",
        {"x": 0.3},
    ),
    "in a function": (
        "def f(x):\n    h=x\n    g=0\n    for k in range(9):\n        h=h*x+1\n        g+=grad(h,x)\n    return g\nf(x*y)+f(y)",
        {"x": 0.3, "y": 1.1},
    ),
    "two names": ("h=x\ng=0\nfor k in range(9):\n    t=h*y\n    h=t+x\n    g+=grad(t*h,h)+grad(h*x,x)\ng", {"x": 0.3, "y": 1.1}),
}


@pytest.mark.parametrize("name", TEXTS)
def test_value_and_gradient_are_those_of_a_run(name: str) -> None:
    text, values = TEXTS[name]
    fn = gradient(programs.read(text, values).fn, list(values))
    found, wanted = point.evaluate(fn, values), by_run.gradient(text, values)
    assert np.allclose(found, wanted, rtol=1e-11), (found, wanted)
    assert any(node.op.name == "loop" for node in fn.nodes)


@pytest.mark.parametrize("name", TEXTS)
def test_rows_agree_with_points(name: str) -> None:
    text, values = TEXTS[name]
    fn = gradient(programs.read(text, values).fn, list(values))
    columns = {n: v * np.array([1.0, 0.5, 2.0, 1.3]) for n, v in values.items()}
    together = arrays.evaluate(fn, columns, 4)
    for k in range(4):
        alone = point.evaluate(fn, {n: float(v[k]) for n, v in columns.items()})
        assert np.allclose([np.broadcast_to(v, (4,))[k] for v in together], alone, rtol=1e-12)


def test_second_order() -> None:
    """The sum of the second derivatives of x**2, x**3, x**4 and x**5, and of their third ones."""
    fn = gradient(programs.read("h = x\ng=0\nwhile h<20:\n    h = h*x\n    g += hessian(h, x)\ng", {"x": 2.0}).fn, ["x"])
    assert point.evaluate(fn, {"x": 2.0}) == [2 + 12 + 48 + 160, 6 + 48 + 240]


def test_a_derivative_of_none_of_it_is_zero() -> None:
    text = "h=x\ng=0\nz=2*x\nfor k in range(9):\n    h=h*0.5+z*y\n    g+=hessian(h,y)*grad(h,z)\ng"
    assert point.evaluate(programs.read(text, {"x": 0.3, "y": 2.0}).fn, {"x": 0.3, "y": 2.0}) == [0.0]


def test_the_number_of_turns_does_not_matter() -> None:
    sizes = [
        len(programs.read(f"h=x\ng=0\nfor k in range({n}):\n    h=sin(h)+x\n    g+=grad(h,x)\ng", {"x": 1.0}).fn.nodes)
        for n in (400, 10**6)
    ]
    assert sizes[0] == sizes[1] < 20


REFUSED = {
    "by an array, through the turns": "h=0\nwhile h < 50:\n    h=h+sum(W*W)\n    g=grad(h,W)\nsum(g)",
    "items made of the name": "v=[x,2*x,3*x,4*x,5*x,6*x]\ns=0\nwhile s < 9:\n    for t in v:\n        s+=t*t*grad(s,x)\ns",
    "the order grows": "h = x\nwhile h < 9:\n    h = h + grad(h**2, x)\nh",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_go_round_is_refused(name: str) -> None:
    values = {"W": np.array([1.0, 2.0])} if "W" in REFUSED[name] else {"x": 1.0}
    with pytest.raises(AutodiffError) as refused:
        programs.read(REFUSED[name], values)
    assert refused.value.diagnostic.code == "static-loop"
