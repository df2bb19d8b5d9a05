"""Matrices as variables of a state: coordinates, tangent vectors and distances that belong together."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import son
from polhode.core.complex_step import derivative_along
from polhode.core.manifolds import (
    Circle,
    Copies,
    Manifold,
    Matrices,
    Rotations,
    Skew,
    SpecialOrthogonal,
    UnitQuaternions,
)

RNG = np.random.default_rng(1)
POINTS = [
    (SpecialOrthogonal(2), son.random(RNG, 2)),
    (SpecialOrthogonal(3), son.random(RNG, 3)),
    (SpecialOrthogonal(5), son.random(RNG, 5)),
    (Skew(4), son.hat(RNG.standard_normal(6))),
    (Matrices(2, 3), RNG.standard_normal((2, 3))),
]


@pytest.mark.parametrize(("manifold", "point"), POINTS, ids=lambda a: repr(a) if isinstance(a, Manifold) else "")
def test_a_manifold_is_consistent(manifold: Manifold, point: np.ndarray) -> None:
    x = point.reshape(-1)
    assert x.size == manifold.size
    basis = manifold.basis(x)
    assert basis.shape == (manifold.size, manifold.dimension)
    assert np.allclose(manifold.coordinates(x, basis.T), np.eye(manifold.dimension), atol=1e-14)
    xi = 0.01 * np.cos(np.arange(manifold.dimension))
    ahead, behind = manifold.retract(x, xi), manifold.retract(x, -xi)
    assert np.abs((ahead - behind) / 2 - basis @ xi).max() < 1e-5
    assert manifold.defect(ahead) < 1e-14
    assert abs(float(manifold.distance(x, ahead)) - np.linalg.norm(xi)) < 1e-12
    assert float(manifold.distance(x, x)) < 1e-14


TURNED = son.random(RNG, 3)
EVERY = [
    *POINTS,
    (Rotations(), TURNED),
    (UnitQuaternions(), np.array([0.1, -0.5, 0.7, 0.5])),
    (Circle(), np.array([0.6, -0.8])),
    (Copies(Circle(), 2), np.array([[0.6, -0.8], [0.0, 1.0]])),
    (Copies(Rotations(), 3), np.stack([TURNED, TURNED.T, TURNED @ TURNED])),
]


@pytest.mark.parametrize(("manifold", "point"), EVERY, ids=lambda a: repr(a) if isinstance(a, Manifold) else "")
def test_tangent_vectors_at_one_point_are_read_as_columns(manifold: Manifold, point: np.ndarray) -> None:
    x = point.reshape(-1)
    xi = np.cos(np.arange(4 * manifold.dimension)).reshape(manifold.dimension, 4)
    columns = manifold.basis(x) @ xi
    np.testing.assert_allclose(manifold.coordinates_at(x, columns), xi, atol=1e-14)
    one_by_one = np.stack([manifold.coordinates(x, column) for column in columns.T], axis=-1)
    np.testing.assert_allclose(manifold.coordinates_at(x, columns), one_by_one, atol=1e-14)


@pytest.mark.parametrize(("manifold", "point"), EVERY, ids=lambda a: repr(a) if isinstance(a, Manifold) else "")
def test_many_points_are_moved_at_once_with_their_tangents(manifold: Manifold, point: np.ndarray) -> None:
    xi = 0.3 * np.cos(np.arange(6 * manifold.dimension)).reshape(2, 3, manifold.dimension)
    x = np.broadcast_to(point.reshape(-1), (2, 3, manifold.size))
    moved = manifold.retract(x, xi)
    assert moved.shape == x.shape
    one_by_one = [[manifold.retract(point.reshape(-1), each) for each in row] for row in xi]
    np.testing.assert_allclose(moved, one_by_one, atol=1e-15)
    way, h = np.sin(1.0 + np.arange(xi.size)).reshape(xi.shape), 1e-5
    exact = derivative_along(lambda each: manifold.retract(x, each), xi, way)
    rough = (manifold.retract(x, xi + h * way) - manifold.retract(x, xi - h * way)) / (2 * h)
    np.testing.assert_allclose(exact, rough, atol=1e-9)
    assert np.abs(exact).max() > 0.1


def test_defects() -> None:
    assert SpecialOrthogonal(4).defect(1.1 * np.eye(4).reshape(-1)) > 0.1
    assert Skew(3).defect(np.eye(3).reshape(-1)) > 1.0


def test_a_bracket_is_that_of_matrices() -> None:
    rng = np.random.default_rng(2)
    v, xi = rng.standard_normal((2, 6))
    A, B = son.hat(v), son.hat(xi)
    assert np.allclose(son.hat(SpecialOrthogonal(4).bracket(v, xi)), A @ B - B @ A)


def test_far_off_the_group_the_distance_is_a_straight_line() -> None:
    x, y = np.eye(3).reshape(-1), 1e200 * np.ones(9)
    assert float(SpecialOrthogonal(3).distance(x, y)) > 1e200
