"""The two passes of a trace in; a table for a terminal, plain lines or Markdown out, in the words of a textbook.

The layout is the evaluation trace of Griewank and Walther, *Evaluating Derivatives* (2008), chapters 2 and 3: a line for
every operation on the way forward, then a line for every contribution on the way back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..emit.naming import barred
from ..emit.passes import said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.table import Table
    from rich.text import Text

    from ..diagnostics import Span
    from ..emit.passes import Backward, Forward, Passes, Turn
    from ..report import Report, Value
    from . import View

TURNS, FIRST = 8, 4  # so many turns of a loop are told; of more the first four and the last four
WIDEST = 48  # characters of source beside a step


class Line(NamedTuple):
    """A line of a section: its cells, what is remarked, and the piece of source that it is about."""

    cells: tuple[str, ...]
    remark: str = ""
    span: Span | None = None


class Section(NamedTuple):
    """A part of the trace: its title, the heads of its columns, its lines."""

    title: str
    header: tuple[str, ...]
    lines: Sequence[Line]


def sections(passes: Passes, show: Callable[[Value], str]) -> Iterator[Section]:
    """Inputs, forward pass, backward pass, gradient, as far as there are any."""
    if passes.inputs:
        yield Section("inputs", ("variable", "value"), [Line((name, show(value))) for name, value in passes.inputs])
    if passes.forward:
        yield Section(_counted("forward", passes.steps, "step"), ("step", "value"), list(_forward(passes, show)))
    if passes.backward:
        title = (
            f"{_counted('backward', passes.shares, 'contribution')}, from {barred(passes.value[0])} = {shown_on_a_line(passes.seed, show)}"
        )
        yield Section(title, ("contribution", "local partial", "adds", "sum"), list(_backward(passes, show)))
    if passes.gradient:
        yield Section("gradient", ("variable", "derivative"), [Line((name, show(value))) for name, value in passes.gradient])


def _counted(title: str, count: int, what: str) -> str:
    return f"{title}: {count:,} {what}{'s' * (count != 1)}"


def folded(count: int, told: int) -> str:
    """What stands for the lines between the first and the last ones."""
    more = count - told
    return f"… {more:,} more: --max-steps {count} shows {'it' if more == 1 else 'them'}"


def _forward(passes: Passes, show: Callable[[Value], str]) -> Iterator[Line]:
    for step in passes.forward:
        if step is None:
            yield Line((folded(passes.steps, len(passes.forward) - 1), ""))
            continue
        yield Line((equation(step), "" if step.value is None else _said(step.value, show)), step.remark, step.span)
        yield from [Line((turn, "")) for turn in turns(step, show)]


def _backward(passes: Passes, show: Callable[[Value], str]) -> Iterator[Line]:
    for share in passes.backward:
        if share is None:
            yield Line((folded(passes.shares, len(passes.backward) - 1), "", "", ""))
            continue
        yield Line((added(share), local(share, show), show(share.amount), running(share, show)), share.remark, share.span)
        yield from [Line((turn, "", "", "")) for turn in turns(share, show)]


def equation(step: Forward) -> str:
    """What a step is: `v1 = x*y`."""
    return f"{step.name} = {said(step.operation)}"


def added(share: Backward) -> str:
    """What a share does: `x̄ = v̄1*y` for the first one, `x̄ += v̄2*2` for a further one."""
    return f"{barred(share.to)} {'=' if share.first else '+='} {said(share.rule) if share.counts else '0'}"


def local(share: Backward, show: Callable[[Value], str]) -> str:
    """The local partial, its formula and its value: `∂v1/∂x = y = 3`."""
    formula, number = said(share.local), share.partial
    value = None if number is None or hasattr(number, "shape") and formula else shown_on_a_line(number, show)
    parts = [part for part in (formula, value) if part is not None]
    if not share.counts or not parts:
        return ""
    return " = ".join([f"∂{share.step}/∂{share.to}", *dict.fromkeys(parts)])


def running(share: Backward, show: Callable[[Value], str]) -> str:
    """The sum so far, as a sum where it is one of numbers; an array that was just shown is not shown again."""
    if hasattr(share.total, "shape"):
        return "" if share.first else show(share.total)
    if share.first or not share.counts:
        return show(share.total)
    before = share.before
    return f"{show(before)} + {show(share.amount)} = {show(share.total)}" if before is not None else show(share.total)


def turns(step: Forward | Backward, show: Callable[[Value], str]) -> list[str]:
    """The turns of a loop, what each starts with; on the way back the last turn first, what each ends with."""
    back = hasattr(step, "to")
    found = [_turn(turn, show, back=back) for turn in (reversed(step.turns) if back else step.turns)]
    if len(found) > TURNS:
        found[FIRST:-FIRST] = [f"  … {len(found) - 2 * FIRST:,} turns more"]
    return found


def _turn(turn: Turn, show: Callable[[Value], str], *, back: bool) -> str:
    values = ", ".join([f"{barred(name) if back else name} = {shown_on_a_line(value, show)}" for name, value in turn.values])
    return f"  {'after' if back else 'before'} turn {turn.number}: {values}"


def shown_on_a_line(value: Value, show: Callable[[Value], str]) -> str:
    """A value without line breaks."""
    return _said(value, show).replace("\n", "")


def _said(value: Value, show: Callable[[Value], str]) -> str:
    return str(value).lower() if isinstance(value, bool) else show(value)


def table(report: Report, view: View) -> str:
    """The passes as tables; with colour, each step has its line of the source, the piece underlined."""
    return "\n".join([f"{part.title}\n\n{_drawn(part, view)}" for part in sections(report.passes, view.show)])


def _drawn(part: Section, view: View) -> str:
    """The table of a section, with the source beside it where there is room."""
    from rich.console import Console
    from rich.measure import Measurement

    from .table import NO_LIMIT, draw

    sources = (view.color or view.width > 0) and any(line.span for line in part.lines)
    drawn = _table(part, view, sources=sources)
    wide = Console(width=NO_LIMIT, _environ={})
    if sources and 0 < view.width < Measurement.get(wide, wide.options, drawn).maximum:
        drawn = _table(part, view, sources=False)
    return draw(drawn, view)


def _table(part: Section, view: View, *, sources: bool) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    remarks = any(line.remark for line in part.lines)
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in (*part.header, *["remark"] * remarks, *["source"] * sources):
        drawn.add_column(Text(title), overflow="fold", justify="right" if title in ("value", "adds", "derivative") else "left")
    for line in part.lines:
        cells = [Text(cell) for cell in line.cells]
        cells += [Text(line.remark)] * remarks + [_underlined(line.span) if view.color else _piece(line.span)] * sources
        drawn.add_row(*cells)
    return drawn


def _piece(span: Span | None) -> Text:
    """The piece of the source by itself, where nothing can be underlined."""
    from rich.text import Text

    first, _, more = (span.text if span else "").partition("\n")
    return Text(first if not more and len(first) <= WIDEST else first[: WIDEST - 1] + "…")


def _underlined(span: Span | None) -> Text:
    """The statement that a piece stands in, the piece underlined; of a long one what is round the piece."""
    from re import finditer

    from rich.text import Text

    if span is None:
        return Text("")
    whole = span.source.text
    ends = [found.start() for found in finditer(r"[;\n]", whole)]
    start = max([end + 1 for end in ends if end < span.start], default=0)
    stop = min([end for end in ends if end >= span.start], default=len(whole))
    start, end = start + len(whole[start:]) - len(whole[start:].lstrip(" ")), min(span.end, stop)
    if stop - start > WIDEST:
        start, stop = max(start, span.start - WIDEST // 4), min(stop, max(end, span.start + WIDEST))
    text = Text(whole[start:stop], "dim", overflow="ellipsis", no_wrap=True)
    text.stylize("not dim underline", span.start - start, end - start)
    return text


def plain(report: Report, view: View) -> str:
    """One line a step: `v1 = x*y = 6`, then `x̄ = x̄ + v̄1*y = 7`."""
    passes: Passes = report.passes

    def line(value: Value) -> str:
        return shown_on_a_line(value, view.show)

    inputs = [f"{name} = {line(value)}" for name, value in passes.inputs]
    ahead = [text for step in passes.forward for text in _plain_forward(passes, step, line)]
    seed = [f"{barred(passes.value[0])} = {line(passes.seed)}"] if passes.backward else []
    back = [text for share in passes.backward for text in _plain_backward(passes, share, line)]
    gradient = [f"d_{name} = {line(value)}" for name, value in passes.gradient]
    return "\n".join(["".join([text + "\n" for text in block]) for block in (inputs, ahead, seed + back, gradient) if block])


def _plain_forward(passes: Passes, step: Forward | None, line: Callable[[Value], str]) -> list[str]:
    if step is None:
        return [folded(passes.steps, len(passes.forward) - 1)]
    value = "" if step.value is None or line(step.value) == said(step.operation) else f" = {line(step.value)}"
    return [f"{equation(step)}{value}{_noted(step.remark)}", *turns(step, line)]


def _plain_backward(passes: Passes, share: Backward | None, line: Callable[[Value], str]) -> list[str]:
    if share is None:
        return [folded(passes.shares, len(passes.backward) - 1)]
    name = barred(share.to)
    rule = str(said(share.rule)) if share.counts else "0"
    sum_ = rule if share.first or share.before is None and not share.counts else f"{name} + {rule}"
    value = [] if sum_ == line(share.total) or share.first and not share.counts else [line(share.total)]
    return [f"{' = '.join([name, sum_, *value])}{_noted(share.remark)}", *turns(share, line)]


def _noted(remark: str) -> str:
    return f"   # {remark}" if remark else ""


def markdown(report: Report, view: View) -> str:
    """A table for every part, under its title."""
    return "\n".join(
        [f"**{part.title}**\n\n{_markdown(part)}" for part in sections(report.passes, lambda v: shown_on_a_line(v, view.show))]
    )


def _markdown(part: Section) -> str:
    remarks = any(line.remark for line in part.lines)
    rows = [(*part.header, "remark"), ("---",) * (len(part.header) + 1)]
    rows += [(*[_code(cell) for cell in line.cells], _escaped(line.remark)) for line in part.lines]
    return "".join(["| " + " | ".join(row if remarks else row[:-1]) + " |\n" for row in rows])


def _code(cell: str) -> str:
    return f"`{_escaped(cell.strip())}`" if cell.strip() else ""


def _escaped(cell: str) -> str:
    """A text that ends no cell."""
    return cell.replace("|", r"\|")
