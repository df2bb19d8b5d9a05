"""The equations of Manchester and Peck (2016), with their misprints corrected, in NumPy and SciPy alone.

Nothing here is taken from the library: what its systems and methods give is compared with this. Inertia (68) and rate are
those of section IX. Steps act on rows (R, Π), or (R, Π, d) with a damper of momentum d; SciPy's solvers on rows (q, ω) or
(q, ω, ω_D), as the paper's programs do. Rows of steps may be complex: a small tangent vector in the imaginary part is carried
along.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Rates = Callable[[float, Array], Array]

INERTIA = np.diag([1.0, 2.0, 3.0])  # (68)
MOMENTS = np.diagonal(INERTIA)
OMEGA = np.array([np.pi / 4, -np.pi / 5, np.pi / 6])
DAMPER = 0.2  # I_D
CORRECTIONS = 60  # of Newton's method: far more than are needed
SMALL_CORRECTION = 1e-19  # the square of one after which the error is below rounding


def hat(x: Array) -> Array:
    """S(x), the matrix of x ×."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def rotation(phi: Array) -> Array:
    """R(f) of the unit quaternion with vector part φ, on the side of the identity (5)."""
    s = np.sqrt(1.0 - phi @ phi)
    return np.asarray((2.0 * s * s - 1.0) * np.eye(3) + 2.0 * np.outer(phi, phi) + 2.0 * s * hat(phi))


def start(damper_rate: Array | None = None) -> Array:
    """The first row (R, Π), or (R, Π, d) with a damper of this rate."""
    body = np.concatenate([np.eye(3).reshape(-1), MOMENTS * OMEGA])
    return body if damper_rate is None else np.concatenate([body, DAMPER * damper_rate])


def exponential(x: Array) -> Array:
    """exp(S(x)), by Rodrigues' formula."""
    angle = float(np.linalg.norm(x))
    K = hat(x)
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * K @ K)


def angle_between(R: Array, Q: Array) -> float:
    """The angle of the rotation from R to Q."""
    return float(np.arctan2(np.linalg.norm(skew_vector(R.T @ Q)), np.trace(R.T @ Q) - 1.0))


def skew_vector(A: Array) -> Array:
    """x of `A − Aᵀ = S(x)`."""
    return np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def nearest_rotation(A: Array) -> Array:
    """By the polar decomposition."""
    U, _, V = np.linalg.svd(A)
    return np.asarray(U @ V)


def rates(y: Array, C: float = 0.0) -> Array:
    """`Ṙ = R S(ω)` (9) and Euler's equations (54), with the torque `C (ω_D − ω)` of a damper (64) where there is one."""
    omega = y[9:12] / MOMENTS
    turning, change = (y[:9].reshape(3, 3) @ hat(omega)).reshape(-1), hat(y[9:12]) @ omega
    if len(y) == 12:
        return np.concatenate([turning, change])
    torque = C * (y[12:] / DAMPER - omega)
    return np.concatenate([turning, change + torque, hat(y[12:]) @ omega - torque])


def quaternion_rates(C: float = 0.0) -> Rates:
    """The same for rows (q, ω) or (q, ω, ω_D)."""
    J1, J2, J3 = MOMENTS

    def slope(t: float, z: Array) -> Array:
        e1, e2, e3, e4, x, y, w = z[:7]
        turning = [
            0.5 * (e4 * x + e2 * w - e3 * y),
            0.5 * (e4 * y + e3 * x - e1 * w),
            0.5 * (e4 * w + e1 * y - e2 * x),
            -0.5 * (e1 * x + e2 * y + e3 * w),
        ]
        u, v, s = z[7:] if len(z) > 7 else z[4:7]
        a, b, c = C * (u - x), C * (v - y), C * (s - w)
        body = [((J2 - J3) * y * w + a) / J1, ((J3 - J1) * w * x + b) / J2, ((J1 - J2) * x * y + c) / J3]
        damper = [v * w - s * y - a / DAMPER, s * x - u * w - b / DAMPER, u * y - v * x - c / DAMPER]
        return np.array(turning + body + (damper if len(z) > 7 else []))

    return slope


def solve(rates: Rates, z: Array, times: Array, solver: str = "RK45", **tolerances: float) -> Any:
    """A run of one of SciPy's solvers, at MATLAB's default tolerances unless others are given.

    The equations are quadratic, so that central differences give their exact Jacobian, whatever the step: with that of the
    solver's own differences, what it decides would depend on rounding.
    """
    from scipy.integrate import solve_ivp

    def jacobian(t: float, z: Array) -> Array:
        return np.stack([rates(t, z + e) - rates(t, z - e) for e in 0.5 * np.eye(len(z))], axis=1)

    options: dict[str, Any] = {"rtol": 1e-3, "atol": 1e-6} | tolerances
    if solver in ("BDF", "Radau"):
        options["jac"] = jacobian
    return solve_ivp(rates, (float(times[0]), float(times[-1])), z, method=solver, t_eval=times, **options)


def energy(y: Array) -> Array:
    """The kinetic energy of rows of steps."""
    damper = np.sum(y[..., 12:] ** 2, axis=-1) / DAMPER
    return np.asarray(0.5 * (np.sum(y[..., 9:12] ** 2 / MOMENTS, axis=-1) + damper))


def spatial_momentum(y: Array) -> Array:
    """`R (Π + d)` of a row of steps."""
    return np.asarray(y[:9].reshape(3, 3) @ (y[9:12] + y[12:]))


