"""`polhode bench`: it measures, writes, compares, and leaves out what is not installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from polhode.bench import peers
from polhode.cli import main


def test_a_quick_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    file = tmp_path / "found.json"
    done = CliRunner().invoke(main, ["bench", "--quick", "--problem", "free_body", "--json", str(file)])
    assert done.exit_code == 0, done.output
    assert "heyoka is not installed: left out" in done.output
    assert "Free body, t = 100" in done.output
    found = json.loads(file.read_text())
    (result,) = found["results"]
    rows = {row["solver"]: row for row in result["rows"]}
    assert rows["Exact"]["error"] < 1e-13
    assert all(row["seconds"] > 0.0 for row in result["rows"])
    assert rows["Exact"]["ratio"] == pytest.approx(rows["Exact"]["seconds"] / result["yardstick"])
    assert not any(name.startswith(("SciPy", "heyoka")) for name in rows)
    again = CliRunner().invoke(main, ["bench", "--quick", "--problem", "import", "--peer", "c", "--against", str(file)])
    assert "No ratio changed" in again.output  # no problem in common


def test_problems_are_listed() -> None:
    done = CliRunner().invoke(main, ["bench", "--list"])
    assert all(name in done.output for name in ("free_body", "ensemble", "filters", "heyoka", "rebound"))


def test_wrong_input_is_refused_at_once(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["bench", "--problem", "juggling"])
    assert done.exit_code == 2
    assert "problem = 'juggling': expected one of free_body" in done.output
    (tmp_path / "other.json").write_text("{}")
    done = CliRunner().invoke(main, ["bench", "--against", str(tmp_path / "other.json")])
    assert done.exit_code == 2
    assert "not a result of" in done.output
