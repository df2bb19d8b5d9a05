"""QuaternionVI on systems with forces: the same map as LGVI on rotation matrices, symplectic and with the same momenta."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, symplectic_defect
from polhode.core.system import State
from polhode.scalars import kernel, lanes, where

VALUES = {"q": [0.1, -0.2, 0.3, 0.9], "omega": [-0.2, 0.4, -0.3]}


@kernel
def well(R):  # type: ignore[no-untyped-def]
    return where(R[8] > -2.0, 0.6 * R[8] * R[8] - 0.8 * R[2], 0.0)


@kernel
def drag(t, R, omega):  # type: ignore[no-untyped-def]
    return -0.1 * omega[0] * omega[0] * omega[0], 0.2 * R[8], -0.3 * omega[2]


STATES = {
    "pendulum": ph.Pendulum3D.example,
    "damped pendulum": lambda: ph.Pendulum3D([0.13, 0.28, 0.17], 1.0, [0.0, 0.1, -0.3], damping=0.1).state(**VALUES),
    "formula and rotor": ph.AttitudeBody.example,
    "kernel": lambda: ph.AttitudeBody([1.0, 2.0, 2.5], potential=well).state(**VALUES),
    "moment": lambda: ph.AttitudeBody([1.0, 2.0, 2.5], moment=drag, gyro=[0.1, 0.2, 0.3]).state(**VALUES),
    "field": ph.FieldBody.example,
}


@pytest.mark.parametrize("name", STATES)
def test_the_same_map_as_on_matrices(name: str) -> None:
    state: State = STATES[name]()
    runs = [ph.simulate(state, step=0.05, steps=30, method=method) for method in (ph.QuaternionVI(), ph.LGVI())]
    np.testing.assert_allclose(runs[0].R, runs[1].R, atol=1e-12)
    np.testing.assert_allclose(runs[0].Pi, runs[1].Pi, atol=1e-12)


def test_its_promises_on_a_pendulum() -> None:
    state = ph.Pendulum3D.example()
    assert measured_order(state, ph.QuaternionVI(order=4), 2.0).orders == pytest.approx(4.0, abs=0.2)
    assert symplectic_defect(state, ph.QuaternionVI(), 0.05) < 1e-12
    run = ph.simulate(state, step=0.05, steps=2000, save_every=100, method=ph.QuaternionVI())
    assert run.drift()["vertical_momentum"] < 1e-13
    assert np.abs(np.linalg.norm(run.q, axis=1) - 1.0).max() < 1e-14


@pytest.mark.verify
def test_lanes_run_as_if_alone() -> None:
    state = ph.Pendulum3D.example()
    run = ph.QuaternionVI().start(state, 0.05, lanes(4))
    run.advance(0, 10, 100, np.empty((0, run.carried)))
    alone = ph.simulate(state, step=0.05, steps=10, method=ph.QuaternionVI()).final
    np.testing.assert_array_equal(run.sample.reshape(-1, 4)[:7, 3], [*alone.q, *alone.Pi])
