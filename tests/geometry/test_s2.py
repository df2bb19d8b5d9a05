"""The unit sphere."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from polhode.errors import InvalidInputError
from polhode.geometry import s2, so3
from tests.geometry.reference import EPS


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(9)


def pairs(rng, count, angle):
    """Points d and tangent vectors v of length `angle`, orthogonal to the last digit that doubles allow."""
    d = s2.random(rng, count)
    v = s2.tangent(d, rng.standard_normal((count, 3)))
    v = s2.tangent(d, v / np.linalg.norm(v, axis=-1, keepdims=True))
    return d, angle * v


@pytest.mark.parametrize("angle", [1e-12, 1e-8, 1e-3, 0.5, 0.999, 1.001, 2.0, 3.0, np.pi - 1e-6])
def test_log_undoes_exp(angle, rng):
    d, v = pairs(rng, 50, angle)
    e = s2.exp(d, v)
    assert np.abs(np.linalg.norm(e, axis=-1) - 1.0).max() < 4.0 * EPS
    # e is rounded to ε: for a small angle that is ε by the angle, near π the direction of v has the same trouble
    tolerance = 8.0 * EPS * max(1.0, angle / np.sin(angle))
    assert np.abs(s2.log(d, e) - v).max() < tolerance


def test_log_of_a_neighbour_keeps_its_digits():
    d = np.array([1.0, 0.0, 0.0])
    v = np.array([0.0, 3e-13, -4e-13])
    assert np.allclose(s2.log(d, s2.exp(d, v)), v, rtol=4.0 * EPS, atol=0.0)
    assert float(s2.distance(d, s2.exp(d, v))) == pytest.approx(5e-13, rel=4.0 * EPS)


def test_log_and_distance_between_given_doubles(rng):
    for angle in (1e-3, 1e-6, 1e-9):
        for d, v in zip(*pairs(rng, 5, angle), strict=True):
            e = s2.exp(d, v)
            a, b = ([mp.mpf(float(c)) for c in x] for x in (d, e))
            n = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            expected = mp.atan2(mp.norm(n), mp.fdot(a, b))
            assert abs(mp.mpf(float(s2.distance(d, e))) / expected - 1) < 8.0 * EPS
            assert abs(mp.norm([mp.mpf(float(c)) for c in s2.log(d, e)]) / expected - 1) < 8.0 * EPS


def test_log_at_the_point_itself_and_opposite():
    d = np.array([0.0, 0.6, 0.8])
    assert np.array_equal(s2.log(d, d), np.zeros(3))
    assert np.isnan(s2.log(d, -d)).all()
    assert s2.distance(d, -d) == np.pi


def test_geodesic(rng):
    d, e = s2.random(rng, (2, 20))
    whole = s2.distance(d, e)
    for s in (0.0, 0.3, 1.0):
        p = s2.geodesic(d, e, s)
        assert np.allclose(s2.distance(d, p), s * whole, rtol=0.0, atol=16.0 * EPS)
        assert np.abs(np.einsum("ni,ni->n", p, np.cross(d, e))).max() < 8.0 * EPS
    assert np.allclose(s2.geodesic(d, e, 1.0), e, rtol=0.0, atol=16.0 * EPS)


def test_transport_is_the_rotation_in_the_plane_of_the_geodesic(rng):
    d, e = s2.random(rng, (2, 30))
    v = s2.tangent(d, rng.standard_normal((30, 3)))
    axis = np.cross(d, e)
    axis = axis / np.linalg.norm(axis, axis=-1, keepdims=True) * s2.distance(d, e)[:, None]
    expected = np.einsum("nij,nj->ni", so3.exp(axis), v)
    moved = s2.transport(d, e, v)
    assert np.allclose(moved, expected, rtol=0.0, atol=64.0 * EPS)
    assert np.abs(np.einsum("ni,ni->n", moved, e)).max() < 16.0 * EPS
    assert np.allclose(np.linalg.norm(moved, axis=-1), np.linalg.norm(v, axis=-1), rtol=8.0 * EPS, atol=0.0)


def test_transport_carries_the_velocity_of_the_geodesic(rng):
    d, e = s2.random(rng, (2, 30))
    assert np.allclose(s2.transport(d, e, s2.log(d, e)), -s2.log(e, d), rtol=0.0, atol=64.0 * EPS)


def test_transport_almost_to_the_opposite_point(rng):
    d, v = pairs(rng, 20, np.pi - 1e-6)
    e = s2.exp(d, v)
    moved = s2.transport(d, e, v)
    assert np.allclose(np.linalg.norm(moved, axis=-1), np.pi - 1e-6, rtol=8.0 * EPS, atol=0.0)
    assert np.allclose(moved, -s2.log(e, d), rtol=0.0, atol=1e-8)


def test_distance_is_a_metric(rng):
    d, e, f = s2.random(rng, (3, 50))
    assert np.allclose(s2.distance(d, e), s2.distance(e, d), rtol=8.0 * EPS, atol=0.0)
    assert np.all(s2.distance(d, f) <= s2.distance(d, e) + s2.distance(e, f) + 8.0 * EPS)
    assert np.all(s2.distance(d, d) == 0.0)


def test_split_into_tangent_and_normal(rng):
    d, v = s2.random(rng, 10), rng.standard_normal((10, 3))
    t = s2.tangent(d, v)
    assert np.abs(np.einsum("ni,ni->n", t, d)).max() < 8.0 * EPS
    assert np.allclose(np.cross(d, t), np.cross(d, v), rtol=0.0, atol=16.0 * EPS)


def field(x):
    """A tangent vector field on the sphere, as a function on R³; and others that are the same on the sphere."""
    v = np.array([x[1] * x[2] + 0.3, x[0] ** 2 - x[2], np.sin(x[0]) + x[1]])
    return v - (x @ v) / (x @ x) * x


def jacobian(f, x, h=1e-3):
    """The 3×3 matrix of partial derivatives, by differences of sixth order."""
    weights = [(1, 0.75), (2, -0.15), (3, 1.0 / 60.0)]
    return np.stack(
        [sum(c * (f(x + k * h * e) - f(x - k * h * e)) for k, c in weights) / h for e in np.eye(3)], axis=-1
    )


def test_the_covariant_derivative_is_the_limit_of_transported_differences(rng):
    """(4), (5): of the field carried back along the geodesic; it does not depend on how the field goes on off the sphere."""
    for d in s2.random(rng, 5):
        w = s2.tangent(d, rng.standard_normal(3))
        found = s2.covariant_derivative(d, jacobian(field, d), w)

        def carried(t, d=d, w=w):
            there = s2.exp(d, t * w)
            return s2.transport(there, d, s2.tangent(there, field(there)))

        h = 1e-3
        expected = sum(c * (carried(k * h) - carried(-k * h)) for k, c in [(1, 0.75), (2, -0.15), (3, 1.0 / 60.0)]) / h
        assert np.abs(found - expected).max() < 1e-10
        other = lambda x: (1.0 + 3.0 * (x @ x - 1.0)) * field(x)  # noqa: E731
        assert np.abs(s2.covariant_derivative(d, jacobian(other, d), w) - found).max() < 1e-10
        along = sum(
            c * (field(s2.exp(d, k * h * w)) - field(s2.exp(d, -k * h * w)))
            for k, c in [(1, 0.75), (2, -0.15), (3, 1.0 / 60.0)]
        )
        assert np.abs(s2.tangent(d, along / h) - found).max() < 1e-10  # (5)
    with pytest.raises(InvalidInputError, match=r"w = .*tangent to the sphere at d"):
        s2.covariant_derivative([0.0, 0.0, 1.0], np.eye(3), [0.0, 1.0, 1.0])


def test_a_tensor_splits_from_one_direction_to_another(rng):
    """(13), on J seen from axes that share d₃, and on the rotation that takes one frame to the other."""
    d, e = s2.random(rng, (2, 6))
    v = s2.tangent(d, rng.standard_normal((6, 3)))
    axis = np.cross(d, e)
    turn = so3.exp(axis / np.linalg.norm(axis, axis=-1, keepdims=True) * s2.distance(d, e)[:, None])
    spin = so3.exp(0.7 * d)
    T = turn @ spin @ (2.0 * np.eye(3) + 3.0 * d[:, :, None] * d[:, None, :])
    across, along = s2.split_tensor(d, e, T)
    assert np.abs(across + along - T).max() < 8.0 * EPS
    assert np.abs(np.einsum("nij,nj->ni", across, d)).max() < 64.0 * EPS
    assert np.abs(np.einsum("nij,nj->ni", along, v)).max() < 64.0 * EPS
    assert np.allclose(np.einsum("nij,nj->ni", along, d), 5.0 * e, rtol=0.0, atol=64.0 * EPS)
    moved = np.einsum("nij,nj->ni", across, v)
    assert np.abs(np.einsum("ni,ni->n", moved, e)).max() < 64.0 * EPS
    assert np.allclose(np.linalg.norm(moved, axis=-1), 2.0 * np.linalg.norm(v, axis=-1), rtol=64.0 * EPS, atol=0.0)
    assert np.linalg.matrix_rank(across[0]) == 2
    with pytest.raises(InvalidInputError, match="splits from d to e"):
        s2.split_tensor(d[0], e[0], np.eye(3))


def test_project(rng):
    x = rng.standard_normal((10, 3))
    assert np.allclose(s2.project(x) * np.linalg.norm(x, axis=-1, keepdims=True), x, rtol=4.0 * EPS, atol=0.0)


def test_random_is_uniform(rng):
    z = np.sort(s2.random(rng, 20000)[:, 2])
    assert np.abs((z + 1.0) / 2.0 - (np.arange(20000) + 0.5) / 20000).max() < 0.015


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_batches(shape, rng):
    d, e = s2.random(rng, shape), s2.random(rng, None)
    assert s2.log(d, e).shape == (*shape, 3)
    assert s2.distance(d, e).shape == shape
    assert s2.geodesic(d, e, 0.5).shape == (*shape, 3)


def test_bad_shapes_are_named():
    with pytest.raises(InvalidInputError, match=r"v = .*\(2,\).*\(3,\)"):
        s2.exp([1, 0, 0], [1, 2])
