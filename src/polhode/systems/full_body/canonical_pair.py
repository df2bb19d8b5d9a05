"""Two bodies in canonical variables: the relative place in space, both attitudes, the mass centre, and their momenta.

With `x = R₂X`, `R₁ = R₂R`, the centre `c = x₂ + (m₁/m) x` and m = m₁ + m₂, the momenta are `P = R₂Γ` (the reduced mass times
the relative velocity), Π₁ = RᵀΠ and Π₂ in the bodies' frames, and that of the centre. Perturbations and tides act on the
centre too, and on each body where it is: then the variables are those of the inertial problem.

Rows of numbers may be complex: a tangent vector, made small, in the imaginary part is carried along.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout, Variable
from ...core.manifolds import Euclidean, Rotations
from ...core.representation import Canonical, Form, Representation
from ...geometry.vectors import (
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    dot,
    multiply,
    negate,
    scale,
    transpose,
)
from ...gravity import moment_on_second, relative_gravity
from ...scalars import Flow, flow, get3, get9, par6, put, put3, rate
from ...scalars.protocol import SUCCESS
from .relative_flows import BLOCK, J1_INVERSE, J2_INVERSE, RELATIVE, masses

if TYPE_CHECKING:
    from .relative import FullTwoBodyProblem

Array = NDArray[np.float64]

CANONICAL = Layout(
    Variable("x", Euclidean(3)),
    Variable("R1", Rotations()),
    Variable("R2", Rotations()),
    Variable("centre", Euclidean(3)),
    Variable("P", Euclidean(3), kicked=True),
    Variable("Pi1", Euclidean(3), kicked=True),
    Variable("Pi2", Euclidean(3), kicked=True),
    Variable("momentum", Euclidean(3), kicked=True),
)
X, R1, R2, CENTRE = CANONICAL.offsets("x", "R1", "R2", "centre")
P, PI1, PI2, MOMENTUM = CANONICAL.offsets("P", "Pi1", "Pi2", "momentum")
ON_P, ON_PI1, ON_PI2, ON_MOMENTUM = CANONICAL.force_slots("P", "Pi1", "Pi2", "momentum")
WORK = CANONICAL.size + CANONICAL.forces


@rate
def pair_rates(S: Any, y: Any, p: Any, t: Any, dy: Any, report: Any) -> int:
    """The motion without gravity."""
    m1, m2 = masses(S, p)
    put3(dy, X, S, scale((m1 + m2) / (m1 * m2), get3(y, P, S)))
    put3(dy, CENTRE, S, scale(1.0 / (m1 + m2), get3(y, MOMENTUM, S)))
    omega1 = apply_symmetric(par6(p, J1_INVERSE, S), get3(y, PI1, S))
    omega2 = apply_symmetric(par6(p, J2_INVERSE, S), get3(y, PI2, S))
    for k in range(3):
        put3(dy, R1 + 3 * k, S, cross(get3(y, R1 + 3 * k, S), omega1))
        put3(dy, R2 + 3 * k, S, cross(get3(y, R2 + 3 * k, S), omega2))
    put3(dy, P, S, scale(0.0, omega1))
    put3(dy, PI1, S, cross(get3(y, PI1, S), omega1))
    put3(dy, PI2, S, cross(get3(y, PI2, S), omega2))
    put3(dy, MOMENTUM, S, scale(0.0, omega1))
    return SUCCESS


@cache
def gravity_flows(gravity: Any) -> tuple[Flow, Flow]:
    """The force and the energy of a pair with this kernel of gravity."""

    @flow
    def pair_force(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any) -> int:
        """What mutual gravity does to the momenta."""
        A2 = get9(y, R2, S)
        place, relative = apply_transposed(A2, get3(y, X, S)), multiply(transpose(A2), get9(y, R1, S))
        _, F, M = relative_gravity(S, gravity, place, relative, p, BLOCK, y, WORK)
        put3(y, ON_P, S, negate(apply(A2, F)))
        put3(y, ON_PI1, S, negate(apply_transposed(relative, M)))
        put3(y, ON_PI2, S, moment_on_second(place, F, M))
        put3(y, ON_MOMENTUM, S, scale(0.0, F))
        return SUCCESS

    @flow
    def pair_energy(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any) -> int:
        """The energy: that of the relative motion, of the centre and of both rotations, and the mutual potential."""
        m1, m2 = masses(S, p)
        A2, Pi1, Pi2 = get9(y, R2, S), get3(y, PI1, S), get3(y, PI2, S)
        place, relative = apply_transposed(A2, get3(y, X, S)), multiply(transpose(A2), get9(y, R1, S))
        U, _, _ = relative_gravity(S, gravity, place, relative, p, BLOCK, y, WORK)
        push, total = get3(y, P, S), get3(y, MOMENTUM, S)
        moving = dot(push, push) * (m1 + m2) / (m1 * m2) + dot(total, total) / (m1 + m2)
        turning = dot(Pi1, apply_symmetric(par6(p, J1_INVERSE, S), Pi1))
        turning = turning + dot(Pi2, apply_symmetric(par6(p, J2_INVERSE, S), Pi2))
        put(y, ON_P, S, 0.5 * (moving + turning) + U)
        return SUCCESS

    return pair_force, pair_energy


def canonical_pair(system: FullTwoBodyProblem) -> Canonical:
    """The canonical variables of a pair."""
    m1, m2 = system.m1, system.m2
    if system.perturbations or system.tides:
        inertial = system.inertial()
        return Canonical(
            inertial.representations[Form.DEFAULT],
            inertial.parameters(),
            lambda y: np.concatenate(_both(y, m1, m2), axis=-1),
            lambda z: _relative(_split(z, (3, 3, 9, 9, 3, 3, 3, 3)), m1, m2),
            attractions=inertial.canonical().attractions,
        )
    part, other = m1 / (m1 + m2), m2 / (m1 + m2)

    def enter(y: Array) -> Array:
        x1, x2, A1, A2, g1, g2, Pi1, Pi2 = _both(y, m1, m2)
        columns = (x1 - x2, A1, A2, part * x1 + other * x2, other * g1 - part * g2, Pi1, Pi2, g1 + g2)
        return np.concatenate(columns, axis=-1)

    def leave(z: Array) -> Array:
        x, A1, A2, centre, P, Pi1, Pi2, total = _split(z, (3, 9, 9, 3, 3, 3, 3, 3))
        places = (centre + other * x, centre - part * x)
        return _relative((*places, A1, A2, part * total + P, other * total - P, Pi1, Pi2), m1, m2)

    pair_force, pair_energy = gravity_flows(system.pairs.kernel)
    representation = Representation(CANONICAL, force=pair_force, rhs=pair_rates, workspace=system.pairs.workspace)
    attractions = [(X, -1, system.G * (m1 + m2))]
    return Canonical(
        representation, system.parameters(), enter, leave, free=("centre",), attractions=attractions, energy=pair_energy
    )


def _split(z: Array, sizes: tuple[int, ...]) -> tuple[Array, ...]:
    return tuple(np.split(z, np.cumsum(sizes)[:-1], axis=-1))


def _turn(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)


def _square(A: Array) -> Array:
    return A.reshape(*A.shape[:-1], 3, 3)


def _flat(A: Array) -> Array:
    return A.reshape(*A.shape[:-2], 9)


def _both(y: Array, m1: float, m2: float) -> tuple[Array, ...]:
    """x, R, γ and Π of both bodies, inertial, from rows of relative ones."""
    v = {name: y[..., part] for name, part in RELATIVE.slices.items()}
    A, A2 = _square(v["R"]), _square(v["R2"])
    arm, push = _turn(A2, v["X"]), _turn(A2, v["Gamma"])
    g1 = (m1 / m2) * v["gamma2"] + ((m1 + m2) / m2) * push
    Pi1 = _turn(np.swapaxes(A, -1, -2), v["Pi"])
    return v["x2"] + arm, v["x2"], _flat(A2 @ A), v["R2"], g1, v["gamma2"], Pi1, v["Pi2"]


def _relative(both: tuple[Array, ...], m1: float, m2: float) -> Array:
    """Rows of relative variables: the inverse of `_both`."""
    x1, x2, A1, A2, g1, g2, Pi1, Pi2 = both
    back = np.swapaxes(_square(A2), -1, -2)
    A = back @ _square(A1)
    values = {
        "X": _turn(back, x1 - x2),
        "R": _flat(A),
        "x2": x2,
        "R2": A2,
        "Gamma": _turn(back, (m2 * g1 - m1 * g2) / (m1 + m2)),
        "Pi": _turn(A, Pi1),
        "Pi2": Pi2,
        "gamma2": g2,
    }
    return np.concatenate([values[v.name] for v in RELATIVE.variables], axis=-1)
