"""Closed-form motion of the torque-free rigid body, for any inertia.

This is the solution asked for by Problem 6.8 of Lee, Leok, McClamroch (asymmetric body, Jacobi
elliptic functions); Problems 6.7 (sphere) and 6.9 (axisymmetric body) are limits of the same
formulas.  It solves

    dR/dt = R S(J^-1 Pi),    dPi/dt = Pi x J^-1 Pi.

Letters
    J        inertia; J1, J2, J3 its principal moments, J2 always the middle one.  The axes are
             numbered (ascending or descending moments, ``sign`` = +1 or -1) so that the polhode,
             the path of Pi on its sphere, encircles axis 3: the two textbook cases are then one.
    Pi, L    body angular momentum and its length; P1, P2, P3 are the components of Pi(0).
    g1..g3   |1/J2 - 1/J3|, |1/J1 - 1/J3|, |1/J1 - 1/J2|; g2 = g1 + g3.  Euler's equations become
             dPi/dt = sign (-g1 Pi_2 Pi_3, g2 Pi_3 Pi_1, -g3 Pi_1 Pi_2).
    A1, A3   amplitudes: Pi moves as (+-A1 cn u, .. sn u, +-A3 dn u); A1^2 + A3^2 = L^2.
    u        u_0 + Lambda t, the argument of the elliptic functions; Lambda = sqrt(g1 g2) A3.
    m, mc    parameter and complementary parameter 1 - m; m itself is never needed.
    s, c, d  sn, cn, dn of v = Lambda t, *not* of u: addition theorems carry the state from u_0 to
             u_0 + v.  So u_0 is never computed, t = 0 gives back the initial state, and nothing
             divides by an amplitude that vanishes in a steady rotation.
    psi      angle of rotation about the fixed vector R Pi; R = R_0 B(0) exp(psi S(e_3)) B(t)^T with
             B the frame made of Pi and a reference axis e_r of the body.
    n        characteristic of the elliptic integral of the third kind in psi; -1 <= n <= 0.

All that depends on the state alone is found once (`free_motion`); a time then takes two sines and
cosines and one pass through the levels of Landen's transformation (`elliptic`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.system import ClosedForm, State
from ...geometry.elliptic import Landen, descend, functions
from ...geometry.vectors import cross
from ...scalars import compiled

Array = NDArray[np.float64]

__all__ = ["exact_free_body", "free_closed_form", "free_motion"]


class Tumble(NamedTuple):
    """What the motion in principal axes needs of the state: see the letters above."""

    start: tuple[float, float, float]
    rates: tuple[float, float, float]
    amplitude: float
    way: float
    angular: float
    linear: float
    third: tuple[float, float]


def exact_free_body(inertia: ArrayLike, R0: ArrayLike, Pi0: ArrayLike, t: ArrayLike) -> tuple[Array, Array]:
    """Attitude and body angular momentum of the free rigid body at the elapsed times ``t``.

    inertia: (3, 3) symmetric positive definite, in any body frame; R0: (3, 3) attitude (body to
    inertial) and Pi0: (3,) body angular momentum at t = 0; t: (n,) times of any sign and order.
    Returns R (n, 3, 3) and Pi (n, 3), in the body frame of the arguments.
    """
    return free_motion(inertia, R0, Pi0)(np.asarray(t, dtype=np.float64))


def free_closed_form(inertia: ArrayLike, state: State) -> ClosedForm:
    """The motion of a system that turns freely from `state`, as a function of the times."""
    motion = free_motion(inertia, state.R, state.Pi)
    return lambda t: dict(zip(("R", "Pi"), motion(t - state.t), strict=True))


def free_motion(inertia: ArrayLike, R0: ArrayLike, Pi0: ArrayLike) -> Callable[[Array], tuple[Array, Array]]:
    """The motion as a function of the elapsed times, for `exact_free_body`'s arguments."""
    attitude = np.array(R0, dtype=np.float64)
    J, V, g, left_handed = _principal(np.asarray(inertia, dtype=np.float64).tobytes())
    start = np.asarray(Pi0, dtype=np.float64) @ V  # Pi(0) in principal axes
    L = float(np.linalg.norm(start))
    if L == 0:
        return lambda t: (np.tile(attitude, (*t.shape, 1, 1)), np.zeros((*t.shape, 3)))

    # Near the separatrix the motion is exponentially sensitive to its distance from it (mc), and
    # to nothing else.  Rational arithmetic gives that number, a difference, without cancellation.
    Q1, Q2, Q3 = (Fraction(float(component)) ** 2 for component in start)
    sign, excess = 1.0, g[0] * Q3 - g[2] * Q1
    if excess < 0:  # the polhode encircles the other extreme axis: number the axes backwards
        sign, excess, g, Q3 = -1.0, -excess, (g[2], g[1], g[0]), Q1
        J, V, start, left_handed = J[::-1], V[:, ::-1], start[::-1], not left_handed
    if left_handed:  # Euler's equations hold in right-handed axes only
        V, start = V * [1, -1, 1], start * [1, -1, 1]
    rates = np.array([float(x) for x in g])

    if (rates * start[[1, 2, 0]] * start[[2, 0, 1]]).any():  # dPi/dt, but for signs
        mc = float(g[1] * excess / (g[0] * (g[2] * Q2 + g[1] * Q3)))
        axis, tumble, landen = _tumble(sign, L, J, rates, mc, start)
    else:  # steady rotation: J^-1 Pi is parallel to Pi
        axis, turn = int(np.argmin(np.abs(start))), float(np.linalg.norm(start / J))
        tumble, landen = Tumble(_three(start), (0.0, 0.0, 0.0), 1.0, 1.0, 0.0, turn, (0.0, 0.0)), descend(1.0, 0.0, 0.0)
    outer, V = np.ascontiguousarray(attitude @ V @ _frame(axis, start)), np.ascontiguousarray(V)

    def motion(t: Array) -> tuple[Array, Array]:
        times = np.ascontiguousarray(t, dtype=np.float64)
        R, Pi = np.empty((*times.shape, 3, 3)), np.empty((*times.shape, 3))
        _fill(times.reshape(-1), tumble, landen, axis, L, outer, V, R.reshape(-1, 3, 3), Pi.reshape(-1, 3))
        return R, Pi

    return motion


