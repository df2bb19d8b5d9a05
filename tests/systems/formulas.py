"""The attitude systems' equations written down once more, with NumPy and SciPy alone, and a case of each.

The flow by SciPy's DOP853 on the equations of motion in ω, as the text has them; a variational step from the discrete
equations in matrices, `Π_k = −D₁L_d`, `Π_{k+1} = D₂L_d`, solved for F by Newton's method on the group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import polhode as ph

Array = np.ndarray
E1, E2, E3 = np.eye(3)
FULL = np.array([[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]])
PLAIN = np.diag([1.0, 2.0, 2.5])


def S(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def skew_part(A: Array) -> Array:
    """(A − Aᵀ)^∨."""
    return np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def cross(a: Array, b: Array) -> Array:
    """a × b of two vectors; NumPy's own takes ten times as long to find out which of many forms is meant."""
    (a1, a2, a3), (b1, b2, b3) = a.tolist(), b.tolist()
    return np.array([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])


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

    @cached_property
    def Jd(self) -> Array:
        return 0.5 * np.trace(self.J) * np.eye(3) - self.J

    def rate(self, R: Array, omega: Array, M: Array) -> Array:
        moment = cross(self.J @ omega + self.a, omega) + M + cross(omega, self.K @ R.T @ self.B) - self.D @ omega
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
    return Case(state, [Body(J, D=D)], lambda R: [1.3 * 9.81 * cross(rho0, R[0].T @ E3)], h=0.01)


def point_force() -> Case:
    b, F = np.array([0.5, -0.3, 0.8]), np.array([0.4, 0.9, -0.6])
    state = ph.PointForceBody(FULL, point=b, force=F).state(R=R_START, omega=[0.5, -0.4, 0.6])
    return Case(state, [Body(FULL)], lambda R: [cross(b, R[0].T @ F)])


def constant_moment(space: bool) -> Case:
    M0 = np.array([0.1, -0.2, 0.15])
    system = ph.ConstantSpaceMoment(PLAIN, M0) if space else ph.ConstantBodyMoment(PLAIN, M0)
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
        return [sum(m * cross(rho, R[0].T @ pull(R[0] @ rho)) for m, rho in zip(MASSES, PLACES, strict=True))]

    given = {"linear": {"gradient": LAMBDA}, "uniform": {"uniform": -9.81 * E3}, "points": {"sources": SOURCES}}
    Jd = np.einsum("i,ij,ik->jk", MASSES, PLACES, PLACES)
    state = ph.FieldBody(MASSES, PLACES, **given[kind]).state(R=R_START, omega=[0.6, -0.5, 0.7])
    return Case(state, [Body(np.trace(Jd) * np.eye(3) - Jd)], moments)


CHARGE = np.array([[0.4, 0.05, 0.1], [0.05, 0.6, -0.1], [0.1, -0.1, 0.3]])


def charged(E: Array, B: Array, dipole: tuple[float, ...] = (0.3, -0.2, 0.4)) -> Case:
    p = np.array(dipole)
    state = ph.ChargedBody(FULL, p, CHARGE, E, B).state(R=R_START, omega=[0.5, -0.4, 0.6])
    return Case(state, [Body(FULL, K=CHARGE, B=np.asarray(B))], lambda R: [cross(p, R[0].T @ E)])


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
    system = ph.CoupledBodies(J, couplings=[[0, 1, 0.7], [1, 2, C]], gyros=a)
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
