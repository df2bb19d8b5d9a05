"""Every attitude system against its equations written down once more (`formulas`): the flow at t = 1 and 10, and a
hundred variational steps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph

from .formulas import CASES, E2, E3, R_START, Array, Body, Case, S, skew_part, turn

TIGHT = ph.DOP853(rtol=3e-14, atol=1e-15)


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


@pytest.fixture(scope="module")
def stepped(case: Case) -> tuple[Array, Array]:
    """R and Π after a hundred variational steps."""
    return case.variational(100)


def test_the_flow(case: Case) -> None:
    n = len(case.bodies)
    run = ph.simulate(case.state, step=1.0, t_end=10.0, method=TIGHT)
    for k, y in zip((1, 10), case.flow([1.0, 10.0]), strict=True):
        np.testing.assert_allclose(run.R[k].reshape(-1), y[: 9 * n], atol=1e-12)
        np.testing.assert_allclose(run.omega[k].reshape(-1), y[9 * n :], atol=1e-12)
    for name, kept in run.invariants().items():
        assert np.abs(kept - kept[0]).max() < 1e-12, name


@pytest.mark.parametrize("form", ["hamiltonian", "lagrangian"])
def test_a_hundred_variational_steps(case: Case, stepped: tuple[Array, Array], form: str) -> None:
    run = ph.simulate(case.state, step=case.h, steps=100, method=ph.LGVI(form=form)).final
    R, Pi = stepped
    np.testing.assert_allclose(run.R.reshape(-1, 3, 3), R, atol=1e-12)
    np.testing.assert_allclose(run.Pi.reshape(-1, 3), Pi, atol=1e-12)


def test_the_forced_magnetic_step() -> None:
    """Kinetic momentum, impulses `(h/2) ω_F × KRᵀB` at both ends with ω_F = (F − Fᵀ)^∨/2h."""
    case = CASES["charged, crossed fields"]()
    (body,), h = case.bodies, case.h
    R, P = case.state.R, case.state.P
    plain = Body(body.J)
    for _ in range(100):
        (M,), F = case.moments(R[None]), plain.step(R, P, np.zeros(3), h)
        for _ in range(12):  # the impulse depends on F
            F = plain.step(R, P + 0.25 * np.cross(skew_part(F), body.K @ R.T @ body.B), M, h)
        v = 0.25 * skew_part(F)
        P = plain.after(R, F, h) + np.cross(v, body.K @ (R @ F).T @ body.B)
        R = R @ F
        P = P + 0.5 * h * case.moments(R[None])[0]
    run = ph.simulate(case.state, step=h, steps=100, method=ph.ForcedLGVI()).final
    np.testing.assert_allclose(run.R, R, atol=1e-12)
    np.testing.assert_allclose(run.P, P, atol=1e-12)


def test_the_orbit_of_a_body_with_full_inertia() -> None:
    """In LVLH, with R_{k+1} = Z R_k F, Z = exp(−hn S(e₂))."""
    J, n, h = np.array([[2.0, 0.1, 0.05], [0.1, 2.5, -0.1], [0.05, -0.1, 1.2]]), 1.1, 0.05
    body, system = Body(J), ph.OrbitingBody(J, n=n)
    state = system.state(R=R_START, omega=[0.36, 0.95, -0.13])

    def moment(R: Array) -> Array:
        b = R.T @ E3
        return 3 * n**2 * np.cross(b, J @ b)

    def slope(t: float, y: Array) -> Array:
        R, omega = y[:9].reshape(3, 3), y[9:]
        return np.concatenate([(R @ S(omega - n * R.T @ E2)).reshape(-1), body.rate(R, omega, moment(R))])

    start = np.concatenate([state.R.reshape(-1), state.omega])
    flow = solve_ivp(slope, (0.0, 10.0), start, method="DOP853", rtol=2.3e-14, atol=1e-15, t_eval=[1.0, 10.0]).y.T
    run = ph.simulate(state, step=1.0, t_end=10.0, method=TIGHT)
    for k, y in zip((1, 10), flow, strict=True):
        np.testing.assert_allclose(np.concatenate([run.R[k].reshape(-1), run.omega[k]]), y, atol=1e-12)
    R, Pi, Z = state.R, state.Pi, turn(-h * n * E2)
    for _ in range(100):
        M = moment(R)
        F = body.step(R, Pi, M, h)
        R, Pi = Z @ R @ F, F.T @ (Pi + 0.5 * h * M)
        Pi = Pi + 0.5 * h * moment(R)
    final = ph.simulate(state, step=h, steps=100).final
    np.testing.assert_allclose(final.R, R, atol=1e-12)
    np.testing.assert_allclose(final.Pi, Pi, atol=1e-12)


def test_the_body_in_the_plane() -> None:
    J, k1, k2, h = 1.3, 0.8, 0.5, 0.05
    system = ph.PlanarBody(J, harmonics=[k1, k2])
    state = system.state(theta=0.9, omega=0.7)

    def moment(theta: float) -> float:
        return -k1 * np.sin(theta) - k2 * np.sin(2 * theta)

    flow = solve_ivp(
        lambda t, y: [y[1], moment(y[0]) / J],
        (0.0, 10.0),
        [0.9, 0.7],
        method="DOP853",
        rtol=2.3e-14,
        atol=1e-15,
        t_eval=[1.0, 10.0],
    ).y.T
    run = ph.simulate(state, step=1.0, t_end=10.0, method=TIGHT)
    for k, (theta, omega) in zip((1, 10), flow, strict=True):
        assert run.theta[k] == pytest.approx(theta, abs=1e-12)
        assert run.omega[k] == pytest.approx(omega, abs=1e-12)
    theta, p = 0.9, J * 0.7
    for _ in range(100):
        p += 0.5 * h * moment(theta)
        theta += np.arcsin(h * p / J)
        p += 0.5 * h * moment(theta)
    for form in ("hamiltonian", "lagrangian"):
        final = ph.simulate(state, step=h, steps=100, method=ph.LGVI(form=form)).final
        assert float(final.theta) == pytest.approx(theta, abs=1e-12)
        assert float(final.p) == pytest.approx(p, abs=1e-12)


def test_the_double_pendulum() -> None:
    """`L_d` by chords: its four derivatives as printed, solved by Newton's method with differences."""
    A, J2, w, g1, g2 = 0.4 + 0.8 * 0.36, 0.3, 0.8 * 0.6 * 0.25, (1.0 * 0.3 + 0.8 * 0.6) * 9.81, 0.8 * 0.25 * 9.81
    system = ph.DoublePlanarPendulum(0.4, 0.3, mass1=1.0, mass2=0.8, length1=0.6, centre1=0.3, centre2=0.25)
    state = system.state(theta=[0.5, -0.4], omega=[0.3, 0.4])

    def slope(t: float, y: Array) -> Array:
        (t1, t2), (o1, o2) = y[:2], y[2:]
        c, s = np.cos(t2 - t1), np.sin(t2 - t1)
        right = [w * s * o2**2 - g1 * np.sin(t1), -w * s * o1**2 - g2 * np.sin(t2)]
        return np.concatenate([y[2:], np.linalg.solve([[A, w * c], [w * c, J2]], right)])

    start = np.array([0.5, -0.4, 0.3, 0.4])
    flow = solve_ivp(slope, (0.0, 10.0), start, method="DOP853", rtol=2.3e-14, atol=1e-15, t_eval=[1.0, 10.0]).y.T
    run = ph.simulate(state, step=1.0, t_end=10.0, method=TIGHT)
    for k, y in zip((1, 10), flow, strict=True):
        np.testing.assert_allclose(np.concatenate([run.theta[k], run.omega[k]]), y, atol=1e-12)

    h, theta = 0.01, np.array([0.5, -0.4])
    p = np.array([[A, w * np.cos(0.9)], [w * np.cos(0.9), J2]]) @ [0.3, 0.4]

    def sn(x: float, y: float) -> float:
        return float(np.sin(y - x))

    def before(old: Array, new: Array) -> Array:
        (a, b), (x, y) = old, new
        return np.array(
            [
                A * sn(a, x) + w * (sn(a, y) - sn(a, b)) + 0.5 * h**2 * g1 * np.sin(a),
                J2 * sn(b, y) + w * (sn(a, b) - sn(x, b)) + 0.5 * h**2 * g2 * np.sin(b),
            ]
        )

    def after(old: Array, new: Array) -> Array:
        (a, b), (x, y) = old, new
        return np.array(
            [
                A * sn(a, x) + w * (sn(x, y) - sn(x, b)) - 0.5 * h**2 * g1 * np.sin(x),
                J2 * sn(b, y) + w * (sn(a, y) - sn(x, y)) - 0.5 * h**2 * g2 * np.sin(y),
            ]
        )

    for _ in range(100):
        new, e = theta + h * np.array([0.3, 0.4]), 1e-6
        for _ in range(8):
            ways = [(before(theta, new + e * x) - before(theta, new - e * x)) / (2 * e) for x in np.eye(2)]
            new = new + np.linalg.solve(np.stack(ways, axis=1), h * p - before(theta, new))
        theta, p = new, after(theta, new) / h
    final = ph.simulate(state, step=h, steps=100).final
    np.testing.assert_allclose(final.theta, theta, atol=1e-12)
    np.testing.assert_allclose(final.p, p, atol=1e-12)
