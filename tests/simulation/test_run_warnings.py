"""Warnings about a run: each is given where it is due, once, with advice that helps, and not where it is not."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Ellipsoid, GivenIntegrals, Sphere
from polhode.errors import EnergyWarning, NearContactWarning, RunWarning, SolverWarning, StepWarning
from polhode.simulation.run_warnings import _steady_slope

SPINNING = ph.FreeRigidBody([1.0, 2.0, 3.0]).state(omega=[0.1, 0.2, 4.0])


def kinds(trajectory: ph.Trajectory) -> list[type[RunWarning]]:
    return [type(warning) for warning in trajectory.warnings]


def issued(run) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    return [str(one.message) for one in caught if issubclass(one.category, RunWarning)]


def plunge(**options) -> ph.Trajectory:
    """Two balls of no size on a nearly radial orbit: the periapsis is at 0.0025 of where they are released."""
    pair = ph.FullTwoBodyProblem(Sphere(1.0, 1e-3), Sphere(1.0, 1e-3))
    return ph.simulate(pair.state(X=[1.0, 0.0, 0.0], V=[0.0, 0.1, 0.0]), **options)


def test_a_fast_turn() -> None:
    found = ph.simulate(SPINNING, step=0.2, steps=50)
    assert kinds(found) == [StepWarning]
    text = str(found.warnings[0])
    assert "turns by 0.8 rad in a step" in text
    assert "take a step below 0.12" in text  # 0.5 rad at 4 rad per unit of time
    assert "or use Splitting or GaussLegendre" in text  # Splitting does not take a body without force
    assert kinds(ph.simulate(SPINNING, step=0.11, steps=50)) == []
    # a higher order is allowed more, an exact rotation anything
    assert kinds(ph.simulate(SPINNING, step=0.2, steps=50, method=ph.LGVI(order=4))) == []
    assert kinds(ph.simulate(SPINNING, step=0.4, steps=50, method=ph.GaussLegendre())) == []
    assert kinds(ph.simulate(SPINNING, step=0.4, steps=50, method=ph.Exact())) == []


def test_each_warning_is_issued_once() -> None:
    def again() -> None:
        for _ in range(2):  # two runs, each with its own
            ph.simulate(SPINNING, step=0.2, steps=5000)

    assert len(issued(again)) == 2
    first = ph.simulate(SPINNING, step=0.2, steps=10)
    assert len(issued(lambda: ph.resume(first, steps=10))) == 1
    # runs that only look for a step are not warned about
    assert issued(lambda: ph.simulate(SPINNING, t_end=1.0, tolerance=1e-6)) == []


def test_a_warning_points_to_the_line_that_called() -> None:
    with pytest.warns(StepWarning) as caught:
        ph.simulate(SPINNING, step=0.2, steps=5)
    assert caught[0].filename == __file__


def test_an_encounter_that_the_step_does_not_resolve() -> None:
    found = plunge(step=0.02, t_end=2.0)
    assert StepWarning in kinds(found)
    text = next(str(w) for w in found.warnings if isinstance(w, StepWarning))
    assert "body1 and body2" in text
    assert "does not resolve the encounter" in text
    assert kinds(plunge(step=1e-4, t_end=0.5)) == []  # before it
    circle = ph.FullTwoBodyProblem(Sphere(1.0, 1e-3), Sphere(1.0, 1e-3)).state(X=[1.0, 0.0, 0.0], V=[0.0, 1.4, 0.0])
    assert kinds(ph.simulate(circle, step=0.02, t_end=20.0)) == []
    assert kinds(ph.simulate(circle, step=0.5, t_end=20.0)) == [StepWarning]


@pytest.mark.usefixtures("short_legs")
def test_what_goes_to_disk_has_the_warnings_of_the_whole_run(tmp_path: Path) -> None:
    whole = issued(lambda: plunge(step=0.002, t_end=6.0))
    assert len(whole) == 2
    stored = issued(lambda: plunge(step=0.002, t_end=6.0, store=tmp_path / "run.nc"))
    assert len(stored) == 2
    assert stored[0] == whole[0]


def test_energy_that_an_encounter_changed_between_samples() -> None:
    found = plunge(step=0.02, steps=200, save_every=100)
    assert EnergyWarning in kinds(found)
    assert "has changed from -0.9975" in next(str(w) for w in found.warnings if isinstance(w, EnergyWarning))


def test_times_that_begin_after_an_encounter() -> None:
    """What is chosen has no sample of the encounter, and the energy is the same at all of it."""
    found = plunge(step=0.02, t_end=2.0, t_eval=[1.6, 1.8, 2.0])
    assert len(found) == 3
    assert EnergyWarning in kinds(found)
    assert "has changed from -0.9975" in next(str(w) for w in found.warnings if isinstance(w, EnergyWarning))
    assert issued(lambda: plunge(step=0.02, t_end=2.0, t_eval=[1.6, 1.8, 2.0])) == [str(w) for w in found.warnings]
    assert kinds(plunge(step=1e-4, t_end=0.5, t_eval=[0.3, 0.5])) == []  # before it


def test_energy_that_drifts() -> None:
    start = ph.FreeRigidBody([1.0, 2.0, 3.0]).state(omega=[0.7, -0.6, 0.5])
    found = ph.simulate(start, step=0.4, steps=6000, method=ph.RK4())
    assert kinds(found) == [EnergyWarning]
    assert "symplectic method such as LGVI" in str(found.warnings[0])
    slope = np.polyfit(found.t, found.invariants()["energy"], 1)[0]
    told = float(re.search(r"drifts by (\S+) per", str(found.warnings[0]))[1])  # type: ignore[index]
    assert told == pytest.approx(slope, rel=0.1)
    assert kinds(ph.simulate(start, step=0.4, steps=6000)) == []


def test_what_is_a_slope() -> None:
    t = np.linspace(0.0, 100.0, 256)
    wave = np.sin(7.0 * t)
    assert _steady_slope(t, 1.0 + 0.1 * t + wave) == pytest.approx(0.1, rel=0.05)
    assert _steady_slope(t, 1.0 + wave) == 0.0
    assert _steady_slope(t, 1.0 + 0.01 * t + wave) == 0.0  # hidden in the oscillation
    assert _steady_slope(t, np.sin(0.02 * t)) == 0.0  # part of one slow oscillation
    assert _steady_slope(t, np.where(t > 60.0, 5.0, 0.0) + wave) == 0.0  # a jump


def test_solves_that_became_hard() -> None:
    run = ph.simulate(SPINNING, step=0.05, steps=50)
    assert kinds(run) == []
    hard = replace(run, stats=replace(run.stats, max_iterations=12, mean_iterations=2.5))
    assert kinds(hard) == [SolverWarning]
    assert "a step took 12 Newton iterations, where the mean is 2.5" in str(hard.warnings[0])
    assert kinds(replace(run, stats=replace(run.stats, max_iterations=12, mean_iterations=10.0))) == []
    again = replace(run, stats=replace(run.stats, retries=3))
    assert kinds(again) == [SolverWarning]
    assert "3 of 50 steps did not converge" in str(again.warnings[0])


def test_bodies_too_near_for_the_expansion() -> None:
    first, second = Ellipsoid(1.0, [2.0, 2.0, 1.0]), Ellipsoid(1.0, [2.0, 2.0, 1.0])

    def fall(gravity: int | str) -> ph.Trajectory:
        pair = ph.FullTwoBodyProblem(first, second, gravity=gravity)
        return ph.simulate(pair.state(X=[0.0, 0.0, 4.2], V=[0.0, 0.0, -0.5]), step=0.02, steps=100)

    near = fall(4)
    assert kinds(near) == [NearContactWarning]
    entered = near.t[np.argmax(np.linalg.norm(near.X, axis=1) < 4.0)]
    assert f"from t = {entered:g} on the circumscribed spheres of body1 and body2 overlap" in str(near.warnings[0])
    assert 'gravity = "shapes"' in str(near.warnings[0])
    assert kinds(fall("shapes")) == []
    # a ball attracts as a point: only the other's sphere counts
    balls = ph.FullBodyProblem([Sphere(1.0, 1.0), second], gravity=4)
    assert balls.least_distances == {(0, 1): 2.0}
    assert ph.FullBodyProblem([Sphere(1.0, 1.0), Sphere(1.0, 2.0)], gravity=2).least_distances == {}
    # of given integrals no more than their order is known, and a radius only if it was given
    given = GivenIntegrals(second.inertia_integrals(2))
    assert ph.FullBodyProblem([given, second], gravity=2).least_distances == {(0, 1): 2.0}


def test_unequal_bodies_near_each_other_do_not_overlap() -> None:
    """Up to the contact at t = 0.773 of a small body with one whose surface is three times as near on one axis as on another."""
    lander, asteroid = Ellipsoid(0.01, [0.05, 0.04, 0.03]), Ellipsoid(1.0, [1.2, 1.0, 0.5])
    pair = ph.FullTwoBodyProblem(lander, asteroid, gravity="shapes")
    state = pair.state(X=[0.1, 0.1, 0.8], V=[0.1, 0, 0], Omega2=[0, 0, 0.3])
    assert ph.simulate(state, step=0.01, t_end=5.0, events=[ph.Contact()]).warnings == ()


def test_bodies_that_overlap() -> None:
    """Balls attract as points and pass through each other without a word from the steps; a run that ends at the contact, or
    passes it, has no warning."""
    pair = ph.FullBodyProblem([Sphere(1.0, 0.5, name="Dido"), Sphere(1.0, 0.5, name="Moon"), Sphere(1.0, 0.1)], G=1e-3)
    start = {"v": [[0.4, 0.0, 0.0], [-0.4, 0.0, 0.0], [0.0] * 3], "R": [np.eye(3)] * 3}

    def fall(aside: float, **options) -> ph.Trajectory:
        state = pair.state(x=[[-1.0, aside, 0.0], [1.0, -aside, 0.0], [0.0, 0.0, 9.0]], **start)
        return ph.simulate(state, step=0.02, steps=300, **options)

    through = fall(0.3)
    assert kinds(through) == [NearContactWarning]
    nearest = through.t[np.argmin(np.linalg.norm(through.x[:, 0] - through.x[:, 1], axis=1))]
    assert f"at t = {nearest:g} Dido and Moon overlap" in str(through.warnings[0])
    assert "events=[Contact()]" in str(through.warnings[0])
    assert kinds(fall(0.3, events=[ph.Contact()])) == []
    assert kinds(fall(0.9)) == []


def test_files_have_the_same_warnings(tmp_path: Path) -> None:
    run = ph.simulate(SPINNING, step=0.2, steps=50)
    run.save(tmp_path / "run.nc")
    assert list(map(str, ph.load(tmp_path / "run.nc").warnings)) == list(map(str, run.warnings))


@pytest.mark.verify
def test_no_example_deserves_a_warning() -> None:
    from polhode.io.scenario.build import build_plan
    from polhode.io.scenario.document import load_scenario
    from polhode.io.scenario.examples import example_scenarios, find_example

    found = {name: build_plan(load_scenario(find_example(name), ())).run().warnings for name in example_scenarios()}
    assert {name: given for name, given in found.items() if given} == {}


def test_a_step_that_fails_where_an_expansion_is_of_no_use_names_it() -> None:
    """Two needles side by side do not touch, and the expansion of their gravity is anything."""
    one, two = ph.bodies.Ellipsoid(1.0, [1.0, 0.3, 0.25]), ph.bodies.Ellipsoid(2.0, [1.2, 0.35, 0.2])
    state = ph.FullTwoBodyProblem(one, two, gravity=16).state(X=[0.1, 0.9, 0.4], V=[0, 0, 0])
    with pytest.raises(ph.ConvergenceError, match=r'circumscribed spheres.*take gravity = "shapes"'):
        ph.simulate(state, step=0.1, steps=5)
