"""Weighted points of continuous bodies, against the integrals of monomials that the bodies give."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Body, Compound, Cone, Cylinder, Ellipsoid, Part, PointMasses, Polyhedron
from polhode.bodies.cubature import interior_points
from polhode.bodies.integrals import exponents

BOX = np.array([[x, y, z] for x in (-1.0, 2.0) for y in (-0.5, 0.5) for z in (-1.5, 0.5)])
BOX_FACES = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
]  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        Ellipsoid(5.0, [3.0, 2.0, 1.0]),
        Polyhedron(BOX, BOX_FACES, mass=2.0, recentre=True),
        PointMasses([1.0, 2.0, 3.0], [[1, 0, 0], [0, 1, 0], [0, 0.5, -1]], recentre=True),
        Cylinder(1.0, 3.0, mass=2.0, inner_radius=0.6),
        Compound(
            [Part(Cone(1.0, 3.0, mass=2.0), [0.5, 0.0, 1.0], axis=[1.0, 1.0, 0.0]), Ellipsoid(1.0, [1.0, 2.0, 1.5])]
        ),
    ],
    ids=["ellipsoid", "box", "points", "tube", "compound"],
)
def test_monomials_are_integrated_exactly(body: Body) -> None:
    masses, x = interior_points(body, degree=5)
    T = body.inertia_integrals(5)
    assert masses.min() > 0.0
    for i, j, k in exponents(5):
        found = masses @ (x[:, 0] ** i * x[:, 1] ** j * x[:, 2] ** k)
        assert found == pytest.approx(float(T[i, j, k]), abs=1e-12 * body.mass * body.radius ** (i + j + k))


def test_the_degree_matters() -> None:
    body = Ellipsoid(5.0, [3.0, 2.0, 1.0])
    masses, x = interior_points(body, degree=3)
    assert masses @ x[:, 0] ** 6 != pytest.approx(float(body.inertia_integrals(6)[6, 0, 0]), rel=1e-3)
    with pytest.raises(ph.InvalidInputError, match="degree"):
        interior_points(body, degree=0)
