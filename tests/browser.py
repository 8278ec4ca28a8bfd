"""A headless Chromium for tests of pages: a file in; what is on the page, what it asked of the network and what it complained of, out."""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selenium.webdriver.chrome.webdriver import WebDriver

PROGRAMS = (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",))
ARGUMENTS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --window-size=1280,800"
).split()


def _programs() -> list[str]:
    found = [next((path for name in names if (path := shutil.which(name))), None) for names in PROGRAMS]
    if None in found:
        pytest.skip("no Chromium here: apt install chromium chromium-driver runs the tests of the page")
    pytest.importorskip("selenium", reason="no selenium here: pip install selenium runs the tests of the page")
    return [path for path in found if path]


@contextmanager
def chromium() -> Iterator[Page]:
    """A browser with a profile of its own, gone afterwards."""
    browser, driver = _programs()
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = browser
        for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        chrome = Chrome(options=options, service=Service(driver))
        try:
            yield Page(chrome)
        finally:
            chrome.quit()


class Page:
    """A page in the browser."""

    def __init__(self, driver: WebDriver) -> None:
        self.driver: Any = driver

    def open(self, path: Path, scheme: str = "light") -> None:
        """Load a file, with a light or a dark screen."""
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.get_log("performance")
        self.driver.get(path.as_uri())

    def run(self, script: str, *args: Any) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *args)

    def text(self, selector: str) -> str:
        """The text of an element."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def press(self, *keys: str) -> None:
        """Press keys on whatever has the focus."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def point(self, node: str) -> None:
        """Move the pointer onto an element."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).move_to_element(self.driver.find_element("css selector", node)).perform()

    def requests(self) -> list[str]:
        """Every address that was asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[str]:
        """What stands in the console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def results(self) -> dict[str, float]:
        """The table of results."""
        return dict(self.run("return [...document.querySelectorAll('#results data')].map((e) => [e.dataset.name, Number(e.value)])"))

    def set(self, name: str, value: str) -> None:
        """Move the slider of a variable."""
        self.run(
            "const label = [...document.querySelectorAll('#inputs label')].find((e) => e.textContent === arguments[0]);"
            "const slider = document.getElementById(label.htmlFor);"
            "slider.value = arguments[1]; slider.dispatchEvent(new Event('input', { bubbles: true }));",
            name,
            value,
        )
