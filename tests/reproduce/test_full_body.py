"""The dumbbells of [LLM07]: every row is as it should be, and a row can fail."""

from __future__ import annotations

from polhode.reproduce import failing
from polhode.reproduce.base import WRONG_PRINT
from polhode.reproduce.full_body import full_body, run


def test_every_printed_number_is_found_and_every_misprint_shows() -> None:
    rows = full_body()
    assert failing(rows) == []
    assert sum(row.verdict == WRONG_PRINT for row in rows) == 5
    (energy,) = [row for row in rows if row.what == "max |E − E₀|" and row.where == "5.2"]
    assert abs(energy.difference) < 5e-11


def test_the_run_is_the_demo() -> None:
    assert run().stats.steps == 100_000
