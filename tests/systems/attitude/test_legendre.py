"""Newton's method for a rate or a momentum: its solution by NumPy, and that it ends as soon as nothing changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polhode.geometry.vectors import dot
from polhode.scalars import double, get, get3, get9, kernel, lanes, loop, put, put3
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
def solve_it(S: Any, y: Any, out: Any) -> int:
    """The solution from x = 0 for A, z and c in y, its squared residual and the determinant; returns how many iterations."""
    A, z, c = get9(y, 0, S), get3(y, 9, S), get(y, 12, S)
    zero = 0.0 * c
    x, square, determinant, iterations = damped_newton(residual, jacobian, (A, z, c), (zero, zero, zero), dot(z, z))
    put3(out, 0, S, x)
    put(out, 3, S, square)
    put(out, 4, S, determinant)
    return iterations


def matrix(condition: float) -> np.ndarray:
    """Symmetric and positive definite, with eigenvalues from 1 to `condition`."""
    axes = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    return np.asarray((axes * np.array([1.0, np.sqrt(condition), condition])) @ axes.T)


def given(A: np.ndarray, z: np.ndarray, c: float) -> np.ndarray:
    return np.concatenate([A.ravel(), z, [c]])


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
def test_a_linear_equation_takes_two_corrections(condition: float) -> None:
    """The first is the solution but for rounding, 1e-16 times the condition, and so the second is too small to go on: even if
    rounding leaves more of the equation than the bound for it."""
    A, found = matrix(condition), np.zeros(5)
    z = np.linalg.eigh(A)[1] @ [1e-3, 1e-6, 1e-9]
    iterations = solve_it.on(double, given(A, z, 0.0), found)
    expected = np.linalg.solve(A, z)
    np.testing.assert_allclose(found[:3], expected, rtol=0, atol=1e-14 * condition * np.linalg.norm(expected))
    assert found[4] == pytest.approx(np.linalg.det(A), rel=1e-9)
    assert 1 <= iterations <= 2


def test_far_from_linear_it_is_quick_too() -> None:
    A, z, c, found = matrix(10.0), np.array([3.0, -20.0, 7.0]), 1.5, np.zeros(5)
    iterations = solve_it.on(double, given(A, z, c), found)
    x = found[:3]
    left = A @ x + c * (x @ x) * x - z
    assert np.linalg.norm(left) < 1e-13 * np.linalg.norm(z)
    assert found[3] < (1e-13 * np.linalg.norm(z)) ** 2
    assert 3 <= iterations <= 15


def test_each_lane_runs_as_if_alone() -> None:
    """The first ends long before the last, which has to shorten its corrections; they wait for it, unchanged."""
    A, z = matrix(30.0), np.array([2.0, -1.5, 0.7])
    each = [given(A, z, c) for c in (0.0, 0.1, 20.0, 3e4)]
    together, counts = np.zeros((5, 4)), []
    count = solve_it.on(lanes(4), np.transpose(each).ravel(), together.reshape(-1))
    for k, numbers in enumerate(each):
        alone = np.zeros(5)
        counts.append(solve_it.on(double, numbers, alone))
        np.testing.assert_allclose(together[:3, k], alone[:3], rtol=0, atol=1e-10 * np.linalg.norm(alone[:3]))
        assert together[4, k] == pytest.approx(alone[4], rel=1e-8)
        left = A @ alone[:3] + numbers[-1] * (alone[:3] @ alone[:3]) * alone[:3] - z
        assert np.linalg.norm(left) < 1e-12 * np.linalg.norm(z)
    assert counts[0] + 3 < counts[3]
    assert counts[0] + 3 < count
