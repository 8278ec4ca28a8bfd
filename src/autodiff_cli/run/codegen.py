"""The turns of a loop as straight-line Python: what has to run in, a compiled function out.

`turns(items, *carries, *constants, *appends)` runs a turn for every item and returns (why, item, carries): 0 when the
items ran out, 1 when the test failed, 2 when a kernel raised, with the carries as they were before that turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.arithmetic import select
from .floats import RAISED, bind, named
from .kernels_spelled import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..program import Program
    from .slim import Slim

ENDED, STOPPED, BROKEN = 0, 1, 2


def turns(slim: Slim) -> Callable[..., Any]:
    """The function that runs turns of a loop over floats; made once."""
    if "turns" not in slim.turn.cache:
        space: dict[str, Any] = {"RAISED": RAISED, "nan": float("nan"), "inf": float("inf")}
        exec(compile("\n".join(_function(slim, space)), "<loop>", "exec"), space)  # noqa: S102 (text made from the graph alone)
        slim.turn.cache["turns"] = space["turns"]
    return slim.turn.cache["turns"]  # type: ignore[no-any-return]  # the cache holds any derived thing


def _function(slim: Slim, space: dict[str, Any]) -> Iterator[str]:
    names = {name: f"p{k}" for k, name in enumerate(slim.names)}
    count = len(slim.carries)
    inputs = list(names.values())
    carries, xs = inputs[:count], inputs[count + len(slim.constants) :]
    saves, keeps = [f"s{k}" for k in slim.saved], [f"y{k}" for k in slim.kept]
    body: list[str] = []
    if slim.test is not None:
        (held,) = _program(slim.test, names, "t", space, body)
        body.append(f"if not {held}: return 1, {item_of(slim, xs)}, {_tuple(carries)}")
    outs = _program(slim.turn, names, "v", space, body)
    body += [f"s{k}({carries[slim.carries.index(k)]})" for k in slim.saved]
    body += [f"y{k}({value})" for k, value in zip(slim.kept, outs[count:], strict=True)]
    changed = [(c, v) for c, v in zip(carries, outs, strict=False) if c != v]
    if changed:
        body.append(f"{', '.join(c for c, _ in changed)} = {', '.join(v for _, v in changed)}")
    yield f"def turns({', '.join(['items', *inputs[: count + len(slim.constants)], *saves, *keeps])}):"
    yield " try:"
    yield f"  for {item_of(slim, xs)} in items:"
    yield from [f"   {line}" for line in body or ["pass"]]
    yield " except RAISED:"
    yield f"  return 2, {item_of(slim, xs)}, {_tuple(carries)}"
    yield f" return 0, None, {_tuple(carries)}"


def item_of(slim: Slim, xs: list[str]) -> str:
    """What an item is: the number of the turn where it is needed, and the scanned values."""
    parts = [*(["i"] if slim.test is not None or not xs else []), *xs]
    return parts[0] if len(parts) == 1 else _tuple(parts)


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def _program(program: Program, names: dict[str, str], letter: str, space: dict[str, Any], lines: list[str]) -> list[str]:
    """Write the steps of a program; the texts of its results."""
    text = {i: names[name] for i, name in program.params}
    text |= {i: _literal(named(c)) for i, c in program.consts}
    for run, (_, steps) in zip(program.runs, bind(program), strict=True):
        if not run.steps:
            lines.append(f"{letter}r{run.region}={_condition(program, run.region, text, letter)}")
            continue
        indent = ""
        if run.region:
            lines.append(f"if {letter}r{run.region}:")
            indent = " "
        for step, (fast, *_) in zip(run.steps, steps, strict=True):
            slot = text[step.slot] = f"{letter}{step.slot}"
            args = [text[j] for j in step.args]
            lines.append(f"{indent}{slot}={_expression(step, fast, args, f'f{letter}{step.slot}', space)}")
    return [text[o] for o in program.fn.outs]


def _expression(step: Any, fast: Any, args: list[str], name: str, space: dict[str, Any]) -> str:
    if step.op is select:
        return f"{args[1]} if {args[0]} else {args[2]}"
    if step.op.name == "out":
        return f"{args[0]}[{step.attr}]"
    short = spelled(step.op, args)
    if short is not None:
        return short
    space[name] = fast
    return f"{name}({','.join(args)})"


def _condition(program: Program, region: int, text: dict[int, str], letter: str) -> str:
    up = f"{letter}r{program.parent[region]} and " if program.parent[region] else ""
    return f"{up}{'' if program.wanted[region] else 'not '}{text[program.predicate[region]]}"


def _literal(value: Any) -> str:
    text = repr(value)
    return f"({text})" if text.startswith("-") else text
