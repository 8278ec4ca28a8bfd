"""Derivatives inside loops and after them, by names from outside and from turns: against Python's own run of the text, which remembers what numbers were made of.

Each program stays a loop of the graph, so that the number of turns does not matter.
"""

from __future__ import annotations

import numpy as np
import pytest

import by_run
import programs
from autodiff_cli.derive import gradient, taylor
from autodiff_cli.diagnostics import AutodiffError
from autodiff_cli.run import arrays, point, tensors

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
    "by a name that was given another one": (
        "s=x\nu=y\nt=x\ng=0\nfor k in range(7):\n    t=s\n    g=g+grad(u*t,t)\n    s=s*1.1\n    u=u+s*s+t\ng",
        {"x": 0.3, "y": 2.0},
    ),
    "third order": ("h=x\ng=0\nfor k in range(5):\n    h=sin(h)*x\n    g+=grad(grad(deriv(h,x),x),x)\ng", {"x": 0.3}),
    "through a function": (
        "def f(a,b):\n    return a*b+a\nh=x\ng=0\nfor k in range(9):\n    h=f(h,x)*0.5\n    g+=grad(f(h,x),x)\ng",
        {"x": 0.3},
    ),
    "in a function": (
        "def f(x):\n    h=x\n    g=0\n    for k in range(9):\n        h=h*x+1\n        g+=grad(h,x)\n    return g\nf(x*y)+f(y)",
        {"x": 0.3, "y": 1.1},
    ),
    "by a name that a loop inside may set": (
        "h=x\ns=0\ng=0\nwhile s < 9:\n    n=0*x\n    while n < h-1:\n        n+=1\n        h=h*0.9\n    s=s+h*x\n    h=h+0.4\n    g+=grad(s*h,h)\n    s=s+h\ng",
        {"x": 0.7},
    ),
    "three loops deep": (
        "v=y*1\ns=x*1\ng=0*x;n=g*1\nwhile n < 4:\n    n+=1\n    u=v*2\n    for k in [x,x,y,x,x]:\n        s=k*u\n        m=0*x\n        while m < 3+x:\n            m+=1\n            g=g*0.5+grad(s*0.5,v)\n        v=u*0.7\ng",
        {"x": 0.3, "y": 0.4},
    ),
    "a loop in a loop that carries the tangent on": (
        "h=x\nu=y\ng=0\nwhile h < 2:\n    h=h*2\n    n=0*x\n    while n < 1+h:\n        n+=1\n        u=sin(u*x)+h\n        g=g+grad(u*h,x)\ng",
        {"x": 0.3, "y": 2.0},
    ),
    "items that depend on the name": (
        "v=[x,2*x,x*x,4*x,5*x,6*x]\ns=0\ng=0\nwhile s < 9:\n    for t in v:\n        s+=t*t\n        g+=grad(s*t,x)\ng",
        {"x": 0.7},
    ),
    "items, under a condition": (
        "v=[x,2*x if x > 0.5 else 1,x*x,4*x,5*x,6*x]\ng=0\nfor t in v:\n    if t > 1: g+=grad(t*t*x,x)*t+t*x\ng",
        {"x": 0.7},
    ),
    "two names": ("h=x\ng=0\nfor k in range(9):\n    t=h*y\n    h=t+x\n    g+=grad(t*h,h)+grad(h*x,x)\ng", {"x": 0.3, "y": 1.1}),
}


