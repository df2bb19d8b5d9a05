"""Every attitude system against its equations written down once more.

The flow at t = 1 and 10 against SciPy's DOP853 on the equations of motion in ω, as the text has them; a hundred
variational steps against the discrete equations in matrices, `Π_k = −D₁L_d`, `Π_{k+1} = D₂L_d`, solved for F by Newton's
method on the group. Nothing here but NumPy and SciPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import polhode as ph

Array = np.ndarray
TIGHT = ph.DOP853(rtol=3e-14, atol=1e-15)
E1, E2, E3 = np.eye(3)
FULL = np.array([[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]])
PLAIN = np.diag([1.0, 2.0, 2.5])


def S(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def skew_part(A: Array) -> Array:
    """(A − Aᵀ)^∨."""
    return np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def turn(x: Array) -> Array:
    """exp(S(x))."""
    angle = np.linalg.norm(x)
    return np.eye(3) + np.sinc(angle / np.pi) * S(x) + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * S(x) @ S(x)


R_START = expm(S(np.array([0.3, -0.2, 0.5])))
Q_START = expm(S(np.array([-0.4, 0.1, 0.2])))
P_START = expm(S(np.array([0.2, 0.6, -0.3])))


@dataclass
class Body:
    """`L = ½ ω·Jω + a·ω + ½ ω·J_Q RᵀB`, damped by −Dω."""

    J: Array
    a: Array = field(default_factory=lambda: np.zeros(3))
    K: Array = field(default_factory=lambda: np.zeros((3, 3)))
    B: Array = field(default_factory=lambda: np.zeros(3))
    D: Array = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def Jd(self) -> Array:
        return 0.5 * np.trace(self.J) * np.eye(3) - self.J

    def rate(self, R: Array, omega: Array, M: Array) -> Array:
        moment = np.cross(self.J @ omega + self.a, omega) + M + np.cross(omega, self.K @ R.T @ self.B) - self.D @ omega
        return np.linalg.solve(self.J, moment)

    def momentum(self, R: Array, omega: Array) -> Array:
        JQ = np.trace(self.K) * np.eye(3) - self.K
        return self.J @ omega + self.a + 0.5 * JQ @ R.T @ self.B

    def before(self, R: Array, F: Array, h: float) -> Array:
        """The part of Π_k without the moment."""
        b, v = R.T @ self.B, skew_part(F)
        magnetic = 0.5 * (np.trace(F @ self.K) * b - F @ self.K @ b)
        rotor = 0.5 * (np.trace(F) * self.a - F.T @ self.a)
        return skew_part(F @ self.Jd) / h + rotor + magnetic + 0.25 * self.D @ v

    def after(self, R: Array, F: Array, h: float) -> Array:
        """The part of Π_{k+1} without the moment."""
        b, v = F.T @ R.T @ self.B, skew_part(F)
        magnetic = 0.5 * (np.trace(F @ self.K) * b - F.T @ self.K @ b)
        rotor = 0.5 * (np.trace(F) * self.a - F @ self.a)
        return F.T @ skew_part(F @ self.Jd) / h + rotor + magnetic - 0.25 * self.D @ v

    def step(self, R: Array, Pi: Array, M: Array, h: float) -> Array:
        """F with `Π + (h/2) M = before(F)`."""
        wanted, F = Pi + 0.5 * h * M, turn(h * np.linalg.solve(self.J, Pi - self.a))
        for _ in range(5):
            slopes = np.stack([self.before(R, F @ S(x), h) for x in np.eye(3)], axis=1)  # all of it is linear in F
            F = F @ turn(np.linalg.solve(slopes, wanted - self.before(R, F, h)))
        return F


@dataclass
class Case:
    """A state of a system, the bodies that it is made of, and the moments on them at attitudes (n, 3, 3)."""

    state: ph.State
    bodies: list[Body]
    moments: Callable[[Array], list[Array]]
    h: float = 0.05

    @property
    def attitudes(self) -> Array:
        return self.state.R.reshape(-1, 3, 3)

    def flow(self, times: list[float]) -> Array:
        n = len(self.bodies)

        def slope(t: float, y: Array) -> Array:
            R, omega = y[: 9 * n].reshape(n, 3, 3), y[9 * n :].reshape(n, 3)
            turning = np.array([A @ S(w) for A, w in zip(R, omega, strict=True)])
            rates = [b.rate(A, w, M) for b, A, w, M in zip(self.bodies, R, omega, self.moments(R), strict=True)]
            return np.concatenate([turning.reshape(-1), np.reshape(rates, -1)])

        start = np.concatenate([self.attitudes.reshape(-1), self.state.omega.reshape(-1)])
        found = solve_ivp(slope, (0.0, times[-1]), start, method="DOP853", rtol=2.3e-14, atol=1e-15, t_eval=times)
        return found.y.T

    def variational(self, steps: int) -> tuple[Array, Array]:
        R, h = self.attitudes.copy(), self.h
        omegas = self.state.omega.reshape(-1, 3)
        Pi = np.array([b.momentum(A, w) for b, A, w in zip(self.bodies, R, omegas, strict=True)])
        np.testing.assert_allclose(self.state.Pi.reshape(-1, 3), Pi, atol=1e-14)
        for _ in range(steps):
            M = self.moments(R)
            F = [b.step(A, P, m, h) for b, A, P, m in zip(self.bodies, R, Pi, M, strict=True)]
            Pi = np.array([b.after(A, f, h) for b, A, f in zip(self.bodies, R, F, strict=True)])
            R = np.array([A @ f for A, f in zip(R, F, strict=True)])
            Pi = Pi + 0.5 * h * np.array(self.moments(R))
        return R, Pi


def free(moments: list[float]) -> Case:
    body = ph.FreeRigidBody(moments)
    return Case(body.state(R=R_START, omega=[0.5, -0.4, 0.6]), [Body(np.diag(moments))], lambda R: [np.zeros(3)])


def pendulum(symmetric: bool = False, damped: bool = False) -> Case:
    Jcm = np.diag([0.21, 0.21, 0.12]) if symmetric else np.diag([0.13, 0.28, 0.17])
    rho0 = np.array([0.0, 0.0, -0.3]) if symmetric else np.array([0.02, -0.05, -0.3])
    D = np.array([[0.02, 0.005, 0.0], [0.005, 0.03, 0.0], [0.0, 0.0, 0.04]]) if damped else np.zeros((3, 3))
    system = ph.Pendulum3D(Jcm, mass=1.3, rho0=rho0, damping=D if damped else None)
    state = system.state(R=np.diag([1.0, -1.0, -1.0]) @ R_START, omega=[0.5, -0.4, 1.0])
    J = Jcm + 1.3 * S(rho0).T @ S(rho0)
    return Case(state, [Body(J, D=D)], lambda R: [1.3 * 9.81 * np.cross(rho0, R[0].T @ E3)], h=0.01)


def point_force() -> Case:
    b, F = np.array([0.5, -0.3, 0.8]), np.array([0.4, 0.9, -0.6])
    state = ph.PointForceBody(FULL, point=b, force=F).state(R=R_START, omega=[0.5, -0.4, 0.6])
    return Case(state, [Body(FULL)], lambda R: [np.cross(b, R[0].T @ F)])


def constant_moment(space: bool) -> Case:
    M0 = np.array([0.1, -0.2, 0.15])
    system = ph.SpaceMomentBody(PLAIN, M0) if space else ph.BodyMomentBody(PLAIN, M0)
    state = system.state(R=R_START, omega=[0.5, -0.4, 0.6])
    return Case(state, [Body(PLAIN)], lambda R: [R[0].T @ M0 if space else M0])


MASSES = np.array([1.0, 0.8, 1.2, 0.9])
PLACES = np.array([[0.8, 0.1, 0.0], [-0.5, 0.6, 0.2], [0.1, -0.7, 0.4], [-0.2, 0.0, -0.9]])
SOURCES = np.array([[4.0, 2.5, 0.0, 0.5], [2.0, 0.0, -3.0, 0.0]])
LAMBDA = 0.5 * (3 * np.outer([0.0, 0.6, 0.8], [0.0, 0.6, 0.8]) - np.eye(3))


def field_body(kind: str) -> Case:
    def pull(x: Array) -> Array:
        if kind == "linear":
            return LAMBDA @ x
        if kind == "uniform":
            return -9.81 * E3
        return sum(mu * (c - x) / np.linalg.norm(c - x) ** 3 for mu, c in ((s[0], s[1:]) for s in SOURCES))

    def moments(R: Array) -> list[Array]:
        return [sum(m * np.cross(rho, R[0].T @ pull(R[0] @ rho)) for m, rho in zip(MASSES, PLACES, strict=True))]

    given = {"linear": {"gradient": LAMBDA}, "uniform": {"uniform": -9.81 * E3}, "points": {"sources": SOURCES}}
    Jd = np.einsum("i,ij,ik->jk", MASSES, PLACES, PLACES)
    state = ph.FieldBody(MASSES, PLACES, **given[kind]).state(R=R_START, omega=[0.6, -0.5, 0.7])
    return Case(state, [Body(np.trace(Jd) * np.eye(3) - Jd)], moments)


CHARGE = np.array([[0.4, 0.05, 0.1], [0.05, 0.6, -0.1], [0.1, -0.1, 0.3]])


def charged(E: Array, B: Array, dipole: tuple[float, ...] = (0.3, -0.2, 0.4)) -> Case:
    p = np.array(dipole)
    state = ph.ChargedBody(FULL, p, CHARGE, E, B).state(R=R_START, omega=[0.5, -0.4, 0.6])
    return Case(state, [Body(FULL, K=CHARGE, B=np.asarray(B))], lambda R: [np.cross(p, R[0].T @ E)])


def coupled(
    system: ph.CoupledBodies, J: list[Array], a: Array, pairs: list[tuple[int, int, Array]], starts: list[Array]
) -> Case:
    def moments(R: Array) -> list[Array]:
        M = np.zeros((len(J), 3))
        for i, j, C in pairs:
            Q = R[i].T @ R[j]
            M[i] += skew_part(Q @ C.T)
            M[j] += skew_part(Q.T @ C)
        return list(M)

    omega = np.array([[0.5, -0.4, 0.6], [0.3, 0.7, -0.2], [-0.4, 0.2, 0.5]])[: len(J)]
    return Case(system.state(R=starts, omega=omega), [Body(Ji, a=ai) for Ji, ai in zip(J, a, strict=True)], moments)


def shells(K: float, spheres: bool) -> Case:
    J = [np.eye(3), 2.0 * np.eye(3)] if spheres else [PLAIN, np.diag([2.0, 1.5, 1.0])]
    system = ph.ConcentricShells(*J, K=K)
    return coupled(system, J, np.zeros((2, 3)), [(0, 1, -K * np.eye(3))], [R_START, Q_START])


def chain() -> Case:
    J = [PLAIN, np.array([[1.5, 0.1, 0.0], [0.1, 1.2, 0.1], [0.0, 0.1, 0.9]]), np.diag([2.0, 1.5, 1.0])]
    C = np.array([[0.5, 0.1, 0.0], [-0.2, 0.4, 0.1], [0.0, 0.3, 0.6]])
    a = np.array([[0.2, 0.0, 0.3], [0.0, 0.0, 0.0], [-0.1, 0.4, 0.0]])
    system = ph.CoupledBodies(J, couplings=[[1, 2, 0.7], [2, 3, C]], gyros=a)
    return coupled(system, J, a, [(0, 1, 0.7 * np.eye(3)), (1, 2, C)], [R_START, Q_START, P_START])


def own_potential() -> Case:
    """U = −tr(PᵀR), whose moment is (RᵀP − PᵀR)^∨, and a rotor."""
    P, a = np.array([[0.5, 0.1, -0.2], [0.3, -0.4, 0.1], [0.2, 0.3, 0.6]]), np.array([0.2, -0.3, 0.4])
    text = " ".join(f"- ({P[i, j]})*R{i + 1}{j + 1}" for i in range(3) for j in range(3))
    state = ph.AttitudeBody(FULL, potential=text, gyro=a).state(R=R_START, omega=[0.5, -0.4, 0.6])
    return Case(state, [Body(FULL, a=a)], lambda R: [skew_part(R[0].T @ P)])


CASES: dict[str, Callable[[], Case]] = {
    "free, symmetric": lambda: free([1.0, 1.0, 1.8]),
    "free, sphere": lambda: free([2.0, 2.0, 2.0]),
    "pendulum": pendulum,
    "Lagrange top": lambda: pendulum(symmetric=True),
    "damped pendulum": lambda: pendulum(damped=True),
    "point force": point_force,
    "moment in space": lambda: constant_moment(True),
    "moment in the body": lambda: constant_moment(False),
    "field of points": lambda: field_body("points"),
    "linear field": lambda: field_body("linear"),
    "uniform field": lambda: field_body("uniform"),
    "charged, crossed fields": lambda: charged(-0.8 * E3, 1.2 * E2),
    "charged, parallel fields": lambda: charged(np.array([0.2, 0.4, -0.8]), np.array([0.3, 0.6, -1.2])),
    "charged, no dipole": lambda: charged(np.zeros(3), np.array([0.3, 0.6, -1.2]), (0.0, 0.0, 0.0)),
    "shells, elastic": lambda: shells(-0.6, False),
    "shells, the other sign": lambda: shells(0.6, False),
    "shells, spheres": lambda: shells(0.7, True),
    "chain with rotors": chain,
    "own potential": own_potential,
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


def test_the_flow(case: Case) -> None:
    n = len(case.bodies)
    run = ph.simulate(case.state.system, case.state, step=1.0, t_end=10.0, method=TIGHT)
    for k, y in zip((1, 10), case.flow([1.0, 10.0]), strict=True):
        np.testing.assert_allclose(run.R[k].reshape(-1), y[: 9 * n], atol=1e-12)
        np.testing.assert_allclose(run.omega[k].reshape(-1), y[9 * n :], atol=1e-12)
    for name, kept in run.invariants().items():
        assert np.abs(kept - kept[0]).max() < 1e-12, name


@pytest.mark.parametrize("form", ["hamiltonian", "lagrangian"])
def test_a_hundred_variational_steps(case: Case, form: str) -> None:
    run = ph.simulate(case.state.system, case.state, step=case.h, steps=100, method=ph.LGVI(form=form)).final
    R, Pi = case.variational(100)
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
    run = ph.simulate(case.state.system, case.state, step=h, steps=100, method=ph.ForcedLGVI()).final
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
    run = ph.simulate(system, state, step=1.0, t_end=10.0, method=TIGHT)
    for k, y in zip((1, 10), flow, strict=True):
        np.testing.assert_allclose(np.concatenate([run.R[k].reshape(-1), run.omega[k]]), y, atol=1e-12)
    R, Pi, Z = state.R, state.Pi, expm(-h * n * S(E2))
    for _ in range(100):
        M = moment(R)
        F = body.step(R, Pi, M, h)
        R, Pi = Z @ R @ F, F.T @ (Pi + 0.5 * h * M)
        Pi = Pi + 0.5 * h * moment(R)
    final = ph.simulate(system, state, step=h, steps=100).final
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
    run = ph.simulate(system, state, step=1.0, t_end=10.0, method=TIGHT)
    for k, (theta, omega) in zip((1, 10), flow, strict=True):
        assert run.theta[k] == pytest.approx(theta, abs=1e-12)
        assert run.omega[k] == pytest.approx(omega, abs=1e-12)
    theta, p = 0.9, J * 0.7
    for _ in range(100):
        p += 0.5 * h * moment(theta)
        theta += np.arcsin(h * p / J)
        p += 0.5 * h * moment(theta)
    for form in ("hamiltonian", "lagrangian"):
        final = ph.simulate(system, state, step=h, steps=100, method=ph.LGVI(form=form)).final
        assert float(final.theta) == pytest.approx(theta, abs=1e-12)
        assert float(final.p) == pytest.approx(p, abs=1e-12)


def test_the_double_pendulum() -> None:
    """`L_d` by chords: its four derivatives as printed, solved by Newton's method with differences."""
    A, J2, w, g1, g2 = 0.4 + 0.8 * 0.36, 0.3, 0.8 * 0.6 * 0.25, (1.0 * 0.3 + 0.8 * 0.6) * 9.81, 0.8 * 0.25 * 9.81
    system = ph.DoublePlanarPendulum(0.4, 0.3, mass1=1.0, mass2=0.8, length1=0.6, center1=0.3, center2=0.25)
    state = system.state(theta=[0.5, -0.4], omega=[0.3, 0.4])

    def slope(t: float, y: Array) -> Array:
        (t1, t2), (o1, o2) = y[:2], y[2:]
        c, s = np.cos(t2 - t1), np.sin(t2 - t1)
        right = [w * s * o2**2 - g1 * np.sin(t1), -w * s * o1**2 - g2 * np.sin(t2)]
        return np.concatenate([y[2:], np.linalg.solve([[A, w * c], [w * c, J2]], right)])

    start = np.array([0.5, -0.4, 0.3, 0.4])
    flow = solve_ivp(slope, (0.0, 10.0), start, method="DOP853", rtol=2.3e-14, atol=1e-15, t_eval=[1.0, 10.0]).y.T
    run = ph.simulate(system, state, step=1.0, t_end=10.0, method=TIGHT)
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
    final = ph.simulate(system, state, step=h, steps=100).final
    np.testing.assert_allclose(final.theta, theta, atol=1e-12)
    np.testing.assert_allclose(final.p, p, atol=1e-12)


