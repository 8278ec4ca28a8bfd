"""Matches of the grammar that the language refuses in, slips out: one entry a reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .found import after, applied, mistakes, powered
from .meant import first_argument, keywords, spelled
from .slips import Edit, Slip, shown
from .unnamed import at_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from .tree import Tree

DECIMAL = re.compile(r"(?<![\w.])(\d+),(\d+)(?![\w.])")
LIBRARIES = frozenset("torch F tf nn jax lax keras scipy special sp sympy cmath cupy anp onp autograd Math np numpy jnp math".split())


def _product(text: str, callee: Tree, close: Any) -> Slip:
    opening = _opening(text, callee.end)
    left, right = text[callee.start : callee.end], text[opening : close.end_pos]
    function = applied(text, callee.end) if callee.kind == "number" else None
    if function is not None:
        return powered(text, function[0], opening, close.end_pos, *function[1:])
    called = at_once(text, callee.start, opening, close.end_pos) if callee.kind == "call" else None
    if called is not None:
        return called
    repairs: tuple[tuple[Edit, ...], ...] = ((Edit(callee.end, opening, "*"),),)
    if callee.kind == "number" and re.search(r"(/|÷)\s*\Z", text[: callee.start]):
        repairs = ((Edit(callee.start, close.end_pos, f"({left}*{right})"),), *repairs)
    message = f"no operator between {shown(left)} and {shown(right)}"
    return Slip("missing-operator", message, callee.start, close.end_pos, "a product is written with `*`", repairs=repairs)


def _opening(text: str, at: int) -> int:
    return text.index("(", at)


def _tuple(text: str, tree: Tree) -> Slip:
    content = text[tree.start : tree.end].rstrip().rstrip(",")
    listed = (Edit(tree.start, tree.end, f"[{content}]"),)
    thousands = re.fullmatch(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(\.\d*)?", content)
    whole = (Edit(tree.start, tree.end, content.replace(",", "")),)
    if thousands and (thousands[1] or content.count(",") > 1):
        return Slip("bare-comma", f"{shown(content)} is no number", tree.start, tree.end, "a number has no commas", repairs=(whole,))
    number = DECIMAL.search(content)
    if number:
        point = (Edit(tree.start, tree.end, DECIMAL.sub(r"\1.\2", content)),)
        message = f"{shown(number[0])} is neither a number nor a list"
        spaced = (Edit(tree.start, tree.end, "[" + DECIMAL.sub(r"\1, \2", content) + "]"),)
        start = tree.start + number.start()
        return Slip(
            "bare-comma",
            message,
            start,
            start + len(number[0]),
            "a number has a point, a list has brackets",
            repairs=(*([whole] if thousands else []), point, spaced),
        )
    return Slip("bare-comma", "several values need brackets", tree.start, tree.end, "a list has brackets", repairs=(listed,))


def _target(text: str, target: Tree, value: Tree) -> Slip:
    left, right = text[target.start : target.end], text[value.start : value.end]
    match target.kind:
        case "call" if all(arg.kind == "name" for arg in target.parts[1]):
            repairs = ((Edit(target.start, value.end, f"def {left}: return {right}"),),)
            return Slip("assignment-target", "a function is made with `def`", target.start, target.end, repairs=repairs)
        case "attribute":
            return _immutable(text, target, right)
        case "name":
            return Slip(
                "assignment-target",
                f"{shown(left)} cannot be given a value",
                target.start,
                target.end,
                "is a constant",
                hint=f"y = {right}",
            )
    equal = text.index("=", target.end)
    label = "`=` gives a value to a name"
    return Slip(
        "assignment-target", f"{shown(left)} is no name", target.start, target.end, label, repairs=((Edit(equal, equal + 1, "=="),),)
    )


def _immutable(text: str, target: Tree, value: str) -> Slip:
    """`x.T = v`."""
    base, word = target.parts
    name = text[base.start : base.end]
    message = f"values do not change, and {shown(text[target.start : target.end])} would change {shown(name)}"
    value = f"[{value}]" if "," in value and value[:1] not in "([" else value
    new = f"transpose({value})" if word == "T" else f"reshape({name}, {value})"
    return Slip("immutable", message, target.start, target.end, "write a new value", hint=f"{name} = {new}")


def _augmented(text: str, target: Tree, value: Tree, sign: Any) -> Slip:
    right = f"{text[target.start : target.end]} {sign.value[:-1]} {text[value.start : value.end]}"
    if target.kind == "attribute":
        return _immutable(text, target, right)
    message = f"{shown(text[target.start : target.end])} is no name that can be given a value"
    return Slip("assignment-target", message, target.start, target.end, f"`{sign.value}` changes a name", hint=f"y = {right}")


def _attribute(text: str, value: Tree, word: Any) -> Slip:
    line = re.compile(r"@[ \t]*([^\n]*[^\s])").match(text, text.rfind("\n", 0, value.start) + 1)
    if line:
        message = f"{shown(line[0])} is not part of the language: a line with `@` says whose rule follows"
        return Slip(
            "decorator",
            message,
            line.start(1),
            line.end(),
            "a function needs no such line",
            hint="take it out, or write @derivative(f) or @pullback(f)",
        )
    base, name = text[value.start : value.end], word.value
    called = re.compile(r"\s*\(\s*\)?").match(text, word.end_pos)
    table = mistakes()
    root = re.match(r"\w*", base)
    made = called and re.compile(r"\s*\(").match(text, called.end())  # nn.ReLU()(x)
    if value.kind == "name" and root is not None and root[0] in LIBRARIES and (made or not (called and called[0].endswith(")"))):
        return _library(text, value, word, table)
    if called:
        return _method(text, value, word, table)
    from ..ops import FUNCTIONS

    pattern = table["attributes"].get(name, f"{name}({{}})" if name in FUNCTIONS else "{}")
    repairs = ((Edit(value.start, word.end_pos, pattern.replace("{}", base)),),)
    label = "a value has `.T` and `.shape`, and nothing else"
    return Slip("attribute", f"{shown(base)} has no attribute `{name}`", word.start_pos, word.end_pos, label, repairs=repairs)


def _library(text: str, value: Tree, word: Any, table: dict[str, Any]) -> Slip:
    from ..ops import FUNCTIONS

    path = re.compile(r"(?:\s*\.\s*\w+)*").match(text, word.end_pos)
    end = path.end() if path else word.end_pos
    whole = text[value.start : end]
    name = whole.rpartition(".")[2].strip()
    new = table["constants"].get(name) or spelled(name, FUNCTIONS) or name
    message = f"`{whole[: whole.rindex('.') + 1]}` is not needed: functions are called by their name"
    made = re.compile(r"\s*\(\s*\)(?=\s*\()").match(text, end)  # nn.ReLU()(x)
    opening = re.compile(r"\s*\(").match(text, made.end() if made else end)
    if opening is None:
        return Slip("foreign-prefix", message, value.start, end, f"write `{new}`", repairs=((Edit(value.start, end, new),),))
    close = after(text, opening.end() - 1)
    inner = text[opening.end() - 1 : close]
    if name in table["arrays"]["names"]:
        edit = Edit(value.start, close, first_argument(inner[1:-1]))
        return Slip("foreign-prefix", f"`{whole}` is not needed: a list is an array", value.start, end, repairs=((edit,),))
    edit = Edit(value.start, close, new + keywords(inner))
    return Slip("foreign-prefix", message, value.start, end, f"write `{new}`", repairs=((edit,),))


def _method(text: str, value: Tree, word: Any, table: dict[str, Any]) -> Slip:
    base, name = text[value.start : value.end], word.value
    opening = _opening(text, word.end_pos)
    end = after(text, opening)
    args = text[opening + 1 : end - 1].strip()
    pattern = table["methods"].get(f"{name}({args})") or table["methods"].get(name)
    args = keywords(args)
    name = table["spellings"].get(name, name)
    new = pattern.replace("{}", base).replace("{args}", args) if pattern else f"{name}({base}, {args})" if args else f"{name}({base})"
    message = f"`.{word.value}()` is a method, and values have none"
    return Slip("method", message, value.start, end, "functions take the value as an argument", repairs=((Edit(value.start, end, new),),))


def _positional(text: str, tree: Tree) -> Slip:
    what = shown(text[tree.start : tree.end])
    return Slip(
        "argument-order",
        f"{what} stands behind an argument with a name",
        tree.start,
        tree.end,
        "move it to the front",
        hint="log(x, base=2)",
    )


def _twice(_text: str, tree: Tree) -> Slip:
    name = tree.parts[0]
    return Slip(
        "argument-twice", f"`{name}` is given twice", tree.start, tree.end, "the second time", hint=f"leave one of the two `{name}=`"
    )


def _parameter_twice(_text: str, tree: Tree) -> Slip:
    name = tree.parts[0]
    return Slip("parameter-twice", f"two parameters are called `{name}`", tree.start, tree.end, "the second one", hint=f"{name}2")


def _parameter_order(text: str, tree: Tree, params: tuple[Tree, ...]) -> Slip:
    name = tree.parts[0]
    ordered = sorted(params, key=lambda p: p.parts[1] is not None)
    listed = ", ".join([text[p.start : p.end] for p in ordered])
    repairs = ((Edit(params[0].start, params[-1].end, listed),),)
    message = f"`{name}` has no default, and stands behind a parameter that has one"
    return Slip("parameter-order", message, tree.start, tree.end, "move it to the front", repairs=repairs)


def _name(_text: str, token: Any) -> Slip:
    message = f"{shown(token.value)} is no name: it cannot be normalised to letters and digits"
    return Slip("name", message, token.start_pos, token.end_pos, hint="x1")


def _internal(text: str, tree: Tree) -> Slip:
    message = f"{shown(text[tree.start : tree.end])} is Python's, and no function of the language"
    return Slip(
        "python-internal", message, tree.start, tree.end, "only mathematics runs here", hint="`autodiff functions` lists what there is"
    )


def _mixed(text: str, token: Any) -> Slip:
    line = max(text.rfind("\n", 0, token.start_pos), text.rfind("\r", 0, token.start_pos)) + 1
    return Slip(
        "indentation",
        "tabs and spaces are mixed before this line",
        line,
        token.start_pos,
        "unlike the lines around it",
        hint="indent every line of a block by four spaces",
    )


def _unmatched(text: str, token: Any) -> Slip:
    end = after(text, token.start_pos)
    return Slip(
        "indentation",
        "this line begins under no other",
        token.start_pos,
        max(end, token.start_pos + 1),
        "unexpected indentation",
        hint="begin it right under a line of its block",
    )


def _outside(text: str, tree: Tree, place: str) -> Slip:
    message = f"`{tree.kind}` stands outside a {place}"
    if tree.kind != "return":
        turn = {"break": "if k > 3: break", "continue": "if k == 3: continue"}[tree.kind]
        return Slip("outside", message, tree.start, tree.end, hint=f"y = 0\nfor k in range(9):\n    {turn}\n    y += k\ny")
    value = tree.parts[0]
    repairs = () if value is None else ((Edit(tree.start, value.start, ""),),)
    return Slip("outside", message, tree.start, tree.end, "the value of a program is that of its last line", "x**2", repairs)


REFUSALS: dict[str, Callable[..., Slip]] = {
    "attribute": _attribute,
    "augmented-target": _augmented,
    "bare-tuple": _tuple,
    "internal": _internal,
    "keyword-twice": _twice,
    "mixed-indentation": _mixed,
    "name": _name,
    "outside": _outside,
    "parameter-order": _parameter_order,
    "parameter-twice": _parameter_twice,
    "positional-after-keyword": _positional,
    "product": _product,
    "target": _target,
    "unmatched-indentation": _unmatched,
}
