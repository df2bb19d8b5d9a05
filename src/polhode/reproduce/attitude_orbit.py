"""Section 6.6.3 of the chapter on rotating rigid bodies: a body in a circular orbit."""

from __future__ import annotations

import numpy as np

from ..geometry import so3
from ..systems import FieldBody, OrbitingBody
from .attitude_bodies import (
    DIFFERENCES,
    E2,
    E3,
    MASSES,
    Array,
    R,
    balanced_points,
    integrate,
    largest,
    largest_change,
    moment_of,
    rate_of,
)
from .base import Comparison, correct_statement, counted, misprint

N = 1.1  # the orbital rate ω₀
INERTIA = np.diag([2.0, 2.5, 1.2])


def compare_orbit() -> list[Comparison]:
    """Section 6.6.3."""
    return [*_potential(), *_motion(), *_equilibria()]


def _potential() -> list[Comparison]:
    """6.6.3.1: the gravity of a distant body, by points in the field of a mass at r₀, in units with GM = n² r₀³."""
    r0, places = 50.0, 0.5 * balanced_points()
    points = FieldBody(MASSES, places, sources=[[N**2 * r0**3, 0.0, 0.0, -r0]])
    x = r0 * E3 + places @ R.T
    size = np.linalg.norm(x, axis=1)[:, None] ** 3
    gradients = [np.einsum("k,ki,kj->ij", MASSES, N**2 * r0**3 * a / size, places) for a in (r0 * E3, x)]
    spacing = 1e-3

    def energy(i: int, j: int, e: float) -> float:
        matrix = R.copy()
        matrix[i, j] += e
        return float(points.potential_energy(matrix))

    def slope(i: int, j: int) -> float:
        near, far = (energy(i, j, k * spacing) - energy(i, j, -k * spacing) for k in (1.0, 2.0))
        return (8.0 * near - far) / (12.0 * spacing)

    found = np.array([[slope(i, j) for j in range(3)] for i in range(3)])
    # the energy, n² r₀² m, is much larger than its gradient: its rounding sets the error of the differences
    rounding = 1e-15 * N**2 * r0**2 * MASSES.sum() / spacing
    return [
        misprint(
            "6.6.3.1",
            "∂U/∂R",
            gradients[0],
            gradients[1],
            found,
            "the numerator lacks R^{bi}ρ, whose part of Rᵀ∂U/∂R is symmetric: the moment is correct",
            rounding,
        ),
        correct_statement(
            "6.6.3.1",
            "moment of the published ∂U/∂R − that of the points",
            largest(np.sum(np.cross(R, gradients[0]), axis=0) - moment_of(points.state(R=R))),
            10.0 * DIFFERENCES,
        ),
        _far_points(places),
    ]


def _far_points(places: Array) -> Comparison:
    """(6.23) as the limit of a large distance: the error is of the order of the size of the body over r₀."""
    r0 = 1e5
    far = FieldBody(MASSES, places, sources=[[N**2 * r0**3, 0.0, 0.0, -r0]])
    body = OrbitingBody(far.inertia.matrix, n=N)
    ours, moment = moment_of(body.state(R=R, omega=N * R[1])), moment_of(far.state(R=R))
    return correct_statement(
        "(6.23)",
        "moment of OrbitingBody − that of points, r₀ = 10⁵",
        largest(ours - moment) / largest(moment),
        10.0 * float(np.abs(places).max()) / r0,
    )


def _motion() -> list[Comparison]:
    """6.6.3.2, 6.6.3.3: the moment, and the conserved quantity."""
    body = OrbitingBody(INERTIA, n=N)
    run = integrate(body.state(R=so3.exp([0.2, -0.1, 0.3]), omega=[0.36148145662, 0.9493302836, -0.13121087655]))
    final = run.final
    b2, b3 = run.R[:, 1], run.R[:, 2]
    total = 0.5 * np.sum(run.omega * run.Pi, axis=-1) + body.energies(run.values)["gravity gradient"]
    orbital = N * np.sum(b2 * run.Pi, axis=-1)
    return [
        correct_statement(
            "(6.23)",
            "dΠ/dt − Π × ω − 3ω₀² b₃ × Jb₃",
            largest(moment_of(final) - 3.0 * N**2 * np.cross(b3[-1], INERTIA @ b3[-1])),
            DIFFERENCES,
        ),
        misprint(
            "6.6.3.3",
            "change of H = ½ ω·Jω + U over t = 10",
            0.0,
            orbital[-1] - orbital[0],
            total[-1] - total[0],
            "U moves with the orbit: dH/dt = n b₂·M; the conserved quantity is the Jacobi integral H − n b₂·Jω",
        ),
        correct_statement("6.6.3.3", "change of H − n b₂·Jω over t = 10", largest_change(run.invariants()["jacobi"])),
    ]


def _equilibria() -> list[Comparison]:
    """6.6.3.4."""
    body = OrbitingBody(INERTIA, n=N)
    aligned = body.state(omega=N * E3)
    yaw = so3.exp(0.4 * E3)
    yawed = body.state(R=yaw, omega=N * yaw[1])
    found = body.equilibria().all
    gravity = 3.0 * N**2 * np.cross(yaw[2], INERTIA @ yaw[2])
    reason = (
        "it is not sufficient that Rᵀe₃ is an eigenvector: b₂ × Jb₂ = 3 b₃ × Jb₃ is needed, so all axes are principal"
    )
    return [
        misprint(
            "6.6.3.4",
            "dR/dt at R = I with ω = ω₀ Rᵀe₃",
            np.zeros((3, 3)),
            so3.hat(N * E3 - N * E2),
            rate_of(aligned, "R"),
            "the orbit's normal is e₂: ω = ω₀ Rᵀe₂",
            DIFFERENCES,
        ),
        correct_statement("6.6.3.4", "gravity moment after a yaw of 0.4", largest(moment_of(yawed)), DIFFERENCES),
        misprint(
            "6.6.3.4",
            "J dω/dt after a yaw of 0.4",
            np.zeros(3),
            np.cross(INERTIA @ yawed.omega, yawed.omega) + gravity,
            rate_of(yawed, "Pi"),
            reason,
            DIFFERENCES,
        ),
        counted("6.6.3.4", "equilibria: attitudes with the principal axes along LVLH", 24, len(found)),
        correct_statement(
            "6.6.3.4", "change of R over t = 1 there", max(largest_change(integrate(e, t_end=1.0).R) for e in found)
        ),
    ]
