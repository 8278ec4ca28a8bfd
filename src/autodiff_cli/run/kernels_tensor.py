"""Kernels of tensor and reducing ops: an op over NumPy arrays in, a function of arrays out.

An argument is either uniform, with the shape of its type, or it has rows as a further first axis. Axes are counted
from the end, so that rows in front do not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .kernels_moving import MOVING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..types import Type

    Array = Any
    Kernel = Callable[..., Array]
    Maker = Callable[[Any, Sequence[Type], Sequence[bool]], Kernel]


def kernel(name: str, attr: Any, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    """The function of an op; `types` are of its arguments, `rows` tells which of them have rows in front."""
    return MAKERS[name](attr, types, rows)


def leaf(name: str, attr: Any) -> Array:
    """An array that is known when the graph is made."""
    return LEAVES[name](attr)


def _behind(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    return tuple([a - rank for a in axes])


def _reduce(function: str, **start: float) -> Maker:
    def make(attr: Any, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
        import numpy as np

        axes, reduce = _behind(attr if not attr or isinstance(attr[0], int) else attr[0], len(types[0].shape)), getattr(np, function)
        return lambda x: reduce(x, axis=axes, **start)

    return make


def _arg(function: str) -> Maker:
    def make(axis: int, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
        import numpy as np

        place, find = axis - len(types[0].shape), getattr(np, function)
        more = {"kind": "stable"} if function == "argsort" else {}
        return lambda x: find(x, axis=place, **more).astype(float)

    return make


def _length(attr: Any, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
    import numpy as np

    axes = _behind(attr[0], len(types[0].shape))

    def norm(x: Array) -> Array:
        most = np.max(np.abs(x), axis=axes, keepdims=True, initial=0.0)
        scale = np.where((most > 0) & (most < np.inf), most, 1.0)
        return np.squeeze(scale, axes) * np.sqrt(np.sum(np.square(x / scale), axis=axes))

    return norm


def _power_length(attr: Any, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
    import numpy as np

    axes, power = _behind(attr[0], len(types[0].shape)), attr[1]

    def norm(x: Array) -> Array:
        size = np.abs(x)
        most = np.max(size, axis=axes, keepdims=True, initial=0.0)
        scale = np.where((most > 0) & (most < np.inf), most, 1.0)
        return np.squeeze(scale, axes) * np.sum((size / scale) ** power, axis=axes) ** (1 / power)

    return norm


def _log_sum_exp(attr: Any, types: Sequence[Type], _: Sequence[bool]) -> Kernel:
    import numpy as np

    axes = _behind(attr[0], len(types[0].shape))

    def lse(x: Array) -> Array:
        most = np.max(x, axis=axes, keepdims=True, initial=-np.inf)
        shift = np.where(np.isfinite(most), most, 0.0)
        return np.log(np.sum(np.exp(x - shift), axis=axes)) + np.squeeze(shift, axes)

    return lse


def _matmul(_: Any, types: Sequence[Type], rows: Sequence[bool]) -> Kernel:
    import numpy as np

    if rows[0] and not rows[1] and len(types[1].shape) == 2:
        return lambda a, b: (a.reshape(-1, a.shape[-1]) @ b).reshape(*a.shape[:-1], b.shape[-1])
    return np.matmul


def _each(function: Callable[..., Array], *stacks: Array) -> Array:
    """A function of matrices over a stack of them; one that is singular is NaN and stops no other."""
    import numpy as np

    try:
        return function(*stacks)
    except np.linalg.LinAlgError:
        if stacks[-1].ndim == 2:
            return np.full(stacks[-1].shape, np.nan)
        front = np.broadcast_shapes(*[s.shape[:-2] for s in stacks])
        whole = [np.broadcast_to(s, (*front, *s.shape[-2:])).reshape(-1, *s.shape[-2:]) for s in stacks]
        return np.stack([_each(function, *one) for one in zip(*whole, strict=True)]).reshape(*front, *stacks[-1].shape[-2:])


def _linalg(function: str) -> Maker:
    def make(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
        import numpy as np

        call = getattr(np.linalg, function)
        return lambda *stacks: _each(call, *stacks)

    return make


def _cholesky(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    import numpy as np

    return lambda a: _each(np.linalg.cholesky, (a + np.swapaxes(a, -1, -2)) / 2)


def _det(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    import numpy as np

    return lambda a: (
        np.linalg.det(a)
        if not 0 < a.shape[-1] < 3
        else a[..., 0, 0]
        if a.shape[-1] == 1
        else a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]
    )


def _cofactor(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    """cof(A) = det(U) det(V) U diag(∏_{k≠i} s_k) Vᵀ from A = U diag(s) Vᵀ, at any rank."""
    import numpy as np

    def cofactors(a: Array) -> Array:
        n = a.shape[-1]
        if n <= 1:
            return np.ones_like(a)
        if n == 2:
            return np.stack([np.stack([a[..., 1, 1], -a[..., 1, 0]], -1), np.stack([-a[..., 0, 1], a[..., 0, 0]], -1)], -2)
        finite = np.isfinite(a).all(axis=(-1, -2), keepdims=True)
        u, s, v = np.linalg.svd(np.where(finite, a, 0.0))
        others = np.stack([np.prod(np.delete(s, k, axis=-1), axis=-1) for k in range(n)], axis=-1)
        sign = np.linalg.det(u) * np.linalg.det(v)
        return np.where(finite, sign[..., None, None] * ((u * others[..., None, :]) @ v), np.nan)

    return cofactors


def _logabsdet(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    return lambda a: _slogdet(a)[1]


def _detsign(_: Any, __: Sequence[Type], ___: Sequence[bool]) -> Kernel:
    return lambda a: _slogdet(a)[0]


def _slogdet(a: Array) -> tuple[Array, Array]:
    """Sign and logarithm of determinants, from their factors, which do not overflow; NaN beside an entry that is not finite."""
    import numpy as np

    finite = np.isfinite(a).all(axis=(-1, -2))
    sign, size = np.linalg.slogdet(np.where(finite[..., None, None], a, 0.0))
    return np.where(finite, sign, np.nan), np.where(finite, size, np.nan)


def _checked(*, low: bool) -> Maker:
    def make(size: int, _: Sequence[Type], __: Sequence[bool]) -> Kernel:
        import numpy as np

        def check(x: Array) -> Array:
            bad = ~((x == np.floor(x)) & (x < size) & (x >= (-size if low else 0)))
            if np.any(bad):
                raise IndexError(float(np.asarray(x)[bad].flat[0]), size, bad)
            return np.where(x < 0, x + size, x)

        return check

    return make


def _random(attr: Any) -> Array:
    import numpy as np

    kind, shape, seed = attr
    generator = np.random.default_rng(seed)
    return generator.standard_normal(shape) if kind == "normal" else generator.random(shape)


def _array(attr: Any) -> Array:
    import numpy as np

    from .floats import NAMED

    texts, shape = attr
    return np.array([NAMED[t] if t in NAMED else float(t) for t in texts]).reshape(shape)


def _iota(n: int) -> Array:
    import numpy as np

    return np.arange(n, dtype=float)


LEAVES: dict[str, Callable[[Any], Array]] = {"array": _array, "held": lambda attr: attr.entries, "iota": _iota, "random": _random}
MAKERS: dict[str, Maker] = {
    **MOVING,
    "any_of": _reduce("any"),
    "arglargest": _arg("argmax"),
    "argsmallest": _arg("argmin"),
    "argsort": _arg("argsort"),
    "cholesky_factor": _cholesky,
    "class_number": _checked(low=False),
    "cofactor": _cofactor,
    "determinant": _det,
    "detsign": _detsign,
    "inverse": _linalg("inv"),
    "largest": _reduce("max", initial=float("-inf")),
    "length": _length,
    "log_sum_exp": _log_sum_exp,
    "logabsdet": _logabsdet,
    "matmul": _matmul,
    "place_below": _checked(low=True),
    "power_length": _power_length,
    "smallest": _reduce("min", initial=float("inf")),
    "solved": _linalg("solve"),
    "sum": _reduce("sum"),
}
