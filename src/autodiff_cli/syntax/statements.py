"""A token that ends a statement badly in, what was meant by it out: headers, blocks, `else`, `=` and `for`."""

from __future__ import annotations

import re

from .found import ENDS, Found, after
from .slips import Edit, Slip

SAMPLES = {
    "def": "def f(x): return x**2", "for": "for i in range(3): y += i", "while": "while x > 1: x = x/2", "if": "if x > 0: y = x", "elif": "elif x > 0: y = x",
}  # fmt: skip
HEADERS = frozenset(("IF", "ELIF", "ELSE", "FOR", "WHILE", "DEF"))


def spreadsheet(found: Found) -> Slip | None:
    """`if(x > 0, x, 0)`, as in a spreadsheet."""
    start = found.start if found.kind == "IF" and found.wants_value else _header(found) if "COLON" in found.wanted else None
    opening = None if start is None else re.compile(r"if\s*(?=\()").match(found.text, start)
    if start is None or opening is None:
        return None
    end = after(found.text, opening.end())
    given = parts(found.text[opening.end() + 1 : end - 1])
    if len(given) not in (2, 3):
        return None
    repairs = ((Edit(start, end, f"where({', '.join([*given, '0'][:3])})"),),)
    return Slip("reserved-word", "`if` is not a function", start, end, "did you mean `where`?", repairs=repairs)


def parts(text: str) -> list[str]:
    """What stands between the commas that are in no bracket."""
    found, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            found.append(text[start:k].strip())
            start = k + 1
    return [*found, text[start:].strip()]


def colon(found: Found) -> Slip | None:
    """A header without its colon."""
    header = _header(found)
    if "COLON" not in found.wanted or header is None or "NAME" in found.wanted:
        return None
    _, end = found.last
    if found.kind == "EQUAL" or re.compile(r"[^\n;\[]*:").match(found.text, found.start):
        return None
    taken = found.end if found.word in ("then", "do") else end
    (word,) = re.findall(r"\A\w+", found.text[header : header + 6])
    message = f"a colon is missing at the end of this `{word}`"
    if not found.text[taken:].strip():
        return Slip("missing-colon", message, header, end, "write `:` and a block behind it", SAMPLES.get(word))
    return Slip("missing-colon", message, header, end, "write `:` behind it", repairs=((Edit(end, taken, ":"),),))


def _header(found: Found) -> int | None:
    """Where the `if`, `for`, `while` or `def` of this line begins."""
    closed = 0
    for item in reversed(found.stack):
        kind = getattr(item, "type", "")
        if kind == "RPAR" or (kind == "LPAR" and closed):
            closed += 1 if kind == "RPAR" else -1
            continue
        if kind in ("LPAR", "LSQB", "NEWLINE", "INDENT", "COLON"):
            return None
        if kind in HEADERS:
            start: int = item.start_pos
            line = max(found.text.rfind("\n", 0, start), found.text.rfind("\r", 0, start)) + 1
            return start if not found.text[line:start].strip() else None
    return None


def without_else(found: Found) -> Slip | None:
    """`a if c` without `else`."""
    if "ELSE" not in found.wanted or found.kind == "ELSE" or found.kind not in ENDS | {"RPAR", "RSQB", "COMMA", "SEMICOLON"}:
        return None
    _, end = found.last
    at = next((item.start_pos for item in reversed(found.stack) if getattr(item, "type", "") == "IF"), end)
    return Slip("missing-else", "this `if` has no `else`", at, end, "a choice needs both values", repairs=((Edit(end, end, " else 0"),),))


