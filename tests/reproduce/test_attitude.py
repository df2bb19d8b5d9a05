"""The statements of the chapter on rotating rigid bodies."""

from __future__ import annotations

import pytest

from polhode import reproduce
from polhode.reproduce import Comparison

SOURCE = "attitude"


@pytest.mark.verify
def test_every_row_is_as_expected(rows: list[Comparison]) -> None:
    assert [row.as_dict() for row in reproduce.unexpected(rows)] == []


@pytest.mark.verify
def test_misprints_have_reasons_and_clear_differences(rows: list[Comparison]) -> None:
    wrong = [row for row in rows if row.verdict == "misprint"]
    places = {"6.3.1", "6.6.2.1", "6.6.2.2", "6.6.2.4", "6.6.3.1", "6.6.3.3", "6.6.3.4", "6.6.4.4", "6.6.4.6"}
    assert {row.place for row in wrong} == places | {"problem 6.13 (a)", "problem 6.15"}
    assert len(wrong) == 14
    assert all(len(row.reason) > 10 for row in wrong)
    assert min(abs(row.computed - row.published) for row in wrong) > 1e-3


@pytest.mark.verify
def test_every_section_and_every_problem_is_there(rows: list[Comparison]) -> None:
    places = " ".join(row.place for row in rows)
    problems = (f"problem 6.{k}" for k in (*range(1, 6), *range(7, 19)))
    for place in ("6.6.1", "6.6.2", "6.6.3", "6.6.4", *problems):
        assert place in places
