"""Comparisons can fail: a NaN, an infinity and a slightly wrong value each give the verdict "differs"."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from polhode.reproduce import Comparison, misprint_reasons, table_row, unexpected
from polhode.reproduce.base import (
    at_least,
    at_most,
    correct_statement,
    counted,
    last_digit,
    misprint,
    published_value,
)

RIGHT = {
    "value": published_value("Table 1", "x", "20.571428", 20.5714283),
    "truncated": published_value("Table 1", "x", "20.571428", 20.5714289, truncated=True),
    "statement": correct_statement("(1)", "residual", 3e-15),
    "count": counted("6.6", "equilibria", 24, 24),
    "misprint": misprint("(2)", "a sum", 1.0, 2.0, 2.0, "a wrong sign"),
    "vector": misprint("(3)", "a vector", [0.0, 0.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.5, 1.0], "a missing term"),
    "upper bound": at_most("Fig. 1", "error", 1e-12, 9e-13),
    "lower bound": at_least("Fig. 2", "ratio", 50.0, 51.0),
    "known upper bound": at_most("Fig. 3", "error", 0.5, 0.35, 0.35 + 1e-9, 1e-8),
    "known lower bound": at_least("Fig. 4", "ratio", 50.0, 184.8, 184.81, 5e-4),
}
SLIGHTLY_WRONG = {
    "value": 20.5714286,  # rounds to 20.571429
    "truncated": 20.5714291,
    "statement": 2e-11,
    "count": 23.0,
    "misprint": 2.0 + 2e-11,
    "vector": 0.5 - 2e-11,
    "upper bound": 1.1e-12,
    "lower bound": 49.9,
    "known upper bound": 0.35 - 3e-9,  # well below the bound, and wrong
    "known lower bound": 185.0,
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_values_are_as_expected(name: str) -> None:
    row = RIGHT[name]
    assert row.as_expected
    assert row.verdict == ("misprint" if row.corrected is not None else "agrees")
    assert unexpected([row]) == []


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_differ(name: str, wrong: float) -> None:
    row = replace(RIGHT[name], computed=wrong)
    assert row.verdict == "differs"
    assert unexpected([row]) == [row]
    assert table_row(row)["verdict"] == "differs"


@pytest.mark.parametrize("name", RIGHT)
def test_slightly_wrong_values_differ(name: str) -> None:
    assert replace(RIGHT[name], computed=SLIGHTLY_WRONG[name]).verdict == "differs"


@pytest.mark.parametrize("name", ["misprint", "vector"])
def test_a_misprint_that_ours_agrees_with_differs(name: str) -> None:
    row = RIGHT[name]
    assert replace(row, computed=row.published).verdict == "differs"
    assert replace(row, published=row.corrected).verdict == "differs"
    assert misprint_reasons([row]) == [f"{row.place}: {row.reason}"]


def test_a_known_number_must_also_meet_its_bound() -> None:
    assert at_most("Fig. 3", "error", 0.5, 0.6, 0.6).verdict == "differs"
    assert at_least("Fig. 4", "ratio", 50.0, 40.0, 40.0).verdict == "differs"


@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.5 + 1e-9])
def test_every_component_of_a_vector_counts(bad: float) -> None:
    """An error in a component that the misprint does not concern shows too."""
    row = misprint("(3)", "a vector", [0.0, 0.0, 1.0], [0.5, 0.5, 1.0], [bad, 0.5, 1.0], "a missing term")
    assert row.verdict == "differs"
    assert misprint("(4)", "a matrix", np.zeros((2, 2)), np.eye(2), np.eye(2), "it is not zero").verdict == "misprint"


def test_tolerances_come_from_the_published_digits() -> None:
    assert last_digit("2.6966e-7") == pytest.approx(1e-11)
    assert published_value("5.2", "E", "2.6966e-7", 2.69664e-7).as_expected
    assert not published_value("5.2", "E", "2.6966e-7", 2.69666e-7).as_expected
    assert published_value("5.2", "E", "2.6966e-7", 2.6963e-7, digits=4).as_expected
    assert not published_value("5.2", "E", "2.6966e-7", 2.6960e-7, digits=4).as_expected


def test_tables_have_the_published_digits() -> None:
    shown = table_row(RIGHT["value"])
    assert (shown["published"], shown["ours"]) == ("20.571428", "20.57142830")
    assert table_row(published_value("Table 7", "K", "719.050090", 719.0500908))["published"] == "719.050090"
    assert table_row(RIGHT["misprint"])["corrected"] == "2"
    assert table_row(Comparison("a", "b", 0.0, 1e-16, 1e-11))["ours"] == "1.0e-16"
