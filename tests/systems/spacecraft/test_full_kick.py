"""Torques on a gyrostat by one kick at the start of a step: the same increments as by half kicks, and forty digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from mpmath import mp

import polhode as ph

from . import discrete_equations as exact

INERTIA = [[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]]


def test_a_torque_in_one_kick_takes_the_same_increments() -> None:
    """The full kick at the start and half kicks at both ends are one recursion of increments: started half a kick back, it
    has the same attitudes, and half a kick less momentum; started from the same momentum, it is of order 1."""
    body, h = ph.Gyrostat(INERTIA, rho=[0.1, -0.2, 0.3], torque=[0.3, -0.2, 0.1], frame="inertial"), 0.05
    start, torque = body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.3, -0.4, 0.5]), np.array([0.3, -0.2, 0.1])
    halves = ph.simulate(start, step=h, steps=40, method=ph.QuaternionVI())
    back = body.state(q=start.q, Pi=start.Pi - 0.5 * h * start.R.T @ torque)
    whole = ph.simulate(back, step=h, steps=40, method=ph.FullKickVI())
    assert np.abs(whole.R - halves.R).max() < 1e-13
    assert np.abs(whole.Pi - (halves.Pi - 0.5 * h * np.einsum("nji,j->ni", halves.R, torque))).max() < 1e-13
    errors = [
        np.abs(ph.simulate(start, step=h, t_end=2.0, method=ph.FullKickVI()).final.Pi - halves.final.Pi).max()
        for h in (0.01, 0.005)
    ]
    assert 1.7 < errors[0] / errors[1] < 2.3
    with pytest.raises(ph.IncompatibleMethodError, match="is for gyrostats with a damper or a torque"):
        ph.FullKickVI().check(ph.Gyrostat(INERTIA))


@pytest.mark.verify
def test_a_torque_of_the_rate_in_one_kick_against_forty_digits() -> None:
    body = ph.Gyrostat(
        [1, 2, 3], rho=[0.1, -0.2, 0.3], torque=lambda t, R, w: (0.1 - 0.2 * w[0], 0.3 * R[1], 0.05 * w[2])
    )
    state = body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.3, -0.4, 0.5])
    with mp.workdps(40):
        inertia, rho, h = mpmath.diag([1, 2, 3]), exact.vector([0.1, -0.2, 0.3]), mpmath.mpf("0.1")
        q, p = (mpmath.matrix([mpmath.mpf(float(x)) for x in v]) for v in (state.q, state.Pi))
        for _ in range(3):
            R, w = exact.rotation(q), mpmath.lu_solve(inertia, p - rho)
            kick = [mpmath.mpf("0.1") - w[0] / 5, 3 * R[0, 1] / 10, w[2] / 20]
            q, p, _ = exact.step(inertia, q, p + h * mpmath.matrix(kick), h, rho)
        expected = np.array([float(x) for x in p])
    run = ph.simulate(state, step=0.1, steps=3, method=ph.FullKickVI())
    np.testing.assert_allclose(run.Pi[-1], expected, atol=1e-14)
