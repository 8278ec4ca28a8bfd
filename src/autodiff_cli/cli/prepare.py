"""A `Call` in; its program lowered out, with the values of its variables; those without one may be columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .. import api
from ..diagnostics import AutodiffError, Diagnostic, Exit, Label
from ..report import Naming
from ..syntax import parse
from ..syntax.words import RESERVED
from ..syntax.words import normalise as normal
from ..types import REAL
from .arguments import Given, placed, quoted, unknown, usage
from .meaning import of_rows, offered, passed_over, reading, understood
from .options import spellings
from .program import source
from .table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..diagnostics import Source
    from ..lower import Lowered
    from ..report import Value
    from ..types import Type
    from .arguments import Call
    from .watch import Watch


MOST = 10  # names that a message lists


class Prepared(NamedTuple):
    """`values` are those of the variables of the program, in its order; `unused` the names given besides;
    `missing` those without one, which may be columns; `axes` are the values of those that `--sweep` makes columns of.
    `shapeless`: what the program means is not known before the shapes of its columns are, and `lowered` has its variables only.
    `doubtful` are those of `missing` that the program sets on some ways, with the error where no column is called so. Rows may have columns for
    what is `offered` (parameters of `--call` with a default, names that a program of arrays may not set) and for `idle` variables, which known values leave unused.
    `together`: the terms of long sums may be arrays, for what is asked is one point in float64.
    """

    source: Source
    lowered: Lowered
    values: dict[str, Value]
    origins: dict[str, str]
    unused: dict[str, Value]
    missing: tuple[str, ...]
    notes: tuple[Diagnostic, ...]
    axes: Mapping[str, list[float]] = {}
    shapeless: bool = False
    doubtful: Mapping[str, AutodiffError] = {}
    offered: Mapping[str, AutodiffError | None] = {}
    idle: tuple[str, ...] = ()
    together: bool = False


def prepare(call: Call, watch: Watch) -> Prepared:
    """The program of a call and the values of its variables, as far as they are given."""
    text = source(call, COMMANDS[call.command].example)
    given = list(given_values(call))
    _one_stdin(call, given)
    _check_words(call, text)
    known = _values(call, given)
    filed, files = _filed(call, given)
    every = known | {name: value for name, value in filed.items() if not isinstance(value, AutodiffError)}
    axes = _axes(call, every)
    types = {**every, **dict.fromkeys(axes, REAL)}
    try:
        lowered, shapeless, doubtful = understood(call, text, types, watch.mark)
    except AutodiffError as problem:
        raise _from_files(problem, files) from None
    free = set(lowered.free)
    _check_options(call, text, lowered)
    _check_axes(call, text, axes, lowered)
    _check_filed(call, filed, files, free)
    rows = of_rows(call) and (bool(axes or call.extras) or "data" in call.options or not free <= every.keys())
    idle = tuple([name for name in passed_over(call, text, lowered, types) if name not in every]) if rows and not shapeless else ()
    unused = {g.name: known[g.name] for g in given if g.name not in free}
    missing = tuple([name for name in lowered.free if name not in every])
    return Prepared(
        text, lowered, {name: every[name] for name in lowered.free if name in every},
        {g.name: _origin(g) for g in given} | {name: f"--set @{path}" for name, (path, _) in files.items()},
        unused, missing, tuple(map(note_unused, unused)), axes, shapeless, doubtful, offered(call, text, types, shapeless=shapeless) if rows else {}, idle,
    )  # fmt: skip


def with_columns(call: Call, ready: Prepared, names: Iterable[str]) -> Prepared:
    """The same, where these of what is `offered` are columns."""
    faults = {name: ready.offered[name] for name in names}
    unset = {**ready.doubtful, **{name: fault for name, fault in faults.items() if fault is not None}}
    known = {**ready.values, **ready.unused, **dict.fromkeys([*ready.axes, *faults.keys() - unset.keys()], REAL)}
    lowered, shapeless, doubtful = understood(call, ready.source, known, unset=unset)
    missing = tuple([name for name in lowered.free if name not in ready.values])
    return ready._replace(lowered=lowered, missing=missing, shapeless=shapeless, doubtful=doubtful)


def typed(call: Call, ready: Prepared, types: Mapping[str, Type]) -> Prepared:
    """The same, with what the program means where its columns have these types."""
    if not ready.shapeless and all(type == REAL for type in types.values()):
        return ready
    asked = ready.source, {**ready.values, **types}, call.options.get("wrt", ())
    lowered = api.understand(*asked, api.ignore, *reading(call, ready.values))
    if ready.shapeless:
        from .outline import reached

        lowered = reached(ready.lowered, lowered, *asked, *reading(call, ready.values))
    lacking = [name for name in lowered.free if name not in asked[1]]
    if lacking:
        raise missing(call, lowered, lacking)
    return ready._replace(lowered=lowered, shapeless=False)


def bound(call: Call, watch: Watch) -> Prepared:
    """The same, where a variable without a value is an error: all of them at once, with what to type."""
    ready = prepare(call, watch)
    if ready.missing:
        raise lacking(call, ready, ready.missing)
    return ready


def lacking(call: Call, ready: Prepared, names: Iterable[str]) -> AutodiffError:
    """The error about variables without a value; of one that the program sets on some ways, it is that it does not on all."""
    return next(iter(ready.doubtful.values()), None) or missing(call, ready.lowered, names)


def missing(call: Call, lowered: Lowered, names: Iterable[str]) -> AutodiffError:
    """The error that lists variables without a value."""
    absent = list(names)
    if len(absent) > MOST:
        return _many_missing(lowered, absent)
    options = [name for name in absent if name in COMMANDS[call.command].options and "--" + name in spellings(name)]
    notes = [f"`--{name}` is an option of `autodiff {call.command}`, so its value is given as `{name}=1`" for name in options]
    typed = " ".join(
        [f"{name}=1" if name in options else f"--{name} 1" if _typable(name) else f"--set {quoted(name + '=1')}" for name in absent]
    )
    listed = " and ".join([", ".join([f"`{name}`" for name in absent[:-1]]), f"`{absent[-1]}`"]) if len(absent) > 1 else f"`{absent[0]}`"
    functions = [name for name in absent if name in api.known()]
    notes += [f"`{name}` is a function too: {name}(x) calls it" for name in functions]
    return _lacking(lowered, absent, f"no value for {listed}", f"add {typed}", notes)


def _typable(name: str) -> bool:
    """Whether `--NAME` and NAME=VALUE can give the value: a column with another header, or a reserved word, needs `--set`."""
    return name.isidentifier() and name not in RESERVED


def _many_missing(lowered: Lowered, absent: list[str]) -> AutodiffError:
    listed = ", ".join([f"`{name}`" for name in absent[:MOST]])
    return _lacking(
        lowered,
        absent,
        f"no value for {listed} and {len(absent) - MOST:,} more",
        "--set @params.json gives every name in the file its value",
    )


def _lacking(lowered: Lowered, absent: Iterable[str], message: str, hint: str, notes: Iterable[str] = ()) -> AutodiffError:
    labels = [Label(site.span, "no value") for name in list(absent)[:MOST] if (site := api.site(lowered, name)) is not None]
    from .mentions import later

    labels += later(lowered, list(absent)[:MOST])
    return AutodiffError(Diagnostic("unbound-variable", message, tuple(labels), tuple(notes), hint, exit=Exit.USAGE))


def given_values(call: Call) -> Iterable[Given]:
    """The values that the line gives, each name once; a reserved word is an error."""
    from ..data.values import pairs

    seen: dict[str, int] = {}
    words = [*call.given]
    for text, place in call.sets:
        if not text.startswith("@"):
            words += [Given(name, value, "set", place) for name, value in pairs(text)]
    for given in sorted(words, key=lambda g: g.place):
        if given.form != "set" and given.name in RESERVED:
            raise usage(
                call,
                given.place,
                "reserved-word",
                f"`{given.name}` is a reserved word, and no variable can be called so",
                hint=f'col("{given.name}")',
            )
        if given.name in seen:
            first = Label(call.span(seen[given.name]), "first given here")
            raise AutodiffError(Diagnostic(
                "given-twice", f"`{given.name}` is given twice", (Label(call.span(given.place)), first), exit=Exit.USAGE,
            ))  # fmt: skip
        seen[given.name] = given.place
        yield given


def _one_stdin(call: Call, given: Iterable[Given]) -> None:
    """Stdin is read once."""
    readers = [call.place] * (call.expression in ("-", "@-")) + [g.place for g in given if g.text.strip() == "@-"]
    if len(readers) > 1:
        first, second = (Label(call.span(place)) for place in readers[:2])
        raise AutodiffError(Diagnostic("stdin-twice", "stdin is read twice", (second, first._replace(text="here first")), exit=Exit.USAGE))


def _values(call: Call, given: Iterable[Given]) -> dict[str, Value]:
    from ..data.values import value

    found: dict[str, Value] = {}
    for g in given:
        apart = g.form == "option" and "=" not in call.words[g.place]
        with placed(call, g.place + apart):
            found[g.name] = value(g.text, f"--{g.name}" if g.form == "option" else f"{g.name}=")
    return found


def _filed(call: Call, given: Iterable[Given]) -> tuple[dict[str, Value | AutodiffError], dict[str, tuple[str, int]]]:
    """The values in the files of `--set @FILE`, and where each comes from."""
    from ..data.values import params

    values: dict[str, Value | AutodiffError] = {}
    files: dict[str, tuple[str, int]] = {}
    named = {g.name for g in given}
    for text, place in call.sets:
        if text.startswith("@"):
            with placed(call, place):
                every = params(text[1:])
            for name, found in every.items():
                if name in named or name in files:
                    raise usage(call, place, "given-twice", f"`{name}` is given twice: `{text[1:]}` gives it too")
                values[name], files[name] = found, (text[1:], place)
    return values, files


def _axes(call: Call, known: Mapping[str, Value]) -> dict[str, list[float]]:
    """The names and values of `--sweep`."""
    if "sweep" not in call.options:
        return {}
    from ..data.axis import axis

    found: dict[str, list[float]] = {}
    for text in call.options["sweep"]:
        name, values = axis(text)
        name = normal(name)
        if name in found or name in known:
            raise usage(call, call.places["sweep"], "given-twice", f"`{name}` is given twice")
        found[name] = values
    return found


def _check_axes(call: Call, text: Source, axes: Mapping[str, Any], lowered: Lowered) -> None:
    """An axis that the program does not use is an error: a misspelt name, most likely."""
    from ..diagnostics import did_you_mean

    for name in axes:
        if name not in lowered.free and name not in passed_over(call, text, lowered, axes):
            near = did_you_mean(name, lowered.free)
            label = f"did you mean `{near}`?" if near else ""
            raise usage(call, call.places["sweep"], "unused-axis", f"the expression has no variable `{name}`", label=label)


def _check_words(call: Call, text: Source) -> None:
    """A `--NAME` that is no word of the program is an error, and said before its value is read; a text that is no program goes before it."""
    typed = [given for given in call.given if given.form == "option"]
    if typed:
        from re import findall

        words = dict.fromkeys([normal(word) for word in findall(r"[^\W\d]\w*", text.text)])
        for given in typed:
            if given.name not in words:
                parse(text)
                raise _unknown(call, given, words)


def _check_options(call: Call, text: Source, lowered: Lowered) -> None:
    for given in call.given:
        if given.form == "option" and given.name not in lowered.free and given.name not in passed_over(call, text, lowered, (given.name,)):
            raise _unknown(call, given, lowered.free)


def _unknown(call: Call, given: Given, words: Iterable[str]) -> AutodiffError:
    options = [name for name in COMMANDS[call.command].options if "--" + name in spellings(name)]
    return unknown(call.words, given.place, given.name, [*words, *options], call.command)


def _from_files(problem: AutodiffError, files: dict[str, tuple[str, int]]) -> AutodiffError:
    """The same error, saying of the values that are underlined which file gave them."""
    found = problem.diagnostic
    named = dict.fromkeys(label.span.text for label in found.labels if label.span.text in files)
    notes = [f"`{name}` is that of {files[name][0]}" for name in named]
    return AutodiffError(found._replace(notes=(*found.notes, *notes))) if notes else problem


def _check_filed(call: Call, values: dict[str, Value | AutodiffError], files: dict[str, tuple[str, int]], free: set[str]) -> None:
    """A value of a file that is no number is an error where the program uses it."""
    for name, found in values.items():
        if isinstance(found, AutodiffError) and name in free:
            raise AutodiffError(found.diagnostic._replace(labels=(Label(call.span(files[name][1])),)))


def _origin(given: Given) -> str:
    return {"option": f"--{given.name}", "pair": f"{given.name}=", "set": "--set"}[given.form]


def note_unused(name: str) -> Diagnostic:
    """The note on a value or a column that goes nowhere."""
    return Diagnostic("unused-value", f"the expression does not use `{name}`", severity="note")


def naming(call: Call) -> Naming:
    """What results are called, by `--name` and `--prefix`."""
    return Naming(call.options.get("name", "value"), call.options.get("prefix", "d_"))
