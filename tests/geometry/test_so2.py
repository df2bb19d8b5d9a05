"""SO(2)."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from polhode.errors import InvalidInputError
from polhode.geometry import so2, son
from tests.geometry.reference import EPS


def test_agrees_with_the_general_group():
    theta = np.linspace(-3.0, 3.0, 13)
    assert np.array_equal(so2.hat(theta), son.hat(theta[:, None]))
    assert np.allclose(so2.exp(theta), son.exp(so2.hat(theta)), rtol=0.0, atol=4.0 * EPS)
    assert np.allclose(so2.cayley(theta), son.cayley(so2.hat(theta)), rtol=0.0, atol=8.0 * EPS)


def test_vee_takes_the_skew_part():
    assert so2.vee([[5e-7, -2.0], [2.0 + 2.0**-21, -4e-7]]) == 2.0 + 2.0**-22


def test_half_a_turn():
    assert so2.log(so2.exp(np.pi)) == np.pi
    assert so2.log(so2.exp(-np.pi)) == -np.pi
    assert np.isinf(so2.cayley_inverse(-np.eye(2)))


@pytest.mark.parametrize("angle", [1e-300, 1e-12, 1e-8, 0.5, 1.5707, 1.5709, 3.0, 3.14159265])
def test_cayley_inverse_is_the_tangent_of_half_the_angle(angle):
    R = so2.exp(angle)
    # relative to the matrix as given: its sine and cosine are doubles
    expected = mp.tan(mp.atan2(mp.mpf(float(R[1, 0])), mp.mpf(float(R[0, 0]))) / 2)
    assert abs(mp.mpf(float(so2.cayley_inverse(R))) / expected - 1) < 4.0 * EPS


def test_distance_of_neighbours():
    R = so2.exp(1.0)
    for angle in (1e-3, 1e-9):
        assert abs(float(so2.distance(R, so2.exp(1.0 + angle))) - ((1.0 + angle) - 1.0)) < 2.0 * EPS


def test_project_finds_the_nearest():
    rng = np.random.default_rng(1)
    A = so2.exp(rng.uniform(-3.0, 3.0, 20)) + 0.2 * rng.standard_normal((20, 2, 2))
    assert np.allclose(so2.project(A), son.project(A), rtol=0.0, atol=8.0 * EPS)
    R = so2.random(rng, 20)
    assert np.allclose(so2.project(3.0 * R), R, rtol=0.0, atol=2.0 * EPS)


def test_project_refuses_reflections():
    with pytest.raises(InvalidInputError, match=r"A = .*positive determinant"):
        so2.project([[1.0, 0.0], [0.0, -1.0]])
    with pytest.raises(InvalidInputError):
        so2.project(np.zeros((2, 2)))


def test_random_is_uniform():
    theta = so2.log(so2.random(np.random.default_rng(2), 4000))
    counts = np.histogram(theta, bins=8, range=(-np.pi, np.pi))[0]
    assert np.all(np.abs(counts - 500) < 5.0 * np.sqrt(500))


def test_bad_shapes_are_named():
    with pytest.raises(InvalidInputError, match=r"R = .*\(3, 3\).*\(2, 2\)"):
        so2.log(np.eye(3))
    with pytest.raises(InvalidInputError, match=r"theta = "):
        so2.exp("north")


@pytest.mark.parametrize("matrix", [np.diag([1.0, -1.0]), 2.0 * np.eye(2)])
def test_what_is_no_rotation_has_no_angle(matrix):
    with pytest.raises(InvalidInputError, match="a rotation matrix"):
        so2.log(matrix)
