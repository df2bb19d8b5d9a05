"""SE(3): what the generic suite does not see."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.errors import InvalidInputError
from polhode.geometry import se3, so3
from tests.geometry.reference import EPS, error, exact, exponential, trivialised, twist_hat


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(10)


def test_action_and_composition(rng):
    g, h, y = se3.random(rng, 10), se3.random(rng, 10), rng.standard_normal((10, 3))
    R, x = se3.parts(g)
    assert np.allclose(se3.act(g, y), np.einsum("nij,nj->ni", R, y) + x, rtol=0.0, atol=8.0 * EPS)
    assert np.allclose(se3.act(se3.compose(g, h), y), se3.act(g, se3.act(h, y)), rtol=0.0, atol=32.0 * EPS)
    assert np.allclose(se3.act(se3.inverse(g), se3.act(g, y)), y, rtol=0.0, atol=32.0 * EPS)
    assert np.array_equal(se3.homogeneous(R, x), g)


def test_adjoint(rng):
    g, xi = se3.random(rng, 10), rng.standard_normal((10, 6))
    expected = g @ twist_hat(xi) @ se3.inverse(g)
    assert np.allclose(twist_hat(se3.adjoint(g, xi)), expected, rtol=0.0, atol=64.0 * EPS)


def test_pure_translation_and_pure_rotation():
    assert np.array_equal(se3.exp([0, 0, 0, 1, 2, 3]), se3.homogeneous(np.eye(3), [1, 2, 3]))
    assert np.array_equal(se3.log(se3.homogeneous(np.eye(3), [1, 2, 3])), [0, 0, 0, 1, 2, 3])
    g = se3.exp([0.1, 0.2, 0.3, 0, 0, 0])
    assert np.array_equal(g, se3.homogeneous(so3.exp([0.1, 0.2, 0.3]), [0, 0, 0]))


def test_log_at_pi():
    for axis in np.eye(3):
        g = se3.homogeneous(2.0 * np.outer(axis, axis) - np.eye(3), [1.0, 2.0, 3.0])
        xi = se3.log(g)
        assert np.array_equal(xi[:3], np.pi * axis)
        assert np.allclose(se3.exp(xi), g, rtol=0.0, atol=8.0 * EPS)


def test_unequal_scales_of_rotation_and_translation(rng):
    """A tiny rotation with a large translation, and the reverse: each part is exact in its own scale."""
    for small, large in ((1e-9, 1e6), (1.0, 1e-12)):
        xi = np.concatenate([small * rng.standard_normal(3), large * rng.standard_normal(3)])
        g = se3.exp(xi)
        expected = exponential(exact(twist_hat(xi)))
        assert error(g[:3, 3], expected[0:3, 3].T) < 3.0
        assert error(g[:3, :3], expected[0:3, 0:3]) < 3.0
        assert np.allclose(se3.log(g), xi, rtol=0.0, atol=8.0 * EPS * np.repeat([small, large], 3) * 3.0)


@pytest.mark.parametrize("angle", [1e-10, 1.0, 2.999, 3.001, 3.46, 3.47, 5.0])
def test_dexp_with_a_large_translation(angle, rng):
    xi = np.concatenate([so3.random(rng)[0] * angle, 100.0 * rng.standard_normal(3)])
    eta = rng.standard_normal(6)
    expected = trivialised(exact(twist_hat(xi)), exact(twist_hat(eta)))["right"]
    assert error(twist_hat(se3.dexp_right(xi, eta)), expected) < 8.0
    assert np.allclose(se3.dexpinv_right(xi, se3.dexp_right(xi, eta)), eta, rtol=0.0, atol=2e-12)


def test_distance_has_a_length(rng):
    g, h = se3.random(rng, 10), se3.random(rng, 10)
    angle = so3.distance(g[:, :3, :3], h[:, :3, :3])
    gap = np.linalg.norm(g[:, :3, 3] - h[:, :3, 3], axis=-1)
    for length in (0.1, 1.0, 1e3):
        assert np.allclose(se3.distance(g, h, length), np.hypot(angle, gap / length), rtol=8.0 * EPS, atol=0.0)
    for length in (0.0, -1.0, np.nan):
        with pytest.raises(InvalidInputError, match="length"):
            se3.distance(g, h, length)


def test_random_has_a_length(rng):
    x = se3.random(rng, 4000, length=10.0)[:, :3, 3]
    assert abs(x.std() - 10.0) < 0.3


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        (se3.exp, ([1, 2, 3],), "xi"),
        (se3.log, (np.eye(3),), "g"),
        (se3.log, (np.ones((4, 4)),), "g"),
        (se3.log, (np.diag([1.0, 1.0, -1.0, 1.0]),), "g"),
        (se3.hat, ([1, 2, 3],), "xi"),
        (se3.vee, (np.eye(3),), "A"),
        (se3.project, (np.diag([1.0, 1.0, -1.0, 1.0]),), "A"),
        (se3.act, (np.eye(4), [1, 2]), "y"),
        (se3.compose, (np.eye(4), 2.0 * np.eye(4)), "h"),
    ],
)
def test_bad_input_is_named(function, arguments, field):
    with pytest.raises(InvalidInputError) as caught:
        function(*arguments)
    assert caught.value.field == field


def test_hat_is_the_derivative_of_exp_and_vee_its_inverse(rng):
    xi = rng.normal(size=(20, 6))
    h = 1e-6
    slope = (se3.exp(h * xi) - se3.exp(-h * xi)) / (2.0 * h)
    assert np.allclose(se3.hat(xi), slope, rtol=0.0, atol=1e-9)
    assert np.array_equal(se3.vee(se3.hat(xi)), xi)


def test_the_matrix_exponential_of_hat_is_exp(rng):
    from scipy.linalg import expm

    xi = rng.normal(size=(20, 6))
    assert np.allclose(expm(se3.hat(xi)), se3.exp(xi), rtol=0.0, atol=1e-14)


def test_project_is_the_nearest_motion(rng):
    g = se3.random(rng, 20)
    A = g + 0.05 * rng.normal(size=g.shape)
    nearest = se3.project(A)
    assert np.array_equal(nearest[:, 3], np.tile([0.0, 0.0, 0.0, 1.0], (20, 1)))
    best = np.linalg.norm(A - nearest, axis=(1, 2))
    for _ in range(20):
        other = se3.compose(nearest, se3.exp(1e-3 * rng.normal(size=(20, 6))))
        assert np.all(np.linalg.norm(A - other, axis=(1, 2)) >= best)
    assert np.allclose(se3.project(g), g, rtol=0.0, atol=1e-15)
