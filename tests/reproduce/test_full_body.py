"""The dumbbells of [LLM07]."""

from __future__ import annotations

import pytest

from polhode.reproduce import unexpected
from polhode.reproduce.base import MISPRINT
from polhode.reproduce.full_body import compare_full_body, published_run

pytestmark = pytest.mark.verify


def test_every_published_number_agrees_and_every_misprint_shows() -> None:
    rows = compare_full_body()
    assert unexpected(rows) == []
    assert [row.place for row in rows if row.verdict == MISPRINT] == ["(77)", "3.2.2", "(54)", "(119)", "(123)"]
    (energy,) = [row for row in rows if row.quantity == "max |E − E₀|"]
    assert abs(energy.difference) < 5e-11


def test_the_run_is_that_of_the_demonstration() -> None:
    assert published_run().stats.steps == 100_000
