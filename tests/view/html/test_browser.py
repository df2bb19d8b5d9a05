"""The view in a real browser: it loads without a complaint and without the network, shows something, and moves."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Dumbbell, Ellipsoid
from polhode.view.html.notebook import view
from polhode.view.html.page import save_page
from polhode.view.html.report import save_report
from polhode.view.scene.scene import scene

from .browser import browser, complaints, needs_browser, picture, requests

pytestmark = needs_browser

SLIDE = """
const slider = document.querySelector(".polhode-view input[type=range]");
slider.value = arguments[0];
slider.dispatchEvent(new Event("input"));
"""
PAINTED = "requestAnimationFrame(() => requestAnimationFrame(arguments[arguments.length - 1]))"
CANVAS = "const b = document.querySelector('canvas').getBoundingClientRect(); return [b.top, b.bottom, b.left, b.right]"


@pytest.fixture(scope="module")
def run() -> ph.Trajectory:
    """An ellipsoid and a dumbbell around each other."""
    pair = ph.FullTwoBodyProblem(Dumbbell(1.0, 0.5, radius=0.1), Ellipsoid(2.0, [0.35, 0.25, 0.2]), gravity=2)
    state = pair.state(X=[1.5, 0.0, 0.2], V=[0.0, 1.3, 0.0], Omega1=[0.0, 0.4, 2.0], Omega2=[0.3, 0.0, 1.0])
    return ph.simulate(state, step=0.02, steps=400)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browser(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


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


def colourful(image: np.ndarray) -> int:
    """How many pixels are of a colour: background, letters and lines of axes are grey."""
    return int((np.ptp(image, axis=-1) > 40).sum())


def changed(before: np.ndarray, after: np.ndarray) -> int:
    return int((np.abs(before - after).max(axis=-1) > 40).sum())


def test_the_file_works_offline_and_its_slider_moves_the_bodies(
    run: ph.Trajectory, chromium: Any, tmp_path: Path
) -> None:
    file = tmp_path / "view.html"
    save_page(run, file)
    assert file.stat().st_size < 1_000_000
    opened(chromium, file.as_uri())
    first, again, later = slide(chromium, 0.0), slide(chromium, 0.0), slide(chromium, 0.5)
    assert colourful(first) > 2000
    assert changed(first, again) == 0
    assert changed(first, later) > 2000
    assert complaints(chromium) == []
    assert requests(chromium) == [file.as_uri()]


def test_it_plays_and_pauses_by_its_button_and_by_the_keyboard(
    run: ph.Trajectory, chromium: Any, tmp_path: Path
) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    file = tmp_path / "view.html"
    save_page(run, file)
    opened(chromium, file.as_uri())
    button = chromium.find_element(By.CSS_SELECTOR, ".play")
    clock = chromium.find_element(By.CSS_SELECTOR, "output")
    slide(chromium, 0.25)
    assert clock.text == "t = 2.000"
    button.click()
    wait_until(lambda: clock.text != "t = 2.000")
    button.click()
    chromium.execute_async_script(PAINTED)
    stopped = clock.text
    time.sleep(0.3)
    assert clock.text == stopped
    slide(chromium, 0.25)
    chromium.find_element(By.CSS_SELECTOR, ".polhode-view").send_keys(Keys.ARROW_RIGHT)
    chromium.execute_async_script(PAINTED)
    assert clock.text == "t = 2.020"


def test_the_camera_turns_zooms_and_comes_back(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    file = tmp_path / "view.html"
    save_page(run, file)
    opened(chromium, file.as_uri())
    start = slide(chromium, 0.2)
    canvas = chromium.find_element(By.CSS_SELECTOR, "canvas")
    for act in (
        lambda: ActionChains(chromium).drag_and_drop_by_offset(canvas, 120, 40).perform(),
        lambda: chromium.execute_script(
            "document.querySelector('canvas').dispatchEvent(new WheelEvent('wheel', {deltaY: 400, cancelable: true}))"
        ),
    ):
        act()
        chromium.execute_async_script(PAINTED)
        assert changed(start, on_canvas(chromium)) > 2000
        chromium.find_elements(By.CSS_SELECTOR, ".controls button")[-1].click()
        ActionChains(chromium).move_to_element(chromium.find_element(By.CSS_SELECTOR, "output")).perform()
        chromium.execute_async_script(PAINTED)
        assert changed(start, slide(chromium, 0.2)) == 0


def test_what_is_switched_off_is_gone(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.by import By

    file = tmp_path / "view.html"
    save_page(run, file)
    opened(chromium, file.as_uri())
    before = slide(chromium, 0.8)[:400]
    for box in chromium.find_elements(By.CSS_SELECTOR, ".controls input[type=checkbox]"):
        box.click()
        chromium.execute_async_script(PAINTED)
        after = on_canvas(chromium)[:400]
        assert changed(before, after) > 100
        before = after
    assert colourful(before) > 1000  # the bodies are still there


def test_the_view_in_a_report_and_in_a_notebook(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    save_report(run, report)
    opened(chromium, report.as_uri())
    chromium.execute_script("document.querySelector('canvas').scrollIntoView()")
    assert changed(slide(chromium, 0.0), slide(chromium, 0.5)) > 2000
    assert complaints(chromium) == []
    assert requests(chromium) == [report.as_uri()]

    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html><link rel=icon href='data:,'>{view(run, 480)._repr_html_()}", encoding="utf-8")
    opened(chromium, cell.as_uri())
    chromium.switch_to.frame(0)
    assert colourful(slide(chromium, 0.3)) > 2000
    chromium.switch_to.default_content()
    assert complaints(chromium) == []


def test_both_backgrounds_are_legible(run: ph.Trajectory, tmp_path: Path) -> None:
    file = tmp_path / "view.html"
    save_page(run, file)
    for dark, brightness in ((False, (230, 256)), (True, (0, 60))):
        with browser(tmp_path / str(dark), dark=dark) as driver:
            driver.get(file.as_uri())
            image = slide(driver, 0.3)
            assert brightness[0] <= np.median(image) < brightness[1]
            assert colourful(image) > 2000


def test_the_served_page_shows_and_moves(run: ph.Trajectory, chromium: Any) -> None:
    pytest.importorskip("viser")
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    from polhode.view.html.server import ViewServer

    server = ViewServer(scene(run), port=0)
    try:
        opened(chromium, server.address)
        wait_until(lambda: chromium.find_elements(By.CSS_SELECTOR, "[role=slider]"))
        wait_until(lambda: colourful(scenery(chromium)) > 2000)
        first = settled(chromium)
        # the slider that reaches from the first to the last time, moved as a user would
        thumbs = chromium.find_elements(By.CSS_SELECTOR, "[role=slider]")
        (thumb,) = [x for x in thumbs if float(x.get_attribute("aria-valuemax")) == run.t[-1]]
        thumb.send_keys(Keys.END)
        wait_until(lambda: server.fraction == 1.0)
        wait_until(lambda: changed(first, scenery(chromium)) > 1000)
        severe = [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]
        assert severe == []
        assert all(address.startswith(server.address) for address in requests(chromium))
        server.play()
        wait_until(lambda: server.fraction not in (0.0, 1.0))
    finally:
        server.close()


def scenery(driver: Any) -> np.ndarray:
    """What the served page shows, without the notices at its left and the panel at its right."""
    return picture(driver)[160:, :640]


def settled(driver: Any) -> np.ndarray:
    """The picture when it has stopped changing."""
    image = scenery(driver)
    for _ in range(1000):
        time.sleep(0.25)
        after = scenery(driver)
        if changed(image, after) == 0:
            return after
        image = after
    raise AssertionError("the picture does not settle")


def wait_until(condition: Any, seconds: float = 600.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.1)


def test_the_clock_says_the_time_as_python_does(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    named = run.labelled({"time": "d"}, "2031-12-31T18:00:00")
    save_page(named, tmp_path / "view.html")
    opened(chromium, (tmp_path / "view.html").as_uri())
    shown = scene(named)
    for fraction in (0.0, 0.37, 1.0):
        slide(chromium, fraction)
        text = chromium.execute_script("return document.querySelector('.polhode-view output').value")
        assert text == shown.clock.text(float(shown.t[0] + fraction * (shown.t[-1] - shown.t[0])))
    assert text == "8 d 0 h, 2032-01-08 18:00 TDB"