AFTER: dict[str, tuple[str, dict[str, float]]] = {
    "what the last turn made of it": ("h=x\ns=0\nwhile h < 20:\n    h=h*(1+x)\n    s=s*y+h\ngrad(s*h,h)", {"x": 0.7, "y": 1.1}),
    "by a name that the turn reads first": (
        "h=x\ns=0\nwhile s < 9:\n    s=s+h*y\n    h=h*1.5\n    s=s+sin(h)\ngrad(s*h+h*x,h)",
        {"x": 0.7, "y": 1.1},
    ),
    "a loop that may take no turn": ("h=x*1\nb=h**2\ns=h*y\nwhile h < 1:\n    h=h*1.5\n    s=s+h*b\ngrad(s*h*b,h)", {"x": 0.7, "y": 1.1}),
    "a variable from outside, where no turn is taken": ("s=x*y\nwhile s < 1:\n    x=x*1.5\n    s=s+x\ngrad(s*x,x)", {"x": 0.7, "y": 1.1}),
    "set on one branch": ("h=x\ns=0\nfor k in range(9):\n    if h < 3: h=h*1.7\n    s=s+h*y\ngrad(s*h,h)", {"x": 0.7, "y": 1.1}),
    "set on one branch, and never": ("h=x*1\nb=h**2\nfor k in range(9):\n    if h > 2: h=h*y\ngrad(b*h,h)", {"x": 0.7, "y": 1.1}),
    "set twice, the second time on one branch": (
        "h=x\ns=0\nwhile s < 30:\n    h=h*1.5\n    s=s+h\n    if h < 3: h=h+s*y\n    s=s*1.1+h\ngrad(s*h,h)",
        {"x": 0.7, "y": 1.1},
    ),
    "a way out before it is set": (
        "h=x\ns=y\nfor k in range(12):\n    s=s+h*h\n    if s > 6: break\n    h=h*1.2\n    s=s+h*x\ngrad(s*h,h)+h",
        {"x": 0.7, "y": 1.1},
    ),
    "turns that are left out": (
        "h=x\ns=y\nfor k in range(12):\n    s=s+h\n    if s > 3 and s < 5: continue\n    h=h*1.2\n    s=s+h*x\ngrad(s*h,h)",
        {"x": 0.7, "y": 1.1},
    ),
    "over items": ("s=y\nfor t in [x,y,x*y,3,x*x]:\n    s=s*t+sin(t)\ngrad(s*t,t)", {"x": 0.7, "y": 1.1}),
    "two names": (
        "h=x\ng=y\ns=0\nwhile s < 20:\n    h=h*1.5\n    s=s+h*g\n    g=g+s*h\n    s=s+g\ngrad(s*h,h)*grad(s*g*h,g)",
        {"x": 0.7, "y": 1.1},
    ),
    "two names, each on a branch": (
        "h=x\ng=y\ns=0\nfor k in range(9):\n    if h < 6: h=h*1.5\n    s=s+h*g\n    if s < 9: g=g+h/10\n    s=s+g*g\ngrad(grad(s*h,h)*s,g)",
        {"x": 0.7, "y": 1.1},
    ),
    "two names, first the one and then the other": (
        "h=x\ng=y\ns=0\nn=0*x\nwhile n < 9:\n    n+=1\n    if n < 4: h=h*1.5+g\n    if n > 2 and n < 7: g=g*h\n    s=s+g*h\ngrad(s*h,h)+grad(s*h,g)",
        {"x": 0.3, "y": 0.6},
    ),
    "a loop after the loop": (
        "h=x\ns=0\nwhile h < 9:\n    h=h*1.5\n    s=s+h\ng=0\nfor k in range(7):\n    g=g+grad(s*k*h,h)*y\ng",
        {"x": 0.7, "y": 1.1},
    ),
    "a loop after the loop that sets it again": (
        "h=x\ns=0\nwhile h < 9:\n    h=h*1.5\n    s=s+h\nwhile s > 40*x:\n    h=h*0.9\n    s=s*0.8+h*y\ngrad(s*h,h)",
        {"x": 0.7, "y": 1.1},
    ),
    "a loop in a loop": (
        "h=x\ns=y\nwhile s < 60:\n    n=0*x\n    while n < 2+x:\n        n+=1\n        h=h*1.1+x\n        s=s+h*y\n    s=s*1.1\ngrad(s*h,h)",
        {"x": 0.7, "y": 1.1},
    ),
    "a loop in a loop that may take no turn": (
        "h=x\ns=y\nwhile s < 60:\n    n=0*x\n    while n < 3-h:\n        n+=1\n        h=h*1.3+x\n    s=s*1.1+h\ngrad(s*h,h)",
        {"x": 0.7, "y": 1.1},
    ),
    "with a derivative inside": (
        "h=x\ns=0\nwhile h < 20:\n    h=h*1.5+x\n    s=s+h*grad(h*h,x)\ngrad(s*h,h)*grad(s,x)",
        {"x": 0.7},
    ),
    "a name in a function": (
        "def f(h,y):\n    s=0\n    while h < 20:\n        h=h*1.5+y\n        s=s+h\n    return grad(s*h,h)\nf(x,y)*f(y,x)",
        {"x": 0.7, "y": 1.1},
    ),
    "a tuple": (
        "h=x\np=x,(y,1)\nwhile h < 20:\n    h=h*1.5\n    p=p[0]+h,(p[1][1]*h,p[0])\ngrad(p[0]*p[1][0]*h,h)+grad(p[1][1],x)",
        {"x": 0.7, "y": 1.1},
    ),
    "second order": ("h=x\ns=0\nwhile h < 20:\n    h=h*(1+x)\n    s=s*y+h**3\nhessian(s*h,h)+grad(deriv(s*h,x),h)", {"x": 0.7, "y": 1.1}),
    "an array": (
        "v=[x,y]\ns=v\nwhile sum(v) < 20:\n    v=[v[0]*1.5+v[1],v[0]*y]\n    s=s*0.5+v*v\nsum(jacobian(s*v,v)*[[1,2],[3,4]])",
        {"x": 0.7, "y": 1.1},
    ),
    "second order by an array, in loops in loops": (
        "W=[x, y*x]\nu=W*y\nv=[y, 0.5]\nh=x*y\ns=1\nn=0*x\nwhile n<1+h:\n    n+=1\n    m=0*x\n    while m<1+x:\n        m+=1\n        k=0*x\n        while k<1+x:\n            k+=1\n            s=sum(v*0.5)+h\n        v=([h, s] - u)*0.7\n        h=sum(W)+v[0]\n    m=0*x\n    while m<1+x:\n        m+=1\n        u=[s, h]*0.7\nsum(hvp(sum(s*u*u*v), u, [0.5, s]))",
        {"x": 0.5, "y": 0.7},
    ),
}

