"""A program of numbers in, its steps as plain JavaScript out: one statement a node, the branches that do not count left out as in `run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ops.structured import loop_
from ...run.kernels_javascript import call, literal
from ...run.point import shaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...graph import Op, Site
    from ...program import Program, Run

MOST = 100_000


class Still(Exception):
    """Why a page cannot run a program."""


def javascript(program: Program) -> str:
    """The function `run(x, v)` of JavaScript: from the inputs x, in the order of the parameters, to the slots v."""
    if any(step.op is loop_ for run in program.runs for step in run.steps):
        raise Still("a loop in it turns as often as the values say")
    if shaped(program.fn):
        raise Still("it holds arrays, and the page runs numbers")
    if sum(len(run.steps) for run in program.runs) > MOST:
        raise Still(f"both passes have more than {MOST:,} steps")
    return "\n".join(["function run(x, v) {", *[f"  {line}" for line in _body(program)], "}"])


def _body(program: Program) -> Iterator[str]:
    place = {name: k for k, (name, _) in enumerate(program.fn.params)}
    yield from [f"v[{i}] = {literal(text)};" for i, text in program.consts]
    yield from [f"v[{i}] = x[{place[name]}];" for i, name in program.params]
    if len(program.parent) > 1:
        yield "const on = [true];"
    for run in program.runs:
        region = run.region
        if not run.steps:
            wanted = "" if program.wanted[region] else "!"
            yield f"on[{region}] = on[{program.parent[region]}] && {wanted}v[{program.predicate[region]}];"
        elif region:
            yield f"if (on[{region}]) {{"
            yield from [f"  {line}" for line in _steps(program, run)]
            yield "}"
        else:
            yield from _steps(program, run)


def _steps(program: Program, run: Run) -> Iterator[str]:
    for op, slot, args, attr in run.steps:
        found = call(op, attr, [f"v[{j}]" for j in args])
        if found is None:
            raise Still(f"JavaScript has no function for {_meant(op, program.fn.sites[slot])}")
        yield f"v[{slot}] = {found};"


def _meant(op: Op, site: Site | None) -> str:
    """What an op is to a reader: itself, or what it was made for."""
    if site is None or not op.hidden:
        return f"`{op.name}`"
    return f"{'the derivative of ' * bool(site.order)}`{' '.join(site.span.text.split())}`"
