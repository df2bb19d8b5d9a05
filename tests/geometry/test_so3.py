"""SO(3): what the generic suite does not see."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polhode.errors import InvalidInputError
from polhode.geometry import quaternion, so3
from polhode.geometry.vectors import times_hat
from tests.geometry.reference import EPS, error, exact, exponential, rounded

AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, -1), (1, 0, 1), (1, 1, 1), (1, -2, 3), (1e-9, 1, 0)]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_hat_is_the_cross_product(rng):
    x, y = rng.standard_normal((2, 10, 3))
    assert np.allclose(np.einsum("nij,nj->ni", so3.hat(x), y), np.cross(x, y), rtol=0.0, atol=4.0 * EPS)
    assert np.array_equal(so3.vee(so3.hat(x)), x)


def test_the_rate_of_an_attitude(rng):
    R, omega = so3.random(rng), rng.standard_normal(3)
    found = np.reshape(times_hat(tuple(R.ravel()), tuple(omega)), (3, 3))
    assert np.allclose(found, R @ so3.hat(omega), rtol=0.0, atol=4.0 * EPS)


def test_vee2_is_that_of_the_difference(rng):
    A = rng.standard_normal((10, 3, 3))
    assert np.array_equal(so3.vee2(A), so3.vee(A - np.swapaxes(A, -1, -2)))


# --- the logarithm ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("short", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0])
def test_log_up_to_pi(axis, short):
    """R is rounded from fifty digits; the logarithm is to recover its rotation vector to the rounding of R."""
    n = exact(axis).T
    n = n / mp.norm(n)
    x = n * (mp.pi - mp.mpf(short))
    S = mp.matrix([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
    found = so3.log(rounded(exponential(S)))
    expected = np.array([float(c) for c in x])
    if short < 1e-15:  # the sign of the axis cannot be told
        expected = expected * np.sign(found @ expected)
    assert np.abs(found - expected).max() < 4.0 * EPS * np.pi


def test_log_at_pi_exactly():
    for axis in np.eye(3):
        assert np.array_equal(so3.log(2.0 * np.outer(axis, axis) - np.eye(3)), np.pi * axis)


@given(st.lists(st.floats(-1.8, 1.8), min_size=3, max_size=3))
def test_log_undoes_exp(x):
    x = np.array(x)
    assert np.linalg.norm(so3.log(so3.exp(x)) - x) <= 6.0 * EPS * np.linalg.norm(x) + 1e-300


@pytest.mark.parametrize("angle", [3.5, 5.0, 6.2, 9.0])
def test_log_of_more_than_half_a_turn_is_the_short_way(angle):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    turns = np.round(angle / (2.0 * np.pi))
    assert np.allclose(so3.log(so3.exp(angle * axis)), (angle - 2.0 * np.pi * turns) * axis, rtol=0.0, atol=1e-14)


def test_angle(rng):
    x = rng.standard_normal((20, 3))
    assert np.allclose(so3.angle(so3.exp(x)), np.linalg.norm(x, axis=-1), rtol=4.0 * EPS, atol=0.0)


# --- distance ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [1e-4, 1e-8, 1e-12])
def test_distance_between_given_doubles(angle, rng):
    """Two neighbours, as the doubles they are: the reference takes the skew part of Rᵀ(Q − R) in fifty digits."""
    for _ in range(5):
        R = so3.random(rng)
        Q = R @ so3.exp(angle * np.array([0.6, 0.0, 0.8]))
        E = exact(R).T * (exact(Q) - exact(R))
        sine = mp.sqrt((E[2, 1] - E[1, 2]) ** 2 + (E[0, 2] - E[2, 0]) ** 2 + (E[1, 0] - E[0, 1]) ** 2) / 2
        assert abs(mp.mpf(float(so3.distance(R, Q))) / mp.asin(sine) - 1) < 8.0 * EPS


def test_distance_is_bi_invariant(rng):
    R, Q, K = so3.random(rng, (3, 30))
    assert np.allclose(so3.distance(R, Q), so3.distance(R @ K, Q @ K), rtol=0.0, atol=16.0 * EPS)


# --- projection -------------------------------------------------------------------------------------------------------


def test_project_finds_the_nearest(rng):
    A = so3.random(rng, 20) + 0.2 * rng.standard_normal((20, 3, 3))
    R = so3.project(A)
    assert np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() < 4.0 * EPS
    S = np.swapaxes(R, -1, -2) @ A  # polar: RᵀA symmetric and positive
    assert np.allclose(S, np.swapaxes(S, -1, -2), rtol=0.0, atol=40.0 * EPS)
    assert np.all(np.linalg.eigvalsh(S) > 0.0)


def test_project_keeps_rotations(rng):
    R = so3.random(rng, 20)
    assert np.allclose(so3.project(R), R, rtol=0.0, atol=4.0 * EPS)


@pytest.mark.parametrize(
    "A", [np.diag([1.0, 1.0, -1.0]), np.zeros((3, 3)), np.ones((3, 3)), np.diag([1.0, 1.0, 1e-17])]
)
def test_project_refuses_what_is_no_rotation(A):
    with pytest.raises(InvalidInputError, match=r"A = .*positive determinant"):
        so3.project([np.eye(3), A])


def test_project_refuses_what_is_no_number():
    with pytest.raises(InvalidInputError, match="finite"):
        so3.project(np.full((3, 3), np.nan))


# --- random -----------------------------------------------------------------------------------------------------------


def test_random_is_uniform(rng):
    """Under the Haar measure the angle has the distribution function (θ − sin θ)/π, and every R_ij mean square 1/3."""
    R = so3.random(rng, 20000)
    theta = np.sort(so3.angle(R))
    steps = (np.arange(20000) + 0.5) / 20000
    assert np.abs((theta - np.sin(theta)) / np.pi - steps).max() < 0.015
    assert np.abs((R * R).mean(axis=0) - 1.0 / 3.0).max() < 0.01
    assert np.abs(R.mean(axis=0)).max() < 0.02


# --- arrays -----------------------------------------------------------------------------------------------------------


def test_leading_axes_broadcast(rng):
    x, v = rng.standard_normal((4, 1, 3)), rng.standard_normal((5, 3))
    assert so3.dexp_right(x, v).shape == (4, 5, 3)
    assert so3.distance(so3.exp(x), np.eye(3)).shape == (4, 1)


def test_matches_quaternions(rng):
    x, c = rng.standard_normal((2, 20, 3))
    assert np.allclose(so3.exp(x), quaternion.to_matrix(quaternion.exp(x)), rtol=0.0, atol=6.0 * EPS)
    assert np.allclose(so3.cayley(c), quaternion.to_matrix(quaternion.cayley(c)), rtol=0.0, atol=6.0 * EPS)


@pytest.mark.parametrize(
    ("function", "argument", "field"),
    [(so3.exp, [1.0, 2.0], "x"), (so3.log, np.eye(4), "R"), (so3.vee, [1.0, 2.0, 3.0], "A"), (so3.exp, "abc", "x")],
)
def test_bad_input_is_named(function, argument, field):
    with pytest.raises(InvalidInputError) as caught:
        function(argument)
    assert caught.value.field == field


def test_exp_of_a_large_vector():
    x = np.array([10.0, -7.0, 4.0])
    S = exact(so3.hat(x))
    assert error(so3.exp(x), exponential(S)) < 30.0


def test_compose_and_inverse_are_those_of_matrices(rng):
    R, Q = so3.random(rng, 20), so3.random(rng, 20)
    assert np.allclose(so3.compose(R, Q), R @ Q, rtol=0.0, atol=4.0 * EPS)
    assert np.array_equal(so3.inverse(R), np.swapaxes(R, -1, -2))


@pytest.mark.parametrize("function", [so3.log, so3.angle])
@pytest.mark.parametrize(
    "matrix", [np.diag([1.0, 1.0, -1.0]), 2.0 * np.eye(3), np.zeros((3, 3)), np.full((3, 3), np.nan)]
)
def test_what_is_no_rotation_has_no_logarithm(function, matrix):
    with pytest.raises(InvalidInputError, match="a rotation matrix"):
        function(matrix)
