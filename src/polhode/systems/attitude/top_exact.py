"""Closed-form motion of Lagrange's top: a symmetric body about a fixed point of its axis, in uniform gravity.

`k` the body's axis, `I₁` and `I₃` the moments across and along it, `Γ = Rᵀe₃`, `z = Γ·k`, `U = −W z` with W > 0; conserved:
`p₃ = Π·k`, `p = Π·Γ`, and the energy. The nutation is `z = z₃ − (z₃ − z₂) sn²u`, `u = u₀ + Λt`, with the roots
`z₁ ≤ −1 ≤ z₂ ≤ z₃ ≤ 1` of

    ż² = f(z) = (2/I₁)(1 − z²)(E′ + W z) − ((p − p₃z)/I₁)²,    Λ² = W (z₃ − z₁)/2I₁,   m = (z₃ − z₂)/(z₃ − z₁).

The attitude is carried by the Cayley–Klein parameters `A = cos(θ/2) e^{i(φ+ψ)/2}` and `B = sin(θ/2) e^{i(φ−ψ)/2}`, the parts
w + iz and x + iy of a quaternion. Each has one elliptic integral of the third kind in its phase (F. Klein, A. Sommerfeld,
Über die Theorie des Kreisels, 1897),

    (arg A)˙ = ½ p₃ (1/I₃ − 1/I₁) + (p + p₃)/(2I₁(1 + z)),    (arg B)˙ = −½ p₃ (1/I₃ − 1/I₁) + (p − p₃)/(2I₁(1 − z)),

and its factor is just ±κ, so that the phases are those of `elliptic`. Where p = p₃ the top passes through the upper vertical
and B is a multiple of sn u; where p = −p₃, A is one of cn u or dn u. What depends on the state alone is found in 60
digits, once: so near any of the special cases nothing is lost.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.system import ClosedForm, State
from ...geometry import unchecked
from ...geometry.elliptic import Landen, descend, functions
from ...geometry.vectors import dot
from ...scalars import compiled, kernel

Array = NDArray[np.float64]
DIGITS = 60
ZERO = 1e-40  # beside numbers of order one, in 60 digits
GENERAL, SINE, COSINE = 0, 1, 2


class Part(NamedTuple):
    """A or B: how it moves, its phase at u₀ = 0 and that phase's rate, the sense of the integral, `(p ± p₃)/I₁`."""

    kind: int
    phase: float
    rate: float
    sense: float
    drive: float


class Nutation(NamedTuple):
    """u₀, Λ, z₃ − z₂, 1 + z₂ and 1 − z₃."""

    u0: float
    Lambda: float
    swing: float
    low: float
    high: float


Constants = tuple[Nutation, Part, Part, Landen, Landen, float, float]


def top_motion(axis: Array, weight: float, across: float, along: float, state: State) -> ClosedForm:
    """R and Π as functions of the times: `axis` a unit vector of the body, `weight` W > 0 in `U = −W e₃·R axis`, the moments
    of inertia across and along the axis."""
    import mpmath

    frame = _frame(axis)
    q0 = unchecked.from_matrix(state.R @ frame)
    with mpmath.workdps(DIGITS):
        number = mpmath.mpf
        x, y, z, w = (number(float(v)) for v in q0)
        norm = mpmath.sqrt(x * x + y * y + z * z + w * w)
        A, B = mpmath.mpc(w, z) / norm, mpmath.mpc(x, y) / norm
        Pi = [number(float(v)) for v in state.Pi @ frame]
        constants = _constants(A, B, Pi, number(weight), number(across), number(along))
    t0 = state.t

    def motion(t: Array) -> dict[str, Array]:
        times = np.ascontiguousarray(t - t0)
        R, out = np.empty((*times.shape, 3, 3)), np.empty((*times.shape, 3))
        _fill(times.reshape(-1), *constants, frame, R.reshape(-1, 3, 3), out.reshape(-1, 3))
        return {"R": R, "Pi": out}

    return motion


