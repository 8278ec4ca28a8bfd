"""A function or a tree in, a text in some language out; one file a language."""
