"""An ellipsoid as points: moments, and the attraction on its surface against the closed form by elliptic integrals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import elliprd, elliprf

from polhode.bodies import Ellipsoid, PointMasses, Sphere
from polhode.errors import InvalidInputError
from polhode.gravity.focal_points import focal_points, points_of
from tests.bodies.shapes import sphere_mesh


def ellipsoid_field(body: Ellipsoid, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The potential energy of a unit mass at points outside, G = 1, and its gradient: Dirichlet's integrals from the
    confocal ellipsoid through the point, in Carlson's form."""
    squares = body.semiaxes**2
    low, high = np.zeros(len(x)), np.sum(x**2, axis=1)
    for _ in range(100):
        middle = 0.5 * (low + high)
        within = np.sum(x**2 / (squares + middle[:, None]), axis=1) > 1.0
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    a, b, c = (squares + high[:, None]).T
    D = np.stack([elliprd(b, c, a), elliprd(c, a, b), elliprd(a, b, c)], axis=1)
    return body.mass * (0.5 * np.sum(x**2 * D, axis=1) - 1.5 * elliprf(a, b, c)), body.mass * x * D


@pytest.mark.parametrize(
    "semiaxes", [[3.0, 2.0, 1.0], [1.0, 3.0, 2.0], [2.0, 2.0, 1.0], [1.0, 1.0, 3.0], [1.0, 1.05, 1.1]]
)
@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
@pytest.mark.parametrize("clear", [0.0, 0.2])
def test_attraction_on_the_surface_is_that_of_the_ellipsoid(
    semiaxes: list[float], tolerance: float, clear: float
) -> None:
    body = Ellipsoid(1.7, semiaxes)
    points = focal_points("body", body, clear, tolerance)
    assert points[:, 0].sum() == pytest.approx(1.7, rel=1e-13)
    assert np.all(points[:, 0] > 0.0)
    directions = sphere_mesh(2)[0]  # the axes among them, in whose ends the error is largest
    normals = directions / body.semiaxes
    x = directions * body.semiaxes + clear * normals / np.linalg.norm(normals, axis=1, keepdims=True)
    d = x[:, None] - points[:, 1:]
    r = np.linalg.norm(d, axis=2)
    U, F = ellipsoid_field(body, x)
    np.testing.assert_allclose(-(points[:, 0] / r).sum(axis=1), U, rtol=tolerance)
    found = np.sum((points[:, 0] / r**3)[:, :, None] * d, axis=1)
    assert np.linalg.norm(found - F, axis=1).max() < 10 * tolerance * np.linalg.norm(F, axis=1).max()


def test_a_ball_is_a_point_and_points_stay_points() -> None:
    cloud = PointMasses([1.0, 2.0], [[2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(points_of("body1", Sphere(2.0, 3.0), cloud, 1e-10), [[2.0, 0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(
        points_of("body1", cloud, cloud, 1e-10), [[1.0, 2.0, 0.0, 0.0], [2.0, -1.0, 0.0, 0.0]]
    )
    segment = focal_points("body", Ellipsoid(1.0, [1.0, 1.0, 2.0]), 0.0, 1e-8)
    assert np.all(segment[:, 1:3] == 0.0)


def test_too_flat_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"body2.semiaxes = .*too many points"):
        points_of("body2", Ellipsoid(1.0, [1.0, 1.0, 0.05]), Sphere(1.0, 0.01), 1e-10)
