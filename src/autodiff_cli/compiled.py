"""For Python: a text in, an object out that gives its value and gradient for numbers and for arrays of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .diagnostics import AutodiffError, Exit, Source, did_you_mean, error

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .api import Task
    from .types import Type


class Compiled:
    """A program of the language, ready to run any number of times; made by `compile`.

    >>> f = compile("x*y + x**2")
    >>> f.value(x=2.0, y=3.0), f.grad(x=2.0, y=3.0)
    (10.0, {'x': 7.0, 'y': 2.0})

    `value` and `grad` take every variable by name: a number, or an array whose first axis is the
    rows. Once one of them has rows, each result is an array with an entry a row. It can be pickled:
    its text and options go, and it is compiled again where it arrives.
    """

    __slots__ = ("_given", "_text", "_tried", "_wrt")

    def __init__(self, text: str, wrt: str | Sequence[str] | None, given: Mapping[str, Any]) -> None:
        self._text, self._given = text, dict(given)
        self._wrt = (wrt,) if isinstance(wrt, str) else None if wrt is None else tuple(wrt)
        self._tried: dict[frozenset[str], tuple[Task, Task | None]] = {}
        self._tasks(frozenset())

    @property
    def names(self) -> tuple[str, ...]:
        """The variables without a value, in the order of the text."""
        return tuple([name for name in self._tasks(frozenset())[0].lowered.free if name not in self._fixed])

    @property
    def wrt(self) -> tuple[str, ...]:
        """The names that `grad` differentiates by."""
        return self._wrt if self._wrt is not None else self._default(frozenset())

    def value(self, **arrays: Any) -> Any:
        """The value: a number, or an array with an entry a row."""
        return self._run(self._tasks(_conditions(arrays))[0], arrays)[0]

    def grad(self, **arrays: Any) -> dict[str, Any]:
        """The derivative by each name of `wrt`: a number, or an array with an entry a row."""
        task = self._gradient(_conditions(arrays))
        return dict(zip(task.wrt, self._run(task, arrays)[1:], strict=True))

    def value_and_grad(self, **arrays: Any) -> tuple[Any, dict[str, Any]]:
        """Both at once, which costs little more than the gradient."""
        task = self._gradient(_conditions(arrays))
        value, *partials = self._run(task, arrays)
        return value, dict(zip(task.wrt, partials, strict=True))

    def __repr__(self) -> str:
        options = [] if self._wrt is None else [f"wrt={list(self._wrt)!r}"]
        return f"compile({', '.join([repr(self._text), *options, *[f'{name}={value!r}' for name, value in self._given.items()]])})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return (Compiled, (self._text, self._wrt, self._given))

    @property
    def _fixed(self) -> dict[str, Any]:
        return {name: value for name, value in self._given.items() if not isinstance(value, tuple)}

    def _tasks(self, conditions: frozenset[str]) -> tuple[Task, Task | None]:
        """The value as a task, and the gradient once it was asked for; `conditions` are variables that are true or false."""
        if conditions not in self._tried:
            from . import api

            lowered = api.understand(Source("expression", self._text), self._known(conditions), self._wrt or ())
            self._tried[conditions] = (api.value(lowered), None)
        return self._tried[conditions]

    def _gradient(self, conditions: frozenset[str]) -> Task:
        value, gradient = self._tasks(conditions)
        if gradient is None:
            from . import api

            wrt = self._default(conditions) if self._wrt is None else self._wrt
            lowered = value.lowered
            for name in wrt:
                _among(name, [*lowered.free, *lowered.assigned])
            gradient = api.gradient(lowered, wrt)
            self._tried[conditions] = (value, gradient)
        return gradient

    def _default(self, conditions: frozenset[str]) -> tuple[str, ...]:
        from .api import differentiable

        return tuple([name for name in differentiable(self._tasks(conditions)[0].lowered) if name not in self._fixed])

    def _known(self, conditions: frozenset[str]) -> dict[str, Any]:
        from .types import BOOL, Type

        shapes: dict[str, Any] = {name: Type("real", value) if isinstance(value, tuple) else value for name, value in self._given.items()}
        return {**dict.fromkeys(conditions, BOOL), **shapes}

    def _run(self, task: Task, arrays: Mapping[str, Any]) -> list[Any]:
        types = dict(task.fn.params)
        for name in arrays:
            _among(name, types)
        missing = [name for name in types if name not in arrays and name not in self._fixed]
        if missing:
            raise error(
                "no-value", f"`{missing[0]}` has no value", hint=f"{missing[0]}=1.0, or an array with an entry a row", exit=Exit.USAGE
            )
        values = {name: arrays[name] if name in arrays else self._fixed[name] for name in types}
        columns = {name: value for name, value in values.items() if _axes(value) > len(types[name].shape)}
        return _over_rows(task, values, columns) if columns else _at_a_point(task, values, types)


def compile(text: str, wrt: str | Sequence[str] | None = None, **given: Any) -> Compiled:
    """The program `text`, to be run for many values.

    `wrt` are the names that `grad` differentiates by; without it, every variable that has no value
    yet. `given` are numbers and arrays that stay the same (a variable that is used as a count needs
    one), and tuples: the shape of one row of a variable that is an array.

    >>> compile("sum((W@x)**2)*k", wrt="x", W=(2, 3), x=(3,), k=0.5).names
    ('W', 'x')
    """
    return Compiled(text, wrt, given)


def _conditions(arrays: Mapping[str, Any]) -> frozenset[str]:
    """The variables that are true or false."""
    return frozenset([name for name, value in arrays.items() if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool"])


def _axes(value: Any) -> int:
    return getattr(value, "ndim", 0)


def _among(name: str, known: Collection[str]) -> None:
    if name not in known:
        near = did_you_mean(name, known)
        shown = ", ".join(known) or "none"
        raise error("unknown-name", f"the program has no variable `{name}`; its variables: {shown}", hint=near, exit=Exit.USAGE)


def _at_a_point(task: Task, values: Mapping[str, Any], types: Mapping[str, Type]) -> list[Any]:
    from .program import compile as program_of
    from .run.point import run

    plain = {name: value if types[name].shape or isinstance(value, bool) else float(value) for name, value in values.items()}
    return run(program_of(task.fn), plain)


def _over_rows(task: Task, values: Mapping[str, Any], columns: Mapping[str, Any]) -> list[Any]:
    import numpy as np

    from .program import compile as program_of
    from .run import arrays
    from .run.point import shaped

    rows = len(next(iter(columns.values())))
    for name, column in columns.items():
        if len(column) != rows:
            raise _uneven(name, column, next(iter(columns)), rows)
    program = program_of(task.fn)
    if shaped(program.fn):
        from .run import tensors

        found = tensors.run(program, values, frozenset(columns))
        varying = tensors.rows_of(program, frozenset(columns)).of
        results = zip(found, [varying[o] for o in program.fn.outs], strict=True)
        return [r if same else np.broadcast_to(r, (rows, *np.shape(r))) for r, same in results]
    fixed = {name: value for name, value in values.items() if name not in columns}
    return [np.full(rows, r) if np.ndim(r) == 0 else r for r in arrays.bind(program, columns, fixed)(columns, rows)]


def _uneven(name: str, column: Any, first: str, rows: int) -> AutodiffError:
    return error("uneven-columns", f"`{first}` has {rows} rows and `{name}` has {len(column)}", exit=Exit.USAGE)
