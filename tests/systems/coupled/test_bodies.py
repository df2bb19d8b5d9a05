"""Coupled bodies and concentric shells: moments, momentum maps, equilibria, and other formulations of the same."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

STATE = ph.CoupledBodies.example()
SYSTEM = STATE.system
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


def slope_of_momenta(state: ph.State, h: float = 1e-3) -> np.ndarray:
    ahead, behind = (ph.simulate(state, step=s * h, steps=1, method=TIGHT).final for s in (1, -1))
    return (ahead.Pi - behind.Pi) / (2 * h)


def test_the_moments_are_the_slopes_of_the_potential() -> None:
    R, Pi, omega = STATE.R, STATE.Pi, STATE.omega
    moments = slope_of_momenta(STATE) - np.cross(Pi, omega)
    for i in range(3):
        for j, e in enumerate(np.eye(3)):
            U = []
            for s in (1e-4, -1e-4):
                moved = R.copy()
                moved[i] = R[i] @ ph.so3.exp(s * e)
                U.append(float(SYSTEM.potential_energy(moved)))
            assert moments[i, j] == pytest.approx(-(U[0] - U[1]) / 2e-4, abs=1e-5)


def test_a_hundred_thousand_steps_keep_the_momentum() -> None:
    run = ph.simulate(STATE, step=0.05, steps=100_000, save_every=100)
    assert run.drift()["spatial_momentum"] < 1e-12


def test_one_body_alone_is_a_gyrostat() -> None:
    inertia, a = [1.0, 2.0, 2.5], np.array([0.3, -0.2, 0.5])
    one, other = ph.CoupledBodies([inertia], gyros=[a]), ph.AttitudeBody(inertia, gyro=a)
    omega = [0.7, -0.5, 0.6]
    x = ph.simulate(one.state(omega=[omega]), step=0.05, steps=200)
    y = ph.simulate(other.state(omega=omega), step=0.05, steps=200)
    np.testing.assert_allclose(x.R[:, 0], y.R, atol=1e-13)
    np.testing.assert_allclose(x.Pi[:, 0], y.Pi, atol=1e-13)
    assert y.drift()["spatial_momentum"] < 1e-14
    # the discrete equations as printed, with both momenta
    F, Jd, h = y.R[0].T @ y.R[1], other.inertia.nonstandard, 0.05
    kinetic = ph.so3.vee(F @ Jd - Jd @ F.T) / h
    np.testing.assert_allclose(y.Pi[0], kinetic + 0.5 * (np.trace(F) * a - F.T @ a), atol=1e-13)
    np.testing.assert_allclose(y.Pi[1], F.T @ kinetic + 0.5 * (np.trace(F) * a - F @ a), atol=1e-13)


def test_any_potential_gives_the_same_motion_as_its_matrices() -> None:
    from polhode.scalars import kernel

    @kernel
    def potential(A, B):  # type: ignore[no-untyped-def]
        total = 0.0 * A[0] * B[0]
        for i in range(9):
            total = total - 0.7 * (A[i] * B[i])
        return total

    inertias = [[1.0, 2.0, 2.5], [2.0, 1.5, 1.0]]
    text = "-0.7*(" + " + ".join(f"R1_{i}{j}*R2_{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)) + ")"
    given = [{"couplings": [[0, 1, 0.7]]}, {"potential": potential}, {"potential": text}]
    R, omega = ph.so3.exp([[0.3, -0.2, 0.5], [-0.4, 0.1, 0.2]]), [[0.5, -0.4, 0.6], [0.3, 0.7, -0.2]]
    finals = []
    for arguments in given:
        system = ph.CoupledBodies(inertias, **arguments)
        start = system.state(R=R, omega=omega)
        finals.append(ph.simulate(start, step=0.05, steps=100).final)
        before, after = (np.einsum("nij,nj->i", state.R, state.Pi) for state in (start, finals[-1]))
        np.testing.assert_allclose(after, before, atol=1e-11)  # by differences for the kernel
    for final in finals[1:]:
        np.testing.assert_allclose(final.R, finals[0].R, atol=1e-12)
        np.testing.assert_allclose(final.Pi, finals[0].Pi, atol=1e-12)
        assert float(final.invariants()["energy"]) == pytest.approx(float(finals[0].invariants()["energy"]), abs=1e-12)


def test_the_chain_at_rest() -> None:
    """J ξ̈ − S(a) ξ̇ + K ξ = 0 with K of U₂ = ½ Σ (ξⱼ − ξᵢ)·(tr C − C)(ξⱼ − ξᵢ)."""
    C = np.array([[0.5, 0.1, 0.0], [0.1, 0.7, 0.2], [0.0, 0.2, 0.4]])
    a = np.array([[0.3, -0.2, 0.5], [0.0, 0.4, 0.1]])
    inertias = [np.diag([1.0, 2.0, 2.5]), np.diag([2.0, 1.5, 1.0])]
    system = ph.CoupledBodies(inertias, couplings=[[0, 1, C]], gyros=a)
    aligned, *others = system.equilibria()
    assert aligned.label == "aligned"
    assert len(others) == 3
    k = np.trace(C) * np.eye(3) - C
    J = np.block([[inertias[0], np.zeros((3, 3))], [np.zeros((3, 3)), inertias[1]]])
    G = np.block([[ph.so3.hat(a[0]), np.zeros((3, 3))], [np.zeros((3, 3)), ph.so3.hat(a[1])]])
    K, inverse = np.block([[k, -k], [-k, k]]), np.linalg.inv(J)
    expected = np.linalg.eigvals(np.block([[np.zeros((6, 6)), np.eye(6)], [-inverse @ K, inverse @ G]]))
    for value in ph.linearize(aligned).eigenvalues:
        assert np.abs(value**2 - expected**2).min() < 1e-10
    labels = {e.label for e in SYSTEM.equilibria()}
    assert labels
    assert "aligned" not in labels, "with a C that is not symmetric the bodies do not rest aligned"


def pair_classes(C: np.ndarray) -> list[np.ndarray]:
    """Q = A D Bᵀ with C = A Σ Bᵀ, signs D and det Q = 1: where tr(CᵀQ) is stationary."""
    A, _, Bt = np.linalg.svd(C)
    corners = np.stack(np.meshgrid(*[[1.0, -1.0]] * 3), axis=-1).reshape(-1, 3)
    return [Q for Q in (A * signs @ Bt for signs in corners) if np.linalg.det(Q) > 0]


def formula(C: np.ndarray) -> str:
    """−tr(Cᵀ R₁ᵀ R₂) as text."""
    terms = (f"({C[a, b]:.17g})*R1_{c + 1}{a + 1}*R2_{c + 1}{b + 1}" for a, b, c in np.ndindex(3, 3, 3))
    return "-(" + " + ".join(terms) + ")"


@pytest.mark.parametrize("size", [1.0, 1e-9])
@pytest.mark.parametrize("seed", range(4))
def test_a_pair_rests_in_four_ways(seed: int, size: float) -> None:
    C = np.diag([0.3, 0.5, 0.9]) if seed == 0 else np.random.default_rng(seed).normal(size=(3, 3))
    system = ph.CoupledBodies([[1.0, 2.0, 2.5], [2.0, 1.5, 1.0]], couplings=[[1, 0, size * C.T]])
    found = [e.R[0].T @ e.R[1] for e in system.equilibria()]
    assert len(found) == 4
    for Q in pair_classes(C):
        assert min(np.abs(Q - other).max() for other in found) < 1e-10


@pytest.mark.parametrize("seed", range(2))
def test_a_chain_of_three_rests_in_sixteen_ways(seed: int) -> None:
    random = np.random.default_rng(seed)
    C, D = random.normal(size=(2, 3, 3))
    system = ph.CoupledBodies([[1.0, 2.0, 2.5]] * 3, couplings=[[0, 1, C], [1, 2, D]])
    found = [(e.R[0].T @ e.R[1], e.R[1].T @ e.R[2]) for e in system.equilibria()]
    assert len(found) == 16
    for P in pair_classes(C):
        for Q in pair_classes(D):
            assert min(max(np.abs(P - A).max(), np.abs(Q - B).max()) for A, B in found) < 1e-10


def test_a_formula_of_relative_attitudes_is_a_coupling() -> None:
    """It is found out that the momentum is kept, and that common rotations do not matter: the same four classes."""
    C = np.random.default_rng(5).normal(size=(3, 3))
    inertias = [[1.0, 2.0, 2.5], [2.0, 1.5, 1.0]]
    system = ph.CoupledBodies(inertias, potential=formula(C))
    found = [e.R[0].T @ e.R[1] for e in system.equilibria()]
    assert len(found) == 4
    for Q in pair_classes(C):
        assert min(np.abs(Q - other).max() for other in found) < 1e-10
    R, omega = ph.so3.exp([[0.3, -0.2, 0.5], [-0.4, 0.1, 0.2]]), [[0.5, -0.4, 0.6], [0.3, 0.7, -0.2]]
    assert ph.simulate(system.state(R=R, omega=omega), step=0.05, steps=500).drift()["spatial_momentum"] < 1e-12
    assert len(system.steady_rotations(0.7)) >= 6
    hung = ph.CoupledBodies(inertias, potential=formula(C) + " + 1e-6*R1_33")
    assert list(hung.conserved) == ["energy"]
    with pytest.raises(ph.InvalidInputError):
        hung.steady_rotations(0.7)


def test_of_a_family_beside_common_rotations_a_few_members_are_listed() -> None:
    """Half turns about any axis between two that are coupled alike: a line of equilibria, and not hundreds of points on it."""
    found = ph.CoupledBodies(
        [[1.0, 2.0, 2.5], [2.0, 1.5, 1.0]], potential=formula(np.diag([0.3, 0.3, 0.9]))
    ).equilibria()
    assert {e.label for e in found} == {"aligned", "U = 0.9", "U = -0.3"}
    assert 3 <= len(found) < 20


def test_a_loop_of_three_rests_where_no_moment_is_left() -> None:
    random = np.random.default_rng(7)
    system = ph.CoupledBodies(
        [[1, 1, 1]] * 3, [[i, j, random.normal(size=(3, 3))] for i, j in ((0, 1), (2, 1), (2, 0))]
    )
    found = system.equilibria()
    assert len(found) == 16
    for e in found:
        run = ph.simulate(e, step=0.1, steps=1, method=TIGHT)
        np.testing.assert_allclose(run.final.R, e.R, atol=1e-12)


def test_bodies_that_nothing_couples_rest_anywhere() -> None:
    assert [e.label for e in ph.CoupledBodies([[1, 2, 2.5]] * 2).equilibria()] == ["aligned"]


@pytest.mark.parametrize("K", [-0.6, 0.6])
def test_shells_at_rest(K: float) -> None:
    J1, J2 = np.diag([1.0, 2.0, 2.5]), np.diag([2.0, 1.5, 1.0])
    shells = ph.ConcentricShells(J1, J2, K=K)
    aligned, *opposite = shells.equilibria()
    sums = np.linalg.inv(J1) + np.linalg.inv(J2)
    found = ph.linearize(aligned)
    assert found.verdict == ("stable" if K < 0 else "unstable")
    squares = np.sort((found.eigenvalues**2).real)
    expected = np.sort(np.concatenate([np.repeat(np.linalg.eigvals(2 * K * sums), 2), np.zeros(6)]))
    np.testing.assert_allclose(squares, expected, atol=1e-10)
    for e, n in zip(opposite, np.eye(3), strict=True):
        found = ph.linearize(e)
        assert (found.verdict != "unstable") == (K > 0)
        assert np.abs(found.eigenvalues**2 + 2 * K * (n @ sums @ n)).min() < 1e-10


def test_spherical_shells_keep_the_sum_of_body_momenta() -> None:
    shells = ph.ConcentricShells([1, 1, 1], [2, 2, 2], K=0.7)
    R = ph.so3.exp([[0.3, -0.2, 0.5], [-0.4, 0.1, 0.2]])
    run = ph.simulate(shells.state(R=R, omega=[[0.5, -0.4, 0.6], [0.3, 0.7, -0.2]]), step=0.05, steps=10_000)
    assert run.drift()["body_momentum"] < 1e-12
    assert run.drift()["spatial_momentum"] < 1e-12
    Q = R[0].T @ R[1]
    assert float(shells.potential_energy(R)) == pytest.approx(0.7 * (np.trace(Q) - 3), abs=1e-14)


@pytest.mark.verify
@pytest.mark.parametrize("name", ["ConcentricShells", "CoupledBodies"])
def test_rotations_as_one_are_steady(name: str) -> None:
    """They go on for a while as they began, in space and relative to each other, and can be linearised."""
    system = getattr(ph, name).example().system
    found = system.steady_rotations(0.7)
    assert len(found) >= 6
    for steady in found[:6]:
        run = ph.simulate(steady, step=1.0, steps=2, method=TIGHT)
        np.testing.assert_allclose(run.final.omega, steady.omega, atol=1e-9)
        turned = ph.so3.exp([0.0, 0.0, 0.7 * 2.0]) @ steady.R
        np.testing.assert_allclose(run.final.R, turned, atol=1e-9)
        spatial = np.einsum("nij,nj->ni", steady.R, steady.omega)
        np.testing.assert_allclose(spatial, np.tile([0.0, 0.0, 0.7], (system.n, 1)), atol=1e-12)
    verdicts = {ph.linearize(e).verdict for e in found}
    assert "unstable" in verdicts
    assert len(verdicts) > 1


def test_two_bodies_that_share_their_axes_turn_about_them() -> None:
    shells = ph.ConcentricShells([1.0, 2.0, 2.5], [2.0, 1.5, 1.0], K=-0.6)
    aligned = [e for e in shells.steady_rotations(0.5) if np.abs(e.R[0] - e.R[1]).max() < 1e-9]
    axes = {int(np.argmax(np.abs(e.R[0, 2]))) for e in aligned if np.abs(e.R[0, 2]).max() > 1 - 1e-9}
    assert axes == {0, 1, 2}
    with pytest.raises(ph.InvalidInputError):
        shells.steady_rotations(0.0)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"inertias": []}, "inertias"),
        ({"inertias": [[1, 2, -1]]}, "inertias[0]"),
        ({"inertias": [[1, 2, 2.5]], "couplings": [[0, 0, 0.5]]}, "couplings[0]"),
        ({"inertias": [[1, 2, 2.5]] * 2, "couplings": [[0, 2, 0.5]]}, "couplings[0]"),
        ({"inertias": [[1, 2, 2.5]] * 2, "couplings": [[0, 1]]}, "couplings[0]"),
        ({"inertias": [[1, 2, 2.5]] * 2, "gyros": [1, 2, 3]}, "gyros"),
    ],
)
def test_bad_input_is_named(arguments: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.CoupledBodies(**arguments)
    assert caught.value.field == field


def test_inertias_of_mixed_shapes() -> None:
    """Moments beside matrices, as arrays, are the same bodies as matrices alone."""
    J1, J2 = np.array([1.0, 2.0, 2.5]), np.diag([2.0, 1.5, 1.0])
    shells = ph.ConcentricShells(J2, J1, K=-0.5)
    np.testing.assert_array_equal(shells.parameters(), ph.ConcentricShells(J2, np.diag(J1), K=-0.5).parameters())
    mixed = ph.CoupledBodies([J1, J2, [1, 1, 1]], [[0, 1, 0.3]])
    np.testing.assert_array_equal(mixed.inertias[1].matrix, J2)
    for wrong in (3.0, None, [], np.zeros((0, 3)), "abc"):
        with pytest.raises(ph.InvalidInputError, match="inertias"):
            ph.CoupledBodies(wrong, [])