ARRAYS: dict[str, tuple[str, dict[str, float]]] = {
    "from outside": ("W=[x,y]\nh=0\ng=0\nwhile h < 9:\n    h=h+sum(W*W)\n    g=g+sum(grad(h*x,W)*[1,3])\ng", {"x": 0.7, "y": 1.1}),
    "of an array": (
        "W=[x,y]\nv=W\ng=0\nn=0*x\nwhile n < 3+y:\n    n+=1\n    v=v*W+[v[1],x]\n    g=g+sum(jacobian(v,W)*[[1,2],[3,4]])\ng",
        {"x": 0.7, "y": 1.1},
    ),
    "that a turn set": (
        "v=[x,y]\ns=0\ng=0\nwhile s < 9:\n    g=g+sum(grad(s*sum(v),v)*[1,3])\n    v=v*1.1\n    s=s+v[0]*v[1]\ng",
        {"x": 0.7, "y": 1.1},
    ),
    "along a direction": (
        "W=[x,y]\nv=W*1\ng=0\nn=0*x\nwhile n < 3+y:\n    n+=1\n    v=v*W+[v[1],x]\n    g=g+sum(jvp(v,W,[y,x]))+jvp(v[0],W,v)\ng",
        {"x": 0.7, "y": 1.1},
    ),
    "second order": (
        "W=[x,y]\nh=x\ng=0\nn=0*x\nwhile n < 3+y:\n    n+=1\n    h=h*W[0]+sum(W*W*W)\n    g=g+sum(hessian(h,W)*[[1,2],[3,4]])+sum(hvp(h*y,W,[h,1]))\ng",
        {"x": 0.7, "y": 1.1},
    ),
    "on one branch": (
        "W=[x,y]\nv=W\ng=0\nn=0*x\nwhile n < 5:\n    n+=1\n    v=[v[0]*W[1] if v[0] < v[1] else v[1],v[1]+W[0]]\n    g=g+sum(jacobian(v*n,W)*[[1,2],[3,4]])\ng",
        {"x": 0.7, "y": 1.1},
    ),
    "of items": (
        "W=[x,y,x,y,x*y]\nh=x\ng=0\nwhile h < 3:\n    for t in W:\n        h=h+t*t\n        g=g+sum(grad(h*t,W)*[1,2,3,4,5])\ng",
        {"x": 0.7, "y": 1.1},
    ),
    "in a loop in a loop": (
        "W=[x,y]\nh=x\nv=W*2\ng=0\nm=0*x\nwhile m < 2+y:\n    m+=1\n    n=0*x\n    while n < 2:\n        n+=1\n        h=h+sum(v*W)*0.2\n        g=g+sum(grad(h,W))\n    v=v*h*0.3\ng",
        {"x": 0.7, "y": 1.1},
    ),
    "in two loops, the outer one with a number that depends on it": (
        "W=[x,y*x]\nu=W*y\nv=[y,0.5]\nh=x*y\ns=1\ng=0\nfor k in range(6):\n    h=sum(W)\n    if s > v[0]:\n        for k in range(6):\n            s=sum(h*v)\n            u=s*(u*v*0.35-v)*0.7\n            g=g*0.5+sum(grad(u[1],W)*u)\ng",
        {"x": 0.3, "y": -1.1},
    ),
}

