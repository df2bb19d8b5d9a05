"""The three-dimensional pendulum: golden states, momentum maps, equilibria, Staude's rotations and the sleeping top."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

from ...shared import check_map, golden, same_eigenvalues

TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


def golden_body() -> ph.Pendulum3D:
    given = golden("so3")["systems"]["pendulum3d"]["params"]
    return ph.Pendulum3D(given["Jcm"], mass=given["m"], rho0=given["rho0"], g=given["g"])


def test_the_continuous_flow() -> None:
    case, body = golden("so3")["systems"]["pendulum3d"], golden_body()
    np.testing.assert_allclose(body.inertia.matrix, case["params"]["J_pivot"], atol=1e-15)
    state = body.state(R=case["t0"]["R"], omega=case["t0"]["w"])
    run = ph.simulate(state, step=1.0, t_end=10.0, method=TIGHT)
    for k, sample in ((1, case["t1"]), (10, case["t10"])):
        np.testing.assert_allclose(run.R[k], sample["R"], atol=1e-12)
        np.testing.assert_allclose(run.omega[k], sample["w"], atol=1e-12)
    for name, value in case["invariants"].items():
        np.testing.assert_allclose(run.invariants()[name], value, atol=1e-12)


@pytest.mark.parametrize("form", ["hamiltonian", "lagrangian"])
def test_the_variational_map(form: str) -> None:
    check_map(golden("so3")["lgvi"]["pendulum3d"], golden_body(), form)


def test_a_hundred_thousand_steps() -> None:
    state = ph.Pendulum3D.example()
    run = ph.simulate(state, step=0.02, steps=100_000, save_every=100)
    energy, momentum = run.conservation()
    assert momentum.worst < 1e-12
    assert energy.worst < 1e-3
    assert abs(energy.slope) * run.t[-1] < 0.1 * energy.worst
    off = np.linalg.norm(np.swapaxes(run.R, 1, 2) @ run.R - np.eye(3), axis=(1, 2))
    assert off.max() < 1e-13


def test_lagranges_top_keeps_the_momentum_about_its_axis() -> None:
    top = ph.Pendulum3D([0.4, 0.4, 0.3], mass=1.0, rho0=[0.0, 0.0, -0.5], g=2.0)
    assert top.is_lagrange_top
    run = ph.simulate(top.state(q=[0.3, 0.1, 0.0, 0.9], omega=[0.3, 0.2, 2.0]), step=0.02, steps=10_000)
    assert run.drift()["axial_momentum"] < 1e-13
    assert "axial_momentum" not in golden_body().conserved


def test_hanging_and_inverted() -> None:
    body = golden_body()
    hanging, inverted = body.equilibria()
    up = np.array([0.0, 0.0, 1.0])
    assert -up @ hanging.R @ body.rho0 < 0 < -up @ inverted.R @ body.rho0, "the height of the centre of mass"
    found = ph.linearize(hanging)
    assert found.verdict == "stable"
    assert found.explanation.endswith("a family of one dimension"), "the turns about the vertical"
    same_eigenvalues(found.eigenvalues, golden("so3")["linearisation"]["pendulum3d_hanging"]["eigenvalues"])
    assert ph.linearize(inverted).verdict == "unstable"


def test_the_sleeping_top() -> None:
    case = golden("so3")["linearisation"]["sleeping_top"]
    rho0 = np.array(case["rho0"], dtype=float)
    arm = ph.so3.hat(rho0)
    top = ph.Pendulum3D(np.array(case["J"]) - case["m"] * arm.T @ arm, case["m"], rho0, case["g"])
    for factor, verdict in ((0.9, "unstable"), (1.1, "spectrally stable")):
        (upright,) = [e for e in top.steady_rotations(factor * case["Omega_critical"]) if e.label == "upright"]
        found = ph.linearize(upright)
        assert found.verdict == verdict
        # the full spectrum: the two zeros of the reduced one are those of the two cyclic angles
        same_eigenvalues(found.eigenvalues, case[f"reduced_eigs_at_{factor}_Omega_c"])


@pytest.mark.parametrize("Omega", [0.5, 3.0, 6.0, 20.0])
def test_staude_rotations_are_steady(Omega: float) -> None:
    body = golden_body()
    found = body.steady_rotations(Omega)
    assert len(found) >= 2
    for steady in found:
        Gamma, omega = steady.R[2], steady.omega
        np.testing.assert_allclose(omega, Omega * Gamma, atol=1e-12)
        change = np.cross(body.inertia.matrix @ omega, omega) + body.mass * body.g * np.cross(body.rho0, Gamma)
        np.testing.assert_allclose(change, 0.0, atol=1e-11)
    if Omega == 6.0:
        assert any(np.linalg.norm(np.cross(s.omega, body.inertia.matrix @ s.omega)) > 0.1 for s in found), (
            "in general the axis is no principal one"
        )


def test_damping_takes_the_energy_away_at_the_right_rate() -> None:
    D = np.diag([0.01, 0.02, 0.03])
    body = ph.Pendulum3D([0.13, 0.28, 0.17], mass=1.0, rho0=[0.02, -0.05, -0.3], damping=D)
    assert body.conserved == {}
    state = body.state(q=[0.4, 0.2, 0.1, 0.9], omega=[1.0, 2.0, 0.5])
    reference = ph.simulate(state, step=0.005, t_end=2.0, method=TIGHT)
    energy = body.energy(reference.values)
    work = np.einsum("ni,ij,nj->n", reference.omega, D, reference.omega)
    lost = np.trapezoid(work, reference.t) if hasattr(np, "trapezoid") else np.trapz(work, reference.t)  # noqa: NPY201
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-4)
    errors = [np.abs(ph.simulate(state, step=h, t_end=2.0).final.R - reference.final.R).max() for h in (0.01, 0.005)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


@pytest.mark.parametrize(
    ("change", "field"),
    [({"mass": 0.0}, "mass"), ({"rho0": [1, 2]}, "rho0"), ({"damping": -1.0}, "damping"), ({"g": "heavy"}, "g")],
)
def test_bad_input_is_named(change: dict, field: str) -> None:
    given = {"inertia_cm": [1, 2, 2.5], "mass": 1.0, "rho0": [0, 0, -0.3], "g": 9.81} | change
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.Pendulum3D(**given)
    assert caught.value.field == field


def test_only_steady_states_are_linearised() -> None:
    state = ph.Pendulum3D.example()
    with pytest.raises(ph.InvalidInputError, match="equilibrium"):
        ph.linearize(state)
