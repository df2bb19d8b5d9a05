"""Draws view.png, the picture in the README: two dumbbells in the view, as a browser shows it.

PYTHONPATH=. python docs/images/draw_view.py
"""

import tempfile
from pathlib import Path

from screenshot import save_picture
from tests.view.html.browser import browser

from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import find_example
from polhode.view.html.page import save_page


def main() -> None:
    trajectory = build_plan(load_scenario(find_example("two_dumbbells"))).run()
    with tempfile.TemporaryDirectory() as folder, browser(Path(folder), size=(1100, 700)) as driver:
        page = Path(folder) / "view.html"
        save_page(trajectory, page)
        driver.get(page.as_uri())
        save_picture(driver, "view.png", ".polhode-view input[type=range]", 0.435)


if __name__ == "__main__":
    main()
