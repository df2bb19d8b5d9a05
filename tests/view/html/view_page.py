"""The page with the view, as a user's hand and eye have it: opened, slid, pressed, seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from polhode.view.html.page import save_page

from .browser import complaints, picture, requests

SLIDE = """
const slider = document.querySelector(".polhode-view input[type=range]");
slider.value = arguments[0];
slider.dispatchEvent(new Event("input"));
"""
PAINTED = "requestAnimationFrame(() => requestAnimationFrame(arguments[arguments.length - 1]))"
CANVAS = "const b = document.querySelector('canvas').getBoundingClientRect(); return [b.top, b.bottom, b.left, b.right]"


def opened(driver: Any, address: str) -> None:
    """Open a page, with the logs of what was before read away."""
    driver.get("about:blank")
    complaints(driver), requests(driver)
    driver.get(address)


def slide(driver: Any, to: float) -> np.ndarray:
    """Move the time slider, and take a picture of the canvas when it is painted."""
    driver.execute_script(SLIDE, to)
    driver.execute_async_script(PAINTED)
    return on_canvas(driver)


def on_canvas(driver: Any) -> np.ndarray:
    top, bottom, left, right = (round(x) for x in driver.execute_script(CANVAS))
    return picture(driver)[max(top, 0) : bottom, left:right]


def press(driver: Any, *keys: str) -> None:
    """Press keys one after the other, and wait for what they do to be painted."""
    from selenium.webdriver import ActionChains

    ActionChains(driver).send_keys(*keys).perform()
    driver.execute_async_script(PAINTED)


def value_of(driver: Any, selector: str) -> str:
    """What a list shows as chosen."""
    return str(driver.execute_script(f"return document.querySelector('{selector}').selectedOptions[0].textContent"))


def open_view(driver: Any, run: ph.Trajectory, folder: Path) -> Path:
    """Save the page of a run in `folder`, and open it."""
    file = folder / "view.html"
    save_page(run, file)
    opened(driver, file.as_uri())
    return file


def switch_all_off(driver: Any) -> None:
    """Click all boxes of the controls: paths, axes and so on are gone, the bodies stay."""
    for box in driver.find_elements("css selector", ".controls input[type=checkbox]"):
        box.click()
