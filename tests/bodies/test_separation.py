"""How far apart bodies are: against closed forms, a general optimiser, and points sampled on the surfaces."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Dumbbell, Ellipsoid, GivenIntegrals, PointMasses, Polyhedron, Sphere
from polhode.bodies.separation import Separation, ellipsoid_distance, separation
from polhode.bodies.triangles import facet_pair_distances, point_ellipsoid, segment_distances
from polhode.geometry import so3

from .shapes import BETA, CUBE, CUBE_FACES, ITOKAWA, horseshoe, lumpy, shape_file, sphere_mesh

RNG = np.random.default_rng(3)
TURNED = so3.exp([0.4, -0.7, 0.3])


def cube(size: float = 1.0) -> Polyhedron:
    return Polyhedron(size * CUBE, CUBE_FACES, mass=1.0)


def test_spheres_and_dumbbells() -> None:
    assert separation(Sphere(1.0, 0.5), Sphere(2.0, 0.25), [3.0, 4.0, 0.0]) == pytest.approx(4.25, rel=1e-15)
    first, second = Dumbbell(1.0, 2.0, radius=0.1), Dumbbell(1.0, 4.0, radius=0.2)
    turned = so3.exp([0.0, 0.0, np.pi / 2])  # the first lies along y, the second along x
    assert separation(first, second, [2.0, 3.0, 0.0], turned) == pytest.approx(2.0 - 0.3, rel=1e-14)
    assert separation(Sphere(1.0, 0.5), Sphere(2.0, 0.25), [0.1, 0.0, 0.0]) == 0.0


def test_points_without_radius_never_touch() -> None:
    bare = Dumbbell(1.0, 2.0)
    assert not Separation(bare, PointMasses([1.0], [[0.0, 0.0, 0.0]])).possible
    assert Separation(bare, Sphere(1.0, 0.1)).possible
    assert separation(bare, Sphere(1.0, 0.1), [1.05, 0.0, 0.0]) == 0.0  # one end is inside the ball


def test_a_body_without_shape_is_refused() -> None:
    integrals = GivenIntegrals({"000": 2.0, "200": 3.0, "020": 2.0, "002": 1.0})
    with pytest.raises(ph.InvalidInputError, match="second"):
        Separation(Sphere(1.0, 1.0), integrals)


def test_points_and_ellipsoids() -> None:
    """The foot point has the surface's normal towards the point, and nothing on the surface is nearer."""
    axes = np.array([3.0, 2.0, 1.0])
    on_surface = RNG.normal(size=(50, 3))
    on_surface *= axes / np.linalg.norm(on_surface, axis=1, keepdims=True)
    normals = on_surface / axes**2
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    for height in (1e-9, 1e-3, 1.0, 1e4):
        found = point_ellipsoid(on_surface + height * normals, axes)
        np.testing.assert_allclose(found, height, rtol=1e-13, atol=3e-15 * (1 + height))
    assert np.all(point_ellipsoid(0.99 * on_surface, axes) == 0.0)
    assert point_ellipsoid(np.zeros((1, 3)), axes)[0] == 0.0


def test_ellipsoids_along_their_axes() -> None:
    first, second = Ellipsoid(1.0, [3.0, 2.0, 1.0]), Ellipsoid(1.0, [0.5, 0.7, 0.9])
    for axis, expected in enumerate((5.0 - 3.5, 5.0 - 2.7, 5.0 - 1.9)):
        assert separation(first, second, 5.0 * np.eye(3)[axis]) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", range(30))
def test_ellipsoids_against_a_general_optimiser(seed: int) -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.2, 2.0, (2, 3))
    X, R = 3.0 * rng.normal(size=3), so3.exp(rng.normal(size=3))
    inside = [{"type": "ineq", "fun": lambda z, s=s: 1.0 - z[s] @ z[s]} for s in (slice(3), slice(3, 6))]
    found = minimize(
        lambda z: np.sum((X + R @ (a * z[:3]) - b * z[3:]) ** 2),
        np.zeros(6),
        constraints=inside,
        options={"ftol": 1e-15},
    )
    expected = np.sqrt(max(found.fun, 0.0))
    distance = separation(Ellipsoid(1.0, a), Ellipsoid(1.0, b), X, R)
    assert distance == pytest.approx(expected, abs=1e-6 if expected > 1e-3 else 1e-3)
    # the order of the two does not matter
    assert separation(Ellipsoid(1.0, b), Ellipsoid(1.0, a), -R.T @ X, R.T) == pytest.approx(distance, abs=1e-13)


