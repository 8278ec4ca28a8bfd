"""A second opinion on programs: Python itself runs the text, over numbers that remember what they were made of.

A program and values in, its value and derivatives out. Nothing of the project is used: branches and loops are Python's,
and a derivative is read from what was remembered (define by run). Names are variables: whatever is assigned to a name, or
given to a parameter, is a number of its own.
"""

from __future__ import annotations

import ast
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

COUNT = itertools.count()
DECISIONS: list[bool] = []


class Number:
    """A value, and the numbers it was made of, each with a partial derivative to be made when it is asked for."""

    __slots__ = ("age", "parents", "value")

    def __init__(self, value: float, *parents: tuple[Number, Callable[[], Any]]) -> None:
        self.value, self.parents, self.age = float(value), parents, next(COUNT)

    def __add__(self, other: Any) -> Any:
        return operate(lambda a, b: a + b, (self, other), lambda a, b: 1, lambda a, b: 1)

    def __sub__(self, other: Any) -> Any:
        return operate(lambda a, b: a - b, (self, other), lambda a, b: 1, lambda a, b: -1)

    def __mul__(self, other: Any) -> Any:
        return operate(lambda a, b: a * b, (self, other), lambda a, b: b, lambda a, b: a)

    def __truediv__(self, other: Any) -> Any:
        return operate(lambda a, b: a / b, (self, other), lambda a, b: 1 / b, lambda a, b: -a / b**2)

    def __floordiv__(self, other: Any) -> Any:
        return operate(lambda a, b: a // b, (self, other), lambda a, b: 0, lambda a, b: 0)

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, Number):
            return operate(lambda a, b: a**b, (self, other), lambda a, b: b * a ** (b - 1), lambda a, b: a**b * log(a))
        return operate(lambda a: a**other, (self,), lambda a: other * a ** (other - 1) if other else 0)

    def __radd__(self, other: Any) -> Any:
        return lift(other) + self

    def __rsub__(self, other: Any) -> Any:
        return lift(other) - self

    def __rmul__(self, other: Any) -> Any:
        return lift(other) * self

    def __rtruediv__(self, other: Any) -> Any:
        return lift(other) / self

    def __rpow__(self, other: Any) -> Any:
        return lift(other) ** self

    def __neg__(self) -> Any:
        return 0 - self

    def __abs__(self) -> Any:
        return operate(abs, (self,), lambda a: (val(a) > 0) - (val(a) < 0))

    def __bool__(self) -> bool:
        return decided(self.value != 0)

    def __lt__(self, other: Any) -> bool:
        return decided(self.value < val(other))

    def __le__(self, other: Any) -> bool:
        return decided(self.value <= val(other))

    def __gt__(self, other: Any) -> bool:
        return decided(self.value > val(other))

    def __ge__(self, other: Any) -> bool:
        return decided(self.value >= val(other))

    def __eq__(self, other: object) -> bool:
        return decided(self.value == val(other))

    def __hash__(self) -> int:
        return self.age

    def __index__(self) -> int:
        place = int(self.value)
        decided(bool(place & 1))
        decided(bool(place & 2))
        return place


def decided(answer: bool) -> bool:  # noqa: FBT001 (an answer)
    """Remember a decision: where the same ones are made the program is smooth."""
    DECISIONS.append(answer)
    return answer


def val(x: Any) -> float:
    return x.value if isinstance(x, Number) else float(x)


def lift(x: Any) -> Number:
    return x if isinstance(x, Number) else Number(x)


def operate(function: Callable[..., float], args: tuple[Any, ...], *partials: Callable[..., Any]) -> Any:
    """A number made of others; entry by entry where one is an array."""
    if any(isinstance(a, np.ndarray) for a in args):
        return np.vectorize(lambda *entries: operate(function, entries, *partials), otypes=[object])(*args)
    made = [(a, lambda d=d: d(*args)) for a, d in zip(args, partials, strict=True) if isinstance(a, Number)]
    return Number(function(*[val(a) for a in args]), *made)


