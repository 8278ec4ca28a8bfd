"""Derivatives: a function in, a function out, of any order and in either direction."""

from .products import along, expand, gradient, hvp, places, taylor

__all__ = ["along", "expand", "gradient", "hvp", "places", "taylor"]
