"""A function with a long sum and what is asked of it in; the same task over arrays out, and its results where they are beyond doubt.

What the function over arrays cannot tell, such as which term is not finite, the plain task tells: it stands behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .coordinates import Axis
from .diagnostics import AutodiffError
from .graph import Fn
from .ops.linear import indexed
from .series.rolled import PACKED, rolled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .api import Task
    from .lower import Lowered
    from .report import Naming


def over_arrays(
    lowered: Lowered, wrt: Sequence[str], make: Callable[[Lowered, Sequence[str]], Task], naming: Naming, *, whole: bool = False
) -> Task | None:  # fmt: skip
    """What `make` makes of the function over arrays, by the names `wrt`; with `plain`, what it makes of the function itself.

    None where no sum is long, and where names would be packed although the `whole` matrix by them is wanted.
    """
    found = rolled(lowered.fn, wrt) if wrt else None
    if found is None or (whole and found.packed):
        return None
    try:
        task = make(lowered._replace(fn=found.fn), (PACKED,) if found.packed else wrt)
    except AutodiffError:
        return None
    if found.packed:
        task = _by_names(task, found.packed, naming)
    return task._replace(lowered=lowered, plain=lambda: make(lowered, wrt), packed=found.packed)


def _by_names(task: Task, names: Sequence[str], naming: Naming) -> Task:
    """The task with a result for each name in place of those by all of them."""
    graph, outs, _ = task.fn.open()
    value, slopes, *entries = outs
    paths = (("value",), *[("gradient", name) for name in names])
    results = [value, *[indexed(slopes, (k,)) for k in range(len(names))], *entries]
    fn = Fn(graph, task.fn.params, results, [*map(naming.of, paths), *task.fn.names[2:]])
    side = Axis(dict.fromkeys(names, ()))
    matrix = task.matrix and task.matrix._replace(down=side, across=side)
    return task._replace(fn=fn, wrt=tuple(names), paths=paths, matrix=matrix)


def results(task: Task, values: Mapping[str, Any]) -> list[Any] | None:
    """The results of a task over arrays; None where they, or an error, are to be told by the plain task."""
    from .program import compile as compiled
    from .run.point import ordinary

    try:
        return ordinary(compiled(task.fn), given(task, values))
    except AutodiffError:
        return None


def given(task: Task, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inputs of a task over arrays."""
    import numpy as np

    return {**values, PACKED: np.array([values[name] for name in task.packed], float)} if task.packed else values
