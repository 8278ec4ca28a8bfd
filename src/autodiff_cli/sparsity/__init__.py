"""Sparse derivatives: which entries can be other than zero, and which of them one product gives together."""
