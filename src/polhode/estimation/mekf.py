"""The multiplicative extended Kalman filter of attitude and rate, used online: `predict`, `update`, in any order.

The estimate is a state of the system (attitude on the group, rate) and the covariance P of the error (δθ, δω), and of
a gyro's bias where one is estimated. After an update the error is moved into the estimate, `R ← R exp S(δθ)`,
`ω ← ω + δω`, and is zero again. Section 11 of the sheet on [MP16]; the update is Joseph's form.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.call_help import explained
from ..core.checks import check_finite, check_integer, check_positive
from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..methods import Method
from ..simulation.arguments import finite_number
from .kalman_update import attitude_error, joseph_update, turned_attitude
from .propagators import Propagator, Stepped, _body
from .sensors import Gyro, VectorSensor

Array = NDArray[np.float64]

IDENTITY = np.eye(3)


@dataclass(frozen=True)
class Update:
    """The result of a measurement: the innovation, its squared length relative to its covariance (NIS), whether it was used,
    and the degrees of freedom of the NIS: 2 for a direction, 3 for a gyro."""

    innovation: Array
    nis: float
    accepted: bool
    dof: int


@explained
class MEKF:
    """A filter that starts from `state` with the error `covariance` (6×6, or 9×9 with a gyro's bias).

    `propagator` predicts, a method alone as `Stepped(method)`; `acceleration_noise` is the spectral density of a white
    angular acceleration, which makes the process noise; `gate` refuses a measurement whose NIS exceeds that quantile of
    its distribution, χ² with the sensor's degrees of freedom (None: never).
    """

    def __init__(
        self,
        state: State,
        covariance: ArrayLike,
        *,
        propagator: Propagator | Method | None = None,
        acceleration_noise: float = 1e-10,
        gyro: Gyro | None = None,
        bias: ArrayLike | None = None,
        gate: float | None = None,
    ) -> None:
        _body(state)
        self.state = state
        if not (gyro is None or isinstance(gyro, Gyro)):
            raise InvalidInputError("gyro", gyro, "a Gyro(...), or None")
        self.gyro = gyro
        size = 9 if gyro else 6
        P = check_finite("covariance", covariance, (size, size))
        if np.abs(P - P.T).max() > 1e-9 * np.abs(P).max() or np.linalg.eigvalsh(P)[0] <= 0:
            raise InvalidInputError("covariance", covariance, "a symmetric positive definite matrix")
        self.covariance = 0.5 * (P + P.T)
        self.bias = check_finite("bias", np.zeros(3) if bias is None else bias, (3,))
        if propagator is None or isinstance(propagator, Method):
            propagator = Stepped() if propagator is None else Stepped(propagator)
        if isinstance(propagator, type) or not callable(propagator):
            raise InvalidInputError(
                "propagator", propagator, "Stepped(...), FirstOrder(...), a method, or your own Propagator"
            )
        self.propagator: Propagator = propagator
        self.acceleration_noise = check_positive("acceleration_noise", acceleration_noise, zero=True)
        if gate is not None and not (finite_number(gate) and 0 < gate < 1):
            raise InvalidInputError("gate", gate, "a probability between 0 and 1, such as 0.999, or None")
        self.gate = gate
        self._noise: tuple[Any, Array] = None, np.zeros((size, size))  # that of the last interval

    @property
    def t(self) -> float:
        """The time of the present estimate."""
        return self.state.t

    def process_noise(self, dt: float) -> Array:
        """`q_a [[T³/3, T²/2], [T²/2, T]] ⊗ 1`: a white angular acceleration over T; and the bias walk."""
        T, q = abs(dt), self.acceleration_noise
        Q = np.zeros_like(self.covariance)
        diagonal = [q * T**3 / 3] * 3 + [q * T] * 3 + ([self.gyro.bias_walk**2 * T] * 3 if self.gyro else [])
        np.fill_diagonal(Q, diagonal)
        np.fill_diagonal(Q[:3, 3:6], q * T**2 / 2)
        np.fill_diagonal(Q[3:6, :3], q * T**2 / 2)
        return Q

    def predict(self, dt: float) -> None:
        """Predict the state and the covariance a time `dt` later."""
        dt = float(check_finite("dt", dt, ()))
        if dt == 0:
            return
        self.state, Phi = self.propagator(self.state, dt)
        if self.gyro is not None:  # the bias stays
            tangent, Phi = Phi, np.eye(9)
            Phi[:6, :6] = tangent
        key = dt, self.acceleration_noise, self.gyro
        if key != self._noise[0]:
            self._noise = key, self.process_noise(dt)
        self.covariance = Phi @ self.covariance @ Phi.T + self._noise[1]

    def update(self, sensor: VectorSensor | Gyro, measurement: ArrayLike) -> Update:
        """Update the estimate with a measurement at the present time."""
        if not isinstance(sensor, (VectorSensor, Gyro)):
            raise InvalidInputError("sensor", sensor, "a VectorSensor(...) or a Gyro(...)")
        size = len(self.covariance)
        H = np.zeros((3, size))
        if isinstance(sensor, VectorSensor):
            z, expected = sensor.scaled(measurement), sensor.expected(self.state.R)
            x, y, w = expected.tolist()
            H[:, :3] = ((0.0, -w, y), (w, 0.0, -x), (-y, x, 0.0))
        elif self.gyro is None:
            raise InvalidInputError("sensor", sensor, "a gyro that the filter was made with: MEKF(..., gyro=...)")
        else:
            z, expected = check_finite("measurement", measurement, (3,)), self.state.omega + self.bias
            H[:, 3:6] = H[:, 6:] = IDENTITY
        most = np.inf if self.gate is None else _quantile(self.gate, sensor.dof)
        innovation, error, covariance = z - expected, np.empty(size), self.covariance.copy()
        nis = joseph_update(covariance, H, float(sensor.sigma), innovation, most, error)
        if np.isnan(nis):
            raise PolhodeError("the covariance of the filter is no longer positive definite: start it anew")
        if nis > most:
            return Update(innovation, nis, accepted=False, dof=sensor.dof)
        self.covariance = covariance
        self._move(error)
        return Update(innovation, nis, accepted=True, dof=sensor.dof)

    def _move(self, error: Array) -> None:
        """Move the estimated error into the estimate."""
        R = np.empty((3, 3))
        turned_attitude(np.array(self.state.R), error, R)
        self.state = _body(self.state).moved(self.state, R, self.state.omega + error[3:6])
        if self.gyro:
            self.bias = self.bias + error[6:]

    def error(self, truth: State) -> Array:
        """(δθ, δω) of the true state with respect to the estimate."""
        fields = truth.system.fields if isinstance(truth, State) else {}
        if not ("R" in fields and "omega" in fields and np.shape(truth.R) == (3, 3) and np.shape(truth.omega) == (3,)):
            raise InvalidInputError("truth", truth, "a state of one body, with its attitude R and rate omega")
        found = np.empty(6)
        attitude_error(np.array(self.state.R), np.array(truth.R), found[:3])
        found[3:] = truth.omega - self.state.omega
        return found

    def nees(self, truth: State) -> float:
        """The squared error relative to the covariance of the filter: on average 6 for a consistent filter."""
        e = self.error(truth)
        return float(e @ np.linalg.solve(self.covariance[:6, :6], e))


@cache
def _quantile(probability: float, degrees: int) -> float:
    from scipy.special import chdtri

    return float(chdtri(degrees, 1 - probability))


def consistency_band(degrees: int, samples: int, probability: float = 0.95) -> tuple[float, float]:
    """Where the mean of `samples` independent NEES or NIS values of a consistent filter lies with this probability.

    `degrees`: 6 for the NEES, an update's `dof` for its NIS.

    >>> low, high = consistency_band(6, 100)
    >>> low < 6 < high
    True
    """
    for name, value in (("degrees", degrees), ("samples", samples)):
        check_integer(name, value, 1)
    if not (finite_number(probability) and 0 < probability < 1):
        raise InvalidInputError("probability", probability, "a number between 0 and 1, such as 0.95")
    tail = 0.5 * (1 - probability)
    return tuple(_quantile(p, degrees * samples) / samples for p in (tail, 1 - tail))  # type: ignore[return-value]
