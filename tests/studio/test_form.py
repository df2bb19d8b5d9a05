"""The form of a scenario has its entries and the methods that fit; changes arrive where they belong."""

from __future__ import annotations

import json
import tomllib

import pytest

import polhode as ph
from polhode.io.scenario.examples import example_scenarios, find_example
from polhode.studio.form import MOST_CHANGES, changed_text, scenario_form


def text_of(name: str) -> str:
    return find_example(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", example_scenarios())
def test_every_example_has_a_form_that_a_page_can_read(name: str) -> None:
    form = scenario_form(text_of(name))
    json.dumps(form, allow_nan=False)
    document = tomllib.loads(text_of(name))
    for group in form["groups"]:
        shown = {row["label"] for row in group["rows"]} | ({"step", "tolerance"} if group["name"] == "run" else set())
        assert set(document[group["name"]]) <= shown
        for row in group["rows"]:
            value: object = document
            for key in row["place"]:
                value = value[key]  # type: ignore[index]
            assert row["kind"] in ("fixed", "switch", "numbers", "choice", "table", "text")
            if row["kind"] == "numbers":
                assert row["value"] == value
    assert document.get("method", {}).get("type", "LGVI") in [method["name"] for method in form["methods"]]


def test_the_methods_are_those_that_fit_with_their_orders() -> None:
    form = scenario_form(text_of("planar_pendulum"))
    methods = {method["name"]: method for method in form["methods"]}
    assert "MoserVeselov" not in methods
    (order,) = [option for option in methods["LGVI"]["options"] if option["key"] == "order"]
    assert order["choices"] == [2, 4, 6, 8]
    assert order["default"] == 2


def test_keys_that_are_left_out_are_offered_with_their_meaning() -> None:
    (state,) = [group for group in scenario_form(text_of("free_rigid_body"))["groups"] if group["name"] == "state"]
    offered = {entry["key"]: entry["description"] for entry in state["absent"]}
    assert "omega" not in offered
    assert "rotation matrix" in offered["R"]


def test_changes_change_only_what_they_name() -> None:
    text = text_of("two_dumbbells")
    changes = [
        [["system", "body2", "inertia", 1], "0.25"],
        [["method"], ""],
        [["method", "type"], '"RK4"'],
        [["run", "save_every"], ""],
        [["title"], 'a "quoted" title'],
    ]
    expected = tomllib.loads(text)
    expected["system"]["body2"]["inertia"][1] = 0.25
    expected["method"] = {"type": "RK4"}
    del expected["run"]["save_every"]
    expected["title"] = 'a "quoted" title'
    assert tomllib.loads(changed_text(text, changes)) == expected


@pytest.mark.parametrize(
    "changes",
    [
        "run.step=1",
        [["run.step", "1"]],
        [[["run", "step"], 1]],
        [[[], "1"]],
        [[["run", True], "1"]],
        [[["run", 1.5], "1"]],
        [[["state", "omega", 3], "1"]],
        [[["state", "omega", -1], "1"]],
        [[["state", "omega", "x"], "1"]],
        [[["title", "x"], "1"]],
        [[["run", "step"], "1"]] * (MOST_CHANGES + 1),
        [[["a"] * 20, "1"]],
    ],
    ids=str,
)
def test_changes_that_are_none_are_refused(changes: object) -> None:
    with pytest.raises(ph.PolhodeError):
        changed_text(text_of("free_rigid_body"), changes)


def test_a_value_cannot_smuggle_in_other_tables() -> None:
    text = changed_text(text_of("free_rigid_body"), [[["title"], 'x"\n[system]\ntype = "Other"']])
    assert tomllib.loads(text)["system"]["type"] == "FreeRigidBody"
    text = changed_text(text_of("free_rigid_body"), [[["title"], "1\n[extra]\na = 1"]])
    assert "extra" not in tomllib.loads(text)
