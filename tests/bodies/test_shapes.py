"""Boxes, cylinders, cones and compounds: their integrals against those of meshes, their places, their refusals."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.bodies import Body, Box, Compound, Cone, Cylinder, Part, PointMasses, Polyhedron, Sphere, body_from
from polhode.bodies.compound import z_axis_to
from polhode.bodies.integrals import moved_integrals
from polhode.bodies.revolution import Revolved
from polhode.errors import InvalidInputError
from polhode.geometry import so3

ORDER = 6
TUBE, CONE = Cylinder(1.3, 0.7, density=2.0, inner_radius=0.9), Cone(0.8, 1.7, density=3.0)


@pytest.mark.parametrize("body", [Cylinder(1.3, 0.7, density=2.0), TUBE, CONE], ids=["cylinder", "tube", "cone"])
def test_bodies_of_revolution_against_meshes(body: Revolved) -> None:
    """The error of an inscribed mesh falls with the square of its corners: extrapolated, it is the body's integral."""
    coarse, fine = (
        Polyhedron(*body.mesh(n), density=body.density, recentre=False).inertia_integrals(ORDER) for n in (128, 256)
    )
    T = body.inertia_integrals(ORDER)
    assert np.abs(fine - T).max() > 1e-5  # what is extrapolated away
    np.testing.assert_allclose((4.0 * fine - coarse) / 3.0, T, atol=3e-7 * np.abs(T).max())
    assert body.polyhedron(256).volume == pytest.approx(body.volume, rel=1e-3)
    farthest = np.linalg.norm(body.mesh(64)[0], axis=1).max()
    assert body.radius == pytest.approx(farthest, rel=1e-12)


def test_box_is_the_polyhedron_of_its_corners() -> None:
    box = Box([1.0, 2.0, 3.0], density=1.5)
    mesh = Polyhedron(box.vertices, box.faces, density=1.5, recentre=False)
    np.testing.assert_allclose(box.inertia_integrals(ORDER), mesh.inertia_integrals(ORDER), rtol=1e-12, atol=1e-13)
    assert (box.volume, box.radius) == (pytest.approx(mesh.volume), pytest.approx(mesh.radius))


def test_cone_is_placed_at_its_mass_centre() -> None:
    mesh = Polyhedron(*CONE.mesh(96), mass=1.0, recentre=False)
    np.testing.assert_allclose(mesh.centre, 0.0, atol=1e-12)
    assert CONE.tip[2] == mesh.vertices[:, 2].max()


@pytest.mark.parametrize("body", [Box([1.0, 2.0, 3.0], density=1.5), CONE, Sphere(2.0, 0.7)], ids=lambda b: b.kind)
def test_moved_integrals(body: Body) -> None:
    """Twice moved is moved once by the product, and a rotation about the mass centre turns the inertia."""
    R, S = so3.exp([0.3, -0.5, 0.9]), so3.exp([-1.1, 0.2, 0.4])
    d, e = np.array([0.4, -0.2, 0.7]), np.array([-0.6, 0.1, 0.3])
    T = body.inertia_integrals(ORDER)
    twice, once = moved_integrals(moved_integrals(T, R, d), S, e), moved_integrals(T, S @ R, S @ d + e)
    np.testing.assert_allclose(twice, once, atol=1e-12 * np.abs(once).max())
    part = Compound([Part(body, d, R=R)])
    np.testing.assert_allclose(part.inertia, R @ body.inertia @ R.T, atol=1e-12 * np.abs(body.inertia).max())
    np.testing.assert_allclose(part.centre, d, atol=1e-14)


def test_moved_integrals_of_a_mesh() -> None:
    box, R, d = Box([1.0, 2.0, 3.0], density=1.5), so3.exp([0.3, -0.5, 0.9]), np.array([0.4, -0.2, 0.7])
    mesh = Polyhedron(box.vertices @ R.T + d, box.faces, density=1.5, recentre=False)
    np.testing.assert_allclose(
        Compound([Part(box, d, R=R)]).inertia_integrals(ORDER),
        mesh.inertia_integrals(ORDER),
        atol=1e-12 * np.abs(mesh.inertia_integrals(ORDER)).max(),
    )


def test_compound_of_points_is_those_points() -> None:
    places = np.array([[1.0, 0.0, 0.2], [-0.3, 0.8, 0.0], [0.1, -0.2, -0.9]])
    parts = [Part(Sphere(m, 0.1), x) for m, x in zip([1.0, 2.0, 3.0], places, strict=True)]
    balls = PointMasses([1.0, 2.0, 3.0], places, radii=0.1)
    body = Compound(parts)
    np.testing.assert_allclose(body.inertia, balls.inertia, rtol=1e-13)
    np.testing.assert_allclose(body.inertia_integrals(5), balls.inertia_integrals(5), atol=1e-13)
    assert (body.volume, body.radius) == (pytest.approx(balls.volume), pytest.approx(balls.radius))
    moved = Compound(parts, recentre=True)
    np.testing.assert_allclose(moved.centre, 0.0, atol=1e-15)
    np.testing.assert_allclose(moved.inertia, body.inertia, rtol=1e-13)


@pytest.mark.parametrize("axis", [[1, 2, -3], [0, 0, -1], [1e-9, 0, -1], [3e-5, -2e-5, -1], [0, 0, 4]])
def test_z_axis_to(axis: list[float]) -> None:
    R, n = z_axis_to("axis", axis), np.array(axis) / np.linalg.norm(axis)
    np.testing.assert_allclose(R @ [0, 0, 1], n, atol=1e-15)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) > 0.0
    assert np.trace(R) == pytest.approx(1.0 + 2.0 * n[2], abs=1e-14)  # the shortest: by the angle between z and n


def test_nested_compounds_come_back_bit_for_bit() -> None:
    inner = Compound([Part(CONE, [0.1, 0.2, 0.3], axis=[1, 2, 3]), TUBE], colour="#009E73")
    body = Compound([Part(inner, [1.0, 0.0, 0.0], R=so3.exp([0.1, 0.2, 0.3])), Box([1, 2, 3], mass=1.0)], recentre=True)
    again = body_from(body.describe())
    assert again.describe() == body.describe()
    assert np.array_equal(again.inertia_integrals(4), body.inertia_integrals(4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box([1.0, 0.0, 1.0], mass=1.0), "sides = .*three positive lengths"),
        (lambda: Box([1.0, 1.0, 1.0]), "mass = None: expected either mass or density"),
        (lambda: Cylinder(1.0, 2.0, mass=1.0, density=2.0), "either mass or density"),
        (lambda: Cylinder(1.0, 2.0, mass=1.0, inner_radius=1.0), "inner_radius = 1.0: expected a number below the radius"),
        (lambda: Cone(-1.0, 2.0, mass=1.0), "radius = -1.0"),
        (lambda: Cone(1.0, 2.0, mass=1.0, colour="red"), "colour = 'red': expected .*#rrggbb"),
        (lambda: Compound([]), "at least one part"),
        (lambda: Compound([3.0]), r"parts\[0\] = 3.0"),
        (lambda: Compound([{"type": "box", "sides": [1, 1, 1], "mass": 1.0, "postion": [0, 0, 0]}]), r"parts\[0\].postion"),
        (lambda: Compound([{"type": "box", "sides": [1, 1, 1], "mass": 1.0, "axis": [0, 0, 0]}]), r"parts\[0\].axis"),
        (lambda: Part(CONE, R=np.eye(3), axis=[1, 0, 0]), "R and axis exclude each other"),
    ],
)  # fmt: skip
def test_refusals(make, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make()
