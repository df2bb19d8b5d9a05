"""The claims and misprints of the source on quaternion variational integrators."""

from __future__ import annotations

import pytest

from polhode import reproduce
from polhode.errors import ConvergenceError
from polhode.reproduce import Comparison
from polhode.reproduce.quaternion_experiments import FILTERS, filter_error
from polhode.view.figures.catalogue import write_figures

SOURCE = "quaternion"


@pytest.mark.verify
def test_every_row_is_as_expected(rows: list[Comparison]) -> None:
    assert [row.as_dict() for row in reproduce.unexpected(rows)] == []


@pytest.mark.verify
def test_every_figure_has_its_claims(rows: list[Comparison]) -> None:
    assert {f"Fig. {k}" for k in range(1, 8)} <= {row.place for row in rows}


@pytest.mark.verify
def test_misprints_have_reasons(rows: list[Comparison]) -> None:
    wrong = {row.place: row.reason for row in rows if row.verdict == "misprint"}
    formulas = {"(63)", "(66), (67)", "VIII, by f", "after (31)", "(36), (37)", "after (37)", "(69)"}
    assert formulas | {"sec. X", "Fig. 7"} == set(wrong)
    assert all(wrong.values())


def test_a_filter_that_fails_raises_its_error() -> None:
    """A failure is not an infinite error, which would confirm a misprint."""
    with pytest.raises(ConvergenceError, match="largest usable step"):
        filter_error(next(iter(FILTERS)), 10.0)


@pytest.mark.verify
def test_figures(tmp_path) -> None:
    files = write_figures(reproduce.figures("quaternion"), tmp_path / "figures")
    assert [file.name for file in files] == [f"quaternion_figure_{k}.png" for k in range(1, 8)]
    assert all(len(file.read_bytes()) > 10_000 for file in files), "not blank"
