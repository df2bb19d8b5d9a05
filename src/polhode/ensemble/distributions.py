"""Random numbers for the members of an ensemble: a point of the unit cube per member, and what distributions make of it.

A member's point depends on the seed and on its number alone, not on who computes it or in which block. (Points of a Latin
hypercube also depend on how many there are.)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInputError
from ..geometry import quaternion

Array = NDArray[np.float64]
Sampling = Literal["random", "sobol", "latin_hypercube"]

SMALLEST = 2.0**-54  # no point lies closer to the faces of the cube: quantiles there may be infinite


def unit_points(members: int, dimension: int, seed: int, sampling: Sampling = "random") -> Array:
    """Points (member, dimension) of the unit cube: independent, or spread evenly.

    >>> same = unit_points(100, 3, seed=1)[:10] == unit_points(10, 3, seed=1)
    >>> bool(same.all())
    True
    """
    if not dimension:
        return np.zeros((members, 0))
    if sampling == "random":
        points = np.random.default_rng(seed).random((members, dimension))
    else:
        from scipy.stats import qmc

        make: Any = qmc.Sobol if sampling == "sobol" else qmc.LatinHypercube
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a number of members that is no power of 2 is well allowed
            points = make(dimension, seed=seed).random(members)
    return np.clip(points, SMALLEST, 1.0 - SMALLEST)


@dataclass(frozen=True)
class Distribution:
    """How many uniform numbers a distribution takes, and what it makes of them: (member, dimension) to (member, …)."""

    dimension: int
    values: Callable[[Array], Array]


def normal(mean: Any, std: Any) -> Distribution:
    """Independent normal numbers in the shape of `mean`, with standard deviations `std`, one for each or one for all."""
    mean, std = _same_shape("mean", mean, "std", std)
    _check("std", std, np.all(std >= 0.0), "numbers that are not negative")

    def values(points: Array) -> Array:
        from scipy.stats import norm

        return mean + std * norm.ppf(points).reshape(len(points), *mean.shape)

    return Distribution(mean.size, values)


def uniform(low: Any, high: Any) -> Distribution:
    """Independent numbers between `low` and `high`."""
    low, high = _same_shape("low", low, "high", high)
    _check("high", high, np.all(high >= low), "numbers that are not below low")
    return Distribution(low.size, lambda points: low + (high - low) * points.reshape(len(points), *low.shape))


def log_uniform(low: Any, high: Any) -> Distribution:
    """Independent numbers between `low` and `high` whose logarithms are uniform."""
    low, high = _same_shape("low", low, "high", high)
    _check("low", low, np.all(low > 0.0), "positive numbers")
    _check("high", high, np.all(high >= low), "numbers that are not below low")
    return Distribution(low.size, lambda points: low * (high / low) ** points.reshape(len(points), *low.shape))


def sphere(radius: float = 1.0) -> Distribution:
    """Vectors of this length, uniform in direction."""
    _check("radius", radius, radius > 0.0, "a positive number")

    def values(points: Array) -> Array:
        z, angle = 2.0 * points[:, 0] - 1.0, 2.0 * np.pi * points[:, 1]
        across = np.sqrt(1.0 - z * z)
        return radius * np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)

    return Distribution(2, values)


def attitude(base: Any = None, std: float | None = None) -> Distribution:
    """Unit quaternions, scalar last: uniform on the rotations; or, with `std` in radians, small random rotations of the
    body about `base`, normal in each component of the rotation vector."""
    if std is None:
        return Distribution(3, uniform_quaternions)
    _check("std", std, std >= 0.0, "a number that is not negative")
    about = normal(np.zeros(3), std)
    first = np.array([0.0, 0.0, 0.0, 1.0]) if base is None else np.asarray(base, dtype=np.float64)
    return Distribution(3, lambda points: quaternion.multiply(first, quaternion.exp(about.values(points))))


def uniform_quaternions(points: Array) -> Array:
    """Three uniform numbers to a unit quaternion, uniform on the sphere (K. Shoemake, Graphics Gems III, 1992)."""
    a, b = np.sqrt(1.0 - points[:, 0]), np.sqrt(points[:, 0])
    u, v = 2.0 * np.pi * points[:, 1], 2.0 * np.pi * points[:, 2]
    return np.stack([a * np.sin(u), a * np.cos(u), b * np.sin(v), b * np.cos(v)], axis=1)


def _same_shape(name: str, a: Any, other: str, b: Any) -> tuple[Array, Array]:
    """Both as arrays of one shape: one number stands for all."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    try:
        x, y = np.broadcast_arrays(x, y)
    except ValueError:
        raise InvalidInputError(other, b, f"one number, or numbers in the shape of {name}, {x.shape}") from None
    return x, y


def _check(name: str, value: Any, valid: Any, allowed: str) -> None:
    if not valid:
        raise InvalidInputError(name, value, allowed)
