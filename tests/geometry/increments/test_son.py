"""The solve of `U Λ − Λ Uᵀ = G` in compiled code, and the matrices it is made of: doubles, lanes and duals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polhode.geometry import flat_matrices, son
from polhode.geometry.increments.momentum_weight import largest_factor
from polhode.geometry.increments.son import WORKSPACE, coefficients, solve_rotation, tangent_by_doubling
from polhode.scalars import compiled, double, duals, lanes

WIDTH, PARTIALS = 4, 6


def skew(rng: np.random.Generator, n: int) -> np.ndarray:
    return son.hat(rng.standard_normal(n * (n - 1) // 2))


@compiled
def solve_in_place(S: Any, y: Any, p: Any, n: int) -> Any:
    return solve_rotation(S, y, p, 0, 0, n * n, 2 * n * n, n)


def solved(Lambda: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, int, bool]:
    """U, iterations, failed."""
    n = len(Lambda)
    y = np.zeros((2 + WORKSPACE) * n * n)
    y[: n * n] = G.reshape(-1)
    iterations, _, failed = solve_in_place(double, y, coefficients(Lambda), n)
    return y[n * n : 2 * n * n].reshape(n, n), iterations, failed


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 10])
def test_matrix_loops(n: int) -> None:
    rng = np.random.default_rng(n)
    A, B = rng.standard_normal((2, n, n))
    A += 2 * n * np.eye(n)
    y = np.concatenate([np.zeros(n * n), A.reshape(-1), B.reshape(-1)])
    out = y[: n * n].reshape(n, n)
    a, b = n * n, 2 * n * n
    flat_matrices.multiply(double, y, 0, a, b, n)
    assert np.allclose(out, A @ B, rtol=0, atol=1e-13 * n * n)
    flat_matrices.multiply_transposed(double, y, 0, a, b, n, 0)
    assert np.allclose(out, A.T @ B, rtol=0, atol=1e-13 * n * n)
    flat_matrices.multiply_transposed(double, y, 0, b, b, n, 1)
    assert np.allclose(out, B.T @ B, rtol=0, atol=1e-13 * n * n)
    assert np.array_equal(out, out.T)
    flat_matrices.transpose(double, y, 0, b, n)
    assert np.array_equal(out, B.T)
    flat_matrices.copy(double, y, 0, a, n)
    flat_matrices.invert(double, y, 0, n)
    assert np.allclose(out @ A, np.eye(n), rtol=0, atol=1e-12)
    if n > 1:
        K = skew(rng, n)
        y[b:] = (K @ B).reshape(-1)
        y[a:b] = B.reshape(-1)
        flat_matrices.multiply_transposed(double, y, 0, a, b, n, -1)
        assert np.allclose(out, B.T @ K @ B, rtol=0, atol=1e-13 * n * n)
        assert np.array_equal(out, -out.T)


@pytest.mark.parametrize("least", [1.0, 0.01, 0.0])
@pytest.mark.parametrize("fraction", [1e-9, 0.1, 0.5, 0.9, 0.9999, 1.001])
def test_up_to_the_end_of_the_domain(least: float, fraction: float) -> None:
    """U is a rotation, solves the equation and is principal, up to the largest factor; beyond, failure is told."""
    rng = np.random.default_rng(7)
    for n in (2, 3, 4, 6, 10):
        Lambda = rng.uniform(max(least, 0.35), 2.0, n)
        Lambda[0] = least
        M = skew(rng, n)
        G = fraction * float(largest_factor(Lambda, M)) * M
        E, _, failed = solved(Lambda, G)
        assert failed == (fraction > 1.0), (n, least)
        if not failed:
            U = np.eye(n) + E
            size = np.linalg.norm(G)
            assert np.linalg.norm(U * Lambda - Lambda[:, None] * U.T - G) < 1e-15 + (2 + n) * 1e-15 * size
            assert np.linalg.norm(E + E.T + E.T @ E) < (2 + n) * 1e-15 * min(1.0, np.linalg.norm(E))
            assert np.linalg.det(U) > 0.0
            assert np.linalg.eigvals(U * Lambda).real.min() > -1e-12


def test_a_negative_lambda_is_solved_for_moderate_momenta() -> None:
    Lambda = np.array([-0.3, 0.7, 1.1, 2.0])
    G = 0.2 * skew(np.random.default_rng(1), 4)
    E, _, failed = solved(Lambda, G)
    U = np.eye(4) + E
    assert not failed
    assert np.abs(U * Lambda - Lambda[:, None] * U.T - G).max() < 1e-15
    assert np.abs(U.T @ U - np.eye(4)).max() < 1e-15
    assert solved(Lambda, 20.0 * G)[2]


def test_small_steps_keep_their_digits() -> None:
    """E is right relative to itself: E = J⁻¹G + O(G²), with the second order known in closed form."""
    Lambda, G = np.array([1.0, 1.7, 2.9]), 1e-6 * son.hat([0.3, -0.5, 0.9])
    sums = Lambda[:, None] + Lambda
    Omega = G / sums
    second = -Lambda[:, None] / sums * (Omega.T @ Omega)
    E = solved(Lambda, G)[0]
    assert (
        np.abs(E - Omega - second).max() < 1e-17
    )  # the next order is 1e-18; the plain difference U − 1 would be off by 1e-16


def test_no_momentum_is_no_turn() -> None:
    E, _, failed = solved(np.array([1.0, 2.0, 3.0]), np.zeros((3, 3)))
    assert not failed
    assert not E.any()


def test_nan_is_a_failure() -> None:
    assert solved(np.array([1.0, 2.0, 3.0]), np.full((3, 3), np.nan))[2]


@pytest.mark.verify
def test_lanes_hold_the_bits_of_doubles() -> None:
    """Easy, hard and hopeless members side by side: each ends as if it were alone, the contraction or Newton's method."""
    rng = np.random.default_rng(5)
    Lambda, n = np.array([1.0, 2.0, 3.0, 4.0]), 4
    limits = (0.05, 0.45, 0.8, 0.97)
    matrices = []
    for fraction in limits:
        M = skew(rng, n)
        matrices.append(fraction * float(largest_factor(Lambda, M)) * M)
    y = np.zeros(((2 + WORKSPACE) * n * n, WIDTH))
    y[: n * n] = np.stack([G.reshape(-1) for G in matrices], axis=-1)
    p = np.repeat(coefficients(Lambda)[:, None], WIDTH, axis=1).reshape(-1)
    assert not solve_in_place(lanes(WIDTH), y.reshape(-1), p, n)[2]
    alone = [solved(Lambda, G) for G in matrices]
    assert alone[0][1] != alone[-1][1], "the members must differ in their iterations"
    for lane, (E, _, _) in enumerate(alone):
        assert np.array_equal(y[n * n : 2 * n * n, lane].reshape(n, n), E)


