"""The JSON Schema of scenarios: it takes what the library takes, and refuses what it can tell is wrong."""

from __future__ import annotations

import inspect
import json
import tomllib

import pytest
from typer.testing import CliRunner

from polhode.cli import main
from polhode.core.method import known_methods
from polhode.io.scenario.examples import example_scenarios
from polhode.io.scenario.json_schema import scenario_schema
from polhode.io.scenario.key_meanings import MEANINGS
from polhode.systems.registry import known_systems

from .scenarios import GOOD

jsonschema = pytest.importorskip("jsonschema")

# the tables of bodies with a shape, for the arguments whose place they take
BODY_KEYS = {"inertia": "body", "inertia_cm": "body", "inertias": "bodies", "inertia1": "body1", "inertia2": "body2"}
ONE_NUMBER = {"PlanarPendulum", "PlanarBody", "DoublePlanarPendulum"}  # whose inertia is a number, about one axis


@pytest.fixture(scope="module")
def check():
    schema = scenario_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    return lambda text: [error.message for error in validator.iter_errors(tomllib.loads(text))]


@pytest.mark.parametrize("file", example_scenarios().values(), ids=example_scenarios())
def test_every_example_is_fine(file, check):
    assert check(file.read_text()) == []


@pytest.mark.parametrize("cls", known_systems().values(), ids=known_systems())
def test_every_system_as_it_describes_itself_is_fine(cls, check):
    start = cls.example()
    described = json.loads(json.dumps(start.system.describe()))
    validator = jsonschema.Draft7Validator(scenario_schema())
    run = {"step": 0.1, "steps": 1}
    document = {"system": {"type": cls.__name__, **described}, "run": run}
    wrong = [error for error in validator.iter_errors(document) if list(error.absolute_path)[:1] == ["system"]]
    assert not wrong, wrong


def test_every_argument_appears():
    schema = scenario_schema()
    for name, cls in {**known_systems(), **known_methods()}.items():
        expected = {
            p.name
            for p in inspect.signature(cls).parameters.values()
            if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        }
        shapes = {BODY_KEYS[argument] for argument in expected if argument in BODY_KEYS and name not in ONE_NUMBER}
        assert set(schema["$defs"][name]["properties"]) == expected | shapes | {"type"}


def test_a_body_or_an_inertia(check):
    text = '[system]\ntype = "FreeRigidBody"\n{}\n[state]\n[run]\nstep = 0.1\nsteps = 1\n'
    box = 'body = {type = "box", sides = [1, 2, 3], mass = 1.0}'
    assert check(text.format(box)) == []
    assert check(text.format(f"inertia = [1, 2, 3]\n{box}")) != []
    assert check(text.format("")) != []
    assert check(text.format(box.replace("mass", "mas"))) != []
    part = '{type = "box", sides = [1, 2, 3], mass = 1.0, position = [0, 0, 1], axis = [1, 0, 0]}'
    assert check(text.format(f'body = {{type = "compound", parts = [{part}]}}')) == []
    assert check(text.format(f"body = {part}")) != []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"FreeRigidBody"', '"FreeRigidBdy"'),
        ("inertia =", "inertias ="),
        ("[1.0, 2.0, 3.0]", '["1", "2", "3"]'),
        ("omega =", "omaga ="),
        ('"LGVI"', '"LGIV"'),
        ("order = 2", "ordre = 2"),
        ("order = 2", 'order = "2"'),
        ("step = 0.1", 'step = "0.1"'),
        ("step = 0.1", "stepp = 0.1"),
        ("step = 0.1", 'tolerance = "1e-6"'),
        ("t_end = 2.0", "steps = -1"),
        ("t_end = 2.0", "steps = 2.5"),
        ("plots = false", "plots = 3"),
        ("[state]\nomega = [0.7, -0.6, 0.5]\n", ""),
        ('type = "FreeRigidBody"\n', ""),
        ('"A test"', "3"),
        ("[output]", "[outputs]"),
    ],
)
def test_malformed_scenarios_are_refused(old, new, check):
    assert check(GOOD) == []
    assert GOOD.count(old) == 1
    assert check(GOOD.replace(old, new))


def test_bodies_are_checked_too(check):
    text = example_scenarios()["two_dumbbells"].read_text()
    assert check(text.replace("length = 0.25", "lenght = 0.25"))
    assert check(text.replace('type = "dumbbell"\nmass = 1.5', 'type = "dumbell"\nmass = 1.5'))
    mesh = '[system.body1]\ntype = "polyhedron"\nfile = "rock.obj"\ndensity = 2.0\n\n[system.body2]'
    text = text[: text.index("[system.body1]")] + mesh + text.split("[system.body2]")[1]
    assert check(text) == []


def test_the_command_prints_it():
    result = CliRunner().invoke(main, ["schema"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json.loads(json.dumps(scenario_schema()))


def test_a_tolerance_instead_of_a_step_is_fine(check):
    assert check(GOOD.replace("step = 0.1", "tolerance = 1e-8")) == []
    assert check(GOOD.replace("step = 0.1\n", "").replace('[method]\ntype = "LGVI"\norder = 2\n', "")) == []


def keys_of(part, path=""):
    """Every key in a schema, with where it is and its own schema."""
    if isinstance(part, dict) and isinstance(part.get("properties"), dict):
        yield from ((f"{path}.{name}", key) for name, key in part["properties"].items())
    for name, inner in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(inner, dict | list) and name != "allOf":  # which names tables and has no keys of its own
            yield from keys_of(inner, f"{path}.{name}")


def test_every_key_is_described():
    assert [path for path, key in keys_of(scenario_schema()) if "description" not in key] == []


def test_every_meaning_is_of_some_key():
    names = {path.rpartition(".")[2] for path, _ in keys_of(scenario_schema())}
    assert {key.rpartition(".")[2] for key in MEANINGS} <= names
