"""The tangent maps of closed forms: against what is known of them, and against tight runs on dual numbers."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

BODY = ph.FreeRigidBody([[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]])
START = BODY.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.9, -0.7, 0.6])
STARTS = {
    "tumbling": START,
    "steady": ph.FreeRigidBody([1, 2, 3]).state(omega=[0.0, 0.0, 1.0]),
    "separatrix": ph.FreeRigidBody([1, 2, 3]).state(omega=[0.0, 1.0, 0.0]),
    "axisymmetric": ph.FreeRigidBody([1, 1, 1.8]).state(omega=[0.3, 1.0, 0.2]),
    "at rest": ph.FreeRigidBody([1, 2, 3]).state(),
}


# from the middle axis everything grows so fast that no digit is left at the later time
@pytest.mark.parametrize(("name", "t"), [(n, t) for n in STARTS for t in (3.0, 200.0) if n != "separatrix" or t < 10.0])
def test_the_tangent_of_free_motion_has_its_symmetries(name: str, t: float) -> None:
    """Another attitude turns the motion; another momentum is one that is scaled, or reached later, or another: for all of
    them the momentum in space and the symplectic form are conserved."""
    start = STARTS[name]
    run = ph.simulate(start, step=t, steps=1, method=ph.Exact(), tangent=True)
    Phi, end = run.tangent[-1], run.final
    F, size = start.R.T @ end.R, max(1.0, np.abs(Phi).max())
    rate, later = (np.cross(s.Pi, s.omega) for s in (start, end))
    close = {"rtol": 0.0, "atol": 1e-10 * size}
    np.testing.assert_allclose(Phi[:, :3], np.concatenate([F.T, np.zeros((3, 3))]), **close)
    scaled = np.concatenate([t * end.omega, end.Pi + t * later])
    np.testing.assert_allclose(Phi[:, 3:] @ start.Pi, scaled, **close)
    np.testing.assert_allclose(Phi[:, 3:] @ rate, np.concatenate([end.omega - F.T @ start.omega, later]), **close)
    space = ph.so3.hat(end.Pi) @ Phi[:3, 3:]  # δΠ − η × Π with η by these columns
    np.testing.assert_allclose(Phi[3:, 3:] - space, F.T, **close)

    def form(state: ph.State) -> np.ndarray:
        return np.block([[-ph.so3.hat(state.Pi), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])

    np.testing.assert_allclose(Phi.T @ form(end) @ Phi, form(start), rtol=0.0, atol=1e-10 * size * size)


def test_it_goes_on_from_any_sample() -> None:
    """Samples, a run that is resumed, and chosen times have the same tangent maps, to the digits that these have."""
    whole = ph.simulate(START, step=0.5, steps=6, method=ph.Exact(), tangent=True)
    half = ph.simulate(START, step=0.5, steps=3, method=ph.Exact(), tangent=True)
    on = ph.resume(half, steps=3)
    np.testing.assert_allclose(on.tangent[-1], whole.tangent[-1], atol=1e-10)
    times = ph.simulate(START, t_eval=[0.7, 3.0], method=ph.Exact(), tangent=True)
    np.testing.assert_allclose(times.tangent[-1], whole.tangent[-1], atol=1e-10)


SYSTEMS = {
    "free": (START, ["state", "inertia"]),
    "pendulum": (ph.PlanarPendulum.example(), ["state", "parameters"]),
    "about an axis": (ph.AxisPendulum.example(), True),
    "top": (
        ph.Pendulum3D(np.diag([1.5, 1.5, 0.8]), mass=1.0, rho0=[0.0, 0.0, -0.3]).state(
            R=ph.so3.exp([0.5, 0.3, 0.1]), omega=[0.2, 0.3, 4.0]
        ),
        True,
    ),
    "directors": (ph.DirectorBody.example(), True),
}


@pytest.mark.verify
@pytest.mark.parametrize("name", SYSTEMS)
def test_tangents_are_those_of_a_tight_run(name: str) -> None:
    start, tangent = SYSTEMS[name]
    exact, tight = (
        ph.simulate(start, step=1.0, steps=4, method=method, tangent=tangent)
        for method in (ph.Exact(), ph.DOP853(3e-14, 1e-15))
    )
    assert exact.tangent_names == tight.tangent_names
    np.testing.assert_allclose(exact.tangent, tight.tangent, rtol=0.0, atol=2e-10)


def test_lanes_are_refused() -> None:
    with pytest.raises(ph.IncompatibleMethodError, match="doubles and duals only"):
        ph.Exact().start(START, 0.1, ph.scalars.lanes(4))
