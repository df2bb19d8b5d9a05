"""The compiled DOP853: SciPy's step for step, the closed form, its dense output, and samples that depend on nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.analysis.structure import difference_map
from polhode.core.method import Start
from polhode.methods.dop853 import MOST_SHORT_STEPS
from polhode.methods.loops import RightHandSide
from polhode.methods.quaternion_variables import QuaternionVariables, from_quaternions, table_of, to_quaternions
from polhode.scalars import lanes
from polhode.simulation import job

FREE = ph.FreeRigidBody.example()
PAIR = ph.FullTwoBodyProblem.example()
TOP = ph.Pendulum3D.example()


def same(one: ph.Trajectory, other: ph.Trajectory, every: int = 1) -> None:
    np.testing.assert_array_equal(other.t, one.t[::every])
    for name, array in one.values.items():
        np.testing.assert_array_equal(other.values[name], array[::every])


@pytest.mark.parametrize("form", ["hamiltonian", "lagrangian"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-11])
def test_it_takes_the_steps_of_scipy(form: str, tolerance: float) -> None:
    """A reference that shares the system's right-hand side alone, from which it gets the rates of quaternions by the chain
    rule; far from its end, which it would hit, it steps as freely."""
    method = ph.DOP853(tolerance, tolerance, form)
    start = Start.of(PAIR, 1.0, method.representation)
    canonical = QuaternionVariables(start).canonical(PAIR.system)
    table, own_rates = table_of(canonical.representation.layout), RightHandSide(start)

    def rates(t: float, z: np.ndarray) -> np.ndarray:
        y = from_quaternions(canonical, z[None])[0]
        unit = to_quaternions(canonical, (y + 1e-100j * own_rates(t, y))[None])[0]
        slope = 1e100 * unit.imag
        for turns, at, _, count in table:
            if turns:  # either sign stands for an attitude, and so does any length
                slope[at : at + count] *= unit.real[at : at + count] @ z[at : at + count]
        return slope

    first = to_quaternions(canonical, start.y[None])[0]
    solver = solve_ivp(
        rates, (0.0, 50.0), first, method="DOP853", rtol=tolerance, atol=tolerance, dense_output=True, events=_late
    )
    found = ph.simulate(PAIR, step=0.13, steps=60, method=method)
    rows = np.stack([PAIR.system.enter(method.representation, found.state(k)) for k in range(len(found))])
    expected = from_quaternions(canonical, solver.sol(found.t).T)
    np.testing.assert_allclose(rows, expected, rtol=0.0, atol=1e-3 * tolerance + 1e-12)
    # twelve evaluations each, three for its dense output, two to begin; some steps are refused
    steps = int(np.searchsorted(solver.sol.ts, found.t[-1]))
    assert 12 * steps + 2 <= found.stats.evaluations <= 2 * 15 * steps


def _late(t: float, y: np.ndarray) -> float:
    return t - 10.0


_late.terminal = True  # type: ignore[attr-defined]


@pytest.mark.parametrize("step", [0.37, -0.37])
def test_it_meets_the_closed_form_both_ways_in_time(step: float) -> None:
    found, exact = (ph.simulate(FREE, step=step, steps=50, method=m) for m in (ph.DOP853(), ph.Exact()))
    np.testing.assert_allclose(found.R, exact.R, rtol=0.0, atol=2e-11)
    np.testing.assert_allclose(found.Pi, exact.Pi, rtol=0.0, atol=2e-11)


def test_the_dense_output_is_of_order_seven_and_the_step_of_order_eight() -> None:
    """The errors inside and at the end of one step of a given length, which go with the next power of it."""
    fractions, sizes = np.array([0.15, 0.4, 0.65, 0.9, 1.0]), np.array([0.8, 0.4, 0.2])
    errors = []
    for h in sizes:
        run = ph.DOP853(1e-3, 1e-3).start(FREE, h)
        sample = run.sample.copy()
        sample[-2] = h  # the length of the step at hand
        run.restore(sample)
        rows = np.empty((len(fractions), run.carried))
        assert run.follow(fractions * h, rows) == (0, len(fractions))
        exact = FREE.system.exact(FREE, fractions * h)
        truth = np.concatenate([exact["R"].reshape(-1, 9), exact["Pi"]], axis=1)
        errors.append(np.abs(run.states(rows) - truth).max(axis=1))
    inside, end = np.array(errors)[:, :-1].max(axis=1), np.array(errors)[:, -1]
    np.testing.assert_allclose(np.log2(inside[:-1] / inside[1:]), 8.0, atol=0.4)
    assert np.all(np.log2(end[:-1] / end[1:]) > 8.6)


@pytest.mark.parametrize("every", [5, 7, 50])
def test_the_samples_are_the_same_whichever_are_kept(every: int) -> None:
    method = ph.DOP853(1e-9, 1e-9)
    whole = ph.simulate(TOP, step=0.02, steps=350, method=method)
    same(whole, ph.simulate(TOP, step=0.02, steps=350, save_every=every, method=method), every)


def test_neither_chunks_nor_the_grid_change_them(monkeypatch: pytest.MonkeyPatch) -> None:
    method = ph.DOP853(1e-9, 1e-9)
    whole = ph.simulate(TOP, step=0.125, steps=80, method=method)
    same(ph.simulate(TOP, step=0.03125, steps=320, method=method), whole, 4)
    monkeypatch.setattr(job, "FIRST_CHUNK", 3)
    monkeypatch.setattr(job, "CHUNK_SECONDS", 0.0)
    same(whole, ph.simulate(TOP, step=0.125, steps=80, method=method))


@pytest.mark.parametrize("done", [0, 23, 30])
def test_resuming_is_as_if_it_had_never_stopped(done: int, tmp_path) -> None:
    options = {"step": 0.07, "save_every": 5, "method": ph.DOP853(1e-8, 1e-8)}
    whole = ph.simulate(TOP, steps=60, **options)
    ph.simulate(TOP, steps=done, **options).save(tmp_path / "part.nc")
    same(whole, ph.resume(ph.load(tmp_path / "part.nc"), steps=60 - done))


def test_an_event_is_found_where_the_closed_form_has_it() -> None:
    crossing = ph.Crossing("turned", lambda state: state.R[..., 0, 0] - 0.3, stop=True)
    runs = [ph.simulate(FREE, step=0.3, steps=100, method=m, events=[crossing]) for m in (ph.DOP853(), ph.Exact())]
    times = [run.events[0].t for run in runs]
    assert times[0] == pytest.approx(times[1], abs=1e-10)
    assert runs[0].t[-1] == times[0]
    assert runs[0].final.R[0, 0] == pytest.approx(0.3, abs=1e-10)


@pytest.mark.parametrize("step", [0.01, 0.3])
def test_a_singular_motion_ends_with_what_was_reached(step: float) -> None:
    body = ph.AttitudeBody([1, 2, 2.5], potential="sqrt(R33 - 0.5)")
    with pytest.raises(ph.ConvergenceError, match="tolerances") as caught:
        ph.simulate(body.state(omega=[0.5, -0.4, 0.6]), step=step, steps=400, method=ph.DOP853())
    kept = caught.value.trajectory
    assert kept is not None
    assert 1.53 - step <= kept.t[-1] <= 1.54
    assert np.all(kept.R[:, 2, 2] > 0.5)


def test_a_fast_motion_may_take_many_steps_of_its_own_length() -> None:
    """More of them than may be short: that is told by the longest before them, whatever the unit of time."""
    fast = FREE.system.state(omega=[3e6, -4e6, 5e6])
    found = ph.simulate(fast, step=3e-3, steps=1, method=ph.DOP853(1e-12, 1e-12))
    assert found.stats.evaluations > 12 * MOST_SHORT_STEPS
    assert found.conservation()[0].relative < 1e-6


def test_a_slope_that_is_not_finite_at_the_start_is_an_error() -> None:
    body = ph.AttitudeBody([1, 2, 2.5], potential="sqrt(R33 + 1)")
    start = body.state(R=np.diag([1.0, -1.0, -1.0]), omega=[0.5, -0.4, 0.6])
    with pytest.raises(ph.ConvergenceError, match="not finite") as caught:
        ph.simulate(start, step=0.1, steps=4, method=ph.DOP853())
    assert len(caught.value.trajectory) == 1


def test_a_body_at_rest_stays() -> None:
    rest = ph.FreeRigidBody([1, 2, 3]).state()
    found = ph.simulate(rest, step=1e3, steps=1000, method=ph.DOP853())
    np.testing.assert_array_equal(found.R, np.broadcast_to(np.eye(3), found.R.shape))


def test_the_steps_of_a_body_at_rest_begin_as_those_of_scipy() -> None:
    """Twelve evaluations each, two to begin and three for the dense output of the last."""
    rest = ph.FreeRigidBody([1, 2, 3]).state()
    found = ph.simulate(rest, step=1e-3, steps=1, method=ph.DOP853())
    times = solve_ivp(lambda t, y: 0.0 * y, (0.0, 1.0), [1.0], method="DOP853").t
    assert found.stats.evaluations == 2 + 12 * np.searchsorted(times, 1e-3) + 3


def test_a_force_that_sets_in_late_is_not_stepped_over() -> None:
    body = ph.AttitudeBody([1, 2, 3], moment=lambda t: (0.0, 0.0, np.exp(-((t - 40.0) ** 2))))
    found = ph.simulate(body.state(), step=0.01, steps=8000, save_every=8000, method=ph.DOP853())
    assert found.final.Pi[2] == pytest.approx(np.sqrt(np.pi), rel=1e-9)


@pytest.mark.parametrize("span", [40.0, -40.0])
def test_steps_end_at_the_corners_of_a_pulse(span: float) -> None:
    """A pulse much shorter than the steps of a body at rest gives it all of its impulse, half the duration times the peak."""
    start = 23.21 if span > 0.0 else -23.21
    pulse = {"profile": "triangle", "coefficients": [0.0, 0.0, 3.0], "start": start, "duration": 0.01}
    body = ph.AttitudeBody([1.0, 2.0, 2.5], moment=pulse)
    assert body.corners == pytest.approx([start, start + 0.005, start + 0.01])
    end = ph.simulate(body.state(), step=span, steps=1, method=ph.DOP853(rtol=1e-6, atol=1e-6)).final
    np.testing.assert_allclose(end.Pi, [0.0, 0.0, np.sign(span) * 0.015], rtol=0.0, atol=1e-11)


def test_the_tangent_map_is_that_of_the_motion_and_leaves_the_values() -> None:
    found = ph.simulate(FREE, step=0.25, steps=8, method=ph.DOP853(), tangent=True)
    np.testing.assert_allclose(found.tangent[-1], difference_map(FREE, ph.Exact(), 0.25, 8), atol=1e-10)
    same(ph.simulate(FREE, step=0.25, steps=8, method=ph.DOP853()), found)


def test_lanes_are_refused() -> None:
    with pytest.raises(ph.IncompatibleMethodError, match="lanes"):
        ph.DOP853().start(FREE, 0.1, lanes(4))
