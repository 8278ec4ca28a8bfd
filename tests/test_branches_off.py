"""A branch that is off does not run, in derivatives of any order: its loops would not end there."""

from __future__ import annotations

import pytest

from console import autodiff

ENDLESS = "while s < 50: s = s*x"  # at x = 0.5 it never ends
# a program, and what it is at x = 0.5 and y = 2
PROGRAMS = {
    "alone": (f"s = x\nif x > 1:\n    {ENDLESS}\ns*y", "x*y"),
    "beside another loop": (f"s = x\nif x > 1:\n    {ENDLESS}\nelse:\n    while s < 30: s = s + x*s + 1\ns*y", "s = x\nwhile s < 30: s = s + x*s + 1\ns*y"),
    "under two conditions": (f"s = x\nif x > 1 and y > 0:\n    {ENDLESS}\ns*y", "x*y"),
    "under one or another": (f"s = x\nif x > 1 or y > 3:\n    {ENDLESS}\ns*y", "x*y"),
    "under none of two": (f"s = x\nif x < 0.7 or y > 3:\n    s = s*s\nelse:\n    {ENDLESS}\ns*y", "x*x*y"),
    "under a condition in a branch": (f"s = x\nif y > 1:\n    s = s*y\n    if x > 1:\n        {ENDLESS}\ns*y", "x*y*y"),
    "after a return": (f"def f(s):\n    if x < 1: return s*s\n    {ENDLESS}\n    return s\nf(x)*y", "x*x*y"),
    "its slope in the program": (f"s = x\nif x > 1:\n    {ENDLESS}\nelse: s = x*x*x*x\ny*grad(grad(s, x), x)", "s = x*x*x*x\ny*grad(grad(s, x), x)"),
}  # fmt: skip
COMMANDS = {"grad": (), "hess": (), "hvp": ("--tangent", "x=1,y=2"), "grad ": ("--order", "3", "--wrt", "x")}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_branch_that_is_off_does_not_run(name: str, command: str) -> None:
    program, other = PROGRAMS[name]
    options = (*COMMANDS[command], "-q")
    found = autodiff(command.strip(), program, "x=0.5", "y=2", *options)
    assert found.code == 0, found.err
    assert found.out == autodiff(command.strip(), other, "x=0.5", "y=2", *options).out
    rows = autodiff(command.strip(), program, *options, "--only", stdin="x,y\n0.5,2\n3,2\n")
    assert rows.out.splitlines()[:2] == found.out.replace("\t", ",").splitlines()