def _frame(axis: Array) -> Array:
    """A rotation whose third column is the axis."""
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(axis, first), axis], axis=-1)


def _constants(A: Any, B: Any, Pi: Any, W: Any, I1: Any, I3: Any) -> Constants:
    """What `_fill` takes, in multiprecision until the end."""
    import mpmath

    # Γ in the frame of the axis: the last row of the rotation of the quaternion x + iy = B, w + iz = A
    across = 2 * mpmath.conj(A) * B * mpmath.mpc(0, 1)
    gamma = (mpmath.re(across), mpmath.im(across))
    z0 = abs(A) ** 2 - abs(B) ** 2
    p3, p = Pi[2], Pi[0] * gamma[0] + Pi[1] * gamma[1] + Pi[2] * z0
    speed = (Pi[1] * gamma[0] - Pi[0] * gamma[1]) / I1  # ż = Π·(k × Γ)/I₁
    kinetic = (Pi[0] ** 2 + Pi[1] ** 2) / (2 * I1)
    # f about z₀: speed² + f₁ζ + q₂ζ² − (2W/I₁) ζ³
    slope = 2 / I1 * (-2 * z0 * kinetic + (1 - z0**2) * W) + 2 * p3 * (p - p3 * z0) / I1**2
    curve = -(2 * kinetic + 4 * z0 * W) / I1 - (p3 / I1) ** 2
    scale = kinetic / I1 + W / I1 + (p3 / I1) ** 2
    delta, plus, minus = p3 / I3 - p3 / I1, (p + p3) / I1, (p - p3) / I1
    if abs(slope) < ZERO * scale and speed**2 < ZERO * scale:  # a steady precession, or the sleeping top
        level = descend(1.0, 0.0, 0.0)
        parts = []
        for q, drive, room, sign in ((A, plus, 1 + z0, 1), (B, minus, 1 - z0, -1)):
            turning = drive / (2 * room) if room > ZERO else 0
            parts.append(Part(GENERAL, float(mpmath.arg(q)), float(sign * delta / 2 + turning), 0.0, float(drive)))
        nutation = Nutation(0.0, 1.0, 0.0, float(1 + z0), float(1 - z0))
        return nutation, parts[0], parts[1], level, level, float(I1), float(p3)
    roots = mpmath.polyroots([-2 * W / I1, curve, slope, speed**2], maxsteps=500, extraprec=500)
    z1, z2, z3 = sorted(z0 + mpmath.re(root) for root in roots)
    z1, z2, z3 = min(z1, mpmath.mpf(-1)), min(max(z2, mpmath.mpf(-1)), z0), max(min(z3, mpmath.mpf(1)), z0)
    swing, span = z3 - z2, z3 - z1
    Lambda, m, mc = mpmath.sqrt(W * span / (2 * I1)), swing / span, (z2 - z1) / span
    mc = mc if mc > ZERO else mpmath.mpf(0)
    sine = mpmath.sqrt(min((z3 - z0) / swing, mpmath.mpf(1))) * (-1 if speed > 0 else 1)
    u0 = mpmath.ellipf(mpmath.asin(sine), m)
    parts, levels = [], []
    for q, drive, edge, sign in ((A, plus, 1 + z3, 1), (B, minus, 1 - z3, -1)):
        rate, kind, sense = sign * delta / 2, GENERAL, mpmath.sign(drive)
        n, eta = mpmath.mpf(0), mpmath.mpf(0)
        if drive**2 > ZERO * scale:
            n, eta = sign * swing / edge, -sign * edge / span
        else:  # it passes through zero, as sn or cn, or else it is a multiple of dn
            sense = mpmath.mpf(0)
            if sign < 0:
                kind = SINE
                q = q * mpmath.sign(u0) if abs(q) ** 2 > ZERO else _velocity(A, B, Pi, I1, I3)[1]
            elif z2 + 1 < ZERO < mc:
                kind = COSINE
                q = q if abs(q) ** 2 > ZERO else -_velocity(A, B, Pi, I1, I3)[0] * mpmath.sign(u0)
        landen = descend(mc, n, eta, mpmath.sqrt)
        phase = mpmath.arg(q)
        if sense:
            kappa = mpmath.sqrt((1 - n) * (1 + eta))
            phase += sense * (landen.whole * u0 - kappa * mpmath.ellippi(n, mpmath.asin(sine), m))
            rate += sense * landen.whole * Lambda
        parts.append(Part(kind, float(mpmath.fmod(phase, 2 * mpmath.pi)), float(rate), float(sense), float(drive)))
        levels.append(landen)
    nutation = Nutation(float(u0), float(Lambda), float(swing), float(1 + z2), float(1 - z3))
    return nutation, parts[0], parts[1], levels[0], levels[1], float(I1), float(p3)


