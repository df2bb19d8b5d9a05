"""Runs of which only the tolerance is given: what is chosen, and that the error is what was asked for."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Ellipsoid
from polhode.core.method import Start
from polhode.geometry import so3
from polhode.simulation import accuracy
from polhode.simulation.accuracy import likely_run
from polhode.simulation.events import Crossing
from polhode.simulation.job import Job
from polhode.simulation.pilot import Pilot, state_distance
from tests.verification.subjects import SUBJECTS, Subject


def error(trajectory: ph.Trajectory, truth: ph.State) -> float:
    system = trajectory.system
    layout = system.representations["default"].layout
    return state_distance(layout, system.enter("default", trajectory.final), system.enter("default", truth))


def orbiting() -> ph.State:
    """A satellite that swings about its equilibrium in orbit."""
    return ph.OrbitingBody([2.0, 2.5, 1.2], n=1.1).state(q=[0.02, -0.05, 0.05, 0.99], omega=[0.03, -1.05, 0.02])


def tight(state: ph.State, span: float) -> ph.State:
    return ph.simulate(state, step=span, steps=1, method=ph.DOP853(rtol=3e-14, atol=1e-15)).final


@pytest.mark.parametrize("tolerance", [1e-5, 1e-8, 1e-10])
def test_a_long_run(tolerance: float) -> None:
    state = orbiting()
    trajectory = ph.simulate(state, t_end=200.0, tolerance=tolerance)
    assert isinstance(trajectory.method, ph.GaussLegendre)
    assert trajectory.t[-1] == pytest.approx(200.0, abs=1e-12)
    assert error(trajectory, tight(state, 200.0)) <= tolerance
    assert trajectory.accuracy.estimated_error <= tolerance == trajectory.accuracy.tolerance
    assert "GaussLegendre(order=16)" in str(trajectory.accuracy)


def test_what_is_chosen_for_a_short_run_and_for_a_long_one() -> None:
    """GaussLegendre takes a while to set up, and what it conserves counts over long times; who names no tolerance has it always."""
    state = orbiting()
    assert isinstance(ph.simulate(state, t_end=5.0).method, ph.GaussLegendre)
    assert likely_run(state, 5.0, 1e-6, fastest=False)[0] == ph.GaussLegendre()
    assert isinstance(ph.simulate(state, t_end=5.0, tolerance=1e-6).method, ph.DOP853)
    assert likely_run(state, 5.0, 1e-6)[0] == ph.DOP853()
    assert likely_run(state, 200.0, 1e-6)[0] == ph.GaussLegendre()
    assert likely_run(state, 5.0, 1e-6, tangent=True)[0] == ph.GaussLegendre()


def test_a_closed_form_that_takes_long_to_find_is_for_long_runs() -> None:
    """That of Lagrange's top begins with numbers of 60 digits."""
    top = ph.Pendulum3D([0.5, 0.5, 0.3], mass=1.0, rho0=[0.0, 0.0, -0.5]).state(
        R=so3.exp([0.4, 0.0, 0.0]), omega=[0, 0, 18]
    )
    assert likely_run(top, 30.0, 1e-9)[0] == ph.GaussLegendre()
    assert likely_run(top, 1e4, 1e-9)[0] == ph.Exact()


@pytest.mark.parametrize(("gravity", "method"), [(2, ph.DOP853()), (4, ph.GaussLegendre())])
def test_where_evaluations_are_long_lanes_pay_sooner(gravity: int, method: ph.Method) -> None:
    """Gravity of the fourth order takes several times as long as that of the second."""
    example = ph.FullTwoBodyProblem.example()
    pair = ph.FullTwoBodyProblem(*example.system.bodies, gravity=gravity)
    assert likely_run(pair.state(X=example.X, V=example.V, R=example.R, Omega1=example.Omega1), 40.0, 1e-6)[0] == method


def test_nothing_is_left_to_explicit_steps_that_rounding_would_spoil() -> None:
    """A short motion, but the tolerance of a step would have to be below what `DOP853` can tell."""
    state = ph.Pendulum3D.example()
    assert likely_run(state, 25.0, 1e-8)[0] == ph.DOP853()
    assert likely_run(state, 25.0, 1e-12)[0] == ph.GaussLegendre()


