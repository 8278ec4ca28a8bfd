"""Two values without an operator between them in, what was meant out: one function a slip, asked in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .found import REACH, Found, after, before, between, leibniz, mistakes
from .slips import Edit, Slip, shown
from .unnamed import without_name

if TYPE_CHECKING:
    from collections.abc import Callable

VALUES = frozenset(
    "NUMBER NAME STRING TRUE FALSE NONE NOT TILDE LPAR LSQB ELLIPSIS DEF RETURN PASS BREAK CONTINUE WHILE".split(),
)
NUMBER = re.compile(r"[\d._eE+-]+")
GLUED: tuple[tuple[str, str, str, Callable[[str, str], tuple[str, ...]]], ...] = (  # what the number and the word behind it look like
    (r"\S+ \.[\d._]*", "has two decimal points", "a number has one", lambda n, w: (n + w.replace(".", ""),)),
    (r"\S+ [eE]", "has no digits after the `e`", "an exponent is missing", lambda n, w: (f"{n}{w}3", f"{n}*e")),
    (r"0 (?:[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+)", "is not written in decimal", "", lambda n, w: (str(int(n + w, 0)),)),
    (r"\S+ _\w*", "has an underscore too many", "one stands between two digits", lambda n, w: ((n + w).replace("_", ""),)),
)


def _number(found: Found) -> Slip | None:
    """What is glued to a number: `1j`, `2e`, `0x1F`, `1.2.3`, `1__0`."""
    start, end = found.last
    if found.wants_value or not NUMBER.fullmatch(found.previous) or end != found.start or found.kind not in ("NAME", "NUMBER"):
        return None
    whole = found.previous + found.word
    for pattern, message, label, mend in GLUED:
        if re.fullmatch(pattern, f"{found.previous} {found.word}"):
            repairs = tuple([(Edit(start, found.end, text),) for text in mend(found.previous, found.word)])
            return Slip("bad-number", f"{shown(whole)} {message}", start, found.end, label, repairs=repairs)
    return _imaginary(found, whole) if found.word in ("j", "J", "i") else None


def _imaginary(found: Found, whole: str) -> Slip | None:
    if found.word == "i" and found.text[found.end : found.end + 1] in ("(", "[", "."):
        return None
    start, _ = found.last
    hint = "cos(t) and sin(t), the real and the imaginary part of exp(1j*t)"
    repairs = ((Edit(found.start, found.start, "*"),),) if found.word == "i" else ()
    return Slip(
        "imaginary-number",
        f"`{whole}` is imaginary, and every number is real",
        start,
        found.end,
        hint=hint,
        repairs=repairs,
    )


def _numbers(found: Found) -> Slip | None:
    """`1 000`."""
    start, end = found.last
    if found.kind != "NUMBER" or found.wants_value or not re.fullmatch(r"[\d.]+", found.previous):
        return None
    thousands = re.fullmatch(r"\d{1,3}\s+\d{3}", found.text[start : found.end])
    repairs = ((Edit(end, found.start, "" if thousands else "*"),),)
    return Slip("missing-operator", "no operator between two numbers", start, found.end, repairs=repairs)


def _words(found: Found) -> Slip | None:
    """Words of Python and of other languages."""
    if found.wants_value or not found.stack:
        return None
    start, _ = found.last
    table = mistakes()
    word = found.previous
    if word in table["words"]:
        return _word(found, word, start, table["words"][word])
    typed = found.word
    if typed == "is" and (none := re.compile(r"is\s+(not\s+)?None\b").match(found.text, found.start)):
        value = found.text[before(found.text, found.start) : found.start].strip()
        hint = f"isnan({value}) asks for a missing number" if not none[1] else f"not isnan({value})"
        return Slip("unknown-operator", "no value is None here: every value is a number or an array", found.start, none.end(), hint=hint)
    if typed == "is" and (negated := re.compile(r"is\s+not\b").match(found.text, found.start)):
        return Slip(
            "unknown-operator",
            "`is not` is not an operator",
            found.start,
            negated.end(),
            repairs=((Edit(found.start, negated.end(), "!="),),),
        )
    if typed in table["infix"] and re.match(r"\s*[\w(\[.+-]", found.text[found.end :]):
        new = table["infix"][typed]
        return Slip(
            "unknown-operator",
            f"`{typed}` is not an operator",
            found.start,
            found.end,
            f"did you mean `{new}`?",
            repairs=((Edit(found.start, found.end, new),),),
        )
    return None


def _word(found: Found, word: str, start: int, entry: list[str]) -> Slip:
    reason, hint = entry
    line = re.compile(r"[^\n;]*").match(found.text, start)
    end = line.end() if line else found.end
    repairs: tuple[tuple[Edit, ...], ...] = ()
    if word == "lambda" and (slip := without_name(found, start)) is not None:
        return slip
    if word in ("let", "var", "const", "global", "nonlocal", "print"):
        repairs = ((Edit(start, found.start, ""),),) if word in ("let", "var", "const", "print") else ()
        end = start + len(word)
    elif word in ("import", "from") and found.text[end:].strip(" ;\n\r\t"):
        repairs = ((Edit(start, min(end + 1, len(found.text)), ""),),)
    return Slip("no-such-statement", f"`{word}` is not part of the language", start, end, reason, hint=hint, repairs=repairs)


def _leibniz(found: Found) -> Slip | None:
    """`d/dx x**2`."""
    _, end = found.last
    sign = re.search(r"(?<!\w)d\s*/\s*d[^\W\d]\w*\s*\Z", found.text[max(0, end - REACH) : end])
    return None if sign is None or found.wants_value else leibniz(found.text, max(0, end - REACH) + sign.start())


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

    others = ("range", "zip", "enumerate", "sum", "mean", "prod", "norm", "det", "grad", "softmax")
    return {*FUNCTIONS, *re.findall(r"\bdef\s+(\w+)", text), *others}


def strings(found: Found) -> Slip | None:
    """A text that is no argument, has a letter before it, or says what a function does."""
    if found.kind != "STRING":
        return None
    text, (start, end) = found.text, found.last
    said = _docstring(text, found.start)
    if said is not None:
        return said
    if text.startswith(found.word[0] * 3, found.start):
        hint = f"col({found.word[0]}{after_quotes(text, found.start)}{found.word[0]})"
        return Slip("string", "a text has one quote at each end, and here are three", found.start, found.start + 3, hint=hint)
    letter = found.previous.lower()
    if letter in ("f", "rf", "fr") and end == found.start and not found.wants_value:
        values = re.findall(r"\{([^{}:!]+)", found.word)
        hint = f"[{', '.join(values)}]" if len(values) > 1 else values[0] if values else "x"
        return Slip("string", "no text is made here: a value stands by itself", start, found.end, hint=hint)
    if letter in ("r", "b", "u", "rb", "br") and end == found.start:
        return Slip("string", f"a text has no letter before it: `{found.previous}`", start, found.end, repairs=((Edit(start, end, ""),),))
    repairs = ((Edit(found.start, found.end, f"col({found.word})"),),) if found.wants_value else ()
    hint = f"col({found.word})"
    return Slip(
        "string", "a text stands only as an argument of a function", found.start, found.end, "a column is read with `col`", hint, repairs
    )


def after_quotes(text: str, start: int) -> str:
    """What stands between three quotes, as far as its line goes."""
    rest = re.compile(r"[^\r\n]*").match(text, start + 3)
    return (rest[0] if rest else "").partition(text[start] * 3)[0].strip()


def _docstring(text: str, start: int) -> Slip | None:
    """A text that is a statement by itself: a remark."""
    line = max(text.rfind(mark, 0, start) for mark in "\n\r") + 1
    three = text[start] * 3 if text.startswith(text[start] * 3, start) else ""
    mark = three or text[start]
    close = text.find(mark, start + len(mark))
    if text[line:start].strip(" \t\"'") or close < 0 or not re.compile(r"[ \t]*(?:[\n\r]|\Z)").match(text, close + len(mark)):
        return None
    alone = not (text[:line].strip() or text[close + len(mark) :].strip())
    if alone or not (three or text[:line].rstrip().endswith(":")):
        return None
    said = [part.strip() for part in text[start + len(mark) : close].splitlines()]
    remarks = tuple([f"# {part}" for part in said if part])
    blank = text[line : line + len(text[line:]) - len(text[line:].lstrip(" \t"))]
    edit = Edit(start, close + len(mark), f"\n{blank}".join(remarks) or "#")
    message = "a remark begins with `#`, and this is a text"
    return Slip("string", message, start, close + len(mark), "says what the program does", "\n".join(remarks[:3]) or "#", ((edit,),))


def _two_values(found: Found) -> Slip | None:
    return between(found) if found.kind in VALUES and not found.wants_value and "SIGN" in found.wanted else None


def _statements(found: Found) -> Slip | None:
    """`x = 1 y = 2`."""
    if (
        found.wants_value
        or found.kind != "NAME"
        or not re.compile(r"\s*=(?!=)").match(found.text, found.end)
        or "NEWLINE" not in found.wanted
    ):
        return None
    _, end = found.last
    return Slip(
        "missing-operator",
        "two statements stand on one line",
        found.start,
        found.end,
        "`;` goes between them",
        repairs=((Edit(end, found.start, "; "),),),
    )


NEIGHBOURS = (_leibniz, _words, _number, _numbers, _statements, _application, _two_values)
