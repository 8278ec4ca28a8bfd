"""Programs: what every sentence of the language about statements, functions, rules and inner derivatives means, and random ones.

A row of the table is a text, a point, the value and the derivatives by every variable of the point. Each is run forwards
and in reverse, and, where it is the same in Python, by Python itself.
"""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import by_run
import programs
import random_programs
import tensors
from autodiff_cli.derive import gradient
from autodiff_cli.program import compile
from autodiff_cli.run import arrays, point
from autodiff_cli.run import tensors as over_rows

if TYPE_CHECKING:
    from autodiff_cli.graph import Fn

A = np.array

# the same in Python: text, point, value, derivatives
ALIKE: dict[str, tuple[str, dict[str, Any], float, list[Any]]] = {
    # --- statements
    "one after another": ("a = x**2; b = a*3; b + x", {"x": 2.0}, 14, [13]),
    "the last is an assignment": ("y = x**2", {"x": 3.0}, 9, [6]),
    "the last is augmented": ("y = x**2; y += 1", {"x": 3.0}, 10, [6]),
    "augmented": ("y = x; y += 2; y -= 1; y *= x; y /= 2; y **= 2; y", {"x": 2.0}, 9, [15]),
    "unpacking": ("a, b = x, 3*x; a*b", {"x": 2.0}, 12, [12]),
    "unpacking at once": ("a, b = x, y; a, b = b, a; a - 2*b", {"x": 1.0, "y": 5.0}, 3, [-2, 1]),
    "nested unpacking": ("a, (b, c) = x, (2*x, 3); a*b + c", {"x": 2.0}, 11, [8]),
    "a tuple under a name": ("p = x, 2*x\na, b = p\na*b", {"x": 3.0}, 18, [12]),
    "an array taken apart": ("a, b = [x, x**2]; a + b", {"x": 3.0}, 12, [7]),
    "comments": ("# a comment\nx**2  # and one more\n# the end", {"x": 3.0}, 9, [6]),
    "pass": ("if x > 0:\n    pass\nx", {"x": 3.0}, 3, [1]),
    "an assignment is a new variable": ("x = 2*x; x**2", {"x": 3.0}, 36, [24]),
    # --- if
    "if, taken": ("y = x\nif x > 1:\n    y = x**2\ny", {"x": 3.0}, 9, [6]),
    "if, not taken": ("y = x\nif x > 1:\n    y = x**2\ny", {"x": 0.5}, 0.5, [1]),
    "elif": ("if x > 4: y = 1\nelif x > 2: y = x**2\nelif x > 1: y = x**3\nelse: y = 0\ny", {"x": 3.0}, 9, [6]),
    "else": ("if x > 4: y = 1\nelif x > 2: y = x**2\nelse: y = 3*x\ny", {"x": 1.0}, 3, [3]),
    "several names": ("if x > 0:\n    a = x\n    b = 2\nelse:\n    a = 1\n    b = x\na*b**2", {"x": -3.0}, 9, [-6]),
    "nested": ("y = 0\nif x > 0:\n    if x > 2:\n        y = x**2\n    else:\n        y = x**3\n    y += 1\ny", {"x": 3.0}, 10, [6]),
    "a branch that is off has no NaN": ("if x > 0:\n    y = sqrt(x)\nelse:\n    y = x**2\ny", {"x": -2.0}, 4, [-4]),
    "a number as a condition": ("if x:\n    y = x**2\nelse:\n    y = 7\ny", {"x": 3.0}, 9, [6]),
    "and, or, not": ("if x > 0 and not y > 3 or x == 7:\n    z = x*y\nelse:\n    z = 0\nz", {"x": 2.0, "y": 3.0}, 6, [3, 2]),
    "on one branch only, and read only there": ("if x > 0:\n    a = x**2\n    y = a*2\nelse:\n    y = x\ny", {"x": 3.0}, 18, [12]),
    # --- def
    "def": ("def f(x):\n    return x**2\nf(x) + f(2*x)", {"x": 3.0}, 45, [30]),
    "def on one line": ("def f(x): return x**2\nf(x + 1)", {"x": 2.0}, 9, [6]),
    "defaults and keywords": (
        "def f(a, b=2, c=3):\n    return a*b**c\nf(x) + f(x, c=1) + f(b=x, a=1, c=2)",
        {"x": 3.0},
        24 + 6 + 9,
        [8 + 2 + 6],
    ),
    "a default is worked out at the definition": ("k = 2\ndef f(a, b=k*k):\n    return a*b\nk = 3\nf(x)", {"x": 3.0}, 12, [4]),
    "a default made of data": ("k = 2*x\ndef f(a, b=k):\n    return a*b\nk = 3\nf(x)", {"x": 3.0}, 18, [12]),
    "another function of the same name": ("def f(t): return t\na = f(x)\ndef f(t): return 2*t\na*f(x)", {"x": 3.0}, 18, [12]),
    "a function that a function calls is another one later": (
        "def g(t): return f(t)\ndef f(t): return t\na = g(x)\ndef f(t): return 2*t\na*g(x)",
        {"x": 3.0},
        18,
        [12],
    ),
    "a function that is given reads what has changed": (
        "def call(h, t): return h(t)\nk = 2\ndef f(t): return k*t\na = call(f, x)\nk = 3\na*call(f, x)",
        {"x": 2.0},
        24,
        [24],
    ),
    "defined anew in every turn": ("def f(t): return t\nfor i in range(3):\n    y = f(x)\n    def f(t): return 2*t\ny", {"x": 2.0}, 4, [2]),
    "defined anew in each of many turns": (
        "def f(t): return t\nfor i in range(30):\n    y = f(x)\n    def f(t): return i*t\ny",
        {"x": 2.0},
        58,
        [29],
    ),
    "defined as data say, taken": ("if x > 0:\n    def f(t): return t\nelse:\n    def f(t): return log(t)\nf(-x)", {"x": 1.0}, -1, [-1]),
    "defined as data say, not taken": ("if x > 0:\n    def f(t): return t\nelse:\n    def f(t): return t**2\nf(x)", {"x": -3.0}, 9, [-6]),
    "redefined as data say": ("def f(t): return 3*t\nif x > 0:\n    def f(t): return t\nf(x)", {"x": -1.0}, -3, [3]),
    "a name for one of two functions": (
        "def p(t): return t\ndef q(t): return t**2\ndef call(h, t): return h(t)\nif x > 0:\n    g = p\nelse:\n    g = q\ncall(g, x)*g(2)",
        {"x": -1.0},
        4,
        [-8],
    ),
    "a function in a function": ("k = 10\ndef f(x):\n    k = 3\n    def g(y): return k*y\n    return g(x)\nf(x)", {"x": 2.0}, 6, [3]),
    "it reads the parameters around it": ("x = 10*x\ndef f(x):\n    def g(y): return x*y\n    return g(3)\nf(x/10)", {"x": 2.0}, 6, [3]),
    "it reads them as they are when it is called": (
        "def f(x):\n    k = x\n    def g(y): return k*y\n    a = g(1)\n    k = x**2\n    return a*g(1)\nf(x)",
        {"x": 2.0},
        8,
        [12],
    ),
    "it reads them in a loop": (
        "def f(x):\n    k = 2*x\n    def g(y): return k*y\n    for i in range(7):\n        k = k + g(1)/10\n    return k\nf(x)",
        {"x": 2.0},
        4 * 1.1**7,
        [2 * 1.1**7],
    ),
    "it outlives the call": ("def f(x):\n    def g(y): return x*y\n    return g\nh = f(x)\nh(x)", {"x": 3.0}, 9, [6]),
    "it calls itself": (
        "def f(x):\n    def h(k): return h(k - 1)*x if k > 0 else 1\n    return h(3)\nf(x)",
        {"x": 2.0},
        8,
        [12],
    ),
    "names of a comprehension stay in it": ("k = x\ndef f(): return k\nsum([k*f() for k in range(3)])", {"x": 5.0}, 15, [3]),
    "a function of the language is given": (
        "def twice(g, x): return g(g(x))\ntwice(sin, x)",
        {"x": 0.5},
        math.sin(math.sin(0.5)),
        [math.cos(math.sin(0.5)) * math.cos(0.5)],
    ),
    "recursion with a choice": (
        "def f(v, n):\n    if n == 0: return v\n    w = v/2 if v > 1 else 3*v\n    return f(w, n - 1)\nf(x, 3)",
        {"x": 2.0},
        1.5,
        [0.75],
    ),
    "recursion in a branch on data": (
        "def f(v, n):\n    if n == 0: return v\n    if v > 1: return f(v/2, n - 1)\n    return f(3*v, n - 1)\nf(x, 3)",
        {"x": 2.0},
        1.5,
        [0.75],
    ),
    "a choice as the argument of a recursion": ("def f(n): return x if n == 0 else f(n - 1 if n > 1 else 0)\nf(3)", {"x": 2.0}, 2, [1]),
    "an early return": ("def f(x):\n    if x > 2:\n        return x**2\n    x = x + 1\n    return x**3\nf(x)", {"x": 3.0}, 9, [6]),
    "past an early return": ("def f(x):\n    if x > 2:\n        return x**2\n    x = x + 1\n    return x**3\nf(x)", {"x": 1.0}, 8, [12]),
    "return in every branch": (
        "def f(x):\n    if x > 2:\n        return x**2\n    elif x > 1:\n        return x**3\n    else:\n        return 5\nf(x)",
        {"x": 1.5},
        3.375,
        [6.75],
    ),
    "several values": ("def f(x):\n    return x, x**2\na, b = f(x)\na*b", {"x": 2.0}, 8, [12]),
    "a function of functions": ("def twice(f, x):\n    return f(f(x))\ndef g(x):\n    return x**2 + 1\ntwice(g, x)", {"x": 2.0}, 26, [40]),
    "calls in calls": ("def f(x):\n    return x + 1\ndef g(x):\n    return f(x)*f(f(x))\ng(x)", {"x": 2.0}, 12, [7]),
    "a function reads names": ("a = 3\ndef f(x):\n    return a*x\nf(x)", {"x": 2.0}, 6, [3]),
    "names as they are when it is called": ("a = 3\ndef f(x):\n    return a*x\nb = f(x)\na = x\nb + f(x)", {"x": 2.0}, 10, [7]),
    "a variable read in a function": ("def f(x):\n    return x*y\nf(3) + f(x)", {"y": 2.0, "x": 5.0}, 16, [8, 2]),
    "a parameter is its own name": ("def f(x):\n    x = x*2\n    return x\nf(x) + x", {"x": 3.0}, 9, [3]),
    "defined after it is mentioned": ("def f(x):\n    return g(x) + 1\ndef g(x):\n    return x**2\nf(x)", {"x": 3.0}, 10, [6]),
    # --- entries that are asked for under a condition
    "an entry that is not asked for": ("v[k] if k < 3 else 0*k", {"v": A([1.0, 2, 2]), "k": 7.0}, 0, [A([0.0, 0, 0]), 0]),
    "an entry that is": ("v[k]**2 if k < 3 else 0*k", {"v": A([1.0, 2, 2]), "k": 1.0}, 4, [A([0.0, 4, 0]), 0]),
    "an entry after and": (
        "y = 0\nif k < 3 and v[k] > 1:\n    y = v[k]**2\ny + v[0]",
        {"v": A([1.0, 2, 2]), "k": 7.0},
        1,
        [A([1.0, 0, 0]), 0],
    ),
    "entries in a loop": (
        "y = 0\nfor k in range(5):\n    if k < x and k < 3:\n        y += v[k]*x\ny",
        {"v": A([1.0, 2, 2]), "x": 2.5},
        12.5,
        [A([2.5, 2.5, 2.5]), 5],
    ),
    "a place that is known, where it is not asked for": (
        "k = 5\ny = x\nif x > 10:\n    y = v[k]\ny",
        {"v": A([1.0, 2, 2]), "x": 1.0},
        1,
        [A([0.0, 0, 0]), 1],
    ),
    "the derivative of an entry that is not asked for": (
        "w = grad(v[k]**2*v[0] if k < 3 else v[0]**3, v)\nw[0]",
        {"v": A([1.0, 2, 2]), "k": 7.0},
        3,
        [A([6.0, 0, 0]), 0],
    ),
    "one function under two conditions": (
        "def f(k): return v[k]\na = 0\nif k < 3:\n    a = f(k)\nb = 0\nif k > 1:\n    b = f(k)\na + b",
        {"v": A([1.0, 2, 3]), "k": 2.0},
        6,
        [A([0.0, 0, 2]), 0],
    ),
    # --- for
    "for over a range": ("s = 0\nfor k in range(4):\n    s += x**k\ns", {"x": 2.0}, 15, [17]),
    "many turns": ("s = 0\nfor k in range(100):\n    s = s*x + k\ns", {"x": 0.5}, 196, [384]),
    "range with a start": ("s = 0\nfor k in range(2, 9):\n    s += k*x\ns", {"x": 2.0}, 70, [35]),
    "range with a step": ("s = 0\nfor k in range(10, 0, -3):\n    s += k*x\ns", {"x": 2.0}, 44, [22]),
    "no turn": ("s = x\nfor k in range(0):\n    s = s*7\ns", {"x": 2.0}, 2, [1]),
    "the counter afterwards": ("s = 0\nfor k in range(8):\n    s += x\ns + k", {"x": 2.0}, 23, [8]),
    "the counter afterwards, where it was set before": ("k = 7\ns = 0\nfor k in range(8):\n    s += x\ns*k", {"x": 2.0}, 112, [56]),
    "the counter of a loop that is left": (
        "s = 0\nfor k in range(80):\n    s += x\n    if s > 5:\n        break\ns*k",
        {"x": 2.0},
        12,
        [6],
    ),
    "set in a turn, read afterwards": ("for k in range(9):\n    y = x*k\ny", {"x": 2.0}, 16, [8]),
    "for over an array": ("s = 0\nfor a in [x, x**2, 3]:\n    s += a*x\ns", {"x": 2.0}, 18, [4 + 12 + 3.0]),
    "for over data": ("s = 0\nfor a in v:\n    s = s*a + 1\ns", {"v": A([1.0, 2, 3, 4, 5, 6])}, 1237, [A([0, 360, 360, 300, 246, 206.0])]),
    "for over rows of a matrix": (
        "s = 0\nfor row in W:\n    s += row[0]*row[1]\ns",
        {"W": A([[1.0, 2], [3, 4], [5, 6]])},
        44,
        [A([[2.0, 1], [4, 3], [6, 5]])],
    ),
    "loops in loops": ("s = 0\nfor i in range(5):\n    for j in range(6):\n        s += x**2*i*j\ns", {"x": 2.0}, 600, [600]),
    "a loop with a branch": (
        "s = x\nfor k in range(9):\n    if s > 4:\n        s = s/2\n    else:\n        s = s + x\ns",
        {"x": 1.5},
        3.5625,
        [2.375],
    ),
    "break": ("s = 0\nfor k in range(50):\n    if s > 5:\n        break\n    s += x\ns", {"x": 2.0}, 6, [3]),
    "break at once": ("s = x\nfor k in range(50):\n    break\ns", {"x": 2.0}, 2, [1]),
    "continue": ("s = 0\nfor k in range(9):\n    if k*x > 3 and k*x < 7:\n        continue\n    s += k*x\ns", {"x": 1.0}, 21, [21]),
    "break and continue": (
        "s = 0\nfor k in range(90):\n    s += x\n    if s < 3:\n        continue\n    if s > 8:\n        break\n    s += x**2\ns",
        {"x": 1.0},
        9,
        [12],
    ),
    "set after a way out": (
        "for k in range(9):\n    if x > 9:\n        a = 1\n    else:\n        if x < k:\n            break\n        a = x\n    x += a\nx",
        {"x": 1.0},
        21,
        [16],
    ),
    "set and read under one condition": ("if x > 0: a = x**2\ny = 1\nif x > 0: y = a\ny", {"x": 3.0}, 9, [6]),
    "return from a loop": (
        "def f(x):\n    for k in range(50):\n        x = x*1.5\n        if x > 10:\n            return x\n    return 0\nf(x)",
        {"x": 1.0},
        1.5**6,
        [1.5**6],
    ),
    "break leaves one loop": (
        "s = 0\nfor i in range(5):\n    for j in range(6):\n        if j > i*x:\n            break\n        s += x\ns",
        {"x": 1.0},
        15,
        [15],
    ),
    "a list built turn by turn": ("a = [x, 1]\nfor k in range(3):\n    a = [a[1], a[0]*x]\na[0]*a[1]", {"x": 2.0}, 8 * 2.0, [32]),
    # --- while
    "while": ("while x < 10:\n    x = x*1.5\nx", {"x": 1.0}, 1.5**6, [1.5**6]),
    "while, no turn": ("while x < 10:\n    x = x*1.5\nx", {"x": 11.0}, 11, [1]),
    "while with a counter": ("n = 0\ns = x\nwhile n < 20:\n    s = s/2 + 1\n    n += 1\ns", {"x": 1.0}, 2 - 0.5**20, [0.5**20]),
    "while with break": ("s = x\nwhile s < 1000:\n    s = s*2\n    if s > 20:\n        break\ns", {"x": 3.0}, 24, [8]),
    "while True": ("s = x\nwhile True:\n    s = s*2\n    if s > 20:\n        break\ns", {"x": 3.0}, 24, [8]),
    "while with continue": (
        "s = x\nn = x*0\nwhile n < 12:\n    n += 1\n    if n > 5:\n        continue\n    s = s*2\ns",
        {"x": 3.0},
        96,
        [32],
    ),
    # --- comprehensions
    "comprehension": ("sum([x**k for k in range(5)])", {"x": 2.0}, 31, [49]),
    "without brackets": ("sum(x**k for k in range(5))", {"x": 2.0}, 31, [49]),
    "with if": ("sum([x**k for k in range(5) if k != 2])", {"x": 2.0}, 27, [45]),
    "several for": ("sum([i*j*x for i in range(3) for j in range(i)])", {"x": 2.0}, 4.0, [2]),
    "several for and if": (
        "sum([(10*i + j)*x for i in range(3) if i > 0 for j in range(3) if i != j])",
        {"x": 1.0},
        10 + 12 + 20 + 21.0,
        [63],
    ),
    "over an array": ("sum([a**2 for a in v])", {"v": A([1.0, 2, 3])}, 14, [A([2.0, 4, 6])]),
    "in a comprehension": ("sum([sum([i*x**j for j in range(3)]) for i in range(4)])", {"x": 2.0}, 42, [30]),
    "its name is its own": ("k = x; s = sum([k for k in range(4)]); s + k", {"x": 2.0}, 8, [1]),
    # --- static values and recursion
    "recursion on a number": ("def f(n, x):\n    if n == 0:\n        return 1\n    return x*f(n - 1, x)\nf(5, x)", {"x": 2.0}, 32, [80]),
    "a function inside one has the name of a call under way": (
        "def f(p):\n    if p > y: a = p\n    else:\n        def h(r): return r*p\n        a = h(p)\n    return a*grad(p*p, p)\ndef h(r): return f(x)\nh(x)",
        {"x": 2.0, "y": 3.0},
        16,
        [24, 0],
    ),
    "a name that a function reads is set where it is called": (
        "for k in range(1):\n    if x < 1:\n        if y > 1: break\n        a = x\n    else: a = 2\n    def h(r): return a*r\n    x = h(x)\nx",
        {"x": 0.5, "y": 0.0},
        0.25,
        [1, 0],
    ),
    "a function that calls itself by its parameter": (
        "def rec(g, n, x):\n    if n < 1:\n        return x\n    return g(g, n - 1, x*x)\nrec(rec, 3, x)",
        {"x": 1.5},
        1.5**8,
        [8 * 1.5**7],
    ),
    "recursion by a choice": ("def f(n):\n    return 1 if n < 2 else n*x*f(n - 1)\nf(4)", {"x": 2.0}, 192, [288]),
    "recursion that halves": (
        "def f(a, b):\n    if b - a == 1:\n        return x + a\n    m = (a + b)//2\n    return f(a, m)*f(m, b)\nf(0, 4)",
        {"x": 1.0},
        24,
        [50],
    ),
    "a count that is computed": ("n = 3\nn = n*2\nsum([x for k in range(n)])", {"x": 2.0}, 12, [6]),
    # --- constants
    "e and pi": ("e*x + pi", {"x": 0.0}, math.pi, [math.e]),
    "e is assigned": ("e = 2\ne*x", {"x": 3.0}, 6, [2]),
    "e is a parameter": ("def f(e):\n    return e**2\nf(x)", {"x": 3.0}, 9, [6]),
    "pi is given": ("pi*x", {"pi": 2.0, "x": 3.0}, 6, [3, 2]),
    # --- rules
    "detach": ("detach(x)*x", {"x": 3.0}, 9, [3]),
    "stop_gradient": ("x**2 + stop_gradient(x**3)", {"x": 3.0}, 36, [6]),
    "a rule": ("def soft(x):\n    return min(max(x, -1), 1)\n@derivative(soft)\ndef _(x):\n    return 1\nsoft(3*x)", {"x": 2.0}, 1, [3]),
    "a rule of two": (
        "def f(x, y):\n    return x*y\n@derivative(f)\ndef _(a, b):\n    return 10*b, 100*a\nf(x, y**2)",
        {"x": 2.0, "y": 3.0},
        18,
        [90, 1200],
    ),
    "a rule reads names": ("k = 5*x\ndef f(x):\n    return x\n@derivative(f)\ndef _(x):\n    return k\nf(x)", {"x": 2.0}, 2, [10]),
    "a rule calls its function": (
        "def f(x):\n    return exp(x)\n@derivative(f)\ndef _(x):\n    return f(x)\nf(2*x)",
        {"x": 0.5},
        math.e,
        [2 * math.e],
    ),
    "a pullback": (
        "def f(x, y):\n    return x*y\n@pullback(f)\ndef _(ct, x, y):\n    return ct*7, ct*9\nf(x, y)**2",
        {"x": 2.0, "y": 3.0},
        36,
        [84, 108],
    ),
    "a rule in a loop": (
        "def f(x):\n    return x**2\n@derivative(f)\ndef _(x):\n    return 1\nfor k in range(7):\n    x = f(x)*1.1\nx",
        {"x": 1.0},
        1.1**127,
        [1.1**7],
    ),
    # --- derivatives inside
    "grad": ("y = x**3; grad(y, x)", {"x": 2.0}, 12, [12]),
    "grad of an expression": ("grad(x**3*y, x)", {"x": 2.0, "y": 5.0}, 60, [60, 12]),
    "deriv": ("deriv(sin(x), x)", {"x": 1.0}, math.cos(1), [-math.sin(1)]),
    "grad of grad": ("grad(grad(x**4, x), x)", {"x": 2.0}, 48, [48]),
    "three deep": ("grad(grad(grad(x**5, x), x), x)", {"x": 2.0}, 240, [240]),
    "mixed modes": ("deriv(grad(deriv(x**5, x), x), x)", {"x": 2.0}, 240, [240]),
    "hessian of one": ("hessian(x**4, x)", {"x": 2.0}, 48, [48]),
    "jvp": ("jvp(x**2*y, x, y)", {"x": 2.0, "y": 3.0}, 36, [18, 24]),
    "hvp": ("hvp(x**4, x, y)", {"x": 2.0, "y": 3.0}, 144, [144, 48]),
    "several names at once": ("a, b = grad(x**2*y**3, [x, y])\na*10 + b", {"x": 2.0, "y": 3.0}, 1080 + 108.0, [540 + 108, 1080 + 72.0]),
    "of an intermediate": ("y = x**2; z = y**3; grad(z, y)", {"x": 2.0}, 48, [96]),
    "two names, one value": ("a = x; grad(x*a, x)", {"x": 3.0}, 6, [2]),
    "two names, the other one": ("a = x; grad(x*a, a)", {"x": 3.0}, 3, [1]),
    "a parameter that is kept": ("def h(x, v):\n    return grad(x*v**2, v)\nh(u, u)", {"u": 3.0}, 18, [12]),
    "the new variable": ("x = 2*x; grad(x**2, x)", {"x": 3.0}, 12, [4]),
    "perturbation confusion": ("def f(x):\n    y = 1.0\n    return grad(x + y, y)\ngrad(x*f(x), x)", {"x": 5.0}, 1, [0]),
    "the classic": ("def inner(x):\n    y = x\n    return grad(x*y, y)\ngrad(x*inner(x), x)", {"x": 3.0}, 6, [2]),
    "in a loop, by a name of the turn": ("s = 0\nfor k in range(8):\n    t = k*x\n    s += grad(t**2, t)\ns", {"x": 2.0}, 112, [56]),
    "in a loop, by a name from outside": ("s = x\nfor k in range(7):\n    s = s*x\n    d = grad(s, x)\nd", {"x": 1.0}, 8, [56]),
    "a loop inside": ("s = x\nfor k in range(9):\n    s = s*x\ngrad(s, x)", {"x": 1.0}, 10, [90]),
    "descent": ("x = 5\nfor k in range(40):\n    x = x - 0.3*grad((x - a)**2, x)\nx", {"a": 2.0}, 2 + 3 * 0.4**40, [1 - 0.4**40]),
    "through a branch": ("def f(x):\n    if x > 0:\n        return x**3\n    return -x\ngrad(f(x), x)", {"x": 2.0}, 12, [12]),
    "through a while": ("def f(x):\n    while x < 10:\n        x = x*x\n    return x\ngrad(f(x), x)", {"x": 2.0}, 32, [48]),
    "nothing depends on it": ("y = 3; x*0 + grad(x**2, y)", {"x": 2.0}, 0, [0]),
    "detached inside": ("a = detach(x)\ngrad(x*a, x)", {"x": 3.0}, 3, [0]),
    "grad by an array": ("g = grad(v[0]*v[1]**2, v); g[0] + g[1]", {"v": A([2.0, 3])}, 21, [A([6, 4 + 6.0])]),
    "a rule's own derivative": (
        "def f(x):\n    return x\n@derivative(f)\ndef _(x):\n    return x**3\ngrad(grad(f(x), x), x)",
        {"x": 2.0},
        12,
        [12],
    ),
}
TUTORIAL = """
def dynamic_computation(x, condition):
    result = x * 2
    if condition > 0:
        result = result * x
    else:
        result = result + x
    return result

dynamic_computation(x, condition)
"""
ALIKE["the tutorial, above 0"] = (TUTORIAL, {"x": 3.0, "condition": 1.0}, 18, [12, 0])
ALIKE["the tutorial, below 0"] = (TUTORIAL, {"x": 3.0, "condition": -1.0}, 9, [3, 0])


