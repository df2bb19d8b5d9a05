"""The columns of a pair's tangent map that belong to the inertial motion of body 2: they follow from symmetry.

The relative motion does not depend on `x2`, `R2` and `gamma2`. A shift of x₂ shifts all of its path, a change of γ₂ adds a
uniform motion, and a turn `R₂ ↦ Q R₂` turns what γ₂ and x₂ gain beyond that:

    γ₂(t) = γ₂(0) + Q g(t),    x₂(t) = x₂(0) + t γ₂(0)/m₂ + Q s(t),    R₂(t) ↦ Q R₂(t).

The same holds for the discrete motion of every method that commutes with turns and shifts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout
from ...geometry import so3

Array = NDArray[np.float64]


def ignorable_columns(layout: Layout, m2: float, start: Array, states: Array, elapsed: Array) -> dict[str, Array]:
    """∂(states)/∂(x2, R2, gamma2 at the start): for each of them (n, dimension, 3), in the layout's coordinates."""
    first, now = layout.unpack(start), layout.unpack(states)
    at = layout.places
    columns = {name: np.zeros((len(states), layout.dimension, 3)) for name in ("x2", "R2", "gamma2")}
    gained = now["gamma2"] - first["gamma2"]
    moved = now["x2"] - first["x2"] - elapsed[:, None] * first["gamma2"] / m2
    columns["x2"][:, at["x2"]] = columns["gamma2"][:, at["gamma2"]] = np.eye(3)
    columns["gamma2"][:, at["x2"]] = elapsed[:, None, None] / m2 * np.eye(3)
    columns["R2"][:, at["R2"]] = np.swapaxes(now["R2"], -1, -2) @ first["R2"]
    columns["R2"][:, at["gamma2"]] = -so3.hat(gained) @ first["R2"]
    columns["R2"][:, at["x2"]] = -so3.hat(moved) @ first["R2"]
    return columns
