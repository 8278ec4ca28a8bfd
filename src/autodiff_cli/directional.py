"""What `jvp`, `vjp` and `hvp` ask of a program: a direction or weights in; a `Task` that gives one product and no matrix out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import derive
from .api import PLAIN, Task, one_number
from .constants import Digits
from .derive.linearised import counts, pulled, pushed, seeded_with
from .derive.products import along
from .diagnostics import Exit, error
from .matrices import shapes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .derive.linearised import Linear
    from .graph import Fn
    from .lower import Lowered
    from .report import Naming, Value

    Path = tuple[str | int, ...]
    Shape = tuple[int, ...]

VALUE = "value"


def jvp(lowered: Lowered, tangent: Mapping[str, Value], naming: Naming = PLAIN, unused: Mapping[str, Value] | None = None) -> Task:
    """Value, and its derivative along a direction: J v, of the value's shape, by one forward sweep.

    `tangent` has a value of its variable's shape for each name that moves; an entry that is 0 stays as it is.
    """
    fn = lowered.fn.called([VALUE])
    seeds = _fitting(tangent, shapes(fn, list(tangent), unused or {}), "a direction")
    linear = pushed(fn, _moving(seeds), [0], _partly(seeds))
    return _task("jvp", lowered, _seeded(linear, seeds), tuple(tangent), [(VALUE,), ("tangent",)], naming)


def vjp(
    lowered: Lowered, wrt: Sequence[str], cotangent: Value | None, naming: Naming = PLAIN, unused: Mapping[str, Value] | None = None
) -> Task:  # fmt: skip
    """Value, and the gradient of the sum of its entries times `cotangent`, which has its shape: uᵀ J by one reverse sweep.

    Without a cotangent the value has to be one number, whose weight is 1.
    """
    fn = lowered.fn.called([VALUE])
    shape = fn.nodes[fn.outs[0]].type.shape
    if cotangent is None:
        if shape:
            site = fn.sites[fn.outs[0]]
            message = f"the value has shape {shape}, and each of its entries needs a weight"
            raise error("no-cotangent", message, site and site.span, f"shape {shape}", hint=f"--cotangent {ones(shape)}", exit=Exit.USAGE)
        cotangent = 1.0
    seeds = _fitting({VALUE: cotangent}, {VALUE: shape}, "a cotangent")
    linear = pulled(fn, wrt, _partly(seeds))
    paths: list[Path] = [(VALUE,), *[("cotangent", name) for name in wrt]]
    return _task("vjp", lowered, _seeded(linear, seeds), tuple(wrt), paths, naming)._replace(unused=unused or {})


def hvp(
    lowered: Lowered, wrt: Sequence[str], tangent: Mapping[str, Value], naming: Naming = PLAIN, unused: Mapping[str, Value] | None = None
) -> Task:  # fmt: skip
    """Value, gradient, and the Hessian times a direction: H v, by a forward sweep over the reverse one.

    The names of `tangent` are among those of `wrt`; each value has its variable's shape, and an entry that is 0 stays as it is.
    """
    one_number(lowered, "a Hessian")
    fn = derive.gradient(lowered.fn, wrt)
    seeds = _fitting(tangent, shapes(fn, list(tangent), unused or {}), "a direction")
    linear = pushed(fn, _moving(seeds), range(1, len(fn.outs)), _partly(seeds))
    paths: list[Path] = [(VALUE,), *[("gradient", name) for name in wrt], *[("product", name) for name in wrt]]
    return _task("hvp", lowered, _seeded(linear, seeds), tuple(wrt), paths, naming)._replace(unused=unused or {})


def _task(command: str, lowered: Lowered, fn: Fn, wrt: tuple[str, ...], paths: Sequence[Path], naming: Naming) -> Task:
    mode = {"jvp": "forward", "vjp": "reverse", "hvp": "forward over reverse"}[command]
    return Task(command, lowered, fn.called([naming.of(path) for path in paths]), wrt, tuple(paths), effort=f"1 product in {mode} mode")


def _seeded(linear: Linear, seeds: Mapping[str, Value]) -> Fn:
    """The function with the seeds, and with what tells where these are there, for its inputs."""
    inputs = {name: value for seed, value in seeds.items() for name, value in ((along(seed), value), (counts(seed), value != 0))}
    known = {name for name, _ in linear.fn.params}
    return seeded_with(linear, {name: value for name, value in inputs.items() if name in known})


def _moving(seeds: Mapping[str, Value]) -> list[str]:
    """The names that are seeded at all."""
    return [name for name, value in seeds.items() if _any(value != 0)]


def _partly(seeds: Mapping[str, Value]) -> list[str]:
    """The names of which some entries are not seeded."""
    return [name for name, value in seeds.items() if hasattr(value, "shape") and not (value != 0).all()]


def _any(found: Any) -> bool:
    return bool(found.any()) if hasattr(found, "any") else bool(found)


def _fitting(given: Mapping[str, Value], wanted: Mapping[str, Shape], what: str) -> dict[str, Value]:
    """The given seeds, each a number or an array of the shape that is wanted."""
    found: dict[str, Value] = {}
    for name, value in given.items():
        shape = getattr(value, "shape", ())
        if shape != wanted[name]:
            has = f"has shape {wanted[name]}" if wanted[name] else "is one number"
            message = f"{what} {f'of shape {shape}' if shape else 'of one number'} for `{name}`, which {has}"
            raise error("seed-shape", message, hint=f"for example {ones(wanted[name])}", exit=Exit.USAGE)
        found[name] = _number(value)
    return found


def _number(value: Any) -> Any:
    """A seed as float64, or as the numbers of many digits that it holds."""
    if isinstance(value, Digits) or hasattr(value, "dtype") and value.dtype.hasobject:
        return value
    return value.astype(float) if hasattr(value, "shape") else float(value)


def ones(shape: Shape) -> str:
    """Ones in this shape, if that is short, as they are typed."""
    if not shape:
        return "1"
    if len(shape) > 1 or shape[0] > 6:
        return f"ones({shape[0]})" if len(shape) == 1 else f"ones(({', '.join(map(str, shape))}))"
    return f"[{','.join(['1'] * shape[0])}]"
