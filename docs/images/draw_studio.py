"""Draws studio.png, the picture in the tutorial of the studio: two methods side by side.

PYTHONPATH=. python docs/images/draw_studio.py
"""

import tempfile
from contextlib import closing
from pathlib import Path

from screenshot import save_picture
from tests.view.html.browser import browser, wait_until

from polhode.studio.server import Studio


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        browser(Path(folder), size=(1360, 1050)) as driver,
        closing(Studio(Path(folder), "tumbling_middle_axis", 0)) as server,
    ):
        driver.get(server.link)
        wait_until(lambda: driver.execute_script("return studio.form && !studio.running"))
        driver.find_element("id", "compare").click()
        wait_until(lambda: driver.execute_script("return studio.panes.length === 2 && !studio.running"))
        save_picture(driver, "studio.png", ".stage [aria-label=time]", 0.265)


if __name__ == "__main__":
    main()
