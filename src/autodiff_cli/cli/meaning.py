"""A call, its program and what has a value in; what the program means, and the names that rows may have columns for though it does without, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .. import api
from ..diagnostics import AutodiffError
from ..ops import FUNCTIONS
from ..syntax import parse
from ..syntax.words import RESERVED, normalise
from ..types import REAL
from .table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..diagnostics import Source
    from ..lower import Lowered
    from .arguments import Call


class Meaning(NamedTuple):
    """`doubtful` are the names that some ways through the program do not set, with what is wrong where no column is called so."""

    lowered: Lowered
    shapeless: bool
    doubtful: Mapping[str, AutodiffError]


def reading(call: Call, values: Mapping[str, Any] | None = None) -> tuple[str | None, int | None, Any]:
    """How the program is read: the function that is its value, the most turns of a loop, and what decides about `values` beforehand."""
    decided = None
    if "precision" in call.options or call.command == "same":  # these mean decimals
        from .exact import beforehand

        decided = beforehand(call, values or {})
    return call.options.get("call"), call.options.get("max-iterations"), decided


def of_rows(call: Call) -> bool:
    """Whether the command may have rows."""
    return "data" in COMMANDS[call.command].options


def understood(
    call: Call, text: Source, known: Mapping[str, Any], mark: api.Mark = api.ignore, unset: Mapping[str, AutodiffError] | None = None
) -> Meaning:  # fmt: skip
    """What the program means, with a variable for each name that some way through it does not set, as if it had a value."""
    doubtful = dict(unset or {})
    while True:
        try:
            return Meaning(*_once(call, text, known, doubtful, mark), doubtful)
        except AutodiffError as problem:
            from .outline import unset_name

            name = unset_name(problem) if of_rows(call) else None
            if name is None or name in known or name in doubtful:
                raise next(iter(doubtful.values()), problem) from None
            doubtful[name] = problem


def _once(
    call: Call, text: Source, known: Mapping[str, Any], doubtful: Mapping[str, AutodiffError], mark: api.Mark
) -> tuple[Lowered, bool]:  # fmt: skip
    """What the program means; where that depends on the shapes that rows will have, its variables, and true."""
    named, how = call.options.get("wrt", ()), reading(call, known)
    try:
        return api.understand(text, {**known, **dict.fromkeys(doubtful, REAL)}, named, mark, *how), False
    except AutodiffError as problem:
        from .outline import outline, unset_name

        found = outline(problem, text, known, named, *how, doubtful=doubtful) if of_rows(call) and unset_name(problem) is None else None
        if found is None:
            raise
        return found, True


def offered(call: Call, text: Source, known: Mapping[str, Any], *, shapeless: bool) -> dict[str, AutodiffError | None]:
    """Names that a column is used for where there is one: parameters of `--call` that have a default and no value, and names
    that some way through a program of arrays does not set, with what is wrong where no column is called so.
    """
    found: dict[str, AutodiffError | None] = {}
    if "call" in call.options:
        from ..lower.outside import defaulted

        found = {name: None for name in defaulted(parse(text), call.options["call"]) if name not in known}
    if shapeless:
        from .outline import unset

        found |= unset(text, known, call.options.get("wrt", ()), *reading(call, known))
    return found


def passed_over(call: Call, text: Source, lowered: Lowered, known: Iterable[str]) -> tuple[str, ...]:
    """The variables of the text that values known beforehand leave unused."""
    from re import findall

    seen = {*lowered.free, *lowered.assigned, *FUNCTIONS, *RESERVED}
    if seen.issuperset(map(normalise, findall(r"[^\W\d]\w*", text.text))):
        return ()
    from ..lower.outside import outside

    return tuple([name for name in outside(parse(text), tuple(known), call.options.get("call")).free if name not in lowered.free])
