"""The exact field of a polyhedron: against quadrature, against the expansion, and Laplace's and Poisson's equations."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from polhode.bodies import Dumbbell, PointMasses, Polyhedron, Sphere
from polhode.errors import InvalidInputError, PolhodeError
from polhode.gravity import Expansion, PolyhedronField, PolyhedronPoint
from tests.bodies.shapes import CUBE, CUBE_FACES, ITOKAWA, horseshoe, lumpy, shape_file, sphere_mesh
from tests.gravity.reference import rotation

G = 0.7


def gauss_points(body: Polyhedron, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Masses and places of a product rule on the tetrahedra that the facets span with the origin."""
    u, wu = np.polynomial.legendre.leggauss(count)
    u, wu = (u + 1) / 2, wu / 2
    r, s, t = (x.ravel() for x in np.meshgrid(u, u, u))
    weights = np.einsum("i,j,k->jik", wu, wu, wu).ravel() * r**2 * s
    a, b, c = np.swapaxes(body.corners, 0, 1)
    x = a[:, None] + s[:, None] * ((b - a)[:, None] + t[:, None] * (c - b)[:, None])
    masses = body.density * np.outer(np.linalg.det(body.corners), weights)
    return masses.ravel(), (r[:, None] * x).reshape(-1, 3)


def test_far_field_is_that_of_the_integral():
    body = lumpy(density=1.3)
    masses, places = gauss_points(body, 12)
    points = np.array([[3.0, 1.0, 0.5], [-2.0, 2.0, 2.0], [0.2, -0.3, 4.0]])
    U, a, H, angle = PolyhedronField(body, G).evaluate(points)
    for i, x in enumerate(points):
        d = x - places
        r = np.linalg.norm(d, axis=1)
        assert U[i] == pytest.approx(-G * np.sum(masses / r), rel=1e-13)
        attraction = -G * (masses / r**3) @ d
        np.testing.assert_allclose(a[i], attraction, atol=1e-13 * np.linalg.norm(attraction))
        gradient = G * (3 * (d.T * masses / r**5) @ d - np.sum(masses / r**3) * np.eye(3))
        np.testing.assert_allclose(H[i], gradient, atol=1e-12 * np.abs(gradient).max())
    np.testing.assert_allclose(angle, 0.0, atol=1e-13)


def test_cube_at_its_centre():
    # ∫ dV/r over a cube of side a about its centre is (6 ln((1 + √3)/√2) − π/2) a² = 2.3800774 a²
    field = PolyhedronField(Polyhedron(CUBE, CUBE_FACES, density=1.0), 1.0)
    U, a, H, angle = field.evaluate([0.0, 0.0, 0.0])
    exact = 4.0 * (6.0 * np.log((1 + np.sqrt(3.0)) / np.sqrt(2.0)) - np.pi / 2.0)
    assert pytest.approx(-exact, rel=1e-14) == U
    np.testing.assert_allclose(a, 0.0, atol=1e-14)
    np.testing.assert_allclose(H, -4.0 * np.pi / 3.0 * np.eye(3), atol=1e-13)
    assert angle == pytest.approx(4.0 * np.pi)


def test_cube_outside():
    # the closed form of a cuboid's field in coordinates, as other codes are checked against (arXiv:1206.3857)
    field = PolyhedronField(Polyhedron(0.5 * CUBE, CUBE_FACES, density=1e6), 6.67408e-11)
    U, a, _, _ = field.evaluate([1.0, 2.0, 3.0])
    assert pytest.approx(-0.26726619638669064 * 6.67408e-5, rel=1e-13) == U
    np.testing.assert_allclose(a, [-1.273782722739791e-06, -2.548008881415967e-06, -3.823026510474731e-06], rtol=1e-13)


def facets_above(body: Polyhedron, points: np.ndarray) -> np.ndarray:
    """How many facets a ray from each point in direction z crosses: an odd number from inside."""
    a, b, c = np.swapaxes(body.corners, 0, 1)
    flat = np.stack([b - a, c - a], axis=-1)[:, :2]
    st = np.einsum("fij,pfj->pfi", np.linalg.inv(flat), (points[:, None] - a)[..., :2])
    height = a[:, 2] + st[..., 0] * (b - a)[:, 2] + st[..., 1] * (c - a)[:, 2]
    return np.sum(np.all(st > 0, axis=2) & (st.sum(axis=2) < 1) & (height > points[:, None, 2]), axis=1)


def test_poisson_inside_and_laplace_outside():
    body = lumpy(density=1.3)
    field = PolyhedronField(body, G)
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.6, 1.6, size=(300, 3))
    U, _, H, angle = field.evaluate(points)
    inside = field.inside(points)
    assert 30 < inside.sum() < 270
    np.testing.assert_allclose(angle, np.where(inside, 4.0 * np.pi, 0.0), atol=1e-12)
    traces = np.trace(H, axis1=1, axis2=2)
    np.testing.assert_allclose(traces, np.where(inside, -4.0 * np.pi * G * 1.3, 0.0), atol=1e-11)
    np.testing.assert_array_equal(inside, facets_above(body, points) % 2 == 1)
    assert np.all(U < 0)


