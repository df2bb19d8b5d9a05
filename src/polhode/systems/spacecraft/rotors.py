"""The rotors of a gyrostat: their inertia and momentum.

    I_G = I_B + Σ (I_r − m_r S(x_r)²),   ρ = Σ I_r ω_r                            (44), (45) of [MP16]

`ω_r` is relative to the carrier. A rotor is symmetric about its axis, so that I_G does not change as it turns; carrier
inertia and positions refer to the centre of mass of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.call_help import explained
from ...core.checks import check_finite, from_table
from ...errors import InvalidInputError
from ...geometry import so3

Array = NDArray[np.float64]


@explained
@dataclass(frozen=True)
class Rotor:
    """A rotor in the carrier.

    `inertia` about its own centre: a number (a sphere), two numbers (about the axis, and across it), or three moments
    or a 3×3 matrix in the carrier's frame, symmetric about the axis. `mass` and `position` of its centre. `axis` of any
    length; `speed` is the rate about it relative to the carrier.

    >>> Rotor(inertia=[0.02, 0.01], axis=[0, 0, 1], speed=10.0).momentum
    array([0. , 0. , 0.2])
    """

    inertia: ArrayLike
    mass: float = 0.0
    position: ArrayLike = (0.0, 0.0, 0.0)
    axis: ArrayLike = (0.0, 0.0, 1.0)
    speed: float = 0.0

    def __post_init__(self) -> None:
        axis = check_finite("axis", self.axis, (3,))
        length = float(np.linalg.norm(axis))
        if not length > 0.0:
            raise InvalidInputError("axis", self.axis, "a nonzero vector")
        mass = float(check_finite("mass", self.mass, ()))
        if mass < 0.0:
            raise InvalidInputError("mass", self.mass, "a number that is not negative")
        plain: dict[str, Any] = {
            "axis": (axis if abs(length - 1.0) <= 1e-14 else axis / length).tolist(),
            "position": check_finite("position", self.position, (3,)).tolist(),
            "mass": mass,
            "speed": _number("speed", self.speed),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        matrix, n = self.matrix, np.array(plain["axis"])
        axial = float(n @ matrix @ n)
        across = 0.5 * (np.trace(matrix) - axial)
        symmetric = across * np.eye(3) + (axial - across) * np.outer(n, n)
        if np.abs(matrix - symmetric).max() > 1e-9 * np.abs(matrix).max() or min(axial, across) <= 0.0:
            raise InvalidInputError("inertia", self.inertia, f"a positive inertia that is symmetric about the axis {n}")
        if axial > 2.0 * across * (1.0 + 1e-9):
            raise InvalidInputError(
                "inertia",
                self.inertia,
                f"the triangle inequality, as of any body: about the axis at most twice as much as across, not {axial:g} "
                f"and {across:g}",
            )

    @property
    def matrix(self) -> Array:
        """The inertia I_r about the rotor's centre, in the carrier's frame."""
        shape, n = np.shape(np.array(self.inertia, dtype=object)), np.asarray(self.axis, dtype=float)
        if shape == ():
            return float(check_finite("inertia", self.inertia, ())) * np.eye(3)
        if shape == (2,):
            axial, across = check_finite("inertia", self.inertia, (2,))
            return across * np.eye(3) + (axial - across) * np.outer(n, n)
        return np.diag(check_finite("inertia", self.inertia, (3,))) if shape == (3,) else self._full()

    def _full(self) -> Array:
        shape = np.shape(np.array(self.inertia, dtype=object))
        if shape != (3, 3):
            allowed = f"a number, two or three numbers or a 3×3 matrix, not shape {shape}"
            raise InvalidInputError("inertia", self.inertia, allowed)
        matrix = check_finite("inertia", self.inertia, (3, 3))
        return 0.5 * (matrix + matrix.T)

    @property
    def carried(self) -> Array:
        """What the rotor adds to the inertia of the carrier."""
        S = so3.hat(np.asarray(self.position, dtype=float))
        return self.matrix - self.mass * S @ S

    @property
    def momentum(self) -> Array:
        """The angular momentum relative to the carrier."""
        return self.speed * self.matrix @ np.asarray(self.axis, dtype=float)

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data."""
        return {f.name: np.asarray(getattr(self, f.name), dtype=float).tolist() for f in fields(self)}


def _number(field: str, speed: Any) -> float:
    if callable(speed):
        allowed = "a number; for rotors whose speeds are functions of time give the gyrostat rho, a function of time"
        raise InvalidInputError(field, speed, allowed)
    return float(check_finite(field, speed, ()))


def rotors_of(given: Sequence[Rotor | Mapping[str, Any]] | None) -> tuple[Rotor, ...]:
    """Checked rotors, from themselves or from tables of their arguments."""
    if given is None:
        return ()
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
        raise InvalidInputError("rotors", given, "a list of rotors")
    return tuple(
        each if isinstance(each, Rotor) else from_table(f"rotors[{i}]", Rotor, each) for i, each in enumerate(given)
    )
