"""Bodies with a shape in scenarios: what a table makes, and what each mistake is told."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Box, Compound, Cylinder, Part
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario, scenario_from_text
from polhode.io.scenario.examples import find_example
from polhode.io.scenario.template import toml
from polhode.io.scenario.validation import ScenarioError

TEXT = """
[system]
type = "Pendulum3D"
pivot = [0.0, 0.0, 0.3]
[system.body]
type = "compound"
[[system.body.parts]]
type = "box"
sides = [0.1, 0.2, 0.6]
mass = 1.0
[[system.body.parts]]
type = "cylinder"
radius = 0.05
height = 0.4
density = 500.0
position = [0.0, 0.0, -0.3]
axis = [1, 0, 0]
[state]
omega = [0.7, -0.6, 0.5]
[run]
step = 0.1
steps = 1
"""


def system_of(text: str) -> ph.System:
    return build_plan(scenario_from_text("body.toml", text)).system


def test_a_table_is_the_body_that_python_makes() -> None:
    rod = Part(Cylinder(0.05, 0.4, density=500.0), [0.0, 0.0, -0.3], axis=[1, 0, 0])
    body = Compound([Box([0.1, 0.2, 0.6], mass=1.0), rod])
    expected = ph.Pendulum3D(body, pivot=[0.0, 0.0, 0.3])
    found = system_of(TEXT)
    assert found.describe() == expected.describe()
    assert np.array_equal(found.parameters(), expected.parameters())


def test_several_bodies() -> None:
    box = '{type = "box", sides = [1, 2, 3], mass = 1.0}'
    run = "[state]\n[run]\nstep = 0.1\nsteps = 1\n"
    found = system_of(f'[system]\ntype = "CoupledBodies"\nbodies = [{box}, {box}]\ncouplings = [[0, 1, 0.5]]\n{run}')
    assert np.array_equal(found.inertias[1].matrix, Box([1, 2, 3], mass=1.0).inertia)
    shells = system_of(f'[system]\ntype = "ConcentricShells"\nbody1 = {box}\ninertia2 = [1, 2, 2]\nK = 1.0\n{run}')
    assert shells.inertias[0].body is not None


def test_a_description_is_a_table() -> None:
    body = system_of(TEXT).shape
    assert body is not None
    assert tomllib.loads(f"body = {toml(body.describe())}")["body"] == body.describe()


def test_the_t_handle_turns_over() -> None:
    plan = build_plan(load_scenario(find_example("t_handle"), ["run.t_end=5.0"]))
    moments = plan.system.inertia.moments
    assert moments[0] < plan.system.inertia.matrix[2, 2] < moments[2]  # it spins about the middle axis
    up = plan.run().R[:, 2, 2]
    assert up[0] == 1.0
    assert up.min() < -0.99


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type = "box"', 'type = "brick"', r"system.body.parts\[0\].type = 'brick': expected one of"),
        ("sides = [0.1, 0.2, 0.6]\n", "", r"system.body.parts\[0\].sides is missing"),
        ("mass = 1.0\n", "", r"system.body.parts\[0\].mass = None: expected either mass or density"),
        ("radius = 0.05", "radios = 0.05", r"system.body.parts\[1\].radios is unknown; did you mean 'radius'"),
        ("axis = [1, 0, 0]", "axis = [0, 0, 0]", r"system.body.parts\[1\].axis = .*nonzero"),
        ("position = [0.0", "position = [0.0, 0.0", r"system.body.parts\[1\].position"),
        ("density = 500.0", 'density = 500.0\ncolour = "red"', r"system.body.parts\[1\].colour = 'red'.*#rrggbb"),
        ("pivot = [0.0, 0.0, 0.3]", "", r"system.pivot = None: pivot is missing"),
        ("pivot = [0.0, 0.0, 0.3]", "inertia_cm = [1, 2, 3]", "body and inertia_cm exclude each other"),
        ("[system.body]", "[system.inertia_cm]", r"a body with a shape is described in \[system.body\]"),
        ("parts]]", "part]]", "system.body.part is unknown; did you mean 'parts'"),
    ],
)
def test_mistakes_are_named(old: str, new: str, message: str) -> None:
    text = TEXT.replace(old, new)
    if old == "[system.body]":
        text = text.replace("[[system.body.parts]]", "[[system.inertia_cm.parts]]")
    with pytest.raises(ScenarioError, match=message):
        system_of(text)


def test_an_inertia_that_is_missing_is_told_of_bodies() -> None:
    with pytest.raises(ScenarioError, match=r"system.inertia is missing: .*\[system.body\]"):
        system_of('[system]\ntype = "FreeRigidBody"\n[state]\n[run]\nstep = 0.1\nsteps = 1\n')
