"""A function without a name in, `lambda a: a**2` or `make(3)(x)`, the slip that gives it one out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .slips import Edit, Slip, apply, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .found import Found

HEAD = re.compile(r"lambda\b([^:\n]*):[ \t]*")
BLOCKS = re.compile(r"(?:if|elif|else|for|while|def)\b")
MESSAGE = "`lambda` is not part of the language"
NAMES = "fghpqrst"


def without_name(found: Found, start: int) -> Slip | None:
    """`lambda a: a**2`, which is `def f(a): return a**2`."""
    text = found.text
    head = HEAD.match(text, start)
    if head is None:
        return None
    end = _end(text, head.end())
    if re.search(r"\b(?:grad|deriv|jacobian|hessian|jvp|hvp)\(\s*\Z", text[:start]):
        repairs = ((Edit(start, head.end(), ""),),)
        return Slip("no-such-statement", MESSAGE, start, head.end(), "a derivative is one of an expression", "grad(x**2, x)", repairs)
    first = _line(text, start)
    params, body = head[1].strip(), text[head.end() : end].strip()
    whole = re.compile(r"\s*([^\W\d]\w*)\s*=\s*\Z").match(text[first:start])
    edits: tuple[Edit, ...]
    if whole and not text[end : _stop(text, end)].strip():
        hint = f"def {whole[1]}({params}): return {body}"
        edits = (Edit(first + whole.start(1), end, hint),)
    else:
        name = next(_names(text))
        edits, hint = before_line(text, (start, end), f"def {name}({params}): return {body}", name)
        if hint.endswith(f"\n{name}"):
            hint += f"({', '.join([p.partition('=')[0].strip() for p in params.split(',')])})"
    label = "a function has a name here"
    stop = head.end() - (len(head[0]) - len(head[0].rstrip()))
    return Slip("no-such-statement", MESSAGE, start, stop, label, hint, (edits,))


def at_once(text: str, start: int, opening: int, end: int) -> Slip | None:
    """`make(3)(x)`, where `make` gives back a function."""
    name = re.compile(r"\w+").match(text, start)
    if name is None or not _gives_function(text, name[0]):
        return None
    made = text[start:opening].rstrip()
    own = next(_names(text))
    edits, hint = before_line(text, (start, start + len(made)), f"{own} = {made}", own)
    message = f"{shown(made)} gives back a function, and a function is called by its name"
    return Slip("function-value", message, start, end, "give it a name first", hint, (edits,))


def before_line(text: str, place: tuple[int, int], statement: str, name: str) -> tuple[tuple[Edit, ...], str]:
    """A statement before the line of a place, and its name at the place; the same as lines to type."""
    start, end = place
    first = _line(text, start)
    if text[start - 1 : start] == "(" and text[end : end + 1] == ")" and not re.search(r"\w\(\Z", text[:start]):
        start, end = start - 1, end + 1
    blank = text[first : len(text) - len(text[first:].lstrip())]
    edits = (Edit(first + len(blank), first + len(blank), f"{statement}\n{blank}"), Edit(start, end, name))
    line = text[first : _stop(text, end)]
    moved = apply(line, (Edit(start - first, end - first, name),)).strip()
    return edits, f"{statement}\n{moved}"


def _gives_function(text: str, name: str) -> bool:
    """Whether a function of the text gives back one of its functions."""
    head = re.search(rf"^([ \t]*)def\s+{name}\s*\([^\n]*", text, re.MULTILINE)
    if head is None:
        return False
    inside = re.compile(rf"(?:\n(?:{head[1]}[ \t]+[^\n]*|[ \t]*(?=\n)))*").match(text, head.end())
    given = re.findall(r"\breturn\s+(\w+)[ \t]*$", head[0] + (inside[0] if inside else ""), re.MULTILINE)
    return not {*re.findall(r"\bdef\s+(\w+)", text)}.isdisjoint(given)


def _names(text: str) -> Iterator[str]:
    used = set(re.findall(r"\w+", text))
    yield from [name for name in (*NAMES, *[f"f{k}" for k in range(1 + len(used))]) if name not in used]


def _line(text: str, at: int) -> int:
    """Where the statement begins that holds a place."""
    return max(text.rfind(mark, 0, at) for mark in "\n\r;") + 1


def _stop(text: str, at: int) -> int:
    """Where the statement ends."""
    rest = re.compile(r"[^\n\r;]*").match(text, at)
    return rest.end() if rest else at


def _end(text: str, start: int) -> int:
    """Where the body of a `lambda` ends: at a comma, a bracket that it did not open, or the end of the statement."""
    depth = 0
    for k in range(start, len(text)):
        mark = text[k]
        if mark in "\n\r;" or (not depth and mark in ",)]"):
            return k
        depth += (mark in "([") - (mark in ")]")
    return len(text)
