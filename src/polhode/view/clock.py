"""The time of a run as people read it: "3 d 4 h", and the date where there is an epoch."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..core.dates import Epoch
from ..simulation.trajectory import Trajectory

PARTS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


@dataclass(frozen=True)
class Clock:
    """`seconds`: the run's unit of time, None where it is not named. `extent`: how long the run is, in its own unit."""

    extent: float
    seconds: float | None = None
    epoch: Epoch | None = None

    @classmethod
    def of(cls, trajectory: Trajectory) -> Clock:
        """The clock of a run."""
        extent = abs(float(trajectory.t[-1] - trajectory.t[0]))
        return cls(extent, trajectory.units.size("time"), trajectory.epoch)

    @property
    def first_part(self) -> int:
        """Which of `PARTS` to begin with: the largest that fits into the run; as many as there are where none does."""
        lasts = self.extent * (self.seconds or 0.0)
        return next((k for k, (_, size) in enumerate(PARTS) if lasts >= size), len(PARTS))

    def text(self, t: float, *, moving: bool = False) -> str:
        """The time `t` of the run; in pictures that follow each other, `moving`, with the same number of decimals in all.

        >>> Clock(1296000.0, 1.0, Epoch("2031-05-04")).text(273600.0), Clock(50.0).text(1.25)
        ('3 d 4 h, 2031-05-07 04:00 TDB', 't = 1.25')
        >>> Clock(50.0).text(2.0, moving=True)
        't = 2.00'
        """
        extent = self.extent * (self.seconds or 1.0)
        form = f".{max(0, 3 - math.floor(math.log10(extent)))}f" if moving and extent > 0.0 else ".4g"
        if self.seconds is None:
            return f"t = {t:{form}}"
        now, k = t * self.seconds, self.first_part
        if k >= len(PARTS) - 1:
            shown = f"{now:{form}} s"
        else:
            (large, size), (small, part) = PARTS[k : k + 2]
            whole = math.floor(abs(now) / part + 1e-6)  # in the smaller part
            shown = f"{'−' * (now < 0)}{whole // (size // part)} {large} {whole % (size // part)} {small}"
        if self.epoch is None:
            return shown
        end = 16 if k < 2 else 19  # to minutes, or to seconds
        return f"{shown}, {self.epoch.after(now)[:end].replace('T', ' ')} {self.epoch.time_system}"

    def data(self) -> dict[str, float | str | None]:
        """What the page in the browser needs to show the same."""
        if self.seconds is None:
            return {}
        start = None if self.epoch is None else self.epoch.after(0)[:23]
        return {"seconds": self.seconds, "first": self.first_part, "start": start} | (
            {} if self.epoch is None else {"system": self.epoch.time_system}
        )
