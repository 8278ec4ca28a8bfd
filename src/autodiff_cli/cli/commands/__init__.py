"""One module a command, each with `run(call) -> Report`; imported only when it runs."""
