"""Gravity near contact: against a published value, closed forms, volume integrals, the expansion, and a refinement."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.bodies import Body, Ellipsoid, GivenIntegrals, Polyhedron, Sphere
from polhode.errors import InvalidInputError
from polhode.gravity import Expansion, Interaction, PolyhedronField, PolyhedronPoint, Shapes
from tests.bodies.shapes import CUBE, CUBE_FACES, contact_distance, horseshoe, lumpy, ridged
from tests.gravity.reference import hat, rotation
from tests.gravity.test_focal_points import ellipsoid_field

TOWARDS = np.array([0.8, 0.5, 0.33]) / np.linalg.norm([0.8, 0.5, 0.33])
G = 0.7


def everything(pair: Interaction, X: np.ndarray, R: np.ndarray) -> list[np.ndarray]:
    """Potential, force and both moments."""
    U, F, _ = pair.evaluate(X, R)
    return [np.array([U]), F, *pair.moments(X, R)]


def largest_error(found: list[np.ndarray], exact: list[np.ndarray]) -> float:
    """Of each vector relative to its length."""
    return max(float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in zip(found, exact, strict=True))


def ellipsoid_grid(body: Ellipsoid, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Masses and positions of a product rule in spherical coordinates of the ball that the ellipsoid is stretched from."""
    u, w = np.polynomial.legendre.leggauss(n)
    angles = np.pi * np.arange(2 * n) / n
    r, z, phi = np.meshgrid(0.5 * (u + 1.0), u, angles, indexing="ij")
    rho = r * np.sqrt(1.0 - z**2)
    places = np.stack([rho * np.cos(phi), rho * np.sin(phi), r * z], axis=-1).reshape(-1, 3) * body.semiaxes
    masses = np.einsum("i,j,k->ijk", w * 0.25 * (u + 1.0) ** 2, w, np.ones(2 * n)).ravel()
    return body.mass * masses / masses.sum(), places


def integrated(masses: np.ndarray, places: np.ndarray, field, X: np.ndarray, R: np.ndarray) -> list[np.ndarray]:
    """Potential, force and both moments of matter of body 1 in the field of body 2, G = 1."""
    arms = places @ R.T
    U, slope = field(X + arms)
    f = masses[:, None] * slope
    F, M = f.sum(axis=0), np.cross(arms, f).sum(axis=0)
    return [np.array([masses @ U]), F, -M, np.cross(X, F) + M]


def test_two_cubes_face_to_face() -> None:
    # two unit cubes of unit density in contact, G = 1: Trefethen's "Ten Digit Problems" have 0.9259812605572914
    cube = Polyhedron(0.5 * CUBE, CUBE_FACES, density=1.0)
    for tolerance, error in ((1e-12, 1.5e-11), (1e-10, 6e-10)):
        _, F, M = Shapes(cube, cube, 1.0, tolerance=tolerance).evaluate([1.0, 0.0, 0.0], np.eye(3))
        np.testing.assert_allclose(F, [0.9259812605572914, 0.0, 0.0], rtol=0, atol=error)
        np.testing.assert_allclose(M, 0.0, atol=error)


def test_inside_each_other() -> None:
    # the same body twice, one in the other: U = ∫ dm of its own field, twice its self-energy; nothing is singular
    cube = Polyhedron(0.5 * CUBE, CUBE_FACES, density=1.0)
    U, F, M = Shapes(cube, cube, 1.0, tolerance=1e-12).evaluate([0.0, 0.0, 0.0], np.eye(3))
    # ∬ dV dV/r over the unit cube, in closed form
    s2, s3 = np.sqrt(2.0), np.sqrt(3.0)
    exact = (1 + s2 - 2 * s3) / 5 - np.pi / 3 + np.log((1 + s2) * (2 + s3))
    assert pytest.approx(-2.0 * exact, rel=1e-10) == U
    np.testing.assert_allclose([F, M], 0.0, atol=1e-10)


@pytest.mark.parametrize("apart", [1.001, 1.05, 1.4, 2.0])
def test_two_meshes_against_a_refinement(apart: float) -> None:
    first, second = ridged(2, [0.9, 0.8, 0.7], 1, density=1.0), ridged(2, [1.2, 1.2, 1.0], 2, density=1.3)
    R = rotation(3)
    X = apart * contact_distance(first, second, TOWARDS, R) * TOWARDS
    found = everything(Shapes(first, second, G), X, R)
    assert largest_error(found, everything(Shapes(first, second, G, tolerance=1e-13), X, R)) < 1e-8
    # seen from the other body: the other surface is now cut up, the other field in closed form
    U, F, M1, M2 = everything(Shapes(second, first, G), -R.T @ X, R.T)
    assert largest_error([U, -R @ F, R @ M2, R @ M1], found) < 1e-8


@pytest.mark.verify
@pytest.mark.parametrize("apart", [1.001, 1.03, 1.2, 2.0])
@pytest.mark.parametrize("level", [3, 4])
def test_two_fine_meshes_against_a_refinement(apart: float, level: int) -> None:
    first, second = ridged(level, [0.9, 0.8, 0.7], 1, density=1.0), ridged(level, [1.2, 1.2, 1.0], 2, density=1.3)
    R = rotation(3)
    X = apart * contact_distance(first, second, TOWARDS, R) * TOWARDS
    found = everything(Shapes(first, second, G), X, R)
    assert largest_error(found, everything(Shapes(first, second, G, tolerance=1e-12), X, R)) < 1e-8


