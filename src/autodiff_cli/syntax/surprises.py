"""A token that cannot stand where it stands in, what was meant by it out: one function a slip, asked in order."""

from __future__ import annotations

import re

from .checks import brackets
from .foreign import FOREIGN
from .found import ENDS, Found, before, mistakes
from .neighbours import NEIGHBOURS, strings
from .slips import Edit, Slip, shown
from .statements import SAMPLES, STATEMENTS, block, bracketed, colon, indent, inline_else, spreadsheet, without_else
from .words import RESERVED

SPOKEN = {
    "COLON": "`:`", "COMMA": "`,`", "DEF": "`def`", "IN": "`in`", "LPAR": "`(`", "NAME": "a name", "NEWLINE": "a new line", "RPAR": "`)`",
}  # fmt: skip
CLOSING = frozenset(("RPAR", "RSQB"))
OPERATORS = frozenset(("SIGN", "TIMES", "POWER", "COMPARE", "AT", "VBAR", "AMPERSAND", "AND", "OR", "IN", "EQUAL", "AUGMENT"))


def _brackets(found: Found) -> Slip | None:
    """A bracket that closes the wrong one, or none."""
    slip = brackets(found.text) if found.kind in CLOSING else None
    return slip if slip is not None and slip.start == found.start else None


def _split(found: Found) -> Slip | None:
    """Two operators that are one: `= =`, `=<`, `&&`."""
    start, end = found.last
    joined = found.previous + found.word
    new = mistakes()["operators"].get(joined)
    if new is None or not found.previous or (found.text[end : found.start].strip() and end < found.start):
        return None
    typed = found.text[start : found.end]
    mended = _spaced(found.text, start, found.end, new)
    message = f"{shown(typed)} is not an operator"
    return Slip(
        "unknown-operator", message, start, found.end, f"did you mean `{new.strip()}`?", repairs=((Edit(start, found.end, mended),),)
    )


def _spaced(text: str, start: int, end: int, new: str) -> str:
    """A word operator with no more blanks round it than it needs."""
    return new.strip() if text[start - 1 : start].isspace() and text[end : end + 1].isspace() else new


def _arrow(found: Found) -> Slip | None:
    """`x -> x**2`."""
    start, end = found.last
    if found.previous + found.word != "->" or end < found.start:
        return None
    line = max(found.text.rfind("\n", 0, start), found.text.rfind(";", 0, start), found.text.rfind("=", 0, start)) + 1
    names = re.fullmatch(r"\s*\(?\s*([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s*\)?\s*", found.text[line:start])
    body = re.compile(r"[^\n;]*").match(found.text, found.end)
    hint = f"def f({names[1]}): return {body[0].strip()}" if names and body and body[0].strip() else "x > y or x - y"
    return Slip(
        "unknown-operator", "`->` is not an operator", start, found.end, "a function is made with `def`" if names else "", hint=hint
    )


def _tilde(found: Found) -> Slip | None:
    if found.kind != "TILDE" or found.wants_value or found.text[found.end : found.end + 1] != "=":
        return None
    end = found.end + 1
    return Slip(
        "unknown-operator", "`~=` is not an operator", found.start, end, "did you mean `!=`?", repairs=((Edit(found.start, end, "!="),),)
    )


def _bars(found: Found) -> Slip | None:
    """`|x|` and `||v||`."""
    if found.kind != "VBAR" or not found.wants_value:
        return None
    text, start = found.text, found.start
    mark, word = ("||", "norm") if text.startswith("||", start) else ("|", "abs")
    close = text.find(mark, start + len(mark))
    if close < 0:
        return Slip("bars", "`|` joins two conditions, and the first is missing", start, found.end, hint="(x < 0) | (x > 1)")
    end = close + len(mark)
    repairs = ((Edit(start, end, f"{word}({text[start + len(mark) : close]})"),),)
    what = "an absolute value" if word == "abs" else "a norm"
    return Slip("bars", f"bars are not read as {what}", start, end, f"did you mean `{word}`?", repairs=repairs)


