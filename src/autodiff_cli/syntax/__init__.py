"""A text in, its tree out; what is no program becomes an `AutodiffError` with the text underlined."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .tree import Builder, Tree
from .words import Lines, Refused

if TYPE_CHECKING:
    from ..diagnostics import Source
    from .slips import Slip

__all__ = ["Tree", "attempt", "grammar", "parse", "parser"]
GRAMMAR = "autodiff.lark"
PLACES = (os.path.join("..", "grammar"), os.path.join("..", "..", "..", "grammar"))
OPTIONS: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "start": "program", "keep_all_tokens": True, "maybe_placeholders": False}
_made: list[Any] = []
_last: list[tuple[str, Tree]] = []


class Place(str):
    """A path that is said as nothing: Lark's check sum holds every option, and must not hold where its file lies."""

    __slots__ = ()

    def __str__(self) -> str:
        return ""


def parse(source: Source) -> Tree:
    """The tree of a program; the last one is kept for who asks again. Raises `AutodiffError`."""
    if _last and _last[0][0] == source.text:
        return _last[0][1]
    found = attempt(source.text)
    if isinstance(found, Tree):
        _last[:] = [(source.text, found)]
        return found
    from .slips import diagnose

    raise diagnose(source, found, attempt)


def attempt(text: str) -> Tree | Slip:
    """The tree of a text, or what is wrong with it."""
    from .checks import check

    slip = check(text)
    if slip is not None:
        return slip
    from lark.exceptions import UnexpectedInput

    try:
        tree: Tree = parser().parse(text)
    except Refused as refusal:
        from .found import refused

        return refused(text, refusal)
    except UnexpectedInput as surprise:
        from .found import unexpected

        return unexpected(text, surprise)
    if tree.parts:
        return tree
    from .found import empty

    return empty(text)


def parser() -> Any:
    """The parser of the grammar: made once in a process, its tables once for a user."""
    if not _made:
        with open(grammar(), encoding="utf-8") as file:
            text = file.read()
        _made.append(_load(text, _cache(text)))
    return _made[0]


def grammar(name: str = GRAMMAR) -> str:
    """Where a file of the grammar is: in the installed package, or beside `src` in a checkout."""
    here = os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.join(here, place, name) for place in PLACES]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def _load(text: str, cache: str | None) -> Any:
    """The parser, by its tables in the file `cache`; a missing file is written beside and renamed."""
    from lark import Lark

    make = {"transformer": Builder(), "postlex": Lines(), **OPTIONS}
    if cache is None:
        return Lark(text, **make)
    if os.path.exists(cache):
        return Lark(text, cache=Place(cache), **make)
    fresh = f"{cache}.{os.getpid()}"
    made = Lark(text, cache=Place(fresh), **make)
    with suppress(OSError):
        os.replace(fresh, cache)
    return made


def _cache(text: str) -> str | None:
    """The file of the parser's tables, in the user's own cache folder; None where there is no such place."""
    from hashlib import sha256

    from lark import __version__

    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(home, "autodiff")
    key = sha256(f"{__version__} {sys.version_info[:2]} {OPTIONS} {text}".encode()).hexdigest()[:16]
    path = os.path.join(folder, f"grammar-{key}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        owner = os.stat(path if os.path.exists(path) else folder).st_uid
    except OSError:
        return None
    return path if owner == getattr(os, "getuid", lambda: owner)() else None
