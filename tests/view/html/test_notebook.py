"""How things show themselves in a notebook, and the notebook of the documentation."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import polhode as ph
from polhode.core.method import known_methods
from polhode.errors import InvalidInputError
from polhode.systems.registry import known_systems

NOTEBOOK = Path(__file__).resolve().parents[3] / "docs" / "tutorials" / "first_steps.ipynb"


class Balance(HTMLParser):
    """Every tag that is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("br", "img", "meta", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", known_systems())
def test_systems_and_states_show_their_numbers(name: str) -> None:
    state = known_systems()[name].example()
    shown = state.system._repr_html_()
    Balance(shown)
    for parameter in state.system.describe():
        assert f"<td>{parameter}</td>" in shown
    Balance(state._repr_html_())
    for field in state.values:
        assert f"<td>{field}</td>" in state._repr_html_()


@pytest.mark.parametrize("name", known_methods())
def test_methods_show_their_traits(name: str) -> None:
    for method in known_methods()[name].variants():
        shown = method._repr_html_()
        Balance(shown)
        assert all(trait in shown for trait, has in method.traits().items() if has)


@pytest.fixture(scope="module", params=[ph.FreeRigidBody, ph.FullBodyProblem, ph.PlanarPendulum, ph.RigidBodySOn])
def run(request: pytest.FixtureRequest) -> ph.Trajectory:
    state = request.param.example()
    return ph.simulate(state, step=0.02, steps=50)


def test_a_trajectory_shows_what_was_kept_and_a_small_plot(run: ph.Trajectory) -> None:
    shown = run._repr_html_()
    Balance(shown)
    for kept in run.conservation():
        assert f"<td>{kept.worst:.1e}</td>" in shown
    assert "data:image/png;base64,iVBOR" in shown
    assert len(shown) < 60_000


def test_plot_and_view_are_shown_in_a_cell(run: ph.Trajectory) -> None:
    assert run.plot()._repr_png_().startswith(b"\x89PNG")
    assert run.plot("invariants")._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(InvalidInputError, match="invariants"):
        run.plot("nothing")
    shown = run.view(height=321)._repr_html_()
    Balance(shown)
    assert "height: 321px" in shown
    assert "srcdoc=" in shown


def test_the_notebook_is_kept_without_outputs() -> None:
    """Its cells are run with the pages of the documentation."""
    notebook = json.loads(NOTEBOOK.read_text())
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)


def test_a_run_with_units_says_them() -> None:
    run = ph.simulate(ph.FreeRigidBody.example(), step=0.5, steps=240, units={"time": "s"}, method=ph.Exact())
    assert repr(run).endswith("t = 0 … 120 s)")
    assert "t = 0 … 120 s (2 min 0 s)" in run._repr_html_()
