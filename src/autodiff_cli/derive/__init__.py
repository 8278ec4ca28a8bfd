"""Derivatives: a function in, a function out, of any order and in either direction."""

from .products import expand, gradient, taylor

__all__ = ["expand", "gradient", "taylor"]
