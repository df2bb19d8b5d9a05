"""Two dumbbells of point masses in NumPy and SciPy alone: the equations of motion of [LLM07] in relative variables, (62)–(69)
with their misprints corrected, and Newton's method for the discrete rotation (126).

A state is the row (X, R, Γ, Π, Π₂): the place and the attitude of body 1 in the frame of body 2, the momentum m V of the
relative motion, and the angular momenta, in that frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MASSES = 1.5, 3.0
G = 1.0 / sum(MASSES)  # time so that G (m₁ + m₂) = 1
REDUCED = MASSES[0] * MASSES[1] / sum(MASSES)
MOMENTS = np.array([0.0004, 0.0238, 0.0238]), np.array([0.0030, 0.1905, 0.1905])
ENDS = [np.outer([0.5, -0.5], [length, 0.0, 0.0]) for length in (0.25, 0.5)]  # half of the mass at each


def start() -> Array:
    """The first state of section 5: X, V and the spin of body 1."""
    spin = MOMENTS[0] * [0.0, 0.0, 9.0]
    return np.concatenate(
        [[1.0, 0.0, 0.3], np.eye(3).reshape(-1), REDUCED * np.array([0.0, 1.0, 0.0]), spin, np.zeros(3)]
    )


def forces(X: Array, R: Array) -> tuple[Array, Array, Array]:
    """The force on body 1, and the moments on the two bodies, in the frame of body 2."""
    first, second = (ENDS[0] @ R.T)[[0, 0, 1, 1]], ENDS[1][[0, 1, 0, 1]]
    d = X + first - second
    pulls = -G * MASSES[0] * MASSES[1] / 4.0 * d / np.linalg.norm(d, axis=1)[:, None] ** 3
    return pulls.sum(axis=0), np.cross(first, pulls).sum(axis=0), -np.cross(second, pulls).sum(axis=0)


def rates(y: Array) -> Array:
    """(62)–(69), in momenta."""
    X, R, Gamma, Pi, Pi2 = y[:3], y[3:12].reshape(3, 3), y[12:15], y[15:18], y[18:]
    Omega1, Omega2 = R.T @ Pi / MOMENTS[0], Pi2 / MOMENTS[1]
    force, moment, moment2 = forces(X, R)
    frame = -hat(Omega2)  # what turns back in the frame of body 2
    return np.concatenate(
        [
            Gamma / REDUCED + frame @ X,
            (R @ hat(Omega1 - R.T @ Omega2)).reshape(-1),
            frame @ Gamma + force,
            frame @ Pi + moment,
            frame @ Pi2 + moment2,
        ]
    )


def hat(x: Array) -> Array:
    """S(x), the matrix of x ×."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def runge_kutta_orthogonality(h: float, count: int) -> float:
    """The largest ‖1 − RᵀR‖ in so many steps of the classical Runge–Kutta method."""
    y, worst = start(), 0.0
    for _ in range(count):
        first = rates(y)
        second = rates(y + 0.5 * h * first)
        third = rates(y + 0.5 * h * second)
        y = y + h / 6.0 * (first + 2.0 * second + 2.0 * third + rates(y + h * third))
        R = y[3:12].reshape(3, 3)
        worst = max(worst, float(np.linalg.norm(np.eye(3) - R.T @ R)))
    return worst


def closest_approach() -> float:
    """The time at which the distance of the bodies is least."""
    from scipy.integrate import solve_ivp

    def approaching(t: float, y: Array) -> Any:
        return y[:3] @ y[12:15]  # m X·Ẋ, as X × Ω₂ is normal to X

    run = solve_ivp(lambda t, y: rates(y), (0.0, 10.0), start(), "DOP853", events=approaching, rtol=1e-9, atol=1e-11)
    (times,), (states,) = run.t_events, run.y_events
    return float(times[np.argmin([np.linalg.norm(y[:3]) for y in states])])


def newton_iterations(moments: Array, momentum: Array, h: float) -> int:
    """How many iterations (128) takes until the square of a correction is below 1e-19; in the Cayley parameter c, in which
    (126) is `g + g × c + (g·c) c = 2 J c`, `g = h Π`, from what two fixed-point steps make of `½ J⁻¹ g`."""
    g = h * momentum
    c, iterations, size = 0.5 * g / moments, 0, 1.0
    for _ in range(2):
        c = 0.5 * (g + np.cross(g, c) + (g @ c) * c) / moments
    while size > 1e-19:
        left = g + np.cross(g, c) + (g @ c) * c - 2.0 * moments * c
        slope = hat(g) + (g @ c) * np.eye(3) + np.outer(c, g) - 2.0 * np.diag(moments)
        correction = np.linalg.solve(slope, left)
        c, size, iterations = c - correction, float(correction @ correction), iterations + 1
    return iterations