def flat(found: Any) -> Any:
    return np.asarray(found, float)


def near(a: Any, b: Any, rel: float = 1e-11) -> bool:
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=rel, atol=1e-12, equal_nan=True))


@pytest.mark.parametrize("name", ALIKE)
def test_value_and_derivatives(name: str) -> None:
    text, values, value, slopes = ALIKE[name]
    ast.parse(text)
    fn = programs.read(text, values).fn
    found = point.evaluate(gradient(fn, list(values)), values)
    assert near(found[0], value), found
    for k, (variable, slope) in enumerate(zip(values, slopes, strict=True), 1):
        assert near(found[k], flat(slope)), (variable, found[k])
        assert near(tensors.jacobian(fn, values, variable) if variable in dict(fn.params) else 0.0 * flat(slope), flat(slope)), variable


@pytest.mark.parametrize("name", ALIKE)
def test_python_says_the_same(name: str) -> None:
    """The text, run by Python over numbers that remember what they were made of."""
    text, values, value, slopes = ALIKE[name]
    found = by_run.gradient(text, values)
    assert near(found[0], value), found
    for mine, slope in zip(found[1:], slopes, strict=True):
        assert near(mine, flat(slope)), found


# --- random programs ---------------------------------------------------------------------------------------------------


def understood(text: str, values: dict[str, float]) -> Fn:
    """The gradient of a random program."""
    return gradient(random_programs.accepted(text, values).fn, list(values))