def _percent(found: Found) -> Slip | None:
    """`50%` and `50% * x`."""
    if found.previous != "%" or not found.wants_value or found.kind not in ENDS | CLOSING | OPERATORS - {"SIGN"}:
        return None
    start, end = found.last
    left = before(found.text, start)
    repairs = ((Edit(start, end, "/100"),),)
    return Slip("percent", "`%` is the remainder of a division", left, end, "a percentage is divided by 100", repairs=repairs)


def _increment(found: Found) -> Slip | None:
    start, end = found.last
    sign = found.text[start - 1 : end]
    if sign not in ("++", "--") or not found.wants_value or found.kind not in ENDS:
        return None
    repairs = ((Edit(start - 1, end, f" {sign[0]}= 1"),),)
    return Slip("unknown-operator", f"`{sign}` is not an operator", start - 1, end, f"did you mean `{sign[0]}= 1`?", repairs=repairs)


def _unpacking(found: Found) -> Slip | None:
    if found.word not in ("*", "**") or not found.wants_value or found.previous not in ("(", ",", "["):
        return None
    return Slip(
        "unpacking",
        f"`{found.word}` does not unpack arguments",
        found.start,
        found.end,
        "a value is missing before it",
        hint="f(v[0], v[1])",
    )


def _lines(found: Found) -> Slip | None:
    """An expression that goes over lines without brackets."""
    if found.kind != "NEWLINE" or not found.wants_value or not found.text[found.start :].strip():
        return None
    start, end = found.last
    message = f"the line ends after `{found.previous}`"
    label = "only inside brackets an expression goes on over lines"
    return Slip("missing-value", message, start, end, label, _sample(found), bracketed(found.text, end, found.end))


def _nothing(found: Found) -> Slip | None:
    """`v[]`, `[1,,2]` and `y;;`."""
    start, _ = found.last
    pair = found.previous + found.word
    if pair == "[]":
        left = before(found.text, start)
        repairs = ((Edit(found.start, found.start, "0"),),)
        return Slip("missing-value", "an index is missing", left, found.end, "nothing is between the brackets", repairs=repairs)
    if pair in (",,", ";;"):
        return Slip(
            "missing-value",
            f"nothing stands between two `{found.word}`",
            start,
            found.end,
            "one is enough",
            repairs=((Edit(found.start, found.end, ""),),),
        )
    return None


def _reserved(found: Found) -> Slip | None:
    if not found.wants_value or found.word not in RESERVED or found.kind in ("AND", "OR"):
        return None
    message = f"`{found.word}` is a reserved word, and a value is wanted here"
    after_operator = found.stack and getattr(found.stack[-1], "type", "") in OPERATORS
    hint = (
        "x if x > 0 else 0"
        if found.word in ("if", "else", "elif")
        else "[x**2 for x in v]"
        if found.word == "for"
        else f'col("{found.word}")'
    )
    return Slip("reserved-word", message, found.start, found.end, "no variable can be called so" if not after_operator else "", hint=hint)


def _first(found: Found) -> Slip | None:
    """An operator that begins an expression."""
    if not found.wants_value or (found.stack and found.last[0] < found.last[1] and found.previous not in "([;"):
        return None
    message = f"a value is missing before `{found.word}`" if found.word.strip() else "a value is missing here"
    blank = " " if found.word.isalpha() or found.text[found.end : found.end + 1].isspace() else ""
    repairs = ((Edit(found.start, found.start, "x" + blank),),) if found.kind in OPERATORS else ()
    hint = f"x {found.word.strip() or '+'} 2"
    return Slip("missing-value", message, found.start, found.end, "nothing stands before it", hint, repairs)


