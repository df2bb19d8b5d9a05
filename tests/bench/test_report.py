"""What was measured is written and read again, compared, and shown."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import polhode as ph
from polhode.bench import Report, Result, Row, changes
from polhode.bench.tables import accuracy_table, change_lines, markdown, tables

MOTION = Result(
    "motion",
    "A motion",
    "run",
    True,
    1e-7,
    (
        Row("GaussLegendre(16)", "1", 1.0, 1e7, 1e-4),
        Row("GaussLegendre(16)", "2", 4.0, 4e7, 1e-8),
        Row("heyoka", "1", 0.5, 5e6, 1e-3),
        Row("heyoka", "2", 1.0, 1e7, 1e-6),
    ),
)
COSTS = Result(
    "costs",
    "Costs",
    "step",
    False,
    1e-7,
    (Row("C", "", 1e-7, 1.0), Row("ours", "", 1.5e-7, 1.5, None, "C", 1.5, "≤ 1.3", False)),
)
REPORT = Report({"polhode": "1"}, (MOTION, COSTS), ("rebound is not installed",))


def shown(*things: object) -> str:
    console = Console(file=StringIO(), width=120)
    for thing in things:
        console.print(thing)
    return console.file.getvalue()  # type: ignore[attr-defined]


def faster(report: Report, factor: float) -> Report:
    """The same with the times of one row changed."""
    rows = (COSTS.rows[0], Row("ours", "", 1e-7, 1.5 * factor), Row("new", "", 1e-7, 1.0))
    return Report({}, (Result("costs", "Costs", "step", False, 1e-7, rows),))


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    REPORT.write(tmp_path / "found.json")
    assert Report.read(tmp_path / "found.json") == REPORT
    assert json.loads((tmp_path / "found.json").read_text())["results"][1]["rows"][1]["bar"] == "≤ 1.3"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 0}', '{"format": 1, "machine": {}, "results": [1], "notes": []}']
)
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(ph.InvalidInputError, match="not a result of"):
        Report.read(tmp_path / "other.json")


def test_what_changed_is_told() -> None:
    assert [str(c) for c in changes(faster(REPORT, 1.04), REPORT)] == ["costs: new: new"]
    slower = [str(c) for c in changes(faster(REPORT, 1.2), REPORT)]
    assert slower == ["costs: ours: 1.20 times the time, slower", "costs: new: new"]
    back = [str(c) for c in changes(REPORT, faster(REPORT, 1.25))]
    assert back == ["costs: ours: 0.80 times the time, faster", "costs: new: not measured now"]
    assert "No ratio changed" in shown(change_lines([]))


def test_the_time_for_an_error_lies_between_two_runs() -> None:
    assert MOTION.time_for("GaussLegendre(16)", 1e-6) == pytest.approx(2.0)
    assert MOTION.time_for("GaussLegendre(16)", 1e-3) == 1.0
    assert MOTION.time_for("GaussLegendre(16)", 1e-9) is None


def test_tables_show_ratios() -> None:
    text = shown(accuracy_table(MOTION))
    assert "0.5 (1,000)" in text  # heyoka in half the time of ours
    assert "missed" in shown(*tables(REPORT))
    assert markdown(REPORT).splitlines()[2] == "| A motion | 1e-06 | 2,000 | **1,000** |"


def test_the_figure_has_a_panel_per_motion() -> None:
    pytest.importorskip("matplotlib")
    from polhode.bench.figure import draw

    figure = draw(REPORT)
    (ax,) = figure.axes
    assert [line.get_label() for line in ax.lines] == ["GaussLegendre(16)", "heyoka"]
    assert ax.lines[1].get_ydata().tolist() == [1e-3, 1e-6]
