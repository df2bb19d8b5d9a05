"""A scenario written as text is read back as the same tables."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime

import pytest

from polhode.io.scenario.examples import example_scenarios
from polhode.io.scenario.text import changed, scenario_text

ODD = {
    "title": 'quotes " and \\ and \x7f \x01 \u202e \U0001f680',
    "description": 'two\nlines with """ in them',
    "text": "\nlines\n\n",
    "end": 'line\nends with "',
    "empty": "",
    "key with blanks": 1,
    "numbers": [1, -2.5, 1e300, 5e-324, 0.1 + 0.2, 2**53 + 1, float("inf")],
    "nested": [[1.0, 2.0], [[True], []]],
    "mixed": [1, {"a": {"b": [date(2026, 1, 2)]}, "c d": "x"}],
    "epoch": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    "table": {"inner": {"deep": {"x": 1.0}}, "list": [{"a": 1, "of": [{"b": 2}]}, {"a": 2}], "nothing": {}},
}


@pytest.mark.parametrize("name", example_scenarios())
def test_every_example_comes_back(name: str) -> None:
    document = tomllib.loads(example_scenarios()[name].read_text(encoding="utf-8"))
    assert tomllib.loads(scenario_text(document)) == document


def test_what_is_odd_comes_back() -> None:
    found = tomllib.loads(scenario_text(ODD))
    numbers = found.pop("numbers")
    assert found == {key: value for key, value in ODD.items() if key != "numbers"}
    assert numbers == pytest.approx(ODD["numbers"], rel=1e-15, abs=0)


def test_changes_at_any_depth() -> None:
    document = tomllib.loads(scenario_text(ODD))
    changed(document, ["table", "list", 0, "of", 0, "b"], "[1, 2]")
    changed(document, ["table", "inner"], "")
    changed(document, ["new", "table", "x"], "plain words")
    assert document["table"]["list"][0]["of"] == [{"b": [1, 2]}]
    assert "inner" not in document["table"]
    assert document["new"] == {"table": {"x": "plain words"}}
