"""The command line: argv in; results on stdout, messages on stderr and an exit code out."""