def backwards(y: Any, seed: Any, targets: Iterable[Any]) -> list[Any]:
    """What the targets get of a cotangent of y: every number hands it on to what it was made of, youngest first."""
    shares: dict[Number, Any] = {y: seed} if isinstance(y, Number) else {}
    todo, seen = list(shares), set(shares)
    while todo:
        for parent, _ in todo.pop().parents:
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
    for number in sorted(seen, key=lambda n: -n.age):
        if number in shares:
            for parent, partial in number.parents:
                shares[parent] = shares.get(parent, 0) + shares[number] * partial()
    return [shares.get(t, 0) for t in targets]


def grad(y: Any, x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(grad(y, one) for one in x)
    if isinstance(x, np.ndarray):
        return array(backwards(y, 1, x.ravel())).reshape(x.shape)
    return backwards(y, 1, [x])[0]


def jacobian(y: Any, x: Any) -> Any:
    return array([jacobian(entry, x) for entry in y]) if isinstance(y, np.ndarray) else grad(y, x)


def hessian(y: Any, x: Any) -> Any:
    return jacobian(grad(y, x), x)


def jvp(y: Any, x: Any, v: Any) -> Any:
    return add(jacobian(y, x) * v, -1) if isinstance(x, np.ndarray) else jacobian(y, x) * v


def hvp(y: Any, x: Any, v: Any) -> Any:
    return jvp(grad(y, x), x, v)


def array(items: Any) -> Any:
    """A list as an array of numbers."""
    items = list(items)
    out = np.empty((len(items), *np.shape(items[0])) if items else (0,), object)
    for k, item in enumerate(items):
        out[k] = item
    return out


def add(x: Any, axis: Any = None) -> Any:
    x = x if isinstance(x, np.ndarray) else array(x)
    return x.sum(axis=axis) if x.size else 0.0


def most(pick: Callable[..., float]) -> Callable[..., Any]:
    """`max` or `min`: those that are equal share the derivative."""

    def function(*args: Any) -> Any:
        args = tuple(args[0]) if len(args) == 1 else args
        best = pick(map(val, args))
        tied = [a for a in args if val(a) == best]
        decided(len(tied) > 1)
        for a in args:
            decided(val(a) == best)
        return Number(best, *[(a, lambda: 1 / len(tied)) for a in tied if isinstance(a, Number)])

    return function


def smooth(function: Callable[[float], float], partial: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: operate(function, (x,), partial)


exp: Callable[[Any], Any] = smooth(math.exp, lambda a: exp(a))
log: Callable[[Any], Any] = smooth(math.log, lambda a: 1 / a)
sin: Callable[[Any], Any] = smooth(math.sin, lambda a: cos(a))
cos: Callable[[Any], Any] = smooth(math.cos, lambda a: -sin(a))
tanh: Callable[[Any], Any] = smooth(math.tanh, lambda a: 1 - tanh(a) ** 2)
floor: Callable[[Any], Any] = smooth(math.floor, lambda a: 0)
sqrt: Callable[[Any], Any] = smooth(math.sqrt, lambda a: 0.5 / sqrt(a))


def detach(x: Any) -> Any:
    return val(x)


def ruled(space: dict[str, Any], kind: str) -> Callable[..., Any]:
    """`@derivative(f)` and `@pullback(f)`: from now on f has the rule for its derivative."""

    def decorator(f: Any) -> Any:
        def bind(rule: Any) -> Any:
            def call(*args: Any) -> Any:
                then = dict(space)

                def partial(k: int) -> Any:
                    """The rule is asked for late, and reads the names of the program as they were at the call."""
                    now = dict(space)
                    space.update(then)
                    found = rule(*args) if kind == "derivative" else rule(1, *args)
                    space.update(now)
                    return found[k] if isinstance(found, tuple) else found

                value = val(f(*[detach(a) for a in args]))
                return Number(value, *[(a, lambda k=k: partial(k)) for k, a in enumerate(args) if isinstance(a, Number)])

            space[f.__name__] = call
            return rule

        return bind

    return decorator


class Names(ast.NodeTransformer):
    """Python's tree of a program with every name a variable of its own, and with lists that are arrays."""

    def visit_List(self, node: ast.List) -> ast.expr:
        return ast.Call(ast.Name("array", ast.Load()), [self.generic_visit(node)], [])  # type: ignore[list-item]

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return ast.Call(ast.Name("array", ast.Load()), [self.generic_visit(node)], [])  # type: ignore[list-item]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id == "grad" and isinstance(node.args[1], ast.List):
            node.args[1] = ast.Tuple(node.args[1].elts, ast.Load())
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        node.value = named(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        name = node.target.id  # type: ignore[union-attr]
        return ast.Assign([ast.Name(name, ast.Store())], named(ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)))

    def visit_For(self, node: ast.For) -> ast.stmt:
        self.generic_visit(node)
        node.body = [*renamed(node.target), *node.body]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        node.body = [line for a in node.args.args for line in renamed(ast.Name(a.arg, ast.Store()))] + node.body
        return node


def named(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("fresh", ast.Load()), [value], [])


def renamed(target: ast.expr) -> list[ast.stmt]:
    names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
    return [ast.Assign([ast.Name(n, ast.Store())], named(ast.Name(n, ast.Load()))) for n in names]


def fresh(value: Any) -> Any:
    """The same value as a number of its own."""
    if isinstance(value, Number):
        return Number(value.value, (value, lambda: 1))
    if isinstance(value, tuple):
        return tuple(map(fresh, value))
    if isinstance(value, np.ndarray):
        return array([fresh(v) for v in value])
    return value if callable(value) or isinstance(value, range | bool) else Number(value)


def run(text: str, values: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The value of a program and what its names stand for at the end; the derivatives are `grad(value, names["x"])`."""
    tree = Names().visit(ast.parse(text))
    last = tree.body[-1]
    if isinstance(last, ast.Assign):
        tree.body.append(ast.Assign([ast.Name("_value", ast.Store())], ast.Name(last.targets[0].id, ast.Load())))  # type: ignore[attr-defined]
    else:
        tree.body[-1] = ast.Assign([ast.Name("_value", ast.Store())], last.value)
    space: dict[str, Any] = {n: given(v) for n, v in values.items()}
    start = dict(space)
    space |= {
        "array": array, "cos": cos, "deriv": jacobian, "detach": detach, "exp": exp, "floor": floor, "fresh": fresh, "grad": grad, "hessian": hessian, "hvp": hvp,
        "jacobian": jacobian, "jvp": jvp, "log": log, "max": most(max), "min": most(min), "sin": sin, "sqrt": sqrt, "stop_gradient": detach,
        "sum": add, "tanh": tanh, "pi": math.pi, "e": math.e, "range": lambda *a: range(*[int(val(n)) for n in a]),
    }  # fmt: skip
    space |= {n: v for n, v in start.items() if n in ("pi", "e")}
    space["derivative"], space["pullback"] = ruled(space, "derivative"), ruled(space, "pullback")
    DECISIONS.clear()
    exec(compile(ast.fix_missing_locations(tree), "<program>", "exec"), space)  # noqa: S102 (programs of the tests)
    return space["_value"], start


def given(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return array([given(v) for v in value])
    return Number(value)


def floats(x: Any) -> Any:
    """A number or an array of numbers as floats."""
    return np.vectorize(val, otypes=[float])(x) if isinstance(x, np.ndarray) else val(x)


def gradient(text: str, values: Mapping[str, Any]) -> list[Any]:
    """The value of a program and its derivatives by every value that is given."""
    value, names = run(text, values)
    value = value.item() if isinstance(value, np.ndarray) and value.shape == () else value
    return [floats(value), *[floats(grad(value, x)) for x in names.values()]]
