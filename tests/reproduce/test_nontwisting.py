"""The tables and figures of the source on the non-twisting frame."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import reproduce
from polhode.reproduce import Comparison
from polhode.reproduce.nontwisting import CASES
from polhode.view.figures.catalogue import write_figures

SOURCE = "nontwisting"


@pytest.mark.verify
def test_every_row_is_as_expected(rows: list[Comparison]) -> None:
    assert [row.as_dict() for row in reproduce.unexpected(rows)] == []


@pytest.mark.verify
def test_every_table_is_there(rows: list[Comparison]) -> None:
    tables = [row.place for row in rows if row.place.startswith("Table")]
    assert {name: tables.count(name) for name in sorted(set(tables))} == {
        **{f"Table {k}": 5 for k in (1, 3, 5)},
        **{f"Table {k}": 3 for k in (2, 4, 6)},
        **{f"Table {k}": 8 for k in (7, 8, 9)},
    }


@pytest.mark.verify
def test_stationary_values_to_every_published_digit(rows: list[Comparison]) -> None:
    """They are published truncated after six decimals."""
    stationary = [row for row in rows if row.place[:5] == "Table" and row.place[-1] in "789"]
    assert len(stationary) == 24
    for row in stationary:
        assert np.trunc(row.computed * 1e6) == np.rint(row.published * 1e6), row


@pytest.mark.verify
def test_quotients_to_the_accuracy_of_the_source(rows: list[Comparison]) -> None:
    quotients = [row for row in rows if row.quantity.startswith("quotient")]
    assert len(quotients) == 15
    assert max(abs(row.difference) for row in quotients) <= 6e-5


@pytest.mark.verify
def test_misprints_have_reasons(rows: list[Comparison]) -> None:
    wrong = {row.place: row.reason for row in rows if row.verdict == "misprint"}
    assert set(wrong) == {"(24)", "(51b)", "(115)", "(118)"}
    assert all(wrong.values())


def test_the_published_loads_are_twenty_times_those_of_the_tables() -> None:
    assert [20 * c for case in CASES[1:] for c in case.load] == [2472.5, 1075.0, 1236.25, 537.5]


@pytest.mark.verify
def test_twelve_figures(tmp_path) -> None:
    files = write_figures(reproduce.figures("nontwisting"), tmp_path / "figures")
    assert [file.name for file in files] == [f"nontwisting_figure_{k:02d}.png" for k in range(1, 13)]
    for file in files:
        content = file.read_bytes()
        assert content[:4] == b"\x89PNG"
        assert len(content) > 10_000, "not blank"
