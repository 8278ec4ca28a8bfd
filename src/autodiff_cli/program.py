"""A function in, a program out: steps over slots, grouped into runs under one condition each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .derive import expand
from .graph import CONST, PARAM
from .regions import Regions

if TYPE_CHECKING:
    from .graph import Fn, Op


class Step(NamedTuple):
    """Slot `slot` becomes `op` with the static `attr` over the slots `args`."""

    op: Op
    slot: int
    args: tuple[int, ...]
    attr: Any


class Run(NamedTuple):
    """Steps that run together where `region` is on; or, without steps, the deciding of `region`."""

    region: int
    steps: tuple[Step, ...]


class Program(NamedTuple):
    """What runs: `fn` is the expanded function, whose node positions are the slots.

    `params` and `consts` are (slot, name) and (slot, decimal text); region r is on where
    region `parent[r]` is and slot `predicate[r]` holds `wanted[r]`.
    """

    fn: Fn
    params: tuple[tuple[int, str], ...]
    consts: tuple[tuple[int, str], ...]
    runs: tuple[Run, ...]
    parent: list[int]
    predicate: list[int]
    wanted: list[bool]
    cache: dict[Any, Any]


def compile(fn: Fn) -> Program:
    """The program of a function; compiled once, kept on the function."""
    program = fn.cache.get("program")
    if program is None:
        program = fn.cache["program"] = _compile(expand(fn))
    return program


def _compile(fn: Fn) -> Program:
    regions = Regions(fn.nodes)
    of = regions.assign(fn.outs)
    params, consts, runs = [], [], []
    steps: list[Step] = []
    last = 0
    for i in regions.schedule():
        region = of[i] if i >= 0 else 0
        op, args, attr, _ = fn.nodes[max(i, 0)]
        if i >= 0 and op is PARAM:
            params.append((i, attr))
        elif i >= 0 and op is CONST:
            consts.append((i, attr))
        else:
            if steps and (i < 0 or region != last):
                runs.append(Run(last, tuple(steps)))
                steps = []
            if i < 0:
                runs.append(Run(-i, ()))
            else:
                steps.append(Step(op, i, args, attr))
                last = region
    if steps:
        runs.append(Run(last, tuple(steps)))
    return Program(fn, tuple(params), tuple(consts), tuple(runs), regions.parent, regions.predicate, regions.wanted, {})
