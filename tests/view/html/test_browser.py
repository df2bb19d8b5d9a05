"""The view in a real browser: it loads without a complaint and without the network, shows something, and moves."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Box, Compound, Dumbbell, Ellipsoid, Part
from polhode.estimation import CovarianceRun
from polhode.view.html.notebook import view
from polhode.view.html.page import save_page
from polhode.view.html.report import save_report
from polhode.view.scene.scene import scene

from .browser import browser, changed, colourful, complaints, needs_browser, picture, requests, wait_until

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
        chromium.find_element(By.CSS_SELECTOR, ".reset").click()
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


def test_the_served_page_is_the_same_page(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    from polhode.view.html.server import ViewServer

    file = tmp_path / "view.html"
    save_page(run, file)
    opened(chromium, file.as_uri())
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


def press(driver: Any, *keys: str) -> None:
    """Press keys one after the other, and wait for what they do to be painted."""
    from selenium.webdriver import ActionChains

    ActionChains(driver).send_keys(*keys).perform()
    driver.execute_async_script(PAINTED)


def value_of(driver: Any, selector: str) -> str:
    """What a list shows as chosen."""
    return str(driver.execute_script(f"return document.querySelector('{selector}').selectedOptions[0].textContent"))


def test_keys_play_change_speed_follow_and_show_help(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "view.html"
    save_page(run, file)
    opened(chromium, file.as_uri())
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
    file = tmp_path / "view.html"
    save_page(run, file)
    opened(chromium, file.as_uri())
    for box in chromium.find_elements("css selector", ".controls input[type=checkbox]"):
        box.click()
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


def light(driver: Any, value: str) -> None:
    driver.execute_script(
        "const l = document.querySelector('.light'); l.value = arguments[0]; l.dispatchEvent(new Event('change'))",
        value,
    )
    driver.execute_async_script(PAINTED)


def two_balls(X: list[float]) -> ph.Trajectory:
    """A large ball, blue, at X from a small one, red."""
    pair = ph.FullTwoBodyProblem(*(Ellipsoid(1e-9, [radius] * 3) for radius in (1.5, 0.8)), gravity=2)
    return ph.simulate(pair.state(X=X, V=[0.0, 0.0, 1e-9]), step=0.01, steps=3)


@pytest.mark.verify
def test_the_sun_lights_one_side_and_bodies_cast_shadows(chromium: Any, tmp_path: Path) -> None:
    def brightness(sun: str) -> float:
        """Of the red ball, in the light of the Sun in this direction."""
        light(chromium, sun)
        image = on_canvas(chromium)[60:440, :760]
        body = image[(np.ptp(image, axis=-1) > 12) & (image.argmax(axis=-1) == 0)]
        assert len(body) > 500
        return float(body.max(axis=-1).mean())

    seen = []
    for i, X in enumerate(([8.0, 0.0, 0.0], [0.0, 8.0, 0.0])):
        file = tmp_path / f"{i}.html"
        save_page(two_balls(X), file)
        opened(chromium, file.as_uri())
        for box in chromium.find_elements("css selector", ".controls input[type=checkbox]"):
            box.click()
        slide(chromium, 0.0)
        seen.append({sun: brightness(sun) for sun in ("+x", "−y", "+y")})
        assert complaints(chromium) == []
    eclipsed, free = seen
    assert free["−y"] > 1.5 * free["+y"]  # the camera is at negative y
    assert free["+x"] > 1.4 * eclipsed["+x"]


def test_each_part_of_a_body_has_its_colour(chromium: Any, tmp_path: Path) -> None:
    red, green = (Box([1.0, 0.5, 0.5], mass=1.0, colour=colour) for colour in ("#C02020", "#20A020"))
    body = Compound([Part(red, [-0.5, 0.0, 0.0]), Part(green, [0.5, 0.0, 0.0])])
    run = ph.simulate(ph.FreeRigidBody(body).state(omega=[0.0, 0.0, 0.1]), step=0.01, steps=2)
    file = tmp_path / "colours.html"
    save_page(run, file)
    opened(chromium, file.as_uri())
    for box in chromium.find_elements("css selector", ".controls input[type=checkbox]"):
        box.click()
    image = slide(chromium, 0.0)[60:440, :760]
    left, right = (
        np.flatnonzero(np.any((np.ptp(image, axis=-1) > 60) & (image.argmax(axis=-1) == channel), axis=0))
        for channel in (0, 1)
    )
    assert min(len(left), len(right)) > 40
    assert left.mean() < right.mean()
    assert complaints(chromium) == []


@pytest.fixture(scope="module")
def crowd() -> ph.Trajectory:
    """Nine bodies on a line that the camera looks along."""
    bodies = [Ellipsoid(1e-9, [0.2, 0.2, 0.2]) for _ in range(9)]
    problem = ph.FullBodyProblem(bodies, gravity=2)
    x = [[0.75 * i, -1.0 * i, 0.55 * i] for i in range(9)]
    return ph.simulate(problem.state(x=x, v=[[0.0] * 3] * 9), step=0.01, steps=3)


def test_labels_do_not_cover_each_other(crowd: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "view.html"
    save_page(crowd, file)
    opened(chromium, file.as_uri())
    slide(chromium, 0.0)
    boxes = chromium.execute_script(
        "return [...document.querySelectorAll('.labels span, .title, .legend, .controls')].map(e => {"
        "const b = e.getBoundingClientRect(); return [e.textContent, b.left, b.top, b.right, b.bottom]})"
    )
    names = {box[0] for box in boxes}
    assert {f"body{i}" for i in range(9)} <= names
    for i, (one, *a) in enumerate(boxes):
        for other, *b in boxes[:i]:
            apart = a[2] <= b[0] + 0.2 or b[2] <= a[0] + 0.2 or a[3] <= b[1] + 0.2 or b[3] <= a[1] + 0.2
            assert apart, (one, other)


def test_a_picture_is_saved(run: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    from PIL import Image

    file, folder = tmp_path / "view.html", tmp_path / "downloads"
    save_page(run, file)
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    opened(chromium, file.as_uri())
    shown = slide(chromium, 0.3)
    press(chromium, "p")
    wait_until(lambda: list(folder.glob("*.png")))
    saved = np.asarray(Image.open(next(folder.glob("*.png"))).convert("RGB"), dtype=float)
    assert saved.shape == shown.shape
    part = np.s_[80:380, :700]  # without the legend and the controls, which a picture draws in its own way
    assert colourful(saved[part]) > 0.9 * colourful(shown[part]) > 1000
    assert changed(saved[part], shown[part]) < 0.1 * colourful(shown[part])
    for old in folder.iterdir():
        old.unlink()
    chromium.find_element("css selector", ".picture").click()
    wait_until(lambda: list(folder.glob("*.png")))
    assert complaints(chromium) == []


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
