"""What every test starts from: hypothesis profiles, a fixed console, nothing left behind."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

PROFILES = {"dev": 20, "ci": 200, "deep": 2000}
for name, examples in PROFILES.items():
    settings.register_profile(
        name, max_examples=examples, derandomize=name == "dev", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))
CONSOLE = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


@pytest.fixture(autouse=True)
def _console(monkeypatch: pytest.MonkeyPatch) -> None:
    """A console of one width without colour."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for key, value in CONSOLE.items():
        monkeypatch.setenv(key, value)


@pytest.fixture(autouse=True)
def _same_process() -> Iterator[None]:
    """A command run in this process turns the garbage collector off: on again."""
    folder = os.getcwd()
    yield
    gc.enable()
    assert os.getcwd() == folder
