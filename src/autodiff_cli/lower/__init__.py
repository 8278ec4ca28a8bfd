"""A tree in, a function out: what the names, the functions, the loops and the indices of a program mean."""

from .lowering import Lowered, lower

__all__ = ["Lowered", "lower"]
