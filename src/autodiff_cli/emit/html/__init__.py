"""A picture of a graph in; a page that plays both passes, and runs them again where they are made of JavaScript's own functions, out."""
