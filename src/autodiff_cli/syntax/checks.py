"""What can be told of a text before it is parsed: its size, its characters, its brackets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .slips import Slip

LARGEST = 64 * 2**20
CONTROL = "[\0-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
SEQUENCE = rf"\x1b\[[0-9;]*[A-Za-z]|{CONTROL}"
REACH = 2000
OPENING = {"(": ")", "[": "]"}
RUNS = r"""\(+|\)+|\[+|\]+|"(?:[^"\\\r\n]|\\[\s\S])*"|'(?:[^'\\\r\n]|\\[\s\S])*'|["']|\#[^\r\n]*"""


def check(text: str) -> Slip | None:
    """What is wrong with a text at first sight."""
    if len(text) > LARGEST:
        return _large(text)
    if not text.isprintable():
        unseen = re.compile(CONTROL).search(text, text.startswith("\ufeff"))
        if unseen is not None:
            return _unseen(text, unseen[0], unseen.start())
    if text.count("(") != text.count(")") or text.count("[") != text.count("]"):
        return brackets(text)
    return None


def brackets(text: str) -> Slip | None:
    """The first bracket that has no partner. Runs of one bracket are counted at once."""
    opened: list[tuple[str, int, int]] = []  # the bracket, where its run starts, how many of it are open
    for run in re.finditer(RUNS, text):
        mark, size = text[run.start()], run.end() - run.start()
        if mark in "\"'" and size == 1:
            return None
        if mark in OPENING:
            opened.append((mark, run.start(), size))
        while mark in ")]" and size:
            if not opened or OPENING[opened[-1][0]] != mark:
                return _unopened(text, run.end() - size, opened)
            bracket, start, count = opened.pop()
            if count > size:
                opened.append((bracket, start, count - size))
            size -= min(size, count)
    return _unclosed(text, opened) if opened else None


def _large(text: str) -> Slip:
    from .slips import Slip

    message = f"the text has {len(text):,} characters, and {LARGEST:,} is the most"
    return Slip("text-too-long", message, 0, 1, hint="put the numbers into a data file and give it as an argument")


def _unseen(text: str, mark: str, at: int) -> Slip:
    from unicodedata import name

    from .slips import Edit, Slip

    if "\ud800" <= mark <= "\udfff":
        return Slip(
            "not-utf-8", "this is no UTF-8 text", at, at + 1, f"byte {ord(mark) - 0xDC00:#04x}", hint="save or type the text as UTF-8"
        )
    what = f"U+{ord(mark):04X}" + (f" ({name(mark).lower()})" if name(mark, "") else "")
    kind = "a control character" if ord(mark) < 0xA0 else "an invisible character"
    repairs = (tuple([Edit(*found.span(), "\n" if found[0] in "\u2028\u2029" else "") for found in re.finditer(SEQUENCE, text[:REACH])]),)
    return Slip("control-character", f"{kind} is in the text: {what}", at, at + 1, "take it out", "take it out", repairs)


def _unopened(text: str, at: int, opened: list[tuple[str, int, int]]) -> Slip:
    from .slips import Edit, Slip

    mark = text[at]
    if not opened:
        return Slip(
            "unopened-bracket", f"`{mark}` closes nothing", at, at + 1, "no bracket is open here", "take it out", ((Edit(at, at + 1, ""),),)
        )
    bracket, start, count = opened[-1]
    start += count - 1
    right = OPENING[bracket]
    return Slip(
        "mismatched-bracket", f"`{mark}` cannot close `{bracket}`", at, at + 1, f"expected `{right}`",
        repairs=((Edit(at, at + 1, right),),), others=((start, start + 1, "opened here"),),
    )  # fmt: skip


def _unclosed(text: str, opened: list[tuple[str, int, int]]) -> Slip:
    from .slips import Edit, Slip

    bracket, start, _ = opened[0]
    missing = sum(count for _, _, count in opened)
    closing = "".join([OPENING[b] * count for b, _, count in reversed(opened)]) if missing < 20 else ""
    end = len(text.rstrip())
    line = min([k for k in (text.find("\n", start), text.find("\r", start)) if k >= 0], default=end)
    repairs = tuple([(Edit(at, at, closing),) for at in dict.fromkeys((line, end))]) if closing else ()
    more = {1: "", 2: ", nor is one after it"}.get(missing, f", nor are {missing - 1:,} after it")
    message = f"`{bracket}` is never closed{more}"
    return Slip(
        "unclosed-bracket",
        message,
        start,
        start + 1,
        "opened here",
        repairs=repairs,
        hint=f"`{closing}` at the end" if closing else "close every bracket",
    )
