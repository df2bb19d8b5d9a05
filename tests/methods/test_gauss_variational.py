"""The Gauss–Legendre step is variational: its momenta are the derivatives of the discrete action of the theory page."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.legendre import leggauss

import polhode as ph
from polhode.bodies import Sphere

H, MASSES, STAGES = 0.3, np.array([0.6, 1.0]), 8
WEIGHTS = np.repeat(MASSES, 3)


def coefficients() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a_ij, b_j and c_i of Gauss, by integrating Lagrange's polynomials."""
    x, w = leggauss(STAGES)
    c = 0.5 * (x + 1.0)
    A = np.empty((STAGES, STAGES))
    for j in range(STAGES):
        others = np.delete(c, j)
        integral = (Polynomial.fromroots(others) / np.prod(c[j] - others)).integ()
        A[:, j] = integral(c) - integral(0.0)
    return A, 0.5 * w, c


A, B, C = coefficients()


def potential(x: np.ndarray) -> float:
    """Two balls that attract each other, G = 1."""
    return float(-MASSES.prod() / np.linalg.norm(x[:3] - x[3:]))


def force(x: np.ndarray) -> np.ndarray:
    d = x[:3] - x[3:]
    pull = MASSES.prod() / np.linalg.norm(d) ** 3 * d
    return np.concatenate([-pull, pull])


def place(i: int, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Where the bodies are at node i: the free motion is taken out of q."""
    return q + (C[i] - 0.5) * H * p / WEIGHTS


def stages(q0: np.ndarray, p0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rates V_i and momenta P_i of the collocation, by iteration."""
    V, P = np.zeros((STAGES, 6)), np.tile(p0, (STAGES, 1))
    for _ in range(60):
        Q = q0 + H * A @ V
        F = np.array([force(place(i, Q[i], P[i])) for i in range(STAGES)])
        V, P = -(C[:, None] - 0.5) * H * F / WEIGHTS, p0 + H * A @ F
    return V, P


def action(q0: np.ndarray, q1: np.ndarray, V: np.ndarray, P: np.ndarray) -> float:
    """S_d of the path with these rates and momenta; the last rate is what leads to q₁."""
    last = ((q1 - q0) / H - B[:-1] @ V) / B[-1]
    V = np.vstack([V, last])
    Q = q0 + H * A @ V
    K = [potential(place(i, Q[i], P[i])) for i in range(STAGES)]
    return float(H * sum(B[i] * (P[i] @ V[i] - K[i]) for i in range(STAGES)))


def slope(function: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    """Central differences of order 4."""
    flat, d = x.reshape(-1), 1e-3

    def at(y: np.ndarray) -> float:
        return function(y.reshape(x.shape))

    return np.array(
        [
            (8 * (at(flat + e) - at(flat - e)) - (at(flat + 2 * e) - at(flat - 2 * e))) / (12 * d)
            for e in d * np.eye(flat.size)
        ]
    )


def test_a_step_makes_the_discrete_action_stationary() -> None:
    system = ph.FullBodyProblem([Sphere(m, 0.1) for m in MASSES], G=1.0)
    state = system.state(x=[[1.0, 0.1, 0.2], [-0.6, 0.0, 0.0]], v=[[0.1, 0.7, -0.1], [0.0, -0.4, 0.1]])
    end = ph.simulate(state, step=H, steps=1, method=ph.GaussLegendre()).final
    (x0, p0), (x1, p1) = ((s.x.reshape(-1), WEIGHTS * s.v.reshape(-1)) for s in (state, end))
    q0, q1 = x0 + 0.5 * H * p0 / WEIGHTS, x1 - 0.5 * H * p1 / WEIGHTS
    V, P = stages(q0, p0)
    np.testing.assert_allclose(q0 + H * B @ V, q1, atol=1e-13)
    V = V[:-1]
    # inner rates and momenta are stationary, and D₁S_d = −p₀, D₂S_d = p₁
    np.testing.assert_allclose(slope(lambda z: action(q0, q1, z, P), V), 0.0, atol=1e-9)
    np.testing.assert_allclose(slope(lambda z: action(q0, q1, V, z), P), 0.0, atol=1e-9)
    np.testing.assert_allclose(-slope(lambda q: action(q, q1, V, P), q0), p0, atol=1e-9)
    np.testing.assert_allclose(slope(lambda q: action(q0, q, V, P), q1), p1, atol=1e-9)