def _end(found: Found) -> Slip | None:
    """An operator that ends an expression."""
    if not found.wants_value or found.kind not in ENDS | CLOSING:
        return None
    start, end = found.last
    where = f", before `{found.word}`" if found.kind in CLOSING else ""
    blank = "" if re.fullmatch(r"[*/^@%+-]+", found.previous) and not found.text[start - 1 : start].isspace() else " "
    value = "0" if found.previous == "else" else "x" if found.previous == "not" else "2"
    repairs = ((Edit(end, end, blank + value),),) if start else ()
    return Slip(
        "missing-value", f"a value is missing after `{found.previous}`{where}", start, end, "nothing follows", _sample(found), repairs
    )


def _sample(found: Found) -> str:
    """The operator that was found with a value behind it."""
    start, end = found.last
    left = before(found.text, len(found.text[:start].rstrip()))
    blank = "" if re.fullmatch(r"[*/^@%+-]+", found.previous) and not found.text[start - 1 : start].isspace() else " "
    return f"{found.text[left:end].strip()}{blank}2" if end - left < 60 and found.previous != "@" else f"x{found.previous}2"


def _gap(found: Found) -> Slip | None:
    """Two operators between two values."""
    if not found.wants_value:
        return None
    start, end = found.last
    message = f"a value is missing between `{found.previous}` and `{found.word}`"
    repairs = ((Edit(start, found.start, ""),), (Edit(end, found.end, ""),)) if found.kind in OPERATORS else ()
    return Slip(
        "missing-value", message, start, found.end, "one is enough" if repairs else "", repairs=repairs, hint=None if repairs else "x + 2"
    )


def _comma(found: Found) -> Slip | None:
    if found.kind != "COMMA":
        return None
    number = re.search(r"(?<![\w.])\d+\Z", found.text[: found.start])
    digits = re.compile(r"\d+").match(found.text, found.end)
    if number and digits:
        repairs = ((Edit(found.start, found.end, "."),),)
        return Slip(
            "bare-comma",
            f"{shown(number[0] + ',' + digits[0])} is no number",
            number.start(),
            digits.end(),
            "a number has a point",
            repairs=repairs,
        )
    return Slip("bare-comma", "a comma cannot stand here", found.start, found.end, "several values need brackets", hint="[a, b]")


def _dot(found: Found) -> Slip | None:
    if found.previous != "." or "NAME" not in found.wanted:
        return None
    start, end = found.last
    return Slip("attribute", "a name is missing after `.`", start, end, hint=f"{found.text[before(found.text, start) : start]}.T")


def _other(found: Found) -> Slip:
    """Anything else."""
    word = shown(found.word) if found.word.strip() else "the end of the line"
    end = found.end if found.end > found.start and found.word.strip() else found.start
    if "NAME" in found.wanted and not found.wants_value:
        return Slip("missing-name", f"a name is wanted here, and {word} was found", found.start, end, hint=_header_sample(found) or "x")
    if found.kind == "COLON":
        label = "it ends the line of an `if`, `for`, `while` or `def`, and stands in slices"
        return Slip("misplaced", f"{word} cannot stand here", found.start, end, label, "v[1:3]", ((Edit(found.start, end, " ="),),))
    names = sorted(SPOKEN.get(name, "") for name in found.wanted)
    label = f"expected {' or '.join(names)}" if 0 < len(names) <= 3 and all(names) else "what stands before it is complete"
    return Slip("misplaced", f"{word} cannot stand here", found.start, end, label, _header_sample(found))


def _header_sample(found: Found) -> str | None:
    """How the line would go that has begun."""
    line = found.text[: found.start].replace("\r", "\n").rpartition("\n")[2].split()
    return SAMPLES.get(line[0]) if line else None


SURPRISES = (
    _brackets, *FOREIGN, block, spreadsheet, indent, _split, _arrow, _tilde, _bars, _percent, _increment, _unpacking, inline_else, _lines, _dot, _nothing, strings,
    _reserved, _first, _end, _gap, colon, without_else, *NEIGHBOURS, *STATEMENTS, _comma, _other,
)  # fmt: skip
