"""Draws studio.png, the picture in the tutorial of the studio: two methods side by side.

PYTHONPATH=. python docs/images/draw_studio.py
"""

import tempfile
import time
from pathlib import Path

from PIL import Image
from tests.view.html.browser import browser, wait_until

from polhode.studio.server import Studio

SHOW = """
const slider = document.querySelector(".stage [aria-label=time]");
slider.value = 0.265;
slider.dispatchEvent(new Event("input"));
"""


def main() -> None:
    picture = Path(__file__).with_name("studio.png")
    with tempfile.TemporaryDirectory() as folder, browser(Path(folder), size=(1360, 1050)) as driver:
        server = Studio(Path(folder), "tumbling_middle_axis", 0)
        try:
            driver.get(server.link)
            wait_until(lambda: driver.execute_script("return studio.form && !studio.running"))
            driver.find_element("id", "compare").click()
            wait_until(lambda: driver.execute_script("return studio.panes.length === 2 && !studio.running"))
            driver.execute_script(SHOW)
            time.sleep(1.0)
            driver.save_screenshot(str(picture))
        finally:
            server.close()
    Image.open(picture).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE).save(picture, optimize=True)


if __name__ == "__main__":
    main()