def by_python(text: str, values: dict[str, float]) -> list[float] | None:
    """What Python says, where the numbers are small enough to be compared."""
    try:
        found = by_run.gradient(text, values)
    except (ArithmeticError, ValueError):
        return None
    return found if all(abs(v) < 1e6 for v in found) else None


@given(random_programs.texts(), random_programs.points)
def test_random_programs_mean_what_python_makes_of_them(text: str, values: dict[str, float]) -> None:
    """Value and gradient against Python's run of the same text, and forward against reverse."""
    wanted = by_python(text, values)
    assume(wanted is not None)
    fn = understood(text, values)
    found = [float(v) for v in point.evaluate(fn, values)]
    assert near(found, wanted, 1e-8), f"{text}\n{values} {found} {wanted}"
    ahead = [float(tensors.jacobian(fn, values, n)) if n in dict(fn.params) else 0.0 for n in values]
    assert near(found[1:], ahead, 1e-8), f"{text}\n{values} {found} {ahead}"


@given(random_programs.texts(), random_programs.points)
def test_gradients_of_random_programs_are_differences(text: str, values: dict[str, float]) -> None:
    """Where Python takes the same decisions on both sides, up to what the fourth difference says is lost."""
    assume("@derivative" not in text)
    found = point.evaluate(understood(text, values), values)
    for k, name in enumerate(values, 1):
        sides = []
        for step in (-2e-3, -1e-3, 0.0, 1e-3, 2e-3):
            try:
                value, _ = by_run.run(text, {**values, name: values[name] + step})
            except (ArithmeticError, ValueError):
                return
            sides.append((by_run.val(value), list(by_run.DECISIONS)))
        if all(made == sides[0][1] for _, made in sides):
            a, b, c, d, e = [value for value, _ in sides]
            slope = (8 * (d - b) - (e - a)) / 12e-3
            lost = abs(e - 4 * d + 6 * c - 4 * b + a) / 1e-3
            if max(lost, abs(slope - (d - b) / 2e-3)) > 0.1 * (1 + abs(slope)):
                continue  # it turns too fast for these steps
            assert abs(found[k] - slope) <= 1e-7 * (1 + abs(slope) + abs(c)) + 3 * lost, f"{text}\n{values} {name} {found} {slope}"


@given(random_programs.texts(), st.lists(random_programs.points, min_size=2, max_size=6))
def test_random_programs_over_rows_are_the_same_at_every_point(text: str, rows: list[dict[str, float]]) -> None:
    """Rows that take other branches, or more turns, than their neighbours."""
    fn = understood(text, rows[0])
    columns = {name: np.array([row[name] for row in rows]) for name in dict(fn.params)}
    both = [over_rows.evaluate(fn, columns, frozenset(columns))]
    if not point.shaped(compile(fn).fn):
        both.append(arrays.evaluate(fn, columns, len(rows)))
    for k, row in enumerate(rows):
        alone = [float(v) for v in point.evaluate(fn, row)]
        for together in both:
            found = [float(np.broadcast_to(v, (len(rows),))[k]) for v in together]
            assert near(found, alone, 1e-9), f"{text}\n{row} {found} {alone}"