def test_the_derivative_by_doubling() -> None:
    """`δU = Z U` with `Z B + Bᵀ Z = δG`, B = U Λ, for a rotation U as it stands."""
    rng, Lambda, n = np.random.default_rng(4), np.array([1.0, 2.0, 3.0]), 3
    U, D = son.exp(0.3 * skew(rng, n)), skew(rng, n)
    y = np.zeros(((2 + WORKSPACE) * n * n, 2))
    y[: n * n, 1], y[n * n : 2 * n * n, 0] = D.reshape(-1), (U - np.eye(n)).reshape(-1)
    tangent_by_doubling(duals(1), y.reshape(-1), coefficients(Lambda), 1, 0, n * n, 2 * n * n, n)
    assert np.array_equal(y[n * n : 2 * n * n, 0].reshape(n, n), U - np.eye(n))
    Z, B = y[n * n : 2 * n * n, 1].reshape(n, n) @ U.T, U * Lambda
    assert np.abs(Z + Z.T).max() < 1e-13
    assert np.abs(Z @ B + B.T @ Z - D).max() < 1e-12


@pytest.mark.verify
@pytest.mark.parametrize("fraction", [0.2, 0.9])
def test_derivatives_are_exact(fraction: float) -> None:
    """By the contraction and by doubling: `δG = ZB + BᵀZ` with δU = Z U, and the value is that of the run on doubles."""
    rng = np.random.default_rng(2)
    Lambda, n = np.array([1.0, 2.0, 3.0, 4.0]), 4
    M = skew(rng, n)
    G = fraction * float(largest_factor(Lambda, M)) * M
    directions = [skew(rng, n) for _ in range(PARTIALS)]
    y = np.zeros(((2 + WORKSPACE) * n * n, 1 + PARTIALS))
    y[: n * n, 0] = G.reshape(-1)
    y[: n * n, 1:] = np.stack([D.reshape(-1) for D in directions], axis=-1)
    solve_in_place(duals(PARTIALS), y.reshape(-1), coefficients(Lambda), n)
    out = y[n * n : 2 * n * n]
    assert np.array_equal(out[:, 0].reshape(n, n), solved(Lambda, G)[0])
    U = np.eye(n) + out[:, 0].reshape(n, n)
    for k, D in enumerate(directions):
        dU = out[:, 1 + k].reshape(n, n)
        Z = dU @ U.T
        assert np.abs(Z + Z.T).max() < 1e-13
        B = U * Lambda
        assert np.abs(Z @ B + B.T @ Z - D).max() < 1e-12
