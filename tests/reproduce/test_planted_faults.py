"""Every row of published values can fail: for each there is a fault in the library, mostly of a thousandth, that turns it red."""

from __future__ import annotations

import warnings

import pytest

from .faults import FAULTS
from .planting import Fault, fits, forget_runs, label


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_turns_its_rows_red(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_runs()
    fault.plant(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a wrong run may well be warned of
        rows = fault.rows()
    monkeypatch.undo()
    forget_runs()
    same = [other for other in FAULTS if other.rows == fault.rows]
    assert [label(row) for row in rows if fault.covers(row) and row.as_expected] == [], "these stay green"
    assert [pattern for pattern in fault.red if not any(fits(row, pattern) for row in rows)] == [], (
        "no row is like these"
    )
    assert [label(row) for row in rows if not any(other.covers(row) for other in same)] == [], (
        "no fault turns these red"
    )
