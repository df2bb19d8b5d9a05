"""Names of bodies: in labels, figures, pages, messages and kernels, as text and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import KINDS, Dumbbell, Ellipsoid, PointMasses, Sphere, body_from
from polhode.io.exchange.ccsds import read_ccsds, write_oem
from polhode.io.exchange.inertial_motion import motions
from polhode.view.figures.orbits import plot_energies, plot_orbits
from polhode.view.html.page import page_html
from polhode.view.scene.scene import scene
from polhode.view.summary import run_details

HOSTILE = "</script><script>document.title='hit'</script>"[:40]


def pair(first: str | None, second: str | None) -> ph.Trajectory:
    bodies = Dumbbell(1.0, 0.5, radius=0.1, name=first), Ellipsoid(2.0, [0.35, 0.25, 0.2], name=second)
    state = ph.FullTwoBodyProblem(*bodies, gravity=2).state(X=[1.5, 0.0, 0.2], V=[0.0, 1.3, 0.0])
    return ph.simulate(state, step=0.02, steps=10)


def legend(figure: Any) -> list[str]:
    return [text.get_text() for ax in figure.axes if ax.get_legend() for text in ax.get_legend().get_texts()]


def test_every_body_takes_a_name_and_describes_it() -> None:
    made = [Sphere(1.0, 0.1, name="Moon"), PointMasses([1.0, 1.0], [[1, 0, 0], [-1, 0, 0]], name="Ends")]
    for body in made:
        assert body_from(body.describe()).name == body.name
    for kind, cls in KINDS.items():
        assert "name" in cls.__init__.__annotations__, kind


@pytest.mark.parametrize(("given", "name"), [("Beta\x1b[31m", "Beta[31m"), ("  a\nb\u202e ", "ab"), ("Čapek", "Čapek")])
def test_control_characters_are_dropped(given: str, name: str) -> None:
    assert Sphere(1.0, 0.1, name=given).name == name


@pytest.mark.parametrize("wrong", ["", " \n", "x" * 41, 3, ["a"]])
def test_names_that_are_refused(wrong: Any) -> None:
    with pytest.raises(ph.InvalidInputError, match=r"name = .*1 to 40 characters"):
        Sphere(1.0, 0.1, name=wrong)


def test_two_bodies_of_one_name_are_refused() -> None:
    with pytest.raises(ph.InvalidInputError, match="two bodies have this name"):
        ph.FullBodyProblem([Sphere(1.0, 0.1, name="A"), Sphere(1.0, 0.1, name="A")])


def test_names_are_used_everywhere() -> None:
    run = pair("Beta", "Alpha")
    assert run.system.body_labels == ["Beta", "Alpha"]
    assert legend(plot_orbits(run)) == ["Beta", "Alpha"]
    assert any(text.startswith("rotation of Alpha") for text in legend(plot_energies(run)))
    assert [item.name for item in scene(run).objects if item.name] == ["Beta", "Alpha"]
    assert "Beta" in run_details(run)["system"]
    assert [motion.name for motion in motions(run)] == ["Beta", "Alpha"]
    assert np.array_equal(run.rotations("Alpha").as_quat(), run.rotations(1).as_quat())
    assert run.orbit(("Alpha", "Beta")).name.to_numpy().tolist() == ["Alpha", "Beta"]
    with pytest.raises(ph.InvalidInputError, match="a number from 0 to 1, or one of Beta, Alpha"):
        run.rotations("Gamma")


def test_bodies_without_a_name_are_counted_from_0() -> None:
    assert pair(None, None).system.body_labels == ["body1", "body2"]  # the arguments' own names
    assert ph.FullBodyProblem.example().system.body_labels == ["body0", "body1", "body2"]
    assert ph.FreeRigidBody([1, 2, 3]).body_labels == ["body"]
    assert ph.FreeRigidBody(Ellipsoid(1.0, [3, 2, 1], name="Egg")).body_labels == ["Egg"]
    assert pair("Beta", None).system.body_labels == ["Beta", "body2"]


def test_synchronous_bodies_by_name_or_number() -> None:
    system = ph.FullTwoBodyProblem(
        Ellipsoid(1.0, [0.3, 0.2, 0.1], name="Beta"), Ellipsoid(2.0, [0.35, 0.25, 0.2]), gravity=2
    )
    start = {"X": [0.0, 2.0, 0.0], "V": [-1.0, 0.0, 0.0]}
    states = [system.state(**start, synchronous=[which]) for which in ("Beta", "body1", 0)]
    assert all(np.array_equal(state.R, states[0].R) for state in states)
    with pytest.raises(ph.InvalidInputError, match=r"synchronous.*one of Beta, body2"):
        system.state(**start, synchronous=["Alpha"])


def test_a_name_is_text_in_a_page_and_in_a_figure() -> None:
    run = pair(HOSTILE, "_$\\frac{1}{0}$")
    page = page_html(scene(run))
    assert HOSTILE not in page
    assert json.dumps(HOSTILE).strip('"').replace("<", "\\u003c") in page
    figure = plot_orbits(run)
    figure.canvas.draw()  # a formula that is not one would be an error here
    assert len(legend(figure)) == 2


def test_names_in_other_alphabets_reach_plain_text_files(tmp_path: Path) -> None:
    write_oem(motions(pair("Čapek", "月")), tmp_path / "a.oem")
    assert [motion.name for motion in read_ccsds(tmp_path / "a.oem")] == ["Capek", "_"]


def test_kernels_have_the_names_of_the_bodies(tmp_path: Path) -> None:
    spiceypy = pytest.importorskip("spiceypy")
    from polhode.io.exchange.spice import write_spice

    write_spice(motions(pair("Beta", None)), tmp_path / "kw")
    spiceypy.furnsh(str(tmp_path / "kw.tf"))
    try:
        assert spiceypy.bodn2c("BETA") == -200001
        assert spiceypy.bodn2c("KW_BODY2") == -200002
        assert spiceypy.namfrm("BETA") == -200001000
    finally:
        spiceypy.kclear()
