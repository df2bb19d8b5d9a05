"""Point forces and constant moments: potentials, momenta that grow as they should, steady rotations."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

INERTIA = [1.0, 2.0, 2.5]
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


def test_a_point_force_is_a_weight() -> None:
    """The same body as a pendulum about its centre, with m g ρ₀ = |F| b and e₃ along the force."""
    b = np.array([0.3, -0.2, 0.5])
    force = ph.PointForceBody(INERTIA, point=b, force=[0.0, 0.0, 2.0])
    arm = ph.so3.hat(b)
    pendulum = ph.Pendulum3D(np.diag(INERTIA) - 0.1 * arm.T @ arm, mass=0.1, rho0=b, g=20.0)
    values = {"q": [0.1, -0.2, 0.3, 0.9], "omega": [0.7, -0.5, 0.6]}
    x, y = (ph.simulate(s.state(**values), step=0.05, steps=100).final for s in (force, pendulum))
    np.testing.assert_allclose(x.R, y.R, atol=1e-12)


def test_a_point_force_over_many_steps() -> None:
    state = ph.PointForceBody.example()
    run = ph.simulate(state, step=0.05, steps=100_000, save_every=100)
    assert run.drift()["momentum_along_force"] < 1e-12
    body = state.system
    for e, sign in zip(body.equilibria(), (1.0, -1.0), strict=True):
        stiffness = sign * np.linalg.norm(body.applied) * np.linalg.norm(body.point)
        n = body.point / np.linalg.norm(body.point)
        expected = -np.linalg.eigvals(body.inertia.inverse @ (stiffness * (np.eye(3) - np.outer(n, n))))
        for value in ph.linearize(e).eigenvalues:
            assert np.abs(value**2 - expected).min() < 1e-10


@pytest.mark.parametrize("method", [ph.LGVI(), ph.LGVI(form="lagrangian"), ph.LGVI(order=4), TIGHT], ids=repr)
def test_a_moment_in_space_adds_up(method: ph.LGVI) -> None:
    M0 = np.array([0.1, -0.2, 0.15])
    body = ph.ConstantSpaceMoment(INERTIA, moment=M0)
    run = ph.simulate(body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.7, -0.5, 0.6]), step=0.05, steps=200, method=method)
    momentum = np.einsum("nij,nj->ni", run.R, run.Pi)
    np.testing.assert_allclose(momentum, momentum[0] + run.t[:, None] * M0, atol=1e-12)
    assert body.equilibria() == []
    assert not body.hamiltonian


def test_steady_rotations_under_a_body_moment() -> None:
    J, a = np.array(INERTIA), np.array([-0.1, 0.2, 0.3])
    body = ph.ConstantBodyMoment(INERTIA, moment=a)
    found = body.equilibria()
    assert len(found) == 2
    c = np.array([J[2] - J[1], J[0] - J[2], J[1] - J[0]])
    for e in found:
        np.testing.assert_allclose(np.cross(e.omega, J * e.omega), a, atol=1e-14)
        w = e.omega
        linear = c[0] * c[1] * w[2] ** 2 / (J[0] * J[1]) + c[1] * c[2] * w[0] ** 2 / (J[1] * J[2])
        linear += c[0] * c[2] * w[1] ** 2 / (J[0] * J[2])
        roots = np.roots([1.0, 0.0, -linear, 2 * np.prod(c) * np.prod(w) / np.prod(J)])
        eigenvalues = ph.linearize(e).eigenvalues
        for root in roots:
            assert np.abs(eigenvalues - root).min() < 1e-10
        assert ph.linearize(e).verdict == "unstable"
    assert ph.ConstantBodyMoment(INERTIA, moment=-a).equilibria() == [], "the sign of a₁a₂a₃ decides"
    assert ph.ConstantBodyMoment(INERTIA, moment=[0.1, 0.0, 0.2]).equilibria() == []


@pytest.mark.parametrize(
    ("J", "moment", "count"),
    [
        *(([1.0, 2.0, 2.5], 0.3 * e, 6) for e in np.eye(3)),
        ([1.0, 2.0, 2.5], np.array([0.1, 0.2, 0.0]), 0),
        ([1.0, 1.0, 1.8], np.array([0.1, -0.2, 0.0]), 6),
        ([1.0, 1.0, 1.8], np.array([0.3, 0.0, 0.0]), 6),
        ([1.0, 1.0, 1.8], np.array([0.1, -0.2, 0.3]), 0),
        ([1.0, 1.8, 1.8], np.array([0.0, 0.2, -0.1]), 6),
        ([1.0, 1.8, 1.8], np.array([0.3, 0.0, 0.0]), 0),
        ([1.0, 1.0, 1.0], np.array([0.0, 0.0, 0.3]), 0),
    ],
)
@pytest.mark.parametrize("turn", [np.eye(3), ph.so3.exp([0.3, -0.7, 0.4])])
def test_families_of_steady_rotations(J: list[float], moment: np.ndarray, count: int, turn: np.ndarray) -> None:
    """A moment along one principal axis, or across the axis of a symmetric body: ω × Jω = M₀ on two branches."""
    inertia, M0 = turn @ np.diag(J) @ turn.T, turn @ moment
    body = ph.ConstantBodyMoment(inertia, moment=1e-6 * M0)
    found = body.equilibria().all
    assert len(found) == count
    assert len({tuple(e.omega) for e in found}) == count
    for e in found:
        assert "family" in e.label
        np.testing.assert_allclose(np.cross(e.omega, inertia @ e.omega), 1e-6 * M0, atol=1e-20)


def test_the_integral_of_a_moment_along_a_principal_axis() -> None:
    body = ph.ConstantBodyMoment(INERTIA, moment=[0.0, 0.0, 0.3])
    run = ph.simulate(body.state(omega=[0.7, -0.5, 0.6]), step=1.0, steps=10, method=TIGHT)
    assert run.drift()["energy_momentum"] < 1e-12
    assert np.ptp(np.linalg.norm(run.Pi, axis=1)) > 1.0


def test_bad_input_is_named() -> None:
    for make in (ph.ConstantSpaceMoment, ph.ConstantBodyMoment):
        with pytest.raises(ph.InvalidInputError) as caught:
            make(INERTIA, [0, 0, 0])
        assert caught.value.field == "moment"
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.PointForceBody(INERTIA, [0, 0, 1], [0, 0, 0])
    assert caught.value.field == "force"
