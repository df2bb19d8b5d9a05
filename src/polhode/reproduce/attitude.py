"""Chapter 6 of T. Lee, M. Leok, N. H. McClamroch, "Global Formulations of Lagrangian and Hamiltonian Dynamics on
Manifolds" (2018): rotating rigid bodies.

The chapter has formulas and no tables. Each comparison evaluates the residual of one statement for a generic body: the
chapter claims 0 (or a sign, a count, a determinant), and our number stands beside it. For a misprint the reason is
given, and the next comparison evaluates the corrected statement.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..control.attitude_geodesics import geodesic
from ..core.system import State
from ..geometry import so3
from ..methods import DOP853
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory
from ..systems import (
    AxisPendulum,
    ConcentricShells,
    FieldBody,
    FreeRigidBody,
    OrbitingBody,
    Pendulum3D,
    PointForceBody,
    linearize,
)
from .base import Comparison, correct_statement, wrong_statement

Array = NDArray[np.float64]

E1, E2, E3 = np.eye(3)
J = np.array([[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]])
R = so3.exp([0.3, -0.2, 0.5])
OMEGA = np.array([0.5, -0.4, 0.6])
MASSES = np.array([1.0, 0.8, 1.2, 0.9])
TIGHT = DOP853(rtol=1e-13, atol=1e-15)
DIFFERENCES = 1e-8  # the residual that central differences leave


def compare_attitude() -> list[Comparison]:
    """Every statement of the chapter that can be tested numerically."""
    return [
        *_variations(),
        *_free_body(),
        *_pendulum(),
        *_relative_equilibria(),
        *_orbit(),
        *_orbit_equilibria(),
        *_axis_pendulum(),
        *_problems(),
        *_shells(),
        *_geodesics(),
    ]


def _integrate(state: State, t_end: float = 10.0, step: float = 1.0) -> Trajectory:
    return simulate(state, step=step, t_end=t_end, method=TIGHT)


def _largest_change(values: Array) -> float:
    """The largest deviation of a quantity from its first value."""
    return float(np.abs(values - values[0]).max())


def _balanced_points() -> Array:
    """Four points whose mass centre is the origin."""
    places = np.array([[0.8, 0.1, 0.0], [-0.5, 0.6, 0.2], [0.1, -0.7, 0.4], [-0.2, 0.0, -0.9]])
    return np.asarray(places - MASSES @ places / MASSES.sum(), np.float64)


def _variations() -> list[Comparison]:
    """6.3.1, problems 6.1 and 6.2: variations, and the moment of a potential."""
    A, B = np.random.default_rng(1).normal(size=(2, 3, 3))
    identity = B.T @ A - A.T @ B - sum(so3.hat(np.cross(a, b)) for a, b in zip(A, B, strict=True))

    # along R(t) = R exp(tS(ω)) with η = (t, t², 1 − t) at t = 0.4
    def rotation(t: float, e: float) -> Array:
        return np.asarray(R @ so3.exp(t * OMEGA) @ so3.exp(e * np.array([t, t * t, 1.0 - t])), np.float64)

    t, d = 0.4, 1e-4
    eta, eta_rate = np.array([t, t * t, 1.0 - t]), np.array([1.0, 2.0 * t, -1.0])

    def rate(e: float) -> Array:
        """ω^ε = vee(Rᵀ dR/dt)."""
        slope = (
            8.0 * (rotation(t + d, e) - rotation(t - d, e)) - (rotation(t + 2 * d, e) - rotation(t - 2 * d, e))
        ) / (12 * d)
        return 0.5 * so3.vee2(rotation(t, e).T @ slope)

    variation = (rate(1e-3) - rate(-1e-3)) / 2e-3 - (eta_rate + np.cross(OMEGA, eta))
    e = 0.1
    expanded = so3.vee(so3.exp(-e * eta) @ so3.hat(OMEGA) @ so3.exp(e * eta)) + e * eta_rate
    reason = "correct only to first order in ε: η and its derivative do not commute; (6.3) is not affected"

    C = np.array([[0.5, 0.1, -0.2], [0.3, -0.4, 0.1], [0.2, 0.3, 0.6]])

    def U(Q: Array) -> float:
        return float(np.sum(C * Q) + 0.5 * (C[0] @ Q @ C[1]) ** 2)

    G = C + (C[0] @ R @ C[1]) * np.outer(C[0], C[1])
    moment = sum(np.cross(R[i], G[i]) for i in range(3))
    slopes = np.array([(U(R @ so3.exp(1e-5 * x)) - U(R @ so3.exp(-1e-5 * x))) / 2e-5 for x in np.eye(3)])
    forces = np.random.default_rng(2).normal(size=(4, 3))
    places, direction = _balanced_points(), np.array([0.3, -0.7, 0.2])
    work = np.sum((forces @ R.T) * (places @ (R @ so3.hat(direction)).T)) - direction @ np.sum(
        np.cross(places, forces), axis=0
    )
    return [
        wrong_statement(
            "6.3.1", "ω^ε − e^{−εS(η)} ω e^{εS(η)} − ε dη/dt at ε = 0.1", np.abs(rate(e) - expanded).max(), reason
        ),
        correct_statement("(6.3)", "δω − (dη/dt + ω × η)", np.abs(variation).max(), 1e-5),
        correct_statement("problem 6.1 (a)", "BᵀA − AᵀB − Σ S(aᵢ × bᵢ)", np.abs(identity).max()),
        correct_statement(
            "problem 6.1 (b)", "Σ rᵢ × ∂U/∂rᵢ + the slope of U", np.abs(moment + slopes).max(), DIFFERENCES
        ),
        correct_statement("problem 6.2 (a)", "∫ R dF·δRρ − η·M", work),
    ]


def _free_body() -> list[Comparison]:
    """6.6.1, problems 6.7 and 6.9."""
    run = _integrate(FreeRigidBody(J).state(R=R, omega=OMEGA))
    rows = [
        correct_statement("6.6.1.3", f"change of {what} over t = 10", _largest_change(run.invariants()[name]))
        for name, what in (("energy", "½ ω·Jω"), ("spatial_momentum", "RJω"), ("momentum_norm", "‖Jω‖"))
    ]
    body = FreeRigidBody(J)
    steady = [np.abs(np.cross(e.omega, J @ e.omega)).max() for e in body.steady_rotations(1.0)]
    rest = linearize(body.state())
    rows.append(correct_statement("6.6.1.4", "ω × Jω for ω along the eigenvectors of J", max(steady)))
    rows.append(correct_statement("6.6.1.4", "largest eigenvalue² of J d²ξ/dt² = 0", np.abs(rest.eigenvalues**2).max()))
    sphere = _integrate(FreeRigidBody([2.0, 2.0, 2.0]).state(R=R, omega=OMEGA)).final
    rows.append(
        correct_statement("problem 6.7", "R(10) − R₀ exp(10 S(ω₀))", np.abs(sphere.R - R @ so3.exp(10.0 * OMEGA)).max())
    )
    J1, J3 = 1.0, 1.8
    final = _integrate(FreeRigidBody([J1, J1, J3]).state(R=R, omega=OMEGA)).final
    nu = (J3 - J1) * OMEGA[2] / J1
    closed = R @ so3.exp(10.0 * np.diag([J1, J1, J3]) @ OMEGA / J1) @ so3.exp(-10.0 * nu * E3)
    rows.append(
        correct_statement("problem 6.9", "R(10) − R₀ exp(tS(Π₀/J₁)) exp(−νtS(e₃))", np.abs(final.R - closed).max())
    )
    return rows


def _generic_pendulum(rho0: tuple[float, float, float] = (0.02, -0.05, -0.3)) -> Pendulum3D:
    return Pendulum3D([0.13, 0.28, 0.17], mass=1.0, rho0=rho0)


def _pendulum() -> list[Comparison]:
    """6.6.2: the three-dimensional pendulum."""
    body, places = _generic_pendulum(), _balanced_points()
    rho0 = body.rho0
    printed = -np.sum(MASSES * 9.81 * (places @ R.T)[:, 2])
    potential = -MASSES.sum() * 9.81 * E3 @ R @ rho0
    corrected = np.sum(MASSES * 9.81 * ((places - rho0) @ R.T)[:, 2])
    run = _integrate(body.state(R=np.diag([1.0, -1.0, -1.0]) @ R, omega=[0.5, -0.4, 1.0]))
    hanging, inverted = body.equilibria()
    up = rho0 / np.linalg.norm(rho0)
    swapped = "ρ₀ points from the mass centre to the pivot, so the pivot is e₃·Rρ₀ above the mass centre: the names are swapped"
    simple = Pendulum3D([0.13, 0.28, 0.17], mass=1.0, rho0=[0.0, 0.0, -0.3])
    stiffness = 9.81 * 0.3 * np.diag([1.0, 1.0, 0.0])
    rows = [
        wrong_statement(
            "6.6.2.1",
            "−∫ g e₃·Rρ dm + m g e₃·Rρ₀",
            printed - potential,
            "the integral is 0, as ∫ρ dm = 0: it should have ρ − ρ₀, and no minus",
        ),
        correct_statement("6.6.2.1", "corrected: ∫ g e₃·R(ρ − ρ₀) dm + m g e₃·Rρ₀", corrected - potential),
        Comparison(
            "6.6.2.2",
            "components of m g S(ρ₀)Rᵀe₃ in H",
            1.0,
            float((so3.hat(rho0) @ R.T @ E3).size),
            0.5,
            "this is a vector; the term of H is m g ρ₀·Rᵀe₃",
        ),
        correct_statement(
            "6.6.2.3", "change of ½ Π·J⁻¹Π − m g ρ₀·Rᵀe₃ over t = 10", _largest_change(run.invariants()["energy"])
        ),
        correct_statement(
            "6.6.2.3", "change of Π·Rᵀe₃ over t = 10", _largest_change(run.invariants()["vertical_momentum"])
        ),
        Comparison(
            "6.6.2.4",
            "sign of the mass centre's height where Rᵀe₃ = ρ₀/‖ρ₀‖, called inverted",
            1.0,
            float(np.sign(-up @ rho0)),
            0.5,
            swapped,
        ),
        Comparison(
            "6.6.2.4",
            "det of the hanging attitude −I",
            1.0,
            float(np.linalg.det(-np.eye(3))),
            0.5,
            "−I is not a rotation",
        ),
    ]
    for label, state, sign in (("inverted", inverted, -1.0), ("hanging", hanging, 1.0)):
        up_or_down = simple.equilibria()[1 if sign < 0 else 0]
        expected = np.sort(-np.linalg.eigvals(simple.inertia.inverse @ (sign * stiffness)).real)
        found = np.sort((linearize(up_or_down).eigenvalues ** 2).real)[::2]
        rows.append(
            correct_statement(
                "6.6.2.4", f"eigenvalues² about the {label} attitude", np.abs(found - expected).max(), 1e-10
            )
        )
        pairs = linearize(state).eigenvalues
        real = float(np.sum(pairs.real > 1e-6))
        rows.append(
            Comparison("6.6.2.4", f"{label}: eigenvalues with a positive real part", 2.0 - 1.0 - sign, real, 0.5)
        )
    return rows


def _relative_equilibria() -> list[Comparison]:
    """6.6.2.4: steady rotations of the pendulum."""
    body = _generic_pendulum()
    steady = max(
        body.steady_rotations(6.0),
        key=lambda e: float(np.linalg.norm(np.cross(e.omega, body.inertia.matrix @ e.omega))),
    )
    momentum = body.inertia.matrix @ steady.omega
    off = np.linalg.norm(np.cross(steady.omega, momentum)) / (np.linalg.norm(steady.omega) * np.linalg.norm(momentum))
    rate = np.cross(momentum, steady.omega) + 9.81 * np.cross(body.rho0, steady.R[2])
    later = _integrate(steady, t_end=2.0)
    reason = "it is sufficient that ω ∥ Rᵀe₃ and Γ × (Ω²JΓ + m g ρ₀) = 0 (Staude): ω need not be an eigenvector of J"
    return [
        wrong_statement("6.6.2.4", "sine of the angle between ω and Jω in a steady rotation", off, reason),
        correct_statement("6.6.2.4", "corrected: ω × Jω − m g ρ₀ × Rᵀe₃ there", np.abs(rate).max(), 1e-10),
        correct_statement("6.6.2.4", "corrected: change of ω over t = 2", _largest_change(later.omega), 1e-9),
    ]


def _orbit() -> list[Comparison]:
    """6.6.3: the potential, its moment, and the conserved quantity."""
    n, inertia = 1.1, np.diag([2.0, 2.5, 1.2])
    body = OrbitingBody(inertia, n=n)
    state = body.state(R=so3.exp([0.2, -0.1, 0.3]), omega=[0.36148145662, 0.9493302836, -0.13121087655])
    run = _integrate(state)
    b3 = run.R[:, 2]
    total = 0.5 * np.sum(run.omega * run.Pi, axis=-1) + 1.5 * n**2 * np.sum(b3 * (b3 @ inertia), axis=-1)
    reason = "U moves with the orbit: dH/dt = n b₂·M_g; the conserved quantity is the Jacobi integral"

    # ∂U/∂R of point masses at the distance r₀, in units with GM = n² r₀³
    r0, places = 50.0, 0.5 * _balanced_points()
    GM = n**2 * r0**3
    x = r0 * E3 + places @ R.T
    size = np.linalg.norm(x, axis=1)[:, None] ** 3
    full = np.einsum("k,ki,kj->ij", MASSES, GM * x / size, places)
    printed = np.einsum("k,ki,kj->ij", MASSES, GM * (r0 * E3) / size, places)
    moments = [np.sum(np.cross(R, G), axis=0) for G in (full, printed)]
    Jd = np.einsum("k,ki,kj->ij", MASSES, places, places)
    inside = np.trace(Jd) * np.eye(3) - Jd
    closed = 3.0 * n**2 * np.cross(R[2], inside @ R[2])
    dropped = "the numerator lacks R^{bi}ρ, whose part of Rᵀ∂U/∂R is symmetric: the moment is correct"
    return [
        wrong_statement(
            "6.6.3.1", "relative error of ∂U/∂R", np.linalg.norm(full - printed) / np.linalg.norm(full), dropped
        ),
        correct_statement("6.6.3.1", "error of its moment", np.abs(moments[0] - moments[1]).max(), 1e-9),
        Comparison(
            "(6.23)",
            "3ω₀² b₃ × Jb₃ over the moment of points at a distance of r₀/50",
            1.0,
            float(closed @ moments[0] / (moments[0] @ moments[0])),
            0.05,
        ),
        wrong_statement("6.6.3.3", "change of H = ½ ω·Jω + U over t = 10", _largest_change(total), reason),
        correct_statement(
            "6.6.3.3", "corrected: change of H − n b₂·Jω over t = 10", _largest_change(run.invariants()["jacobi"])
        ),
    ]


def _orbit_equilibria() -> list[Comparison]:
    """6.6.3.4."""
    n = 1.1
    body = OrbitingBody([2.0, 2.5, 1.2], n=n)
    printed = np.abs(so3.hat(n * E3 - n * E2)).max()
    yawed = so3.exp(0.4 * E3)
    b = yawed
    gravity = np.abs(np.cross(b[2], body.inertia.matrix @ b[2])).max()
    omega = n * b[1]
    rate = np.cross(body.inertia.matrix @ omega, omega) + 3 * n**2 * np.cross(b[2], body.inertia.matrix @ b[2])
    found = body.equilibria()
    moving = max(_largest_change(_integrate(e, t_end=1.0).R) for e in found[:2])
    return [
        wrong_statement("6.6.3.4", "dR/dt at R = I with ω = ω₀ Rᵀe₃", printed, "the orbit's normal is e₂: ω = ω₀ Rᵀe₂"),
        correct_statement("6.6.3.4", "gravity moment after a yaw of 0.4", gravity),
        wrong_statement(
            "6.6.3.4",
            "J dω/dt after a yaw of 0.4",
            np.abs(rate).max(),
            "it is not sufficient that Rᵀe₃ is an eigenvector: b₂ × Jb₂ = 3 b₃ × Jb₃ is needed, so that all three axes are principal",
        ),
        Comparison("6.6.3.4", "corrected: attitudes with the principal axes along LVLH", 24.0, float(len(found)), 0.5),
        correct_statement("6.6.3.4", "corrected: change of R over t = 1 there", moving),
    ]


def _axis_pendulum() -> list[Comparison]:
    """6.6.4: a body that rotates about a fixed axis."""
    body = AxisPendulum([0.13, 0.28, 0.17], mass=1.0, rho0=[-0.2, -0.1, 0.2], axis=[1.0, 2.0, 2.0])
    run = _integrate(body.state(theta=0.7, omega=-1.2))
    hanging = body.equilibria()[0]
    size = np.linalg.norm(body.rho0)
    apart = np.linalg.norm(np.cross(body.rho0, hanging.R[2])) / size
    moment = 9.81 * body.axis @ np.cross(body.rho0, hanging.R[2])
    centre = -(hanging.R @ body.rho0) / size  # from the axis to the mass centre
    zeta = hanging.reduced @ body.across
    q, (a1, a2) = run.reduced, body.across
    pull = 9.81 * size * (a2[2] * q[:, 0] - a1[2] * q[:, 1])
    full = 9.81 * np.cross(body.rho0, run.R[:, 2]) @ body.axis
    return [
        correct_statement("6.6.4", "Ra − a over t = 10", np.abs(run.R @ body.axis - body.axis).max()),
        correct_statement(
            "6.6.4.5", "change of ½ a·Ja ω² − m g e₃·Rρ₀ over t = 10", _largest_change(run.invariants()["energy"])
        ),
        correct_statement("(6.31)", "the moment on S¹ less m g a·(ρ₀ × Rᵀe₃)", np.abs(pull - full).max()),
        Comparison(
            "6.6.4.4",
            "ζ·(direction from the axis to the mass centre)",
            1.0,
            float(zeta @ centre),
            1e-6,
            "ζ = Rρ₀/‖ρ₀‖ points from the mass centre to the axis",
        ),
        wrong_statement(
            "6.6.4.6",
            "sine of the angle between ρ₀ and Rᵀe₃ at an equilibrium",
            apart,
            "only the part of Rᵀe₃ normal to the axis must be parallel to ρ₀, unless the axis is horizontal",
        ),
        correct_statement("6.6.4.6", "corrected: moment about the axis there", moment),
    ]


def _problems() -> list[Comparison]:
    """Problems 6.10, 6.11, 6.13."""
    b, F = np.array([0.5, -0.3, 0.8]), np.array([0.4, 0.9, -0.6])
    inside = R.T @ F
    along = np.cross(b, inside) - np.cross(b, inside - (inside @ b) / (b @ b) * b)
    run = _integrate(PointForceBody(J, point=b, force=F).state(R=R, omega=OMEGA))
    moment = np.einsum("nij,nj->ni", run.R, np.cross(b, np.einsum("nji,j->ni", run.R, F)))
    force = run.R @ (np.swapaxes(run.R, 1, 2) @ F)[..., None]
    uniform = FieldBody(MASSES, _balanced_points(), uniform=-9.81 * E3)
    free = FreeRigidBody(uniform.inertia.matrix)
    finals = [_integrate(s.state(R=R, omega=OMEGA)).final.R for s in (uniform, free)]
    return [
        correct_statement("problem 6.10 (a)", "moment of the part of RᵀF along b", np.abs(along).max()),
        correct_statement(
            "problem 6.11 (d)", "motion in a uniform field less the free one", np.abs(finals[0] - finals[1]).max()
        ),
        wrong_statement(
            "problem 6.13 (a)",
            "change of the moment in the inertial frame",
            _largest_change(moment),
            "R(r × Rᵀf) = Rr × f changes as the body rotates; the force is constant, not the moment",
        ),
        correct_statement(
            "problem 6.13 (a)", "corrected: change of the force in the inertial frame", _largest_change(force[..., 0])
        ),
    ]


def _shells() -> list[Comparison]:
    """Problem 6.15."""
    rows = []
    for K, printed, reason in (
        (
            0.6,
            0.0,
            "with U = +K tr(R₁ᵀR₂ − I) and K > 0, aligned shells are at a maximum of U; an elastic coupling has K < 0",
        ),
        (-0.6, 0.0, ""),
    ):
        shells = ConcentricShells([1.0, 2.0, 2.5], [2.0, 1.5, 1.0], K=K)
        growth = float(linearize(shells.equilibria()[0]).eigenvalues.real.max())
        what = ("" if reason else "corrected: ") + f"growth rate of aligned shells, K = {K:g}"
        rows.append(Comparison("problem 6.15", what, printed, growth, 1e-6, reason))
    state = ConcentricShells.example()
    invariants = _integrate(state).invariants()
    rows += [
        correct_statement("problem 6.15 (c)", f"change of {name} over t = 10", _largest_change(invariants[name]))
        for name in invariants
    ]
    return rows


def _geodesics() -> list[Comparison]:
    """Problems 6.16 and 6.17."""
    end = so3.exp([-0.6, 0.9, 1.1])
    plain, heavy = geodesic(R, end), geodesic(R, end, np.diag([1.0, 2.0, 2.5]))
    straight = plain.omega @ np.diag([1.0, 2.0, 2.5]) @ plain.omega
    return [
        correct_statement("problem 6.16", "R₀ exp(S(ω)) − R₁ with S(ω) = log R₀ᵀR₁", np.abs(plain.at(1.0) - end).max()),
        correct_statement(
            "problem 6.17", "R(1) − R₁ of the free body found by shooting", np.abs(heavy.at(1.0) - end).max()
        ),
        Comparison(
            "problem 6.17",
            "1 if its action is below that of the geodesic of problem 6.16",
            1.0,
            float(heavy.action < straight),
            0.5,
        ),
    ]
