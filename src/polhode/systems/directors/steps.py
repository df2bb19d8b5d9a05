"""The motion of a body given by three directors: whole steps and right-hand sides, standard and non-twisting.

Letters and equation numbers as in `director_balance`, which solves for the rotation over a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.layout import Layout, Variable
from ...core.manifolds import Euclidean, Rotations
from ...core.representation import Form, Representation
from ...geometry.so3 import hat_, vee2_
from ...geometry.stable_products import cayley_increment, compose, turned_back
from ...geometry.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    dot,
    multiply,
    negate,
    scale,
    subtract,
    transpose,
)
from ...scalars import Flow, Rate, flow, get, get3, get9, kernel, par6, put, put3, put9, rate
from ...scalars.protocol import NO_SOLUTION
from ..attitude.base import MATRIX
from ..inputs.external_moment import body_moment
from ..inputs.transient_flow import TransientFlow, TransientRate
from .balance import diagonal, euler_inertia, full, increment, moment_halfway, plus, spatial_impulse, weighed

VELOCITIES = Layout(Variable("R", Rotations()), Variable("Pi", Euclidean(3)), Variable("stretch", Euclidean(6)))
SPLIT = Layout(Variable("R", Rotations()), Variable("pi_perp", Euclidean(3)), Variable("pi_par", Euclidean(0)))


@kernel
def symmetric_part(A: Matrix) -> Symmetric:
    return A[0], A[4], A[8], 0.5 * (A[5] + A[7]), 0.5 * (A[2] + A[6]), 0.5 * (A[1] + A[3])


@kernel
def turning(R: Matrix, omega: Vector) -> Matrix:
    """`R S(ω)`: row r of it is r × ω."""
    return cross(R[0:3], omega) + cross(R[3:6], omega) + cross(R[6:9], omega)


@kernel
def rates(J_inverse: Symmetric, Pi: Vector, twistless: Any) -> Vector:
    """`ω = J⁻¹ Π`; without its third component for the non-twisting body, whose axis d₃ is principal."""
    omega = apply_symmetric(J_inverse, Pi)
    if twistless:
        return omega[0], omega[1], 0.0 * omega[2]
    return omega


# --- steps ------------------------------------------------------------------------------------------------------------


@kernel
def energy_momentum_step(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any, moment: Any, twistless: Any) -> int:
    """One step of the energy–momentum scheme: (86)–(91) and, non-twisting, (92)–(95).

    The velocities follow from `Ṙ₁ = (2/h)(R₁ − R₀) − Ṙ₀`: they leave the tangent space of SO(3) by a stretch Σ of size
    h², which is carried along. The momentum is not computed from them, which would divide by h, but turned, as the
    force of constraint `−½ ν Q S(e₃)` and the moment leave it.
    """
    R, Pi = get9(y, 0, S), get3(y, 9, S)
    Sigma = get3(y, 12, S) + get3(y, 15, S)
    J = par6(p, 0, S)
    E = full(euler_inertia(J))
    omega = apply_symmetric(par6(p, 6, S), subtract(Pi, vee2_(multiply(full(Sigma), E))))
    V = plus(hat_(omega), 1.0, full(Sigma))
    N = multiply(V, E)
    A = plus(diagonal(h * (N[0] + N[4] + N[8])), 1.0, plus(full(scale(2.0, J[0:3]) + scale(2.0, J[3:6])), -h, N))
    c, failed = increment(S, p, t, h, R, Pi, scale(0.5 * h, omega), A, moment, False, twistless, report)
    if failed:
        return NO_SOLUTION
    M = moment_halfway(S, p, t, h, R, c, moment)
    pushed = add(Pi, scale(h, spatial_impulse(M, c)))
    cc = dot(c, c)
    if twistless:
        nu = 2.0 * (Pi[2] + dot(N[6:9], c)) + h * weighed(M, c, False)[2]
        s3 = nu / (1.0 + cc)
        pushed = (pushed[0] - s3 * c[1], pushed[1] + s3 * c[0], pushed[2] - s3)  # e₃ + c × e₃ = (c₂, −c₁, 1)
    F = cayley_increment(c)  # less the identity
    W = symmetric_part(multiply(transpose(F), V))
    b = 4.0 / (h * (1.0 + cc))
    put9(y, 0, S, compose(R, F))
    put3(y, 9, S, turned_back(F, pushed))
    put(y, 12, S, b * (cc - c[0] * c[0]) - Sigma[0] - W[0])
    put(y, 13, S, b * (cc - c[1] * c[1]) - Sigma[1] - W[1])
    put(y, 14, S, b * (cc - c[2] * c[2]) - Sigma[2] - W[2])
    put(y, 15, S, -b * c[1] * c[2] - Sigma[3] - W[3])
    put(y, 16, S, -b * c[0] * c[2] - Sigma[4] - W[4])
    put(y, 17, S, -b * c[0] * c[1] - Sigma[5] - W[5])
    return 0


@kernel
def lagrange_dalembert_step(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any, moment: Any, twistless: Any) -> int:
    """One step of the discrete Lagrange–d'Alembert equations (124)–(127), each half of the moment at its end.

    For the standard body and no moment this is the variational step of the free rigid body.
    """
    R, Pi = get9(y, 0, S), get3(y, 9, S)
    J = par6(p, 0, S)
    guess = scale(0.5 * h, rates(par6(p, 6, S), Pi, twistless))
    A = full(scale(2.0, J[0:3]) + scale(2.0, J[3:6]))
    c, failed = increment(S, p, t, h, R, Pi, guess, A, moment, True, twistless, report)
    if failed:
        return NO_SOLUTION
    M = moment_halfway(S, p, t, h, R, c, moment)
    first, second = scale(0.5 * h, weighed(M, c, True)), scale(0.5 * h, weighed(M, negate(c), True))
    F = cayley_increment(c)
    put9(y, 0, S, compose(R, F))
    if twistless:
        # at both ends of the step the momentum across d₃ is the same function of c
        put(y, 9, S, Pi[0] + (first[0] + second[0]))
        put(y, 10, S, Pi[1] + (first[1] + second[1]))
        put(y, 11, S, 0.0 * Pi[2])
    else:
        put3(y, 9, S, add(turned_back(F, add(Pi, first)), second))
    return 0


# --- right-hand sides -------------------------------------------------------------------------------------------------


@kernel
def body_rates(S: Any, y: Any, p: Any, t: Any, dy: Any, moment: Any, twistless: Any) -> int:
    """`Ṙ = R S(ω)` and `Π̇ = Π × ω + M`; for the non-twisting body `Π̇ = M` across d₃, which is (71a)."""
    R, Pi = get9(y, 0, S), get3(y, 9, S)
    omega = rates(par6(p, 6, S), Pi, twistless)
    M = body_moment(S, p, t, R, omega, moment)
    put9(dy, 0, S, turning(R, omega))
    if twistless:
        put(dy, 9, S, M[0])
        put(dy, 10, S, M[1])
        put(dy, 11, S, 0.0)
    else:
        put3(dy, 9, S, add(cross(Pi, omega), M))
    return 0


@kernel
def split_rates(S: Any, y: Any, p: Any, t: Any, dy: Any, moment: Any, twistless: Any) -> int:
    """The split form (51) and (71), in space: `∇π⊥ + π∥ ḋ₃ = m⊥` and `π̇∥ − π⊥·ḋ₃ = m∥`, or `∇π⊥ = m⊥` and `π∥ = 0`.

    ∇ is the covariant derivative along d₃ (5): π̇⊥ is ∇π⊥ and the part −(π⊥·ḋ₃) d₃ that keeps it tangent.
    """
    R, perp, par_ = get9(y, 0, S), get3(y, 9, S), get(y, 12, S)
    d3 = (R[2], R[5], R[8])
    Pi = apply_transposed(R, add(perp, scale(par_, d3)))
    omega = rates(par6(p, 6, S), Pi, twistless)
    turn = cross(apply(R, omega), d3)
    m = apply(R, body_moment(S, p, t, R, omega, moment))
    across = dot(m, d3)
    covariant = subtract(m, scale(across, d3))
    normal = dot(perp, turn)
    put9(dy, 0, S, turning(R, omega))
    if twistless:
        put3(dy, 9, S, subtract(covariant, scale(normal, d3)))
        put(dy, 12, S, 0.0)
    else:
        covariant = subtract(covariant, scale(par_, turn))
        put3(dy, 9, S, subtract(covariant, scale(normal, d3)))
        put(dy, 12, S, normal + across)
    return 0


def director_representations(twistless: bool, moment: Any = None) -> dict[str, Representation]:
    """The four ways to keep the motion, for a moment given as a kernel, or (None) as numbers among the parameters.

    The flows close over nothing but a truth value and None unless the user gave a function, so that the disk cache
    knows them again.
    """
    made: Callable[[Any], Flow] = flow if moment is None else TransientFlow
    made_rate: Callable[[Any], Rate] = rate if moment is None else TransientRate

    @made_rate
    def body(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
        return body_rates(S, y, p, t, dy, moment, twistless)

    @made_rate
    def split(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
        return split_rates(S, y, p, t, dy, moment, twistless)

    @made
    def energy_momentum(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        return energy_momentum_step(S, y, p, t, h, report, moment, twistless)

    @made
    def lagrange_dalembert(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        return lagrange_dalembert_step(S, y, p, t, h, report, moment, twistless)

    return {
        Form.DEFAULT: Representation(MATRIX, rhs=body),
        Form.SPLIT: Representation(SPLIT, rhs=split),
        Form.DIRECTOR_VELOCITIES: Representation(VELOCITIES, drift=energy_momentum),
        Form.DIRECTOR_MOMENTA: Representation(MATRIX, drift=lagrange_dalembert),
    }