def inline_else(found: Found) -> Slip | None:
    """`else` where no `if` is open, or on the line of its `if`."""
    if found.kind not in ("ELSE", "ELIF") or "IF" not in found.wanted and found.wants_value:
        return None
    if found.kind == "ELSE" and _of_loop(found):
        return Slip(
            "misplaced-else", "a loop has no `else`", found.start, found.end, "its lines go behind the loop",
            hint="without `break`, write them right under the loop; with it, under `if not left:`, where `left = True` stands before `break`",
        )  # fmt: skip
    line = re.search(r"(?:\A|[\n;])[ \t]*if\s+([^:\n]+):\s*([^:\n;]+?)\s*;?\s*\Z", found.text[: found.start])
    rest = re.compile(r"else\s*:\s*([^\n;]+)").match(found.text, found.start)
    hint = _choice(line[1], line[2], rest[1].strip()) if line and rest else "x if x > 0 else 0"
    return Slip(
        "misplaced-else",
        f"no `if` is open for this `{found.word}`",
        found.start,
        found.end,
        "it stands at the start of a line, under its `if`",
        hint=hint,
    )


def _of_loop(found: Found) -> bool:
    """Whether the last line that stands as far left is the header of a loop."""
    *above, this = re.split(r"\r\n?|\n", found.text[: found.start])
    for line in reversed(above):
        if line.strip() and len(line) - len(line.lstrip()) <= len(this):
            return len(line) - len(line.lstrip()) == len(this) and re.match(r"\s*(for|while)\b", line) is not None
    return False


def _choice(condition: str, then: str, otherwise: str) -> str:
    """`if c: y = a` and `else: y = b` as one expression."""
    name = re.match(r"(\w+)\s*=(?!=)\s*", then)
    same = name and re.match(rf"{name[1]}\s*=(?!=)\s*", otherwise)
    start, then, otherwise = (f"{name[1]} = ", then[name.end() :], otherwise[same.end() :]) if name and same else ("", then, otherwise)
    return f"{start}{then} if {condition.strip()} else {otherwise}"


def block(found: Found) -> Slip | None:
    """A header with nothing under it."""
    if "INDENT" not in found.wanted:
        return None
    line = found.text[: found.start].rstrip()
    start = max(line.rfind("\n"), line.rfind("\r")) + 1
    start += len(line[start:]) - len(line[start:].lstrip())
    word = re.match(r"\w*", line[start:])
    message = f"the block of this `{word[0] if word else ''}` is missing"
    return Slip("missing-block", message, start, len(line), "the lines after it are its block", hint="indent them by four spaces")


def indent(found: Found) -> Slip | None:
    """A line that is indented where no block begins; one that begins with an operator goes on with the line before."""
    if found.kind != "INDENT":
        return None
    text, start = found.text, found.start
    end = max(after(text, start), start + 1)
    if not re.compile(r"[*/^@%+<>=&|−×·÷-]|(?:and|or|if|else)\b").match(text, start):
        return Slip(
            "indentation", "this line is indented, and no block begins here", start, end, hint="begin it right under the line before"
        )
    repairs = bracketed(text, len(text[:start].rstrip()), start)
    label = "only inside brackets an expression goes on over lines"
    return Slip("indentation", "this line goes on with the one before", start, end, label, "(x +\n y)", repairs)


def bracketed(text: str, end: int, start: int) -> tuple[tuple[Edit, ...], ...]:
    """The repair that makes one expression in brackets of the line that ends at `end` and the one that goes on at `start`."""
    first = max(text.rfind(mark, 0, end) for mark in "\n\r;") + 1
    head = re.compile(r"\s*(?:[^\W\d]\w*\s*=(?!=)\s*)?").match(text, first, end)
    line = re.compile(r"[^\r\n;]*").match(text, start)
    if line and re.match(r"[^\W\d]\w*\s*=(?!=)", line[0]):
        return ()
    opening, stop = head.end() if head else first, line.end() if line else start
    return ((Edit(opening, opening, "("), Edit(end, start, " "), Edit(stop, stop, ")")),)


