"""From the command line: contact as a scenario says it, an interruption, and going on as if there had been none."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main
from polhode.core.method import Method
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario

BALLS = """
[system]
type = "FullTwoBodyProblem"
gravity = 2
[system.body1]
type = "sphere"
mass = 1.0
radius = 0.2
[system.body2]
type = "sphere"
mass = 1.0
radius = 0.3
[state.elements]
a = 1.0
e = 0.6
true_anomaly = 2.5
[run]
step = 0.01
t_end = 5.0
save_every = 7
contact = "stop"
[output]
plots = false
"""


@pytest.fixture
def balls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "balls.toml").write_text(BALLS)
    return tmp_path / "balls.toml"


def polhode(*arguments: str):
    return CliRunner().invoke(main, list(arguments))


def test_contact_ends_the_run_and_is_told(balls) -> None:
    result = polhode("run", "balls.toml", "--no-report")
    assert result.exit_code == 0, result.output
    trajectory = ph.load("out/balls.nc")
    (contact,) = trajectory.events
    assert f"{contact}: the run ended there" in result.output
    assert np.linalg.norm(trajectory.final.X) == pytest.approx(0.5, abs=1e-11)
    assert np.linalg.norm(trajectory.X[0]) > 0.5


def test_contact_may_be_noted_or_ignored(balls) -> None:
    assert len(build_plan(load_scenario(balls, ["run.contact=continue"])).run().events) == 1
    assert build_plan(load_scenario(balls, ["run.contact=ignore"])).run().events == ()
    with pytest.raises(ph.InvalidInputError, match=r"run\.contact"):
        load_scenario(balls, ["run.contact=bounce"])


def test_contact_of_what_cannot_touch_is_refused(balls) -> None:
    bare = '{type = "points", masses = [1.0], positions = [[0, 0, 0]], inertia = [1, 1, 1]}'
    changes = [f"system.body1={bare}", f"system.body2={bare}"]
    with pytest.raises(ph.InvalidInputError, match=r"run.contact = 'stop': .*never"):
        build_plan(load_scenario(balls, changes))


@pytest.fixture
def part(balls):
    """The first 200 of the scenario's 500 steps, without contact."""
    build_plan(load_scenario(balls, ["run.contact=ignore"])).run(steps=200).save("part.nc")
    return "part.nc"


def test_going_on_gives_the_whole_run_bit_for_bit(part) -> None:
    for arguments in (["--out", "whole"], ["--out", "joined", "--from", part]):
        result = polhode("run", "balls.toml", "--set", "run.contact=ignore", "--quiet", "--no-report", *arguments)
        assert result.exit_code == 0, result.output
    whole, joined = ph.load("whole/balls.nc"), ph.load("joined/balls.nc")
    np.testing.assert_array_equal(joined.t, whole.t)
    for name, array in whole.values.items():
        np.testing.assert_array_equal(joined.values[name], array)
    assert (joined.stats.steps, joined.provenance) == (whole.stats.steps, whole.provenance)
    np.testing.assert_array_equal(joined.carry, whole.carry)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        (["run.step=0.02"], "another step"),
        (["run.save_every=5"], "another save_every"),
        (["method.type=LGVI", "method.order=4"], "another method"),
        (["system.G=1.1"], "another system"),
        (["state.elements.e=0.5"], "another state"),
        (["run.t_end=1.0"], "nothing left to do"),
    ],
)
def test_going_on_from_something_else_is_refused(part, changes: list[str], word: str) -> None:
    sets = [word for change in ["run.contact=ignore", *changes] for word in ("--set", change)]
    result = polhode("run", "balls.toml", *sets, "--from", part)
    assert result.exit_code == 2, result.output
    assert word in result.stderr


def test_an_interrupted_run_is_kept(balls, monkeypatch: pytest.MonkeyPatch) -> None:
    from .test_driver import interrupt_after

    with monkeypatch.context() as patched:
        interrupt_after(4, patched)
        result = polhode("run", "balls.toml", "--set", "run.contact=ignore", "--no-report")
    assert result.exit_code == 130
    assert "interrupted after 19 of 500 steps" in result.stderr
    again = result.stderr.strip().splitlines()[-1].split()
    assert again[:3] == ["polhode", "run", "balls.toml"]
    result = polhode(*again[1:], "--no-report", "--quiet")
    assert result.exit_code == 0, result.output
    whole = build_plan(load_scenario(balls, ["run.contact=ignore"])).run()
    np.testing.assert_array_equal(ph.load("out/balls.nc").X, whole.X)


def test_an_interruption_before_the_first_step_leaves_nothing(balls, monkeypatch: pytest.MonkeyPatch) -> None:
    from .test_driver import interrupt_after

    interrupt_after(0, monkeypatch)
    result = polhode("run", "balls.toml", "--set", "run.contact=ignore")
    assert result.exit_code == 130
    assert "nothing is saved" in result.stderr
    assert not (balls.parent / "out").exists()


@pytest.mark.parametrize("method", [ph.GaussLegendre(), ph.DOP853()])
def test_the_tangent_map_of_a_pair_goes_on_with_the_same_bits(method: Method) -> None:
    """Also its columns that follow from symmetry, where the method has rounded the start."""
    start = ph.FullTwoBodyProblem.example()
    whole = ph.simulate(start, step=0.01, steps=12, method=method, tangent=True)
    again = ph.resume(ph.simulate(start, step=0.01, steps=5, method=method, tangent=True), steps=7)
    assert again.tangent is not None
    assert whole.tangent is not None
    assert again.tangent.tobytes() == whole.tangent.tobytes()