def _velocity(A: Any, B: Any, Pi: Any, I1: Any, I3: Any) -> tuple[Any, Any]:
    """Ȧ and Ḃ: `2 q̇ = q ω`."""
    import mpmath

    omega, spin = mpmath.mpc(Pi[0], Pi[1]) / I1, mpmath.mpc(0, Pi[2] / I3)
    return (spin * A - B * mpmath.conj(omega)) / 2, (A * omega - spin * B) / 2


@kernel
def _moved(part: Part, t: float, cosine: float, sine: float) -> complex:
    """The unit complex number of the phase at t, given that of the integral's periodic part."""
    angle = part.phase + part.rate * t
    turn = complex(math.cos(angle), math.sin(angle))
    return turn * complex(cosine, part.sense * sine) if part.sense != 0.0 else turn


@compiled
def _fill(
    t: Array,
    nutation: Nutation,
    first: Part,
    second: Part,
    first_levels: Landen,
    second_levels: Landen,
    I1: float,
    p3: float,
    frame: Array,
    R: Array,
    Pi: Array,
) -> None:
    """R and Π at the times t. `frame` leads from the frame of the axis, in which they are found, to that of the body."""
    swing, Lambda = nutation.swing, nutation.Lambda
    amplitude = math.sqrt(0.5 * swing)
    for i in range(t.shape[0]):
        u = nutation.u0 + Lambda * t[i]
        s, c, d, a, b = functions(u, first_levels)
        A = _moved(first, t[i], a, b)
        s, c, d, a, b = functions(u, second_levels)
        B = _moved(second, t[i], a, b)
        above, below = 0.5 * (nutation.low + swing * c * c), 0.5 * (nutation.high + swing * s * s)  # |A|² and |B|²
        speed = -0.5 * swing * Lambda * s * c * d  # ż/4
        # the parts of Ȧ and Ḃ that are due to the motion of the axis
        if first.kind == COSINE:
            A, dA = amplitude * c * A, -amplitude * Lambda * s * d * A
        else:
            dA = complex(speed, 0.25 * first.drive) / math.sqrt(above) * A if above > 0.0 else 0.0 * A
            A = math.sqrt(above) * A
        if second.kind == SINE:
            B, dB = amplitude * s * B, amplitude * Lambda * c * d * B
        else:
            dB = complex(-speed, 0.25 * second.drive) / math.sqrt(below) * B if below > 0.0 else 0.0 * B
            B = math.sqrt(below) * B
        omega = 2.0 * (A.conjugate() * dB - dA.conjugate() * B)
        momentum = I1 * omega.real, I1 * omega.imag, p3
        size = 1.0 / math.sqrt(A.real * A.real + A.imag * A.imag + B.real * B.real + B.imag * B.imag)
        w, z, x, y = size * A.real, size * A.imag, size * B.real, size * B.imag
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        )
        for k in range(3):
            axis = frame[k, 0], frame[k, 1], frame[k, 2]
            Pi[i, k] = dot(momentum, axis)
            for j in range(3):
                R[i, j, k] = dot(rows[j], axis)
