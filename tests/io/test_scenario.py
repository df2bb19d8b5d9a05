"""Scenarios: what a file may say, and what is said about one that cannot be used."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main
from polhode.io.checks import arguments, nearest
from polhode.io.scenario import LARGEST_FILE, load_scenario

GOOD = """
title = "A test"
[system]
type = "FreeRigidBody"
inertia = [1.0, 2.0, 3.0]
[state]
omega = [0.7, -0.6, 0.5]
[method]
type = "LGVI"
order = 2
[run]
step = 0.1
t_end = 2.0
[output]
plots = false
"""


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


INERTIA, OMEGA, TYPE, METHOD = "[1.0, 2.0, 3.0]", "omega = [0.7, -0.6, 0.5]", '"FreeRigidBody"', '"LGVI"'

# what is wrong: the text, and what the message must name
BAD: dict[str, tuple[str | bytes, list[str]]] = {
    "empty file": ("", ["empty", "[system]", "[state]", "[run]"]),
    "only a comment": ("# nothing\n", ["empty"]),
    "binary garbage": (bytes(range(256)) * 4, ["not a text file"]),
    "nul bytes": (b"\x00" * 100, ["not TOML", "line 1"]),
    "huge file": ("# " + "x" * LARGEST_FILE, ["larger than 1000 kB"]),
    "syntax error": (changed("step = 0.1", "step = = 0.1"), ["not TOML", "line 12"]),
    "a key twice": (changed("step = 0.1", "step = 0.1\nstep = 0.2"), ["not TOML", "line 13"]),
    "nested too deeply": ("x = " + "[" * 20000, ["nested too deeply"]),
    "a number of 5000 digits": (changed("t_end = 2.0", "steps = " + "9" * 5000), ["not TOML"]),
    "missing table": (GOOD.replace("[state]\n" + OMEGA, ""), ["state is missing"]),
    "table instead of number": (changed("step = 0.1", "step = {a = 1}"), ["run.step", "a number"]),
    "number instead of table": ("run = 3\n" + GOOD.split("[run]")[0], ["run = 3", "a table"]),
    "unknown table": (GOOD + "[outputs]\n", ["outputs is unknown", "did you mean 'output'?"]),
    "unknown key": (changed("step = 0.1", "stepp = 0.1"), ["run.stepp is unknown", "did you mean 'step'?", "t_end"]),
    "unknown key of the system": (changed("inertia =", "inertias ="), ["system.inertias", "did you mean 'inertia'?"]),
    "unknown key of the state": (changed("omega =", "omaga ="), ["state.omaga", "did you mean 'omega'?", "Pi"]),
    "unknown option": (changed("order = 2", "oder = 2"), ["method.oder", "did you mean 'order'?", "form"]),
    "missing field": (changed("step = 0.1\n", ""), ["run.step is missing", "time step"]),
    "missing parameter": (changed("inertia = [1.0, 2.0, 3.0]\n", ""), ["system.inertia is missing"]),
    "missing type": (changed(f"type = {TYPE}\n", ""), ["system.type is missing", "FreeRigidBody"]),
    "unknown system": (
        changed(TYPE, '"freerigidbdy"'),
        ["system.type = 'freerigidbdy'", "did you mean 'FreeRigidBody'?"],
    ),
    "unknown method": (changed(METHOD, '"LGIV"'), ["method.type = 'LGIV'", "did you mean 'LGVI'?", "QuaternionVI"]),
    "type is a list": (changed(TYPE, "[1]"), ["system.type = [1]", "FreeRigidBody"]),
    "text for a number": (changed("step = 0.1", 'step = "0.1"'), ["run.step = '0.1'", "a number"]),
    "truth for a number": (changed("step = 0.1", "step = true"), ["run.step = True", "a number"]),
    "text in a vector": (changed("[1.0, 2.0, 3.0]", '["1", "2", "3"]'), ["system.inertia", "finite numbers"]),
    "truth in a vector": (changed(OMEGA, "omega = [1, true, 0]"), ["state.omega", "finite numbers"]),
    "NaN": (changed("step = 0.1", "step = nan"), ["run.step = nan", "finite"]),
    "NaN in a vector": (changed(OMEGA, "omega = [0.0, nan, 0.0]"), ["state.omega", "nan", "finite"]),
    "infinite time": (changed("t_end = 2.0", "t_end = inf"), ["run.t_end = inf", "finite"]),
    "number beyond doubles": (changed(INERTIA, "[1, 1, 1" + "0" * 400 + "]"), ["system.inertia", "finite numbers"]),
    "negative moment": (changed(INERTIA, "[1.0, 2.0, -3.0]"), ["system.inertia", "-3.0", "positive"]),
    "impossible moments": (
        changed(INERTIA, "[1, 1, 3]"),
        ["system.inertia = [1, 1, 3]", "3 > 1 + 1", "allow_unphysical"],
    ),
    "two moments": (changed(INERTIA, "[1.0, 2.0]"), ["system.inertia", "3×3"]),
    "ragged matrix": (changed(INERTIA, "[[1, 0, 0], [0, 1], [1]]"), ["system.inertia", "3×3"]),
    "lopsided matrix": (changed(INERTIA, "[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]"), ["system.inertia", "symmetric"]),
    "no rotation": (changed(OMEGA, "R = [[1, 0, 0], [0, 1, 0], [0, 0, 2]]"), ["state.R", "rotation matrix"]),
    "a reflection": (changed(OMEGA, "R = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"), ["state.R", "reflection"]),
    "zero quaternion": (changed(OMEGA, "q = [0, 0, 0, 0]"), ["state.q", "nonzero quaternion"]),
    "q of three": (changed(OMEGA, "q = [0, 0, 1]"), ["state.q", "shape"]),
    "omega and Pi": (changed(OMEGA, OMEGA + "\nPi = [1, 2, 3]"), ["state.Pi", "not both"]),
    "zero step": (changed("step = 0.1", "step = 0.0"), ["run.step = 0.0", "nonzero"]),
    "t_end between steps": (changed("t_end = 2.0", "t_end = 2.03"), ["run.t_end = 2.03", "20 steps", "21 steps"]),
    "t_end before the start": (changed("t_end = 2.0", "t_end = -2.0"), ["run.t_end = -2.0", "after the start"]),
    "t_end and steps": (changed("t_end = 2.0", "t_end = 2.0\nsteps = 20"), ["run.steps = 20", "not both"]),
    "neither t_end nor steps": (changed("t_end = 2.0\n", ""), ["run.t_end is missing", "steps"]),
    "half a step": (changed("t_end = 2.0", "steps = 2.5"), ["run.steps = 2.5", "whole number"]),
    "negative steps": (changed("t_end = 2.0", "steps = -1"), ["run.steps = -1", "at least 0"]),
    "too many samples": (changed("t_end = 2.0", "steps = 1" + "0" * 30), ["run.save_every = 1", "larger"]),
    "uncountable steps": (changed("step = 0.1", "step = 1e-320"), ["run.step", "countable number of steps"]),
    "save_every zero": (changed("step = 0.1", "step = 0.1\nsave_every = 0"), ["run.save_every = 0", "at least 1"]),
    "bad order": (changed("order = 2", "order = 3"), ["method.order = 3", "2, 4, 6, 8"]),
    "order not whole": (changed("order = 2", "order = 2.0"), ["method.order = 2.0", "whole number"]),
    "bad form": (changed("order = 2", 'form = "newtonian"'), ["method.form = 'newtonian'", "'lagrangian'"]),
    "bad flag": (changed(INERTIA, INERTIA + '\nallow_unphysical = "no"'), ["allow_unphysical = 'no'", "true or false"]),
    "option of another method": (changed(METHOD, '"RK4"'), ["method.order is unknown"]),
    "step too large": (
        changed("step = 0.1\nt_end = 2.0", "step = 5.0\nsteps = 4"),
        ["step of 5", "largest usable step"],
    ),
    "a folder in the name": (GOOD + 'file = "../x.nc"\n', ["output.file = '../x.nc'", "without a folder"]),
    "another suffix": (GOOD + 'file = "x.csv"\n', ["output.file = 'x.csv'", ".nc"]),
    "unknown figure": (changed("plots = false", 'plots = ["polhod"]'), ["output.plots = 'polhod'", "polhode"]),
    "plots neither": (changed("plots = false", "plots = 3"), ["output.plots = 3", "true, false, or a list"]),
    "title is no text": (changed('"A test"', "3"), ["title = 3", "text"]),
}


@pytest.mark.parametrize(("content", "named"), BAD.values(), ids=BAD)
def test_a_malformed_scenario_ends_in_one_clear_message(content, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "bad.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())

    result = CliRunner().invoke(main, ["run", "bad.toml", "--quiet"])

    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("polhode: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 600
    for word in named:
        assert word in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


def test_a_path_that_is_no_scenario_file(tmp_path):
    for path, word in ((tmp_path, "a folder"), (tmp_path / "none.toml", "No such file")):
        with pytest.raises(ph.InvalidInput, match=word):
            load_scenario(path)


@pytest.fixture
def good(tmp_path):
    file = tmp_path / "good.toml"
    file.write_text(GOOD)
    return file


def test_a_scenario_does_what_the_library_does(good):
    body = ph.FreeRigidBody([1, 2, 3])
    expected = ph.simulate(body, body.state(omega=[0.7, -0.6, 0.5]), step=0.1, t_end=2.0)
    found = load_scenario(good).run()
    assert np.array_equal(found.R, expected.R)
    assert np.array_equal(found.Pi, expected.Pi)
    assert found.method == expected.method
    assert found.provenance == {"scenario": GOOD, "scenario_file": "good.toml"}


def test_every_entry_reaches_its_place(tmp_path):
    file = tmp_path / "all.toml"
    file.write_text("""
        [system]
        type = "FreeRigidBody"
        inertia = [1, 1, 3]
        allow_unphysical = true
        [state]
        q = [0, 0, 1, 0]
        Pi = [0.1, 0.2, 0.3]
        t = 5
        [method]
        type = "DOP853"
        rtol = 1e-9
        [run]
        step = -0.5
        steps = 7
        save_every = 3
        [output]
        file = "elsewhere.nc"
    """)
    scenario = load_scenario(file)
    trajectory = scenario.run()
    assert scenario.output_name == "elsewhere.nc"
    assert trajectory.system.describe() == {"inertia": [1.0, 1.0, 3.0], "allow_unphysical": True}
    assert trajectory.method == ph.DOP853(rtol=1e-9)
    assert trajectory.t.tolist() == [5.0, 3.5, 2.0, 1.5]
    assert trajectory.Pi[0].tolist() == [0.1, 0.2, 0.3]
    assert np.allclose(trajectory.R[0], np.diag([-1.0, -1.0, 1.0]))


def test_what_may_be_left_out(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text('[system]\ntype = "FreeRigidBody"\ninertia = [1, 2, 3]\n[state]\n[run]\nstep = 1\nsteps = 2\n')
    scenario = load_scenario(file)
    assert scenario.build()[2] == ph.LGVI(order=2)
    assert scenario.output_name == "short.nc"
    assert scenario.document.output.plots is True


def test_the_tangent_map_can_be_asked_for(good):
    tangent = load_scenario(good, ["run.tangent=true", "run.t_end=0.2"]).run().tangent
    assert tangent is not None
    assert tangent.shape == (3, 6, 6)


def test_changes_replace_add_and_remove(good):
    changes = ["run.step=0.05", "method.type=QuaternionVI", "run.t_end=", "run.steps=3", "state.t=1.5"]
    scenario = load_scenario(good, changes)
    trajectory = scenario.run()
    assert trajectory.method == ph.QuaternionVI(order=2)
    assert (trajectory.step, trajectory.stats.steps, trajectory.t[0]) == (0.05, 3, 1.5)
    assert trajectory.provenance["overrides"] == changes


@pytest.mark.parametrize("change", ["run.step", "=3", "run.=3", ".step=1", "run.step.x=1", "title.x=1"])
def test_a_change_that_is_none(change, good):
    with pytest.raises(ph.InvalidInput, match="--set"):
        load_scenario(good, [change])


def test_a_mark_of_byte_order_and_other_line_ends_do_no_harm(tmp_path):
    file = tmp_path / "windows.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_scenario(file).plan().steps == 20


def test_arguments_follow_the_signature_of_any_function():
    def make(self, mass: float, *, name: str = "body", count: int | None = None, shape=None) -> None: ...

    assert arguments("f", "s", make, {"mass": 1, "shape": {"a": [1]}}) == {"mass": 1.0, "shape": {"a": [1]}}
    assert arguments("f", "s", make, {"mass": 2.5, "count": 3}) == {"mass": 2.5, "count": 3}
    for wrong, message in (
        ({}, "s.mass is missing"),
        ({"mass": "heavy"}, "s.mass = 'heavy': expected a number"),
        ({"mass": 1, "name": 3}, "s.name = 3: expected text"),
        ({"mass": 1, "count": 1.5}, "s.count = 1.5: expected a whole number"),
        ({"mas": 1}, "did you mean 'mass'"),
        ({"mass": 1, "self": 2}, "s.self is unknown"),
    ):
        with pytest.raises(ph.InvalidInput, match=message):
            arguments("f", "s", make, wrong)


def test_the_nearest_spelling_is_offered_only_if_near():
    assert nearest("LGIV", ["LGVI", "RK4"]) == "; did you mean 'LGVI'?"
    assert nearest("banana", ["LGVI", "RK4"]) == ""
