"""Ψ and its inverse, the sets they join, left and right, scaling, and the same motion in other variables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from polhode import DOP853, InvalidInputError, RigidBodySOn, SymmetricRigidBodySOn, son
from polhode.simulation.driver import simulate
from polhode.systems.son import maps as son_maps

LAMBDA = [0.5, 0.8, 1.3, 1.7]


def skew(seed: int, n: int = 4, norm: float = 1.5) -> np.ndarray:
    M = son.hat(np.random.default_rng(seed).standard_normal(n * (n - 1) // 2))
    return norm * M / float(son_maps.norm(M))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("norm", [1e-8, 0.5, 1.9, 2.0 - 1e-10])
def test_psi_and_back(side: str, norm: float) -> None:
    for n in (2, 3, 4, 7):
        Q, M = son.random(np.random.default_rng(n), n), skew(n, n, norm)
        P = son_maps.costate(Q, M, side=side)
        assert np.abs(P.T @ P - np.eye(n)).max() < 1e-14 / np.sqrt(2.0 - norm)
        assert np.abs(son_maps.momentum(Q, P, side=side) - M).max() < 1e-14
        if side == "left":
            assert bool(son_maps.in_S(Q, P))


def test_exp_asinh_is_what_its_name_says() -> None:
    """For n = 3, sinh⁻¹(μĉ) = sin⁻¹(μ)ĉ; in general its angles are arcsin of half the eigenvalues of M."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    for mu in (1e-6, 0.3, 0.99):
        expected = son.exp(np.arcsin(mu) * son.hat(axis))
        assert np.abs(son_maps.exp_asinh_half(2.0 * mu * son.hat(axis)) - expected).max() < 1e-15 / (1.0 - mu)
    M = skew(3, 6)
    assert np.abs(son.exp(_asinh(M / 2)) - son_maps.exp_asinh_half(M)).max() < 1e-13


def _asinh(A: np.ndarray) -> np.ndarray:
    w, V = np.linalg.eigh(1j * A)
    return ((V * (-1j * np.arcsin(w))) @ V.conj().T).real


def test_the_sets() -> None:
    Q = son.random(np.random.default_rng(0), 3)
    turn = lambda angle: Q @ son.exp(son.hat([0.0, 0.0, angle]))  # noqa: E731
    assert bool(son_maps.in_S(Q, turn(1.5)))
    assert not bool(son_maps.in_S(Q, turn(np.pi - 0.7)))
    assert bool(son_maps.in_S_M(son_maps.momentum(Q, turn(np.pi - 0.7))))  # the same M as 0.7: why S is not ‖M‖ < 2
    assert np.allclose(son_maps.momentum(Q, turn(np.pi - 0.7)), son_maps.momentum(Q, turn(0.7)))
    assert bool(son_maps.in_C(Q, turn(np.pi / 2)))
    assert not bool(son_maps.in_C(Q, turn(1.5)))
    with pytest.raises(InvalidInputError, match="below 2"):
        son_maps.costate(Q, son.hat([0.0, 0.0, 2.0]))


def test_the_sets_are_invariant() -> None:
    twin = SymmetricRigidBodySOn([0.5, 0.8, 1.3])
    run = simulate(twin.state(M=skew(1, 3, 1.9)), step=0.05, steps=200)
    assert son_maps.in_S(run.Q, run.P).all()
    assert np.abs(son_maps.norm(run.M) - 1.9).max() < 1e-13


def test_the_derivative_of_the_costate() -> None:
    """`Rη + ηRᵀ = δM` against a difference of order 8."""
    Q, M, dM = son.random(np.random.default_rng(1), 4), skew(1), skew(2)
    P = son_maps.costate(Q, M)
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    difference = sum(
        w * (son_maps.costate(Q, M + 0.01 * k * dM) - son_maps.costate(Q, M - 0.01 * k * dM)) / 0.01
        for k, w in weights.items()
    )
    found = son_maps.costate_derivative(Q, P, dM)
    assert np.abs(found - difference).max() < 1e-9
    assert np.abs(son_maps.momentum(Q, P + 1e-7 * found) - M - 1e-7 * dM).max() < 1e-13


def test_scaling_slows_the_motion() -> None:
    body = RigidBodySOn(LAMBDA)
    M, Q = skew(5, norm=6.0), son.random(np.random.default_rng(5), 4)
    small, slower = son_maps.scaled(M)
    assert abs(slower - 1 / 6) < 1e-15
    fast = simulate(body.state(Q=Q, M=M), step=1.0, steps=1, method=DOP853(1e-13, 1e-15)).final
    slow = simulate(body.state(Q=Q, M=small), step=6.0, steps=1, method=DOP853(1e-13, 1e-15)).final
    assert np.abs(fast.Q - slow.Q).max() < 1e-11
    assert np.abs(fast.M - slow.M / slower).max() < 1e-10
    assert son_maps.scaled(small)[1] == 1.0
    with pytest.raises(InvalidInputError, match="between 0 and 2"):
        son_maps.scaled(M, below=3.0)


def test_the_reduced_motion_and_mclachlan_scovel() -> None:
    """(8.2) and (5.5) integrate to the same Q as SRBn, with B = QM all along."""
    twin = SymmetricRigidBodySOn(LAMBDA)
    state = twin.state(Q=son.random(np.random.default_rng(2), 4), M=skew(7))
    end = simulate(state, step=3.0, steps=1, method=DOP853(3e-14, 1e-15)).final
    A = state.P @ state.Q.T

    def reduced(t, y):
        return son_maps.reduced_rhs(LAMBDA, y.reshape(4, 4), A).reshape(-1)

    run = solve_ivp(reduced, (0.0, 3.0), state.Q.reshape(-1), method="DOP853", rtol=1e-13, atol=1e-15)
    assert np.abs(run.y[:, -1].reshape(4, 4) - end.Q).max() < 1e-12

    def scovel(t, y):
        return np.stack(son_maps.mclachlan_scovel_rhs(LAMBDA, *y.reshape(2, 4, 4))).reshape(-1)

    B = son_maps.mclachlan_scovel(state.Q, state.P)
    assert np.allclose(B, state.Q @ state.M)
    start = np.stack([state.Q, B]).reshape(-1)
    run = solve_ivp(scovel, (0.0, 3.0), start, method="DOP853", rtol=1e-13, atol=1e-15)
    Q, B = run.y[:, -1].reshape(2, 4, 4)
    assert np.abs(Q - end.Q).max() < 1e-12
    assert np.abs(B - end.Q @ end.M).max() < 1e-12


def test_other_side_twice_is_nothing() -> None:
    Q, M = son.random(np.random.default_rng(3), 3), skew(8, 3)
    assert all(
        np.array_equal(a, b) for a, b in zip((Q, M), son_maps.other_side(*son_maps.other_side(Q, M)), strict=True)
    )
    with pytest.raises(InvalidInputError, match="side"):
        son_maps.momentum(Q, Q, side="middle")