ALL = {
    f"{place}: {name}": program
    for place, table in (("in", TEXTS), ("after", AFTER), ("by an array", ARRAYS))
    for name, program in table.items()
}
FACTORS = (1.0, 0.5, 2.0, 1.3)


@pytest.mark.parametrize("name", ALL)
def test_value_and_gradient_are_those_of_a_run(name: str) -> None:
    text, values = ALL[name]
    fn = gradient(programs.read(text, values).fn, list(values))
    assert any(node.op.name == "loop" for node in fn.nodes)
    for factor in FACTORS:
        at = {n: v * factor for n, v in values.items()}
        found, wanted = point.evaluate(fn, at), by_run.gradient(text, at)
        assert np.allclose(found, wanted, rtol=1e-11, atol=1e-12), (found, wanted, factor)


@pytest.mark.parametrize("name", ALL)
def test_rows_agree_with_points(name: str) -> None:
    text, values = ALL[name]
    fn = gradient(programs.read(text, values).fn, list(values))
    columns = {n: v * np.array(FACTORS) for n, v in values.items()}
    run = (
        tensors.evaluate(fn, columns, frozenset(columns)) if any(node.type.shape for node in fn.nodes) else arrays.evaluate(fn, columns, 4)
    )
    for k in range(4):
        alone = point.evaluate(fn, {n: float(v[k]) for n, v in columns.items()})
        assert np.allclose([np.broadcast_to(v, (4,))[k] for v in run], alone, rtol=1e-11)


@pytest.mark.parametrize("name", AFTER)
def test_forward_agrees_with_reverse(name: str) -> None:
    text, values = AFTER[name]
    fn = programs.read(text, values).fn
    assert np.allclose(point.evaluate(programs.tangents(fn, tuple(values)), values), point.evaluate(gradient(fn, list(values)), values))


WRT = {
    "one": "h=x\ns=0\nwhile h < 20:\n    h=h*(1+x)\n    s=s*y+h**3\ny = s*h\n",
    "on a branch": "h=x\ns=0\nfor k in range(9):\n    if h < 3: h=h*1.7\n    s=s+h*y*s+h\ny = s*h\n",
    "two in turn": "g=y\nh=x\ns=0\nwhile s < 20:\n    h=h*1.5\n    s=s+h*g\n    g=g+s*h\n    s=s+g\ny = s*h\n",
    "no turn": "h=x*1\nb=h**3\nwhile h > 1:\n    h=h*0.7\ny = b*h\n",
}


@pytest.mark.parametrize("name", WRT)
@pytest.mark.parametrize("x", [0.7, 1.3])
def test_an_intermediate_that_a_loop_left_is_asked_for_by_its_name(name: str, x: float) -> None:
    """Value, derivative and second derivative are those of the same program with the derivative inside, as Python runs it."""
    values = {"x": x, "y": 1.1}
    fn = programs.read(WRT[name], values, ("h", "g")).fn
    for wrt in ["h", "g"][: 1 + (name == "two in turn")]:
        found = point.evaluate(taylor(fn, wrt, 2), values)
        wanted = [by_run.val(by_run.run(WRT[name] + end, values)[0]) for end in ("y", f"grad(y, {wrt})", f"hessian(y, {wrt})")]
        assert np.allclose(found, wanted, rtol=1e-11)
        assert np.allclose(point.evaluate(gradient(fn, [wrt]), values), wanted[:2], rtol=1e-11)


