"""The statements of the chapter on rigid bodies that turn."""

from __future__ import annotations

import pytest

from polhode import reproduce
from polhode.reproduce import Row
from polhode.reproduce.attitude import attitude


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return reproduce.sources()["attitude"]()


def test_every_row_is_as_it_should_be(rows: list[Row]) -> None:
    assert [row.plain() for row in reproduce.failing(rows)] == []
    assert reproduce.sources()["attitude"] is attitude


def test_what_is_printed_wrong(rows: list[Row]) -> None:
    """Every misprint that a number can show, and each says why."""
    wrong = [row for row in rows if row.verdict == "the print is wrong"]
    places = {"6.3.1", "6.6.2.1", "6.6.2.2", "6.6.2.4", "6.6.3.1", "6.6.3.3", "6.6.3.4", "6.6.4.4", "6.6.4.6"}
    assert {row.where for row in wrong} == places | {"problem 6.13 (a)", "problem 6.15"}
    assert len(wrong) == 14
    assert all(len(row.misprint) > 10 for row in wrong)
    assert min(abs(row.difference) for row in wrong) > 1e-3, "far beyond rounding"


def test_what_is_corrected_leaves_no_defect(rows: list[Row]) -> None:
    corrected = [row for row in rows if row.what.startswith("corrected: ")]
    assert len(corrected) >= 8
    assert max(abs(row.difference) for row in corrected) < 1e-8


def test_every_section_and_most_problems_are_there(rows: list[Row]) -> None:
    places = " ".join(row.where for row in rows)
    for place in (
        "6.6.1",
        "6.6.2",
        "6.6.3",
        "6.6.4",
        *(f"problem 6.{k}" for k in (1, 2, 7, 9, 10, 11, 13, 15, 16, 17)),
    ):
        assert place in places
