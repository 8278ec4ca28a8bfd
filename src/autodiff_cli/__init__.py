"""Exact derivatives from the command line: text in, values, gradients and graphs out."""

__version__ = "0.1.0"
