"""Steering of p × q matrices from both sides: against the rigid body, an independent integration, and the cost itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from polhode import InvalidInputError, so3
from polhode.control import MissedEndPointError, steer_two_sided
from polhode.systems.son import two_sided as equations

LEFT, RIGHT = np.array([0.7, 1.2]), np.array([0.6, 1.5, 0.9])
INFINITE = [np.inf, np.inf, np.inf]


def turned(Q: np.ndarray, rng: np.random.Generator, angle: float) -> np.ndarray:
    """Q moved from both sides."""

    def skew(n: int) -> np.ndarray:
        A = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if np.iscomplexobj(Q) else 0.0)
        return angle * (A - A.conj().T)

    return np.asarray(expm(skew(Q.shape[0])) @ Q @ expm(skew(Q.shape[1])))


@pytest.mark.parametrize(
    "unitary", [pytest.param(False, id="real", marks=pytest.mark.verify), pytest.param(True, id="complex")]
)
def test_the_motion_ends_there_and_costs_what_is_said(unitary: bool) -> None:
    rng = np.random.default_rng(1)
    Q0 = rng.standard_normal((2, 3)) + (1j * rng.standard_normal((2, 3)) if unitary else 0.0)
    QT = turned(Q0, rng, 0.3)
    way = steer_two_sided(LEFT, RIGHT, Q0, QT, 1.5, starts=1)
    assert way.miss < 1e-11
    J_U, J_V = equations.inverse_operator(LEFT), equations.inverse_operator(RIGHT)

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        Q, P = y[:6].reshape(2, 3), y[6:12].reshape(2, 3)
        U, V = equations.controls(J_U, J_V, Q, P)
        # ¼⟨U, J_U U⟩ + ¼⟨V, J_V V⟩ with ⟨a, b⟩ = ½ Re tr a†b
        sums = LEFT[:, None] + LEFT, RIGHT[:, None] + RIGHT
        rate = sum(0.125 * np.sum(s * np.abs(A) ** 2) for s, A in zip(sums, (U, V), strict=True))
        return np.concatenate([(U @ Q - Q @ V).reshape(-1), (U @ P - P @ V).reshape(-1), [rate]])

    start = np.concatenate([Q0.reshape(-1), way.P0.reshape(-1), [0.0]])
    end = solve_ivp(rhs, (0.0, 1.5), start, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    np.testing.assert_allclose(end[:6].reshape(2, 3), QT, atol=1e-10)
    assert end[12].real == pytest.approx(way.cost, rel=1e-10)
    t, Q, P = way.motion(4)
    assert np.iscomplexobj(Q) == unitary
    assert t[-1] == 1.5
    np.testing.assert_allclose(Q[-1], QT, atol=1e-10)
    U, V = way.controls(Q, P)
    np.testing.assert_allclose(U[0], J_U(P[0] @ Q[0].conj().T - Q[0] @ P[0].conj().T), atol=1e-13)
    np.testing.assert_allclose(V, -np.swapaxes(V.conj(), -1, -2), atol=1e-13)


@pytest.mark.verify
def test_one_side_alone_steers_the_rigid_body() -> None:
    """A sphere's geodesics are rotations about a fixed axis: V = −log(Q_T)/T, cost ¼ T (θ/T)² 2Λ."""
    turn, Lambda, duration = np.array([0.4, -0.7, 0.5]), 1.3, 2.0
    way = steer_two_sided(INFINITE, [Lambda] * 3, np.eye(3), so3.exp(turn), duration, starts=1)
    assert way.cost == pytest.approx(0.5 * Lambda * turn @ turn / duration, rel=1e-10)
    np.testing.assert_allclose(way.controls(np.eye(3), way.P0)[1], -so3.hat(turn) / duration, atol=1e-10)


def test_what_cannot_be_reached_is_said() -> None:
    with pytest.raises(InvalidInputError, match="turning does not change them"):
        steer_two_sided(LEFT, RIGHT, np.ones((2, 3)), 2.0 * np.ones((2, 3)), 1.0)
    with pytest.raises(InvalidInputError, match=r"matrix of shape \(2, 3\)"):
        steer_two_sided(LEFT, RIGHT, np.ones((3, 2)), np.ones((2, 3)), 1.0)
    with pytest.raises(MissedEndPointError, match="none of 1 starts"):
        steer_two_sided([np.inf, np.inf], INFINITE, np.eye(2, 3), np.eye(2, 3)[::-1], 1.0, starts=1)
