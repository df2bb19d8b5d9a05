"""Newton's method for a rate or a momentum: its solution by NumPy, and that it ends as soon as nothing changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polhode.geometry.vectors import dot
from polhode.scalars import double, get3, get9, kernel, loop, put, put3
from polhode.systems.attitude.legendre import damped_newton


@kernel
def residual(terms: Any, x: Any) -> Any:
    """`A x + c (x·x) x − z`."""
    A, z, c = terms
    bend = c * dot(x, x)
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2] + bend * x[0] - z[0],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2] + bend * x[1] - z[1],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2] + bend * x[2] - z[2],
    )


@kernel
def jacobian(terms: Any, x: Any) -> Any:
    A, _, c = terms
    u, v, w = x
    bend = c * dot(x, x)
    return (
        A[0] + bend + 2.0 * c * u * u,
        A[1] + 2.0 * c * u * v,
        A[2] + 2.0 * c * u * w,
        A[3] + 2.0 * c * u * v,
        A[4] + bend + 2.0 * c * v * v,
        A[5] + 2.0 * c * v * w,
        A[6] + 2.0 * c * u * w,
        A[7] + 2.0 * c * v * w,
        A[8] + bend + 2.0 * c * w * w,
    )


@loop
def solve_it(S: Any, y: Any, c: float, out: Any) -> int:
    """The solution from x = 0, its squared residual and the determinant; returns the number of iterations."""
    A, z, zero = get9(y, 0, S), get3(y, 9, S), 0.0 * get3(y, 9, S)[0]
    x, square, determinant, iterations = damped_newton(
        residual, jacobian, (A, z, c + zero), (zero, zero, zero), dot(z, z)
    )
    put3(out, 0, S, x)
    put(out, 3, S, square)
    put(out, 4, S, determinant)
    return iterations


def matrix(condition: float) -> np.ndarray:
    """Symmetric and positive definite, with eigenvalues from 1 to `condition`."""
    axes = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    return np.asarray((axes * np.array([1.0, np.sqrt(condition), condition])) @ axes.T)


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
def test_a_linear_equation_takes_two_corrections(condition: float) -> None:
    """The first is the solution but for rounding, 1e-16 times the condition, and so the second is too small to go on: even if
    rounding leaves more of the equation than the bound for it."""
    A, found = matrix(condition), np.zeros(5)
    z = np.linalg.eigh(A)[1] @ [1e-3, 1e-6, 1e-9]
    iterations = solve_it.on(double, np.append(A, z), 0.0, found)
    expected = np.linalg.solve(A, z)
    np.testing.assert_allclose(found[:3], expected, rtol=0, atol=1e-14 * condition * np.linalg.norm(expected))
    assert found[4] == pytest.approx(np.linalg.det(A), rel=1e-9)
    assert iterations <= 2


def test_far_from_linear_it_is_quick_too() -> None:
    A, z, c, found = matrix(10.0), np.array([3.0, -20.0, 7.0]), 1.5, np.zeros(5)
    iterations = solve_it.on(double, np.append(A, z), c, found)
    x = found[:3]
    left = A @ x + c * (x @ x) * x - z
    assert np.linalg.norm(left) < 1e-13 * np.linalg.norm(z)
    assert found[3] < (1e-13 * np.linalg.norm(z)) ** 2
    assert iterations <= 15
