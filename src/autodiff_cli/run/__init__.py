"""Running programs: one kernel set a kind of number."""
