"""What was found at a point, or at every row, in; a report with a line for each variable, and what is worth saying, out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..constants import Digits
from ..diagnostics import Diagnostic, Label
from ..report import Listing, Report, machine, people
from .exact import ulps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from . import Checked, Line
    from .rules import Rule

COLUMNS = ("variable", "reverse", "forward", "difference", "exact", "error")
SHOWN = 20  # digits of the exact derivative
ILL = 1e5  # an error that grows so much is worth a note
MOST = 5  # lines that are said by themselves


class Worst(NamedTuple):
    """The line of a variable in the row where it is worst, and that row; no row at a point."""

    line: Line
    row: str | None


def report(found: Iterable[tuple[str | None, Checked]], *, strict: bool = False) -> Report:
    """The report over all rows (or the one point): of each variable the worst row is shown. With `strict`, every derivative has to be finite."""
    worst: dict[str, Worst] = {}
    bent: dict[str, list[Worst]] = {}
    own: dict[tuple[str, str], tuple[Rule, str | None]] = {}
    passed, count = True, 0
    alone: dict[Diagnostic, None] = {}
    sampled: dict[str, tuple[int, int]] = {}
    apart: list[Diagnostic] = []
    for row, checked in found:
        count += 1
        sampled |= checked.sampled
        if checked.apart is not None:
            apart.append(checked.apart._replace(notes=(f"first in {row}",) if row else ()))
        alone |= {_alone(why): None for why in [checked.reverse_alone] if why is not None}
        passed = passed and checked.passed and not (strict and any(line.reverse - line.reverse != 0 for line in checked.lines))
        for line in checked.lines:
            if line.verdict == "kink":
                bent.setdefault(line.label, []).append(Worst(line, row))
            known = worst.get(line.label)
            if known is None or _badness(line) > _badness(known.line):
                worst[line.label] = Worst(line, row)
        for rule in checked.rules:
            own.setdefault((rule.callee.name, rule.verdict), (rule, row))
    every = list(worst.values())
    empty = [] if count else [Diagnostic("not-checked", "no row has all the cells that are used", severity="note")]
    notes = (
        *empty,
        *alone,
        *apart[:1],
        *[_of_rule(*one) for one in own.values() if one[0].verdict != "right"],
        *_notes(every),
        *_passed_over(every, bent),
        *_sampled(sampled),
    )
    document = {"passed": passed, "checks": [_document(one) for one in every]}
    return Report("check", listing=_listing(every), document=document, notes=notes, passed=passed)


def _badness(line: Line) -> tuple[bool, float, float]:
    return line.verdict == "fail", line.error / line.most if line.most else 0.0, line.grown


def exact(value: Any) -> Digits:
    """The exact derivative in some digits."""
    from mpmath import mp

    return Digits(mp.nstr(value, SHOWN))


def _document(one: Worst) -> dict[str, Any]:
    line = one.line
    place: Mapping[str, Any] = {} if one.row is None else {"row": one.row}
    return {
        "variable": line.label, "reverse": line.reverse, "forward": line.forward, "difference": line.difference.value,
        "exact": exact(line.exact), "error": line.error, "allowed": line.most, "condition": line.grown, "verdict": line.verdict, **place,
    }  # fmt: skip


def _listing(every: list[Worst]) -> Listing:
    rows, lines = [], []
    placed = [] if not every or every[0].row is None else ["row"]
    for one in every:
        line = one.line
        numbers = (line.reverse, line.forward, line.difference.value, exact(line.exact), line.error)
        place = [str(one.row)] if placed else []
        rows.append((line.label, *["" if x is None else machine(x) for x in numbers], line.verdict, *place))
        shown = ["" if x is None else people(x, 12) for x in numbers[:2]] + [
            _estimated(line),
            people(float(line.exact), 17),
            people(line.error, 3),
        ]
        lines.append((line.label, *shown, line.verdict, *place))
    titles = ("variable", "reverse", "forward", "differences", "exact", "error (ulp)", "verdict", *placed)
    return Listing((*COLUMNS, "verdict", *placed), rows, titles, lines)


def _estimated(line: Line) -> str:
    value, error = line.difference
    return f"{people(value, 12)} ± {people(error, 1)}" if error == error else people(value, 12)


# --- what is said --------------------------------------------------------------------------------------------


def _alone(why: Diagnostic) -> Diagnostic:
    """There is no forward mode to compare with."""
    message = why.message.replace("so it has no forward mode", "so forward mode has no meaning here and is not compared")
    return Diagnostic(why.code, message, (why.labels[0]._replace(text=""),) if why.labels else (), severity="note")


def _of_rule(rule: Rule, row: str | None) -> Diagnostic:
    """A rule that is wrong, or that stands for a derivative which the body does not have."""
    labels = (Label(rule.site.span),) if rule.site else ()
    notes = () if row is None else (f"first in {row}",)
    name = rule.callee.name
    if rule.verdict == "instead":
        said = f"the body of `{name}` is a step or holds its argument: its rule stands in for the derivative, and is not compared with it"
        return Diagnostic("rule-instead", said, labels, notes, severity="note")
    ours, theirs = people(float(rule.said), 12), people(float(rule.truth), 12)
    of = f" for entry {rule.places[1]} of the value" if rule.places[1] else ""
    if rule.verdict == "kink":
        said = f"the body of `{name}` has a kink here: by {_nth(rule)} its rule chooses {ours}{of}, the language {theirs}"
        return Diagnostic("kink", said, labels, notes, severity="note")
    said = f"the rule of `{name}` is wrong: by {_nth(rule)} it gives {ours}{of}, and the derivative of the body is {theirs}"
    return Diagnostic("wrong-rule", said, labels, notes, severity="warning")


def _nth(rule: Rule) -> str:
    entry = rule.places[0]
    return f"{f'entry {entry} of ' * bool(entry)}its argument {rule.argument}"


def _notes(every: list[Worst]) -> list[Diagnostic]:
    """Failures, kinks and ill-conditioned derivatives."""
    found = [note for one in every if (note := _failed(one) or _open(one) or _bent(one) or _ill(one)) is not None]
    found.sort(key=lambda note: note.severity != "warning")
    left = len(found) - MOST
    return [
        *found[:MOST],
        *([Diagnostic("check-failed", f"{left} more of {len(every)} derivatives are like these", severity="note")] if left > 0 else []),
    ]


def _where(one: Worst) -> str:
    return f" in {one.row}" if one.row else ""


def _failed(one: Worst) -> Diagnostic | None:
    line = one.line
    if line.verdict != "fail":
        return None
    if line.error <= line.most and line.bend is not None:
        said = f"by `{line.label}` the derivative is {people(float(line.exact), 17)} by the rules, but the slope of the value is {people(float(line.bend.slope), 17)}"
        return Diagnostic("check-failed", said + _where(one), severity="warning")
    note = f"it is off by {people(line.error, 3)} units of the last place, and rounding explains {people(line.most, 3)}"
    note = note if float(line.exact) else "rounding does not explain it"
    return Diagnostic("check-failed", _compared(one), notes=(note,), severity="warning")


def _compared(one: Worst) -> str:
    """The derivative that is farther off, and the exact one."""
    line = one.line
    found, mode = line.reverse, ""
    if line.forward is not None and ulps(line.forward, line.exact) > ulps(line.reverse, line.exact):
        found, mode = line.forward, " in forward mode"
    exactly = people(exact(line.exact), SHOWN)
    return f"by `{line.label}` the derivative is {people(found, 17)}{mode}, and {exactly} with 50 digits{_where(one)}"


def _open(one: Worst) -> Diagnostic | None:
    """Nothing is known of rounding, so nothing is said against the derivative."""
    if one.line.verdict != "open":
        return None
    note = "whether rounding explains the difference was not found out: with fewer bits the loops do not come to an end"
    return Diagnostic("not-determined", _compared(one), notes=(note,), severity="note")


def _bent(one: Worst) -> Diagnostic | None:
    line, bend = one.line, one.line.bend
    if bend is None or not bend.bend:
        return None
    below, above = (people(float(side), 12) for side in (bend.below, bend.above))
    slopes = (
        f"the slope is {below} below and {above} above, and {people(line.reverse, 12)} was chosen"
        if bend.bend == "kink"
        else "the value jumps there"
    )
    return Diagnostic(bend.bend, f"by `{line.label}` the point is on a {bend.bend}{_where(one)}: {slopes}", severity="note")


def _passed_over(every: list[Worst], bent: Mapping[str, list[Worst]]) -> list[Diagnostic]:
    """The first row on a kink of each variable of which another row is shown, and how many there are."""
    from ..notes.rows import rows as counted

    found = []
    for one in every:
        rows = bent.get(one.line.label, [])
        note = _bent(rows[0]) if rows and one.line.verdict != "kink" else None
        if note is not None:
            found.append(note._replace(notes=() if len(rows) == 1 else (f"{counted(len(rows))} are on one",)))
    return found[:MOST]


def _sampled(sampled: Mapping[str, tuple[int, int]]) -> Iterator[Diagnostic]:
    """Of which variables not all entries were looked at in all ways."""
    for name, (some, every) in sampled.items():
        message = f"of the {every:,} entries of `{name}` {some:,} are checked in all ways, and all by reverse mode against 50 digits"
        yield Diagnostic("sampled", message, severity="note")


def _ill(one: Worst) -> Diagnostic | None:
    from math import log10

    line = one.line
    if not line.grown > ILL:
        return None
    lost = min(16.0, log10(line.grown)) if line.grown < float("inf") else 16.0
    said = f"the derivative by `{line.label}` is ill-conditioned{_where(one)}: rounding errors grow {people(line.grown, 2)} times"
    digits = max(0, 16 - round(lost))
    return Diagnostic(
        "ill-conditioned", said, notes=(f"of 16 digits about {digits} are right; `--precision 30` computes more",), severity="note"
    )
