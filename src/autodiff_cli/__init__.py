"""Exact derivatives from the command line: text in, values, gradients and graphs out."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .compiled import Compiled, compile

__version__ = "0.1.0"
__all__ = ["Compiled", "__version__", "compile"]


def __getattr__(name: str) -> "Any":
    """`compile` and `Compiled`, which are there once they are asked for: the command does not need them."""
    if name not in {"Compiled", "compile"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(".compiled", __name__), name)
