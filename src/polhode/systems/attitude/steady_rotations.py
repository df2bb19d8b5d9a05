"""Rotations at a constant rate about an axis of space, of a body in a potential that is symmetric about it.

With `ω = Ω Rᵀn` the momentum Π(R, ω) in the body is constant where `Π × ω + ∂ξL = 0`: three equations for the attitude, of
which one of the circle of solutions about n is returned. At Ω = 0 they are the equations of rest. The right-hand side of
the system gives them, and dual numbers their derivative.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...core.representation import Form
from ...geometry import so3
from ..stability.equilibrium_search import (
    GENERATORS,
    attitude_distance,
    balanced_attitudes,
    cube_attitudes,
    right_handed,
)
from .base import AttitudeSystem

Array = NDArray[np.float64]
Momentum = Callable[[Array, Array], tuple[Array, Array, Array]]
"""Of an attitude R and a rate ω: Π, ∂Π/∂ω and the derivative of Π along the group, each 3 × 3."""


def steady_attitudes(
    system: AttitudeSystem,
    momentum: Momentum,
    energy: Callable[[Array, Array], float],
    axis: Array | None,
    Omega: float,
) -> list[Array]:
    """The attitudes that Newton's method finds, from those that bring the body's axes to those of space and from random
    ones. `energy(R, ω)` is `U − ½ ω·Jω − ω·A`, the opposite of L; an `axis` of None stands for no symmetry, at rest."""
    from ..stability.tangent_dynamics import slope_and_derivative

    representation, p = system.representations[Form.DEFAULT], system.parameters()
    kicked = representation.layout.kicked
    n = np.zeros(3) if axis is None else axis

    def balance(R: Array) -> tuple[Array, Array]:
        (A,) = R
        Gamma = A.T @ n
        Pi, by_rate, by_turn = momentum(A, Omega * Gamma)
        seeds = np.concatenate([(A @ GENERATORS).reshape(3, 9).T, by_rate @ (Omega * so3.hat(Gamma)) + by_turn])
        slope, changes = slope_and_derivative(representation, np.concatenate([A.reshape(9), Pi]), seeds, p, 0.0)
        return slope[kicked], changes[kicked]

    def same(R: Array, other: Array) -> float:
        return attitude_distance(R, other) if axis is None else float(np.abs(R[0].T @ axis - other[0].T @ axis).max())

    cube, principal = np.array(cube_attitudes())[:, None], right_handed(system.inertia.axes)
    found = balanced_attitudes(
        balance,
        list(cube),
        list(cube @ principal.T),
        lambda R: energy(R[0], Omega * R[0].T @ n),
        same,
        symmetry=0 if axis is None else 1,
    )
    return [R[0] for R in found]
