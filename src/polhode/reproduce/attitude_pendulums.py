"""Sections 6.6.2 and 6.6.4 of the chapter on rotating rigid bodies: pendulums about a point and about an axis."""

from __future__ import annotations

import numpy as np

from ..systems import AxisPendulum, Pendulum3D, linearize
from .attitude_bodies import (
    DIFFERENCES,
    E3,
    MASSES,
    R,
    balanced_points,
    integrate,
    largest,
    largest_change,
    rate_of,
)
from .base import Comparison, correct_statement, counted, misprint

G = 9.81
INERTIA = [0.13, 0.28, 0.17]
RHO0 = [0.02, -0.05, -0.3]


def compare_pendulums() -> list[Comparison]:
    """Sections 6.6.2 and 6.6.4."""
    return [*_potential(), *_equilibria(), *_relative_equilibria(), *_axis_pendulum()]


def _potential() -> list[Comparison]:
    """6.6.2.1–6.6.2.3: the potential and the conserved quantities of the three-dimensional pendulum."""
    body, places = Pendulum3D(INERTIA, mass=MASSES.sum(), rho0=RHO0), balanced_points()
    run = integrate(body.state(R=np.diag([1.0, -1.0, -1.0]) @ R, omega=[0.5, -0.4, 1.0]))
    start = run.state(0)
    energy = run.invariants()["energy"]
    weight, down = body.mass * G, start.R[2]
    return [
        misprint(
            "6.6.2.1",
            "U, from points with the mass and the mass centre of the body",
            -G * MASSES @ (places @ R.T)[:, 2],
            G * MASSES @ ((places - body.rho0) @ R.T)[:, 2],
            body.potential_energy(R),
            "−∫ g e₃·Rρ dm is 0, as ∫ρ dm = 0: it should have ρ − ρ₀, and no minus",
        ),
        misprint(
            "6.6.2.2",
            "H − ½ Π·J⁻¹Π",
            np.linalg.norm(weight * np.cross(body.rho0, down)),
            -weight * body.rho0 @ down,
            energy[0] - 0.5 * start.Pi @ start.omega,
            "m g S(ρ₀)Rᵀe₃ is a vector (its length is shown); the term of H is −m g ρ₀·Rᵀe₃",
        ),
        correct_statement("6.6.2.3", "change of ½ Π·J⁻¹Π − m g ρ₀·Rᵀe₃ over t = 10", largest_change(energy)),
        correct_statement(
            "6.6.2.3", "change of Π·Rᵀe₃ over t = 10", largest_change(run.invariants()["vertical_momentum"])
        ),
    ]


def _equilibria() -> list[Comparison]:
    """6.6.2.4: the hanging and the inverted attitude."""
    body, simple = (Pendulum3D(INERTIA, mass=1.0, rho0=rho0) for rho0 in (RHO0, [0.0, 0.0, -0.3]))
    size = float(np.linalg.norm(body.rho0))
    along = max(body.equilibria(), key=lambda e: float(e.R[2] @ body.rho0))
    hanging = simple.equilibria()[0]
    stiffness = G * 0.3 * np.diag([1.0, 1.0, 0.0])
    rows = [
        misprint(
            "6.6.2.4",
            "U where Rᵀe₃ = ρ₀/‖ρ₀‖, called inverted",
            G * size,
            -G * size,
            body.potential_energy(along.R),
            "ρ₀ points from the mass centre to the pivot, so the mass centre is below the pivot: the names are swapped",
        ),
        misprint(
            "6.6.2.4",
            "e₃·Re₃ and determinant of the hanging attitude",
            [-1.0, np.linalg.det(-np.eye(3))],
            [-1.0, 1.0],
            [hanging.R[2, 2], np.linalg.det(hanging.R)],
            "−I is not a rotation",
        ),
    ]
    for label, index, sign, growing in (("inverted", 1, -1.0, 2), ("hanging", 0, 1.0, 0)):
        expected = np.sort(-np.linalg.eigvals(simple.inertia.inverse @ (sign * stiffness)).real)
        found = np.sort((linearize(simple.equilibria()[index]).eigenvalues ** 2).real)[::2]
        real = int(np.sum(linearize(body.equilibria()[index]).eigenvalues.real > 1e-6))
        rows += [
            correct_statement("6.6.2.4", f"eigenvalues² about the {label} attitude", largest(found - expected)),
            counted("6.6.2.4", f"{label}: eigenvalues with a positive real part", growing, real),
        ]
    return rows


def _relative_equilibria() -> list[Comparison]:
    """6.6.2.4: steady rotations of the pendulum."""
    body = Pendulum3D(INERTIA, mass=1.0, rho0=RHO0)
    found = body.steady_rotations(6.0)
    steady = max(found, key=lambda e: float(np.linalg.norm(np.cross(e.omega, e.Pi))))
    reason = "it is sufficient that ω ∥ Rᵀe₃ and ω × Jω = m g ρ₀ × Rᵀe₃ (Staude): ω need not be an eigenvector of J"
    return [
        misprint(
            "6.6.2.4",
            "ω × Jω in a steady rotation",
            np.zeros(3),
            G * np.cross(body.rho0, steady.R[2]),
            np.cross(steady.omega, steady.Pi),
            reason,
        ),
        correct_statement(
            "6.6.2.4", "change of ω over t = 2 in it", largest_change(integrate(steady, t_end=2.0).omega)
        ),
    ]


def _axis_pendulum() -> list[Comparison]:
    """6.6.4: a body that rotates about a fixed axis."""
    body = AxisPendulum(INERTIA, mass=1.0, rho0=[-0.2, -0.1, 0.2], axis=[1.0, 2.0, 2.0])
    run = integrate(body.state(theta=0.7, omega=-1.2))
    hanging, moving = body.equilibria()[0], run.final
    direction = body.rho0 / np.linalg.norm(body.rho0)
    pull = G * body.axis @ np.cross(body.rho0, moving.R[2])
    a1, a2 = body.across
    on_circle = G * float(np.linalg.norm(body.rho0)) * (a2 @ E3 * moving.reduced[0] - a1 @ E3 * moving.reduced[1])
    return [
        correct_statement("6.6.4", "Ra − a over t = 10", largest(run.R @ body.axis - body.axis)),
        correct_statement(
            "6.6.4.5", "change of ½ a·Ja ω² − m g e₃·Rρ₀ over t = 10", largest_change(run.invariants()["energy"])
        ),
        correct_statement(
            "6.6.4.2", "a·Ja dω/dt − m g a·(ρ₀ × Rᵀe₃)", body.J * rate_of(moving, "omega") - pull, DIFFERENCES
        ),
        correct_statement(
            "(6.31)", "a·Ja dω/dt − the moment on S¹", body.J * rate_of(moving, "omega") - on_circle, DIFFERENCES
        ),
        misprint(
            "6.6.4.4",
            "ζ, called the direction from the axis to the mass centre",
            -hanging.R @ direction,
            hanging.R @ direction,
            hanging.reduced @ body.across,
            "ζ = Rρ₀/‖ρ₀‖ points from the mass centre to the axis",
        ),
        misprint(
            "6.6.4.6",
            "sine of the angle between ρ₀ and Rᵀe₃ at an equilibrium",
            0.0,
            abs(body.axis[2]),
            np.linalg.norm(np.cross(direction, hanging.R[2])),
            "only the part of Rᵀe₃ normal to the axis must be parallel to ρ₀, unless the axis is horizontal",
        ),
        correct_statement("6.6.4.6", "dω/dt there", rate_of(hanging, "omega")),
    ]
