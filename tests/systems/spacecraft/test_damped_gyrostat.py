"""The spherical damper: both schemes against the motion and against their equations, for soft and stiff layers."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.analysis import measured_order
from polhode.scalars import cos
from tests.tiers import later

from . import discrete_equations as exact

J = np.diag([1.0, 2.0, 3.0])
OMEGA = np.array([np.pi / 4, -np.pi / 5, np.pi / 6])
SYMMETRIC, FULL = ph.QuaternionVI(), ph.FullKickVI()


def body(C: float, **rest) -> ph.DampedGyrostat:
    return ph.DampedGyrostat(J, damper_inertia=0.2, damping=C, **rest)


def reference(C: float, at_rest: bool, times: list[float]) -> np.ndarray:
    """The energy by a stiff solver on Euler's equations in (ω, ω_D)."""

    I1, I2, I3 = J.diagonal()

    def slope(t, y):
        a, b, c, p, q, r = y
        u, v, w = C * (p - a), C * (q - b), C * (r - c)
        turning = ((I2 - I3) * b * c + u) / I1, ((I3 - I1) * c * a + v) / I2, ((I1 - I2) * a * b + w) / I3
        return [*turning, q * c - r * b - u / 0.2, r * a - p * c - v / 0.2, p * b - q * a - w / 0.2]

    first = np.concatenate([OMEGA, 0 * OMEGA if at_rest else OMEGA])
    y = solve_ivp(slope, (0.0, times[-1]), first, "Radau", times, rtol=1e-7, atol=1e-9).y.T
    return 0.5 * np.sum(y[:, :3] @ J * y[:, :3], axis=1) + 0.1 * np.sum(y[:, 3:] ** 2, axis=1)


def energy(C: float, method: ph.methods.Method, at_rest: bool = False) -> np.ndarray:
    """At 0, 3, 30 and 150 with a step of 0.3."""
    state = body(C).state(omega=OMEGA, omega_D=[0, 0, 0] if at_rest else None)
    run = ph.simulate(state, step=0.3, t_end=150.0, method=method)
    return run.kinetic_energy[[0, 10, 100, 500]]


@pytest.mark.parametrize("C", later([0.1, 1.0, 10.0], lambda C: C != 1.0))
@pytest.mark.parametrize("at_rest", later([False, True], bool))
def test_energy_of_the_symmetric_scheme(C: float, at_rest: bool) -> None:
    np.testing.assert_allclose(energy(C, SYMMETRIC, at_rest), reference(C, at_rest, [0, 3, 30, 150]), rtol=0.01)


@pytest.mark.parametrize("at_rest", later([False, True], bool))
def test_energy_of_the_full_kick_when_stiff(at_rest: bool) -> None:
    np.testing.assert_allclose(energy(100.0, FULL, at_rest), reference(100.0, at_rest, [0, 3, 30, 150]), rtol=1e-3)


def test_a_slip_rings_in_the_symmetric_scheme_only() -> None:
    truth = reference(100.0, True, [0, 3])[1]
    assert energy(100.0, SYMMETRIC, True)[1] > 1.05 * truth
    assert energy(100.0, FULL, True)[1] == pytest.approx(truth, rel=1e-3)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("method", [SYMMETRIC, FULL], ids=repr)
def test_energy_falls_towards_the_major_axis(C: float, method: ph.methods.Method) -> None:
    """Means over spans of time fall; where there is time enough the body ends in the spin of least energy."""
    state = body(C).state(omega=OMEGA)
    run = ph.simulate(state, step=0.3, t_end=3000.0, method=method)
    spans = run.kinetic_energy[1:].reshape(20, -1).mean(axis=1)
    least = float(state.system.steady_spins(np.linalg.norm(J @ OMEGA + 0.2 * OMEGA))[-1].kinetic_energy)
    assert np.all(np.diff(spans) < 1e-9)
    assert np.all(spans > least - 1e-9)
    if C < 10.0:
        assert run.kinetic_energy[-1] == pytest.approx(least, rel=1e-3)
        assert abs(run.omega[-1, 2]) > 0.999 * np.linalg.norm(run.omega[-1])
    else:
        assert run.kinetic_energy[-1] < run.kinetic_energy[0]


@pytest.mark.parametrize("C", [0.1, 100.0, 1e6])
@pytest.mark.parametrize("method", [SYMMETRIC, ph.LGVI(), FULL], ids=repr)
def test_momentum_over_many_steps(C: float, method: ph.methods.Method) -> None:
    state = body(C, rho=[0.1, -0.2, 0.3]).state(omega=OMEGA, omega_D=[0.2, 0.1, 0.4])
    run = ph.simulate(state, step=0.3, steps=100_000, save_every=1000, method=method)
    assert run.drift()["spatial_momentum"] < 1e-12
    assert run.stats.max_iterations < 10, "no stall, however stiff"


def test_the_stiff_limit_is_the_rigid_body() -> None:
    locked = ph.FreeRigidBody(J + 0.2 * np.eye(3))
    rigid = ph.simulate(locked.state(omega=OMEGA), step=0.1, steps=200, method=SYMMETRIC)
    for method in (SYMMETRIC, FULL):
        state = body(1e9).state(omega=OMEGA)
        run = ph.simulate(state, step=0.1, steps=200, method=method)
        np.testing.assert_allclose(run.q, rigid.q, atol=0.05)


