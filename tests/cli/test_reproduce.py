"""The command `reproduce`."""

from __future__ import annotations

import pytest

from polhode.reproduce import Comparison

from .command import polhode

pytestmark = pytest.mark.usefixtures("in_new_folder")


def test_reproduce_prints_published_values_and_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    slip = Comparison("(7)", "y", 2.0, 3.0, 1e-3, corrected=3.0, reason="a slip")
    rows = [Comparison("Table 1", "x", 1.25, 1.250001, 1e-3), slip]
    monkeypatch.setattr("polhode.reproduce.sources", lambda: {"paper": lambda: rows})
    done = polhode("reproduce")
    for said in ("paper: published values and ours", "1.250001", "agrees", "misprint", "(7): a slip"):
        assert said in done.stdout
    assert done.stderr == ""
    rows.append(Comparison("Table 2", "z", 1.0, 2.0, 1e-3))
    assert "differs" in polhode("reproduce", "paper", code=1).stdout
    assert "all, or one of paper" in polhode("reproduce", "nothing", code=2).stderr


@pytest.mark.verify
def test_reproduce_of_a_source() -> None:
    done = polhode("reproduce", "nontwisting")
    assert "agrees" in done.stdout
    assert "differs" not in done.stdout
