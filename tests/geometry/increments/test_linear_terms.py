"""The equation of a step with terms linear in the rate: that of matrices, and its derivative, by which Newton's method goes."""

from __future__ import annotations

import numpy as np

from polhode.geometry import so3
from polhode.geometry.increments.linear_terms import linear_jacobian, linear_residual

RNG = np.random.default_rng(5)


def symmetric(A: np.ndarray) -> tuple[float, ...]:
    """The six entries xx, yy, zz, yz, xz, xy."""
    return tuple(A[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]])


J, K = (A + A.T for A in RNG.normal(size=(2, 3, 3)))
D = RNG.normal(size=(3, 3))
a, b, g, c = RNG.normal(size=(4, 3))
H = 0.7
TERMS = (symmetric(J), H, tuple(a), symmetric(K), tuple(b), tuple(D.reshape(-1)))


def residual(at: np.ndarray) -> np.ndarray:
    return np.array(linear_residual(TERMS, tuple(g), tuple(at)))


def test_it_is_the_equation_of_matrices() -> None:
    """`h Π = vee(F Jd − Jd Fᵀ) + (h/2)(tr F − Fᵀ) a + (h/2)(tr FK − FK) b + (h/4) D vee(F − Fᵀ)`, times 1 + c·c."""
    one, Jd = np.eye(3), 0.5 * np.trace(J) * np.eye(3) - J
    F = np.linalg.solve(one - so3.hat(c), one + so3.hat(c))
    left = so3.vee(F @ Jd - Jd @ F.T) + 0.5 * H * (np.trace(F) * one - F.T) @ a
    left += 0.5 * H * (np.trace(F @ K) * one - F @ K) @ b + 0.25 * H * D @ so3.vee(F - F.T)
    momentum = g / H + a + 0.5 * (np.trace(K) * one - K) @ b
    np.testing.assert_allclose(residual(c), (1.0 + c @ c) * (H * momentum - left), atol=1e-13)


def test_the_jacobian() -> None:
    """By differences with complex steps, which have no error but rounding."""
    columns = [residual(c + 1e-100j * unit).imag / 1e-100 for unit in np.eye(3)]
    found = np.reshape(linear_jacobian(TERMS, tuple(g), tuple(c)), (3, 3))
    np.testing.assert_allclose(found, np.transpose(columns), atol=1e-13)