@pytest.mark.parametrize(
    "rest",
    [
        {},
        {"rho": [0.3, -0.2, 0.1], "torque": [0.1, 0.0, -0.1]},
        {"rho": lambda t: (0.2 * t, 0.1, -0.1 * t * t)},
        {"rotor_torque": lambda t, R, omega: (0.3 * omega[0], 0.1 * cos(t), 0.0)},
    ],
    ids=["damper", "torque", "rho of time", "commanded"],
)
def test_order(rest: dict) -> None:
    state = body(0.5, **rest).state(omega=OMEGA, omega_D=[0.2, 0.1, -0.3])
    for method in (SYMMETRIC, ph.LGVI(), ph.ForcedLGVI(), ph.LGVI(order=4)):
        np.testing.assert_allclose(measured_order(state, method, 3.0).orders, method.order, atol=0.1)
    np.testing.assert_allclose(measured_order(state, FULL, 3.0).orders, 1.0, atol=0.15)


def test_continuous_motion() -> None:
    state = body(0.7, rho=[0.3, -0.2, 0.1]).state(omega=OMEGA, omega_D=[0.2, 0.1, -0.3])
    h = 1e-3
    ahead, behind = (ph.simulate(state, step=s * h, steps=1, method=ph.DOP853()).final for s in (1, -1))
    rate, damper = ((a - b) / (2 * h) for a, b in ((ahead.omega, behind.omega), (ahead.omega_D, behind.omega_D)))
    w, d = state.omega, state.omega_D
    np.testing.assert_allclose(J @ rate + np.cross(w, J @ w + [0.3, -0.2, 0.1]), 0.7 * (d - w), atol=1e-5)
    np.testing.assert_allclose(0.2 * (damper + np.cross(w, d)), -0.7 * (d - w), atol=1e-5)


@pytest.mark.verify
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("C", ["0.7", "100"])
def test_steps_and_tangent_against_forty_digits(full: bool, C: str) -> None:
    system = body(float(C), rho=[0.1, -0.2, 0.3])
    state = system.state(q=[0.1, -0.2, 0.3, 0.9], omega=OMEGA, omega_D=[0.2, 0.1, -0.3])
    with mp.workdps(40):
        inertia = mpmath.diag([1, 2, 3])
        rho = exact.vector([0.1, -0.2, 0.3])
        q0, p0, d0 = (mpmath.matrix([mpf(float(x)) for x in v]) for v in (state.q, state.Pi, state.Pi_D))

        def end(x):
            q, p, d = exact.turned(q0, x[:3]), p0 + x[3:6], d0 + x[6:]
            for _ in range(2):
                q, p, d = exact.step(inertia, q, p, mpf("0.1"), rho, d=d, inertia=mpf("0.2"), C=mpf(C), full=full)
            return q, p, d

        last = [np.array([float(v) for v in part]) for part in end(mpmath.matrix(9, 1))]
        expected = exact.tangent(end, 9)
    for method in [FULL] if full else [SYMMETRIC, ph.LGVI()]:
        run = ph.simulate(state, step=0.1, steps=2, method=method, tangent=True)
        assert ph.quaternion.distance(run.q[-1], last[0]) < 1e-14
        np.testing.assert_allclose(run.Pi[-1], last[1], atol=1e-13)
        np.testing.assert_allclose(run.Pi_D[-1], last[2], atol=1e-13)
        np.testing.assert_allclose(run.tangent[-1], expected, atol=1e-10)


def test_the_error_names_the_largest_step() -> None:
    for C in (1.0, 1e6):
        state = body(C).state(omega=OMEGA)
        largest = state.system.largest_step(state)
        assert 0.9 < largest < 1.0
        ph.simulate(state, step=0.999 * largest, steps=1, method=SYMMETRIC)
        with pytest.raises(ph.ConvergenceError, match="largest usable step"):
            ph.simulate(state, step=1.001 * largest, steps=1, method=SYMMETRIC)


def test_major_axis_rule() -> None:
    """With a damper only the spin about the axis of largest inertia does not grow a disturbance."""
    system = body(1.0)
    verdicts = {int(np.argmax(np.abs(e.omega))): ph.linearize(e).verdict for e in system.steady_spins(4.0)}
    assert verdicts[0] == verdicts[1] == "unstable"
    assert verdicts[2] != "unstable"


def test_only_the_full_kick_takes_no_other_system() -> None:
    with pytest.raises(ph.IncompatibleMethodError, match="is for gyrostats with a damper or a torque"):
        FULL.check(ph.FreeRigidBody([1, 2, 3]))


def test_without_damping_the_sphere_is_free() -> None:
    """Body and sphere each keep their own momentum in space, and the energy does not fall."""
    free = body(0.0)
    for method in (SYMMETRIC, FULL, ph.LGVI()):
        run = ph.simulate(free.state(omega=OMEGA, omega_D=[1.0, 2.0, -0.5]), step=0.05, steps=200, method=method)
        for momentum in (run.Pi, run.Pi_D):
            assert np.ptp(np.einsum("nij,nj->ni", run.R, momentum), axis=0).max() < 1e-13
        assert np.ptp(run.kinetic_energy) < 1e-12


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("damper_inertia", 0.0),
        *((field, bad) for field in ("damper_inertia", "damping") for bad in (-1.0, np.nan, "much")),
    ],
)
def test_bad_input_is_named(field: str, bad: object) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.DampedGyrostat(J, **{"damper_inertia": 0.2, "damping": 1.0} | {field: bad})
    assert caught.value.field == field


@pytest.mark.parametrize("omega", [[0.0, 0.0, 0.0], [1e-3, 0.0, 0.0]])
def test_a_sphere_that_turns_fast_bounds_the_step(omega: list[float]) -> None:
    body = ph.DampedGyrostat([1, 2, 3], damper_inertia=0.2, damping=0.1)
    state = body.state(omega=omega, omega_D=[0.0, 0.0, 10.0])
    assert body.largest_step(state) == pytest.approx(ph.largest_step(state), rel=1e-4)