@lru_cache(64)
def _principal(inertia: bytes) -> tuple[Array, Array, tuple[Fraction, Fraction, Fraction], bool]:
    """The principal moments, the axes as columns, the differences g of the inverse moments, and whether the axes are
    left-handed: what a body has at all its starts."""
    J, V = np.linalg.eigh(np.frombuffer(inertia).reshape(3, 3))
    if not J[0] > 0:
        raise ValueError("inertia must be positive definite")
    b1, b2, b3 = (1 / Fraction(float(moment)) for moment in J)
    return J, V, (b2 - b3, b1 - b3, b1 - b2), bool(np.linalg.det(V) < 0)


def _three(x: Array) -> tuple[float, float, float]:
    return float(x[0]), float(x[1]), float(x[2])


def _frame(axis: int, Pi: Array) -> Array:
    """The rotation with columns e x p / |e x p|, p x (the first), p = Pi / |Pi|; e is a body axis."""
    p = Pi / np.linalg.norm(Pi)
    first = np.array(cross(_three(np.eye(3)[axis]), _three(p)))
    first /= np.linalg.norm(first)
    return np.stack([first, np.array(cross(_three(p), _three(first))), p], axis=-1)


def _tumble(sign: float, L: float, J: Array, g: Array, mc: float, start: Array) -> tuple[int, Tumble, Landen]:
    """The reference axis and the constants of an unsteady motion."""
    (g1, g2, g3), (P1, P2, P3) = _three(g), _three(start)
    A1, A3 = math.hypot(P1, math.sqrt(g1 / g2) * P2), math.hypot(P3, math.sqrt(g3 / g2) * P2)
    Lambda = math.sqrt(g1) * math.sqrt(g2) * A3

    # L^2 - Pi_r^2 = A^2 (1 - n sn^2 u) is at least L^2 / 2 for one of the axes r = 1, 3 because
    # A1^2 + A3^2 = L^2: with that r, both the frame B and the integral are well conditioned.
    if A3 >= A1:
        axis, way, mean_rate, A, ratio, n, eta = 0, sign, L / J[2], A3, g1 / g2, -((A1 / A3) ** 2), g3 / g1
    else:
        axis, way, mean_rate, A, ratio, n, eta = 2, -sign, L / J[0], A1, g3 / g2, -g3 / g1, (A1 / A3) ** 2
    landen = descend(mc, n, eta)
    linear = float(mean_rate) - way * Lambda * landen.linear
    angular = L * g2 / Lambda
    k = sign * math.sqrt(g1 / g2)
    return axis, Tumble(_three(start), (k, g3 / g1, Lambda), A3, way, angular, linear, (ratio / A**2, n)), landen


