"""Meshes: integrals against the divergence theorem, placement, real shapes, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polhode.bodies import Ellipsoid, Polyhedron
from polhode.bodies.integrals import exponents
from polhode.errors import InvalidInputError
from tests.bodies.shapes import (
    ALPHA,
    BETA,
    CUBE,
    CUBE_FACES,
    ITOKAWA,
    ellipsoid_mesh,
    horseshoe,
    lumpy,
    shape_file,
    sphere_mesh,
    write_obj,
)


def by_divergence(body: Polyhedron, order: int) -> np.ndarray:
    """`∫ xⁱ yʲ zᵏ dV = ∮ xⁱ⁺¹ yʲ zᵏ/(i+1) nₓ dA`, with a Gauss rule on each facet that is exact to degree order + 1."""
    u, wu = np.polynomial.legendre.leggauss((order + 4) // 2 + 1)
    s, t = (x.ravel() for x in np.meshgrid((u + 1) / 2, (u + 1) / 2))
    weights = np.outer(wu, wu).ravel() / 4 * s
    a, b, c = np.swapaxes(body.corners, 0, 1)
    normal = np.cross(b - a, c - a)
    x = a[:, None] + s[:, None] * ((b - a)[:, None] + t[:, None] * (c - b)[:, None])
    area = weights * normal[:, :1]
    T = np.zeros((order + 1,) * 3)
    for i, j, k in exponents(order):
        T[i, j, k] = np.sum(area * x[..., 0] ** (i + 1) * x[..., 1] ** j * x[..., 2] ** k) / (i + 1)
    return body.density * T


def by_degree(T: np.ndarray, reference: np.ndarray) -> float:
    """The largest difference relative to the largest integral of the same degree."""
    n = sum(np.indices(T.shape))
    return max(np.abs((T - reference)[n == d]).max() / np.abs(reference[n == d]).max() for d in range(len(T)) if d != 1)


@pytest.mark.parametrize("order", [0, 3, 8, 13])
def test_integrals_by_the_divergence_theorem(order: int):
    body = lumpy(density=1.7)
    assert by_degree(body.inertia_integrals(order), by_divergence(body, order)) < 2e-14


def test_integrals_of_a_body_off_the_origin():
    # there the tetrahedra's signed volumes cancel, and the first moments do not vanish
    points, faces = sphere_mesh(1)
    body = Polyhedron(points + [3.0, 0.0, -2.0], faces, density=1.0, recentre=False)
    reference = by_divergence(body, 6)
    np.testing.assert_allclose(body.inertia_integrals(6), reference, atol=1e-12 * np.abs(reference).max())
    np.testing.assert_allclose(body.centre, [3.0, 0.0, -2.0], atol=1e-13)


def test_cube_in_closed_form():
    T = Polyhedron(CUBE, CUBE_FACES, mass=8.0).inertia_integrals(7)
    for i, j, k in exponents(7):
        even = not (i % 2 or j % 2 or k % 2)
        assert T[i, j, k] == pytest.approx(8.0 / ((i + 1) * (j + 1) * (k + 1)) if even else 0.0, rel=1e-13, abs=1e-14)


def test_mesh_of_an_ellipsoid_converges_to_it():
    semiaxes = [1.3, 1.0, 0.7]
    exact = Ellipsoid.of_density(2.0, semiaxes).inertia_integrals(6)
    errors = [
        np.abs(ellipsoid_mesh(level, semiaxes, density=2.0).inertia_integrals(6) - exact).max() for level in (2, 3, 4)
    ]
    assert 3.6 < errors[0] / errors[1] < 4.4  # facets twice as small, four times as near
    assert 3.8 < errors[1] / errors[2] < 4.2


def test_placement_reports_what_was_done():
    points, faces = sphere_mesh(2)
    turned = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    points = (points * [3.0, 2.0, 1.0]) @ turned.T + [10.0, 20.0, 30.0]
    body = Polyhedron(points, faces, mass=5.0, scale=2.0, principal=True)
    place = body.placement
    np.testing.assert_allclose(place.shift, [20.0, 40.0, 60.0], atol=1e-12)
    np.testing.assert_allclose(place.rotation @ (2.0 * points.T - place.shift[:, None]), body.vertices.T, atol=1e-12)
    moments = np.diag(body.inertia)
    assert np.all(np.diff(moments) > 0)
    assert np.abs(body.inertia - np.diag(moments)).max() < 1e-14 * moments.max()
    assert np.linalg.det(place.rotation) == pytest.approx(1.0)
    assert place.off_centre == pytest.approx(math.sqrt(5600.0))
    assert "moved there" in str(place)
    assert "turned by 120°" in str(place)
    left = Polyhedron(points, faces, mass=5.0, recentre=False)
    np.testing.assert_array_equal(left.vertices, points)
    assert str(left.placement).count("left") == 2


def test_principal_axes_take_the_least_turn():
    points, faces = sphere_mesh(2)
    angle = 0.1
    tilt = np.array(
        [[math.cos(angle), -math.sin(angle), 0.0], [math.sin(angle), math.cos(angle), 0.0], [0.0, 0.0, 1.0]]
    )
    body = Polyhedron((points * [3.0, 2.0, 1.0]) @ tilt.T, faces, mass=1.0, principal=True)
    np.testing.assert_allclose(body.placement.rotation, tilt.T, atol=1e-12)


MADE = {"lumpy": lambda: lumpy(mass=1.0, recentre=False), "horseshoe": horseshoe}


@pytest.mark.parametrize("name", [*MADE, ALPHA, BETA, ITOKAWA])
def test_files_against_another_library(name: str, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    path = write_obj(tmp_path / "mesh.obj", MADE[name]()) if name in MADE else shape_file(name)
    body = Polyhedron.from_file(path, density=1950.0, scale=1000.0)
    mesh = trimesh.load(path, process=False)
    mesh.apply_scale(1000.0)
    mesh.density = 1950.0
    assert body.mass == pytest.approx(mesh.mass, rel=1e-13)
    np.testing.assert_allclose(body.placement.shift, mesh.center_mass, atol=1e-12 * body.radius)
    np.testing.assert_allclose(body.inertia, mesh.moment_inertia, rtol=0, atol=1e-12 * np.trace(body.inertia))
    assert by_degree(body.inertia_integrals(6), by_divergence(body, 6)) < 1e-12
    assert body.describe()["source"] == str(path)


@pytest.mark.parametrize("name", ["horseshoe", ITOKAWA])
def test_what_is_not_star_shaped_needs_signs(name: str):
    body = horseshoe() if name == "horseshoe" else Polyhedron.from_file(shape_file(name), density=1.0, scale=1000.0)
    signed = np.linalg.det(body.corners)
    assert np.sum(signed < 0) > 0
    assert np.abs(signed).sum() > 1.001 * signed.sum()  # what a code without signs takes for six times the volume


def test_files_that_repeat_vertices(tmp_path):
    pytest.importorskip("trimesh")
    path = tmp_path / "cube.obj"
    corners = CUBE[CUBE_FACES].reshape(-1, 3)
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {3 * i + 1} {3 * i + 2} {3 * i + 3}" for i in range(12)]
    path.write_text("\n".join(lines) + "\n")
    body = Polyhedron.from_file(path, mass=1.0)
    assert (len(body.vertices), body.placement.merged) == (8, 28)
    with pytest.raises(InvalidInputError, match="path"):
        Polyhedron.from_file(tmp_path / "none.obj", mass=1.0)
    (tmp_path / "bad.obj").write_text("nothing here\n")
    with pytest.raises(InvalidInputError, match="path"):
        Polyhedron.from_file(tmp_path / "bad.obj", mass=1.0)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("mesh.txt", "v 0 0 0\n", r"ends in \.obj"),
        ("flat.obj", "v 1 2\nv 2 1\nv 0 0\nf 1 2 3\n", "vertices"),
        ("short.obj", "v 1 2\n", "trimesh can read"),
        ("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a closed mesh.*3 edges with a facet on one side"),
        ("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "facets"),
    ],
)
def test_files_that_are_no_meshes_are_named(tmp_path, name: str, text: str, why: str):
    pytest.importorskip("trimesh")
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidInputError, match=rf"{name}.*{why}"):
        Polyhedron.from_file(tmp_path / name, mass=1.0)


def test_vertices_that_no_facet_uses_are_left_out():
    body = Polyhedron(np.vstack([[[9.0, 9.0, 9.0]], CUBE, [[7.0, 0.0, 0.0]]]), CUBE_FACES + 1, density=1.0)
    assert body.radius == pytest.approx(np.sqrt(3.0))
    assert len(body.vertices) == 8
    assert body.placement.unused == 2
    assert "0 repeated vertices merged, 2 that no facet uses left out" in str(body.placement)
    np.testing.assert_array_equal(body.inertia, Polyhedron(CUBE, CUBE_FACES, density=1.0).inertia)


def without(face: int) -> np.ndarray:
    return np.delete(CUBE_FACES, face, axis=0)


def with_flipped(face: int) -> np.ndarray:
    faces = CUBE_FACES.copy()
    faces[face] = faces[face][::-1]
    return faces


TWICE = (np.vstack([CUBE, CUBE + 5.0]), np.vstack([CUBE_FACES, CUBE_FACES[:, ::-1] + 8]))
BROKEN = {
    r"3 edges with a facet on one side only \(facet 0, vertices 0-3": (CUBE, without(0)),
    r"facets 3 and 4 both run from vertex 4 to 5 \(3 such edges\)": (CUBE, with_flipped(3)),
    r"12 facets that holds facet 0 has the volume -8.*counter-clockwise": (CUBE, CUBE_FACES[:, ::-1]),
    r"12 facets that holds facet 12 has the volume -8": TWICE,
    r"a vertex twice in 1 of 12 facets \(facet 4": (CUBE, np.where(np.arange(12)[:, None] == 4, [0, 0, 5], CUBE_FACES)),
    r"vertices beyond the list in 8 of 12 facets": (CUBE[:6], CUBE_FACES),
    "no area in": (CUBE * [1.0, 1.0, 0.0], CUBE_FACES),
    "vertices.*finite numbers": (CUBE * np.nan, CUBE_FACES),
    "vertices.*shape": (CUBE[:, :2], CUBE_FACES),
    "faces.*whole numbers": (CUBE, CUBE_FACES * 1.0),
    "faces.*numbers in an array": (CUBE, [[0, 1, 2], [0, 1]]),
    "faces = 'no facets'": (CUBE, CUBE_FACES[:0]),
    "36 edges with.*28 of the 36 vertices repeat others": (
        CUBE[CUBE_FACES].reshape(-1, 3),
        np.arange(36).reshape(12, 3),
    ),
}


@pytest.mark.parametrize("message", BROKEN)
def test_broken_meshes_are_refused_with_the_place(message: str):
    vertices, faces = BROKEN[message]
    with pytest.raises(InvalidInputError, match=message):
        Polyhedron(vertices, faces, mass=1.0)


def test_two_separate_parts_are_a_body():
    body = Polyhedron(TWICE[0], np.vstack([CUBE_FACES, CUBE_FACES + 8]), density=1.0)
    assert body.mass == pytest.approx(16.0)
    np.testing.assert_allclose(body.placement.shift, [2.5, 2.5, 2.5])
