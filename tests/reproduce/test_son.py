"""The statements of the paper on the symmetric representation of the rigid body."""

from __future__ import annotations

import pytest

from polhode import reproduce
from polhode.reproduce import Comparison

pytestmark = pytest.mark.verify


SOURCE = "son"


def test_every_row_is_as_expected(rows: list[Comparison]) -> None:
    assert [row.as_dict() for row in reproduce.unexpected(rows)] == []


def test_misprints_have_reasons_and_clear_differences(rows: list[Comparison]) -> None:
    wrong = [row for row in rows if row.verdict == "misprint"]
    assert {row.place for row in wrong} == {
        "(3.12)",
        "(3.15)",
        "(4.5), prop. 4.1",
        "(5.4)",
        "(5.5)",
        "(6.17)",
        "(6.6)",
        "(6.8), (6.9)",
        "(7.19)",
        "(8.8)",
        "(8.10)",
        "after prop. 3.6",
        "before thm 7.2",
        "def. 3.5",
        "def. of E_L",
        "prop. 3.11",
        "thm 7.4",
    }
    assert all(len(row.reason) > 10 for row in wrong)
    assert min(abs(row.computed - row.published) for row in wrong) > 1e-3
