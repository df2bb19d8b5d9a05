"""Every arrow of the diagram: it commutes, it is symplectic for its form, and the interpolations give the same P."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from polhode import InvalidInputError, MoserVeselov, PolhodeError, RigidBodySOn, simulate, son
from polhode.core.manifolds import Skew, SpecialOrthogonal
from polhode.geometry.increments.momentum_weight import Weight
from polhode.systems.son.discrete_diagram import DiscreteBody
from polhode.systems.son.symplectic_forms import canonical_form, lagrangian_form, symmetric_form

CASES = [
    (np.array([1.0, 1.5, 2.2]), 1.0),
    (np.array([1.0, 2.0, 3.0, 4.0]), 0.5),
    (np.array([[1.0, 0.2, 0.0], [0.2, 1.6, -0.3], [0.0, -0.3, 2.1]]), 0.8),
]
each_case = pytest.mark.parametrize(("Lambda", "step"), CASES, ids=["3", "4", "symmetric"])
Map = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def setup(Lambda: np.ndarray, step: float) -> tuple[DiscreteBody, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    n = len(Lambda)
    return DiscreteBody(Lambda, step), son.random(rng, n), son.hat(0.25 * rng.standard_normal(n * (n - 1) // 2))


@each_case
@pytest.mark.parametrize("side", ["left", "right"])
def test_it_commutes(Lambda: np.ndarray, step: float, side: str) -> None:
    _, Q0, M0 = setup(Lambda, step)
    body = DiscreteBody(Lambda, step, side)
    Q1, M1 = body.Phi(Q0, M0)
    Q2, M2 = body.Phi(Q1, M1)
    P1 = body.psi(Q0, Q1)[1]
    close = lambda a, b: np.abs(np.array(a) - np.array(b)).max() < 1e-12  # noqa: E731
    assert close(body.Sigma_L(Q0, Q1), (Q1, M1))
    assert close(body.Sigma_H(*body.psi(Q0, Q1)), body.Sigma_L(Q0, Q1))
    assert close(body.phi_L(Q0, Q1), (Q1, Q2))
    assert close(body.Sigma_L(*body.phi_L(Q0, Q1)), body.Phi(*body.Sigma_L(Q0, Q1)))
    assert close(body.Sigma_H(*body.phi_H(Q1, P1)), body.Phi(*body.Sigma_H(Q1, P1)))
    assert close(body.psi(*body.phi_L(Q0, Q1)), body.phi_H(*body.psi(Q0, Q1)))
    assert close(body.Sigma_L_inverse(Q1, M1), (Q0, Q1))
    assert close(body.Sigma_H_inverse(*body.Sigma_H(Q1, P1)), (Q1, P1))
    assert close(body.mv_algorithm_1(Q0, Q1), (Q1, Q2))
    assert close(body.mv_algorithm_2(Q1, M0), (Q2, M1))  # M of the interval before
    assert close(body.legendre(Q1, Q2), (-M1, M2))


@each_case
@pytest.mark.parametrize("side", ["left", "right"])
def test_other_variables_take_the_same_steps(Lambda: np.ndarray, step: float, side: str) -> None:
    """(5.5) in Q and B = P − QPᵀQ, and (8.2) in Q alone with P = A Q, or P = Q A: the motion of (Q, P), of (Q, M), and of
    the compiled body; to first order in h they are the continuous equations."""
    _, Q, M = setup(Lambda, step)
    body, right = DiscreteBody(Lambda, step, side), side == "right"
    P = body.Sigma_H_inverse(Q, M)[1]
    B, A = P - Q @ P.T @ Q, Q.T @ P if right else P @ Q.T
    assert np.abs(B - (M @ Q if right else Q @ M)).max() < 1e-12
    run = simulate(RigidBodySOn(Lambda, side=side).state(Q=Q, M=M), step=step, steps=3, method=MoserVeselov())
    by_A, by_B, by_P, by_M = Q, (Q, B), (Q, P), (Q, M)
    for k in range(1, 4):
        (by_A, A_next), by_B, by_P, by_M = body.phi_A(by_A, A), body.phi_B(*by_B), body.phi_H(*by_P), body.Phi(*by_M)
        assert np.abs(A_next - A).max() == 0.0
        for attitude in (by_A, by_B[0], by_P[0], by_M[0]):
            assert np.abs(attitude - run.Q[k]).max() < 1e-12
        here, P_here = by_P
        assert np.abs(by_B[1] - (P_here - here @ P_here.T @ here)).max() < 1e-12
        assert np.abs(by_M[1] - run.M[k]).max() < 1e-12
    h, weight = 1e-6, Weight.of(Lambda)
    fine = DiscreteBody(Lambda, h, side)
    Omega = weight.J_inverse(M)
    for start, step_of in ((B, fine.phi_B), (P, fine.phi_H)):
        rate = (np.array(step_of(Q, start)) - np.array([Q, start])) / h
        expected = [Omega @ Q, Omega @ start] if right else [Q @ Omega, start @ Omega]
        assert np.abs(rate - np.array(expected)).max() < 1e-5


@each_case
def test_interpolation(Lambda: np.ndarray, step: float) -> None:
    """(7.15)–(7.21): P_k from Q_{k−1} and Q_k, and from Q_k and Q_{k+1}, with symmetric weights."""
    body, Q0, M0 = setup(Lambda, step)
    Q1, M1 = body.Phi(Q0, M0)
    Q2, _ = body.Phi(Q1, M1)
    P1 = body.psi(Q0, Q1)[1]
    assert np.abs(body.costate_before(Q0, Q1) - P1).max() < 1e-11
    assert np.abs(body.costate_after(Q1, Q2) - P1).max() < 1e-11
    assert np.abs(body.weight_before(Q0, Q1) - Q1.T @ (P1 + Q0 @ body.L)).max() < 1e-11  # (7.15)
    assert np.abs(body.weight_after(Q1, Q2) - Q1.T @ (P1 - Q2 @ body.L)).max() < 1e-11  # (7.20)


def derivative(body: DiscreteBody, arrow: Map, kinds: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The tangent map of an arrow in coordinates, by central differences of order 8. `kinds` as in "QM→QP"."""
    n = len(a)
    manifolds = {"Q": SpecialOrthogonal(n), "P": SpecialOrthogonal(n), "M": Skew(n)}
    source, target = ([manifolds[letter] for letter in part] for part in kinds.split("→"))
    d, size = source[0].dimension, 0.01
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    end = [x.reshape(-1) for x in arrow(a, b)]
    columns = []
    for direction in np.eye(2 * d):
        parts = direction[:d], direction[d:]
        slope = [np.zeros(n * n), np.zeros(n * n)]
        for k, w in weights.items():
            for sign in (1.0, -1.0):
                moved = [
                    m.retract(x.reshape(-1), sign * k * size * part).reshape(n, n)
                    for m, x, part in zip(source, (a, b), parts, strict=True)
                ]
                for i, out in enumerate(arrow(*moved)):
                    slope[i] += sign * w / size * out.reshape(-1)
        columns.append(np.concatenate([m.coordinates(x, s) for m, x, s in zip(target, end, slope, strict=True)]))
    return np.stack(columns, axis=-1)


