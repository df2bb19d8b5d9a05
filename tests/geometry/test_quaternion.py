"""Unit quaternions: what the generic suite does not see."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from polhode.errors import InvalidInputError
from polhode.geometry import quaternion, so3
from tests.geometry.reference import EPS


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(8)


def test_hamilton_product():
    i, j, k, one = np.eye(4)
    for a, b, c in [(i, j, k), (j, k, i), (k, i, j)]:
        assert np.array_equal(quaternion.multiply(a, b), c)
        assert np.array_equal(quaternion.multiply(b, a), -c)
        assert np.array_equal(quaternion.multiply(a, a), -one)
    assert np.array_equal(quaternion.multiply(one, k), k)


def test_rotation_of_vectors(rng):
    q, x = quaternion.random(rng, 20), rng.standard_normal((20, 3))
    padded = np.concatenate([x, np.zeros((20, 1))], axis=-1)
    expected = quaternion.multiply(quaternion.multiply(q, padded), quaternion.conjugate(q))
    assert np.abs(expected[:, 3]).max() < 8.0 * EPS
    assert np.allclose(quaternion.rotate(q, x), expected[:, :3], rtol=0.0, atol=16.0 * EPS)
    by_matrix = np.einsum("nij,nj->ni", quaternion.to_matrix(q), x)
    assert np.allclose(by_matrix, expected[:, :3], rtol=0.0, atol=16.0 * EPS)


def test_a_quarter_turn_about_z_takes_x_to_y():
    q = quaternion.exp([0.0, 0.0, np.pi / 2.0])
    assert np.allclose(quaternion.rotate(q, [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0], rtol=0.0, atol=2.0 * EPS)


# --- matrices ---------------------------------------------------------------------------------------------------------


def test_from_matrix_undoes_to_matrix(rng):
    q = quaternion.random(rng, 200)
    q = q * np.sign(q[:, 3:])
    assert np.abs(quaternion.from_matrix(quaternion.to_matrix(q)) - q).max() < 4.0 * EPS


@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-9, 1e-3])
def test_from_matrix_in_every_quarter(index, tilt):
    """Near each of the four basis quaternions a different row of products is taken."""
    q = quaternion.normalized(np.eye(4)[index] + tilt * np.array([0.3, 0.5, -0.2, 0.7]))
    found = quaternion.from_matrix(quaternion.to_matrix(q))
    assert found[3] >= 0.0
    assert np.abs(found - q).max() < 4.0 * EPS


def test_small_rotations_keep_their_digits():
    x = np.array([1.0, -2.0, 3.0]) * 1e-11
    q = quaternion.from_matrix(so3.exp(x))
    assert np.allclose(q[:3], 0.5 * x, rtol=4.0 * EPS, atol=0.0)


# --- exponential, logarithm, geodesics --------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [1e-12, 1e-6, 0.5, 1.999, 2.001, 3.0, np.pi, 6.0])
def test_exp_to_the_last_digit(angle):
    x = angle * np.array([0.48, -0.6, 0.64])
    u = mp.sqrt(sum(mp.mpf(float(c)) ** 2 for c in x)) / 2
    expected = [mp.sin(u) / u * mp.mpf(float(c)) / 2 for c in x]
    q = quaternion.exp(x)
    for found, wanted in zip(q[:3], expected, strict=True):
        assert abs(mp.mpf(float(found)) - wanted) < 4.0 * EPS * abs(expected[2]) + EPS * (angle > 4.0)
    assert abs(mp.mpf(float(q[3])) - mp.cos(u)) < 2.0 * EPS


def test_log_of_q_and_minus_q(rng):
    q = quaternion.random(rng, 50)
    assert np.array_equal(quaternion.log(q), quaternion.log(-q))
    assert np.linalg.norm(quaternion.log(q), axis=-1).max() <= np.pi * (1.0 + EPS)
    assert np.allclose(quaternion.log(5.0 * q), quaternion.log(q), rtol=0.0, atol=8.0 * EPS)


def test_log_agrees_with_the_matrix(rng):
    q = quaternion.random(rng, 50)
    assert np.allclose(quaternion.log(q), so3.log(quaternion.to_matrix(q)), rtol=0.0, atol=16.0 * EPS)
    assert np.allclose(quaternion.angle(q), so3.angle(quaternion.to_matrix(q)), rtol=0.0, atol=16.0 * EPS)


def test_geodesic_runs_at_constant_speed(rng):
    p, q = quaternion.random(rng, (2, 20))
    whole = quaternion.distance(p, q)
    for s in (0.0, 0.25, 0.5, 1.0):
        r = quaternion.geodesic(p, q, s)
        assert np.allclose(quaternion.distance(p, r), s * whole, rtol=0.0, atol=16.0 * EPS)
        assert np.allclose(quaternion.distance(r, q), (1.0 - s) * whole, rtol=0.0, atol=16.0 * EPS)
    assert np.allclose(quaternion.geodesic(p, -q, 0.3), quaternion.geodesic(p, q, 0.3), rtol=0.0, atol=8.0 * EPS)


def test_distance_of_neighbours_keeps_its_digits():
    x = np.array([2.0, 1.0, -2.0]) / 3.0 * 1e-13
    q = quaternion.exp(x)
    assert abs(float(quaternion.distance([0.0, 0.0, 0.0, 1.0], q)) / 1e-13 - 1.0) < 8.0 * EPS
    assert abs(float(quaternion.distance([0.0, 0.0, 0.0, 1.0], -q)) / 1e-13 - 1.0) < 8.0 * EPS


# --- kinematics, other conventions --------------------------------------------------------------------------------------


def test_rate_is_the_derivative(rng):
    q, omega, h = quaternion.random(rng), rng.standard_normal(3), 1e-5
    ahead, behind = (quaternion.multiply(q, quaternion.exp(s * h * omega)) for s in (1.0, -1.0))
    assert np.allclose((ahead - behind) / (2.0 * h), quaternion.rate(q, omega), rtol=0.0, atol=1e-9)
    turned = quaternion.multiply(quaternion.conjugate(q), 2.0 * quaternion.rate(q, omega))
    assert np.allclose(turned, [*omega, 0.0], rtol=0.0, atol=8.0 * EPS)


def test_scalar_first_and_last():
    q = np.arange(8.0).reshape(2, 4)
    assert np.array_equal(quaternion.as_wxyz(q), [[3, 0, 1, 2], [7, 4, 5, 6]])
    assert np.array_equal(quaternion.from_wxyz(quaternion.as_wxyz(q)), q)


def test_random_is_uniform(rng):
    q = quaternion.random(rng, 20000)
    assert np.abs((q[:, :, None] * q[:, None, :]).mean(axis=0) - np.eye(4) / 4.0).max() < 0.01
    assert np.abs((q**4).mean(axis=0) - 1.0 / 8.0).max() < 0.01
    assert quaternion.random(rng).shape == (4,)
    assert quaternion.random(rng, np.int64(3)).shape == (3, 4)


def test_bad_shapes_are_named():
    with pytest.raises(InvalidInputError, match=r"q = .*\(3,\).*\(4,\)"):
        quaternion.multiply([0, 0, 0, 1], [1, 2, 3])
    with pytest.raises(InvalidInputError, match=r"R = "):
        quaternion.from_matrix(np.eye(2))
    with pytest.raises(InvalidInputError, match=r"q = "):
        quaternion.as_wxyz([1, 2, 3])


@pytest.mark.parametrize("function", [quaternion.log, quaternion.angle])
def test_zero_is_along_no_attitude(function):
    with pytest.raises(InvalidInputError, match="nonzero quaternion"):
        function([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])
