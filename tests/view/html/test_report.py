"""The report: all that it promises is in it, it is one file, and the same run gives the same file."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import find_example
from polhode.view.figures.catalogue import save_figures
from polhode.view.html.report import report_html, save_report
from polhode.view.summary import SOURCES, citations, spell_out_labels


@pytest.fixture(scope="module")
def run() -> ph.Trajectory:
    return build_plan(load_scenario(find_example("free_rigid_body"), ["run.steps=300"])).run()


def test_it_holds_what_a_reader_asks_for(run: ph.Trajectory, tmp_path: Path) -> None:
    (file,) = save_figures(run, tmp_path, ["rates"])
    text = report_html(run, {"the rates <of it>": file})
    scenario = load_scenario(find_example("free_rigid_body"))
    assert f"<h1>{escape(scenario.document.title)}</h1>" in text
    for kept in run.conservation():
        assert f"<td>{kept.name}</td>" in text
        assert f"<td>{kept.worst:.1e}</td>" in text
    assert 'class="polhode-view"' in text
    assert "the rates &lt;of it&gt;" in text
    assert "data:image/png;base64,iVBOR" in text
    for said in (ph.__version__, "LGVI(order=2)", "free_rigid_body.toml", "run.steps=300", escape(scenario.text)):
        assert said in text
    for reference in citations(run).values():
        assert escape(reference) in text
    assert "http:" not in text
    assert "https:" not in text


def test_the_same_run_on_a_slower_machine_gives_the_same_report(run: ph.Trajectory) -> None:
    slower = replace(run, stats=replace(run.stats, seconds=17.0 * run.stats.seconds + 1.0))
    assert report_html(run, {}) == report_html(slower, {})


def test_a_system_without_a_picture_and_without_a_scenario_has_a_report(tmp_path: Path) -> None:
    trajectory = ph.simulate(ph.CoupledDoubleBrackets.example(), step=0.02, steps=2, method=ph.RK4())
    save_report(trajectory, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "cannot be drawn" in text
    assert "The scenario" not in text


def test_nothing_is_left_if_it_cannot_be_written(run: ph.Trajectory, tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(PolhodeError):
        save_report(run, tmp_path / "report.html")
    with pytest.raises(FileNotFoundError):
        save_report(run, tmp_path / "other.html", {"gone": tmp_path / "gone.png"})
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_every_label_of_a_reference_is_spelled_out() -> None:
    from polhode.core.method import known_methods
    from polhode.systems.registry import known_systems

    for cls in [*known_methods().values(), *known_systems().values()]:
        for label in re.findall(r"\[(\w+)\]", cls.reference):
            assert SOURCES[label] in spell_out_labels(cls.reference), cls.__name__