def test_ellipsoids_that_nearly_touch_are_told_apart() -> None:
    """Moved along their common normal by a little, to either side."""
    a, b = np.array([3.0, 2.0, 1.0]), np.array([0.5, 0.9, 0.7])
    n = np.array([0.3, -0.5, 0.4])
    n /= np.linalg.norm(n)
    touching = a**2 * n / np.linalg.norm(a * n) + TURNED @ (b**2 * (TURNED.T @ n)) / np.linalg.norm(b * (TURNED.T @ n))
    for gap in (1e-2, 1e-6, 1e-10, 1e-13):
        assert ellipsoid_distance(a, b, touching + gap * n, TURNED) == pytest.approx(gap, abs=2e-15)
        assert ellipsoid_distance(a, b, touching - gap * n, TURNED) <= 0.0


def test_segments_and_facets_against_sampling() -> None:
    p, q, r, s = RNG.normal(size=(4, 100, 3))
    found = segment_distances(p, q, r, s)
    grid = np.linspace(0.0, 1.0, 101)
    one = p[:, None] + grid[None, :, None] * (q - p)[:, None]
    two = r[:, None] + grid[None, :, None] * (s - r)[:, None]
    sampled = np.linalg.norm(one[:, :, None] - two[:, None, :], axis=-1).min(axis=(1, 2))
    assert np.all(found <= sampled + 1e-14)
    assert np.max(sampled - found) < 0.03
    first, second = RNG.normal(size=(2, 60, 3, 3))
    weights = RNG.dirichlet([0.6, 0.6, 0.6], size=200)
    clouds = [np.einsum("kc,ncd->nkd", weights, facets) for facets in (first, second)]
    sampled = np.linalg.norm(clouds[0][:, :, None] - clouds[1][:, None, :], axis=-1).min(axis=(1, 2))
    found = facet_pair_distances(first, second)
    assert np.all(found <= sampled + 1e-14)
    assert np.max(sampled - found) < 0.4
    assert 3 < np.sum(found == 0.0) < 50


def test_cubes_face_to_face_edge_to_edge_and_inside() -> None:
    assert separation(cube(), cube(), [2.5, 0.3, 0.2]) == pytest.approx(0.5, rel=1e-14)
    assert separation(cube(), cube(), [2.5, 2.5, 0.2]) == pytest.approx(np.sqrt(0.5), rel=1e-14)
    assert separation(cube(), cube(), [2.5, 2.5, 2.5]) == pytest.approx(np.sqrt(0.75), rel=1e-14)
    eighth = so3.exp([0.0, 0.0, np.pi / 4])  # an edge towards a face
    assert separation(cube(), cube(), [3.0, 0.0, 0.0], eighth) == pytest.approx(2.0 - np.sqrt(2.0), rel=1e-13)
    assert separation(cube(), cube(), [1.9, 0.3, 0.2]) == 0.0
    assert separation(cube(0.1), cube(), [0.2, 0.1, 0.0]) == 0.0  # wholly inside, no facets near
    assert separation(cube(), cube(0.1), [0.2, 0.1, 0.0]) == 0.0


