"""Where the expression comes from: the command line, `@file` or stdin; and words that look like a slip of the shell."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ..diagnostics import AutodiffError, Exit, Source, error
from .arguments import abridged, pair_of, quoted, usage
from .options import OPTIONS, spellings
from .table import COMMANDS

if TYPE_CHECKING:
    from .arguments import Call

BUNDLED = frozenset(text[1] for option in OPTIONS for text in spellings(option) if len(text) == 2) - {"o"}


def source(call: Call, example: str) -> Source:
    """The text of the program, with the files before it that it includes, and what to call it."""
    main = _main(call, example)
    included = [Source(path, _read(path, call, _included(call, path)).rstrip() + "\n") for path in call.options.get("include", ())]
    return joined([*included, main]) if included else main


def _included(call: Call, path: str) -> int:
    """The word that names a file to include."""
    words = enumerate(call.words)
    return next((k for k, word in words if word == f"--include={path}" or (word == path and call.words[k - 1] == "--include")), call.place)


def joined(parts: list[Source]) -> Source:
    """Texts one after another as one program."""
    return Source(parts[-1].name, "".join([part.text for part in parts]), parts=tuple(parts))


def _main(call: Call, example: str) -> Source:
    text = call.expression
    if text is None:
        raise _missing(call, example)
    if call.extras:
        _look_at_extras(call, text)
    if text in ("-", "@-"):
        return Source("stdin", _decoded(_stdin()))
    if text.startswith("@") and "\n" not in text:  # a line with `@` above a `def` begins a program
        return Source(text[1:], _read(text[1:], call, call.place))
    if len(text) < 256 and os.path.isfile(text) and text not in [given.name for given in call.given]:
        raise usage(
            call, call.place, "file-as-expression", f"`{text}` is a file",
            hint=f"{quoted('@' + text)} reads the program in it; an expression with `*` stands in quotes, or the shell replaces it by file names",
        )  # fmt: skip
    return Source("expression", text)


def _missing(call: Call, example: str) -> AutodiffError:
    pair = next((given for given in call.given if given.form == "pair"), None)
    if pair is not None and not _constant(pair.text):
        return usage(
            call,
            pair.place,
            "missing-expression",
            f"`{pair.name}=…` gives `{pair.name}` a value, and there is no expression",
            hint=quoted(pair.text),
        )
    return error("missing-expression", f"`autodiff {call.command}` needs an expression", hint=example, exit=Exit.USAGE)


def _constant(text: str) -> bool:
    from ..data.values import value

    try:
        value(text, "")
    except AutodiffError:
        return False
    return True


def _look_at_extras(call: Call, text: str) -> None:
    words = [call.words[place] for place in call.extras]
    first = call.extras[0]
    for place in (call.place, *call.extras):
        _look_at(call, place)
    if _dashed(text) or any(_dashed(word) for word in words):
        place, name = next((p, w[1:]) for p, w in zip((call.place, *call.extras), (text, *words), strict=True) if _dashed(w))
        after = call.words[place + 1] if place + 1 < len(call.words) else "3"
        raise usage(call, place, "single-dash", f"`-{name}` is no option", hint=f"--{name} {quoted(after)} gives `{name}` a value")
    files = [word for word in words if os.path.exists(word)]
    if files and text.isidentifier():
        _lone_name(call, text, words, files)
    if files and len(files) == len(words):
        if "data" in COMMANDS[call.command].options:
            return
        raise usage(
            call,
            first,
            "no-rows-here",
            f"`{words[0]}` is a file, and `autodiff {call.command}` takes no rows",
            hint=f"autodiff grad {quoted(text)} {quoted(words[0])}",
        )
    if (
        words != ["-"]
        and len(words) < 8
        and all(len(word) < 64 for word in words)
        and pair_of(words[0]) is None
        and words[0][:1] in "+-*/%<>=&|^"
        and words[0][:2] != "--"
    ):
        raise usage(call, first, "extra-word", "an expression with blanks stands in quotes", hint=f'"{" ".join([text, *words])}"')
    word = next((word for word in words if word not in files), words[0])
    raise usage(
        call,
        call.extras[words.index(word)],
        "extra-word",
        f"`{abridged(word)}` is neither an option, nor NAME=VALUE, nor a file",
        hint=_extra_hint(call, text, word),
    )


def _look_at(call: Call, place: int) -> None:
    """A word that is nearly an option or NAME=VALUE."""
    word = call.words[place]
    if word[:2] == "-o" and word[2:]:
        raise usage(call, place, "extra-word", "`-o` and its file are two words", hint=f"-o {quoted(word[2:])}")
    if len(word) > 2 and word[0] == "-" and BUNDLED.issuperset(word[1:]):
        raise usage(
            call, place, "extra-word", "options of one letter are words of their own", hint=" ".join([f"-{letter}" for letter in word[1:]])
        )
    name, mark, value = word.partition("=")
    if place == call.place or not mark or not name.strip().isidentifier() or value[:1] == "=":
        return
    blank = name != name.strip() or value[:1].isspace()
    value = value.partition(";")[0].rpartition("=")[2].strip()
    if not value:
        raise usage(call, place, "missing-value", f"the value of `{name.strip()}` is empty", hint=f"{name.strip()}=3")
    why = "a value has no blank round its `=`" if blank else "a value is one constant expression"
    raise usage(call, place, "extra-word", why, hint=quoted(f"{name.strip()}={value}"))


def _extra_hint(call: Call, text: str, word: str) -> str | None:
    if "data" in COMMANDS[call.command].options and (word == "-" or any(mark in word for mark in "*?[")):
        return f"--data {quoted(word)} reads rows from {'stdin' if word == '-' else 'the files of this pattern'}"
    return "the expression is one word: put it in quotes" if text.isidentifier() or not word[:1].isalnum() else None


def _lone_name(call: Call, text: str, words: list[str], files: list[str]) -> None:
    """A name and files: most likely a product whose `*` the shell replaced."""
    rest = [word for word in words if word not in files]
    hint = f'"{" ".join([text, "*", *rest])}" in quotes'
    if not rest:
        hint = f'"{text} * …" in quotes; if the files are meant as rows: --data {quoted(files[0])}'
    raise usage(call, call.extras[0], "shell-star", "the shell replaced a `*` by file names", hint=hint)


def _dashed(word: str) -> bool:
    return word[:1] == "-" and word[1:].isidentifier()


def _stdin() -> bytes | str:
    stream = sys.stdin
    if stream is None:
        raise error("unreadable", "`stdin` is closed", exit=Exit.DATA)
    return stream.buffer.read() if hasattr(stream, "buffer") else stream.read()


def _read(path: str, call: Call, place: int) -> str:
    try:
        with open(path, "rb") as file:
            return _decoded(file.read())
    except (OSError, ValueError) as problem:
        reason = (getattr(problem, "strerror", None) or str(problem)).lower()
        raise error("unreadable", f"`{path}` cannot be read: {reason}", call.span(place), exit=Exit.DATA) from None


def _decoded(data: bytes | str) -> str:
    """The text; bytes that are no UTF-8 stay in it, as in the words of a command line, and the parser underlines them."""
    if isinstance(data, str):
        return data
    return data.decode("utf-8-sig", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")
