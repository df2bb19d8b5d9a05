"""The view in a real browser: it loads without a complaint and without the network, shows something, and moves."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.estimation import CovarianceRun
from polhode.view.html.notebook import view
from polhode.view.html.report import save_report

from .browser import changed, colourful, complaints, needs_browser, requests, wait_until
from .view_page import PAINTED, on_canvas, open_view, opened, press, slide, switch_all_off, value_of

pytestmark = needs_browser


@pytest.mark.verify
def test_ellipsoids_of_uncertainty_are_shown_and_hidden(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    P = np.diag([0.1**2] * 6 + [0.05**2] * 6 + [0.0] * 12)
    result = CovarianceRun(run, ("",) * 24, np.broadcast_to(P, (len(run), 24, 24)))
    file = tmp_path / "uncertain.html"
    result.view(save=file)
    opened(chromium, file.as_uri())
    shown = slide(chromium, 0.3)
    chromium.execute_script("document.querySelector('input[name=uncertainty]').click()")
    hidden = slide(chromium, 0.3)
    assert changed(shown, hidden) > 2000
    assert complaints(chromium) == []


def test_the_file_works_offline_and_its_slider_moves_the_bodies(
    run: ph.Trajectory, chromium: Any, tmp_path: Path
) -> None:
    file = open_view(chromium, run, tmp_path)
    assert file.stat().st_size < 1_000_000
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

    open_view(chromium, run, tmp_path)
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


@pytest.mark.verify
def test_the_camera_turns_zooms_and_comes_back(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    open_view(chromium, run, tmp_path)
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
        chromium.find_element(By.CSS_SELECTOR, ".reset").click()
        ActionChains(chromium).move_to_element(chromium.find_element(By.CSS_SELECTOR, "output")).perform()
        chromium.execute_async_script(PAINTED)
        assert changed(start, slide(chromium, 0.2)) == 0


def test_what_is_switched_off_is_gone(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.by import By

    open_view(chromium, run, tmp_path)
    before = slide(chromium, 0.8)[:400]
    for box in chromium.find_elements(By.CSS_SELECTOR, ".controls input[type=checkbox]"):
        box.click()
        chromium.execute_async_script(PAINTED)
        after = on_canvas(chromium)[:400]
        assert changed(before, after) > 100
        before = after
    assert colourful(before) > 1000  # the bodies are still there


@pytest.mark.verify
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


def test_the_served_page_is_the_same_page(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    from polhode.view.html.server import ViewServer

    open_view(chromium, run, tmp_path)
    expected = slide(chromium, 0.4)[:440]  # above the controls
    server = ViewServer(run, port=0)
    try:
        opened(chromium, server.address)
        assert changed(expected, slide(chromium, 0.4)[:440]) == 0
        assert changed(expected, slide(chromium, 0.9)[:440]) > 2000
        assert complaints(chromium) == []
        assert requests(chromium) == [f"{server.address}/"]
        # a part of the run: from and to are fields of the page
        boxes = chromium.find_elements("css selector", ".part input")
        assert [box.get_attribute("placeholder") for box in boxes] == ["0", "8"]
        boxes[0].send_keys("2", Keys.TAB)
        wait_until(lambda: "from=2" in chromium.current_url)
        slide(chromium, 0.0)
        assert chromium.find_element("css selector", "output").text == "t = 2.000"
        slide(chromium, 1.0)
        assert chromium.find_element("css selector", "output").text == "t = 8.000"
        opened(chromium, f"{server.address}/?from=20")
        assert "the run is from 0 to 8" in chromium.page_source
    finally:
        server.close()


def test_keys_play_change_speed_follow_and_show_help(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    open_view(chromium, run, tmp_path)
    first = slide(chromium, 0.2)
    follows = []
    for key in "11201":
        press(chromium, key)
        follows.append(value_of(chromium, ".follow"))
    assert follows == ["body1", "body1, turning with it", "body2", "the whole scene", "body1"]
    assert changed(first, on_canvas(chromium)) > 2000
    press(chromium, "r")
    assert value_of(chromium, ".follow") == "the whole scene"
    assert changed(first, on_canvas(chromium)) == 0
    press(chromium, "+", "+", "-")
    assert value_of(chromium, ".speed") == "2×"
    hidden = "return document.querySelector('.help').hidden"
    assert chromium.execute_script(hidden)
    press(chromium, "?")
    assert not chromium.execute_script(hidden)
    press(chromium, "?")
    time_of = "return document.querySelector('output').textContent"
    before = chromium.execute_script(time_of)
    press(chromium, " ")
    wait_until(lambda: chromium.execute_script(time_of) != before)
    press(chromium, " ")
    assert chromium.execute_script("return document.querySelector('.play').textContent") == "▶ play"
    assert complaints(chromium) == []


@pytest.mark.verify
def test_a_camera_that_follows_keeps_what_it_follows_in_the_middle(
    run: ph.Trajectory, chromium: Any, tmp_path: Path
) -> None:
    """The picture of the body alone does not change in a frame that turns with it; the line of two bodies does not turn."""
    open_view(chromium, run, tmp_path)
    switch_all_off(chromium)
    slide(chromium, 0.1)
    press(chromium, "2", "2")  # turning with the ellipsoid: only the other body moves
    near = [middle(slide(chromium, x)) for x in (0.1, 0.35, 0.8)]
    assert colourful(near[0]) > 500
    assert changed(near[0], near[1]) < 100
    assert changed(near[0], near[2]) < 100
    press(chromium, "0")
    assert changed(middle(slide(chromium, 0.1)), middle(slide(chromium, 0.35))) > 500
    places = "return [...document.querySelectorAll('.labels span')].map(e => e.getBoundingClientRect().x)"
    chromium.execute_script(
        "const f = document.querySelector('.follow'); f.value = f.length - 1; f.dispatchEvent(new Event('change'))"
    )
    assert value_of(chromium, ".follow") == "the relative frame"
    order = []
    for x in np.linspace(0.0, 1.0, 12):
        slide(chromium, x)
        one, other = chromium.execute_script(places)
        order.append(one < other)
    assert len(set(order)) == 1


def middle(image: np.ndarray) -> np.ndarray:
    """Around the place that a camera looks at."""
    rows, columns = image.shape[:2]
    return image[int(0.3 * rows) : int(0.55 * rows), int(0.42 * columns) : int(0.58 * columns)]