def test_two_meshes_against_the_expansion() -> None:
    first, second = lumpy(1, density=1.0, recentre=True), horseshoe(mass=1.3, recentre=True, scale=0.4)
    R, X = rotation(5), np.array([2.2, 1.9, -2.0])
    found, exact = everything(Shapes(first, second, G), X, R), everything(Expansion(first, second, 40, G), X, R)
    assert largest_error(found, exact) < 1e-8


def test_two_ellipsoids_that_nearly_touch() -> None:
    first, second = Ellipsoid(1.3, [1.0, 0.8, 0.6]), Ellipsoid(2.0, [1.5, 1.2, 0.7])
    R = rotation(2)
    X = 1.01 * contact_distance(first, second, TOWARDS, R) * TOWARDS
    masses, places = ellipsoid_grid(first, 24)
    exact = integrated(masses, places, lambda x: ellipsoid_field(second, x), X, R)
    assert largest_error(everything(Shapes(first, second, 1.0), X, R), exact) < 1e-10


def test_where_the_expansion_is_of_no_use() -> None:
    # two flat bodies, one above the other: far inside the circumscribed spheres, but a quarter of their thickness apart
    body = Ellipsoid(1.0, [2.0, 2.0, 1.0])
    X = np.array([0.0, 0.0, 2.5])
    masses, places = ellipsoid_grid(body, 24)
    U, F, _, _ = integrated(masses, places, lambda x: ellipsoid_field(body, x), X, np.eye(3))
    found = Shapes(body, body, 1.0).evaluate(X, np.eye(3))
    assert found[0] == pytest.approx(U[0], rel=1e-11)
    np.testing.assert_allclose(found[1], F, atol=1e-11 * F[2])
    errors = [abs(Expansion(body, body, N, 1.0).evaluate(X, np.eye(3))[1][2] / F[2] - 1.0) for N in (8, 16, 30)]
    assert errors == sorted(errors)
    assert errors[-1] > 1.0


@pytest.mark.parametrize("mesh_first", [False, True])
def test_an_ellipsoid_near_a_mesh(mesh_first: bool) -> None:
    first, second = Ellipsoid(1.3, [0.5, 0.4, 0.3]), lumpy(4, density=1.3, recentre=True)
    R = rotation(2)
    X = 1.2 * contact_distance(first, second, TOWARDS, R) * TOWARDS
    field = PolyhedronField(second, 1.0)
    masses, places = ellipsoid_grid(first, 14)
    exact = integrated(masses, places, lambda x: (field.potential(x), -field.acceleration(x)), X, R)
    if mesh_first:
        U, F, M1, M2 = everything(Shapes(second, first, 1.0), -R.T @ X, R.T)
        found = [U, -R @ F, R @ M2, R @ M1]
    else:
        found = everything(Shapes(first, second, 1.0), X, R)
    assert largest_error(found, exact) < 1e-9


def bodies() -> dict[str, tuple[Body, Body]]:
    mesh, egg = lumpy(1, density=1.0, recentre=True), Ellipsoid(1.3, [0.5, 0.4, 0.3])
    other = lumpy(2, density=1.3, recentre=True)
    return {"meshes": (mesh, other), "mesh": (mesh, egg), "second mesh": (egg, mesh), "ellipsoids": (egg, egg)}


@pytest.mark.parametrize("name", ["meshes", "mesh", "second mesh", "ellipsoids"])
def test_force_and_moment_are_the_slopes_of_the_potential(name: str) -> None:
    first, second = bodies()[name]
    R = rotation(6)
    X = 1.02 * contact_distance(first, second, TOWARDS, R) * TOWARDS
    pair = Shapes(first, second, G)
    _, F, M = pair.evaluate(X, R)

    def energy(step: float, e: np.ndarray) -> float:
        turn = np.eye(3) + np.sin(step) * hat(e[3:]) + (1.0 - np.cos(step)) * hat(e[3:]) @ hat(e[3:])
        return pair.evaluate(X + step * e[:3], turn @ R)[0]

    h = 1e-4
    for a, e in enumerate(np.eye(6)):
        # a potential that jumped by 1e-12 between rules would show as 1e-8 here
        slope = (8.0 * (energy(h, e) - energy(-h, e)) - (energy(2 * h, e) - energy(-2 * h, e))) / (12.0 * h)
        assert slope == pytest.approx([*F, *M][a], abs=3e-8 * np.linalg.norm(F))


def test_a_ball_near_a_mesh_is_a_point() -> None:
    ball, mesh = Sphere(1.3, 0.2), lumpy(4, density=1.3, recentre=True)
    X, R = 1.6 * TOWARDS, rotation(1)
    for a, b in zip(Shapes(ball, mesh, G).evaluate(X, R), PolyhedronPoint(ball, mesh, G).evaluate(X, R), strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_has_no_shape_is_refused() -> None:
    unknown = GivenIntegrals(Ellipsoid(1.0, [1.0, 0.9, 0.8]).inertia_integrals(4))
    with pytest.raises(InvalidInputError, match=r"body1 = .*points, a dumbbell, sphere.*takes any body"):
        Shapes(unknown, Sphere(1.0, 1.0), G)


def test_the_tightest_and_the_widest_tolerance() -> None:
    ball, disc = Sphere(1.3, 0.2), Ellipsoid(1.0, [1.0, 0.9, 0.8])
    for tolerance in (1e-14, 1e-2):
        assert Shapes(ball, disc, G, tolerance=tolerance).tolerance == tolerance
    for tolerance in (1e-20, 0.99e-14, 1.01e-2, 1.0):
        with pytest.raises(InvalidInputError, match=f"tolerance = {tolerance:g}.*from 1e-14 to 0.01"):
            Shapes(ball, disc, G, tolerance=tolerance)
