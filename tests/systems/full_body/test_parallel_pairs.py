"""Many bodies on all cores: the same bits as one after another, whatever the number of threads."""

from __future__ import annotations

import threading

import numba
import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Ellipsoid
from polhode.core.representation import Form
from polhode.gravity.second_order import second_order
from polhode.scalars import double, lanes
from polhode.systems.full_body.inertial_flows import add_perturbations, sum_pairs, to_rates, workspace_at
from polhode.systems.full_body.parallel_pairs import FOUND, ParallelFlow, pair_evaluator
from polhode.systems.full_body.representations import gravity_forces

N = 33  # 528 pairs


def many(n: int = N, gravity: int = 2) -> ph.State:
    rng = np.random.default_rng(4)
    system = ph.FullBodyProblem([Ellipsoid(1.0 + 0.1 * i, [0.1, 0.08, 0.05]) for i in range(n)], gravity=gravity)
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), axis=-1).reshape(-1, 3)[:n]
    places = grid + rng.normal(scale=0.05, size=(n, 3))
    return system.state(x=places, v=rng.normal(scale=0.1, size=(n, 3)), omega=rng.normal(size=(n, 3)))


def test_few_bodies_are_not_worth_it() -> None:
    few = ph.FullBodyProblem([Ellipsoid(1.0, [0.1, 0.08, 0.05])] * 5).representations
    serial = gravity_forces(second_order, sum_pairs, None, to_rates)
    assert (few[Form.DEFAULT].force, few[Form.LAGRANGIAN].force) == serial
    assert isinstance(many().system.representations[Form.DEFAULT].force, ParallelFlow)
    perturbed = ph.FullBodyProblem(
        [Ellipsoid(1.0, [0.1, 0.08, 0.05])] * 5, perturbations=[ph.UniformField([0.0, 0.0, -1.0])]
    ).representations
    with_perturbations = gravity_forces(second_order, sum_pairs, add_perturbations, to_rates)
    assert (perturbed[Form.DEFAULT].force, perturbed[Form.LAGRANGIAN].force) == with_perturbations


def test_flows_take_the_parallel_form() -> None:
    """Linked into its caller, as other functions are, it would run on one core."""
    assert pair_evaluator(second_order).linked.targetoptions["parallel"]


@pytest.mark.verify
def test_what_lies_behind_the_pairs_is_left_alone() -> None:
    """What is found for the last pair is the last that is written."""
    state = many()
    system, behind = state.system, np.full(1000, -1.0)
    first, pairs = workspace_at(N), N * (N - 1) // 2
    y = np.concatenate([system.enter(Form.DEFAULT, state), np.zeros(6 * N + FOUND * pairs), behind])
    pair_evaluator(second_order)(y, system.parameters(), N, pairs, first, 0)
    assert np.all(y[first : first + FOUND * pairs] != 0.0)
    np.testing.assert_array_equal(y[first + FOUND * pairs :], behind)


@pytest.mark.verify
def test_lanes_and_threads_use_the_serial_flow() -> None:
    force, _ = gravity_forces(second_order, sum_pairs, None, to_rates)
    force_in_parallel = many().system.representations[Form.DEFAULT].force
    assert force_in_parallel is not None
    assert force_in_parallel.on(lanes(4)) is force.on(lanes(4))
    found = []
    thread = threading.Thread(target=lambda: found.append(force_in_parallel.on(double)))
    thread.start()
    thread.join()
    assert found == [force.on(double)]


@pytest.mark.verify
@pytest.mark.parametrize("gravity", [2, 4])
def test_threads_change_no_bit(gravity: int) -> None:
    state = many(gravity=gravity)
    runs = []
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(threads)
        runs.append(ph.simulate(state, step=0.01, steps=5))
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    thread = threading.Thread(target=lambda: runs.append(ph.simulate(state, step=0.01, steps=5)))  # the serial flow
    thread.start()
    thread.join()
    assert len(runs) == 3
    for other in runs[1:]:
        for name, values in runs[0].values.items():
            np.testing.assert_array_equal(other.values[name], values)
    assert runs[0].drift()["angular_momentum"] < 1e-11 * np.abs(runs[0].invariants()["angular_momentum"]).max()


@pytest.mark.verify
def test_velocities_and_an_ensemble() -> None:
    state, method = many(), ph.DOP853(form="lagrangian")
    alone = ph.simulate(state, step=0.05, steps=2, method=method)
    together = ph.ensemble([state, state], step=0.05, steps=2, method=method, workers=2, save="all")
    for name, values in alone.values.items():
        for i in range(2):
            np.testing.assert_array_equal(together.values[name][i], values)
