"""A statement as other languages write it in, how it is written here out: one function a slip, asked before all others."""

from __future__ import annotations

import re

from .found import Found, after, mistakes
from .slips import Edit, Slip
from .statements import parts
from .unnamed import before_line
from .words import RESERVED

COUNTED = re.compile(
    r"for\s*\(\s*(?:(?:int|let|var|auto)\s+)?(\w+)\s*=\s*([^;\n]+?)\s*;\s*\1\s*(<=?)\s*([^;\n]+?)\s*;\s*(?:\1\s*\+\+|\+\+\s*\1|\1\s*\+=\s*1)\s*\)\s*:?"
)
BRACED = re.compile(r"([ \t]*(?:if|elif|else|for|while)\b[^{}\n]*?)[ \t]*\{[ \t]*([^{}\n]*?)[ \t]*;?[ \t]*\}[ \t]*(?=[\r\n]|\Z)")
STARS = {"*": "any number of values", "**": "values by any name", "/": "places alone, or for names alone"}


def _line(found: Found) -> tuple[int, str]:
    """Where the line of a place begins, and the line."""
    start = max(found.text.rfind(mark, 0, found.start) for mark in "\n\r") + 1
    line = re.compile(r"[^\r\n]*").match(found.text, start)
    return start, line[0] if line else ""


def _header(found: Found) -> Slip | None:
    """`else if x > 2:`, `elsif x > 2:`, `foreach a in v:`."""
    first, line = _line(found)
    table = mistakes()["headers"]
    head = re.match(rf"[ \t]*({'|'.join(table)})\b(?![ \t]*(?:[-+*/%]?=(?!=)))", line)
    if head is None or not line[head.end() :].strip():
        return None
    start, word = first + head.start(1), head[1]
    new = table[" ".join(word.split())]
    repairs = ((Edit(start, first + head.end(), new),),)
    hint = f"{new}{line[head.end() :].rstrip()}"
    return Slip(
        "no-such-statement", f"`{word}` is not part of the language", start, first + head.end(), f"did you mean `{new}`?", hint, repairs
    )


def _counted(found: Found) -> Slip | None:
    """`for (i = 0; i < 3; i++)`."""
    first, line = _line(found)
    loop = COUNTED.search(line)
    if loop is None:
        return None
    name, start, sign, stop = loop.groups()
    stop = stop if sign == "<" else str(int(stop) + 1) if stop.isdigit() else f"{stop} + 1"
    hint = f"for {name} in range({stop}):" if start == "0" else f"for {name} in range({start}, {stop}):"
    return Slip(
        "no-such-statement",
        "`for` goes over what stands behind `in`",
        first + loop.start(),
        first + loop.end(),
        "it counts with `range`",
        hint,
    )


def braced(found: Found) -> Slip | None:
    """`if (x > 0) { y = x }`."""
    first, line = _line(found)
    at = line.find("{")
    if at < 0 or not re.match(r"[ \t]*(?:\}[ \t]*)?(?:if|elif|else|for|while|def)\b[^:'\"]*\Z", line[:at]):
        return None
    block = BRACED.fullmatch(line)
    hint = (
        f"{block[1].strip()}: {block[2]}"
        if block and block[2]
        else f"{line[:at].strip().lstrip('} ')}: and its lines under it, indented by four spaces"
    )
    return Slip("no-such-statement", "a block has no braces", first + at, first + at + 1, "it begins with `:`", hint)


def _walrus(found: Found) -> Slip | None:
    """`(y := x**2) + y`."""
    at = found.text.find(":=", max(found.start - 1, 0), found.start + 2)
    head = re.search(r"\(\s*([^\W\d]\w*)\s*\Z", found.text[:at]) if at > 0 else None
    if head is None:
        return None
    end = after(found.text, head.start())
    value = found.text[at + 2 : end - 1].strip()
    edits, hint = before_line(found.text, (head.start(), end), f"{head[1]} = {value}", head[1])
    return Slip("unknown-operator", "`:=` is not an operator", at, at + 2, "a value is given on a line of its own", hint, (edits,))


def _reserved(found: Found) -> Slip | None:
    """`for = 3`."""
    first, line = _line(found)
    head = re.match(r"[ \t]*(\w+)[ \t]*((?:[-+*/%]|//|\*\*)?=(?!=)[^;]*)", line)
    if head is None or head[1] not in RESERVED or not first <= found.start <= first + head.start(2):
        return None
    message = f"`{head[1]}` is a reserved word, and no variable can be called so"
    return Slip("reserved-word", message, first + head.start(1), first + head.end(1), hint=f"{head[1]}_ {head[2].rstrip()}")


def _parameter(found: Found) -> Slip | None:
    """`def f(*a)`, `def f(a, /)`."""
    first, line = _line(found)
    head = re.match(r"[ \t]*def\s+\w+\s*\(", line)
    if head is None or found.word not in STARS or "NAME" not in found.wanted or found.wants_value:
        return None
    inside = found.text[first + head.end() : after(found.text, first + head.end() - 1) - 1]
    plain = [part for part in parts(inside) if part[:1] not in ("*", "/")]
    star = re.compile(r"\*{1,2}\s*\w*|/").match(found.text, found.start)
    message = f"a function has no parameter for {STARS[found.word]}"
    hint = f"{head[0].strip()}{', '.join(plain) or 'a, b'}): …"
    return Slip("parameter-kind", message, found.start, star.end() if star else found.end, "every parameter has a name", hint)


FOREIGN = (_header, _counted, _walrus, _reserved, _parameter)
