"""A character that no word of the language has in, what was meant by it out."""

from __future__ import annotations

import re

from .foreign import braced
from .found import REACH, Found, after, before, first, leibniz, mistakes, powered
from .slips import Edit, Slip, shown

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni")
SUPERSCRIPT = re.compile("[⁰¹²³⁴-⁹⁺⁻⁽⁾ⁿⁱ]+")


def character(found: Found) -> Slip:
    """The slip behind a character."""
    return first((_leibniz, _superscript, _sign, _table, _string, braced, _other), found)


def _leibniz(found: Found) -> Slip | None:
    return leibniz(found.text, found.start) if found.word == "∂" else None


def _superscript(found: Found) -> Slip | None:
    run = SUPERSCRIPT.match(found.text, found.start)
    if run is None or found.wants_value:
        return None
    power = run[0].translate(SUPERSCRIPTS)
    power = power if re.fullmatch(r"-?\w+", power) else f"({power})"
    start = before(found.text, found.start)
    argument = re.compile(r"\s*(?=[\w(])").match(found.text, run.end())
    if argument and _is_function(found.text[start : found.start].strip()):
        end = after(found.text, argument.end())
        return powered(found.text, start, argument.end(), end, found.text[start : found.start].strip(), power.strip("()"))
    repairs = ((Edit(len(found.text[: found.start].rstrip()), run.end(), f"**{power}"),),)
    return Slip("superscript", f"{shown(run[0])} is not read as a power", start, run.end(), "a power is written with `**`", repairs=repairs)


def _is_function(name: str) -> bool:
    from ..ops import FUNCTIONS

    return name in FUNCTIONS


def _sign(found: Found) -> Slip | None:
    mark, text = found.word, found.text
    if text[found.start : found.start + 2] in ("!=", "‖"):
        return None
    if mark == "?" and not found.wants_value:
        return _question(found)
    table = mistakes()
    if found.wants_value and mark in table["prefixed"]:
        end = after(text, found.start + 1)
        word = table["prefixed"][mark]
        value = text[found.start + 1 : end]
        new = f"{word}{value}" if not word.isalpha() or value.startswith("(") else f"{word}({value})"
        message = f"`{mark}` is not an operator here"
        return Slip(
            "unknown-sign",
            message,
            found.start,
            max(end, found.end),
            f"did you mean `{word.strip()}`?",
            repairs=((Edit(found.start, end, new),),),
        )
    if not found.wants_value and mark in table["postfixed"]:
        word, message = table["postfixed"][mark]
        start = before(text, found.start)
        value = text[start : found.start].rstrip()
        inner = value[1:-1] if value.startswith("(") and value.endswith(")") else value
        if word == "grad":
            return Slip("derivative-sign", message, start, found.end, hint="grad(f(x), x)")
        return Slip(
            "unknown-sign", message, start, found.end, f"did you mean `{word}`?", repairs=((Edit(start, found.end, f"{word}({inner})"),),)
        )
    return None


def _question(found: Found) -> Slip:
    message = "`?` and `:` are not read as a choice"
    start = max(found.text.rfind(mark, 0, found.start) for mark in "\n;") + 1
    choice = re.compile(r"(\s*(?:\w+\s*=(?!=)\s*)?)([^?:;\n]+)\?([^?:;\n]+):([^?:;\n]+)").match(found.text, start)
    if choice is None:
        return Slip("unknown-sign", message, found.start, found.end, hint="a if x > 0 else b")
    head, c, a, b = (part.strip() for part in choice.groups())
    hint = f"{head} {a} if {c} else {b}".strip()
    return Slip("unknown-sign", message, found.start, found.end, hint=hint)


def _table(found: Found) -> Slip | None:
    mark = found.word
    table = mistakes()["characters"]
    new = table.get(mark)
    if new is None:
        from unicodedata import normalize

        new = normalize("NFKC", mark)
        if not new.isascii() or new == mark or not new.strip():
            return None
    message = f"`{mark}` is not a sign of the language"
    label = f"did you mean `{new.strip()}`?" if new.strip() else "take it out"
    places = [k for k, c in enumerate(found.text[:REACH]) if table.get(c) == new] if new in "\"'" else [found.start]
    return Slip("unknown-character", message, found.start, found.end, label, repairs=(tuple([Edit(k, k + 1, new) for k in places]),))


def _string(found: Found) -> Slip | None:
    mark = found.word
    if mark not in "\"'":
        return None
    line = re.compile(r"[^\r\n]*").match(found.text, found.start)
    end = line.end() if line else found.end
    close = re.compile(r"[^\r\n()\[\],;]*").match(found.text, found.start + 1)
    at = close.end() if close else end
    return Slip(
        "unclosed-string",
        f"the text that {mark} begins has no end",
        found.start,
        end,
        f"no second {mark}",
        repairs=((Edit(at, at, mark),),),
    )


def _other(found: Found) -> Slip:
    mark = found.word
    if mark in "{}":
        message = f"`{mark}` is no bracket of the language"
        listed = found.wants_value and re.compile(r"\{[^{}:]*,[^{}:]*\}").match(found.text, found.start)
        pairs = dict(zip("{}", "[]" if listed else "()", strict=True))
        other = pairs[mark]
        edits = tuple([Edit(k, k + 1, pairs[c]) for k, c in enumerate(found.text) if c in "{}"]) if len(found.text) < 1000 else ()
        return Slip("unknown-character", message, found.start, found.end, f"did you mean `{other}`?", repairs=(edits,) if edits else ())
    from unicodedata import name

    what = name(mark, "").lower()
    label = f"U+{ord(mark):04X}" + (f", {what}" if what else "")
    return Slip("unknown-character", f"{shown(mark)} is not a sign of the language", found.start, found.end, label, hint="take it out")
