"""The epoch, frame and units of a run, which other tools need: those that the run names, or else given with the export."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.dates import Epoch, iso_date, seconds_past_j2000
from ...errors import InvalidInputError
from ...simulation.trajectory import Trajectory

Array = NDArray[np.float64]

J2000 = "2000-01-01T12:00:00"


@dataclass(frozen=True)
class EpochAndFrame:
    """`epoch`: the date of t = 0. `frame`: the inertial frame of the coordinates. `centre`: the name of its origin.
    `km` and `seconds`: the run's units of length and time in kilometres and seconds. `time_system`: that of all dates.

    >>> EpochAndFrame(epoch="2031-05-04", km=0.001).date(1.5)
    '2031-05-04T00:00:01.500000000000'
    """

    epoch: str = J2000
    frame: str = "J2000"
    centre: str = "ORIGIN"
    km: float = 1.0
    seconds: float = 1.0
    time_system: str = "TDB"

    def __post_init__(self) -> None:
        try:
            Epoch(self.epoch, self.time_system, self.frame, self.centre)
        except InvalidInputError as error:
            raise error.renamed("epoch" if error.field == "date" else error.field) from error
        for name in ("km", "seconds"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 < value < math.inf:
                raise InvalidInputError(name, value, "a positive number")

    @classmethod
    def of(cls, trajectory: Trajectory, **given: Any) -> EpochAndFrame:
        """Epoch, frame and units of a run: what is `given`, else what the run's units and epoch say, else the defaults.

        >>> import polhode as ph
        >>> start, units = ph.FreeRigidBody.example(), {"length": "m", "time": "min"}
        >>> traj = ph.simulate(start, step=0.1, steps=10, units=units, epoch="2031-05-04")
        >>> EpochAndFrame.of(traj, frame="ECLIPJ2000")
        EpochAndFrame(epoch='2031-05-04', frame='ECLIPJ2000', centre='ORIGIN', km=0.001, seconds=60.0, time_system='TDB')
        """
        metres, seconds = trajectory.units.size("length"), trajectory.units.size("time")
        known: dict[str, Any] = {} if metres is None else {"km": metres / 1000.0}
        known |= {} if seconds is None else {"seconds": seconds}
        if trajectory.epoch is not None:
            said = trajectory.epoch.describe()
            known |= {"epoch": said.pop("date"), **said}
        return cls(**known | given)

    def date(self, t: float) -> str:
        """The date of time `t` of the run."""
        with localcontext(prec=60):
            return iso_date(seconds_past_j2000(self.epoch) + Decimal(t) * Decimal(self.seconds))

    def time(self, text: str) -> float:
        """The time of the run at a date."""
        with localcontext(prec=60):
            return float((seconds_past_j2000(text) - seconds_past_j2000(self.epoch)) / Decimal(self.seconds))

    def ephemeris_time(self, t: Array) -> Array:
        """Seconds past J2000 of the times `t`."""
        start = seconds_past_j2000(self.epoch)
        with localcontext(prec=60):
            return np.array([float(start + Decimal(float(x)) * Decimal(self.seconds)) for x in t])


DEFAULT = EpochAndFrame()
