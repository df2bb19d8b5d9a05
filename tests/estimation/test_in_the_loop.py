"""A filter between the motion and a controller: it follows what is commanded, and knows more than its sensors."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InvalidInputError
from polhode.estimation import MEKF, FilterInLoop, Gyro, Stepped, VectorSensor
from polhode.estimation.kalman_update import attitude_error, joseph_update, turned_attitude

STARS = [VectorSensor(direction, sigma=1e-4) for direction in ([1, 0, 0], [0.2, 1, 0.4])]


def test_the_update_is_that_of_the_textbook() -> None:
    """P − P Hᵀ S⁻¹ H P and P Hᵀ S⁻¹ ν by NumPy, for 6 and 9 dimensions."""
    rng = np.random.default_rng(2)
    for n in (6, 9):
        root, H, nu = rng.normal(size=(n, n)), rng.normal(size=(3, n)), rng.normal(size=3)
        P = root @ root.T
        S = H @ P @ H.T + 0.3**2 * np.eye(3)
        K = P @ H.T @ np.linalg.inv(S)
        found, error = P.copy(), np.empty(n)
        nis = joseph_update(found, H, 0.3, nu, np.inf, error)
        assert nis == pytest.approx(nu @ np.linalg.solve(S, nu), rel=1e-10)
        np.testing.assert_allclose(error, K @ nu, atol=1e-10 * np.linalg.norm(K @ nu))
        np.testing.assert_allclose(found, P - K @ S @ K.T, atol=1e-10 * np.linalg.norm(P))
        np.testing.assert_array_equal(found, found.T)
        same, untouched = P.copy(), np.full(n, 7.0)
        assert joseph_update(same, H, 0.3, nu, 0.5 * nis, untouched) == nis
        np.testing.assert_array_equal(same, P)
        np.testing.assert_array_equal(untouched, np.full(n, 7.0))


def test_the_attitude_is_turned_by_the_error() -> None:
    R, found = ph.so3.exp([0.3, -0.2, 0.9]), np.empty((3, 3))
    turned_attitude(R, np.array([0.1, 0.2, -0.3, 9.0]), found)
    np.testing.assert_allclose(found, R @ ph.so3.exp([0.1, 0.2, -0.3]), atol=1e-15)


def test_only_directions_beside_the_gyro() -> None:
    mekf = MEKF(ph.FreeRigidBody([1, 2, 3]).state(), np.eye(6))
    with pytest.raises(InvalidInputError, match=r"sensors\[0\] = .*the gyro is that of the filter"):
        FilterInLoop(mekf, [Gyro(1e-5)])  # type: ignore[list-item]
    with pytest.raises(InvalidInputError, match="mekf"):
        FilterInLoop(None, STARS)  # type: ignore[arg-type]


@pytest.mark.verify
def test_the_filter_follows_the_commands() -> None:
    """Without the commands in its model the estimate would be off by u t²/2J, a hundred times the noise. With them the
    normalised error is not larger than that of a consistent filter, and the bias of the gyro is found."""
    names = {"u1": 0.0, "u2": 0.0, "u3": 0.0}
    body = ph.Gyrostat([1.9, 1.6, 1.1], rotor_torque=list(names), parameters=names)
    gyro = Gyro(sigma=1e-5, bias_walk=1e-9)
    spread = np.diag([1e-3**2] * 3 + [1e-4**2] * 3 + [1e-4**2] * 3)
    rng = np.random.default_rng(5)
    truth = body.state(omega=[0.001, -0.002, 0.001])
    guess = body.state(R=truth.R @ ph.so3.exp(1e-3 * rng.normal(size=3)), omega=truth.omega + 1e-4 * rng.normal(size=3))
    mekf = MEKF(guess, spread, propagator=Stepped(ph.LGVI(), 0.5), gyro=gyro, acceleration_noise=1e-14)
    bias = 1e-4 * rng.normal(size=3)
    onboard = FilterInLoop(mekf, STARS, rng, bias)
    nees = []

    def controller(t: float, state: ph.State) -> dict[str, float]:
        P = mekf.covariance[:6, :6]
        nees.append(onboard.errors[-1] @ np.linalg.solve(P, onboard.errors[-1]))
        return {"u1": 0.01 * np.sin(0.1 * t), "u2": -0.004, "u3": 0.002}

    ph.simulate(truth, step=0.5, steps=400, controller=controller, estimator=onboard, every=0.5)
    assert len(onboard.t) == len(onboard.errors) == 400
    assert np.mean(nees[50:]) < 16.8  # the 99 % bound of χ² with 6 degrees: samples are not independent
    assert np.linalg.norm(mekf.bias - bias) < 1e-5
    assert np.sqrt(np.mean(np.array(onboard.errors)[100:, :3] ** 2)) < 5e-5  # half of the noise of one star


def test_the_error_of_an_attitude() -> None:
    for x in ([0.1, 0.2, -0.3], [1e-9, 0.0, 2e-9], [2.0, -1.0, 1.5], [0.0, 0.0, 0.0]):
        R, found = ph.so3.exp([0.3, -0.2, 0.9]), np.empty(3)
        attitude_error(R, R @ ph.so3.exp(x), found)
        np.testing.assert_allclose(found, x, atol=1e-15 + 1e-14 * np.linalg.norm(x))
