"""What the pictures of pages share: the time slider is put to a place, and a small PNG is made of what the browser shows."""

import time
from pathlib import Path
from typing import Any

from PIL import Image

SLIDE = """
const slider = document.querySelector(arguments[0]);
slider.value = arguments[1];
slider.dispatchEvent(new Event("input"));
"""


def save_picture(driver: Any, name: str, slider: str, at: float) -> None:
    """Draw the page that is open to the file `name` beside this one, with the `slider` (a selector) put to `at`."""
    picture = Path(__file__).with_name(name)
    driver.execute_script(SLIDE, slider, at)
    time.sleep(1.0)
    driver.save_screenshot(str(picture))
    Image.open(picture).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE).save(picture, optimize=True)
