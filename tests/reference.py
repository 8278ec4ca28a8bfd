"""A second opinion: expressions of the language read by Python's `ast`, run with dual numbers in mpmath.

It follows the rules of the language's page on kinks, not the engine: eager, no graph, a tangent that is
None is a structural zero.
"""

from __future__ import annotations

import ast
import operator
from typing import Any

from mpmath import mp

Dual = tuple[Any, Any]
NAN = mp.nan


def run(text: str, values: dict[str, float], by: str) -> tuple[Any, Any]:
    """Value and derivative by one variable, with 60 digits."""
    with mp.workdps(60):
        point = {name: (mp.mpf(v), mp.mpf(1) if name == by else None) for name, v in values.items()}
        value, tangent = _visit(ast.parse(text.strip(), mode="eval").body, point)
        return value, mp.mpf(0) if tangent is None else tangent


def _visit(node: ast.expr, env: dict[str, Dual]) -> Dual:
    match node:
        case ast.Constant():
            return (mp.mpf(str(node.value)), None)
        case ast.Name():
            return env[node.id]
        case ast.UnaryOp():
            v, t = _visit(node.operand, env)
            return (-v, None if t is None else -t)
        case ast.BinOp():
            if isinstance(node.op, ast.Mult | ast.Div) and (
                _whole(node.left) == 0 or (isinstance(node.op, ast.Mult) and _whole(node.right) == 0)
            ):
                return _by_zero(node, env)
            return BINARY[type(node.op)](_visit(node.left, env), _visit(node.right, env))
        case ast.IfExp():
            return _visit(node.body if _truth(node.test, env) else node.orelse, env)
        case ast.Call(func=ast.Name(id="where")):
            return _visit(node.args[1 if _truth(node.args[0], env) else 2], env)
        case ast.Call(func=ast.Name(id=name)):
            return FUNCTIONS[name](*[_visit(a, env) for a in node.args])
    raise ValueError(ast.dump(node))


def _whole(node: ast.expr) -> int | None:
    """The value of whole literals under + - * / **, which is known when the graph is made."""
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.BinOp():
            a, b = _whole(node.left), _whole(node.right)
            if a is None or b is None:
                return None
            if isinstance(node.op, ast.Div):
                return a // b if b and a % b == 0 else None
            return {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow}[type(node.op)](a, b)
    return None


def _by_zero(node: ast.BinOp, env: dict[str, Dual]) -> Dual:
    """A factor or a numerator that is a literal 0: the other operand gets a structural zero."""
    left, right = _visit(node.left, env), _visit(node.right, env)
    v = left[0] * right[0] if isinstance(node.op, ast.Mult) else _div(left[0], right[0])
    return (v, None)


def _truth(node: ast.expr, env: dict[str, Dual]) -> bool:
    match node:
        case ast.Compare():
            values = [_visit(n, env)[0] for n in (node.left, *node.comparators)]
            return all(COMPARE[type(op)](a, b) for op, a, b in zip(node.ops, values, values[1:], strict=False))
        case ast.BoolOp():
            return (all if isinstance(node.op, ast.And) else any)(_truth(v, env) for v in node.values)
        case ast.UnaryOp():
            return not _truth(node.operand, env)
    raise ValueError(ast.dump(node))


COMPARE = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def _sum(*terms: Any) -> Any:
    known = [t for t in terms if t is not None]
    return mp.fsum(known) if len(known) > 1 and all(mp.isfinite(t) for t in known) else sum(known) if known else None


def _times(a: Any, b: Any) -> Any:
    return None if b is None else a * b


def _div(a: Any, b: Any) -> Any:
    if mp.isnan(a) or mp.isnan(b):
        return NAN
    if b == 0:
        return NAN if a == 0 else mp.inf * mp.sign(a)
    return a / b


def _quotient(x: Dual, y: Dual) -> Dual:
    v = _div(x[0], y[0])
    return (v, _sum(_times(_div(mp.mpf(1), y[0]), x[1]), _times(-_div(v, y[0]), y[1])))


def _power(x: Dual, n: Dual) -> Dual:
    k = int(n[0])
    return (x[0] ** k, _times(k * x[0] ** (k - 1), x[1]) if k else None)


BINARY = {
    ast.Add: lambda x, y: (x[0] + y[0], _sum(x[1], y[1])),
    ast.Sub: lambda x, y: (x[0] - y[0], _sum(x[1], _times(-1, y[1]))),
    ast.Mult: lambda x, y: (x[0] * y[0], _sum(_times(y[0], x[1]), _times(x[0], y[1]))),
    ast.Div: _quotient,
    ast.Pow: _power,
}


def _smooth(f: Any, d: Any) -> Any:
    return lambda x: (f(x[0]), _times(d(x[0]), x[1]))


def _log(v: Any) -> Any:
    return NAN if not v >= 0 else mp.log(v) if v else -mp.inf


def _sqrt(v: Any) -> Any:
    return mp.sqrt(v) if v >= 0 else NAN


def _extreme(pick: Any) -> Any:
    def rule(*xs: Dual) -> Dual:
        if any(mp.isnan(v) for v, _ in xs):
            hit = [t for v, t in xs if mp.isnan(v) and t is not None]
            return (NAN, NAN if hit else None)
        best = pick(v for v, _ in xs)
        tied = [t for v, t in xs if v == best]
        share = mp.mpf(1) / len(tied)
        return (best, _sum(*[_times(share, t) for t in tied]))

    return rule


def _relu(x: Dual) -> Dual:
    v, t = x
    if mp.isnan(v):
        return (NAN, None if t is None else NAN)
    return (mp.mpf(0), None) if v <= 0 else (v, t)


FUNCTIONS = {
    "sin": _smooth(mp.sin, mp.cos),
    "cos": _smooth(mp.cos, lambda v: -mp.sin(v)),
    "exp": _smooth(mp.exp, mp.exp),
    "tanh": _smooth(mp.tanh, lambda v: mp.sech(v) ** 2),
    "log": _smooth(_log, lambda v: _div(mp.mpf(1), v) if v >= 0 else NAN),
    "sqrt": _smooth(_sqrt, lambda v: _div(mp.mpf("0.5"), _sqrt(v))),
    "abs": _smooth(abs, lambda v: NAN if mp.isnan(v) else mp.sign(v)),
    "max": _extreme(max),
    "min": _extreme(min),
    "relu": _relu,
}
