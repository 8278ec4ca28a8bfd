"""The commands: one line each; a command's module is imported when it runs."""

from __future__ import annotations

from typing import NamedTuple

from .options import ALWAYS, CHECKED, EXACT, NAMES, OUTPUT, PROGRAM, ROWS, TEXT_OUTPUT

POINT = ("auto", "table", "plain", "json", "ndjson", "csv", "tsv", "space", "markdown", "latex", "sh", "parquet", "arrow", "npy", "npz")
TEXT = ("auto", "plain", "json")
TRAINING = (
    "optimizer", "lr", "momentum", "steps", "tol", "batch", "epochs", "seed", "history", "data", "sweep", "no-stdin", "from", "delimiter",
    "header", "no-header", "columns", "on-error", "reduce",
)  # fmt: skip
LISTING = ("auto", "table", "plain", "json", "ndjson", "csv", "tsv", "space", "markdown")


class Command(NamedTuple):
    """What a command does, what stands after it, its options, formats, what `auto` is on a terminal and in a pipe, an example."""

    summary: str
    takes: str
    options: tuple[str, ...]
    formats: tuple[str, ...]
    auto: tuple[str, str]
    example: str


COMMANDS: dict[str, Command] = {
    "eval": Command(
        "The value.", "EXPRESSION", ("set", *PROGRAM, *ROWS, "name", *EXACT, *OUTPUT, *ALWAYS), POINT, ("table", "plain"),
        'autodiff eval "2*pi*r" --r 3',
    ),
    "grad": Command(
        "Value and gradient, one reverse sweep.", "EXPRESSION", ("wrt", "order", "elasticity", "set", *PROGRAM, *ROWS, *NAMES, *EXACT, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff grad "x*y+x**2" --x 2 --y 3',
    ),
    "jac": Command(
        "Value and Jacobian, sparse where it is.", "EXPRESSION",
        ("wrt", "mode", "sparse", "set", *PROGRAM, *ROWS, *NAMES, *EXACT, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff jac "[x*y, x+y]" --x 2 --y 3',
    ),
    "hess": Command(
        "Value, gradient and Hessian, sparse where it is.", "EXPRESSION",
        ("wrt", "sparse", "set", *PROGRAM, *ROWS, *NAMES, *EXACT, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff hess "x**2*y" --x 2 --y 3',
    ),
    "jvp": Command(
        "Value and its derivative along a direction, one forward sweep.", "EXPRESSION",
        ("tangent", "set", *PROGRAM, *ROWS, *NAMES, *EXACT, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff jvp "[x*y, x+y]" --x 2 --y 3 --tangent x=1,y=0',
    ),
    "vjp": Command(
        "Value and the gradient of its weighted sum, one reverse sweep.", "EXPRESSION",
        ("wrt", "cotangent", "set", *PROGRAM, *ROWS, *NAMES, *EXACT, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff vjp "[x*y, x+y]" --x 2 --y 3 --cotangent [1,2]',
    ),
    "hvp": Command(
        "Value, gradient and the Hessian times a direction, a forward sweep over a reverse one.", "EXPRESSION",
        ("wrt", "tangent", "set", *PROGRAM, *ROWS, *NAMES, *EXACT, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff hvp "x**2*y" --x 2 --y 3 --tangent x=1,y=0',
    ),
    "minimize": Command(
        "Parameters that make a loss small, at a point or over rows.", "EXPRESSION",
        ("wrt", *TRAINING, "set", *PROGRAM, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff minimize "(1-x)**2 + 100*(y-x**2)**2" --x -1.2 --y 1',
    ),
    "check": Command(
        "Derivatives by reverse, forward, differences and 50 digits: do they agree?", "EXPRESSION",
        ("wrt", "set", *PROGRAM, *CHECKED, "json", "ndjson", "csv", "tsv", "strict", *TEXT_OUTPUT, *ALWAYS), LISTING, ("table", "tsv"),
        'autodiff check "x*sin(y)" --x 2 --y 3',
    ),
    "derive": Command(
        "The derivative as an expression.", "EXPRESSION", ("wrt", "order", "set", *PROGRAM, "json", *TEXT_OUTPUT, *ALWAYS),
        ("auto", "text", "plain", "latex", "json"), ("text", "text"),
        'autodiff derive "x*sin(y)"',
    ),
    "same": Command(
        "Are two expressions one function? A counterexample if not.", "EXPRESSION EXPRESSION", ("seed", "set", *PROGRAM, "json", *TEXT_OUTPUT, *ALWAYS),
        TEXT, ("text", "text"), 'autodiff same "(x+1)**2" "x**2 + 2*x + 1"',
    ),
    "graph": Command(
        "The computation graph, with values and gradients when values are given.", "EXPRESSION",
        (
            "partials", "backward", "static", "inline", "hide-constants", "max-nodes", "max-depth", "rankdir", "theme",
            "set", *PROGRAM, "json", "digits", *TEXT_OUTPUT, *ALWAYS,
        ),
        ("auto", "dot", "svg", "png", "pdf", "mermaid", "json", "text", "html"), ("dot", "dot"),
        'autodiff graph "x*y+x**2" --x 2 --y 3 -o graph.svg',
    ),
    "trace": Command(
        "The forward and the backward pass, step by step.", "EXPRESSION",
        ("wrt", "max-steps", "set", *PROGRAM, "format", "json", "digits", "o", "strict", "color", *ALWAYS),
        ("auto", "table", "plain", "markdown", "latex", "json"), ("table", "plain"), 'autodiff trace "x*y+x**2" --x 2 --y 3',
    ),
    "explain": Command(
        "How the line was understood; runs nothing.", "EXPRESSION", ("wrt", "set", *PROGRAM, "json", *TEXT_OUTPUT, *ALWAYS), TEXT, ("text", "text"),
        'autodiff explain "-x**2/2*y"',
    ),
    "functions": Command(
        "What the language knows: meaning, derivative rule, domain, example.", "[NAME]...",
        ("json", "ndjson", "csv", "tsv", *TEXT_OUTPUT, *ALWAYS), LISTING, ("table", "tsv"),
        "autodiff functions tanh",
    ),
    "completion": Command(
        "The script that completes commands, options and functions.", "SHELL", ALWAYS, ("auto",), ("text", "text"),
        "source <(autodiff completion bash)",
    ),
}  # fmt: skip
ELSEWHERE = {  # what people call them: the command, and what is added to the line
    "gradient": ("grad", ""),
    "derivative": ("grad", ""),
    "diff": ("grad", ""),
    "jacobian": ("jac", ""),
    "hessian": ("hess", ""),
    "evaluate": ("eval", ""),
    "plot": ("graph", ""),
    "draw": ("graph", ""),
    "function": ("functions", ""),
    "minimise": ("minimize", ""),
    "optimize": ("minimize", ""),
    "train": ("minimize", ""),
    "fit": ("minimize", ""),
}
