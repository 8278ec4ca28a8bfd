"""Trees of our parser and of Python's own in, the same short text out where they mean the same."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autodiff_cli.syntax import Tree

PYTHON: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|", ast.UAdd: "+", ast.USub: "-", ast.Invert: "~", ast.Not: "not", ast.And: "and", ast.Or: "or",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def dump(part: Any) -> str:
    """A tree, or a part of one: `(+ x (* 2 y))`."""
    if part is None:
        return "_"
    if isinstance(part, str):
        return part
    if isinstance(part, tuple):
        return f"[{' '.join(dump(p) for p in part)}]"
    return _tree(part)


def _tree(tree: Tree) -> str:
    match tree.kind:
        case "number":
            return str(tree.parts[0])
        case "name":
            name, prefix = tree.parts
            return f"{prefix}.{name}" if prefix else name
        case "string":
            return repr(tree.parts[0])
        case "binary" | "unary":
            return f"({' '.join(dump(p) for p in tree.parts)})"
        case "call":
            callee, args, keywords = tree.parts
            return f"({' '.join([dump(callee) + '()', *map(dump, args), *(f'{n}={dump(v)}' for n, v in keywords)])})"
    return f"({' '.join([tree.kind, *(dump(p) for p in tree.parts)])})"


def python(text: str) -> str:
    """What Python reads in a text, in the words of `dump`."""
    return _python(ast.parse(text.strip(), mode="eval").body)


def _python(node: Any) -> str:  # noqa: C901, PLR0911, PLR0912 (one line a kind of node)
    match node:
        case ast.Constant(value=None | bool()):
            return str(node.value)
        case ast.Constant(value=str()):
            return repr(node.value)
        case ast.Constant(value=int() | float() as value):
            return repr(float(value))
        case ast.Name():
            return node.id
        case ast.UnaryOp():
            return f"({PYTHON[type(node.op)]} {_python(node.operand)})"
        case ast.BinOp():
            return f"({PYTHON[type(node.op)]} {_python(node.left)} {_python(node.right)})"
        case ast.BoolOp():
            first, *rest = map(_python, node.values)
            for other in rest:
                first = f"({PYTHON[type(node.op)]} {first} {other})"
            return first
        case ast.Compare():
            pairs = zip(node.ops, node.comparators, strict=True)
            return f"(compare {_python(node.left)} {' '.join(f'{PYTHON[type(op)]} {_python(value)}' for op, value in pairs)})"
        case ast.IfExp():
            return f"(ifelse {_python(node.test)} {_python(node.body)} {_python(node.orelse)})"
        case ast.Call():
            keywords = [f"{k.arg}={_python(k.value)}" for k in node.keywords]
            return f"({' '.join([_python(node.func) + '()', *map(_python, node.args), *keywords])})"
        case ast.Subscript():
            items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return f"(index {_python(node.value)} [{' '.join(map(_python, items))}])"
        case ast.Attribute():
            return f"(attribute {_python(node.value)} {node.attr})"
    return _collection(node)


def _collection(node: Any) -> str:
    match node:
        case ast.Slice():
            return f"(slice {' '.join('_' if p is None else _python(p) for p in (node.lower, node.upper, node.step))})"
        case ast.List():
            return f"({' '.join(['list', *map(_python, node.elts)])})"
        case ast.Tuple():
            return f"({' '.join(['tuple', *map(_python, node.elts)])})"
        case ast.ListComp() | ast.GeneratorExp():
            clauses = []
            for clause in node.generators:
                clauses.append(f"[for {_python(clause.target)} {_python(clause.iter)}]")
                clauses += [f"[if {_python(test)}]" for test in clause.ifs]
            return f"(comprehension {_python(node.elt)} [{' '.join(clauses)}])"
    raise AssertionError(ast.dump(node))
