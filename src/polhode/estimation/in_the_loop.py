"""A filter between the true motion and a controller: what `simulate(..., estimator=...)` takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite
from ..core.system import State
from ..errors import InvalidInputError
from .mekf import MEKF
from .sensors import VectorSensor

Array = NDArray[np.float64]


class FilterInLoop:
    """Sensors and a filter on board: asked at a time with the true state, it measures, filters and answers with the estimate.

    `sensors` measure directions; the filter's gyro, if it has one, measures the rate, with the true `bias` at the start. The
    model of the filter follows what the controller commanded, and takes the rotors' momentum as known. `t` and `errors` hold
    (δθ, δω) of the true state with respect to the estimate at each sample, in radians.
    """

    def __init__(
        self,
        mekf: MEKF,
        sensors: Sequence[VectorSensor],
        rng: np.random.Generator | int | None = None,
        bias: ArrayLike | None = None,
    ) -> None:
        if not isinstance(mekf, MEKF):
            raise InvalidInputError("mekf", mekf, "a MEKF(...)")
        if not isinstance(sensors, (list, tuple)):
            raise InvalidInputError("sensors", sensors, "a list of VectorSensor(...)")
        if not (rng is None or isinstance(rng, np.random.Generator) or (isinstance(rng, int) and rng >= 0)):
            raise InvalidInputError("rng", rng, "a seed, or a generator of NumPy")
        for k, sensor in enumerate(sensors):
            if not isinstance(sensor, VectorSensor):
                raise InvalidInputError(f"sensors[{k}]", sensor, "a VectorSensor(...); the gyro is that of the filter")
        self.mekf, self.sensors, self.rng = mekf, list(sensors), np.random.default_rng(rng)
        self.bias: Array = check_finite("bias", np.zeros(3) if bias is None else bias, (3,))
        self.t: list[float] = []
        self.errors: list[Array] = []

    def __call__(self, t: float, state: State) -> State:
        """The estimate at time t, where the true state is `state`."""
        mekf, gyro, elapsed = self.mekf, self.mekf.gyro, t - self.mekf.t
        mekf.state = State(state.system, mekf.state.values, mekf.t)  # with the commands held since the last sample
        mekf.predict(elapsed)
        R = state.R
        for sensor in self.sensors:
            mekf.update(sensor, sensor.measure(R, self.rng))
        if gyro is not None:
            self.bias = self.bias + gyro.bias_walk * np.sqrt(abs(elapsed)) * self.rng.normal(size=3)
            mekf.update(gyro, gyro.measure(state.omega, self.bias, self.rng))
        self.t.append(t)
        self.errors.append(mekf.error(state))
        return mekf.state
