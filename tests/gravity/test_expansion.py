"""The expansion: what it sums, its derivatives, how it converges."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.bodies import Box, Compound, Cone, Cylinder, Dumbbell, Ellipsoid, GivenIntegrals, Part, PointMasses, Sphere
from polhode.bodies.cubature import interior_points
from polhode.errors import InvalidInputError, PolhodeError
from polhode.gravity import Expansion, PointsPoints
from polhode.gravity.multipoles import highest_degree, reduced_operator
from tests.bodies.shapes import ellipsoid_mesh, lumpy
from tests.gravity.reference import (
    by_complex_step,
    cloud,
    exact_potential,
    rotation,
    sixfold_potential,
    truncated_potential,
)

G = 0.7
X = np.array([1.1, -0.7, 1.6])
R = rotation(4)
ONE, TWO = cloud(1, 6), cloud(2, 5)
ORDERS = [2, 3, 4, 5, 6, 7, 8, 11, 16, 24]


@pytest.mark.parametrize("order", ORDERS)
def test_potential_force_and_moment_of_the_joint_truncation(order: int):
    U, F, M = Expansion(ONE, TWO, order, G).evaluate(X, R)
    u, f, m = by_complex_step(lambda x, r: truncated_potential(ONE, TWO, order, G, x, r), X, R)
    assert pytest.approx(u, rel=3e-15) == U
    np.testing.assert_allclose(F, f, rtol=0, atol=1e-14 * np.linalg.norm(f))
    np.testing.assert_allclose(M, m, rtol=0, atol=3e-14 * np.linalg.norm(m))


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
def test_sixfold_sum_of_inertia_integrals(order: int):
    # full integrals, traces and all, of bodies that are no points: only their trace-free parts may matter
    one, two = lumpy(density=1.0), Ellipsoid(3.0, [0.9, 0.7, 0.4])
    x = 2.0 * X
    total = sixfold_potential(one.inertia_integrals(order), two.inertia_integrals(order), order, G, x, R)
    assert Expansion(one, two, order, G).evaluate(x, R)[0] == pytest.approx(total, rel=2e-14)


@pytest.mark.parametrize("at", [[2.0, 0, 0], [0, 2.0, 0], [0, 0, 2.0], [0, 0, -2.0], [1.2, 1.2, 0], [1e-9, 1e-9, 2.0]])
def test_on_axes_and_planes(at):
    x = np.array(at, dtype=float)
    for r in (np.eye(3), R):
        U, F, M = Expansion(ONE, TWO, 7, G).evaluate(x, r)
        u, f, m = by_complex_step(lambda a, b: truncated_potential(ONE, TWO, 7, G, a, b), x, r)
        assert pytest.approx(u, rel=3e-15) == U
        np.testing.assert_allclose(F, f, rtol=0, atol=1e-14 * np.linalg.norm(f))
        np.testing.assert_allclose(M, m, rtol=0, atol=1e-14 * np.linalg.norm(f))


@pytest.mark.parametrize("order", [2, 3, 5, 8])
def test_moments_are_those_of_the_pair_seen_from_the_other_body(order: int):
    pair, swapped = Expansion(ONE, TWO, order, G), Expansion(TWO, ONE, order, G)
    U, F, _ = pair.evaluate(X, R)
    U_, F_, M_ = swapped.evaluate(-R.T @ X, R.T)
    assert pytest.approx(U_, rel=1e-14) == U
    np.testing.assert_allclose(F, -R @ F_, rtol=0.0, atol=1e-13 * np.linalg.norm(F))
    on1, on2 = pair.moments(X, R)
    size = np.linalg.norm(on1) + np.linalg.norm(on2)
    np.testing.assert_allclose(on2, -R @ M_, rtol=0.0, atol=1e-12 * size)
    np.testing.assert_allclose(on1, R @ (np.cross(-R.T @ X, F_) + M_), rtol=0.0, atol=1e-12 * size)
    # what the bodies and their orbit exchange adds up to nothing
    np.testing.assert_allclose(on1 + on2 - np.cross(X, F), 0.0, atol=1e-13 * size)


@pytest.mark.parametrize("order", [2, 3, 4, 6])
def test_error_falls_with_distance_as_the_next_degree(order: int):
    # the first degree left out goes as r^-(order + 2)
    def error(r):
        x = r * X / np.linalg.norm(X)
        return abs(Expansion(ONE, TWO, order, G).evaluate(x, R)[0] - exact_potential(ONE, TWO, G, x, R))

    slopes = [np.log2(error(r) / error(2 * r)) for r in (8.0, 16.0)]
    assert abs(slopes[1] - (order + 2)) < 0.15
    assert abs(slopes[0] - (order + 2)) < 0.3


def test_converges_to_the_exact_sum():
    exact = PointsPoints(ONE, TWO, G).evaluate(X, R)
    found = Expansion(ONE, TWO, 40, G).evaluate(X, R)
    assert found[0] == pytest.approx(exact[0], rel=1e-14)
    np.testing.assert_allclose(found[1], exact[1], rtol=1e-13)
    np.testing.assert_allclose(found[2], exact[2], rtol=1e-11)


def test_ellipsoid_and_its_mesh():
    semiaxes = [0.5, 0.4, 0.3]
    exact = Expansion(Ellipsoid.of_density(1.0, semiaxes), TWO, 6, G).evaluate(X, R)
    errors = []
    for level in (2, 3, 4):
        found = Expansion(ellipsoid_mesh(level, semiaxes, density=1.0), TWO, 6, G).evaluate(X, R)
        errors.append([abs(found[0] - exact[0]), np.abs(found[1] - exact[1]).max(), np.abs(found[2] - exact[2]).max()])
    ratios = np.array(errors[1]) / errors[2]
    np.testing.assert_allclose(ratios, 4.0, atol=0.25)


def test_compounds_attract_as_the_points_inside_them():
    parts = [
        Part(Cone(0.3, 0.8, density=2.0), [0.1, 0.2, 0.3], axis=[1, 2, 3]),
        Part(Cylinder(0.5, 0.1, mass=0.4, inner_radius=0.4), [0.0, -0.1, 0.0], axis=[1, 0, 0]),
        Box([0.2, 0.3, 0.4], density=1.5),
    ]
    body = Compound(parts, recentre=True)
    masses, points = interior_points(body, 16)
    x = 3.0 * X
    exact = -G * 2.0 * np.sum(masses / np.linalg.norm(x - points, axis=1))
    # body 2 is at the origin with its axes, body 1 is the ball
    assert Expansion(Sphere(2.0, 0.1), body, 16, G).evaluate(x, R)[0] == pytest.approx(exact, rel=1e-12)
    with pytest.raises(InvalidInputError, match="recentre=True"):
        Expansion(Sphere(2.0, 0.1), Compound(parts), 4, G)


def test_spheres_are_points():
    U, F, M = Expansion(Sphere(2.0, 0.5), Sphere(3.0, 0.4), 9, G).evaluate(X, R)
    r = np.linalg.norm(X)
    assert pytest.approx(-G * 6.0 / r, rel=1e-15) == U
    np.testing.assert_allclose(F, G * 6.0 * X / r**3, rtol=1e-15)
    assert np.all(M == 0.0)
    for order in (2, 5, 12):
        operator = reduced_operator(Sphere(2.0, 0.5).inertia_integrals(order, 0.5), order)
        assert highest_degree(operator) == 0


def test_bodies_of_few_degrees_are_not_cut():
    # a dumbbell has only even degrees, and a body of given integrals stops at its own
    one = Dumbbell(1.0, 0.5, fraction=0.4)
    assert highest_degree(reduced_operator(one.inertia_integrals(7, 0.5), 7)) == 7
    even = Dumbbell(1.0, 0.5)
    assert highest_degree(reduced_operator(even.inertia_integrals(7, 0.5), 7)) == 6
    for a, b in ((even, TWO), (TWO, even), (even, Sphere(1.0, 0.1)), (Sphere(1.0, 0.1), even)):
        points = [PointMasses([1.0], [[0.0, 0.0, 0.0]]) if isinstance(body, Sphere) else body for body in (a, b)]
        U, F, M = Expansion(a, b, 7, G).evaluate(X, R)
        u, f, m = by_complex_step(lambda x, r, p=points: truncated_potential(*p, 7, G, x, r), X, R)
        assert pytest.approx(u, rel=3e-15) == U
        np.testing.assert_allclose(F, f, rtol=0, atol=1e-14 * np.linalg.norm(f))
        np.testing.assert_allclose(M, m, rtol=0, atol=1e-13 * np.linalg.norm(m) + 1e-16)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e9])
def test_any_units(unit: float):
    def scaled(body):
        return PointMasses(body.masses * 1e20, body.positions * unit)

    U, F, M = Expansion(scaled(ONE), scaled(TWO), 20, 1e-11).evaluate(X * unit, R)
    u, f, m = Expansion(ONE, TWO, 20, 1.0).evaluate(X, R)
    assert pytest.approx(u * 1e29 / unit, rel=1e-14) == U
    np.testing.assert_allclose(F, f * 1e29 / unit**2, rtol=1e-13)
    np.testing.assert_allclose(M, m * 1e29 / unit, rtol=1e-13)


@pytest.mark.parametrize("make", [Ellipsoid, lambda m, a: Dumbbell(m, 2 * a[0])], ids=["ellipsoids", "dumbbells"])
def test_high_orders_of_planets(make):
    """In metres and kilograms the integrals of degree 44 and more are beyond the largest double."""

    def pair(mass, length, G):
        one, two = ([a * length for a in axes] for axes in ([1.0, 0.9, 0.8], [0.3, 0.25, 0.2]))
        return Expansion(make(mass, one), make(0.01 * mass, two), 48, G).evaluate(3.0 * X * length, R)

    U, F, M = pair(6e24, 6.4e6, 6.67e-11)
    u, f, m = pair(1.0, 1.0, 1.0)
    assert pytest.approx(u * 6.67e-11 * 6e24**2 / 6.4e6, rel=1e-13) == U
    np.testing.assert_allclose(F, f * 6.67e-11 * 6e24**2 / 6.4e6**2, rtol=1e-12)
    np.testing.assert_allclose(M, m * 6.67e-11 * 6e24**2 / 6.4e6, rtol=0, atol=1e-12 * np.abs(M).max())


def test_refusals():
    with pytest.raises(InvalidInputError, match="order = 1"):
        Expansion(ONE, TWO, 1, G)
    with pytest.raises(InvalidInputError, match="G = 0"):
        Expansion(ONE, TWO, 2, 0.0)
    with pytest.raises(InvalidInputError, match=r"body2.*a body"):
        Expansion(ONE, 3.0, 2, G)  # type: ignore[arg-type]
    off = PointMasses([1.0, 1.0], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    with pytest.raises(InvalidInputError, match=r"body1.*not 0.5 from it: use recentre=True"):
        Expansion(off, TWO, 2, G)
    with pytest.raises(InvalidInputError, match=r"body1.*not 0.5 from it: give its integrals about the mass centre"):
        Expansion(GivenIntegrals({"000": 2.0, "100": 1.0, "200": 3.0, "020": 2.0, "002": 1.0}), TWO, 2, G)
    with pytest.raises(InvalidInputError, match="order = 5: expected an order up to 4"):
        Expansion(GivenIntegrals(ONE.inertia_integrals(4)), TWO, 5, G)
    pair = Expansion(ONE, TWO, 3, G)
    with pytest.raises(InvalidInputError, match="X = "):
        pair.evaluate([1.0, 2.0], R)
    with pytest.raises(InvalidInputError, match="R = "):
        pair.evaluate(X, np.ones((2, 3, 3)))
    with pytest.raises(PolhodeError, match="singular at X"):
        pair.evaluate([0.0, 0.0, 0.0], R)