def test_meshes_with_balls_and_ellipsoids() -> None:
    ball, solid = Sphere(1.0, 0.5), Ellipsoid(1.0, [0.5, 0.4, 0.3])
    assert separation(ball, cube(), [3.0, 0.2, 0.1]) == pytest.approx(1.5, rel=1e-14)
    assert separation(ball, cube(), [2.0, 2.0, 2.0]) == pytest.approx(np.sqrt(3.0) - 0.5, rel=1e-14)
    assert separation(cube(), solid, [3.0, 0.2, 0.1]) == pytest.approx(1.5, rel=1e-13)
    assert separation(cube(), solid, [0.0, 3.0, 0.1]) == pytest.approx(1.6, rel=1e-13)
    assert separation(solid, cube(), [0.0, 3.0, 0.1], so3.exp([0.0, 0.0, np.pi / 2])) == pytest.approx(1.5, rel=1e-13)
    # towards a corner: the nearest point of the cube is the corner itself
    corner = point_ellipsoid(TURNED.T @ (np.ones(3) - np.array([2.0, 2.5, 1.8])), solid.semiaxes)
    assert separation(solid, cube(), [2.0, 2.5, 1.8], TURNED) == pytest.approx(float(corner), rel=1e-12)
    for inside in (ball, solid):
        assert separation(inside, cube(10.0), [0.2, 0.1, 0.0]) == 0.0
        assert separation(inside, cube(), [1.2, 0.1, 0.0]) == 0.0


def test_ellipsoids_and_their_meshes_agree() -> None:
    points, faces = sphere_mesh(5)
    axes = np.array([1.0, 0.8, 0.6])
    mesh, solid = Polyhedron(points * axes, faces, mass=1.0), Ellipsoid(1.0, axes)
    other = Ellipsoid(1.0, [0.5, 0.9, 0.7])
    for X in ([2.0, 0.5, -0.4], [0.3, 1.9, 0.6]):
        exact = separation(solid, other, X, TURNED)
        assert exact < separation(mesh, other, X, TURNED) < exact + 2e-3  # the mesh lies inside the ellipsoid
        assert separation(mesh, other, X, TURNED) == pytest.approx(separation(other, mesh, -TURNED.T @ X, TURNED.T))


def test_a_body_in_the_notch_of_another_does_not_touch_it() -> None:
    shoe = horseshoe()
    assert shoe.volume == pytest.approx(4 * 4 - 2 * 3)
    for body, half in ((cube(0.25), 0.25), (Sphere(1.0, 0.25), 0.25), (Ellipsoid(1.0, [0.25, 0.2, 0.1]), 0.25)):
        assert separation(body, shoe, [0.1, 1.0, 0.0]) == pytest.approx(0.9 - half, rel=1e-13)
        assert separation(body, shoe, [0.8, 1.0, 0.0]) == 0.0
        assert separation(body, shoe, [1.5, 1.0, 0.0]) == 0.0  # inside an arm


def against_all_pairs(first: Polyhedron, second: Polyhedron, X: np.ndarray, nearest: int, gap: float) -> None:
    """Compare with the least distance of any pair of facets: the tree leaves out none that counts."""
    found = separation(first, second, X, TURNED)
    moved = first.corners @ TURNED.T + X
    near = np.linalg.norm(moved.mean(axis=1)[:, None] - second.vertices, axis=-1).min(axis=1)
    least = min(
        facet_pair_distances(np.broadcast_to(facet, second.corners.shape), second.corners).min()
        for facet in moved[np.argsort(near)[:nearest]]
    )
    assert 0.0 < found == pytest.approx(least, rel=1e-12)
    cloud = np.linalg.norm((first.vertices @ TURNED.T + X)[:, None] - second.vertices, axis=-1).min()
    assert found <= cloud < found + gap


@pytest.mark.parametrize("X", [[3.5, 0.4, 0.3], [-0.5, 2.9, 2.1], [0.3, -0.6, 2.4]])
def test_made_shapes_against_all_pairs(X: list[float]) -> None:
    """A body without any symmetry, and one that is not star-shaped."""
    first, second = lumpy(mass=1.0), horseshoe()
    against_all_pairs(first, second, np.array(X), len(first.corners), 2.0)


def test_real_shapes_against_all_pairs() -> None:
    """Itokawa, not star-shaped, and Beta."""
    first = Polyhedron.from_file(shape_file(ITOKAWA), mass=1.0)
    second = Polyhedron.from_file(shape_file(BETA), mass=1.0)
    against_all_pairs(first, second, np.array([0.25, 0.42, 0.1]), 60, 0.03)
