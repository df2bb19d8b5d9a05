"""Samples at chosen times: the method's own, the same whichever others there are, with tangents and events."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.simulation.sampling import Grid
from tests.tiers import later

FREE = ph.FreeRigidBody.example()
TOP = ph.Pendulum3D.example()
TIMES = np.array([0.0, 0.05, 0.3, 0.3700000001, 1.1, 1.123, 1.9])
METHODS = [ph.LGVI(), ph.LGVI(4, "lagrangian"), ph.RK4(), ph.DOP853(), ph.Exact(), ph.MoserVeselov()]


def fields(trajectory: ph.Trajectory) -> np.ndarray:
    arrays = trajectory.values.values()
    return np.concatenate([array.reshape(len(trajectory), -1) for array in arrays], axis=1)


@pytest.mark.parametrize("every", [1, 3, 10])
@pytest.mark.parametrize("first", [0, 3, 7])
def test_samples_on_the_grid_are_the_first_every_so_many_th_and_the_last(every: int, first: int) -> None:
    for last in range(first, first + 25):
        wanted = [n for n in range(first, last + 1) if n in (first, last) or n % every == 0]
        assert Grid(0.0, 0.1, every).sampled(first, last).tolist() == wanted


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_samples_are_those_of_the_run_on_its_grid_and_single_shorter_steps(method: ph.Method) -> None:
    start = ph.RigidBodySOn.example() if isinstance(method, ph.MoserVeselov) else FREE
    found = ph.simulate(start, step=0.1, t_eval=TIMES, method=method)
    np.testing.assert_array_equal(found.t, TIMES)
    grid = ph.simulate(start, step=0.1, steps=19, method=method)
    whole = [0, 2, 4, 6]  # 0, 0.3, 1.1 and 1.9 are times of the grid, up to their rounding
    np.testing.assert_allclose(fields(found)[whole], fields(grid)[[0, 3, 11, 19]], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(fields(found), fields(grid.at(TIMES)), rtol=0.0, atol=2e-12)


@pytest.mark.parametrize("method", [ph.LGVI(4), ph.DOP853(1e-9, 1e-9)], ids=repr)
def test_no_sample_depends_on_the_others(method: ph.Method) -> None:
    many = np.sort(np.random.default_rng(3).uniform(0.0, 5.0, 300))
    whole = ph.simulate(TOP, step=0.1, t_eval=many, method=method)
    few = ph.simulate(TOP, step=0.1, t_eval=many[17::40], method=method)
    np.testing.assert_array_equal(fields(few), fields(whole)[17::40])


def test_the_error_has_the_methods_order() -> None:
    times = np.array([0.3127, 0.7411, 1.0893, 1.9377])
    exact = fields(ph.simulate(FREE, t_eval=times, method=ph.Exact()))
    errors = [np.abs(fields(ph.simulate(FREE, step=h, t_eval=times)) - exact).max() for h in (0.1, 0.05, 0.025)]
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.3)


@pytest.mark.parametrize("method", [ph.LGVI(8), ph.DOP853()], ids=repr)
def test_backwards_in_time(method: ph.Method) -> None:
    times = np.array([-0.21, -0.5, -3.3])
    found = ph.simulate(FREE, step=-0.1, t_eval=times, method=method)
    np.testing.assert_allclose(found.R, ph.simulate(FREE, t_eval=times, method=ph.Exact()).R, atol=1e-11)
    np.testing.assert_array_equal(found.t, times)


def test_an_adaptive_method_needs_no_step() -> None:
    found = ph.simulate(FREE, t_eval=TIMES, method=ph.DOP853())
    np.testing.assert_array_equal(found.R, ph.simulate(FREE, step=0.1, t_eval=TIMES, method=ph.DOP853()).R)


@pytest.mark.parametrize(
    "method", later([ph.LGVI(4, "lagrangian"), ph.RK4(), ph.DOP853()], lambda x: isinstance(x, ph.DOP853), repr)
)
def test_tangents_are_chained_through_the_shorter_step(method: ph.Method) -> None:
    found = ph.simulate(FREE, step=0.1, t_eval=[0.2, 0.55], method=method, tangent=True)
    assert found.tangent.shape == (2, 6, 6)
    first = ph.simulate(FREE, step=0.1, steps=5, method=method, tangent=True)
    np.testing.assert_allclose(found.tangent[0], first.tangent[2], atol=1e-13)
    last = ph.simulate(first.final, step=0.05, steps=1, method=method, tangent=True)
    np.testing.assert_allclose(found.tangent[1], last.tangent[-1] @ first.tangent[-1], atol=2e-6)  # RK4 leaves SO(3)


@pytest.mark.parametrize("method", [ph.LGVI(8), ph.DOP853()], ids=repr)
def test_events_are_found_in_every_step_however_few_the_samples(method: ph.Method) -> None:
    spun = ph.Crossing("spun up", lambda state: 1.1 - state.omega[..., 0])
    grid = ph.simulate(FREE, step=0.1, t_end=20.0, events=[spun], method=method)
    assert len(grid.events) > 1
    times = [0.123, 7.7]
    found = ph.simulate(FREE, step=0.1, t_eval=times, t_end=20.0, events=[spun], method=method)
    np.testing.assert_array_equal(found.t, times)
    assert [event.t for event in found.events] == pytest.approx([event.t for event in grid.events], abs=1e-9)
    stopping = ph.Crossing("spun up", lambda state: 1.1 - state.omega[..., 0], stop=True)
    ended = ph.simulate(FREE, step=0.1, t_eval=[0.123, 20.0], events=[stopping], method=method)
    assert ended.t == pytest.approx([0.123, grid.events[0].t], abs=1e-9)


def test_a_failure_keeps_the_samples_before_it() -> None:
    body = ph.AttitudeBody([1, 2, 2.5], potential="sqrt(R33 - 0.5)")
    start, times = body.state(omega=[0.5, -0.4, 0.6]), [0.111, 1.5, 1.7, 3.0]
    for method in (ph.LGVI(), ph.DOP853()):
        with pytest.raises(ph.ConvergenceError) as caught:
            ph.simulate(start, step=0.01, t_eval=times, method=method)
        np.testing.assert_array_equal(caught.value.trajectory.t, times[:2])


def test_a_chosen_run_cannot_be_resumed_but_saved(tmp_path) -> None:
    found = ph.simulate(FREE, step=0.1, t_eval=TIMES)
    assert found.stats.steps == 19
    with pytest.raises(ph.InvalidInputError, match="t_eval"):
        ph.resume(found, steps=1)
    found.save(tmp_path / "run.nc")
    np.testing.assert_array_equal(ph.load(tmp_path / "run.nc").R, found.R)
    np.testing.assert_allclose(found.at(1.0).R, ph.simulate(FREE, step=0.1, steps=10).final.R, atol=1e-2)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"t_eval": []}, "t_eval"),
        ({"t_eval": [[0.1]]}, "t_eval"),
        ({"t_eval": ["now"]}, "t_eval"),
        ({"t_eval": [0.1, float("nan")]}, "t_eval"),
        ({"t_eval": [0.2, 0.1]}, "t_eval"),
        ({"t_eval": [0.1, 0.1]}, "t_eval"),
        ({"t_eval": [-0.1, 0.1]}, "t_eval"),
        ({"t_eval": [0.1, 2.1], "t_end": 2.0}, "t_eval"),
        ({"step": -0.1}, "t_eval"),
        ({"t_end": float("inf")}, "t_end"),
        ({"save_every": 2}, "save_every"),
        ({"steps": 3}, "steps"),
        ({"step": None, "method": ph.DOP853(), "events": [ph.Crossing("a", lambda state: state.t)]}, "step"),
    ],
)
def test_bad_arguments_are_named(changes: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.simulate(FREE, **({"step": 0.1, "t_eval": [0.1, 0.2]} | changes))
    assert caught.value.field == field
