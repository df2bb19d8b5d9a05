"""What a spacecraft measures of its attitude and rate, with noise.

A vector sensor (sun sensor, magnetometer, star tracker for one star) sees a known inertial direction r in the body
frame, `b = Rᵀ r + v`. A gyro sees `ω + β + v`, where the bias β wanders slowly. Noise v is Gaussian, white, the same on
the three axes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite, check_positive
from ..errors import InvalidInputError

Array = NDArray[np.float64]


def direction(field_name: str, value: ArrayLike) -> Array:
    """A vector of any length as one of length 1."""
    vector = check_finite(field_name, value, (3,))
    largest = max(map(abs, vector.tolist()))
    if not largest > 0.0:
        raise InvalidInputError(field_name, value, "a nonzero direction")
    vector = vector / largest
    return vector / hypot(*vector.tolist())


@dataclass(frozen=True)
class VectorSensor:
    """A sensor of the inertial direction `reference` with noise `sigma`, in radians on each axis.

    Of the reference and of a measurement only the direction counts: a filter scales both to length 1, so that the unit
    does not matter, be it gauss or tesla.

    >>> sun = VectorSensor([1, 0, 0], sigma=np.radians(0.5), name="sun")
    >>> sun.expected(np.eye(3))
    array([1., 0., 0.])
    """

    reference: ArrayLike
    sigma: float
    name: str = "vector"
    direction: Array = field(init=False, repr=False, compare=False)
    dof: ClassVar[int] = 2  # of a direction's noise: none along it

    def __post_init__(self) -> None:
        check_positive("sigma", self.sigma)
        object.__setattr__(self, "direction", direction("reference", self.reference))

    def expected(self, R: Array) -> Array:
        """`Rᵀ r`: the measurement without noise."""
        return np.swapaxes(R, -1, -2) @ self.direction

    def scaled(self, measurement: ArrayLike) -> Array:
        """A measurement in any unit, with length 1."""
        return direction("measurement", measurement)

    def measure(self, R: Array, rng: np.random.Generator) -> Array:
        """A noisy measurement at attitude R (leading axes allowed), of length 1 but for noise."""
        b = self.expected(R)
        return b + self.sigma * rng.normal(size=b.shape)


@dataclass(frozen=True)
class Gyro:
    """A rate sensor with noise `sigma` on each axis; its bias walks with `bias_walk` per square root of time."""

    sigma: float
    bias_walk: float = 0.0
    name: str = "gyro"
    dof: ClassVar[int] = 3

    def __post_init__(self) -> None:
        check_positive("sigma", self.sigma)
        check_positive("bias_walk", self.bias_walk, zero=True)

    def measure(self, omega: Array, bias: Array, rng: np.random.Generator) -> Array:
        """A noisy measurement of the rate `omega` with this bias."""
        return omega + bias + self.sigma * rng.normal(size=np.shape(omega))

    def biases(self, first: ArrayLike, t: Array, rng: np.random.Generator) -> Array:
        """A bias that starts at `first` and walks, at the times `t`."""
        steps = self.bias_walk * np.sqrt(np.abs(np.diff(t)))[:, None] * rng.normal(size=(len(t) - 1, 3))
        return np.asarray(first, dtype=float) + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
