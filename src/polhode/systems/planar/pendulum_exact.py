"""Closed-form motion of the pendulum on a circle, `J θ̈ = A cos θ − B sin θ`, in Jacobi's elliptic functions.

With φ the angle from hanging, `ω₀² = |(A, B)|/J`, `c, s = cos φ/2, sin φ/2` and `v = φ̇/2ω₀`, the equations are those of a
free rigid body, and so is their solution from any state by the addition theorems:

    ċ = −ω₀ s v,   ṡ = ω₀ v c,   v̇ = −ω₀ c s;   s² + v² = k²,   s² + c² = 1.

Librations (k < 1), rotations (k > 1) and the separatrix differ only in which of c and v takes the part of cn.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...core.system import ClosedForm, State
from ...geometry.elliptic import Landen, descend, functions
from ...scalars import compiled

Array = NDArray[np.float64]


def swinging_motion(J: float, load: Array, state: State) -> ClosedForm:
    """z and p as functions of the times, for the moment of inertia J and `load` = (A, B)."""
    z0, p0, t0 = state.z, float(state.p), state.t
    strength, rate = math.hypot(*load), p0 / J
    if strength == 0.0:
        return lambda t: {"z": _turned(z0, rate * (t - t0)), "p": np.full(t.shape, p0)}
    down = load[::-1] / strength
    cosine, sine = float(z0 @ down), float(z0[1] * down[0] - z0[0] * down[1])
    if cosine > 0.0:
        c = math.sqrt(0.5 * (1.0 + cosine))
        s = 0.5 * sine / c
    else:
        s = math.copysign(math.sqrt(0.5 * (1.0 - cosine)), sine)
        c = 0.5 * sine / s
    w = math.sqrt(strength / J)
    v = 0.5 * rate / w
    if v == 0.0 and s * c == 0.0:
        return lambda t: {"z": np.tile(z0, (*t.shape, 1)), "p": np.zeros(t.shape)}
    # 1 − k², without cancellation
    excess = (c - v) * (c + v)
    libration = excess > 0.0
    k = math.hypot(s, v)
    landen = descend(excess, 0.0, 0.0) if libration else descend(-excess / k**2, 0.0, 0.0)
    start = (v, s, c) if libration else (c, s, v)

    def motion(t: Array) -> dict[str, Array]:
        times = np.ascontiguousarray(t - t0)
        z, p = np.empty((*times.shape, 2)), np.empty(times.shape)
        _fill(times.reshape(-1), start, libration, 1.0 if libration else k, w, landen, z.reshape(-1, 2), p.reshape(-1))
        turned = np.stack([z[..., 0] * down[0] - z[..., 1] * down[1], z[..., 1] * down[0] + z[..., 0] * down[1]], -1)
        return {"z": turned, "p": 2.0 * J * w * p}

    return motion


def _turned(z: Array, angle: Array) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * z[0] - s * z[1], s * z[0] + c * z[1]], axis=-1)


@compiled
def _fill(
    t: Array, start: tuple[float, float, float], libration: bool, k: float, w: float, landen: Landen, z: Array, p: Array
) -> None:
    """The point (cos φ, sin φ) and v at the times t."""
    x0, s0, y0 = start
    for i in range(t.shape[0]):
        sn, cn, dn, _, _ = functions(k * w * t[i], landen)
        sn /= k
        # the denominator of the addition theorems, 1 − s₀² sn², is a sum of squares; it is divided out one root at a time
        root = math.hypot(cn, y0 * sn)
        sine, cosine, d = y0 * sn / root, cn / root, dn / root
        x = x0 / root * cosine - s0 * sine * d
        s = s0 * cosine * d + x0 / root * sine
        y = y0 / root * d - x0 / root * s0 * sn * cosine
        c, v = (y, x) if libration else (x, y)
        size = c * c + s * s
        z[i, 0], z[i, 1], p[i] = (c * c - s * s) / size, 2.0 * s * c / size, v
