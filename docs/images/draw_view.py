"""Draws view.png, the picture in the README: two dumbbells in the view, as a browser shows it.

PYTHONPATH=. python docs/images/draw_view.py
"""

import tempfile
import time
from pathlib import Path

from PIL import Image
from tests.view.html.browser import browser

from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import find_example
from polhode.view.html.page import save_page

SHOW = """
const slider = document.querySelector(".polhode-view input[type=range]");
slider.value = 0.435;
slider.dispatchEvent(new Event("input"));
"""


def main() -> None:
    trajectory = build_plan(load_scenario(find_example("two_dumbbells"))).run()
    picture = Path(__file__).with_name("view.png")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "view.html"
        save_page(trajectory, page)
        with browser(Path(folder), size=(1100, 700)) as driver:
            driver.get(page.as_uri())
            driver.execute_script(SHOW)
            time.sleep(1.0)
            driver.save_screenshot(str(picture))
    Image.open(picture).convert("RGB").quantize(256).save(picture, optimize=True)


if __name__ == "__main__":
    main()