def spectrum(eigenvalues: Array, expected: Array) -> None:
    """The same spectrum, with λ² compared where zeros may be defective."""
    left = list(expected)
    for value in eigenvalues:
        nearest = min(left, key=lambda x: min(abs(x - value), abs(x**2 - value**2)))
        assert min(abs(nearest - value), abs(nearest**2 - value**2)) < 1e-10, (eigenvalues, expected)
        left.remove(nearest)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_the_rotations_of_a_free_body(index: int) -> None:
    J, c = np.array([1.0, 2.0, 2.5]), 1.7
    steady = ph.FreeRigidBody(J).steady_rotations(c)[index]
    i, j, k = index, (index + 1) % 3, (index + 2) % 3
    square = -(c**2) * (J[i] - J[j]) * (J[i] - J[k]) / (J[j] * J[k])
    root = np.sqrt(complex(square))
    found = steady.system.linearize(steady)
    spectrum(found.eigenvalues, np.array([0, 0, 1j * c, -1j * c, root, -root]))
    assert found.verdict == ("unstable" if index == 1 else "stable")


def test_the_rotations_of_symmetric_bodies() -> None:
    flat = ph.FreeRigidBody([1.0, 1.0, 1.8])
    verdicts = [flat.linearize(e).verdict for e in flat.equilibria()]
    assert verdicts == ["stable", "spectrally stable", "spectrally stable", "stable"], "a circle of rotations drifts"
    (nu,) = {round(abs(x.imag), 12) for x in flat.linearize(flat.steady_rotations(2.0)[2]).eigenvalues} - {0.0, 2.0}
    assert nu == pytest.approx(0.8 * 2.0, abs=1e-10)


