"""The studio in a real browser: sliders, runs, errors, the text, two methods side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from polhode.io.scenario.examples import find_example
from polhode.studio.server import Studio
from tests.view.html.browser import browser, colourful, complaints, needs_browser, requests, wait_until

pytestmark = [needs_browser, pytest.mark.verify]

TITLE = "<img src=x onerror=\"document.title='hit'\"> <b>bold</b>"
SLIDE = """
const slider = document.querySelector(`aside [type=range][aria-label="${arguments[0]}"]`);
slider.value = arguments[1];
slider.dispatchEvent(new Event("input"));
slider.dispatchEvent(new Event("change"));
"""
LINES = """
return [...document.querySelectorAll(".pane td")].map((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  return text.getClientRects().length;
});
"""
TYPE = """
const box = [...document.querySelectorAll(arguments[0])][arguments[1]];
box.value = arguments[2];
box.dispatchEvent(new Event("change"));
"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    text = find_example("tumbling_middle_axis").read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    assert first.startswith("title")
    own = f"title = '''{TITLE}'''\n{rest}\n[output]\nplots = ['invariants']\n"
    (folder / "own.toml").write_text(own, encoding="utf-8")
    server = Studio(folder, "own.toml", port=0)
    yield server
    server.close()


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browser(tmp_path_factory.mktemp("chromium"), size=(1400, 1000)) as driver:
        yield driver


@pytest.fixture
def page(studio: Studio, chromium: Any) -> Any:
    """The studio freshly opened, when its first run is done."""
    chromium.get("about:blank")
    complaints(chromium), requests(chromium)
    chromium.get(studio.link)
    finished(chromium)
    return chromium


def finished(driver: Any, panes: int = 1) -> None:
    """Wait until nothing runs and each pane has a figure or an error."""
    ready = (
        "return typeof studio !== 'undefined' && !studio.running && studio.panes.length === arguments[0]"
        " && studio.panes.every((p) => p.failed || p.figures.children.length > 0)"
    )
    wait_until(lambda: driver.execute_script(ready, panes))


def texts(driver: Any, selector: str) -> list[str]:
    return list(driver.execute_script(f"return [...document.querySelectorAll('{selector}')].map(e => e.textContent)"))


def cell(driver: Any, pane: int, row: int, column: int) -> float:
    """A number of the table of conserved quantities."""
    found = "return studio.panes[arguments[0]].table.tBodies[0].rows[arguments[1]].cells[arguments[2]].textContent"
    return float(driver.execute_script(found, pane, row, column))


def stage(driver: Any) -> np.ndarray:
    """The motion of the first pane."""
    from tests.view.html.browser import picture

    where = (
        "const b = document.querySelector('.stage').getBoundingClientRect(); return [b.top, b.bottom, b.left, b.right]"
    )
    top, bottom, left, right = (round(x) for x in driver.execute_script(where))
    return picture(driver)[top:bottom, left:right]


def test_it_opens_runs_and_shows_everything_at_once(page: Any, studio: Studio) -> None:
    assert texts(page, "#title") == [TITLE]
    assert page.title == "polhode studio"
    wait_until(lambda: colourful(stage(page)) > 2000)  # it is painted in the next turn
    assert texts(page, ".pane tbody td:first-child") == ["energy", "spatial_momentum", "momentum_norm"]
    assert page.execute_script("return document.querySelector('figure img').naturalWidth") > 300
    assert texts(page, ".status")[0].startswith("FreeRigidBody by Exact(), step 0.05: 3,000 steps")
    assert complaints(page) == []
    assert all(url.startswith(studio.address) for url in requests(page))


def test_a_slider_changes_a_number_and_the_run_follows(page: Any) -> None:
    assert cell(page, 0, 0, 1) == pytest.approx(0.5 * (1e-6 + 2.0))
    page.execute_script(SLIDE, "omega[1]", 1.5)
    finished(page)
    assert cell(page, 0, 0, 1) == pytest.approx(0.5 * (1e-6 + 2.0 * 1.5**2))
    page.execute_script("document.getElementById('live').checked = false")
    page.execute_script(SLIDE, "omega[1]", 1.0)
    assert cell(page, 0, 0, 1) == pytest.approx(0.5 * (1e-6 + 2.0 * 1.5**2))  # not before it is asked to
    page.find_element("id", "run").click()
    wait_until(lambda: cell(page, 0, 0, 1) == pytest.approx(0.5 * (1e-6 + 2.0)))


def test_the_motion_plays_and_keeps_its_camera_over_runs(page: Any) -> None:
    follow = "const f = document.querySelector('.follow'); f.value = 1; f.dispatchEvent(new Event('change'))"
    page.execute_script(follow)
    before = texts(page, ".controls output")
    wait_until(lambda: texts(page, ".controls output") != before)  # it plays by itself
    page.execute_script(
        "document.querySelector('.stage [aria-label=time]').dispatchEvent(new Event('input'))"
    )  # pauses
    page.execute_script(SLIDE, "omega[0]", 0.001)
    finished(page)
    chosen = "return document.querySelector('.follow').selectedOptions[0].textContent"
    assert page.execute_script(chosen) == "body, turning with it"
    assert texts(page, ".play") == ["▶ play"]


