"""Shapes: closed, the right way out, and of the size that the body has."""

from __future__ import annotations

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
    Inertia,
    Part,
    PointMasses,
    Polyhedron,
    Sphere,
)
from polhode.view.scene.body_meshes import body_mesh, equivalent_box, simplify
from polhode.view.scene.meshes import Mesh, box, cylinder, ellipsoid, merge_meshes, revolved, sphere, torus


def volume(mesh: Mesh) -> float:
    return float(np.linalg.det(mesh.vertices[mesh.faces]).sum() / 6.0)


def second_moments(mesh: Mesh) -> np.ndarray:
    """∫ x xᵀ dV over the tetrahedra from the origin."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    det = np.linalg.det(np.stack([a, b, c], axis=1))
    total = a + b + c
    parts = [np.einsum("f,fi,fj->ij", det, x, x) for x in (a, b, c, total)]
    return sum(parts) / 120.0


@pytest.mark.parametrize(
    ("mesh", "expected"),
    [
        (sphere(2.0, steps=60), 4 / 3 * np.pi * 8),
        (ellipsoid([3.0, 2.0, 1.0], 60), 8 * np.pi),
        (box([1.0, 2.0, 3.0]), 48.0),
        (cylinder([0.3, -1.0, 2.0], [1.3, 1.0, 0.0], 0.5, steps=60), np.pi * 0.25 * 3.0),
        (torus(2.0, 0.3, np.eye(3)[[1, 2, 0]]), 2 * np.pi**2 * 2.0 * 0.09),
    ],
    ids=["sphere", "ellipsoid", "box", "cylinder", "torus"],
)
def test_outward_and_of_the_right_volume(mesh: Mesh, expected: float) -> None:
    assert volume(mesh) == pytest.approx(expected, rel=0.06)
    moved = mesh.transformed([5.0, -3.0, 2.0])
    assert volume(moved) == pytest.approx(volume(mesh), rel=1e-9)  # closed


def test_the_box_of_an_inertia_has_it() -> None:
    inertia = Inertia.of([[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]])
    mesh = equivalent_box(inertia, mass=3.0)
    Jd = second_moments(mesh) * 3.0 / volume(mesh)
    np.testing.assert_allclose(np.trace(Jd) * np.eye(3) - Jd, inertia.matrix, atol=1e-12)


def test_without_a_mass_the_longest_half_side_is_one() -> None:
    mesh = equivalent_box(Inertia.of([1.0, 2.0, 2.5]))
    assert mesh.reach.max() == pytest.approx(1.0)


def test_bodies_have_their_own_shapes() -> None:
    np.testing.assert_allclose(body_mesh(Ellipsoid(2.0, [3.0, 2.0, 1.0])).reach, [3.0, 2.0, 1.0], rtol=0.01)
    np.testing.assert_allclose(body_mesh(Sphere(2.0, 1.5)).reach, 1.5, rtol=0.01)
    two = body_mesh(Dumbbell(3.0, 2.0, radius=0.25))
    np.testing.assert_allclose(two.reach, [1.25, 0.25, 0.25], rtol=0.02)
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    tetrahedron = Polyhedron(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], density=6.0)
    assert volume(body_mesh(tetrahedron)) == pytest.approx(1 / 6)


def test_points_are_as_large_as_a_given_inertia_leaves_room_for() -> None:
    r = 0.11
    J = 0.4 * 3.0 * r**2
    across = J + 3.0 * 0.25
    mesh = body_mesh(Dumbbell(3.0, 1.0, inertia=[J, across, across]))
    assert mesh.reach[1] == pytest.approx(r, rel=0.02)
    plain = body_mesh(PointMasses([1.0, 1.0], [[1, 0, 0], [-1, 0, 0]]))
    assert 0.05 < plain.reach[1] < 0.3


def test_a_body_of_integrals_is_drawn_as_the_ellipsoid_with_its_inertia() -> None:
    given = Ellipsoid(5.0, [3.0, 2.0, 1.0])
    same = GivenIntegrals(given.inertia_integrals(2))
    np.testing.assert_allclose(np.sort(body_mesh(same).reach), [1.0, 2.0, 3.0], rtol=0.01)


def test_a_fine_mesh_is_simplified_and_keeps_its_shape() -> None:
    fine = ellipsoid([3.0, 2.0, 1.0], 300)
    coarse = simplify(fine, 5000)
    assert len(fine.faces) > 5000 >= len(coarse.faces) > 1000
    assert volume(coarse) == pytest.approx(volume(fine), rel=0.03)


def test_merged_meshes_keep_their_parts() -> None:
    both = merge_meshes([sphere(1.0), box([1, 1, 1]).transformed([4, 0, 0])])
    assert volume(both) == pytest.approx(volume(sphere(1.0)) + 8.0)


@pytest.mark.parametrize(
    "body",
    [
        Box([1.0, 2.0, 3.0], mass=1.0),
        Cylinder(0.5, 2.0, mass=1.0),
        Cylinder(0.5, 0.2, mass=1.0, inner_radius=0.4),
        Cone(0.5, 1.0, mass=1.0),
        Compound([Part(Cone(0.5, 1.0, mass=1.0), [1.0, 0.0, 0.0], axis=[1, 2, 3]), Box([0.1, 0.2, 0.3], mass=1.0)]),
    ],
    ids=["box", "cylinder", "tube", "cone", "compound"],
)
def test_shapes_are_drawn_as_they_are(body: Body) -> None:
    mesh = body_mesh(body)
    assert volume(mesh) == pytest.approx(body.volume, rel=0.005)
    assert volume(mesh.transformed([5.0, -3.0, 2.0])) == pytest.approx(volume(mesh), rel=1e-9)  # closed
    assert mesh.radius <= body.radius * (1.0 + 1e-12)
    # ∫ x dV of the signed tetrahedra
    corners = mesh.vertices[mesh.faces]
    first = np.einsum("f,fi->i", np.linalg.det(corners), corners.sum(axis=1)) / 24.0
    if not isinstance(body, Compound):  # whose parts differ in density
        np.testing.assert_allclose(first, 0.0, atol=1e-9)


def test_parts_have_their_own_colours_or_that_of_the_whole() -> None:
    ball = Sphere(1.0, 0.5, colour="#123456")
    mesh = body_mesh(Compound([ball, Part(Box([1, 1, 1], mass=1.0), [3.0, 0.0, 0.0])], colour="#ABCDEF"))
    right = mesh.vertices[mesh.faces].mean(axis=1)[:, 0] > 1.5
    assert set(mesh.colours[right]) == {"#ABCDEF"}
    assert set(mesh.colours[~right]) == {"#123456"}
    plain = body_mesh(Box([1, 1, 1], mass=1.0))
    assert set(plain.colours) == {""}
    assert set(plain.colours_in("#654321")) == {"#654321"}
    assert set(merge_meshes([plain, mesh]).flat_shaded().colours) == {"", "#123456", "#ABCDEF"}


def test_the_faces_of_a_brick_tell_which_way_up_it_is() -> None:
    mesh = equivalent_box(Inertia.of([1.0, 2.0, 2.5]))
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    normals = np.cross(*np.diff(mesh.vertices[mesh.faces], axis=1).transpose(1, 0, 2))
    side = np.sign(np.take_along_axis(normals, np.abs(normals).argmax(axis=1)[:, None], axis=1))[:, 0]
    assert np.all(np.sum(middles * normals, axis=1) > 0.0)
    assert np.array_equal(mesh.colours != "", side < 0.0)


def test_a_surface_of_revolution_is_closed_and_outward() -> None:
    mesh = revolved([(0, 0), (1, 0.5), (0, 1)], [0, 0, 1], [0, 2, 1], steps=200)
    assert volume(mesh) == pytest.approx(np.pi / 3 * 2.0, rel=1e-3)
    assert volume(mesh.transformed([1.0, 2.0, 3.0])) == pytest.approx(volume(mesh), rel=1e-9)
