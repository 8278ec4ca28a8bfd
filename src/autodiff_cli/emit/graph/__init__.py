"""A function in, a picture of its graph out: first the model of it, then DOT, Mermaid, JSON, a tree or positions."""
