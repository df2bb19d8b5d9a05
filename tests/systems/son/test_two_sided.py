"""The two-sided problem: real and unitary, in one matrix and in two, with the rigid bodies as its limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from polhode import DOP853, CoupledDoubleBrackets, InvalidInputError, SymmetricRigidBodySOn
from polhode.simulation.driver import simulate
from polhode.systems.son import two_sided as db

TIGHT = DOP853(rtol=1e-13, atol=1e-15)
INFINITE = [np.inf, np.inf, np.inf]


def integrated(J_U, J_V, Q, P, duration):
    """The motion of (5.9) by NumPy, real or complex."""
    shape, size = Q.shape, Q.size

    def rhs(t, y):
        return np.concatenate(
            [A.reshape(-1) for A in db.two_sided_rhs(J_U, J_V, y[:size].reshape(shape), y[size:].reshape(shape))]
        )

    start = np.concatenate([Q.reshape(-1), P.reshape(-1)])
    end = solve_ivp(rhs, (0.0, duration), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    return end[:size].reshape(shape), end[size:].reshape(shape)


def test_compiled_and_numpy_motions_agree() -> None:
    state = CoupledDoubleBrackets.example()
    body = state.system
    Q, P = integrated(db.inverse_operator(body.left), db.inverse_operator(body.right), state.Q, state.P, 3.0)
    end = simulate(state, step=3.0, steps=1, method=TIGHT)
    assert np.abs(end.Q[-1] - Q).max() < 1e-11
    assert np.abs(end.P[-1] - P).max() < 1e-11
    assert max(end.drift().values()) < 1e-11


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_rigid_bodies_are_limits(side: str) -> None:
    Lambda = [0.5, 0.9, 1.6]
    twin = SymmetricRigidBodySOn(Lambda, side=side)
    body = CoupledDoubleBrackets(INFINITE, Lambda) if side == "left" else CoupledDoubleBrackets(Lambda, INFINITE)
    pair = twin.state(M=[0.3, -0.5, 0.2])
    a = simulate(pair, step=1.0, steps=5, method=TIGHT)
    b = simulate(body.state(Q=pair.Q, P=pair.P), step=1.0, steps=5, method=TIGHT)
    assert np.abs(a.Q - b.Q).max() < 1e-12
    assert np.abs(a.P - b.P).max() < 1e-12
    if side == "left":
        integrals = np.array([db.block_manakov_integrals(Lambda, Q, P) for Q, P in zip(b.Q, b.P, strict=True)])
        assert np.abs(integrals - integrals[0]).max() < 1e-11 * np.abs(integrals).max()


def realified(Q: np.ndarray) -> np.ndarray:
    """A complex p × q matrix as a real 2p × 2q one: Q† becomes the transpose."""
    return np.block([[Q.real, -Q.imag], [Q.imag, Q.real]])


def test_complex_matrices_move_by_unitary_ones() -> None:
    """Against NumPy on complex numbers, and against real matrices of twice the size, in the subspace of which they move."""
    rng = np.random.default_rng(0)
    Q, P = rng.standard_normal((2, 2, 3)) + 1j * rng.standard_normal((2, 2, 3))
    Q[0, 0] = 0.0  # an entry like any other
    left, right = np.array([0.7, 1.2]), np.array([0.6, 1.5, 0.9])
    body = CoupledDoubleBrackets(left, right, unitary=True)
    state = body.state(Q=Q, P=P)
    run = simulate(state, step=1.0, steps=1, method=TIGHT)
    expected = integrated(db.inverse_operator(left), db.inverse_operator(right), Q, P, 1.0)
    for found, known in zip(body.matrices(run.final), expected, strict=True):
        assert np.abs(found - known).max() < 1e-10
    assert max(run.drift().values()) < 1e-10
    real = CoupledDoubleBrackets(np.tile(left, 2), np.tile(right, 2))
    twice = simulate(real.state(Q=realified(Q), P=realified(P)), step=1.0, steps=1, method=TIGHT).final
    for found, known in zip((twice.Q, twice.P), expected, strict=True):
        assert np.abs(realified(known) - found).max() < 1e-10
    assert twice.invariants()["energy"] == pytest.approx(2.0 * float(state.invariants()["energy"]))
    U, V = db.controls(db.inverse_operator(left), db.inverse_operator(right), Q, P)
    assert np.allclose(U, -U.conj().T)
    assert np.allclose(V, -V.conj().T)
    again = CoupledDoubleBrackets(**body.describe())
    assert np.array_equal(again.parameters(), body.parameters())
    with pytest.raises(InvalidInputError, match=r"left.*positive"):
        CoupledDoubleBrackets([-0.1, 1.0], right, unitary=True)


@pytest.mark.verify
def test_the_motion_of_complex_matrices_is_symplectic() -> None:
    rng = np.random.default_rng(0)
    Q, P = rng.standard_normal((2, 2, 3)) + 1j * rng.standard_normal((2, 2, 3))
    body = CoupledDoubleBrackets([0.7, 1.2], [0.6, 1.5, 0.9], unitary=True)
    tangent = simulate(body.state(Q=Q, P=P), step=1.0, steps=1, method=TIGHT, tangent=True).tangent[-1]
    omega = body.symplectic_form("default", np.zeros(0))
    assert np.abs(tangent.T @ omega @ tangent - omega).max() < 1e-9


def test_the_double_bracket_is_the_two_sided_motion() -> None:
    rng = np.random.default_rng(1)
    Q, P = rng.standard_normal((2, 2, 3)) + 1j * rng.standard_normal((2, 2, 3))
    left, right = np.array([0.7, 1.2]), np.array([0.6, 1.5, 0.9])
    both = np.concatenate([left, right])
    found = db.double_bracket_rhs(db.inverse_operator(both), db.hatted(Q), db.hatted(P))
    expected = db.two_sided_rhs(db.inverse_operator(left), db.inverse_operator(right), Q, P)
    for a, b in zip(found, expected, strict=True):
        assert np.abs(a - db.hatted(b)).max() < 1e-13
    # the momenta are the blocks of the bracket (8.7)
    K = db.hatted(P) @ db.hatted(Q) - db.hatted(Q) @ db.hatted(P)
    assert np.allclose(K[:2, :2], Q @ P.conj().T - P @ Q.conj().T)
    assert np.allclose(K[2:, 2:], Q.conj().T @ P - P.conj().T @ Q)
    assert not K[:2, 2:].any()


def test_extremals_are_critical_points_of_the_cost() -> None:
    """(5.6): along an extremal ¼(⟨U, J_U U⟩ + ⟨V, J_V V⟩) is the Hamiltonian ⟨P, UQ − QV⟩ minus itself."""
    state = CoupledDoubleBrackets.example()
    body = state.system
    U, V = db.controls(db.inverse_operator(body.left), db.inverse_operator(body.right), state.Q, state.P)
    pairing = 0.5 * np.sum(state.P * (U @ state.Q - state.Q @ V))
    assert np.isclose(pairing, 2.0 * float(state.invariants()["energy"]), rtol=1e-13)


def test_input_that_cannot_be() -> None:
    with pytest.raises(InvalidInputError, match="left"):
        CoupledDoubleBrackets([], [1.0])
    with pytest.raises(InvalidInputError, match="right"):
        CoupledDoubleBrackets([1.0], [-1.0, 0.5])
    with pytest.raises(InvalidInputError, match="right"):
        CoupledDoubleBrackets([1.0], "abc")
    with pytest.raises(InvalidInputError, match="shape"):
        CoupledDoubleBrackets([1.0, 2.0], [1.0]).state(Q=np.eye(2), P=np.eye(2))
