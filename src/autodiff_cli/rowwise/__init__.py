"""A task and blocks of rows in; results row by row, or of all rows together, and what is to be said about them, out."""