def _decorator(found: Found) -> Slip | None:
    if found.wanted <= {"DEF", "AT"}:
        return Slip(
            "decorator",
            "after a line with `@` comes a `def`",
            found.start,
            max(found.end, found.start),
            hint="@derivative(f)\ndef _(x): return 2*x",
        )
    return None


def _annotation(found: Found) -> Slip | None:
    if found.kind == "COLON" and not found.wants_value and re.compile(r":\s*\w+\s*[=,)]").match(found.text, found.start):
        kind = re.compile(r":\s*\w+(?=\s*[=,)])").match(found.text, found.start)
        end = kind.end() if kind else found.end
        return Slip(
            "annotation", "a name has no type written behind it", found.start, end, "take it out", repairs=((Edit(found.start, end, ""),),)
        )
    return None


def _arrow(found: Found) -> Slip | None:
    """`def f(x) -> float:` and `x := 2`."""
    text, start = found.text, found.start
    kind = re.compile(r"->\s*\w+").match(text, start)
    if kind:
        left = len(text[:start].rstrip())
        return Slip(
            "annotation",
            "a function has no type written behind it",
            start,
            kind.end(),
            "take it out",
            repairs=((Edit(left, kind.end(), ""),),),
        )
    if text.startswith(":=", start):
        return Slip(
            "unknown-operator", "`:=` is not an operator", start, start + 2, "did you mean `=`?", repairs=((Edit(start, start + 2, "="),),)
        )
    return None


def _equal(found: Found) -> Slip | None:
    if found.kind not in ("EQUAL", "AUGMENT") or found.wants_value:
        return None
    text = found.text
    line = text[max(text.rfind("\n", 0, found.start), text.rfind(";", 0, found.start)) + 1 : found.start]
    chained = re.fullmatch(r"\s*(\w+)\s*=\s*(\w+)\s*", line)
    counted = re.compile(r"\s*for\s+(\w+)\s*=\s*([^:\n]+?)\s*:\s*(\w+)").match(text, found.start - len(line))
    if found.kind == "EQUAL" and counted:
        name, first, last = counted.groups()
        end = str(int(last) + 1) if last.isdigit() else f"{last} + 1"
        hint = f"for {name} in range({first}, {end}):"
        return Slip("assignment-inside", "`for` goes over what stands behind `in`", found.start, found.end, hint=hint)
    if found.kind == "EQUAL" and chained:
        first, second = chained.groups()
        value = re.compile(r"[^\n;]*").match(text, found.end)
        hint = f"{second} = {value[0].strip() if value else ''}; {first} = {second}"
        return Slip("assignment-inside", "one line gives a value to one name", found.start, found.end, "the second `=`", hint=hint)
    if found.kind == "AUGMENT":
        return Slip(
            "assignment-inside", f"`{found.word}` cannot stand inside an expression", found.start, found.end, hint=f"x {found.word} 1"
        )
    repairs = ((Edit(found.start, found.end, "=="),),)
    return Slip(
        "assignment-inside",
        "`=` gives a value to a name, and cannot stand here",
        found.start,
        found.end,
        "a comparison is written `==`",
        repairs=repairs,
    )


def _generator(found: Found) -> Slip | None:
    if found.kind != "FOR" or found.wants_value:
        return None
    opening = next((item for item in reversed(found.stack) if getattr(item, "type", "") in ("LPAR", "LSQB")), None)
    message = "a `for` inside an expression makes a list"
    start = opening.start_pos if opening is not None else found.start
    end = after(found.text, start) if opening is not None else found.end
    inner = found.text[start + 1 : end - 1]
    repairs = ((Edit(start, end, f"[{inner}]"),),) if opening is not None and opening.type == "LPAR" and "," not in inner else ()
    return Slip(
        "comprehension",
        message,
        found.start,
        found.end,
        "a list has square brackets",
        hint=None if repairs else "[x**2 for x in v]",
        repairs=repairs,
    )


STATEMENTS = (_annotation, _arrow, _equal, _generator, _decorator)
