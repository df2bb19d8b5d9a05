"""The flows of `coupled.bodies`: the free motion of n attitudes, and the moments of couplings by matrices.

A state holds the attitudes, then the momenta, then the moments; while a step is computed, the workspace behind them
holds the Cayley parameters, so that a step that fails changes nothing.
"""

from __future__ import annotations

from typing import Any

from ...bodies.inertia import INERTIA_ENTRIES
from ...core.manifolds import Euclidean, Rotations
from ...core.parameters import ParameterLayout
from ...geometry.increments.free_rotation import PRINCIPAL, exact_increment
from ...geometry.increments.linear_terms import solve_linear_increment_
from ...geometry.increments.rigid import solve_increment_
from ...geometry.so3 import vee2_
from ...geometry.stable_products import cayley_turn, push_and_turn, turn_matrix, turn_vector
from ...geometry.vectors import add, apply, apply_symmetric, cross, multiply, scale, subtract, times_hat, transpose
from ...scalars import flow, get3, get9, kernel, par3, par6, par9, put3, put9, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS, par_int, record

# how many bodies, then the numbers of each, how many couplings, then the numbers of each
HEADER = ParameterLayout(bodies=1)
BODY = ParameterLayout(**INERTIA_ENTRIES.sizes, a=3, D=9)
COUPLINGS = ParameterLayout(couplings=1)
COUPLING = ParameterLayout(i=1, j=1, C=9)
(BODIES,), FIRST_BODY, BODY_SIZE = HEADER.offsets("bodies"), HEADER.end, BODY.size
INERTIA, INVERSE_INERTIA, ROTOR, DAMPING = BODY.offsets("J", "J_inverse", "a", "D")
FIRST_COUPLING, COUPLING_SIZE = COUPLINGS.end, COUPLING.size
FIRST, SECOND, MATRIX = COUPLING.offsets("i", "j", "C")
ENTRIES, COMPONENTS = Rotations().size, Euclidean(3).size  # of an attitude, and of a momentum
NO_FIELD = (0.0, 0.0, 0.0)
NO_CHARGE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def attitude_at(i: Any) -> Any:
    """Where the attitude of body i is found."""
    return ENTRIES * i


@kernel
def momentum_at(n: Any, i: Any) -> Any:
    """Where the momentum of body i of n is found."""
    return ENTRIES * n + COMPONENTS * i


@kernel
def moment_at(n: Any, i: Any) -> Any:
    """Where the slots for the moment on body i of n are."""
    return (ENTRIES + COMPONENTS) * n + COMPONENTS * i


@kernel
def increment_at(n: Any, i: Any) -> Any:
    """Where the Cayley parameter of body i of n is put while a step is computed."""
    return (ENTRIES + 2 * COMPONENTS) * n + COMPONENTS * i


@kernel
def body_at(i: Any) -> Any:
    """Where the parameters of body i begin."""
    return FIRST_BODY + BODY_SIZE * i


@kernel
def drift_each(S: Any, y: Any, p: Any, h: Any, report: Any, rotors: Any) -> int:
    """`R ↦ R F`, `Π ↦ Fᵀ(Π − ¼Dv) − ¼Dv`, v = vee(F − Fᵀ), for every body. `rotors` is None where no body has a rotor or is
    damped: then the equation for F is simpler."""
    n = par_int(p, BODIES, S)
    for i in range(n):
        k = body_at(i)
        Pi = get3(y, momentum_at(n, i), S)
        if rotors is None:
            c, iterations, defect, failed = solve_increment_(
                par6(p, k + INERTIA, S), par6(p, k + INVERSE_INERTIA, S), scale(h, Pi)
            )
        else:
            a = par3(p, k + ROTOR, S)
            c, iterations, defect, failed = solve_linear_increment_(
                par6(p, k + INERTIA, S), subtract(Pi, a), h, a, NO_CHARGE, NO_FIELD, par9(p, k + DAMPING, S)
            )
        record(report, iterations, defect)
        if failed:
            return NO_SOLUTION
        put3(y, increment_at(n, i), S, c)
    for i in range(n):
        turn = cayley_turn(get3(y, increment_at(n, i), S))
        turn_matrix(S, y, attitude_at(i), turn)
        if rotors is None:
            turn_vector(S, y, momentum_at(n, i), turn)
        else:
            impulse = scale(-0.5, apply(par9(p, body_at(i) + DAMPING, S), turn[0:3]))
            push_and_turn(S, y, momentum_at(n, i), turn, impulse, impulse)
    return SUCCESS


@flow
def drift_bodies(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The step of bodies without rotors."""
    return drift_each(S, y, p, h, report, None)


@flow
def drift_rotors(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The step of bodies of which some have rotors, or are damped."""
    return drift_each(S, y, p, h, report, True)


@flow
def exact_drift_bodies(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The true free motion of every body; parameters: n, then the principal numbers of each."""
    n = par_int(p, BODIES, S)
    for i in range(n):
        E = exact_increment(p, FIRST_BODY + PRINCIPAL * i, S, get3(y, momentum_at(n, i), S), h)
        turn_matrix(S, y, attitude_at(i), E)
        turn_vector(S, y, momentum_at(n, i), E)
    return SUCCESS


@rate
def rhs_bodies(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """`Ṙ = R S(ω)`, `Π̇ = Π × ω − Dω`, `ω = J⁻¹ (Π − a)` for every body."""
    n = par_int(p, BODIES, S)
    for i in range(n):
        k = body_at(i)
        Pi = get3(y, momentum_at(n, i), S)
        omega = apply_symmetric(par6(p, k + INVERSE_INERTIA, S), subtract(Pi, par3(p, k + ROTOR, S)))
        put9(dy, attitude_at(i), S, times_hat(get9(y, attitude_at(i), S), omega))
        put3(dy, momentum_at(n, i), S, subtract(cross(Pi, omega), apply(par9(p, k + DAMPING, S), omega)))
    return SUCCESS


@flow
def pair_moments(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The moments of `U = −Σ tr(Cᵀ Rᵢᵀ Rⱼ)`; after the bodies, p holds the number of pairs, and i, j and C of each."""
    n = par_int(p, BODIES, S)
    list_at = body_at(n)
    for i in range(n):
        put3(y, moment_at(n, i), S, (0.0, 0.0, 0.0))
    for pair in range(par_int(p, list_at, S)):
        k = list_at + FIRST_COUPLING + COUPLING_SIZE * pair
        i, j, C = par_int(p, k + FIRST, S), par_int(p, k + SECOND, S), par9(p, k + MATRIX, S)
        Q = multiply(transpose(get9(y, attitude_at(i), S)), get9(y, attitude_at(j), S))
        slot_i, slot_j = moment_at(n, i), moment_at(n, j)
        put3(y, slot_i, S, add(get3(y, slot_i, S), vee2_(multiply(Q, transpose(C)))))
        put3(y, slot_j, S, add(get3(y, slot_j, S), vee2_(multiply(transpose(Q), C))))
    return SUCCESS
