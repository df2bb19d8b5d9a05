"""The axes about which a body and what acts on it are symmetric, found from the equations.

A turn of space about n changes a Lagrangian L(R, ω) at the rate `n·R ∂ξL`, a turn of the body about n at the rate
`n·(∂ξL − ω × ∂L/∂ω)`. Where one of them vanishes, `n·RΠ` or `n·Π` is conserved (Noether). For a formula of smooth
functions it vanishes identically if it does so at some states in general position: these are drawn once and for all, and
zero is 1e-11 of the terms that add up to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.system import Invariant
from ...geometry import so3

Array = NDArray[np.float64]
TRIALS, ZERO = 16, 1e-11
ALL, IN_SPACE = "spatial_momentum", "momentum_along_axis"  # about every axis of space, and about one
ALL_OF_BODY, IN_BODY = "body_momentum", "axial_momentum"  # the same of axes of the body


def trial_states() -> tuple[Array, Array]:
    """Attitudes (n, 3, 3) and rates (n, 3) in general position."""
    random = np.random.default_rng(1)
    return so3.exp(random.uniform(-2.0, 2.0, (TRIALS, 3))), random.uniform(-1.0, 1.0, (TRIALS, 3))


def axes_across(vectors: Array, size: float) -> Array:
    """The unit vectors to which all `vectors` (n, 3) are orthogonal, as rows; zero is measured by `size`.

    >>> axes_across(np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), 1.0)
    array([[0., 0., 1.]])
    """
    # three rows at least: of fewer vectors there would be fewer sizes than directions
    _, sizes, directions = np.linalg.svd(np.concatenate([vectors, np.zeros((3, 3))]), full_matrices=False)
    axes = directions[sizes <= ZERO * size * np.sqrt(len(vectors))]
    axes = np.where(np.abs(axes) < ZERO, 0.0, axes)
    return np.array([axis * np.sign(axis[np.argmax(np.abs(axis))]) for axis in axes]).reshape(-1, 3)


def symmetry_axes(R: Array, omega: Array, Pi: Array, slope: Array) -> tuple[Array, Array]:
    """The axes of symmetry in space and in the body, as rows, of a Lagrangian with `Pi = ∂L/∂ω` and `slope = ∂ξL` at these
    states: none, one or three of each."""
    turning = np.cross(omega, Pi)
    if not (np.isfinite(slope).all() and np.isfinite(turning).all()):  # a formula that is not defined at all attitudes
        return np.zeros((0, 3)), np.zeros((0, 3))
    size = float(np.abs(slope).max() + np.abs(turning).max())
    return axes_across(np.einsum("nij,nj->ni", R, slope), size), axes_across(slope - turning, size)


def named_momenta(in_space: Array, in_body: Array) -> dict[str, Invariant]:
    """The momenta that are conserved for these axes."""
    found: dict[str, Invariant] = {}
    if len(in_space) == 3:
        found[ALL] = Invariant("momentum", "angular momentum in the inertial frame, R Π")
    elif len(in_space) == 1:
        found[IN_SPACE] = Invariant("momentum", f"angular momentum about the axis n = {_text(in_space[0])}, Π·Rᵀn")
    if len(in_body) == 3:
        found[ALL_OF_BODY] = Invariant("momentum", "angular momentum in the body frame, Π")
    elif len(in_body) == 1:
        found[IN_BODY] = Invariant("momentum", f"angular momentum along the body's axis n = {_text(in_body[0])}, Π·n")
    return found


def momenta_along(in_space: Array, in_body: Array, R: Array, Pi: Array) -> dict[str, Array]:
    """Their values at attitudes (..., 3, 3) and momenta (..., 3)."""
    inertial = np.einsum("...ij,...j->...i", R, Pi)
    found: dict[str, Array] = {}
    if len(in_space) == 3:
        found[ALL] = inertial
    elif len(in_space) == 1:
        found[IN_SPACE] = inertial @ in_space[0]
    if len(in_body) == 3:
        found[ALL_OF_BODY] = Pi
    elif len(in_body) == 1:
        found[IN_BODY] = Pi @ in_body[0]
    return found


def _text(axis: Array) -> str:
    return "(" + ", ".join(f"{x:g}" for x in axis) + ")"
