"""Text in a scenario or a result file is never executed, wherever a formula may stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import netCDF4
import pytest
import sympy
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main

HIT = "hit"
CODE = f"__import__('pathlib').Path('{HIT}').touch()"
QUOTED = json.dumps(CODE)
POINTS = 'type = "ChargedPoints", inertia = [1, 2, 2.5], charges = [1, -1], positions = [[1, 0, 0], [0, 1, 0]]'
BODY = 'type = "AttitudeBody", inertia = [1, 2, 2.5]'
FIELD = 'type = "FieldBody", masses = [1, 1, 2], positions = [[1, 0, 0], [-1, 0, 0], [0, 1, 0]]'
PULL = (
    'type = "FullBodyProblem", bodies = [{ type = "sphere", radius = 1.0, mass = 1.0 }, '
    '{ type = "sphere", radius = 1.0, mass = 1.0 }]'
)
# where a formula may stand: the code as text, and hidden one and two lists or a table deep
SHAPES = {
    "text": QUOTED,
    "a list": f"[{QUOTED}]",
    "a list of lists": f"[[{QUOTED}]]",
    "a table": f"{{ x = {QUOTED} }}",
    "three": f'[{QUOTED}, "0", "0"]',
    "three lists": f'[[{QUOTED}], "0", "0"]',
    "three tables": f'[{{ x = {QUOTED} }}, "0", "0"]',
}
PLACES = {
    "linear": f"{BODY}, linear = @",
    "potential": f"{BODY}, potential = @",
    "moment": f"{BODY}, moment = @",
    "electric": f"{POINTS}, electric = @",
    "magnetic": f"{POINTS}, magnetic = @",
    "field": f"{FIELD}, potential = @",
    "distant body": f'{PULL}, perturbations = [{{ type = "distant_body", mass = 1.0, position = @ }}]',
    "external potential": f'{PULL}, perturbations = [{{ type = "potential", potential = @ }}]',
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("place", PLACES)
def test_nothing_in_a_scenario_runs(place: str, shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    system = PLACES[place].replace("@", SHAPES[shape])
    (tmp_path / "bad.toml").write_text(f"system = {{ {system} }}\nstate = {{}}\nrun = {{ step = 0.1, steps = 1 }}\n")
    result = CliRunner().invoke(main, ["check", "bad.toml"])
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("polhode: ")
    assert not (tmp_path / HIT).exists()


def body_with(name: str) -> ph.State:
    if name == "magnetic":
        return ph.ChargedPoints([1, 2, 2.5], [1, -1], [[1, 0, 0], [0, 1, 0]], magnetic=["0", "x*z", "0"]).state()
    return ph.AttitudeBody([1, 2, 2.5], **{name: ["R11", "0", "0"] if name == "linear" else "R33"}).state()


@pytest.mark.parametrize("hidden", [CODE, [CODE], [[CODE], "0", "0"], [{"x": CODE}, "0", "0"]], ids=str)
@pytest.mark.parametrize("name", ["linear", "potential", "magnetic"])
def test_nothing_in_a_result_runs(name: str, hidden: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    state = body_with(name)
    ph.simulate(state, step=0.1, steps=1).save("run.nc")
    with netCDF4.Dataset("run.nc", "a") as file:
        parameters = json.loads(file.polhode_parameters)
        assert name in parameters
        file.polhode_parameters = json.dumps(parameters | {name: hidden})
    with pytest.raises(ph.PolhodeError, match=name):
        ph.load("run.nc")
    assert not (tmp_path / HIT).exists()


def test_a_formula_is_text_a_number_or_a_sympy_expression() -> None:
    R33 = sympy.Symbol("R33")
    for linear in (["0.5*R33", 0, 0.25], [R33 / 2, sympy.Integer(0), sympy.Rational(1, 4)]):
        body = ph.AttitudeBody([1, 2, 2.5], linear=linear)
        assert body.describe()["linear"] in (["0.5*R33", "0", "0.25"], ["R33/2", "0", "1/4"])
    for wrong in (None, b"R33", {"x": 1}, 1j):
        with pytest.raises(ph.InvalidInputError, match=r"linear\[0\].*a formula"):
            ph.AttitudeBody([1, 2, 2.5], linear=[wrong, 0, 0])
