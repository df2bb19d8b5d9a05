"""Shortest paths between attitudes (problems 6.16 and 6.17 of [LLM17]).

bi-invariant metric, min ∫|ω|²:      R(t) = R₀ exp(tS(ω)),  S(ω) = log(R₀ᵀR₁); its length is at most π.
left-invariant metric, min ∫ω·Jω:    the motions of the free body with inertia J. The two-point problem has no
                                     closed form: the rate at the start is found by shooting with the closed form
                                     of the motion, from the solution for a sphere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bodies.inertia import Inertia
from ..core.checks import check_rotation
from ..errors import InvalidInputError, PolhodeError
from ..geometry import so3
from ..systems.attitude.free_exact import exact_free_body

Array = NDArray[np.float64]
STAGES = 12
MOST_ITERATIONS = 40


@dataclass(frozen=True)
class Geodesic:
    """A path from `start`, at t = 0, to its end, at t = 1; `omega` is the body rate at the start."""

    start: Array
    omega: Array
    inertia: Array

    @property
    def action(self) -> float:
        """`∫ ω·Jω dt`, which is its value at the start, since it is constant."""
        return float(self.omega @ self.inertia @ self.omega)

    @property
    def length(self) -> float:
        """`∫ √(ω·Jω) dt`."""
        return float(np.sqrt(self.action))

    def at(self, t: ArrayLike) -> Array:
        """The attitudes (..., 3, 3) at times between 0 and 1."""
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        R, _ = exact_free_body(self.inertia, self.start, self.inertia @ self.omega, times)
        return R if np.ndim(t) else R[0]


def geodesic(R0: ArrayLike, R1: ArrayLike, inertia: ArrayLike | None = None, *, turns: int = 0) -> Geodesic:
    """The geodesic from R0 to R1: of the bi-invariant metric, or of the left-invariant one that `inertia` defines.

    `turns` adds whole turns about the axis of the bi-invariant one, for a way that is not the shortest. With an inertia
    the result is the shortest that was found; where several ways are as short, as at an angle of π, it is one of them.

    >>> way = geodesic(np.eye(3), so3.exp([0.0, 0.0, 1.0]))
    >>> way.length, round(float(way.at(0.5)[0, 1]), 3)
    (1.0, -0.479)
    >>> bool(geodesic(np.eye(3), so3.exp([0.5, 1.0, 0.2]), [1, 2, 2.5]).length > 1.2)
    True
    """
    start, end = check_rotation("R0", R0), check_rotation("R1", R1)
    omega = so3.log(start.T @ end)
    angle = float(np.linalg.norm(omega))
    if turns and not angle > 0.0:
        raise InvalidInputError("turns", turns, "0 between equal attitudes, where the axis is not determined")
    direct = omega * (1.0 + 2.0 * np.pi * turns / angle) if turns else omega
    if inertia is None:
        return Geodesic(start, direct, np.eye(3))
    J = Inertia.of(inertia).matrix
    guesses = [direct] if turns or angle == 0.0 else [omega, omega * (1.0 - 2.0 * np.pi / angle)]
    found = [way for guess in guesses if (way := _shoot(start, end, J, guess)) is not None]
    if not found:
        raise PolhodeError("shooting for a geodesic between these attitudes did not converge")
    return min(found, key=lambda way: way.action)


def _shoot(start: Array, end: Array, J: Array, omega: Array) -> Geodesic | None:
    """Follow the geodesic of a sphere as the inertia changes to J; None where that fails."""
    sphere = np.trace(J) / 3.0 * np.eye(3)

    def miss(inertia: Array, rate: Array) -> Array:
        arrived, _ = exact_free_body(inertia, start, inertia @ rate, np.array([1.0]))
        return so3.log(arrived[0].T @ end)

    for stage in range(1, STAGES + 1):
        inertia = sphere + stage / STAGES * (J - sphere)
        for _ in range(MOST_ITERATIONS):
            off = miss(inertia, omega)
            if np.linalg.norm(off) < 1e-14:
                break
            h = 1e-5
            slopes = [(miss(inertia, omega + h * e) - miss(inertia, omega - h * e)) / (2 * h) for e in np.eye(3)]
            step = np.linalg.lstsq(np.stack(slopes, axis=1), -off, rcond=1e-12)[0]
            omega = omega + step * min(1.0, 0.5 / max(float(np.linalg.norm(step)), 1e-300))
        if np.linalg.norm(miss(inertia, omega)) > 1e-11:
            return None
    return Geodesic(start, omega, J)