def test_what_is_wrong_is_said_and_mended(page: Any) -> None:
    faint = "return Number(getComputedStyle(document.querySelector('.stage')).opacity) < 0.6"
    assert not page.execute_script(faint)
    page.execute_script(TYPE, "aside .number [type=text]", 1, "7")
    finished(page)
    (said,) = texts(page, ".status.wrong")
    assert said.startswith("scenario: system.inertia = [1.0, 7, 2.5]: expected")
    assert page.execute_script(faint)  # what is left of the run before
    page.execute_script(TYPE, "aside .number [type=text]", 1, "2")
    finished(page)
    wait_until(lambda: texts(page, ".status.wrong") == [])
    assert not page.execute_script(faint)


def test_a_long_run_is_stopped(page: Any) -> None:
    page.execute_script(TYPE, ".method", 0, "LGVI")
    page.execute_script("studio.changes.set('x', [['run', 'save_every'], '1000000'])")
    page.execute_script(TYPE, "[aria-label=t_end][type=text]", 0, "1e9")
    wait_until(lambda: page.execute_script("return studio.running && studio.panes[0].job > 1"))
    page.find_element("id", "stop").click()
    wait_until(lambda: texts(page, ".status.wrong") == ["stopped"])
    finished(page)


def test_two_methods_side_by_side_move_together(page: Any) -> None:
    page.find_element("id", "compare").click()
    finished(page, 2)
    heads = texts(page, ".status")
    assert "by Exact()" in heads[0]
    assert "by RK4()" in heads[1]
    assert cell(page, 1, 0, 3) > 1e3 * cell(page, 0, 0, 3)  # the energy of RK4 drifts
    page.set_window_size(1150, 1000)
    assert set(page.execute_script(LINES)) == {1}  # no number is broken
    page.set_window_size(1400, 1000)
    moved = "const s = document.querySelectorAll('.stage [aria-label=time]')[0]; s.value = 0.5; s.dispatchEvent(new Event('input'))"
    page.execute_script(moved)
    wait_until(lambda: texts(page, ".controls output") == ["t = 75.0", "t = 75.0"])
    page.execute_script(TYPE, ".method", 1, "LGVI")
    finished(page, 2)
    page.execute_script(TYPE, ".how [name=order]", 0, "4")
    finished(page, 2)
    assert "by LGVI(order=4)" in texts(page, ".status")[1]
    page.find_element("id", "compare").click()
    assert len(texts(page, ".pane")) == 1
    assert complaints(page) == []


def test_a_tolerance_instead_of_a_step(page: Any) -> None:
    page.execute_script(TYPE, ".extent", 0, "tolerance")
    finished(page)
    assert texts(page, ".status.wrong") == []
    assert "tolerance" in texts(page, ".said")[0]


def test_the_text_is_shown_edited_and_saved(page: Any, studio: Studio) -> None:
    page.execute_script(SLIDE, "omega[1]", 1.5)
    finished(page)
    page.find_element("id", "show-text").click()
    wait_until(lambda: page.execute_script("return document.getElementById('text-dialog').open"))
    text = page.execute_script("return document.getElementById('text').value")
    assert "omega = [0.001, 1.5, 0.0]" in text
    assert list(studio.folder.glob("*.toml")) == [studio.folder / "own.toml"]
    page.find_element("id", "save").click()
    file = studio.folder / "my_scenario.toml"
    wait_until(file.exists)
    assert file.read_text(encoding="utf-8") == text
    page.execute_script("document.getElementById('saved').textContent = ''")
    page.find_element("id", "save").click()
    wait_until(lambda: "exists already" in texts(page, "#saved")[0])
    page.execute_script("document.getElementById('text').value = arguments[0]", "nonsense =")
    page.find_element("id", "use-text").click()
    wait_until(lambda: "not TOML" in texts(page, "#saved")[0])
    page.execute_script("document.getElementById('text').value = arguments[0]", text.replace("150.0", "15.0"))
    page.find_element("id", "use-text").click()
    wait_until(lambda: ": 300 steps" in texts(page, ".status")[0])
    file.unlink()


def test_another_example(page: Any) -> None:
    page.execute_script(TYPE, "#source", 0, "gravity_gradient")
    wait_until(lambda: "OrbitingBody" in texts(page, ".status")[0])
    finished(page)
    assert texts(page, ".status.wrong") == []
    assert "OrbitingBody" in texts(page, ".field small")


def test_without_the_token_it_says_what_to_do(studio: Studio, chromium: Any) -> None:
    chromium.get("about:blank")
    chromium.get(f"{studio.address}/#guess")
    wait_until(lambda: "open the address that polhode studio printed" in texts(chromium, "#message")[0])
