"""Continuous bodies as weighted points: sums over them are integrals over the body, exact for polynomials up to a degree.

An ellipsoid is a ball that was stretched: Gauss's points in the radius (with the weight r²) and in the height, and evenly
spaced ones around. Bodies of revolution have Gauss's points in the height and in the radius, and evenly spaced ones around. A polyhedron is the pyramids of its faces over the mass centre, each with the conical product of Gauss's
points. Point masses are taken as they are, and a compound is its parts.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_integer
from ..errors import InvalidInputError
from .base import Body
from .compound import Compound
from .ellipsoid import Ellipsoid
from .points import PointMasses
from .polyhedron import Polyhedron
from .revolution import Revolved

Array = NDArray[np.float64]


def interior_points(body: Body, degree: int = 8) -> tuple[Array, Array]:
    """Masses (n,) and positions (n, 3), with which sums are exact for polynomials of at most this degree.

    >>> from polhode.bodies import Ellipsoid
    >>> masses, positions = interior_points(Ellipsoid(5.0, [3.0, 2.0, 1.0]), degree=4)
    >>> round(float(masses @ (positions[:, 0] ** 2 * positions[:, 1] ** 2)), 12)
    5.142857142857
    """
    degree = check_integer("degree", degree, 1)
    if isinstance(body, PointMasses):
        return body.masses, body.positions
    if isinstance(body, Ellipsoid):
        weights, points = _ball(degree)
        return body.mass * weights, points * body.semiaxes
    if isinstance(body, Polyhedron):
        return _pyramids(body, degree)
    if isinstance(body, Revolved):
        return _revolved(body, degree)
    if isinstance(body, Compound):
        found = [(part, *interior_points(part.body, degree)) for part in body.parts]
        places = [points @ part.R.T + part.position for part, _, points in found]
        return np.concatenate([masses for _, masses, _ in found]), np.concatenate(places)
    raise InvalidInputError("body", body, "point masses or a body with a shape, not one of integrals only")


def gauss(count: int, power: int) -> tuple[Array, Array]:
    """Points and weights of `∫₀¹ f(t) tᵖ dt`, exact for polynomials of degree 2·count − 1."""
    from scipy.special import roots_jacobi

    x, w = roots_jacobi(count, 0.0, float(power))
    return 0.5 * (x + 1.0), w / 2.0 ** (power + 1)


def _ball(degree: int) -> tuple[Array, Array]:
    """Weights, whose sum is 1, and points of the unit ball."""
    count = degree // 2 + 1
    (r, radial), (z, along) = gauss(count, 2), np.polynomial.legendre.leggauss(count)
    angles = 2.0 * np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1)
    R, Z, A = np.meshgrid(r, z, angles, indexing="ij")
    around = np.sqrt(1.0 - Z * Z)
    points = np.stack([R * around * np.cos(A), R * around * np.sin(A), R * Z], axis=-1).reshape(-1, 3)
    weights = np.einsum("i,j,k->ijk", 3.0 * radial, 0.5 * along, np.full(degree + 1, 1.0 / (degree + 1)))
    return weights.reshape(-1), points


def _revolved(body: Revolved, degree: int) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(degree // 2 + 2)
    share = 0.5 * (x + 1.0)
    z = body.heights[0] + share * (body.heights[1] - body.heights[0])
    inner, outer = body.radii_at(z)
    r = inner[:, None] + np.outer(outer - inner, share)
    angles = 2.0 * np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1)
    weights = (w[:, None] * w * (outer - inner)[:, None] * r)[:, :, None] * np.ones(degree + 1)
    R, Z = r[:, :, None], np.broadcast_to(z[:, None, None], weights.shape)
    points = np.stack([R * np.cos(angles), R * np.sin(angles), Z], axis=-1).reshape(-1, 3)
    return body.mass * weights.reshape(-1) / weights.sum(), points


def _pyramids(body: Polyhedron, degree: int) -> tuple[Array, Array]:
    count = degree // 2 + 1
    volumes = np.linalg.det(body.corners)  # six times that of each pyramid
    if not np.all(volumes >= 0.0):
        raise InvalidInputError("body", body, "a polyhedron whose faces are all seen from its mass centre")
    rules = [gauss(count, power) for power in (2, 1, 0)]
    points, weights = [], []
    for (a, u), (b, v), (c, w) in product(*(list(zip(*rule, strict=True)) for rule in rules)):
        shares = a * np.array([1.0 - b, b * (1.0 - c), b * c])  # of the three corners
        points.append(np.einsum("k,nkj->nj", shares, body.corners))
        weights.append(u * v * w * volumes)
    masses, places = np.concatenate(weights), np.concatenate(points)
    keep = masses > 0.0
    return masses[keep] * (body.mass / masses.sum()), places[keep]
