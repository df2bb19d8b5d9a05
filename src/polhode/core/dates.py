"""Dates: the epoch of a run, and dates as seconds, in decimal arithmetic, so that no digits are lost far from the epoch.

Every day has 86 400 seconds in the chosen time system, which is exact for the default, TDB.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal, localcontext

from ..errors import InvalidInputError
from .call_help import explained
from .checks import one_of

# the time systems of the CCSDS (502.0-B-2, annex A2)
TIME_SYSTEMS = ("GMST", "GPS", "MET", "MRT", "SCLK", "TAI", "TCB", "TDB", "TCG", "TT", "UT1", "UTC")
DIGITS = 12  # decimals of the seconds in written dates: picoseconds
DATE = re.compile(r"(\d{4})-(?:(\d\d)-(\d\d)|(\d{3}))(?:[T ](\d\d):(\d\d):(\d\d(?:\.\d{1,40})?)Z?)?", re.ASCII)
DAY = 86400
FIRST_DAY = date(2000, 1, 1).toordinal()
NAME = re.compile(r"[A-Za-z0-9_ .+-]{1,40}")


@explained
@dataclass(frozen=True)
class Epoch:
    """`date`: that of t = 0, in the time system `time_system`. `frame`: the inertial frame of the coordinates. `centre`: the
    name of its origin.

    >>> Epoch("2031-05-04").after(90000.5)
    '2031-05-05T01:00:00.500000000000'
    """

    date: str
    time_system: str = "TDB"
    frame: str = "J2000"
    centre: str = "ORIGIN"

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "date", getattr(self.date, "isoformat", lambda: self.date)()
        )  # a date of TOML or Python
        seconds_past_j2000(self.date)
        one_of("time_system", self.time_system, TIME_SYSTEMS)
        for name in ("frame", "centre"):
            value = getattr(self, name)
            if not isinstance(value, str) or not NAME.fullmatch(value) or not value.strip():
                raise InvalidInputError(name, value, "a name of letters, digits, spaces and _ . + -")

    @classmethod
    def given(cls, epoch: Epoch | str | Mapping[str, str] | None) -> Epoch | None:
        """The epoch that a user gave: an `Epoch`, a date, a mapping with its arguments, or None for none."""
        if epoch is None or isinstance(epoch, Epoch):
            return epoch
        if isinstance(epoch, Mapping):
            if not set(epoch) <= set(cls.__dataclass_fields__) or "date" not in epoch:
                raise InvalidInputError("epoch", epoch, "a date, or a mapping with date, time_system, frame and centre")
            return cls(**epoch)
        return cls(epoch)

    def describe(self) -> dict[str, str]:
        """The epoch as plain data."""
        return asdict(self)

    def after(self, seconds: float | Decimal) -> str:
        """The date so many seconds after the epoch."""
        with localcontext(prec=60):
            return iso_date(seconds_past_j2000(self.date) + Decimal(seconds))

    def __str__(self) -> str:
        return f"{self.date} {self.time_system}"


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
