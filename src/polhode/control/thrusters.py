"""Thrusters that are on or off: how long each is on in a sample to give the body a torque, or as much of it as they can.

A thruster at c pushes the body with the force F along its direction d: the torque `c × F d`, and a force `F d`. Over a sample
of T seconds thruster i is on for `0 ≤ tᵢ ≤ T`. A pulse shorter than the least on-time is as long as that, or left out if it is
shorter than half of it; with a least on-time of T each thruster is on or off for the whole sample. The mean torque of the sample is `Σ (tᵢ/T) cᵢ × Fᵢ dᵢ`: the controller's command, held for the sample.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.call_help import explained
from ..core.checks import check_finite, check_positive, check_vectors
from ..errors import InvalidInputError, SaturationWarning

Array = NDArray[np.float64]


@explained
class Thrusters:
    """Any number of thrusters: their `positions` from the mass centre and `directions` of push (rows, in the body), the `force`
    of each or of all, and the least time that a pulse lasts, `minimum_on`.

    `on_times` are those of the last command; `burnt` is the total time that each was on, `impulse` the total of force × time.

    >>> rcs = Thrusters([[1, 0, 0], [-1, 0, 0]], [[0, 1, 0], [0, 1, 0]], force=0.5, minimum_on=0.02)
    >>> rcs.command([0.0, 0.0, 0.1], 1.0), rcs.on_times
    (array([0. , 0. , 0.1]), array([0.2, 0. ]))
    >>> rcs.command([0.0, 0.0, -0.004], 1.0)  # a pulse of 8 ms is too short
    array([0., 0., 0.])
    """

    def __init__(
        self, positions: ArrayLike, directions: ArrayLike, force: ArrayLike, *, minimum_on: float = 0.0
    ) -> None:
        places: Array = check_vectors("positions", positions, "places")
        self.positions = places
        given = check_finite("directions", directions, places.shape)
        lengths = np.linalg.norm(given, axis=1, keepdims=True)
        if not lengths.all():
            raise InvalidInputError("directions", directions, "directions of nonzero length")
        self.directions: Array = given / lengths
        count = len(places)
        forces = np.full(count, check_finite("force", force, () if np.ndim(force) == 0 else (count,)))
        if not np.all(forces > 0.0):
            raise InvalidInputError("force", force, "positive numbers")
        self.force: Array = forces
        self.minimum_on = check_positive("minimum_on", minimum_on, zero=True)
        self.torques: Array = np.cross(self.positions, self.directions * forces[:, None])
        self.on_times: Array = np.zeros(count)
        self.burnt: Array = np.zeros(count)
        self.saturated = 0  # how many commands were more than they can give

    @property
    def impulse(self) -> float:
        """Force × time of all thrusters so far."""
        return float(self.burnt @ self.force)

    def command(self, torque: ArrayLike, seconds: float) -> Array:
        """The mean torque on the body over so many seconds by which the thrusters give it this `torque`, or as much of it
        as they can; at most three are on. The first time that they cannot, a warning says so."""
        from scipy.optimize import nnls

        wanted, held = check_finite("torque", torque, (3,)), check_positive("seconds", seconds)
        shares, missing = nnls(self.torques.T, wanted)  # of the time that each is on
        most = float(shares.max())
        size = float(np.linalg.norm(wanted))
        if missing > 1e-9 * size or most > 1.0 + 1e-12:
            if not self.saturated:
                why = "they cannot push this way" if missing > 1e-9 * size else "on for the whole sample"
                warnings.warn(f"thrusters at their limits: {why}", SaturationWarning, stacklevel=2)
            self.saturated += 1
        times = held * shares / max(most, 1.0)  # a torque that is too large is cut, and keeps its direction
        least = min(self.minimum_on, held)
        self.on_times = np.where(times < 0.5 * least, 0.0, np.maximum(times, np.where(times > 0.0, least, 0.0)))
        self.burnt = self.burnt + self.on_times
        return (self.on_times / held) @ self.torques
