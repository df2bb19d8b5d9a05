"""The cheapest turn: golden costs on SO(3), SO(4) against the discrete problem, costates, several extremals, errors."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from polhode import InvalidInputError, son
from polhode.control import MissedEndPointError, Steering, steer, steer_discrete
from polhode.control.shooting import Shooter
from polhode.methods import LGVI
from polhode.systems.son.maps import momentum
from polhode.systems.son.rigid_body import RigidBodySOn
from tests.shared import golden

LAMBDA4 = [1.0, 2.0, 3.0, 4.0]
TURN4 = son.exp(son.hat([0.5, -0.7, 0.9, 0.3, -0.4, 0.6]))


SHORT_TURN = [0.5, 0.8, 1.1], np.eye(3), son.exp(son.hat([0.3, -0.5, 0.4])), 2.0


@pytest.fixture(scope="module")
def turn() -> Steering:
    return steer(*SHORT_TURN, starts=2)


@pytest.mark.verify
def test_golden_turn() -> None:
    known = golden("son")["bvp"]["SO3"]
    turn = steer(known["Lam"], np.eye(3), known["QT"], known["T"], starts=6)
    assert abs(turn.cost - known["cost"]) < 1e-12
    assert turn.miss < 1e-12
    assert np.abs(turn.M0 - known["M0"]).max() < 1e-11
    assert np.abs(turn.costate(0.0) - known["P0"]).max() < 1e-11
    middle = turn.trajectory(2)
    assert np.abs(middle.Q[1] - known["Q_half"]).max() < 1e-11
    assert np.abs(middle.M[1] - known["M_half"]).max() < 1e-11
    assert np.abs(middle.Q[2] - known["QT"]).max() < 1e-11
    assert all(cost > turn.cost for _, cost in turn.others)
    assert turn.others, "a way around the other side exists"
    assert "more expensive extremal" in str(turn)


@pytest.mark.verify
def test_in_four_dimensions() -> None:
    """The cost is the limit of the discrete one, extrapolated: two problems that share only the discrete body."""
    turn = steer(LAMBDA4, np.eye(4), TURN4, 4.0, starts=3)
    assert turn.miss < 1e-10
    costs = [steer_discrete(LAMBDA4, np.eye(4), TURN4, N, duration=4.0, starts=1).cost for N in (16, 32, 64)]
    first = [(4 * b - a) / 3 for a, b in pairwise(costs)]
    limit = (16 * first[1] - first[0]) / 15
    assert abs(turn.cost - limit) < 1e-8
    assert abs(turn.cost - 0.675517792828) < 1e-11


@pytest.mark.verify
def test_control_and_costate(turn: Steering) -> None:
    """U = J⁻¹(QᵀP − PᵀQ) (5.3) with P constant relative to Q, and the cost is the integral of ¼⟨U, JU⟩."""
    times = np.array([1.5, 0.0, 0.7, 2.0])
    Q, M = turn._at(times)
    P, U = turn.costate(times), turn.control(times)
    assert np.abs(momentum(Q, P) - M).max() < 1e-12
    assert np.abs(turn.body.weight.J(U) - M).max() < 1e-13
    A = P @ np.swapaxes(Q, -1, -2)
    assert np.abs(A - A[0]).max() < 1e-11
    assert np.abs(turn.costate_B(times) - Q @ M).max() < 1e-15
    rates = 0.125 * np.sum(U * turn.body.weight.J(U), axis=(-2, -1))
    assert np.allclose(rates, turn.cost / turn.duration, rtol=1e-11)
    assert turn.control(0.5).shape == (3, 3)


def test_progress_does_not_disturb(turn: Steering) -> None:
    """Where there is no terminal nothing is shown, and the result is the same."""
    shown = steer(*SHORT_TURN, starts=2, progress=True)
    assert shown.cost == turn.cost
    np.testing.assert_array_equal(shown.M0, turn.M0)


def test_nearby_paths_cost_more(turn: Steering) -> None:
    """The cost of any path with the same ends, by quadrature of its own velocity, is not less."""
    path = turn.trajectory(200).Q
    t = np.linspace(0.0, 1.0, 201)
    rng = np.random.default_rng(0)

    def cost(path: np.ndarray) -> float:
        h = 2.0 / 200
        U = son.log(np.swapaxes(path[:-1], -1, -2) @ path[1:]) / h
        return float(h * np.sum(0.125 * U * turn.body.weight.J(U)))

    assert abs(cost(path) - turn.cost) < 1e-5
    for _ in range(5):
        bend = 0.1 * np.sin(np.pi * t)[:, None] * rng.standard_normal(3)
        assert cost(path @ son.exp(son.hat(bend))) > cost(path)


@pytest.mark.verify
def test_the_derivative_of_the_end() -> None:
    """By dual numbers and by differences of order 8; in five dimensions it takes two passes."""
    for n in (3, 5):
        body = RigidBodySOn(np.linspace(1.0, 2.0, n))
        d = n * (n - 1) // 2
        shooter = Shooter(body, np.eye(n), np.eye(n), 0.1, 5, LGVI())
        x = 0.3 * np.cos(np.arange(d))
        end = shooter.end(son.hat(x))
        assert end is not None
        Q, D = end
        v = np.sin(np.arange(d) + 1.0)
        weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
        slope = np.zeros((n, n))
        for k, w in weights.items():
            pair = [shooter.end(son.hat(x + s * k * 0.01 * v)) for s in (1.0, -1.0)]
            assert pair[0] is not None
            assert pair[1] is not None
            slope += w * (pair[0][0] - pair[1][0]) / 0.01
        assert np.abs(son.vee(Q.T @ slope) - D @ v).max() < 1e-11


def test_no_arrival_is_an_error_with_the_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polhode.control.shooting.MAX_ITERATIONS", 1)
    with pytest.raises(MissedEndPointError, match="rad from it") as caught:
        steer([1.0, 2.0, 3.0], np.eye(3), son.exp(son.hat([1.0, 1.0, -1.0])), 1.0, starts=2)
    assert 0.0 < caught.value.miss < np.pi


def test_input_that_cannot_be() -> None:
    with pytest.raises(InvalidInputError, match="QT"):
        steer([1, 2, 3], np.eye(3), np.ones((3, 3)), 1.0)
    with pytest.raises(InvalidInputError, match="duration"):
        steer([1, 2, 3], np.eye(3), np.eye(3), -1.0)
    with pytest.raises(InvalidInputError, match="starts"):
        steer([1, 2, 3], np.eye(3), np.eye(3), 1.0, starts=0)
