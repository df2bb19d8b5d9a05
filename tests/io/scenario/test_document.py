"""Scenarios: what a file may say, and how changes reach it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike
from typing_extensions import TypeAliasType

import polhode as ph
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.validation import ScenarioError, arguments, nearest

from .scenarios import GOOD


@pytest.fixture
def good(tmp_path):
    file = tmp_path / "good.toml"
    file.write_text(GOOD)
    return file


def test_a_scenario_does_what_the_library_does(good):
    body = ph.FreeRigidBody([1, 2, 3])
    expected = ph.simulate(body.state(omega=[0.7, -0.6, 0.5]), step=0.1, t_end=2.0)
    found = build_plan(load_scenario(good)).run()
    assert np.array_equal(found.R, expected.R)
    assert np.array_equal(found.Pi, expected.Pi)
    assert found.method == expected.method
    assert found.provenance == {"title": "A test", "description": "", "scenario": GOOD, "scenario_file": "good.toml"}


def test_every_entry_reaches_its_place(tmp_path):
    file = tmp_path / "all.toml"
    file.write_text("""
        [system]
        type = "FreeRigidBody"
        inertia = [1, 1, 3]
        allow_unphysical = true
        [state]
        q = [0, 0, 1, 0]
        Pi = [0.1, 0.2, 0.3]
        t = 5
        [method]
        type = "DOP853"
        rtol = 1e-9
        [run]
        step = -0.5
        steps = 7
        save_every = 3
        [output]
        file = "elsewhere.nc"
    """)
    scenario = load_scenario(file)
    trajectory = build_plan(scenario).run()
    assert scenario.output_name == "elsewhere.nc"
    assert trajectory.system.describe() == {"inertia": [1.0, 1.0, 3.0], "allow_unphysical": True}
    assert trajectory.method == ph.DOP853(rtol=1e-9)
    assert trajectory.t.tolist() == [5.0, 3.5, 2.0, 1.5]
    assert trajectory.Pi[0].tolist() == [0.1, 0.2, 0.3]
    assert np.allclose(trajectory.R[0], np.diag([-1.0, -1.0, 1.0]))


def test_the_times_of_the_samples_may_be_chosen(tmp_path):
    file = tmp_path / "times.toml"
    text = '[system]\ntype = "FreeRigidBody"\ninertia = [1, 2, 3]\n[state]\n[run]\nstep = 0.1\n'
    file.write_text(text + "t_eval = [0, 0.25, 1.0]\n")
    plan = build_plan(load_scenario(file))
    assert (plan.steps, plan.samples) == (10, 3)
    assert plan.run().t.tolist() == [0.0, 0.25, 1.0]
    for change, key in (("run.steps=3", "steps"), ("run.save_every=2", "save_every"), ("run.t_end=0.5", "t_eval")):
        with pytest.raises(ph.InvalidInputError, match=f"run.{key}"):
            build_plan(load_scenario(file, [change]))
    with pytest.raises(ph.InvalidInputError, match=r"run\.t_eval"):
        load_scenario(file, ["run.t_eval=[]"])


def test_a_tolerance_instead_of_a_step(tmp_path):
    file = tmp_path / "to_tolerance.toml"
    text = '[system]\ntype = "FreeRigidBody"\ninertia = [1, 2, 3]\n[state]\nomega = [0.7, -0.6, 0.5]\n'
    file.write_text(text + "[run]\ntolerance = 1e-6\nt_end = 3.0\n")
    plan = build_plan(load_scenario(file, ["method.type=RK4"]))
    assert (plan.steps, plan.samples, plan.method) == (None, None, ph.RK4())
    found = plan.run()
    expected = ph.simulate(plan.state, t_end=3.0, tolerance=1e-6, method=ph.RK4())
    assert found.accuracy == expected.accuracy
    assert found.t.tolist() == expected.t.tolist()
    assert found.provenance["overrides"] == ["method.type=RK4"]
    likely = plan.fixed()
    assert likely.method == ph.RK4()
    assert likely.run().t[-1] == pytest.approx(3.0)
    assert likely.samples == likely.steps + 1
    times = build_plan(load_scenario(file, ["method.type=RK4", "run.t_eval=[1.0, 2.5]", "run.t_end="]))
    assert times.samples == times.fixed().samples == 2
    assert times.run().t.tolist() == [1.0, 2.5]


def test_without_step_and_tolerance_the_default_tolerance_and_a_method_are_taken(tmp_path):
    file = tmp_path / "bare.toml"
    file.write_text('[system]\ntype = "FreeRigidBody"\ninertia = [1, 2, 3]\n[state]\n[run]\nt_end = 2.0\n')
    plan = build_plan(load_scenario(file))
    assert plan.method is None
    assert plan.fixed().method == ph.Exact()
    assert plan.run().accuracy.tolerance == 1e-9
    with pytest.raises(ph.InvalidInputError, match=r"cannot be continued"):
        plan.resume(plan.run())


def test_what_may_be_left_out(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text('[system]\ntype = "FreeRigidBody"\ninertia = [1, 2, 3]\n[state]\n[run]\nstep = 1\nsteps = 2\n')
    scenario = load_scenario(file)
    assert build_plan(scenario).method == ph.LGVI(order=2)
    assert scenario.output_name == "short.nc"
    assert scenario.document.output.plots is True


def test_the_tangent_map_can_be_asked_for(good):
    tangent = build_plan(load_scenario(good, ["run.tangent=true", "run.t_end=0.2"])).run().tangent
    assert tangent is not None
    assert tangent.shape == (3, 6, 6)


def test_changes_replace_add_and_remove(good):
    changes = ["run.step=0.05", "method.type=QuaternionVI", "run.t_end=", "run.steps=3", "state.t=1.5"]
    scenario = load_scenario(good, changes)
    trajectory = build_plan(scenario).run()
    assert trajectory.method == ph.QuaternionVI(order=2)
    assert (trajectory.step, trajectory.stats.steps, trajectory.t[0]) == (0.05, 3, 1.5)
    assert trajectory.provenance["overrides"] == changes


def test_a_mark_of_byte_order_and_other_line_ends_do_no_harm(tmp_path):
    file = tmp_path / "windows.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert build_plan(load_scenario(file)).steps == 20


def test_arguments_follow_the_signature_of_any_function():
    def make(self, mass: float, *, name: str = "body", count: int | None = None, shape=None) -> None: ...

    assert arguments("f", "s", make, {"mass": 1, "shape": {"a": [1]}}) == {"mass": 1.0, "shape": {"a": [1]}}
    assert arguments("f", "s", make, {"mass": 2.5, "count": 3}) == {"mass": 2.5, "count": 3}
    for wrong, message in (
        ({}, "s.mass is missing"),
        ({"mass": "heavy"}, "s.mass = 'heavy': expected a number"),
        ({"mass": 1, "name": 3}, "s.name = 3: expected text"),
        ({"mass": 1, "count": 1.5}, "s.count = 1.5: expected a whole number"),
        ({"mas": 1}, "did you mean 'mass'"),
        ({"mass": 1, "self": 2}, "s.self is unknown"),
    ):
        with pytest.raises(ph.InvalidInputError, match=message):
            arguments("f", "s", make, wrong)


def test_the_nearest_spelling_is_offered_only_if_near():
    assert nearest("LGIV", ["LGVI", "RK4"]) == "; did you mean 'LGVI'?"
    assert nearest("banana", ["LGVI", "RK4"]) == ""


def test_a_name_for_a_union_stands_for_it():
    """From NumPy 2.5 on, `ArrayLike` is one."""
    Named = TypeAliasType("Named", ArrayLike)

    class Made:
        def __init__(self, plain, named, perhaps=None): ...

    Made.__init__.__annotations__ = {"plain": ArrayLike, "named": Named, "perhaps": Named | None}
    fine = {"plain": [1, 2.0], "named": [[1.0]], "perhaps": 3}
    assert arguments("a.toml", "made", Made.__init__, fine) == fine
    for name in fine:
        with pytest.raises(ph.InvalidInputError, match=f"made.{name} = True: expected finite numbers"):
            arguments("a.toml", "made", Made.__init__, fine | {name: True})


def test_a_name_with_a_null_character_is_refused() -> None:
    with pytest.raises(ScenarioError, match="cannot be read: embedded null"):
        load_scenario("a\0b.toml")
