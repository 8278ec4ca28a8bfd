"""The commands: one line each; a command's module is imported when it runs."""

from __future__ import annotations

from typing import NamedTuple

from .options import ALWAYS, NAMES, OUTPUT, PROGRAM, ROWS, TEXT_OUTPUT

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
        "The value.", "EXPRESSION", ("set", *PROGRAM, *ROWS, "name", *OUTPUT, *ALWAYS), POINT, ("table", "plain"),
        'autodiff eval "2*pi*r" --r 3',
    ),
    "grad": Command(
        "Value and gradient, one reverse sweep.", "EXPRESSION", ("wrt", "order", "elasticity", "set", *PROGRAM, *ROWS, *NAMES, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff grad "x*y+x**2" --x 2 --y 3',
    ),
    "minimize": Command(
        "Parameters that make a loss small, at a point or over rows.", "EXPRESSION",
        ("wrt", *TRAINING, "set", *PROGRAM, *OUTPUT, "stats", *ALWAYS), POINT, ("table", "tsv"),
        'autodiff minimize "(1-x)**2 + 100*(y-x**2)**2" --x -1.2 --y 1',
    ),
    "graph": Command(
        "The computation graph, with values and gradients when values are given.", "EXPRESSION",
        ("set", *PROGRAM, "digits", *TEXT_OUTPUT, *ALWAYS), ("auto", "dot"), ("dot", "dot"),
        'autodiff graph "x*y+x**2" --x 2 --y 3 | dot -Tsvg > graph.svg',
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
LATER = {  # commands that are to come, and what does for them now
    name: instead
    for name, instead in {
        "jac": 'autodiff eval "jacobian(y, x)" with y and x of your own',
        "hess": 'autodiff eval "hessian(y, x)", or autodiff grad --order 2 for one variable',
        "jvp": 'autodiff eval "jvp(y, x, v)"',
        "vjp": 'autodiff grad "sum(w*y)" for a cotangent w',
        "hvp": 'autodiff eval "hvp(y, x, v)"',
        "derive": "autodiff grad gives the derivative at a point",
        "trace": "autodiff graph shows every step with its value and gradient",
        "same": None,
        "check": None,
    }.items()
    if name not in COMMANDS
}
PICTURES = tuple([name for name in ("svg", "png", "pdf", "mermaid", "json", "text", "html") if name not in COMMANDS["graph"].formats])
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
