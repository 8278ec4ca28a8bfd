"""Text to tree: every construction once, precedence as Python has it, and sizes that no recursion would bear."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_cli.diagnostics import AutodiffError, Source
from autodiff_cli.syntax import Tree, grammar, parse
from trees import dump, python

if TYPE_CHECKING:
    from pathlib import Path

EXPRESSIONS = {
    "2 + .5 + 2. + 1e-3 + 1_000 + 1E+5": "(+ (+ (+ (+ (+ 2 .5) 2.) 1e-3) 1000) 1E+5)",
    "-x**2": "(- (** x 2))",
    "2**3**2": "(** 2 (** 3 2))",
    "2**-1": "(** 2 (- 1))",
    "2^x": "(** 2 x)",
    "-x^-2": "(- (** x (- 2)))",
    "a/b*c": "(* (/ a b) c)",
    "a @ b // c % d": "(% (// (@ a b) c) d)",
    "(v > 0) & (v < 1) | ~p": "(| (& (compare v > 0) (compare v < 1)) (~ p))",
    "v > 0 & w": "(compare v > (& 0 w))",
    "a < b <= c == d != e >= f > g": "(compare a < b <= c == d != e >= f > g)",
    "a in b not in c": "(compare a in b not in c)",
    "not a == b and c or d": "(or (and (not (compare a == b)) c) d)",
    "a if c else b if d else e": "(ifelse c a (ifelse d b e))",
    "(a if c else b)*2": "(* (ifelse c a b) 2)",
    "((x))": "x",
    "sin(x)": "(sin() x)",
    "f()": "(f())",
    "f(x, y,)": "(f() x y)",
    "f(a, axis=1, mode='sum')": "(f() a axis=1 mode='sum')",
    "grad(f)(2)": "((grad() f)() 2)",
    "v[0]": "(index v [0])",
    "v[0, -1]": "(index v [0 (- 1)])",
    "v[1:, :2, ::3, a:b:c, :]": "(index v [(slice 1 _ _) (slice _ 2 _) (slice _ _ 3) (slice a b c) (slice _ _ _)])",
    "v[..., None]": "(index v [(ellipsis) None])",
    "X.T @ X": "(@ (attribute X T) X)",
    "X.T.shape[0]": "(index (attribute (attribute X T) shape) [0])",
    "[1, 2, [3],]": "(list 1 2 (list 3))",
    "[]": "(list)",
    "zeros((2, 3))": "(zeros() (tuple 2 3))",
    "f((), (1,))": "(f() (tuple) (tuple 1))",
    "[x**2 for x in v]": "(comprehension (** x 2) [[for x v]])",
    "[x*y for i, x in enumerate(v) if i > 0 for (y, z) in w]": "(comprehension (* x y) [[for (tuple i x) (enumerate() v)] [if (compare i > 0)] [for (tuple y z) w]])",
    "sum(x**k for k in range(10))": "(sum() (comprehension (** x k) [[for k (range() 10)]]))",
    "True and not False": "(and True (not False))",
    "x\n": "x",
    "  x + 1  # a remark": "(+ x 1)",
    "# a remark\n\nx": "x",
    "(x +\n   y  # a remark\n)": "(+ x y)",
    "x + \\\n y": "(+ x y)",
    "\ufeffx": "x",
    "x\u00a0+\u2009y": "(+ x y)",
}
SPELLINGS = {
    "a − b": "(- a b)",
    "−x": "(- x)",
    "a × b · c ⋅ d ÷ e": "(/ (* (* (* a b) c) d) e)",
    "a ≤ b ≥ c ≠ d": "(compare a <= b >= c != d)",
    "π + ∞": "(+ pi ∞)",
    "µ + x₁ + ϑ": "(+ (+ μ x1) θ)",
    "ﬁ_２": "fi_2",
    "np.sin(x) + numpy.pi": "(+ (np.sin() x) numpy.pi)",
    "np.linalg.norm(v) + math.e": "(+ (np.linalg.norm() v) math.e)",
    "jnp.exp(np)": "(jnp.exp() np)",
    "np.T": "(attribute np T)",
    "lambda + class*from - is": "(- (+ lambda (* class from)) is)",
    "android or inner": "(or android inner)",
    "e1 + e + E2": "(+ (+ e1 e) E2)",
}
STRINGS = {
    r'"Mean power (MW)"': "Mean power (MW)",
    "'a' \"b\"": "ab",
    r'"a\"b\\c\n\t\x41\u00e9\101"': 'a"b\\c\n\tAéA',
    r'"\N{GREEK SMALL LETTER PI}\q"': "π\\q",
    "'# no remark'": "# no remark",
    r"'\N{NO SUCH LETTER} \x4'": r"\N{NO SUCH LETTER} \x4",
    "'a\\\nb'": "ab",
}
PROGRAMS = {
    "a = 1; b = a*2; b**2": "(assign a 1) (assign b (* a 2)) (expression (** b 2))",
    "a = 1\nb = 2;\n\n# remark\na + b\n": "(assign a 1) (assign b 2) (expression (+ a b))",
    "a, b = 1, 2": "(assign (tuple a b) (tuple 1 2))",
    "(a, b), c = f(x)": "(assign (tuple (tuple a b) c) (f() x))",
    "y += 1; y **= 2; y //= 3; y ^= 2; y −= 1": "(augmented y + 1) (augmented y ** 2) (augmented y // 3) (augmented y ** 2) (augmented y - 1)",
    "def f(x, n=3): return x**n\nf(2)": "(def f [(param x _) (param n 3)] [(return (** x n))] []) (expression (f() 2))",
    "@derivative(soft)\ndef _(x):\n    return 1\n": "(def _ [(param x _)] [(return 1)] [(derivative() soft)])",
    "def f():\n  return\n": "(def f [] [(return _)] [])",
    "def f(x):\n    y = x\n    return y, 1\nf(x)": "(def f [(param x _)] [(assign y x) (return (tuple y 1))] []) (expression (f() x))",
    "if a: y = 1\nelif b: y = 2\nelse: y = 3\ny": "(if a [(assign y 1)] [(if b [(assign y 2)] [(assign y 3)])]) (expression y)",
    "if a:\n\ty = 1\n\n\tz = 2 # x\n # y\nelse:\n\tpass\ny": "(if a [(assign y 1) (assign z 2)] [(pass)]) (expression y)",
    "for i in range(3): s += i\ns": "(for i (range() 3) [(augmented s + i)]) (expression s)",
    "for a, (b, c) in v, w:\n  if a:\n    break\n  continue\nx": "(for (tuple a (tuple b c)) (tuple v w) [(if a [(break)] []) (continue)]) (expression x)",
    "while x > 1:\n    x = x/2\nx": "(while (compare x > 1) [(assign x (/ x 2))]) (expression x)",
    "   x = 1\n   x + 1": "(assign x 1) (expression (+ x 1))",
    "\n   x = 1\n   if x:\n       x = 2\n   x": "(assign x 1) (if x [(assign x 2)] []) (expression x)",
    "x = [\n1,\n  2]\r\nx\r\r\n": "(assign x (list 1 2)) (expression x)",
}


def read(text: str) -> Tree:
    return parse(Source("expression", text))


def expression(text: str) -> Tree:
    (statement,) = read(text).parts
    assert statement.kind == "expression"
    tree: Tree = statement.parts[0]
    return tree


@pytest.mark.parametrize("text", [*EXPRESSIONS, *SPELLINGS])
def test_expressions(text: str) -> None:
    assert dump(expression(text)) == {**EXPRESSIONS, **SPELLINGS}[text]


@pytest.mark.parametrize("text", STRINGS)
def test_strings(text: str) -> None:
    (tree,) = expression(f"col({text})").parts[1]
    assert tree.parts[0] == STRINGS[text]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str) -> None:
    assert " ".join(dump(s) for s in read(text).parts) == PROGRAMS[text]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("x + sin(y)*2", ["x + sin(y)*2", "x", "sin(y)*2", "sin(y)", "sin", "y", "2"]),
        ("(a+b)[1:]", ["(a+b)[1:]", "(a+b)", "a", "b", "1:", "1"]),
        ("-x if not y else µ₁", ["-x if not y else µ₁", "not y", "y", "-x", "x", "µ₁"]),
        ("np.linalg.norm( v , ord=1 )", ["np.linalg.norm( v , ord=1 )", "np.linalg.norm", "v", "1"]),
        ("[v.T, (1, 2), ...]", ["[v.T, (1, 2), ...]", "v.T", "v", "(1, 2)", "1", "2", "..."]),
    ],
)
def test_spans_are_the_text_they_came_from(text: str, spans: list[str]) -> None:
    found: list[str] = []
    todo: list[object] = [expression(text)]
    while todo:
        part = todo.pop()
        if isinstance(part, Tree):
            found.append(text[part.start : part.end])
            part = part.parts
        if isinstance(part, tuple):
            todo.extend(reversed(part))
    assert found == spans


# --- as Python reads it ----------------------------------------------------------------------

ATOMS = st.sampled_from(
    ["x", "y", "v", "2", "0.5", "1e3", "True", "f(x)", "v[0]", "v[1:2, ::3]", "[1, x]", "X.T", "(x, y)", "[a for a in v if a > 0]"]
)
BINARY = st.sampled_from(
    ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "<", "<=", ">", ">=", "==", "!=", "and", "or", "in", "not in"]
)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, BINARY, inner).map(" ".join),
        st.tuples(st.sampled_from(["-", "+", "~", "not "]), inner).map("".join),
        st.tuples(inner, inner, inner).map(lambda t: f"{t[0]} if {t[1]} else {t[2]}"),
        inner.map(lambda t: f"({t})"),
        inner.map(lambda t: f"{t}[0]"),
        st.tuples(inner, inner).map(lambda t: f"g({t[0]}, k={t[1]})"),
        st.tuples(inner, inner).map(lambda t: f"[{t[0]} for a in {t[1]}]"),
    )


@given(st.recursive(ATOMS, _grown, max_leaves=12))
def test_precedence_is_that_of_python(text: str) -> None:
    try:
        theirs = python(text)
    except SyntaxError:
        with pytest.raises(AutodiffError):
            read(text)
    else:
        ours = re.sub(r"(?<![\w.])[\d.]+(e\d+)?", lambda n: repr(float(n[0])), dump(expression(text)))
        assert ours == theirs


@given(st.text(alphabet="xy2.e(),[]+-*/<>=!:;#\"' \n\t^²|&~@π", max_size=12) | st.text(max_size=8))
def test_any_text_is_a_tree_or_a_message(text: str) -> None:
    try:
        assert isinstance(read(text), Tree)
    except AutodiffError as failure:
        found = failure.diagnostic
        assert found.labels
        assert all(0 <= span.start <= span.end <= max(len(text), 1) for span, _ in found.labels)
        assert not re.search(r"[A-Z]{4,}|\$END|__ANON", found.message.replace("UTF-8", "").replace(text, ""))


# --- sizes -----------------------------------------------------------------------------------

DEEP = {
    "parentheses": ("(" * 100_000 + "x" + ")" * 100_000, 1),
    "calls": ("sin(" * 20_000 + "x" + ")" * 20_000, 40_001),
    "conditionals": ("".join(f"{k} if x > {k} else " for k in range(20_000)) + "x", 100_001),
    "nested conditionals": ("(1 if x else " * 20_000 + "x" + ")" * 20_000, 60_001),
    "signs": ("-" * 100_000 + "x", 100_001),
    "powers": ("**".join(["x"] * 50_000), 99_999),
    "terms": (" + ".join(f"x{k % 50}*sin(x{k % 7}*0.71)" for k in range(10_000)), 79_999),
    "comparisons": ("<".join(["x"] * 50_000), 50_001),
    "arguments": (f"max({', '.join(['x'] * 50_000)})", 50_002),
    "lists": ("[" * 50_000 + "]" * 50_000, 50_000),
}


@pytest.mark.parametrize("kind", DEEP)
def test_depth_and_length_are_no_matter(kind: str) -> None:
    limit = sys.getrecursionlimit()
    text, count = DEEP[kind]
    todo: list[object] = [expression(text)]
    seen = 0
    while todo:
        part = todo.pop()
        if isinstance(part, Tree):
            seen += 1
            part = part.parts
        if isinstance(part, tuple):
            todo.extend(part)
    assert seen == count
    assert sys.getrecursionlimit() == limit


def test_a_deep_tree_is_said_and_forgotten_without_recursion() -> None:
    tree = expression("-" * 100_000 + "x")
    assert repr(tree) == "<unary 0:100001>"
    del tree


def test_many_lines() -> None:
    text = "if x: y = 0\n" + "elif x: y = 1\n" * 5_000 + "".join(f"y{k} = y*{k}\n" for k in range(5_000))
    assert len(read(text).parts) == 5_001


HOSTILE = {
    "opened": ("(" * 10_000_000, "unclosed-bracket", 0),
    "opened by turns": ("([" * 500_000, "unclosed-bracket", 0),
    "one too many": ("(" * 1_000_000 + "x" + ")" * 1_000_001, "unopened-bracket", 2_000_001),
    "closed": ("x" + ")" * 10_000_000, "unopened-bracket", 1),
    "one open": ("(" * 1_000_001 + "x" + ")" * 1_000_000, "unclosed-bracket", 0),
    "too long": ("x" * (64 * 2**20 + 1), "text-too-long", 0),
    "control": ("x" * 10_000_000 + "\0", "control-character", 10_000_000),
    "bars": ("|" * 10_000_000, "bars", 0),
    "powers": ("x" + "²" * 1_000_000, "superscript", 0),
    "blank": (" \n" * 5_000_000, "empty-expression", 0),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_are_answered(kind: str) -> None:
    text, code, place = HOSTILE[kind]
    with pytest.raises(AutodiffError) as caught:
        read(text)
    found = caught.value.diagnostic
    assert (found.code, found.labels[0].span.start) == (code, place)
    assert len(found.message) + len(found.hint or "") < 200


# --- the parser's tables on disk ---------------------------------------------------------------


def run(folder: Path) -> str:
    """A new process that parses with `folder` for its cache."""
    script = "from autodiff_cli.syntax import parse\nfrom autodiff_cli.diagnostics import Source\nprint(parse(Source('e', 'x*2')))"
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True).stdout


def test_the_tables_are_kept_in_the_users_own_folder(tmp_path: Path) -> None:
    assert run(tmp_path) == "<program 0:3>\n"
    (file,) = (tmp_path / "autodiff").iterdir()
    assert stat.S_IMODE((tmp_path / "autodiff").stat().st_mode) == 0o700
    first = file.stat().st_mtime_ns
    assert run(tmp_path) == "<program 0:3>\n"
    assert file.stat().st_mtime_ns == first


def test_broken_tables_are_made_anew(tmp_path: Path) -> None:
    run(tmp_path)
    (file,) = (tmp_path / "autodiff").iterdir()
    file.write_bytes(file.read_bytes()[:1000])
    assert run(tmp_path) == "<program 0:3>\n"
    assert file.stat().st_size > 1000


def test_no_place_for_the_tables_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file") == "<program 0:3>\n"


def test_the_grammar_is_found() -> None:
    assert os.path.exists(grammar())
    assert os.path.exists(grammar("mistakes.toml"))
