"""A call of what is no function in, what was meant by it out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..diagnostics import AutodiffError, did_you_mean, error
from .found import derivative, mistakes
from .statements import parts

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..diagnostics import Span

LONGEST = 72
ONE_VALUE = re.compile(r"[\w.]+(?:\([^()]*\)|\[[^][]*\])?|\[.*\]|a?range\(.*\)")
CONSTANTS = frozenset(("pi", "e", "inf", "nan", "∞"))


def unknown(name: str, span: Span, call: Span, known: Collection[str], variables: Collection[str]) -> AutodiffError:
    """The error for a call of `name`, which is none of the functions `known`; `variables` are the names that have a value."""
    notation = _notation(name, span, call)
    if notation is not None:
        return notation
    if name in mistakes()["arrays"]["names"] and name not in variables:
        return _array(name, span, call)
    builtin = None if name in variables else _of_python(name, span, call)
    if builtin is not None:
        return builtin
    product = f"{name}*{_arguments(span, call)}"
    what = "a constant" if name in CONSTANTS else "a variable" if name in variables or len(name) == 1 else ""
    if what:
        return error("not-a-function", f"`{name}` is {what}, not a function", span, f"did you mean `{product}`?", hint=product)
    near = spelled(name, known)
    label = f"did you mean `{near}`?" if near else ""
    hint = None if near else f"{product} if `{name}` is a variable; `autodiff functions` lists what there is"
    return error("unknown-name", f"unknown function `{name}`", span, label, hint=hint)


def keywords(text: str) -> str:
    """The arguments of a call with the names that they have here."""
    for other, own in mistakes()["keywords"].items():
        name, _, value = other.partition("=")
        text = re.sub(rf"\b{name}\s*=(?!=)\s*{value}", own, text)
    return text


def first_argument(text: str) -> str:
    """What stands before the first comma that is in no brackets."""
    depth = 0
    for k, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            return text[:k].strip()
    return text.strip()


def _array(name: str, span: Span, call: Span) -> AutodiffError:
    """`np.array([1, 2])`."""
    inner = first_argument(_arguments(span, call)[1:-1])
    text = span.source.text
    mended = f"{text[: span.start]}{inner}{text[call.end :]}"
    return error(
        "unknown-name",
        f"`{name}` is not needed: a list is an array",
        span,
        hint=mended if "\n" not in mended and len(mended) < LONGEST else inner,
    )


def _of_python(name: str, span: Span, call: Span) -> AutodiffError | None:
    """`int(x)` and `reversed(range(3))`."""
    table = mistakes()
    args = _arguments(span, call)[1:-1].strip()
    inner = re.fullmatch(r"range\(([^,()]*(?:\([^()]*\))?)\)", args)
    if name == "reversed" and inner:
        name, args = "reversed(range)", inner[1]
    if name not in table["python"]:
        return None
    why, pattern = table["python"][name]
    made = _filled(pattern, args)
    text = span.source.text
    mended = f"{text[: span.start]}{made}{text[call.end :]}"
    code, what = (
        ("no-such-statement", "not part of the language")
        if name in table["words"]
        else ("unknown-name", "a function of Python, and none here")
    )
    hint = mended if "\n" not in mended and len(mended) < LONGEST else made
    return error(code, f"`{span.text}` is {what}", span, why, hint=hint)


def _filled(pattern: str, args: str) -> str:
    """A pattern with the arguments of a call, each in brackets where it is more than one value."""
    if re.search(r"\sfor\s", args) and args[:1] not in "[(":
        args = f"[{args}]"
    args = re.sub(r"\A(?=range\()", "a", args) or "x"
    given = [*parts(args), "x", "x"]
    inside = "({args})" in pattern
    for mark, value in (("{args}", args), ("{0}", given[0]), ("{1}", given[1])):
        pattern = pattern.replace(mark, value if inside or pattern == "{0}" or ONE_VALUE.fullmatch(value) else f"({value})")
    return pattern


def _arguments(span: Span, call: Span) -> str:
    """The brackets of a call and what is in them."""
    return span.source.text[span.end : call.end].lstrip()


def spelled(name: str, known: Collection[str]) -> str | None:
    """Our function for a name of another library or language, or for a slip of the keyboard."""
    other = mistakes()["spellings"]
    return other.get(name) or other.get(name.lower()) or did_you_mean(name, known)


def _notation(name: str, span: Span, call: Span) -> AutodiffError | None:
    """`d/dx(x**2)`, where `dx` is called, and `d(x**2)/dx`, where `d` is."""
    text, body = span.source.text, _arguments(span, call)[1:-1]
    before = re.search(r"\bd\s*/\s*\Z", text[: span.start])
    behind = re.compile(r"\s*/\s*d([^\W\d]\w*)").match(text, call.end)
    if before and name[:1] == "d" and len(name) > 1:
        by, place = name[1:], span._replace(start=before.start())
    elif name == "d" and behind:
        by, place = behind[1], span._replace(end=behind.end())
    else:
        return None
    code, message, hint = derivative(by, body)
    return error(code, message, place, hint=hint)