@pytest.mark.parametrize(("expected", "compared"), [(2.0, False), (0.1, True)])
def test_the_first_run_does(expected: float, compared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick run and a rougher one are all that it is compared with, unless it takes more or fewer evaluations than expected."""
    runs, run, wanted, rough_run = [], Job.run, set(), Pilot.rough_run
    monkeypatch.setattr(Job, "run", lambda job, *given: runs.append(job.method) or run(job, *given))
    monkeypatch.setattr(Pilot, "rough_run", lambda pilot, rtol: wanted.add(rtol) or rough_run(pilot, rtol))
    monkeypatch.setattr(accuracy, "AS_EXPECTED", expected)
    state = ph.AttitudeBody.example()
    found = ph.simulate(state, t_end=6.0, tolerance=1e-7)
    assert runs == [found.method]
    assert error(found, tight(state, 6.0)) <= found.accuracy.estimated_error <= 1e-7
    assert isinstance(found.method, ph.DOP853)
    assert sorted(wanted) == pytest.approx(([10.0 * found.method.rtol] if compared else []) + [1e-4])


def test_what_is_allowed_to_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """So much less as errors grow; nothing where that is less than the method can tell, or where rough runs end anywhere."""
    pilot = Pilot(ph.Pendulum3D.example(), 30.0)
    usual, growth = accuracy._allowed(pilot, 1e-8), pilot.growth
    assert growth > 10.0
    assert usual == pytest.approx(1e-8 / (40.0 * growth))
    monkeypatch.setattr(Pilot, "growth", 10.0 * growth)
    assert accuracy._allowed(pilot, 1e-8) == pytest.approx(0.1 * usual)
    assert accuracy._allowed(pilot, 1e-12 * growth) == 0.0 < accuracy._allowed(pilot, 4e-12 * growth) == 3e-14
    monkeypatch.setattr(Pilot, "unpredictable", True)
    assert accuracy._allowed(pilot, 1e-8) == 0.0


def test_errors_are_in_proportion_to_what_is_allowed_to_a_step() -> None:
    """From the tolerance of the quick run to those of fine runs: this is what the estimate rests on."""
    for state, span in (
        (ph.Pendulum3D.example(), 10.0),
        (ph.Gyrostat.example(), 20.0),
        (ph.RigidBodySOn.example(), 10.0),
    ):
        pilot, truth = Pilot(state, span), tight(state, span)
        growth = pilot.growth_to(state.system.enter("default", truth))
        for rtol in (1e-7, 1e-9, 1e-11):
            end = ph.simulate(state, step=span, steps=1, method=pilot.method(rtol))
            assert 0.05 * growth < error(end, truth) / rtol < accuracy.IN_PROPORTION * growth


def test_few_steps_do_not_show_how_errors_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three steps of the quick run may end too near by chance: the error is taken to be what is allowed to a step at least. There is
    no rougher run."""
    state = ph.Gyrostat.example()
    monkeypatch.setattr(Pilot, "rough_run", None)
    found = ph.simulate(state, t_end=1.0, tolerance=1e-9)
    assert Pilot(state, 1.0).growth_to(state.system.enter("default", found.final)) < 1.0
    assert error(found, tight(state, 1.0)) < found.accuracy.estimated_error == 5.0 * found.method.rtol <= 1e-9


def test_longer_steps_where_the_first_ones_show_that_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a fast top, whose spin `GaussLegendre` takes out; not if its first steps lead elsewhere."""
    body = ph.Pendulum3D([1.0, 1.0, 0.6], mass=1.0, rho0=[0.0, 0.0, 0.4], g=3.0)
    top = body.state(euler=[0.3, 0.6, 0.2], omega=[0.2, 0.1, 8.0])
    method, usual = ph.GaussLegendre(), Pilot(top, 100.0).steps(ph.GaussLegendre(), 1e-8)
    assert likely_run(top, 100.0, 1e-8)[1] == np.ceil(usual / 1.6)
    found = ph.simulate(top, t_end=100.0, tolerance=1e-8)
    assert (found.method, found.stats.steps) == (method, np.ceil(usual / 1.6))
    assert error(found, tight(top, 100.0)) <= 1e-8
    monkeypatch.setattr(accuracy, "MARGIN", 1e12)
    assert likely_run(top, 100.0, 1e-8)[1] >= usual


def test_a_quick_run_that_is_too_rough_to_tell_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not the quick run that a run has to agree with."""
    state, at_first, runs, run = ph.AttitudeBody.example(), Pilot.__init__, [], Job.run
    monkeypatch.setattr(Job, "run", lambda job, *given: runs.append(job.method) or run(job, *given))

    def wrong(pilot: Pilot, *given: Any) -> None:
        at_first(pilot, *given)
        pilot.final = pilot.final + 1e-3

    monkeypatch.setattr(Pilot, "__init__", wrong)
    found = ph.simulate(state, t_end=10.0, tolerance=1e-6)
    assert runs == [found.method]
    assert error(found, tight(state, 10.0)) <= found.accuracy.estimated_error <= 1e-6


def test_many_iterations_leave_a_motion_to_explicit_steps() -> None:
    """Its damper turns with it in a thin layer, which steps of `GaussLegendre` iterate for."""
    slow, fast = (
        ph.DampedGyrostat([1.0, 1.9, 2.4], damper_inertia=0.2, damping=damping).state(omega=[0.5, 0.9, -0.8])
        for damping in (0.003, 0.2)
    )
    assert likely_run(slow, 600.0, 1e-8)[0] == ph.GaussLegendre()
    assert likely_run(fast, 600.0, 1e-8)[0] == ph.DOP853()
    assert likely_run(fast, 600.0, 1e-8, tangent=True)[0] == ph.GaussLegendre()


def test_a_stiff_motion_is_left_to_explicit_steps() -> None:
    """A damper in a thin layer: its steps are short for stability, however rough the run."""
    stiff = ph.DampedGyrostat([1.0, 1.9, 2.4], damper_inertia=0.01, damping=2.0).state(omega=[0.5, 0.9, -0.8])
    assert likely_run(stiff, 30.0, 1e-9)[0] == ph.DOP853()
    loose = ph.DampedGyrostat([1.0, 1.9, 2.4], damper_inertia=0.4, damping=0.02).state(omega=[0.5, 0.9, -0.8])
    assert likely_run(loose, 300.0, 1e-9)[0] == ph.GaussLegendre()


@pytest.mark.parametrize(("span", "method"), [(200.0, ph.GaussLegendre), (5.0, ph.DOP853)])
def test_what_depends_on_the_system_alone_is_set_up_once(
    span: float, method: type[ph.Method], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run for the quick run, and of `GaussLegendre` one for all that follow; the same numbers as those of a run by itself."""
    state, made = orbiting(), []
    of = Start.of
    monkeypatch.setattr(Start, "of", lambda *given: made.append(given) or of(*given))
    found = ph.simulate(state, t_end=span, tolerance=1e-8)
    assert isinstance(found.method, method)
    assert len(made) == (2 if method is ph.GaussLegendre else 1)
    alone = ph.simulate(state, step=found.step, steps=len(found) - 1, method=found.method)
    np.testing.assert_array_equal(found.R, alone.R)
    assert found.stats.evaluations == alone.stats.evaluations


@pytest.mark.parametrize(("system", "method"), [(ph.FreeRigidBody, ph.Exact), (ph.RigidBodySOn, ph.DOP853)])
def test_other_methods_where_they_are_better(system: type[ph.System], method: type[ph.Method]) -> None:
    state = system.example()
    trajectory = ph.simulate(state, t_end=10.0)
    assert isinstance(trajectory.method, method)
    assert error(trajectory, tight(state, 10.0)) <= trajectory.accuracy.tolerance


def test_the_rounding_of_a_closed_form_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Halves that do not lead to the end show in the estimate."""
    state = ph.FreeRigidBody.example()
    assert ph.simulate(state, t_end=1e3).accuracy.estimated_error < 1e-11
    monkeypatch.setattr(accuracy, "after", lambda start, method, step: start)
    with pytest.warns(ph.AccuracyWarning):
        assert ph.simulate(state, t_end=1e3).accuracy.estimated_error > 0.01


def test_a_method_that_is_given_gets_the_step_it_needs() -> None:
    state = ph.Pendulum3D.example()
    trajectory = ph.simulate(state, t_end=5.0, tolerance=1e-6, method=ph.LGVI(order=4))
    assert trajectory.method == ph.LGVI(order=4)
    assert 1e-9 < error(trajectory, tight(state, 5.0)) <= 1e-6


@pytest.mark.parametrize(("eccentricity", "adaptive", "span"), [(0.3, False, 150.0), (0.95, True, 40.0)])
def test_steps_follow_the_motion_where_that_pays(eccentricity: float, adaptive: bool, span: float) -> None:
    """On an eccentric orbit, where fixed steps of the same order would lose it; but not if a tangent map is wanted."""
    bodies = Ellipsoid(0.6, [0.02, 0.0199, 0.0198]), Ellipsoid(0.4, [0.02, 0.0199, 0.0198])
    speed = np.sqrt((1.0 - eccentricity) / (1.0 + eccentricity))
    places = {"X": [1.0 + eccentricity, 0.0, 0.0], "V": [0.0, speed, 0.0]}
    state = ph.FullTwoBodyProblem(*bodies).state(**places, Omega1=[0.0, 0.1, 0.5], Omega2=[0.1, 0.0, 0.4])
    found = ph.simulate(state, t_end=span, tolerance=1e-8)
    assert isinstance(found.method, ph.GaussLegendre)
    assert found.method.adaptive == adaptive
    assert error(found, tight(state, span)) <= 1e-8
    assert found.accuracy.estimated_error <= 1e-8
    assert not likely_run(state, span, 1e-8, tangent=True)[0].adaptive
    chosen = ph.simulate(state, t_eval=[7.0, span], tolerance=1e-8)
    assert error(chosen, tight(state, span)) <= 1e-8


def test_backwards_and_at_chosen_times() -> None:
    state = ph.Pendulum3D.example()
    back = ph.simulate(state, t_end=-4.0, tolerance=1e-9)
    assert back.step < 0
    assert error(back, tight(state, -4.0)) <= 1e-9
    times = [0.3, 1.7, 4.0]
    chosen = ph.simulate(state, t_eval=times, tolerance=1e-9)
    assert chosen.t.tolist() == times
    assert error(chosen, tight(state, 4.0)) <= 1e-9


def test_events_and_tangent_maps() -> None:
    state = ph.PlanarPendulum.example()
    crossing = Crossing("hanging", lambda state: state.theta, stop=True)
    stopped = ph.simulate(state, t_end=20.0, tolerance=1e-9, method=ph.GaussLegendre(), events=[crossing])
    assert abs(stopped.final.theta) < 1e-9
    mapped = ph.simulate(ph.Pendulum3D.example(), t_end=2.0, tolerance=1e-9, tangent=True)
    assert mapped.tangent.shape == (len(mapped), 6, 6)


def test_a_tolerance_that_rounding_does_not_allow_is_told() -> None:
    """The double pendulum magnifies rounding: after a while no step is short enough."""
    state = ph.DoublePlanarPendulum.example().system.state(theta=[2.5, 2.9], omega=[0.0, 0.0])
    with pytest.warns(ph.AccuracyWarning, match="estimated error"):
        trajectory = ph.simulate(state, t_end=60.0, tolerance=1e-13)
    assert trajectory.accuracy.estimated_error > 1e-13


def test_a_short_pulse_late_in_a_slow_motion_is_not_passed_over() -> None:
    """Its impulse turns a body at rest as long as is left."""
    pulse = {"profile": "triangle", "coefficients": [0.0, 0.0, 3.0], "start": 40.0, "duration": 0.01}
    body = ph.AttitudeBody([1.0, 2.0, 2.5], moment=pulse)
    found = ph.simulate(body.state(), t_end=45.0, tolerance=1e-8)
    assert isinstance(found.method, ph.DOP853)
    assert found.final.R[1, 0] == pytest.approx(np.sin(0.015 / 2.5 * 4.995), abs=1e-8)
    turning = body.state(omega=[0.3, 2.0, -0.4], t=-300.0)
    assert likely_run(turning, 39.0, 1e-8)[0] == ph.GaussLegendre()
    assert likely_run(turning, 45.0, 1e-8)[0] == ph.DOP853()


def pulsed() -> ph.State:
    """A gyrostat with a torque that sets in and ends with corners."""
    pulse = {"profile": "triangle", "coefficients": [0.4, 0.1, -0.3], "start": 2.6137, "duration": 1.3719}
    return ph.Gyrostat([1.0, 1.4, 0.9], rho=[0.1, 0.2, 0.0], torque=pulse).state(omega=[0.2, 0.5, 0.1])


@pytest.mark.verify
@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10])
def test_forces_that_are_not_smooth(tolerance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors that hardly fall with the step are seen, and another method is taken, where nobody says where corners are."""
    state = pulsed()
    monkeypatch.setattr(ph.Gyrostat, "corners", ())
    found = ph.simulate(state, t_end=10.0, tolerance=tolerance)
    assert isinstance(found.method, ph.DOP853)
    assert error(found, tight(state, 10.0)) <= 10.0 * tolerance


@pytest.mark.verify
def test_chaos_is_not_taken_for_rounding_too_early() -> None:
    """Long steps may end anywhere: that is no reason to give up."""
    system = ph.DoublePlanarPendulum(0.35, 0.35, mass1=1.0, mass2=1.0, length1=1.0, centre1=0.5, centre2=0.5)
    state = system.state(theta=[2.6, 2.2], omega=[0.0, 0.0])
    for tolerance in (1e-4, 1e-8):
        found = ph.simulate(state, t_end=6.0, tolerance=tolerance)
        assert found.accuracy.estimated_error <= tolerance
        assert error(found, tight(state, 6.0)) <= 10.0 * tolerance


def test_low_orders_are_judged_by_their_order() -> None:
    """A quarter of the step more says little about the error of order 2: it is larger than the difference."""
    state = ph.Pendulum3D.example()
    found = ph.simulate(state, t_end=2.0, tolerance=1e-4, method=ph.LGVI(order=2))
    assert 1e-6 < error(found, tight(state, 2.0)) <= 1e-4
    assert error(found, tight(state, 2.0)) == pytest.approx(found.accuracy.estimated_error, rel=0.5)


def test_it_is_saved(tmp_path) -> None:
    trajectory = ph.simulate(ph.Pendulum3D.example(), t_end=2.0, tolerance=1e-7)
    trajectory.save(tmp_path / "run.nc")
    assert ph.load(tmp_path / "run.nc").accuracy == trajectory.accuracy


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "t_end is missing"),
        ({"t_end": 0.0}, "t_end = 0"),
        ({"t_end": 1.0, "tolerance": 0.0}, "tolerance = 0.0.*from 1e-13 to 0.01"),
        ({"t_end": 1.0, "tolerance": "small"}, "tolerance = 'small'"),
        ({"t_end": 1.0, "tolerance": 1e-6, "step": 0.1}, "step and tolerance exclude each other"),
        ({"steps": 10}, "steps need a step"),
        ({"t_end": 1.0, "method": ph.Exact()}, "Exact"),
    ],
)
def test_what_does_not_make_sense(arguments, message) -> None:
    with pytest.raises(ph.PolhodeError, match=message):
        ph.simulate(ph.Pendulum3D.example(), **arguments)


@pytest.mark.verify
@pytest.mark.parametrize("span", [6.0, 25.0])
@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_every_system(subject: Subject, span: float) -> None:
    """Within ten times the tolerance, whatever moves."""
    truth = tight(subject.state, span)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ph.AccuracyWarning)
        for tolerance in (1e-5, 1e-8, 1e-10):
            found = ph.simulate(subject.state, t_end=subject.state.t + span, tolerance=tolerance)
            assert error(found, truth) <= 10.0 * max(tolerance, found.accuracy.estimated_error)
            assert np.isfinite(found.accuracy.estimated_error)


@pytest.mark.parametrize("every", [1, 5, 1000])
def test_a_closed_form_is_sampled_as_often_as_is_asked(every: int) -> None:
    start = ph.FreeRigidBody.example()
    found = ph.simulate(start, t_end=3000.0, tolerance=1e-9, save_every=every)
    assert found.method == ph.Exact()
    assert len(found) == 1 + -(-24 // every)
    assert found.accuracy is not None
    assert 1e-15 <= found.accuracy.estimated_error < 1e-9
