"""The attitude filter of Manchester and Peck (2016), section IX C, in NumPy and SciPy alone: an independent one, on the same
random numbers as that of the library.

The error is (δθ, δω), `R_true = R exp(S(δθ))`. Φ is the tangent of the steps, by complex steps, or `1 + F T`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np

from .quaternion_reference import (
    INERTIA,
    MOMENTS,
    Array,
    angle_between,
    exponential,
    hat,
    nearest_rotation,
    skew_vector,
    true_attitudes,
)

Step = Callable[[Array, float], Array]

REFERENCES = np.eye(3)[:2]
NOISE = np.radians([0.5, 1.0])  # of each sensor
RATE = np.radians([4.0, -5.0, 6.0])
SPREAD = np.radians([1.4] * 3 + [0.5] * 3)  # of the first estimate
ACCELERATION = 1e-10  # the spectral density of the process noise
COMPLEX = 1e-20


def predicted(step: Step, R: Array, omega: Array, interval: float, substep: float) -> tuple[Array, Array, Array]:
    """The attitude and rate an interval later, and Φ."""
    count = max(1, ceil(interval / substep * (1.0 - 1e-12)))
    first = np.concatenate([R.reshape(-1), MOMENTS * omega])
    turned = np.concatenate([np.stack([(R @ hat(e)).reshape(-1) for e in np.eye(3)]), np.zeros((3, 3))], axis=1)
    pushed = np.concatenate([np.zeros((3, 9)), INERTIA], axis=1)
    columns, last = [], first
    for direction in (*turned, *pushed):
        y = first + COMPLEX * 1j * direction
        for _ in range(count):
            y = step(y, interval / count)
        last, change = y.real, y.imag / COMPLEX
        theta = 0.5 * skew_vector(last[:9].reshape(3, 3).T @ change[:9].reshape(3, 3))
        columns.append(np.concatenate([theta, change[9:] / MOMENTS]))
    return nearest_rotation(last[:9].reshape(3, 3)), last[9:] / MOMENTS, np.stack(columns, axis=1)


def first_order(omega: Array, interval: float) -> Array:
    """`1 + F T`, F of the motion."""
    F = np.zeros((6, 6))
    F[:3, :3], F[:3, 3:] = -hat(omega), np.eye(3)
    F[3:, 3:] = (hat(MOMENTS * omega) - hat(omega) @ INERTIA) / MOMENTS[:, None]
    return np.eye(6) + interval * F


def triad(b: list[Array]) -> Array:
    """The attitude of the first pair of measurements, which keeps the first of them."""

    def frame(x: Array, y: Array) -> Array:
        normal = np.cross(x, y)
        x, normal = x / np.linalg.norm(x), normal / np.linalg.norm(normal)
        return np.stack([x, normal, np.cross(x, normal)], axis=1)

    return np.asarray(frame(*REFERENCES) @ frame(*b).T)


def filter_errors(step: Step, interval: float, substep: float, seed: int, *, textbook: bool = False) -> Array:
    """The attitude errors over the second half of a run; the `textbook` filter has Φ = 1 + FT."""
    samples, rng = (200 if interval < 1.0 else 60), np.random.default_rng(seed)
    truth = true_attitudes(RATE, interval * np.arange(samples + 1))

    def measured(k: int, i: int) -> Array:
        return truth[k].T @ REFERENCES[i] + NOISE[i] * rng.normal(size=3)

    R = triad([measured(0, 0), measured(0, 1)])
    omega, P, T = RATE + np.radians(0.5) * rng.normal(size=3), np.diag(SPREAD**2), interval
    Q = ACCELERATION * np.kron([[T**3 / 3.0, T**2 / 2.0], [T**2 / 2.0, T]], np.eye(3))
    errors = []
    for k in range(1, samples + 1):
        flat = first_order(omega, interval)
        R, omega, Phi = predicted(step, R, omega, interval, substep)
        Phi = flat if textbook else Phi
        P = Phi @ P @ Phi.T + Q
        for i in range(2):
            b, expected = measured(k, i), R.T @ REFERENCES[i]
            H = np.concatenate([hat(expected), np.zeros((3, 3))], axis=1)
            S = H @ P @ H.T + NOISE[i] ** 2 * np.eye(3)
            K = np.linalg.solve(S, H @ P).T
            error = K @ (b / np.linalg.norm(b) - expected)
            P = (np.eye(6) - K @ H) @ P @ (np.eye(6) - K @ H).T + NOISE[i] ** 2 * K @ K.T
            R, omega = R @ exponential(error[:3]), omega + error[3:]
        errors.append(angle_between(R, truth[k]))
    return np.array(errors[samples // 2 :])
