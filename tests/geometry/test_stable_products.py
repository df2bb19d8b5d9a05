"""Long products stay on the group, and lose nothing along it."""

from __future__ import annotations

import mpmath
import numpy as np

from polhode.geometry import quaternion, so3
from polhode.geometry.stable_products import (
    cayley_increment,
    cayley_increment_quaternion,
    change_of_quaternion,
    compose,
    turned_back,
)


def compose_quaternions(q: tuple, e: tuple) -> tuple:
    """`q f` with `e = f − 1`."""
    return tuple(a + d for a, d in zip(q, change_of_quaternion(q, e), strict=True))


def test_increments_are_the_rotation_less_one() -> None:
    c = (0.3, -0.2, 0.5)
    np.testing.assert_allclose(np.reshape(cayley_increment(c), (3, 3)) + np.eye(3), so3.cayley(c), atol=1e-16)
    np.testing.assert_allclose(
        np.array(cayley_increment_quaternion(c)) + [0, 0, 0, 1], quaternion.cayley(c), atol=1e-16
    )
    v = (1.0, 2.0, 3.0)
    np.testing.assert_allclose(turned_back(cayley_increment(c), v), so3.cayley(c).T @ v, atol=1e-15)


def test_increments_keep_their_digits_for_small_turns() -> None:
    mpmath.mp.dps = 40
    c = mpmath.mpf("1e-9")
    exact = -2 * c * c / (1 + c * c)
    found = cayley_increment((0.0, 0.0, float(c)))[0]
    assert abs(found / float(exact) - 1) < 4e-16
    exact = 1 / mpmath.sqrt(1 + c * c) - 1
    assert abs(cayley_increment_quaternion((0.0, 0.0, float(c)))[3] / float(exact) - 1) < 4e-16


def test_a_long_product_stays_orthogonal_and_turns_by_the_right_angle() -> None:
    n, c = 5000, (0.01, -0.02, 0.03)
    R, q = tuple(np.eye(3).reshape(-1)), (0.0, 0.0, 0.0, 1.0)
    E, e = cayley_increment(c), cayley_increment_quaternion(c)
    for _ in range(n):
        R, q = compose(R, E), compose_quaternions(q, e)
    matrix = np.reshape(R, (3, 3))
    assert np.abs(matrix.T @ matrix - np.eye(3)).max() < 1e-15
    assert abs(np.linalg.norm(q) - 1) < 4e-16
    size = np.linalg.norm(c)
    expected = so3.exp(np.array(c) / size * (2 * n * np.arctan(size)))
    assert float(so3.distance(matrix, expected)) < 1e-12
    assert float(so3.distance(quaternion.to_matrix(q), expected)) < 1e-12


def test_a_matrix_off_the_group_is_brought_back_quadratically() -> None:
    R = so3.random(np.random.default_rng(0)) + 1e-5 * np.random.default_rng(1).normal(size=(3, 3))
    still = np.reshape(compose(tuple(R.reshape(-1)), (0.0,) * 9), (3, 3))
    assert np.abs(still.T @ still - np.eye(3)).max() < 1e-9


def test_a_quaternion_off_the_sphere_is_brought_back_quadratically() -> None:
    """Its product with a long turn is scaled along itself: the direction stays that of the product."""
    q, c = np.array([0.3, -0.5, 0.2, 0.7]), np.array([0.8, -0.4, 0.6])
    q /= np.linalg.norm(q)
    f = np.append(c, 1.0) / np.sqrt(1.0 + c @ c)
    for off in (1e-4, -1e-4):
        found = np.array(compose_quaternions(tuple((1.0 + off) * q), cayley_increment_quaternion(tuple(c))))
        np.testing.assert_allclose(found, quaternion.multiply(q, f), rtol=0, atol=3.0 * off * off)
