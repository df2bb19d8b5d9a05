"""The discrete spacecraft in 40 digits, from the equations of [MP16] alone: nothing is shared with the library.

Unknowns are φ, and γ of a damper; Newton's method has a numerical Jacobian. `tangent` differences the map centrally.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
from mpmath import matrix, mpf


def vector(x) -> mpmath.matrix:
    return matrix([mpf(str(v)) if isinstance(v, float) else v for v in x])


def cross(a, b) -> mpmath.matrix:
    return matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def multiply(q, r) -> mpmath.matrix:
    v = cross(q[:3], r[:3]) + q[3] * matrix(r[:3]) + r[3] * matrix(q[:3])
    return matrix([*v, q[3] * r[3] - dot(q, r)])


def conjugate(q) -> mpmath.matrix:
    return matrix([-q[0], -q[1], -q[2], q[3]])


def rotation(q) -> mpmath.matrix:
    columns = [multiply(multiply(q, matrix([*e, 0])), conjugate(q)) for e in np.eye(3).astype(int).tolist()]
    return matrix([[columns[j][i] for j in range(3)] for i in range(3)])


def solve(residual: Callable, x: mpmath.matrix) -> mpmath.matrix:
    e = mpf(10) ** -20
    for _ in range(8):
        r = residual(x)
        slopes = matrix(len(x), len(x))
        for j in range(len(x)):
            moved = x.copy()
            moved[j] += e
            slopes[:, j] = (residual(moved) - r) / e
        x = x - mpmath.lu_solve(slopes, r)
    return x


def step(J, q, p, h, rho, torque=None, d=None, inertia=None, C=None, full=False):
    """One step: half kick by `torque(node, R, ω)`, (49), with (66), (67) for a damper, whole or half, half kick."""
    k = None if d is None else 2 * C if full else C
    if torque:
        p = p + h / 2 * torque(0, rotation(q), mpmath.lu_solve(J, p - rho))

    def start(phi):
        M = J * phi + h / 2 * rho
        return 2 / h * (mpmath.sqrt(1 - dot(phi, phi)) * M + cross(phi, M))

    guess = h / 2 * mpmath.lu_solve(J, p - rho)
    if d is None:
        phi, impulse = solve(lambda x: start(x) - p, guess), matrix(3, 1)
    else:

        def both(x):
            phi, gamma = x[:3], x[3:]
            sphere = 2 / h * inertia * mpmath.sqrt(1 - dot(gamma, gamma)) * gamma
            pull = k * (gamma - phi)
            return matrix([*(start(phi) - p - pull), *(sphere - d + pull)])

        x = solve(both, matrix([*guess, *guess]))
        phi, impulse = x[:3], k * (x[3:] - x[:3])
    f = matrix([*phi, mpmath.sqrt(1 - dot(phi, phi))])
    F = rotation(f)
    q = multiply(q, f)
    if d is not None:
        whole = impulse if full else 2 * impulse
        p, d = F.T * (p + whole), F.T * (d - whole)
    else:
        p = F.T * p
    if torque:
        kicked = p
        for _ in range(40):
            kicked = p + h / 2 * torque(1, rotation(q), mpmath.lu_solve(J, kicked - rho))
        p = kicked
    return q, p, d


def tangent(end: Callable, dimension: int) -> np.ndarray:
    """∂(θ, p, d) at the end by (θ, p, d) at the start, of `end(θ, δ)`; body rotation vectors as in `UnitQuaternions`."""
    e = mpf(10) ** -12
    q1 = end(matrix(dimension, 1))[0]
    columns = []
    for j in range(dimension):
        x = matrix(dimension, 1)
        x[j] = e
        (qa, *ahead), (qb, *behind) = end(x), end(-x)
        turn = multiply(conjugate(q1), (qa - qb) / (2 * e))
        rest = [(a[i] - b[i]) / (2 * e) for a, b in zip(ahead, behind, strict=True) if a is not None for i in range(3)]
        columns.append([*(2 * turn[:3]), *rest])
    return np.array([[float(v) for v in column] for column in columns]).T


def turned(q, theta) -> mpmath.matrix:
    """q times the rotation by the small vector θ, exactly to second order."""
    half = theta / 2
    return multiply(q, matrix([*half, mpmath.sqrt(1 - dot(half, half))]))
