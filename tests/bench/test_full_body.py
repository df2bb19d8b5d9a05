"""What the benchmark of the full body problem times is what it says, and its cost is that of the pairs."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import polhode as ph
from polhode.bench.full_body import LIMITS, binary, cluster
from polhode.bench.jobs import Job
from polhode.gravity.interactions import _INTEGRALS


@pytest.mark.parametrize("order", LIMITS)
def test_what_is_timed_is_the_motion(order: int) -> None:
    state = binary(order)
    end = Job(ph.LGVI(), state, step=40.0, steps=100)()
    run = ph.simulate(state, step=40.0, steps=100)
    np.testing.assert_array_equal(state.system.representations["default"].layout.unpack(end[:36])["X"], run.X[-1])
    assert run.drift()["energy"] < 1e-3 * abs(float(run.invariants()["energy"][0]))


@pytest.mark.parametrize("n", [5, 10, 20])
def test_every_pair_is_counted_once_and_every_body_worked_out_once(n: int) -> None:
    gc.collect()
    before, state = len(_INTEGRALS), cluster(n)
    system = state.system
    assert len(system.pairs.blocks) == n * (n - 1) // 2
    parameters = system.parameters()
    assert parameters[1] == n * (n - 1) // 2
    assert len(_INTEGRALS) == before + n
    # the header, a body's numbers, a pair's three of the table and fifteen of its block, and nothing that grows faster
    assert parameters.size == 5 + 13 * n + 18 * n * (n - 1) // 2
    # the state and its slots grow with n alone
    form = system.representations["default"]
    assert form.layout.size + form.forces + form.workspace == 24 * n


@pytest.mark.verify
def test_two_hundred_bodies_keep_their_momenta() -> None:
    state = cluster(200)
    run = ph.simulate(state, step=0.02, steps=50, save_every=10)
    kept = {k.name: k.relative for k in run.conservation()}
    assert kept["linear_momentum"] < 1e-12
    assert kept["angular_momentum"] < 1e-12
    assert run.stats.evaluations == 50


def test_the_force_on_many_bodies_is_the_sum_over_pairs() -> None:
    state = cluster(12)
    force, moment = state.system.forces(state)
    expected = np.zeros((2, 12, 3))
    for (i, j), pair in state.system.pairs.blocks.items():
        Ri, Rj = state.R[i], state.R[j]
        X, R = Rj.T @ (state.x[i] - state.x[j]), Rj.T @ Ri
        _, F, _ = pair.evaluate(X, R)
        on_i, on_j = pair.moments(X, R)
        expected[0, i] -= Rj @ F
        expected[0, j] += Rj @ F
        expected[1, i] += Ri.T @ Rj @ on_i
        expected[1, j] += on_j
    np.testing.assert_allclose(force, expected[0], atol=1e-17, rtol=1e-12)
    np.testing.assert_allclose(moment, expected[1], atol=1e-17, rtol=1e-11)
