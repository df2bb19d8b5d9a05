"""Attitudes at which a body can rest, found by Newton's method from the 24 attitudes of a cube."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from ..geometry import so3
from .attitude import MATRIX, AttitudeSystem
from .vicinity import slope_and_derivative

Array = NDArray[np.float64]


def resting_attitudes(system: AttitudeSystem) -> list[Array]:
    """The attitudes with no moment that Newton's method finds; of a family of them, some members."""
    representation, p = system.representations["matrix"], system.parameters()
    found: list[Array] = []
    for R in cube_attitudes():
        for _ in range(60):
            y = system.enter("matrix", system.state(R=R))
            slope, changes = slope_and_derivative(representation, y, MATRIX.basis(y)[:, :3], p, 0.0, force_only=True)
            M, DM = slope[9:12], changes[9:12]
            if np.abs(M).max() < 1e-13 * (1.0 + np.abs(DM).max()):
                break
            step = np.linalg.lstsq(DM, -M, rcond=1e-9)[0]
            R = so3.project(R @ so3.exp(step * min(1.0, 0.5 / max(float(np.linalg.norm(step)), 1e-300))))
        else:
            continue
        if all(so3.distance(R, other) > 1e-6 for other in found):
            found.append(R)
    return found


def cube_attitudes() -> list[Array]:
    """The 24 rotations that take the coordinate axes to coordinate axes."""
    matrices = [
        np.diag(signs)[list(order)] for order in permutations(range(3)) for signs in product((1.0, -1.0), repeat=3)
    ]
    return [R for R in matrices if np.linalg.det(R) > 0]
