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
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

Array = np.ndarray

__all__ = ["exact_free_body"]


def exact_free_body(inertia: ArrayLike, R0: ArrayLike, Pi0: ArrayLike, t: ArrayLike) -> tuple[Array, Array]:
    """Attitude and body angular momentum of the free rigid body at the elapsed times ``t``.

    inertia: (3, 3) symmetric positive definite, in any body frame; R0: (3, 3) attitude (body to
    inertial) and Pi0: (3,) body angular momentum at t = 0; t: (n,) times of any sign and order.
    Returns R (n, 3, 3) and Pi (n, 3), in the body frame of the arguments.
    """
    R0, t = np.asarray(R0, float), np.asarray(t, float)
    J, V = np.linalg.eigh(np.asarray(inertia, float))
    if not J[0] > 0:
        raise ValueError("inertia must be positive definite")
    start = np.asarray(Pi0, float) @ V  # Pi(0) in principal axes
    L = np.linalg.norm(start)
    if L == 0:
        return np.tile(R0, (*t.shape, 1, 1)), np.zeros((*t.shape, 3))

    # Near the separatrix the motion is exponentially sensitive to its distance from it (mc), and
    # to nothing else.  Rational arithmetic gives that number, a difference, without cancellation.
    b1, b2, b3 = (1 / Fraction(moment) for moment in J)
    g = b2 - b3, b1 - b3, b1 - b2
    Q1, Q2, Q3 = (Fraction(component) ** 2 for component in start)
    sign, excess = 1, g[0] * Q3 - g[2] * Q1
    if excess < 0:  # the polhode encircles the other extreme axis: number the axes backwards
        sign, excess, g, Q3 = -1, -excess, g[::-1], Q1
        J, V, start = J[::-1], V[:, ::-1], start[::-1]
    if np.linalg.det(V) < 0:  # Euler's equations hold in right-handed axes only
        V, start = V * [1, -1, 1], start * [1, -1, 1]
    rates = np.array(g, float)

    if (rates * start[[1, 2, 0]] * start[[2, 0, 1]]).any():  # dPi/dt, but for signs
        mc = float(g[1] * excess / (g[0] * (g[2] * Q2 + g[1] * Q3)))
        Pi, psi, axis = _tumble(sign, float(L), J, rates, mc, start, t)
    else:  # steady rotation: J^-1 Pi is parallel to Pi
        Pi, psi = np.broadcast_to(start, (*t.shape, 3)), np.linalg.norm(start / J) * t
        axis = int(np.argmin(abs(start)))

    spin = np.zeros((*t.shape, 3, 3))
    spin[..., 0, 0] = spin[..., 1, 1] = np.cos(psi)
    spin[..., 1, 0] = np.sin(psi)
    spin[..., 0, 1] = -spin[..., 1, 0]
    spin[..., 2, 2] = 1
    B = _frame(axis, Pi)
    R = R0 @ V @ _frame(axis, start) @ spin @ B.swapaxes(-1, -2) @ V.T
    return R, L * B[..., 2] @ V.T


def _frame(axis: int, Pi: Array) -> Array:
    """Rotations with columns e x p / |e x p|, p x (the first), p = Pi / |Pi|; e is a body axis."""
    p = Pi / np.linalg.norm(Pi, axis=-1, keepdims=True)
    first = np.cross(np.eye(3)[axis], p)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return np.stack([first, np.cross(p, first), p], axis=-1)


def _tumble(sign: int, L: float, J: Array, g: Array, mc: float, start: Array, t: Array) -> tuple[Array, Array, int]:
    """Pi(t), psi(t) and the reference axis of an unsteady motion, in principal axes."""
    (g1, g2, g3), (P1, P2, P3) = g, start
    A1, A3 = np.hypot(P1, np.sqrt(g1 / g2) * P2), np.hypot(P3, np.sqrt(g3 / g2) * P2)
    Lambda = np.sqrt(g1) * np.sqrt(g2) * A3

    # L^2 - Pi_r^2 = A^2 (1 - n sn^2 u) is at least L^2 / 2 for one of the axes r = 1, 3 because
    # A1^2 + A3^2 = L^2: with that r, both the frame B and the integral are well conditioned.
    if A3 >= A1:
        axis, way, mean_rate, A, ratio, n = 0, sign, L / J[2], A3, g1 / g2, -((A1 / A3) ** 2)
    else:
        axis, way, mean_rate, A, ratio, n = 2, -sign, L / J[0], A1, g3 / g2, -g3 / g1
    s, c, d, integral = _elliptic(Lambda * t, mc, n)

    # Addition theorems.  Their denominator 1 - m sn^2 u_0 s^2 is the sum of squares
    # c^2 + (dn u_0 s)^2; it is divided out one root at a time, as c, d and dn u_0 may all be tiny.
    root = np.hypot(c, P3 / A3 * s)
    sine, cosine, dr = P3 / A3 * s / root, c / root, d / root
    k = sign * np.sqrt(g1 / g2)
    Pi1 = P1 / root * cosine - k * P2 * sine * dr
    Pi2 = P2 * cosine * dr + P1 / root * sine / k
    Pi3 = P3 / root * dr - k * g3 / g1 * P2 / A3 * (P1 / root) * s * cosine

    # dpsi/dt = mean_rate + way L g2 |n| sn^2 u / (1 - n sn^2 u).  Integrating from u_0 instead of 0
    # adds, by the addition theorem of the third kind, one angle in (-pi/2, pi/2).
    shift = ratio * P2 * Pi2
    angle = np.arctan2(L * g2 / Lambda * shift * s, A**2 * (1 - n * s**2) + shift * c * d)
    psi = mean_rate * t + way * (angle - L * g2 / Lambda * n * integral)
    return np.stack([Pi1, Pi2, Pi3], axis=-1), psi, axis


def _elliptic(v: Array, mc: float, n: float) -> tuple[Array, Array, Array, Array]:
    """sn v, cn v, dn v and the integral of sn^2 / (1 - n sn^2) from 0 to v, for parameter 1 - mc.

    cn and dn keep their relative accuracy as mc -> 0, where both become exponentially small
    (scipy.special.ellipj takes m, which cannot tell such mc apart).
    """
    from scipy.special import elliprj

    if mc < np.finfo(float).tiny:  # separatrix: the period 4 K is infinite
        s, c = np.tanh(v), 2 * np.exp(-abs(v)) / (1 + np.exp(-2 * abs(v)))
        q = np.sqrt(-n)
        return s, c, c, (v - np.arctan(q * s) / q) / (1 - n)

    # Descending Landen transformations of the modulus, until the functions are circular.
    K, kc, moduli = np.pi / 2, np.sqrt(mc), []
    while (k := (1 - kc) / (1 + kc)) > 1e-16:
        moduli.append((k, 2 * kc / (1 + kc)))  # k and 1 - k
        K *= 1 + k
        kc = 2 * np.sqrt(kc) / (1 + kc)

    # Back up again: every sum has positive terms only.
    x = v * (np.pi / 2 / K)
    s, c, d = np.sin(x), np.cos(x), np.ones_like(x)
    for k, one_minus_k in reversed(moduli):
        q = 1 + k * s**2
        s, c, d = (1 + k) * s / q, c * d / q, (c**2 + one_minus_k * s**2) / q

    # Carlson's form of the integral from the nearest multiple of 2 K, plus the whole half periods.
    turns = np.rint(v / (2 * K))
    part = np.where(turns % 2 == 1, -s, s) ** 3 * elliprj(c**2, d**2, 1, 1 - n * s**2)
    return s, c, d, (2 * turns * elliprj(0, mc, 1, 1 - n) + part) / 3
