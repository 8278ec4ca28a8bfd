"""Derivatives: a function in, a function out, of any order and in either direction."""

from .products import along, expand, gradient, gradient_in_graph, hvp, places, taylor

__all__ = ["along", "expand", "gradient", "gradient_in_graph", "hvp", "places", "taylor"]
