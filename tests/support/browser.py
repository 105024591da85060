"""A headless Chromium for tests, driven by Selenium over Debian's ChromeDriver."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
CHROMEDRIVER = shutil.which("chromedriver")

# Without them Chromium looks for updates on the network; the sandbox cannot start as root.
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """Start a browser with a fresh profile and logs of network and console; without one, skip the test."""
    webdriver = pytest.importorskip("selenium.webdriver")
    if CHROMIUM is None or CHROMEDRIVER is None:
        pytest.skip("no Chromium or no ChromeDriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (*QUIET, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def requested(driver: Any) -> list[str]:
    """Addresses that were asked for since the last call."""
    entries = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [e["params"]["request"]["url"] for e in entries if e["method"] == "Network.requestWillBeSent"]


def set_view(driver: Any, width: int, height: int, *, scale: float = 1, **media: str) -> None:
    """Set the size of the window in CSS pixels, device pixels per CSS pixel, and media features."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    named = {name.replace("_", "-"): value for name, value in media.items()}
    features = [{"name": name, "value": value} for name, value in named.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
