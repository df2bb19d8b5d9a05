"""Reaction wheels: how a torque on the body is shared among them, and what their limits leave of it.

A wheel along the unit axis a that is driven by the torque u gains the momentum `ḣ = u`, and the body −a u. The rotors' momentum
ρ of a `Gyrostat` is `Σ a h`; its `rotor_torque` is `Σ a u`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.call_help import explained
from ..core.checks import check_finite, check_positive, check_vectors
from ..errors import InvalidInputError, SaturationWarning

Array = NDArray[np.float64]


@explained
class Wheels:
    """Any number of wheels: their `axes` in the body (rows), the largest `torque` of each, and the largest `momentum`.

    `momenta` are their momenta now; `command` changes them as the wheels follow it.

    >>> wheels = Wheels([[1, 0, 0], [0, 1, 0], [0, 0, 1]], torque=0.1, momentum=4.0)
    >>> wheels.command([0.02, 0.01, -0.05], 2.0)
    array([-0.02, -0.01,  0.05])
    >>> wheels.momenta
    array([-0.04, -0.02,  0.1 ])
    """

    def __init__(
        self,
        axes: ArrayLike,
        *,
        torque: float = np.inf,
        momentum: float = np.inf,
        momenta: Sequence[float] | None = None,
    ) -> None:
        given = check_vectors("axes", axes, "axes")
        lengths = np.linalg.norm(given, axis=1, keepdims=True)
        if not lengths.all():
            raise InvalidInputError("axes", axes, "axes of nonzero length")
        self.axes: Array = given / lengths
        if np.linalg.matrix_rank(self.axes, tol=1e-9) < 3:
            raise InvalidInputError("axes", axes, "axes in at least three independent directions")
        self.torque, self.momentum = _limit("torque", torque), _limit("momentum", momentum)
        count = len(self.axes)
        self.momenta: Array = np.zeros(count) if momenta is None else check_finite("momenta", momenta, (count,)).copy()
        self.saturated = 0  # how many commands were cut
        self._share = np.linalg.pinv(self.axes.T)

    @property
    def rho(self) -> Array:
        """The momentum of all wheels relative to the body."""
        return self.momenta @ self.axes

    def command(self, torque: ArrayLike, seconds: float) -> Array:
        """The `rotor_torque` Σ a u by which the wheels give the body this `torque`, or as much of it as they can, for so many
        seconds. Where a wheel is at a limit the others follow the command; the first time, a warning says so."""
        wanted = -self._share @ check_finite("torque", torque, (3,))
        held = check_positive("seconds", seconds)
        allowed = np.clip(wanted, -self.torque, self.torque)
        allowed = np.clip(allowed, (-self.momentum - self.momenta) / held, (self.momentum - self.momenta) / held)
        if np.any(np.abs(allowed - wanted) > 1e-12 * np.abs(wanted)):
            if not self.saturated:
                which = ", ".join(str(i) for i in np.flatnonzero(allowed != wanted))
                warnings.warn(f"wheels at their limits: {which}", SaturationWarning, stacklevel=2)
            self.saturated += 1
        self.momenta = self.momenta + held * allowed
        return allowed @ self.axes


def _limit(field: str, value: float) -> float:
    """A positive number, or infinity for none."""
    return np.inf if isinstance(value, float) and value == np.inf else check_positive(field, value)
