"""Derivatives as expressions in; lines of our own language or of LaTeX, and one text a derivative for JSON, out."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from ..diagnostics import AutodiffError, Diagnostic, Label
from ..graph import BROADCAST, CONST, NAME, PARAM, Expr, Fn
from ..ops.structured import loop_
from .arrays import FORMS
from .latex import latex, variable
from .shared import shared
from .text import REAL, SELECT, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..graph import Node
    from ..simplify import Written
    from ..simplify.spelled import Caveat

WORDLESS = "place", "take_along"  # their texts are for drawings, unless they are diagonals, joints or sorts
MOST = 4  # places that a note names
ALWAYS = (BROADCAST, CONST, NAME, PARAM, REAL, SELECT)


def lines(fn: Fn) -> str:
    """The derivatives, one a line; a single one is the expression itself. Parts that would be repeated come before, as assignments."""
    named = shared(fn)
    before = [f"{name} = {text(fn.nodes, i, named=_others(named, i))}" for i, name in named.items()]
    found = [text(fn.nodes, o, named=named) for o in fn.outs]
    if len(found) > 1:
        found = [f"{name} = {one}" for name, one in zip(fn.names, found, strict=True)]
    return "\n".join([*before, *found])


def formulas(fn: Fn, wrt: Sequence[str], order: int) -> str:
    """The same as LaTeX; each of several derivatives with its sign before it."""
    named = shared(fn)
    before = [f"{variable(name)} = {latex(fn.nodes, i, _others(named, i))}" for i, name in named.items()]
    found = [latex(fn.nodes, o, named) for o in fn.outs]
    if len(found) > 1:
        found = [f"{_sign(name, order)} = {one}" for name, one in zip(wrt, found, strict=True)]
    return "\n".join([*before, *found])


def _sign(name: str, order: int) -> str:
    raised = f"^{{{order}}}" if order > 1 else ""
    return rf"\frac{{\partial{raised} f}}{{\partial {variable(name)}{raised}}}"


def alone(fn: Fn) -> list[str]:
    """Each derivative as a text of its own."""
    single = [Fn(fn, fn.params, [Expr(fn, o)], [name]) for o, name in zip(fn.outs, fn.names, strict=True)]  # type: ignore[arg-type]  # a frozen graph
    return [lines(one).replace("\n", "; ") for one in single]


def _others(named: dict[int, str], i: int) -> dict[int, str]:
    return {j: name for j, name in named.items() if j != i}


def check(fn: Fn) -> None:
    """An error where the language has no words for a step of the function; it names the step and what does without words."""
    found = wordless(fn)
    if found:
        raise _no_text(fn, next((i for i in found if fn.nodes[i].op is loop_), found[0]))


def wordless(fn: Fn) -> list[int]:
    """The steps that the language has no words for."""
    return [i for i in fn.needs() if _wordless(fn.nodes, fn.nodes[i])]


def _wordless(nodes: Sequence[Node], node: Node) -> bool:
    op = node.op
    if op in ALWAYS or op.infix is not None or op.spell is not None or not op.hidden:
        return False
    if op.name not in FORMS:
        return True
    return op.name in WORDLESS and any(isinstance(p, str) and p.startswith(op.name) for p in FORMS[op.name](nodes, node)[1])


def _no_text(fn: Fn, i: int) -> AutodiffError:
    op, site = fn.nodes[i].op, fn.sites[i]
    what = "a loop that is run backwards" if op is loop_ else op.doc or f"`{op.name}`"
    labels = (Label(site.span, "it comes from here"),) if site else ()
    message = f"the derivative has no text: the language has no words for {what}"
    return AutodiffError(
        Diagnostic("no-text", message, labels, hint="autodiff grad gives its numbers at a point or over rows, and autodiff graph draws it")
    )


def notes(written: Written) -> Iterator[Diagnostic]:
    """What the text says less or more than the derivative."""
    fn = written.everything
    wider = [i for i in written.wider if _varies(fn, i)]
    where = [f"`{text(fn.nodes, i)}` has no value" if i in written.partial else f"`{text(fn.nodes, i)} == 0`" for i in wider]
    if where:
        yield _note("wider-text", f"factors were cancelled: the text has a value where {_either(where)}, and the derivative may have none")
    missing = [i for i in written.wider if i not in wider and not isfinite(_number(fn, i))]
    if missing:
        shortest = min([text(fn.nodes, i) for i in missing], key=len)
        yield _note("wider-text", f"the text has a value, and the derivative may have none: `{shortest}` has no value")
    for caveat in written.caveats:
        yield from _caveat(fn, caveat)


def _caveat(fn: Fn, caveat: Caveat) -> Iterator[Diagnostic]:
    places = [_unstretched(fn, fn.outs[k]) for k in caveat.places]
    if not any(_varies(fn, i) for i in places[:1]) and not (caveat.op is None and _number(fn, places[0])):
        return
    found = [text(fn.nodes, i) for i in places]
    if caveat.op is None:
        yield _note("narrower-text", f"the text has no value where {found[0]}; `autodiff grad` fills that in")
    else:
        yield _note("wider-text", f"the text holds in the domain of `{found[0]}`: {_domain(caveat.op, found[1:])}")


def _unstretched(fn: Fn, i: int) -> int:
    while fn.nodes[i].op is BROADCAST:
        i = fn.nodes[i].args[0]
    return i


def _varies(fn: Fn, i: int) -> bool:
    """Whether a node depends on a variable."""
    return any(fn.nodes[j].op is PARAM for j in Fn(fn, (), [Expr(fn, i)], ["x"]).needs())  # type: ignore[arg-type]  # a frozen graph


def _number(fn: Fn, i: int) -> float:
    """The value of a node that depends on no variable."""
    from ..run.floats import evaluate

    return float(evaluate(Fn(fn, (), [Expr(fn, i)], ["x"]), {})[0])  # type: ignore[arg-type]  # a frozen graph


def _either(where: list[str]) -> str:
    """Some of many."""
    return " or ".join(where[:MOST]) + (f" or in {len(where) - MOST} other places" if len(where) > MOST else "")


def _note(code: str, message: str) -> Diagnostic:
    return Diagnostic(code, message, severity="note")


def _domain(op: Any, arguments: list[str]) -> str:
    """The domain of an op, in words of its arguments."""
    from re import sub

    names = [p.name for p in op.parameters if not p.static] if len(op.parameters) >= len(arguments) else ["x", "y"]
    said = dict(zip(names, arguments, strict=False))
    return sub(r"[^\W\d]\w*", lambda word: _operand(said.get(word[0], word[0])), op.domain)


def _operand(text: str) -> str:
    return f"({text})" if not text.replace("_", "").isalnum() and " if " in text else text
