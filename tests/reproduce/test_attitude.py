"""The statements of the chapter on rigid bodies that turn."""

from __future__ import annotations

import pytest

from polhode import reproduce
from polhode.reproduce import Comparison
from polhode.reproduce.attitude import compare_attitude
from polhode.reproduce.base import MISPRINT

pytestmark = pytest.mark.verify


@pytest.fixture(scope="module")
def rows() -> list[Comparison]:
    return reproduce.sources()["attitude"]()


def test_every_row_is_as_it_should_be(rows: list[Comparison]) -> None:
    assert [row.as_dict() for row in reproduce.unexpected(rows)] == []
    assert reproduce.sources()["attitude"] is compare_attitude


def test_what_is_printed_wrong(rows: list[Comparison]) -> None:
    """Every misprint that a number can show, and each says why."""
    wrong = [row for row in rows if row.verdict == MISPRINT]
    places = {"6.3.1", "6.6.2.1", "6.6.2.2", "6.6.2.4", "6.6.3.1", "6.6.3.3", "6.6.3.4", "6.6.4.4", "6.6.4.6"}
    assert {row.place for row in wrong} == places | {"problem 6.13 (a)", "problem 6.15"}
    assert len(wrong) == 14
    assert all(len(row.misprint) > 10 for row in wrong)
    assert min(abs(row.difference) for row in wrong) > 1e-3, "far beyond rounding"


def test_what_is_corrected_leaves_no_defect(rows: list[Comparison]) -> None:
    corrected = [row for row in rows if row.quantity.startswith("corrected: ")]
    assert len(corrected) >= 8
    assert max(abs(row.difference) for row in corrected) < 1e-8


def test_every_section_and_most_problems_are_there(rows: list[Comparison]) -> None:
    places = " ".join(row.place for row in rows)
    for place in (
        "6.6.1",
        "6.6.2",
        "6.6.3",
        "6.6.4",
        *(f"problem 6.{k}" for k in (1, 2, 7, 9, 10, 11, 13, 15, 16, 17)),
    ):
        assert place in places
