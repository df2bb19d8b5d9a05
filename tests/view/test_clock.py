"""The time as people read it, in Python; the browser shows the same text (tests/view/html)."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.view.clock import Clock

EPOCH = ph.Epoch("2031-12-31T23:00:00")
DAY = 86400.0


@pytest.mark.parametrize(
    ("clock", "t", "text"),
    [
        (Clock(30 * DAY, 1.0), 3 * DAY + 4 * 3600 + 59, "3 d 4 h"),
        (Clock(30.0, DAY), 3.5, "3 d 12 h"),
        (Clock(5 * 3600.0, 1.0), 3661.0, "1 h 1 min"),
        (Clock(300.0, 1.0), 61.5, "1 min 1 s"),
        (Clock(20.0, 1.0), 1.25, "1.25 s"),
        (Clock(30.0, DAY), -1.5, "−1 d 12 h"),
        (Clock(0.1 * 3600, 1.0), 0.1 * 600, "1 min 0 s"),  # 59.999… s in binary
        (Clock(20.0), 1.25, "t = 1.25"),
        (Clock(30.0, DAY, EPOCH), 1.0, "1 d 0 h, 2032-01-01 23:00 TDB"),
        (Clock(300.0, 1.0, EPOCH), 61.0, "1 min 1 s, 2031-12-31 23:01:01 TDB"),
    ],
)
def test_text(clock: Clock, t: float, text: str) -> None:
    assert clock.text(t) == text