def quaternion_matrices(q: Array) -> Array:
    """The rotation matrices of rows q/|q|."""
    unit = q / np.linalg.norm(q, axis=1)[:, None]
    return np.array([rotation(x[:3] if x[3] > 0.0 else -x[:3]) for x in unit])


def midpoint_step(y: Array, h: float, slope: Callable[[Array], Array] = rates) -> Array:
    """The explicit midpoint rule."""
    return np.asarray(y + h * slope(y + 0.5 * h * slope(y)))


def runge_kutta_step(y: Array, h: float) -> Array:
    """The classical method of order 4, for the free body."""
    first = rates(y)
    second = rates(y + 0.5 * h * first)
    third = rates(y + 0.5 * h * second)
    return np.asarray(y + h / 6.0 * (first + 2.0 * second + 2.0 * third + rates(y + h * third)))


def baseline(name: str, rates: Rates) -> Array:
    """Rows (q, ω) of the free body every 0.2 s for 200 s, by the midpoint rule with this step, or by RK45."""
    first, h, count = np.concatenate([[0.0, 0.0, 0.0, 1.0], OMEGA]), 0.2, 1000
    if name == "RK45":
        return np.asarray(solve(rates, first, h * np.arange(count + 1)).y.T)
    return steps(lambda z, h: midpoint_step(z, h, lambda z: rates(0.0, z)), first, h, count)


def true_attitudes(omega: Array, times: Array) -> Array:
    """The attitudes of the free body at the times, by a tight run."""
    from scipy.integrate import solve_ivp

    first = np.concatenate([np.eye(3).reshape(-1), MOMENTS * omega])
    run = solve_ivp(lambda t, y: rates(y), (0.0, times[-1]), first, "DOP853", times, rtol=1e-13, atol=1e-15)
    return np.asarray(run.y.T[:, :9].reshape(-1, 3, 3))


def first_increment(h: float, momentum: Array, sign: float = 1.0) -> Array:
    """The φ that solves `(2/h)(s Iφ + sign φ × Iφ) = p`: (37), or with sign −1 (36)."""
    phi = 0.5 * h * momentum / MOMENTS
    for _ in range(CORRECTIONS):
        s, M = np.sqrt(1.0 - phi @ phi), MOMENTS * phi
        slope = s * INERTIA - np.outer(M, phi) / s + sign * (hat(phi) @ INERTIA - hat(M))  # (38)
        correction = np.linalg.solve(slope, s * M + sign * np.cross(phi, M) - 0.5 * h * momentum)
        phi = phi - correction
        if np.abs(correction).max() < 1e-17:
            break
    return np.asarray(phi)


def variational_step(y: Array, h: float) -> Array:
    """The step of section V: φ from the momentum at its start, then `Π ↦ R(f)ᵀ Π`."""
    F = rotation(first_increment(h, y[9:12]))
    return np.concatenate([(y[:9].reshape(3, 3) @ F).reshape(-1), F.T @ y[9:12]])


def steps(step: Callable[[Array, float], Array], y: Array, h: float, count: int) -> Array:
    """The rows that so many steps give, the first one included."""
    rows = [y]
    for _ in range(count):
        rows.append(step(rows[-1], h))
    return np.array(rows)


def damped_increment(C: float, h: float, y: Array, share: float) -> tuple[Array, Array, int]:
    """φ and the impulse `λ = share C (γ − φ)` of a step: the 6 × 6 system of (66), (67) by Newton's method, and how many
    iterations that took."""
    p, d, k, one = y[9:12], y[12:], share * C, np.eye(3)
    z, iterations, size = np.zeros(6), 0, 1.0
    while size >= SMALL_CORRECTION and iterations < CORRECTIONS:
        phi, gamma = z[:3], z[3:]
        s, s_gamma, M = np.sqrt(1.0 - phi @ phi), np.sqrt(1.0 - gamma @ gamma), MOMENTS * phi
        body_left = 2.0 / h * (s * M + hat(phi) @ M) - p - k * (gamma - phi)
        sphere_left = 2.0 / h * DAMPER * s_gamma * gamma - d + k * (gamma - phi)
        body = 2.0 / h * (s * INERTIA - np.outer(M, phi) / s + hat(phi) @ INERTIA - hat(M))
        sphere = 2.0 / h * DAMPER * (s_gamma * one - np.outer(gamma, gamma) / s_gamma)
        slope = np.block([[body + k * one, -k * one], [-k * one, sphere + k * one]])
        correction = np.linalg.solve(slope, np.concatenate([body_left, sphere_left]))
        z, size, iterations = z - correction, float(correction @ correction), iterations + 1
    return z[:3], k * (z[3:] - z[:3]), iterations


def damped_iterations(C: float, h: float, rows: Array) -> float:
    """The mean number of iterations of the steps of the full kick that lead from each of the rows to the next."""
    return float(np.mean([damped_increment(C, h, y, 2.0)[2] for y in rows[:-1]]))


def damped_step(
    C: float, share: float, *, sign: float = 1.0, forwards: bool = False
) -> Callable[[Array, float], Array]:
    """A step of (66), (67), of which the impulse acts at the start (share 2), or half of it there and half at the end
    (share 1). With `sign` −1 the damping has its published sign; `forwards` turns the momentum of the damper by f."""

    def step(y: Array, h: float) -> Array:
        phi, impulse, _ = damped_increment(sign * C, h, y, share)
        F, whole = rotation(phi), 2.0 / share * impulse
        body, damper = F.T @ (y[9:12] + whole), (F if forwards else F.T) @ (y[12:] - whole)
        return np.concatenate([(y[:9].reshape(3, 3) @ F).reshape(-1), body, damper])

    return step