@compiled
def _fill(
    t: Array, tumble: Tumble, landen: Landen, axis: int, L: float, outer: Array, V: Array, R: Array, Pi: Array
) -> None:
    """R and Pi at the times t: `outer` is R_0 V B(0), V the principal axes."""
    P1, P2, P3 = tumble.start
    k, moments, Lambda = tumble.rates
    A3, (ratio, n) = tumble.amplitude, tumble.third
    for i in range(t.shape[0]):
        re, im = math.cos(tumble.linear * t[i]), math.sin(tumble.linear * t[i])
        x, y, z = P1, P2, P3
        if Lambda > 0.0:
            s, c, d, a, b = functions(Lambda * t[i], landen)
            # Addition theorems.  Their denominator 1 - m sn^2 u_0 s^2 is the sum of squares
            # c^2 + (dn u_0 s)^2; it is divided out one root at a time, as c, d and dn u_0 may all be tiny.
            root = math.hypot(c, P3 / A3 * s)
            sine, cosine, dr = P3 / A3 * s / root, c / root, d / root
            x = P1 / root * cosine - k * P2 * sine * dr
            y = P2 * cosine * dr + P1 / root * sine / k
            z = P3 / root * dr - k * moments * P2 / A3 * (P1 / root) * s * cosine
            # dpsi/dt = mean_rate + way L g2 |n| sn^2 u / (1 - n sn^2 u).  Integrating from u_0 instead of 0
            # adds, by the addition theorem of the third kind, one angle in (-pi/2, pi/2).
            shift = ratio * P2 * y
            u, v = 1.0 - n * s * s + shift * c * d, tumble.angular * shift * s
            size = math.hypot(u, v)
            u, v = u / size, v / size
            # angle minus that of the integral's periodic part, (a, b)
            u, v = u * a + v * b, tumble.way * (v * a - u * b)
            re, im = re * u - im * v, re * v + im * u
        size = math.sqrt(x * x + y * y + z * z)
        x, y, z = x / size, y / size, z / size
        # the frame B(t), a row per vector: e x p and p x (e x p) over their length, p
        if axis == 0:
            size = math.sqrt(y * y + z * z)
            e = (0.0, -z / size, y / size)
        elif axis == 1:
            size = math.sqrt(x * x + z * z)
            e = (z / size, 0.0, -x / size)
        else:
            size = math.sqrt(x * x + y * y)
            e = (-y / size, x / size, 0.0)
        f = (y * e[2] - z * e[1], z * e[0] - x * e[2], x * e[1] - y * e[0])
        for m in range(3):
            p = V[m, 0] * x + V[m, 1] * y + V[m, 2] * z
            q = V[m, 0] * e[0] + V[m, 1] * e[1] + V[m, 2] * e[2]
            r = V[m, 0] * f[0] + V[m, 1] * f[1] + V[m, 2] * f[2]
            Pi[i, m] = L * p
            first, second = re * q - im * r, im * q + re * r
            for j in range(3):
                R[i, j, m] = outer[j, 0] * first + outer[j, 1] * second + outer[j, 2] * p
