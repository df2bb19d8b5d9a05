"""The dumbbells of [LLM07]: every row is as it should be, and a row can fail."""

from __future__ import annotations

import pytest

from polhode.reproduce import unexpected
from polhode.reproduce.base import MISPRINT
from polhode.reproduce.full_body import compare_full_body, published_run

pytestmark = pytest.mark.verify


def test_every_printed_number_is_found_and_every_misprint_shows() -> None:
    rows = compare_full_body()
    assert unexpected(rows) == []
    assert sum(row.verdict == MISPRINT for row in rows) == 5
    (energy,) = [row for row in rows if row.quantity == "max |E − E₀|" and row.place == "5.2"]
    assert abs(energy.difference) < 5e-11


def test_the_run_is_the_demo() -> None:
    assert published_run().stats.steps == 100_000