def test_acceleration_and_gradient_are_derivatives_inside_and_outside():
    field = PolyhedronField(lumpy(density=1.3), G)
    h = 1e-3
    for x in ([0.1, 0.05, -0.1], [1.7, 0.4, -0.2]):
        _, a, H, _ = field.evaluate(x)
        for axis, e in enumerate(np.eye(3)):
            near = [field.evaluate(x + k * h * e) for k in (-3, -2, -1, 1, 2, 3)]
            weights = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / (60.0 * h)
            slope = sum(w * n[0] for w, n in zip(weights, near, strict=True))
            bend = sum(w * n[1] for w, n in zip(weights, near, strict=True))
            assert -slope == pytest.approx(a[axis], abs=1e-11)
            np.testing.assert_allclose(bend, H[:, axis], atol=1e-10)


def test_expansion_far_away():
    body = lumpy(density=1.3)
    x = np.array([2.4, -1.5, 1.8])
    point, pair = Sphere(2.0, 0.1), PolyhedronPoint(Sphere(2.0, 0.1), body, G)
    U, F, M = pair.evaluate(x, rotation(2))
    assert np.all(M == 0.0)
    orders = (2, 4, 8, 16, 32)
    errors = [abs(Expansion(point, body, order, G).evaluate(x, np.eye(3))[0] / U - 1.0) for order in orders]
    q = body.radius / np.linalg.norm(x)
    assert all(error < q ** (order + 1) / (1.0 - q) for error, order in zip(errors, orders, strict=True))
    assert errors[0] > 1e-5
    assert errors[-1] < 1e-14
    u, a, H, _ = PolyhedronField(body, G).evaluate(x)
    assert 2.0 * u == pytest.approx(U, rel=1e-15)
    np.testing.assert_allclose(-2.0 * a, F, rtol=1e-14)
    np.testing.assert_allclose(pair.derivatives(x, np.eye(3))[:3, :3], -2.0 * H, atol=1e-12)


def test_two_polyhedra_by_quadrature_in_the_exact_field():
    # mutual potential of two meshes without any expansion: ∫ dm₁ of the exact field of body 2
    body1, body2 = lumpy(11, density=0.9), lumpy(12, density=1.3)
    R, x = rotation(3), np.array([3.5, -1.5, 2.0])
    masses, places = gauss_points(body1, 7)
    U2, a2, _, _ = PolyhedronField(body2, G).evaluate(x + places @ R.T)
    f = -masses[:, None] * a2
    U, F, M = Expansion(body1, body2, 20, G).evaluate(x, R)
    assert pytest.approx(masses @ U2, rel=1e-10) == U
    np.testing.assert_allclose(F, f.sum(axis=0), atol=1e-9 * np.linalg.norm(F))
    np.testing.assert_allclose(M, np.cross(places @ R.T, f).sum(axis=0), atol=1e-8 * np.linalg.norm(M))


def test_points_have_any_leading_axes():
    points, faces = sphere_mesh(1)
    field = PolyhedronField(Polyhedron(points, faces, mass=1.0), G)
    grid = np.random.default_rng(0).normal(size=(2, 3, 3)) * 4.0
    U, a, H, angle = field.evaluate(grid)
    assert (U.shape, a.shape, H.shape, angle.shape) == ((2, 3), (2, 3, 3), (2, 3, 3, 3), (2, 3))
    np.testing.assert_array_equal(a[1, 2], field.acceleration(grid[1, 2]))
    np.testing.assert_array_equal(H[0, 1], field.gradient(grid[0, 1]))
    assert field.potential(grid[1, 0]) == U[1, 0]


@pytest.mark.parametrize("name", ["horseshoe", ITOKAWA])
def test_inside_and_outside_of_what_is_not_star_shaped(name: str):
    made = name == "horseshoe"
    body = horseshoe() if made else Polyhedron.from_file(shape_file(name), density=1950.0, scale=1000.0)
    every = 1 if made else 7
    centres, faces = body.corners.mean(axis=1)[::every], body.corners[::every]
    normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    field = PolyhedronField(body, 6.6743e-11)
    assert np.all(field.inside(centres - 0.05 * normals))
    assert not np.any(field.inside(centres + 0.05 * normals))


def cuboid_corner(a: float, b: float, c: float) -> float:
    """∫ dV/r over a cuboid with the point at its corner, in closed form (MacMillan, The Theory of the Potential, 1930)."""
    d = np.sqrt(a * a + b * b + c * c)
    total = 0.0
    for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
        total += x * y * np.log((z + d) / np.hypot(x, y)) - 0.5 * x * x * np.arctan2(y * z, x * d)
    return total


def cube_potential(x: np.ndarray) -> float:
    """∫ dV/r of the cube [−1, 1]³ at a point on it or in it: eight cuboids that have their corner there."""
    sizes = [(1.0 - x[k], 1.0 + x[k]) for k in range(3)]
    return sum(cuboid_corner(a, b, c) for a in sizes[0] for b in sizes[1] for c in sizes[2] if a * b * c > 0.0)


