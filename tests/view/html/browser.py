"""A real browser without a screen, for the tests that look at pages."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
OPTIONS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
]

needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian's packages chromium, chromium-driver)"
)


@contextmanager
def browser(folder: Path, *, size: tuple[int, int] = (1000, 700), dark: bool = False) -> Iterator[Any]:
    """A browser whose profile is in `folder`; it can reach nothing but this machine."""
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in [*OPTIONS, f"--window-size={size[0]},{size[1]}", f"--user-data-dir={folder / 'profile'}"]:
        options.add_argument(option)
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        driver.set_script_timeout(600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        yield driver
    finally:
        driver.quit()


def picture(driver: Any) -> np.ndarray:
    """What is on the screen, (rows, columns, 3)."""
    from PIL import Image

    return np.asarray(Image.open(BytesIO(driver.get_screenshot_as_png())).convert("RGB"), dtype=float)


def complaints(driver: Any) -> list[str]:
    """Errors and warnings that the page logged."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def requests(driver: Any) -> list[str]:
    """Addresses that the page asked for."""
    import json

    events = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    return [url for url in asked if not url.startswith(("chrome:", "data:", "blob:"))]


def colourful(image: np.ndarray) -> int:
    """How many pixels are of a colour: background, letters and lines of axes are grey."""
    return int((np.ptp(image, axis=-1) > 40).sum())


def changed(before: np.ndarray, after: np.ndarray) -> int:
    """How many pixels differ clearly."""
    return int((np.abs(before - after).max(axis=-1) > 40).sum())


def wait_until(condition: Any, seconds: float = 600.0) -> None:
    """Wait until a condition holds; an error if it does not in a long time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.1)
