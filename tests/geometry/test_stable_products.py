"""Long products stay on the group, and lose nothing along it."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from polhode.geometry import quaternion, so3, son
from polhode.geometry.stable_products import (
    cayley_increment,
    cayley_increment_quaternion,
    cayley_turn,
    change_of_quaternion,
    change_of_vector,
    compose,
    compose_from_both_sides,
    turned_back,
)
from polhode.scalars import compiled, duals, kernel, partial, seeded
from polhode.systems.planar.base import turned
from polhode.systems.son.flows import turning


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
    for turn in (cayley_increment(c), cayley_turn(c)):
        np.testing.assert_allclose(turned_back(turn, v), so3.cayley(c).T @ v, atol=1e-15)


def test_increments_keep_their_digits_for_small_turns() -> None:
    mpmath.mp.dps = 40
    c = mpmath.mpf("1e-9")
    exact = -2 * c * c / (1 + c * c)
    found = cayley_increment((0.0, 0.0, float(c)))[0]
    assert abs(found / float(exact) - 1) < 4e-16
    exact = 1 / mpmath.sqrt(1 + c * c) - 1
    assert abs(cayley_increment_quaternion((0.0, 0.0, float(c)))[3] / float(exact) - 1) < 4e-16
    exact = -2 * c * c / (1 + c * c)
    assert abs(change_of_vector((1.0, 0.0, 0.0), cayley_turn((0.0, 0.0, float(c))))[0] / float(exact) - 1) < 4e-16


def test_a_long_product_stays_orthogonal_and_turns_by_the_right_angle() -> None:
    n, c = 5000, (0.01, -0.02, 0.03)
    R, q = tuple(np.eye(3).reshape(-1)), (0.0, 0.0, 0.0, 1.0)
    E, turn, e, Q = cayley_increment(c), cayley_turn(c), cayley_increment_quaternion(c), R
    for _ in range(n):
        R, Q, q = compose(R, E), compose(Q, turn), compose_quaternions(q, e)
    size = np.linalg.norm(c)
    expected = so3.exp(np.array(c) / size * (2 * n * np.arctan(size)))
    for matrix in (np.reshape(R, (3, 3)), np.reshape(Q, (3, 3))):
        assert np.abs(matrix.T @ matrix - np.eye(3)).max() < 1e-15
        assert float(so3.distance(matrix, expected)) < 1e-12
    assert abs(np.linalg.norm(q) - 1) < 4e-16
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


NINE, FOUR, THREE, TWO = duals(9), duals(4), duals(3), duals(2)


@compiled
def turn_nine(R, turn, out):
    """Entries of R F and FᵀR F, each with its derivatives by the entries of R."""
    a = seeded(NINE, R[0], 0), seeded(NINE, R[1], 1), seeded(NINE, R[2], 2)
    b = seeded(NINE, R[3], 3), seeded(NINE, R[4], 4), seeded(NINE, R[5], 5)
    c = seeded(NINE, R[6], 6), seeded(NINE, R[7], 7), seeded(NINE, R[8], 8)
    R, F = a + b + c, (turn[0], turn[1], turn[2], turn[3])
    for i, x in enumerate(compose(R, F) + compose_from_both_sides(F, R, F)):
        for k in range(9):
            out[i, k] = partial(x, k)


@compiled
def turn_four(q, e, out):
    """The same for the changes of a quaternion."""
    given = seeded(FOUR, q[0], 0), seeded(FOUR, q[1], 1), seeded(FOUR, q[2], 2), seeded(FOUR, q[3], 3)
    for i, x in enumerate(change_of_quaternion(given, (e[0], e[1], e[2], e[3]))):
        for k in range(4):
            out[i, k] = partial(x, k)


@compiled
def turn_two(z, out):
    """The same on the circle."""
    for i, x in enumerate(turned(seeded(TWO, z[0], 0), seeded(TWO, z[1], 1), 1.0 - 0.8, 0.6)):
        for k in range(2):
            out[i, k] = partial(x, k)


def test_partials_are_put_back_onto_the_group_too() -> None:
    """What is across the group in partials is gone after one product; what is along it is turned as it is."""
    rng, c = np.random.default_rng(3), (0.3, -0.2, 0.5)
    R, F = so3.random(rng), so3.cayley(c)
    J = np.empty((18, 9))
    turn_nine(R.reshape(-1), np.array(cayley_turn(c)), J)
    stretch = np.pad(rng.normal(size=(2, 2)), (0, 1))  # of the first two rows, from which the third follows
    across, along = (stretch + stretch.T) @ R, R @ so3.hat([0.4, 0.7, -0.2])
    assert np.abs(J @ across.reshape(-1)).max() < 1e-14
    expected = [along @ F, F.T @ along @ F]
    np.testing.assert_allclose((J @ along.reshape(-1)).reshape(2, 3, 3), expected, atol=1e-14)

    q, J = quaternion.random(rng), np.empty((4, 4))
    turn_four(q, np.array(cayley_increment_quaternion(c)), J)
    after = J + np.eye(4)
    assert np.abs(after @ q).max() < 1e-14
    assert np.linalg.svd(after, compute_uv=False)[:3] == pytest.approx(1.0, abs=1e-14)

    z, J = np.array([0.28, 0.96]), np.empty((2, 2))
    turn_two(z, J)
    assert np.abs(J @ z).max() < 1e-14
    assert np.linalg.norm(J @ [-z[1], z[0]]) == pytest.approx(1.0, abs=1e-14)


@kernel
def put_turned(turn, R, v, out):
    for i, x in enumerate(turned_back(turn, v) + compose(R, turn) + compose_from_both_sides(turn, R, turn)):
        for k in range(3):
            out[i, k] = partial(x, k)


@compiled
def turn_by_three(c, R, v, by_cayley, by_increment):
    """Derivatives of Fᵀv, R F and FᵀR F by the Cayley parameter of F, for both ways to give F."""
    c = seeded(THREE, c[0], 0), seeded(THREE, c[1], 1), seeded(THREE, c[2], 2)
    A = R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2]
    put_turned(cayley_turn(c), A, (v[0], v[1], v[2]), by_cayley)
    put_turned(cayley_increment(c), A, (v[0], v[1], v[2]), by_increment)


def test_partials_of_what_is_turned() -> None:
    """Against differences of the same products of matrices."""
    rng, c, size = np.random.default_rng(4), np.array([0.7, -0.4, 0.9]), 1e-5
    R, v = so3.random(rng), rng.normal(size=3)

    def products(c: np.ndarray) -> np.ndarray:
        F = so3.cayley(c)
        return np.concatenate([F.T @ v, (R @ F).reshape(-1), (F.T @ R @ F).reshape(-1)])

    expected = [(products(c + e) - products(c - e)) / (2.0 * size) for e in size * np.eye(3)]
    found = np.empty((2, 21, 3))
    turn_by_three(c, R, v, *found)
    for partials in found:
        np.testing.assert_allclose(partials.T, expected, atol=1e-8)


def test_partials_are_put_back_onto_the_orthogonal_group_too() -> None:
    n, rng = 4, np.random.default_rng(5)
    m, S = n * n, duals(n * n)
    Q, F = son.random(rng, n), son.exp(0.3 * son.hat(rng.normal(size=6)))
    y = np.zeros((6 * m, 1 + m))  # Q, F − 1 and what is overwritten
    y[:m, 0], y[:m, 1:], y[m : 2 * m, 0] = Q.reshape(-1), np.eye(m), (F - np.eye(n)).reshape(-1)
    flat = y.reshape(-1)
    turning(S, flat, 0, m, 2 * m, n)
    J = flat.reshape(6 * m, 1 + m)[2 * m : 3 * m, 1:] + np.eye(m)
    stretch = rng.normal(size=(n, n))
    across, along = Q @ (stretch + stretch.T), Q @ (stretch - stretch.T)
    assert np.abs(J @ across.reshape(-1)).max() < 1e-14
    np.testing.assert_allclose((J @ along.reshape(-1)).reshape(n, n), along @ F, atol=1e-14)
