"""Lax pairs and Manakov's integrals: the equations hold, the integrals are coefficients, the spectrum stays."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import PolhodeError, son
from polhode.geometry.increments.momentum_weight import Weight
from polhode.geometry.increments.moser_veselov import solve
from polhode.systems.son import integrals as son_integrals
from polhode.systems.son import lax as son_lax
from polhode.systems.son.discrete_diagram import DiscreteBody
from polhode.systems.son.maps import costate

LAMBDA = np.array([[1.0, 0.2, 0.0, 0.1], [0.2, 1.6, 0.3, 0.0], [0.0, 0.3, 2.1, -0.2], [0.1, 0.0, -0.2, 2.7]])
M = son.hat(0.4 * np.random.default_rng(6).standard_normal(6))
WEIGHT = Weight.of(LAMBDA)
each_lam = pytest.mark.parametrize("lam", [0.0, 0.3, -0.7])


def bracket(A, B):
    return A @ B - B @ A


@each_lam
def test_manakov_equation(lam: float) -> None:
    """(2.4): d/dt (M + λΛ²) = [M, Ω] is the bracket with Ω + λΛ."""
    L, A = son_lax.lax_pair(LAMBDA, M, lam)
    assert np.abs(bracket(L, A) - bracket(M, WEIGHT.J_inverse(M))).max() < 1e-14


def test_integrals_are_coefficients_of_traces() -> None:
    found = dict(zip(son_integrals.manakov_labels(4), son_integrals.manakov_integrals(LAMBDA, M), strict=True))
    lams = np.linspace(-1.0, 1.0, 9)
    for k in range(2, 5):
        values = [np.trace(np.linalg.matrix_power(son_lax.lax_matrix(LAMBDA, M, lam), k)) for lam in lams]
        coefficients = np.polynomial.polynomial.polyfit(lams, values, k)
        for j in range(k - 1):
            expected = found.get((k, j), 0.0)
            assert abs(coefficients[j] - expected) < 1e-11 * max(1.0, abs(expected)), (k, j)
    assert np.allclose(son_integrals.casimirs(M), [np.trace(M @ M), np.trace(M @ M @ M @ M)])


@each_lam
def test_the_discrete_pair(lam: float) -> None:
    """(8.9) and (8.11) both give M_{k+1} + λΛ², and 1 − λM^λ factors."""
    M1 = DiscreteBody(LAMBDA).Phi(np.eye(4), M)[1]
    first, second = son_lax.discrete_lax_step(LAMBDA, M, lam)
    expected = son_lax.lax_matrix(LAMBDA, M1, lam)
    assert np.abs(first - expected).max() < 1e-12
    assert np.abs(second - expected).max() < 1e-12
    U = solve(LAMBDA, M)
    factors = (U + lam * LAMBDA) @ (U.T - lam * LAMBDA)
    assert np.abs(np.eye(4) - lam * son_lax.lax_matrix(LAMBDA, M, lam) - factors).max() < 1e-13


def test_the_discrete_body_is_isospectral() -> None:
    body, Q, moved = DiscreteBody(LAMBDA, 0.7), np.eye(4), M
    for _ in range(50):
        Q, moved = body.Phi(Q, moved)
    a, b = (son_integrals.manakov_integrals(LAMBDA, x) for x in (M, moved))
    assert np.abs(a - b).max() < 1e-11 * np.abs(a).max()
    assert np.abs(M - moved).max() > 0.1


@each_lam
def test_the_parametric_motion(lam: float) -> None:
    """(8.4)–(8.6): M_λ = M + λΛ² obeys Manakov's equation and m_λ is constant, by differences along the flow."""
    Q, P = son_lax.parametric_start(LAMBDA, son.random(np.random.default_rng(1), 4), M, lam)
    assert np.abs(son_lax.parametric_momentum(Q, P) - son_lax.lax_matrix(LAMBDA, M, lam)).max() < 1e-12
    dQ, dP = son_lax.parametric_rhs(LAMBDA, Q, P, lam)
    h = 1e-5
    ahead, behind = (son_lax.parametric_momentum(Q + s * dQ, P + s * dP) for s in (h, -h))
    rate = (ahead - behind) / (2 * h)
    assert np.abs(rate - bracket(*son_lax.lax_pair(LAMBDA, M, lam))).max() < 1e-7
    ahead, behind = (son_lax.parametric_spatial_momentum(Q + s * dQ, P + s * dP) for s in (h, -h))
    assert np.abs(ahead - behind).max() / (2 * h) < 1e-7
    if lam == 0.0:
        assert np.abs(P - costate(Q, M)).max() < 1e-13


@each_lam
def test_the_parametric_step(lam: float) -> None:
    Q, P = son_lax.parametric_start(LAMBDA, np.eye(4), M, lam)
    Q1, P1 = son_lax.parametric_step(LAMBDA, Q, P, lam)
    M1 = DiscreteBody(LAMBDA).Phi(np.eye(4), M)[1]
    assert np.abs(son_lax.parametric_momentum(Q1, P1) - son_lax.lax_matrix(LAMBDA, M1, lam)).max() < 1e-10
    m, m1 = (son_lax.parametric_spatial_momentum(*pair) for pair in ((Q, P), (Q1, P1)))
    assert np.abs(m - m1).max() < 1e-11


def test_a_parameter_without_a_start() -> None:
    with pytest.raises(PolhodeError, match="square root"):
        son_lax.parametric_start([1.0, 2.0], np.eye(2), son.hat([3.0]), 0.0)


def test_the_reduced_integrals() -> None:
    """(8.3)."""
    Q = son.random(np.random.default_rng(2), 4)
    A = costate(Q, M) @ Q.T
    expected = son_integrals.manakov_integrals(LAMBDA, M)
    assert np.allclose(son_lax.reduced_manakov_integrals(LAMBDA, Q, A), expected, rtol=1e-12)
