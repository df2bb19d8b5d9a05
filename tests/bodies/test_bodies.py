"""Bodies in closed form: their integrals against formulas of another kind, their round trip, their refusals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from polhode.bodies import (
    Body,
    Box,
    Compound,
    Cone,
    Cylinder,
    Dumbbell,
    Ellipsoid,
    GivenIntegrals,
    Part,
    PointMasses,
    Sphere,
    body_from,
)
from polhode.bodies.integrals import inertia_from
from polhode.errors import InvalidInputError
from tests.bodies.shapes import CUBE, CUBE_FACES, lumpy

RNG = np.random.default_rng(3)
CLOUD = PointMasses(RNG.uniform(0.5, 2.0, 7), RNG.normal(size=(7, 3)))
BALLS = PointMasses(RNG.uniform(0.5, 2.0, 4), RNG.normal(size=(4, 3)), radii=[0.0, 0.3, 0.5, 0.2])
BODIES: list[Body] = [
    CLOUD,
    BALLS,
    Dumbbell(1.5, 0.25, fraction=0.3, radius=0.02, inertia=[0.0004, 0.0238, 0.0238]),
    Sphere(2.0, 3.0),
    Ellipsoid(2.0, [3.0, 2.0, 1.0]),
    lumpy(density=2.0),
    GivenIntegrals(BALLS.inertia_integrals(11), radius=4.0),
    Box([3.0, 2.0, 1.0], density=2.0, colour="#D55E00"),
    Cylinder(0.5, 2.0, mass=3.0, inner_radius=0.4),
    Cone(0.5, 2.0, density=3.0),
    Compound(
        [Part(Cone(0.5, 2.0, mass=1.0), [0.3, -0.2, 1.0], axis=[1.0, 2.0, -3.0]), Sphere(1.0, 0.5)], colour="#0072B2"
    ),
]
each_body = pytest.mark.parametrize("body", BODIES, ids=lambda b: b.kind)


def test_ellipsoid_by_gamma_functions():
    # Dirichlet's integral: over the unit ball, ∫ |x|^i |y|^j |z|^k dV = ∏ Γ((i+1)/2) / Γ((n+5)/2)
    semiaxes = (3.0, 2.0, 0.5)
    T = Ellipsoid.of_density(1.7, semiaxes).inertia_integrals(12)
    for i, j, k in itertools.product(range(13), repeat=3):
        n = i + j + k
        if n > 12 or i % 2 or j % 2 or k % 2:
            assert T[i, j, k] == 0.0
            continue
        ball = math.gamma((i + 1) / 2) * math.gamma((j + 1) / 2) * math.gamma((k + 1) / 2) / math.gamma((n + 5) / 2)
        exact = 1.7 * ball * semiaxes[0] ** (i + 1) * semiaxes[1] ** (j + 1) * semiaxes[2] ** (k + 1)
        assert T[i, j, k] == pytest.approx(exact, rel=1e-14)


def test_points_by_the_sum_itself():
    T = CLOUD.inertia_integrals(5)
    for i, j, k in itertools.product(range(6), repeat=3):
        terms = [m * x**i * y**j * z**k for m, (x, y, z) in zip(CLOUD.masses, CLOUD.positions, strict=True)]
        exact = math.fsum(terms) if i + j + k <= 5 else 0.0
        assert T[i, j, k] == pytest.approx(exact, abs=1e-14 * sum(map(abs, terms)))


def test_balls_by_quadrature():
    # a ball's mean over shells: Gauss–Legendre in radius and cosine, equal steps in longitude, exact to degree 9
    u, wu = np.polynomial.legendre.leggauss(8)
    r, wr = (u + 1) / 2, wu / 2 * ((u + 1) / 2) ** 2 * 3
    phi = 2 * np.pi * np.arange(16) / 16
    R, C, P = np.meshgrid(r, u, phi, indexing="ij")
    W = (wr[:, None, None] * (wu / 2)[None, :, None] / 16 * np.ones(16)).ravel()
    s = np.sqrt(1 - C**2)
    unit = np.stack([R * s * np.cos(P), R * s * np.sin(P), R * C], axis=-1).reshape(-1, 3)
    masses = np.concatenate([m * W for m in BALLS.masses])
    places = np.concatenate([c + a * unit for c, a in zip(BALLS.positions, BALLS.radii, strict=True)])
    fine = PointMasses(masses, places).inertia_integrals(8)
    np.testing.assert_allclose(BALLS.inertia_integrals(8), fine, rtol=0, atol=1e-13 * np.abs(fine).max())
    np.testing.assert_allclose(BALLS.inertia_of_points, inertia_from(fine), rtol=1e-13)


def test_inertia_is_about_the_mass_centre():
    moved = PointMasses(CLOUD.masses, CLOUD.positions + [5.0, -3.0, 2.0])
    np.testing.assert_allclose(moved.inertia, CLOUD.inertia, rtol=1e-12)
    np.testing.assert_allclose(moved.centre - CLOUD.centre, [5.0, -3.0, 2.0], rtol=1e-13)
    recentred = PointMasses(CLOUD.masses, CLOUD.positions, recentre=True)
    assert np.abs(recentred.centre).max() < 1e-15
    np.testing.assert_allclose(recentred.inertia, CLOUD.inertia, rtol=1e-13)


def test_dumbbell_of_the_paper():
    # two balls: J_xx = 2/5 m a², J_yy = m l²/4 + J_xx, printed as 0.0004 and 0.0238
    body = Dumbbell(1.5, 0.25, radius=math.sqrt(0.0004 / (0.4 * 1.5)))
    np.testing.assert_allclose(np.diag(body.inertia), [0.0004, 0.0238375, 0.0238375], rtol=1e-12)
    printed = Dumbbell(1.5, 0.25, inertia=[0.0004, 0.0238, 0.0238])
    np.testing.assert_array_equal(np.diag(printed.inertia), [0.0004, 0.0238, 0.0238])
    heavy = Dumbbell(4.0, 2.0, fraction=0.25)
    np.testing.assert_allclose(heavy.positions[:, 0], [1.5, -0.5])
    np.testing.assert_allclose(heavy.masses, [1.0, 3.0])


@each_body
def test_description_makes_the_body_again(body: Body):
    again = body_from(body.describe())
    assert type(again) is type(body)
    assert again.mass == pytest.approx(body.mass, rel=1e-15)
    np.testing.assert_allclose(again.inertia, body.inertia, rtol=1e-14, atol=1e-15)
    # odd integrals of symmetric bodies are rounding, so compare with the largest
    T = body.inertia_integrals(11)
    np.testing.assert_allclose(again.inertia_integrals(11), T, rtol=1e-13, atol=1e-13 * np.abs(T).max())
    assert again.describe() == body.describe()
    assert again.radius == body.radius


@each_body
def test_lower_orders_are_parts_of_higher_ones(body: Body):
    T = body.inertia_integrals(6)
    low = body.inertia_integrals(3)
    for i, j, k in itertools.product(range(4), repeat=3):
        assert low[i, j, k] == (pytest.approx(T[i, j, k], rel=1e-14, abs=1e-15) if i + j + k <= 3 else 0.0)
    assert T[0, 0, 0] == pytest.approx(body.mass, rel=1e-14)


def test_given_integrals_by_any_key():
    named = {"000": 2.0, (2, 0, 0): 3.0, "0 2 0": 2.0, "002": 1.0, "110": 0.5}
    body = GivenIntegrals(named)
    np.testing.assert_allclose(body.inertia, [[3.0, -0.5, 0.0], [-0.5, 4.0, 0.0], [0.0, 0.0, 5.0]])
    with pytest.raises(InvalidInputError, match="order = 3: expected an order up to 2"):
        body.inertia_integrals(3)


REFUSED = {
    "mass = -1": lambda: Sphere(-1.0, 1.0),
    "mass = nan": lambda: Ellipsoid(float("nan"), [1, 1, 1]),
    "semiaxes": lambda: Ellipsoid(1.0, [1.0, 0.0, 1.0]),
    "radius = 0": lambda: Sphere(1.0, 0.0),
    "masses": lambda: PointMasses([1.0, -1.0], np.zeros((2, 3))),
    r"positions.*shape \(1, 3\), not \(2, 3\)": lambda: PointMasses([1.0], np.zeros((2, 3))),
    "radii": lambda: PointMasses([1.0], np.zeros((1, 3)), radii=-1.0),
    "inertia.*symmetric": lambda: PointMasses([1.0], np.zeros((1, 3)), inertia=np.arange(9.0).reshape(3, 3)),
    "fraction": lambda: Dumbbell(1.0, 1.0, fraction=1.0),
    "length": lambda: Dumbbell(1.0, 0.0),
    "order = -1": lambda: Sphere(1.0, 1.0).inertia_integrals(-1),
    "order = 2.0": lambda: Sphere(1.0, 1.0).inertia_integrals(2.0),  # type: ignore[arg-type]
    "integrals.*keys": lambda: GivenIntegrals({"00": 1.0}),
    "integrals.*shape": lambda: GivenIntegrals(np.ones((2, 3, 3))),
    "negative eigenvalue": lambda: GivenIntegrals({"000": 1.0, "200": -1.0}),
    "type = 'blob'": lambda: body_from({"type": "blob"}),
    "body.size = 2.0: unknown key": lambda: body_from({"type": "sphere", "mass": 1.0, "size": 2.0}),
    "either mass or density": lambda: body_from({"type": "polyhedron", "vertices": CUBE, "faces": CUBE_FACES}),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals_name_the_field(message: str):
    with pytest.raises(InvalidInputError, match=message):
        REFUSED[message]()
