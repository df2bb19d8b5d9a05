"""The full body problem of meshes: 1999 KW4, expansions to higher orders, and a point in the exact field."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Ellipsoid, GivenIntegrals, Polyhedron, Sphere
from polhode.systems.full_body.inertial import FullBodyProblem
from polhode.systems.full_body.relative import FullTwoBodyProblem

from ...bodies.shapes import ALPHA, BETA, shape_file, write_obj
from ...shared import golden
from .test_inertial_and_relative import reference_rows, states_of


def kw4(gravity: int) -> tuple[FullTwoBodyProblem, ph.State, dict]:
    """1999 KW4 from its meshes: the secondary as body 1, the primary as body 2."""
    data = golden("full_two_body/kw4_polyhedra_o2_lgvi_h60_200")
    numbers, start = data["parameters"], data["initial_state"]
    shapes = {"A": ALPHA, "B": BETA}
    files = {k: shape_file(name) for k, name in shapes.items()}
    bodies = {
        k: Polyhedron.from_file(files[k], density=numbers[f"shape_{k}"]["density"], scale=1000.0, principal=True)
        for k in "AB"
    }
    pair = FullTwoBodyProblem(bodies["B"], bodies["A"], gravity=gravity, G=numbers["G"])
    spins = {"Omega1": start["w_B_in_B"], "Omega2": start["w_A"]}
    state = pair.state(X=start["r_A"], V=start["v_A"], R=start["C_B2A"], R2=start["C_A2N"], **spins)
    return pair, state, numbers


def test_kw4_from_its_meshes_moves_as_in_another_code() -> None:
    _, state, numbers = kw4(2)
    rows = reference_rows("kw4_polyhedra_o2_lgvi_h60_200")
    steps = rows[:, 0].astype(int)
    run = ph.simulate(state, step=numbers["h"], steps=int(steps[-1]))
    assert np.abs(run.X[steps] - rows[:, 2:5]).max() < 1e-8
    assert np.abs(run.R[steps].reshape(-1, 9) - rows[:, 14:23]).max() < 1e-10
    assert np.abs(run.R2[steps].reshape(-1, 9) - rows[:, 23:32]).max() < 1e-10


def test_a_mesh_moves_as_its_integrals_do(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    meshes = [
        Polyhedron.from_file(write_obj(tmp_path / f"{k}.obj", lopsided(k)), density=1.5, principal=True) for k in (1, 2)
    ]
    given = [GivenIntegrals(mesh.inertia_integrals(2)) for mesh in meshes]
    ends = []
    for bodies in (meshes, given):
        pair = FullTwoBodyProblem(*bodies, gravity=2, G=1.0)
        state = pair.state(X=[3.0, 0.2, -0.3], V=[0.0, 0.8, 0.1], Omega1=[0.2, -0.3, 0.5], Omega2=[0.1, 0.4, -0.2])
        ends.append(ph.simulate(state, step=0.05, steps=200, save_every=200).final)
    for name in ("X", "V", "R1", "R2"):
        np.testing.assert_allclose(getattr(ends[0], name), getattr(ends[1], name), atol=1e-11)


@pytest.mark.parametrize("order", [3, 4, 6])
def test_meshes_to_higher_orders_against_sums_over_their_matter(order: int) -> None:
    """The expansion of irregular bodies against the same double integral done by brute force, degree by degree.

    `|d|ⁿ Pₙ(cos)` of d = Rρ₁ − ρ₂ is a polynomial of degree n in both points, which a Gauss rule in the tetrahedra between
    the centre and each facet integrates exactly."""
    from scipy.special import eval_legendre

    from polhode.gravity import Expansion

    first, second = (lopsided(seed) for seed in (1, 2))
    X, R = np.array([2.9, -0.7, 0.6]), ph.so3.exp([0.4, -0.2, 0.7])
    m1, p1 = quadrature(first, order)
    m2, p2 = quadrature(second, order)
    d = (p1 @ R.T)[:, None, :] - p2[None, :, :]
    r, size = np.linalg.norm(X), np.linalg.norm(d, axis=-1)
    cosine = -(d @ X) / np.where(size > 0, size * r, 1.0)
    U = -sum(np.einsum("i,j,ij->", m1, m2, size**n * eval_legendre(n, cosine)) / r ** (n + 1) for n in range(order + 1))
    found, _, _ = Expansion(first, second, order, 1.0).evaluate(X, R)
    assert found == pytest.approx(U, rel=1e-12)


def lopsided(seed: int) -> Polyhedron:
    """A mesh of eight facets without any symmetry."""
    rng = np.random.default_rng(seed)
    corners = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]]) * rng.uniform(
        0.4, 1, (6, 1)
    )
    faces = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    return Polyhedron(corners, faces, mass=1.0 + seed, recentre=True)


def quadrature(body: Polyhedron, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Masses and points that integrate polynomials to this degree over the mesh exactly: collapsed Gauss rules on the
    tetrahedra between the origin and each facet."""
    x, w = np.polynomial.legendre.leggauss(order // 2 + 2)
    x, w = (x + 1) / 2, w / 2
    a, b, c = (g.ravel() for g in np.meshgrid(x, x, x, indexing="ij"))
    weights = np.einsum("i,j,k->ijk", w, w, w).ravel() * a**2 * b
    shares = np.stack([a * (1 - b), a * b * (1 - c), a * b * c], axis=1)
    points = np.einsum("qk,fki->fqi", shares, body.corners)
    masses = body.density * np.linalg.det(body.corners)[:, None] * weights
    return masses.ravel(), points.reshape(-1, 3)


@pytest.mark.parametrize("first", [True, False])
def test_a_point_in_the_exact_field_of_a_mesh(first: bool) -> None:
    """A sphere about a polyhedron by its exact field: energy and momenta kept, in both forms; the expansion agrees."""
    mesh, ball = lopsided(3), Sphere(0.5, 0.1)
    bodies = (mesh, ball) if first else (ball, mesh)
    pair = FullTwoBodyProblem(*bodies, gravity="polyhedron", G=1.0)
    spin = {"Omega1" if first else "Omega2": [0.3, -0.2, 0.6]}
    state = pair.state(X=[2.0, 0.3, -0.2], V=[0.1, 1.4, 0.2], R=ph.so3.exp([0.3, 0.1, -0.2]), **spin)
    runs = []
    for start in (state, pair.to_inertial(state)):
        run = ph.simulate(start, step=0.01, steps=2000, save_every=20)
        kept = {k.name: k.relative for k in run.conservation()}
        assert kept["energy"] < 1e-4
        assert max(kept["linear_momentum"], kept["angular_momentum"]) < 1e-12
        runs.append(states_of(run))
    for found, expected in zip(*runs, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-10)
    U = float(pair.potential(state.values))
    near = FullTwoBodyProblem(*bodies, gravity=12, G=1.0)
    assert float(near.potential(state.values)) == pytest.approx(U, rel=1e-5)
    force, moment = (near.inertial().forces(near.to_inertial(state))[k] for k in (0, 1))
    exact = pair.inertial().forces(pair.to_inertial(state))
    np.testing.assert_allclose(exact[0], force, rtol=1e-3)
    np.testing.assert_allclose(exact[1], moment, atol=1e-3 * np.abs(moment).max())
    assert np.abs(exact[1][1 if first else 0]).max() < 1e-15  # no moment on the ball


def test_two_meshes_have_no_exact_formula() -> None:
    with pytest.raises(ph.InvalidInputError, match="attracts as a point"):
        FullTwoBodyProblem(lopsided(1), lopsided(2), gravity="polyhedron")
    FullBodyProblem([lopsided(1), Sphere(1.0, 0.1), Sphere(0.5, 0.1)], gravity="polyhedron")
    with pytest.raises(ph.InvalidInputError):
        FullBodyProblem([Ellipsoid(1.0, [0.3, 0.2, 0.1]), Sphere(0.5, 0.1)], gravity="polyhedron")
