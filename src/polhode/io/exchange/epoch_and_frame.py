"""The epoch, frame and units of a run, which other tools need and a run in its own units does not have.

Every day has 86 400 seconds in the chosen time system, which is exact for the default, TDB. Dates are computed in decimal
arithmetic, so that no digits are lost far from the epoch.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInputError

Array = NDArray[np.float64]

# the time systems of the CCSDS (502.0-B-2, annex A2)
TIME_SYSTEMS = ("GMST", "GPS", "MET", "MRT", "SCLK", "TAI", "TCB", "TDB", "TCG", "TT", "UT1", "UTC")
J2000 = "2000-01-01T12:00:00"
DIGITS = 12  # decimals of the seconds in written dates: picoseconds
DATE = re.compile(r"(\d{4})-(?:(\d\d)-(\d\d)|(\d{3}))(?:T(\d\d):(\d\d):(\d\d(?:\.\d+)?)Z?)?")
DAY = 86400
FIRST_DAY = date(2000, 1, 1).toordinal()


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
        seconds_past_j2000(self.epoch)
        for name in ("km", "seconds"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 < value < math.inf:
                raise InvalidInputError(name, value, "a positive number")
        if self.time_system not in TIME_SYSTEMS:
            raise InvalidInputError("time_system", self.time_system, f"one of {', '.join(TIME_SYSTEMS)}")
        for name in ("frame", "centre"):
            value = getattr(self, name)
            if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_ .+-]{1,40}", value) or not value.strip():
                raise InvalidInputError(name, value, "a name of letters, digits, spaces and _ . + -")

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


def seconds_past_j2000(text: str) -> Decimal:
    """The seconds from 2000-01-01T12:00:00 to an ISO date, year-month-day or year-day.

    >>> seconds_past_j2000("2000-002T12:00:00.25")
    Decimal('86400.25')
    """
    match = DATE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match:
        year, month, day, of_year, hours, minutes, seconds = match.groups()
        try:
            if of_year:
                ordinal = date(int(year), 1, 1).toordinal() + int(of_year) - 1
                valid = 1 <= int(of_year) <= 366
            else:
                ordinal, valid = date(int(year), int(month), int(day)).toordinal(), True
            clock = 3600 * int(hours or 0) + 60 * int(minutes or 0) + Decimal(seconds or 0)
            if valid and int(hours or 0) < 24 and int(minutes or 0) < 60 and Decimal(seconds or 0) < 61:
                return (ordinal - FIRST_DAY) * DAY - DAY // 2 + clock
        except ValueError:
            pass
    raise InvalidInputError("epoch", text, "a date like 2031-05-04T12:00:00.5")


def iso_date(seconds: Decimal) -> str:
    """The date so many seconds past J2000, to picoseconds.

    >>> iso_date(Decimal("-43200"))
    '2000-01-01T00:00:00.000000000000'
    """
    ticks = int((seconds + DAY // 2).scaleb(DIGITS).to_integral_value())
    days, ticks = divmod(ticks, DAY * 10**DIGITS)
    whole, fraction = divmod(ticks, 10**DIGITS)
    try:
        day = date.fromordinal(FIRST_DAY + days)
    except (ValueError, OverflowError):
        raise InvalidInputError("epoch", f"{seconds:g} s past J2000", "dates in the years 1 to 9999") from None
    minutes, s = divmod(whole, 60)
    return f"{day.isoformat()}T{minutes // 60:02d}:{minutes % 60:02d}:{s:02d}.{fraction:0{DIGITS}d}"


DEFAULT = EpochAndFrame()