def steady_spectrum(body: Body, R: Array, omega: Array, moment: Callable[[Array], Array]) -> Array:
    """`ξ̇ = δω − ω × ξ`, `J δω̇ = (S(Jω + a) − S(ω)J − S(Kb) − D) δω + (DM + S(ω)KS(b)) ξ`."""
    b, e = R.T @ body.B, 1e-3
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    DM = np.stack(
        [
            sum(c * (moment(R @ turn(k * e * x)) - moment(R @ turn(-k * e * x))) for k, c in weights) / e
            for x in np.eye(3)
        ],
        axis=1,
    )
    inverse, J = np.linalg.inv(body.J), body.J
    rates = S(J @ omega + body.a) - S(omega) @ J - S(body.K @ b) - body.D
    return np.linalg.eigvals(
        np.block([[-S(omega), np.eye(3)], [inverse @ (DM + S(omega) @ body.K @ S(b)), inverse @ rates]])
    )


def steady_motions() -> dict[str, tuple[list[ph.State], Body, Callable[[Array], Array]]]:
    top, pull, drag = pendulum(), point_force(), pendulum(damped=True)
    along = charged(np.array([0.2, 0.4, -0.8]), np.array([0.3, 0.6, -1.2]))
    across, a = charged(-0.8 * E3, 1.2 * E2), np.array([0.2, -0.3, 0.4])
    gyrostat, thrown = ph.AttitudeBody(FULL, gyro=a), np.array([-0.1, 0.2, 0.3])
    thruster = ph.BodyMomentBody(PLAIN, thrown)

    def moment(case: Case) -> Callable[[Array], Array]:
        return lambda R: case.moments(R[None])[0]

    return {
        "pendulum": (
            [*top.state.system.equilibria(), *top.state.system.steady_rotations(6.0)],
            top.bodies[0],
            moment(top),
        ),
        "damped": (drag.state.system.equilibria(), drag.bodies[0], moment(drag)),
        "point force": (
            [*pull.state.system.equilibria(), *pull.state.system.steady_rotations(1.1)],
            pull.bodies[0],
            moment(pull),
        ),
        "charged, parallel": (
            [*along.state.system.equilibria(), *along.state.system.steady_rotations(0.9)],
            along.bodies[0],
            moment(along),
        ),
        "charged, crossed": (across.state.system.equilibria(), across.bodies[0], moment(across)),
        "gyrostat": (gyrostat.steady_rotations(0.8), Body(FULL, a=a), lambda R: np.zeros(3)),
        "thruster": (thruster.equilibria(), Body(PLAIN), lambda R: thrown),
    }


@pytest.mark.parametrize(
    "name", ["pendulum", "damped", "point force", "charged, parallel", "charged, crossed", "gyrostat", "thruster"]
)
def test_spectra_of_steady_motions(name: str) -> None:
    found, body, moment = steady_motions()[name]
    assert len(found) >= 2
    for e in found:
        np.testing.assert_allclose(body.rate(e.R, e.omega, moment(e.R)), 0.0, atol=1e-11)
        spectrum(e.system.linearize(e).eigenvalues, steady_spectrum(body, e.R, e.omega, moment))


def test_verdicts_of_steady_motions() -> None:
    along, damped = (steady_motions()[name][0] for name in ("charged, crossed", "damped"))
    assert [e.system.linearize(e).verdict for e in along] == ["stable", "unstable"], "whatever the magnetic field"
    assert [e.system.linearize(e).verdict for e in damped][1] == "unstable"
