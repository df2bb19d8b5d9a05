"""The motion of a body given by three directors: whole steps and right-hand sides, standard and non-twisting.

Letters and equation numbers as in `balance`, which solves for the rotation over a step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...core.layout import Layout, Variable
from ...core.manifolds import Euclidean, Rotations
from ...core.representation import Form, Representation
from ...geometry.so3 import hat_, vee2_
from ...geometry.stable_products import cayley_increment, cayley_turn, compose, turned_back
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
    full,
    multiply,
    negate,
    scale,
    subtract,
    times_hat,
    transpose,
)
from ...scalars import Flow, Rate, flow, get, get3, get9, kernel, par6, put, put3, put9, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS
from ..attitude.base import (
    ATTITUDE,
    INERTIA,
    INVERSE_INERTIA,
    MATRIX,
    MOMENTUM,
    attitude_and_momentum,
    put_attitude_and_momentum,
    put_rates,
)
from ..inputs.external_moment import body_moment
from ..inputs.user_flow import GivenFunction, UserFlow, UserRate
from ..inputs.user_functions import remembered
from .balance import diagonal, euler_inertia, increment, moment_halfway, plus, spatial_impulse, weighed

VELOCITIES = Layout(Variable("R", Rotations()), Variable("Pi", Euclidean(3)), Variable("stretch", Euclidean(6)))
SPLIT = Layout(Variable("R", Rotations()), Variable("pi_perp", Euclidean(3)), Variable("pi_par", Euclidean(0)))
(STRETCH,) = VELOCITIES.offsets("stretch")
PERP, PAR = SPLIT.offsets("pi_perp", "pi_par")


@kernel
def symmetric_part(A: Matrix) -> Symmetric:
    """`½ (A + Aᵀ)`."""
    return A[0], A[4], A[8], 0.5 * (A[5] + A[7]), 0.5 * (A[2] + A[6]), 0.5 * (A[1] + A[3])


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
    R, Pi = attitude_and_momentum(S, y)
    Sigma = get3(y, STRETCH, S) + get3(y, STRETCH + 3, S)
    J = par6(p, INERTIA, S)
    E = full(euler_inertia(J))
    omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), subtract(Pi, vee2_(multiply(full(Sigma), E))))
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
    turn = cayley_turn(c)
    W = symmetric_part(multiply(transpose(cayley_increment(c)), V))
    b = 4.0 / (h * (1.0 + cc))
    diagonal_part = (
        b * (cc - c[0] * c[0]) - Sigma[0] - W[0],
        b * (cc - c[1] * c[1]) - Sigma[1] - W[1],
        b * (cc - c[2] * c[2]) - Sigma[2] - W[2],
    )
    rest = (
        -b * c[1] * c[2] - Sigma[3] - W[3],
        -b * c[0] * c[2] - Sigma[4] - W[4],
        -b * c[0] * c[1] - Sigma[5] - W[5],
    )
    put_attitude_and_momentum(S, y, compose(R, turn), turned_back(turn, pushed))
    put3(y, STRETCH, S, diagonal_part)
    put3(y, STRETCH + 3, S, rest)
    return SUCCESS


@kernel
def lagrange_dalembert_step(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any, moment: Any, twistless: Any) -> int:
    """One step of the discrete Lagrange–d'Alembert equations (124)–(127), each half of the moment at its end.

    For the standard body and no moment this is the variational step of the free rigid body.
    """
    R, Pi = attitude_and_momentum(S, y)
    J = par6(p, INERTIA, S)
    guess = scale(0.5 * h, rates(par6(p, INVERSE_INERTIA, S), Pi, twistless))
    A = full(scale(2.0, J[0:3]) + scale(2.0, J[3:6]))
    c, failed = increment(S, p, t, h, R, Pi, guess, A, moment, True, twistless, report)
    if failed:
        return NO_SOLUTION
    M = moment_halfway(S, p, t, h, R, c, moment)
    first, second = scale(0.5 * h, weighed(M, c, True)), scale(0.5 * h, weighed(M, negate(c), True))
    turn = cayley_turn(c)
    if twistless:
        # at both ends of the step the momentum across d₃ is the same function of c
        after = (Pi[0] + (first[0] + second[0]), Pi[1] + (first[1] + second[1]), 0.0 * Pi[2])
    else:
        after = add(turned_back(turn, add(Pi, first)), second)
    put_attitude_and_momentum(S, y, compose(R, turn), after)
    return SUCCESS


# --- right-hand sides -------------------------------------------------------------------------------------------------


@kernel
def body_rates(S: Any, y: Any, p: Any, t: Any, dy: Any, moment: Any, twistless: Any) -> int:
    """`Ṙ = R S(ω)` and `Π̇ = Π × ω + M`; for the non-twisting body `Π̇ = M` across d₃, which is (71a)."""
    R, Pi = attitude_and_momentum(S, y)
    omega = rates(par6(p, INVERSE_INERTIA, S), Pi, twistless)
    M = body_moment(S, p, t, R, omega, moment)
    if twistless:
        put_rates(S, dy, R, omega, M)
        put(dy, MOMENTUM + 2, S, 0.0)
    else:
        put_rates(S, dy, R, omega, add(cross(Pi, omega), M))
    return SUCCESS


@kernel
def split_rates(S: Any, y: Any, p: Any, t: Any, dy: Any, moment: Any, twistless: Any) -> int:
    """The split form (51) and (71), in space: `∇π⊥ + π∥ ḋ₃ = m⊥` and `π̇∥ − π⊥·ḋ₃ = m∥`, or `∇π⊥ = m⊥` and `π∥ = 0`.

    ∇ is the covariant derivative along d₃ (5): π̇⊥ is ∇π⊥ and the part −(π⊥·ḋ₃) d₃ that keeps it tangent.
    """
    R, perp, par_ = get9(y, ATTITUDE, S), get3(y, PERP, S), get(y, PAR, S)
    d3 = (R[2], R[5], R[8])
    Pi = apply_transposed(R, add(perp, scale(par_, d3)))
    omega = rates(par6(p, INVERSE_INERTIA, S), Pi, twistless)
    turn = cross(apply(R, omega), d3)
    m = apply(R, body_moment(S, p, t, R, omega, moment))
    across = dot(m, d3)
    covariant = subtract(m, scale(across, d3))
    normal = dot(perp, turn)
    put9(dy, ATTITUDE, S, times_hat(R, omega))
    if twistless:
        put3(dy, PERP, S, subtract(covariant, scale(normal, d3)))
        put(dy, PAR, S, 0.0)
    else:
        covariant = subtract(covariant, scale(par_, turn))
        put3(dy, PERP, S, subtract(covariant, scale(normal, d3)))
        put(dy, PAR, S, normal + across)
    return SUCCESS


@remembered
def director_representations(
    twistless: bool, moment: Any = None, user: GivenFunction | None = None
) -> dict[str, Representation]:
    """The four representations, for a moment given as a kernel, by the function of a `user`, or (None) as numbers among
    the parameters.

    The flows close over nothing but a truth value and None unless the user gave a function, so that the disk cache
    knows them again.
    """
    made: Callable[[Any], Flow] = flow if moment is None else partial(UserFlow, moment=user)
    made_rate: Callable[[Any], Rate] = rate if moment is None else partial(UserRate, moment=user)

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
