"""Two values without an operator between them in, what was meant out: one function a slip, asked in order."""

from __future__ import annotations

import re

from .found import Found, after, between, mistakes
from .slips import Edit, Slip, shown

VALUES = frozenset(("NUMBER", "NAME", "STRING", "TRUE", "FALSE", "NONE", "NOT", "TILDE", "LPAR", "LSQB", "ELLIPSIS", "DEF", "RETURN", "PASS", "BREAK", "CONTINUE", "WHILE"))


def _number(found: Found) -> Slip | None:
    """What is glued to a number: `1j`, `2e`, `0x1F`, `1.2.3`, `1__0`."""
    start, end = found.last
    number, word = found.previous, found.word
    if found.wants_value or not re.fullmatch(r"[\d._eE+-]+", number) or end != found.start or found.kind not in ("NAME", "NUMBER"):
        return None
    whole = number + word
    if found.kind == "NUMBER":
        return Slip("bad-number", f"{shown(whole)} has two decimal points", start, found.end, "a number has one", repairs=((Edit(found.start, found.end, word.replace(".", "")),),))
    if word in ("j", "J", "i"):
        return _imaginary(found, whole)
    if re.fullmatch(r"[eE]", word):
        times = (Edit(end, found.end, "*e"),)
        return Slip("bad-number", f"`{whole}` has no digits after the `{word}`", start, found.end, "an exponent is missing", repairs=((Edit(found.end, found.end, "3"),), times))
    if number == "0" and re.fullmatch(r"[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+", word):
        return Slip("bad-number", f"`{whole}` is not written in decimal", start, found.end, repairs=((Edit(start, found.end, str(int(whole, 0))),),))
    if word.startswith("_"):
        plain = (Edit(start, found.end, whole.replace("_", "")),)
        return Slip("bad-number", f"{shown(whole)} has an underscore too many", start, found.end, "one stands between two digits", repairs=(plain,))
    return None


def _imaginary(found: Found, whole: str) -> Slip | None:
    if found.word == "i" and found.text[found.end : found.end + 1] in ("(", "[", "."):
        return None
    start, _ = found.last
    hint = "the real and the imaginary part are two expressions: cos(t) and sin(t) for exp(1j*t)"
    repairs = ((Edit(found.start, found.start, "*"),),) if found.word == "i" else ()
    return Slip("imaginary-number", f"`{whole}` is imaginary, and every number is real", start, found.end, hint=hint if not repairs else None, repairs=repairs)


def _numbers(found: Found) -> Slip | None:
    """`1 000`."""
    start, end = found.last
    if found.kind != "NUMBER" or found.wants_value or not re.fullmatch(r"[\d.]+", found.previous):
        return None
    joined = (Edit(end, found.start, ""),) if "." not in found.previous + found.word else None
    repairs = (*((joined,) if joined else ()), (Edit(end, found.start, "*"),))
    return Slip("missing-operator", "no operator between two numbers", start, found.end, repairs=repairs)


def _words(found: Found) -> Slip | None:
    """Words of Python and of other languages."""
    if found.wants_value or not found.stack:
        return None
    start, end = found.last
    table = mistakes()
    word = found.previous
    if word in table["words"]:
        return _word(found, word, start, table["words"][word])
    typed = found.word
    if typed == "is" and (negated := re.compile(r"is\s+not\b").match(found.text, found.start)):
        return Slip("unknown-operator", "`is not` is not an operator", found.start, negated.end(), repairs=((Edit(found.start, negated.end(), "!="),),))
    if typed in table["infix"] and re.match(r"\s*[\w(\[.+-]", found.text[found.end :]):
        new = table["infix"][typed]
        return Slip("unknown-operator", f"`{typed}` is not an operator", found.start, found.end, f"did you mean `{new}`?", repairs=((Edit(found.start, found.end, new),),))
    return None


def _word(found: Found, word: str, start: int, entry: list[str]) -> Slip:
    reason, hint = entry
    line = re.compile(r"[^\n;]*").match(found.text, start)
    end = line.end() if line else found.end
    repairs: tuple[tuple[Edit, ...], ...] = ()
    if word == "lambda" and (head := re.compile(r"lambda\b[^:\n]*:\s*").match(found.text, start)):
        repairs = ((Edit(start, head.end(), ""),),)
        end = head.end() - (len(head[0]) - len(head[0].rstrip()))
    elif word in ("let", "var", "const", "global", "nonlocal", "print"):
        repairs = ((Edit(start, found.start, ""),),) if word in ("let", "var", "const", "print") else ()
        end = start + len(word)
    elif word in ("import", "from") and found.text[end:].strip(" ;\n\r\t"):
        repairs = ((Edit(start, min(end + 1, len(found.text)), ""),),)
    return Slip("no-such-statement", f"`{word}` is not part of the language", start, end, reason, hint=None if repairs else hint, repairs=repairs)


def _application(found: Found) -> Slip | None:
    """`sin x`."""
    start, end = found.last
    name = found.previous
    if found.wants_value or found.kind not in ("NAME", "NUMBER") or not name.isidentifier() or name not in _functions(found.text):
        return None
    right = after(found.text, found.start)
    repairs = ((Edit(end, right, f"({found.text[found.start : right]})"),),)
    return Slip("missing-brackets", f"`{name}` is a function, and its argument has no brackets", start, right, repairs=repairs)


def _functions(text: str) -> set[str]:
    from ..ops import FUNCTIONS

    return {*FUNCTIONS, *re.findall(r"\bdef\s+(\w+)", text), "sum", "mean", "prod", "norm", "det", "grad", "softmax"}


def strings(found: Found) -> Slip | None:
    """A text that is no argument, or has a letter before it."""
    if found.kind != "STRING":
        return None
    start, end = found.last
    if found.text.startswith(found.word[0] * 3, found.start):
        return Slip("string", "a text has one quote at each end, and here are three", found.start, found.start + 3, hint='col("Mean power (MW)")')
    if found.previous.lower() in ("r", "b", "f", "u", "rb", "br", "fr", "rf") and end == found.start:
        return Slip("string", f"a text has no letter before it: `{found.previous}`", start, found.end, repairs=((Edit(start, end, ""),),))
    hint = f"col({found.word})" if len(found.word) < 40 else 'col("Mean power (MW)")'
    return Slip("string", "a text stands only as an argument of a function", found.start, found.end, "a column is read with `col`", hint=hint)


def _two_values(found: Found) -> Slip | None:
    return between(found) if found.kind in VALUES and not found.wants_value and "SIGN" in found.wanted else None


def _statements(found: Found) -> Slip | None:
    """`x = 1 y = 2`."""
    if found.wants_value or found.kind != "NAME" or not re.compile(r"\s*=(?!=)").match(found.text, found.end) or "NEWLINE" not in found.wanted:
        return None
    _, end = found.last
    return Slip("missing-operator", "two statements stand on one line", found.start, found.end, "`;` goes between them", repairs=((Edit(end, found.start, "; "),),))


NEIGHBOURS = (_words, _number, _numbers, _statements, _application, _two_values)