ON_THE_CUBE = {
    "vertex": [1.0, 1.0, 1.0],
    "edge": [1.0, 0.25, -1.0],
    "diagonal": [0.5, 0.5, 1.0],
    "near an edge": [1.0 - 1e-9, 0.25, 1e-9 - 1.0],
    "nearer": [1.0 - 3e-13, 0.25, 1e-13 - 1.0],
    "near a vertex": [1.0 - 1e-10, 1.0, 1.0 - 1e-12],
    "face": [0.3, -0.2, 1.0],
}


@pytest.mark.parametrize("place", ON_THE_CUBE)
def test_edges_and_vertices_have_a_potential_and_an_acceleration(place: str):
    body = Polyhedron(CUBE, CUBE_FACES, density=1.0)
    field, x = PolyhedronField(body, 1.0), np.array(ON_THE_CUBE[place])
    assert field.potential(x) == pytest.approx(-cube_potential(x), rel=1e-14)
    # by Gauss's theorem ∂U/∂x of a cube is a sum over its faces: ∂/∂x ∫ dV/r = −∮ nₓ dS/r
    with mpmath.workdps(40):
        faces = [sign * face_potential(x, axis, sign) for axis in range(3) for sign in (-1.0, 1.0)]
    expected = np.add.reduceat(faces, [0, 2, 4])
    np.testing.assert_allclose(field.acceleration(x), -expected, atol=2e-14)
    U, F, _ = PolyhedronPoint(Sphere(1.0, 0.1), body, 1.0).evaluate(x, np.eye(3))
    assert field.potential(x) == U
    np.testing.assert_array_equal(field.acceleration(x), -F)


def face_potential(x: np.ndarray, axis: int, sign: float) -> float:
    """∫ dS/r over a face of the cube [−1, 1]³: with F(u, v) = u asinh(v/√(u²+h²)) + v asinh(u/√(v²+h²)) −
    h atan(uv/(h √(u²+v²+h²))), the second difference of F over the corners."""
    h = mpmath.mpf(float(x[axis])) - sign
    others = [mpmath.mpf(float(x[k])) for k in range(3) if k != axis]

    def corner(u: mpmath.mpf, v: mpmath.mpf) -> mpmath.mpf:
        value = mpmath.mpf(0)
        if u != 0 and (v != 0 or h != 0):
            value += u * mpmath.asinh(v / mpmath.hypot(u, h))
        if v != 0 and (u != 0 or h != 0):
            value += v * mpmath.asinh(u / mpmath.hypot(v, h))
        return value - (h * mpmath.atan(u * v / (h * mpmath.sqrt(u * u + v * v + h * h))) if h != 0 else 0)

    return float(sum(p * q * corner(p - others[0], q - others[1]) for p in (-1, 1) for q in (-1, 1)))


def test_the_corner_of_a_cube_has_half_the_potential_of_its_centre():
    field = PolyhedronField(Polyhedron(0.5 * CUBE, CUBE_FACES, density=1.0), 1.0)
    corner, centre = field.potential([[0.5, 0.5, 0.5], [0.0, 0.0, 0.0]])
    assert corner == pytest.approx(-1.19003868, abs=1e-8)
    assert corner == pytest.approx(0.5 * centre, rel=1e-14)


def test_the_gradient_is_singular_on_true_edges_only():
    body = Polyhedron(CUBE, CUBE_FACES, density=1.0)
    field, pair = PolyhedronField(body, 1.0), PolyhedronPoint(Sphere(1.0, 0.1), body, 1.0)
    for place in ("vertex", "edge"):
        with pytest.raises(PolhodeError, match="gradient is singular on the mesh's edges"):
            field.gradient(ON_THE_CUBE[place])
        with pytest.raises(PolhodeError, match="no finite derivatives"):
            pair.derivatives(ON_THE_CUBE[place], np.eye(3))
    x = np.array(ON_THE_CUBE["diagonal"])
    near = [field.gradient(x + [0.0, 0.0, 1e-9]), field.gradient(x + [1e-6, -1e-6, 1e-9])]
    np.testing.assert_allclose(near[0], near[1], atol=1e-5)
    assert np.all(np.isfinite(field.gradient(x)))


def test_refusals():
    body = Polyhedron(CUBE, CUBE_FACES, density=1.0)
    with pytest.raises(PolhodeError, match=r"singular on the mesh's edges: at \[1. 0. 1.\]"):
        PolyhedronField(body, 1.0).evaluate([[5.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    with pytest.raises(InvalidInputError, match="points"):
        PolyhedronField(body, 1.0).evaluate([1.0, 2.0])
    with pytest.raises(InvalidInputError, match=r"body.*Polyhedron"):
        PolyhedronField(Sphere(1.0, 1.0), 1.0)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"body2.*Polyhedron"):
        PolyhedronPoint(Sphere(1.0, 1.0), Sphere(1.0, 1.0), 1.0)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"body1.*as a point does"):
        PolyhedronPoint(Dumbbell(1.0, 1.0), body, 1.0)
    single = PointMasses([1.0], [[0.0, 0.0, 0.0]])
    assert PolyhedronPoint(single, body, 1.0).evaluate([9.0, 0.0, 0.0], np.eye(3))[0] < 0
