"""A rigid body in a circular orbit: golden states, the Jacobi integral, 24 equilibria and their stability."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import polhode as ph

from ...shared import check_map, golden, same_eigenvalues

TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


def golden_body() -> ph.OrbitingBody:
    given = golden("so3")["systems"]["orbit"]["params"]
    return ph.OrbitingBody(given["J"], n=given["n"])


def test_the_continuous_flow() -> None:
    case, body = golden("so3")["systems"]["orbit"], golden_body()
    state = body.state(R=case["t0"]["R"], omega=case["t0"]["w"])
    run = ph.simulate(state, step=1.0, t_end=10.0, method=TIGHT)
    for k, sample in ((1, case["t1"]), (10, case["t10"])):
        np.testing.assert_allclose(run.R[k], sample["R"], atol=1e-12)
        np.testing.assert_allclose(run.omega[k], sample["w"], atol=1e-12)
    np.testing.assert_allclose(run.invariants()["jacobi"], case["invariants"]["jacobi"], atol=1e-12)


@pytest.mark.parametrize("form", ["hamiltonian", "lagrangian"])
def test_the_variational_map(form: str) -> None:
    case = golden("so3")["lgvi"]["orbit"]
    final = check_map(case, golden_body(), form)
    assert float(final.invariants()["jacobi"]) == pytest.approx(case["invariants_after"]["jacobi"], abs=1e-12)


def test_the_same_motion_in_the_inertial_frame() -> None:
    """R_inertial = exp(nt S(e₂)) R, with the moment 3n² ê × Jê of the turning radial direction ê."""
    body = golden_body()
    n, J = body.n, body.inertia.matrix
    state = body.state(q=[0.1, -0.05, 0.15, 0.98], omega=[0.3, 0.9, -0.2])
    run = ph.simulate(state, step=0.5, t_end=5.0, method=TIGHT)

    from scipy.integrate import solve_ivp

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        R, omega = y[:9].reshape(3, 3), y[9:]
        e = R.T @ (ph.so3.exp([0.0, n * t, 0.0]) @ [0.0, 0.0, 1.0])
        change = np.linalg.solve(J, np.cross(J @ omega, omega) + 3 * n**2 * np.cross(e, J @ e))
        return np.concatenate([(R @ ph.so3.hat(omega)).reshape(-1), change])

    y0 = np.concatenate([state.R.reshape(-1), state.omega])
    y = solve_ivp(slope, (0.0, 5.0), y0, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    np.testing.assert_allclose(ph.so3.exp([0.0, 5.0 * n, 0.0]) @ run.final.R, y[:9].reshape(3, 3), atol=1e-11)
    np.testing.assert_allclose(run.final.omega, y[9:], atol=1e-11)


def test_the_jacobi_integral_does_not_drift() -> None:
    body = golden_body()
    state = body.state(q=[0.1, -0.05, 0.15, 0.98], omega=[0.36, 0.95, -0.13])
    run = ph.simulate(state, step=0.05, t_end=5000.0, save_every=10)
    (kept,) = run.conservation()
    assert kept.worst < 2e-3
    assert abs(kept.slope) * 5000.0 < 0.05 * kept.worst
    kinetic = 0.5 * np.sum(run.Pi * run.omega, axis=-1)
    b3 = run.R[:, 2]
    total = kinetic + 1.5 * body.n**2 * np.sum(b3 * (b3 @ body.inertia.matrix), axis=-1)
    assert np.ptp(total) > 0.1, "kinetic and potential energy are not what is kept"


def test_the_parts_of_the_energy_add_up_to_the_jacobi_integral() -> None:
    """Of a body whose three directions, rates and moments all differ."""
    state = ph.OrbitingBody.example()
    total = state.system.energies(state.values)["total"]
    assert float(total) == pytest.approx(float(state.invariants()["jacobi"]), rel=1e-13)


def test_twenty_four_equilibria() -> None:
    body = golden_body()
    found = body.equilibria().all
    assert len(found) == 24
    for i, e in enumerate(found):
        assert all(ph.so3.distance(e.R, other.R) > 1.0 for other in found[:i])
        run = ph.simulate(e, step=1.0, steps=1, method=TIGHT)
        np.testing.assert_allclose(run.final.R, e.R, atol=1e-12)
    assert sum(ph.linearize(e).verdict == "stable" for e in found) == 4


def test_stability_in_the_golden_regions() -> None:
    for name, case in golden("so3")["linearisation"]["orbit_n1.1"].items():
        moments = ast.literal_eval(name[name.index("(") :])
        body = ph.OrbitingBody(moments, n=1.1)
        found = ph.linearize(body.state(omega=[0.0, 1.1, 0.0]))
        same_eigenvalues(found.eigenvalues, case["eigenvalues"])
        assert (found.verdict != "unstable") == case["linearly_stable"]
        if "DeBra" in name:
            assert found.verdict == "spectrally stable", "gyroscopic stability is not that of an energy minimum"