@each_case
def test_every_arrow_is_symplectic(Lambda: np.ndarray, step: float) -> None:
    """(7.12), with the factor 2 of (3.11): the pull-back of the form at the head is that at the tail."""
    body, Q0, M0 = setup(Lambda, step)
    Q1, M1 = body.Phi(Q0, M0)
    P1 = body.psi(Q0, Q1)[1]
    omega = lambda Q, M: canonical_form(Q, M)  # noqa: E731
    omega_gl = lambda Q, P: symmetric_form(Q, P)  # noqa: E731
    omega_L = lambda g1, g2: lagrangian_form(body.L, g1, g2)  # noqa: E731
    arrows = {
        "Φ": (body.Phi, "QM→QM", (Q1, M1), omega, omega, 1.0),
        "φH": (body.phi_H, "QP→QP", (Q1, P1), omega_gl, omega_gl, 1.0),
        "φL": (body.phi_L, "QQ→QQ", (Q0, Q1), omega_L, omega_L, 1.0),
        "ΣH": (body.Sigma_H, "QP→QM", (Q1, P1), omega_gl, omega, 2.0),
        "ΣL": (body.Sigma_L, "QQ→QM", (Q0, Q1), omega_L, omega, 2.0),
        "ψ": (body.psi, "QQ→QP", (Q0, Q1), omega_L, omega_gl, 1.0),
    }
    for name, (arrow, kinds, point, before, after, factor) in arrows.items():
        T = derivative(body, arrow, kinds, *point)
        pulled, form = T.T @ after(*arrow(*point)) @ T, factor * before(*point)
        assert np.abs(pulled - form).max() <= 1e-9 * np.abs(form).max(), name
        assert np.abs(form).max() > 0.1
    # the pairing of (4.5), M_k with Q_k of (4.1), is not symplectic
    T = derivative(body, body.mv_algorithm_2, "QM→QM", Q1, M0)
    after = body.mv_algorithm_2(Q1, M0)
    assert np.abs(T.T @ omega(*after) @ T - omega(Q1, M0)).max() > 1e-4


@each_case
def test_solutions_are_critical_points_of_the_action(Lambda: np.ndarray, step: float) -> None:
    """(4.6): moving one inner attitude changes the sum to second order, and lowers it: a maximum."""
    body, Q0, M0 = setup(Lambda, step)
    Q = [Q0]
    for _ in range(4):
        Q.append(body.Phi(Q[-1], M0)[0])
        M0 = body.Phi(Q[-2], M0)[1]
    action = float(body.action(Q))
    rng = np.random.default_rng(1)
    for _ in range(20):
        xi = rng.standard_normal(len(son.vee(M0)))
        changes = []
        for size in (1e-3, -1e-3):
            moved = list(Q)
            moved[2] = Q[2] @ son.exp(size * son.hat(xi))
            changes.append(float(body.action(moved)) - action)
        assert abs(changes[0] - changes[1]) < 1e-8  # no first order
        assert max(changes) < 0.0


def test_what_cannot_be() -> None:
    with pytest.raises(InvalidInputError, match="step"):
        DiscreteBody([1, 2, 3], 0.0)
    with pytest.raises(InvalidInputError, match="−M"):
        DiscreteBody([1, 2, 3], -0.1)
    body = DiscreteBody([10.0, 11.0, 12.0])
    far = son.exp(son.hat([0.0, 0.0, 0.3]))
    with pytest.raises(PolhodeError, match="no P between"):
        body.weight_before(np.eye(3), far)
