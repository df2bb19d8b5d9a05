"""What the view in a real browser shows: light and shadow, colours, labels, the time, and the picture that it saves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Box, Compound, Ellipsoid, Part
from polhode.view.html.page import save_page
from polhode.view.scene.scene import scene

from .browser import browser, changed, colourful, complaints, needs_browser, wait_until
from .view_page import PAINTED, on_canvas, open_view, press, slide, switch_all_off

pytestmark = needs_browser


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
    for X in ([8.0, 0.0, 0.0], [0.0, 8.0, 0.0]):
        open_view(chromium, two_balls(X), tmp_path)
        switch_all_off(chromium)
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
    open_view(chromium, run, tmp_path)
    switch_all_off(chromium)
    image = slide(chromium, 0.0)[60:440, :760]
    left, right = (
        np.flatnonzero(np.any((np.ptp(image, axis=-1) > 60) & (image.argmax(axis=-1) == channel), axis=0))
        for channel in (0, 1)
    )
    assert min(len(left), len(right)) > 40
    assert left.mean() < right.mean()
    assert complaints(chromium) == []


@pytest.mark.verify
def test_both_backgrounds_are_legible(run: ph.Trajectory, tmp_path: Path) -> None:
    file = tmp_path / "view.html"
    save_page(run, file)
    for dark, brightness in ((False, (230, 256)), (True, (0, 60))):
        with browser(tmp_path / str(dark), dark=dark) as driver:
            driver.get(file.as_uri())
            image = slide(driver, 0.3)
            assert brightness[0] <= np.median(image) < brightness[1]
            assert colourful(image) > 2000


@pytest.fixture(scope="module")
def crowd() -> ph.Trajectory:
    """Nine bodies on a line that the camera looks along."""
    bodies = [Ellipsoid(1e-9, [0.2, 0.2, 0.2]) for _ in range(9)]
    problem = ph.FullBodyProblem(bodies, gravity=2)
    x = [[0.75 * i, -1.0 * i, 0.55 * i] for i in range(9)]
    return ph.simulate(problem.state(x=x, v=[[0.0] * 3] * 9), step=0.01, steps=3)


def test_labels_do_not_cover_each_other(crowd: ph.Trajectory, chromium: Any, tmp_path: Path) -> None:
    open_view(chromium, crowd, tmp_path)
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

    folder = tmp_path / "downloads"
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    open_view(chromium, run, tmp_path)
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
    open_view(chromium, named, tmp_path)
    shown = scene(named)
    for fraction in (0.0, 0.37, 1.0):
        slide(chromium, fraction)
        text = chromium.execute_script("return document.querySelector('.polhode-view output').value")
        assert text == shown.clock.text(float(shown.t[0] + fraction * (shown.t[-1] - shown.t[0])))
    assert text == "8 d 0 h, 2032-01-08 18:00 TDB"
