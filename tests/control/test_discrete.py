"""The discrete problem: golden costs, convergence of order 2, and its extremals are maxima of Σ tr(ΛU)."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import InvalidInputError, son
from polhode.control import MissedEndPointError, steer, steer_discrete
from tests.shared import golden


def test_golden_turn() -> None:
    problem = golden("son")["bvp"]["SO3"]
    known = problem["discrete"]
    turn = steer_discrete(problem["Lam"], np.eye(3), problem["QT"], known["N"], duration=problem["T"], starts=12)
    assert abs(turn.cost - known["cost"]) < 1e-13
    assert turn.miss < 1e-13
    assert np.abs(turn.M0 - known["M0"]).max() < 1e-12
    assert np.abs(turn.U[0] - known["U0"]).max() < 1e-13
    assert abs(turn.value - known["sum_tr_Lam_U"]) < 1e-12
    assert np.abs(turn.Q[known["k_mid"]] - known["Q_mid"]).max() < 1e-12
    assert any(abs(cost - problem["waypoint_local_minima_N16"][1]) < 1e-9 for _, cost in turn.others)


def test_the_cost_tends_to_the_continuous_one_with_order_two() -> None:
    problem = golden("son")["bvp"]["SO3"]
    limit = steer(problem["Lam"], np.eye(3), problem["QT"], problem["T"], starts=1).cost
    errors = []
    for row in problem["convergence"][1:5]:
        cost = steer_discrete(problem["Lam"], np.eye(3), problem["QT"], row["N"], duration=problem["T"], starts=1).cost
        assert abs(cost - row["cost"]) < 1e-11
        errors.append(limit - cost)
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.abs(orders - 2.0).max() < 0.01


@pytest.mark.verify
def test_extremals_are_the_symmetric_discrete_body_and_maxima() -> None:
    Lambda, N = np.array([0.5, 0.8, 1.1, 1.5]), 6
    end = son.exp(son.hat(0.25 * np.cos(np.arange(6.0))))
    turn = steer_discrete(Lambda, np.eye(4), end, N, duration=2.0, starts=1)
    h, L = turn.step, np.diag(Lambda)
    Q, P, U = turn.Q, turn.P, turn.U
    assert np.abs(Q[-1] - end).max() < 1e-13
    for k in range(N):  # (6.11), (6.12)
        assert np.abs(P[k] @ U[k] - P[k + 1]).max() < 1e-12
        assert np.abs(U[k] @ L - L @ U[k].T - h * (Q[k].T @ P[k] - P[k].T @ Q[k])).max() < 1e-13
    assert np.isclose(turn.cost, (N * Lambda.sum() - turn.value) / (2 * h), rtol=1e-11)
    rng = np.random.default_rng(2)
    for k in range(1, N):
        for _ in range(5):
            moved = Q.copy()
            moved[k] = Q[k] @ son.exp(1e-2 * son.hat(rng.standard_normal(6)))
            assert np.einsum("kij,j,kij->", moved[:-1], Lambda, moved[1:]) < turn.value


def test_too_few_steps_are_an_error_with_the_miss() -> None:
    """One step cannot turn by more than the end of the domain."""
    with pytest.raises(MissedEndPointError, match="in 1 steps") as caught:
        steer_discrete([1.0, 1.5, 2.2], np.eye(3), son.exp(son.hat([0.0, 0.0, 2.5])), 1, starts=3)
    assert caught.value.miss > 0.5
    with pytest.raises(InvalidInputError, match="steps"):
        steer_discrete([1, 2, 3], np.eye(3), np.eye(3), 0)
