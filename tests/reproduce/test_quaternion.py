"""The claims and misprints of the source on quaternion variational integrators."""

from __future__ import annotations

import pytest

from polhode import reproduce
from polhode.reproduce import Comparison
from polhode.reproduce.base import MISPRINT
from polhode.reproduce.quaternion import at_least, at_most
from polhode.view.figures.catalogue import write_figures


@pytest.fixture(scope="module")
def rows() -> list[Comparison]:
    return reproduce.sources()["quaternion"]()


@pytest.mark.verify
def test_every_row_is_as_it_should_be(rows: list[Comparison]) -> None:
    assert [row.as_dict() for row in reproduce.unexpected(rows)] == []


@pytest.mark.verify
def test_every_figure_has_its_claims(rows: list[Comparison]) -> None:
    assert {f"Fig. {k}" for k in range(1, 8)} <= {row.place for row in rows}


@pytest.mark.verify
def test_what_is_wrong_says_why(rows: list[Comparison]) -> None:
    wrong = {row.place: row.misprint for row in rows if row.verdict == MISPRINT}
    assert {"(63)", "(66), (67)", "VIII, by f", "after (31)", "(36), (37)", "after (37)", "(69)", "sec. X"} <= set(
        wrong
    )
    assert all(wrong.values())
    assert "substeps and a consistent Φ" in wrong["Fig. 7"]


def test_a_bound_can_fail() -> None:
    assert at_most("here", "x", 1.0, 1.1).verdict == "differs"
    assert at_least("here", "x", 1.0, 0.9).verdict == "differs"
    assert at_most("here", "x", 1.0, float("nan")).verdict == "differs"
    assert at_most("here", "x", 1.0, 1.1, "a slip").as_expected
    assert not at_most("here", "x", 1.0, 0.9, "a slip").as_expected, "a misprint must show"


@pytest.mark.verify
def test_figures(tmp_path) -> None:
    files = write_figures(reproduce.figures("quaternion"), tmp_path / "figures")
    assert [file.name for file in files] == [f"quaternion_figure_{k}.png" for k in range(1, 8)]
    assert all(len(file.read_bytes()) > 10_000 for file in files), "not blank"