def test_the_turn_that_set_a_name_is_written_out_once() -> None:
    """Whatever the number of turns; and not at all where only the name itself is read."""
    sizes = [
        len(programs.read(f"h=x\ns=0\nfor k in range({n}):\n    h=sin(h)\n    s=s+h\ngrad(s,h)", {"x": 1.0}).fn.nodes) for n in (9, 10**6)
    ]
    alone = programs.read("h=x\ns=0\nwhile h < 9:\n    h=h*x\n    s=s+h\ngrad(h**2*x,h)+s", {"x": 2.0}).fn
    assert sizes[0] == sizes[1] < 30
    assert sum(node.op.name == "loop" for node in alone.nodes) == 1


TUPLES: dict[str, tuple[str, dict[str, float]]] = {
    "in a while": ("a=x,1\nwhile a[0] < 30: a=(a[0]*y+a[1],a[0])\na[0]*a[1]", {"x": 0.7, "y": 1.1}),
    "nested": ("a=x,(y,1)\nwhile a[0] < 9:\n    a=(a[0]+a[1][0],(a[1][1]*y,a[0]))\na[1][0]*a[1][1]", {"x": 0.7, "y": 1.1}),
    "with derivatives inside": (
        "a=x,(y,1)\ng=0\nwhile a[0] < 9:\n    a=(a[0]+a[1][0],(a[1][1]*y,a[0]))\n    g=g+grad(a[0]*a[1][1],x)\ng*a[0]",
        {"x": 0.7, "y": 1.1},
    ),
    "given back early": (
        "def f(x):\n    while x < 30:\n        x=x*2\n        if x > 9:\n            return x, 2*x\n    return x, 1\na, b = f(x*y)\na+b*x",
        {"x": 0.7, "y": 1.1},
    ),
    "set in every turn": ("for k in range(9):\n    a=k,x*y\na[0]*a[1]", {"x": 0.7, "y": 1.1}),
    "on one branch": ("a=x,y\nfor k in range(9):\n    if a[0] < 3: a=a[1]+a[0],a[0]\na[0]*a[1]", {"x": 0.7, "y": 1.1}),
}


@pytest.mark.parametrize("name", TUPLES)
def test_tuples_go_round(name: str) -> None:
    text, values = TUPLES[name]
    fn = gradient(programs.read(text, values).fn, list(values))
    columns = {n: v * np.array(FACTORS) for n, v in values.items()}
    together = arrays.evaluate(fn, columns, 4)
    assert any(node.op.name == "loop" for node in fn.nodes)
    for k in range(4):
        at = {n: float(v[k]) for n, v in columns.items()}
        wanted = by_run.gradient(text, at)
        assert np.allclose(point.evaluate(fn, at), wanted, rtol=1e-11)
        assert np.allclose([np.broadcast_to(v, (4,))[k] for v in together], wanted, rtol=1e-11)


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
    "items that grow with the order": "v=[x,2*x,3*x,4*x,5*x,6*x]\ns=0\nwhile s < 9:\n    for t in v:\n        s+=t*t*grad(s,x)\ns",
    "the order grows": "h = x\nwhile h < 9:\n    h = h + grad(h**2, x)\nh",
    "the order grows by an array": "v = [x, 1]\nh = x\nwhile h < 9:\n    h = h + sum(grad(h**2*v[0], v))\nh",
    "a tuple grows": "a = x, 1\nwhile a[0] < 9: a = a[0]*2, a[1], 1\na[0]",
    "a tuple becomes a number": "a = x, 1\nh = x\nwhile h < 9:\n    h = h*2\n    a = h\nh",
    "a function changes": "def f(x): return x + 1\ndef g(x): return x*2\nh = f\nwhile x < 9:\n    x = h(x)\n    h = g\nx",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_go_round_is_refused(name: str) -> None:
    with pytest.raises(AutodiffError) as refused:
        programs.read(REFUSED[name], {"x": 1.0})
    assert refused.value.diagnostic.code == "static-loop"
    assert refused.value.diagnostic.hint
