"""Scenarios that cannot be used: each ends in one message that names the place, the value and what is allowed, with exit
code 2, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from polhode.cli import main
from polhode.io.scenario.document import LARGEST_FILE
from polhode.io.scenario.examples import example_scenarios

from .scenarios import GOOD

PAIR, THREE, STAR = (
    example_scenarios()[name].read_text() for name in ("two_dumbbells", "three_bodies", "binary_near_a_star")
)


def changed(old: str, new: str, text: str = GOOD) -> str:
    assert old in text
    assert text is not GOOD or text.count(old) == 1
    return text.replace(old, new, 1)


def of(system: str, rest: str = "") -> str:
    return f"system = {{ {system} }}\nstate = {{}}\nrun = {{ step = 0.1, steps = 1 }}\n{rest}"


INERTIA, OMEGA, TYPE, METHOD = "[1.0, 2.0, 3.0]", "omega = [0.7, -0.6, 0.5]", '"FreeRigidBody"', '"LGVI"'
POINTS = 'type = "FieldBody", masses = [1, 1, 2], positions = [[1, 0, 0], [-1, 0, 0], [0, 1, 0]]'
LINKS = "inertia1 = 1.0, inertia2 = 1.0, mass1 = 1.0, mass2 = 1.0, length1 = 1.0, centre1 = 0.5, centre2 = 0.5"
FIRST, KIND = "[system.body1]", 'type = "dumbbell"'

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
    "missing field": (changed("length = 0.25\n", "", PAIR), ["system.body1.length is missing"]),
    "step and tolerance": (
        changed("step = 0.1", "step = 0.1\ntolerance = 1e-6"),
        ["run.tolerance = 1e-06", "exclude each other"],
    ),
    "a unit where there is none": (
        of('type = "AttitudeBody", inertia = [1, 2, 2.5], potential = "k*R33", parameters = { k = "2 m" }'),
        ["system.parameters.k = '2 m'", "expected a number; it takes no unit"],
    ),
    "a loose tolerance": (changed("step = 0.1", "tolerance = 0.5"), ["run.tolerance = 0.5", "from 1e-13 to 0.01"]),
    "a tolerance of zero": (changed("step = 0.1", "tolerance = 0"), ["run.tolerance = 0", "from 1e-13 to 0.01"]),
    "text for a tolerance": (changed("step = 0.1", 'tolerance = "1e-6"'), ["run.tolerance = '1e-6'", "a number"]),
    "steps without a step": (
        changed("step = 0.1\nt_end = 2.0", "tolerance = 1e-6\nsteps = 20"),
        ["run.steps = 20", "needs a step"],
    ),
    "a tolerance without an end": (
        changed("step = 0.1\nt_end = 2.0", "tolerance = 1e-6"),
        ["run.t_end is missing"],
    ),
    "a tolerance and no time": (
        changed("step = 0.1\nt_end = 2.0", "tolerance = 1e-6\nt_end = 0.0"),
        ["run.t_end = 0.0", "other than the start"],
    ),
    "a tolerance and options of no method": (
        changed(METHOD + "\norder = 2\n[run]\nstep", '"LGVI"\norder = 2\n[run]\ntolerance')
        .replace('type = "LGVI"\n', "")
        .replace("= 0.1", "= 1e-6"),
        ["method.type is missing", "GaussLegendre"],
    ),
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
    "number beyond doubles": (changed(INERTIA, "[1, 1, 1" + "0" * 400 + "]"), ["system.inertia", "64 bits"]),
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
    "too many samples": (changed("t_end = 2.0", "steps = 1" + "0" * 15), ["run.save_every = 1", "a larger save_every"]),
    "uncountable steps": (changed("step = 0.1", "step = 1e-320"), ["run.step", "in at most"]),
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
    "q and R": (changed(OMEGA, "q = [0, 0, 0, 1]\nR = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"), ["state.q", "not both"]),
    "text for an attitude": (changed(OMEGA, 'q = "identity"'), ["state.q = 'identity'", "finite numbers"]),
    "a step with a unit": (changed("step = 0.1", 'step = "0.1 s"'), ["run.step = '0.1 s'", "a number"]),
    "a date for a number": (changed("step = 0.1", "step = 2020-01-01"), ["run.step", "a number"]),
    "infinite start": (changed(OMEGA, OMEGA + "\nt = inf"), ["state.t = inf", "finite"]),
    "rates beyond doubles": (
        changed(OMEGA, "omega = [1e308, 1e308, 1e308]"),
        ["state.omega = [1e+308", "momentum is finite"],
    ),
    "moments beyond doubles": (changed(INERTIA, "[1e308, 1e308, 1e308]"), ["system.inertia"]),
    "a table twice": (GOOD + "[run]\nstep = 1\n", ["not TOML", "line 16"]),
    "method for another system": (
        changed('"LGVI"\norder = 2', '"EnergyMomentum"'),
        ["method.type", "EnergyMomentum", "FreeRigidBody"],
    ),
    "negative tolerance": (changed('"LGVI"\norder = 2', '"DOP853"\nrtol = -1.0'), ["method.rtol = -1.0", "positive"]),
    "negative mass": (changed("mass = 1.5", "mass = -1.5", PAIR), ["system.body1.mass = -1.5", "positive"]),
    "mass with a unit": (changed("mass = 1.5", 'mass = "1.5 kg"', PAIR), ["system.body1.mass = '1.5 kg'", "a number"]),
    "mass is NaN": (changed("mass = 1.5", "mass = nan", PAIR), ["system.body1.mass = nan", "finite"]),
    "mass is true": (changed("mass = 1.5", "mass = true", PAIR), ["system.body1.mass = True", "a number"]),
    "zero length": (changed("length = 0.25", "length = 0", PAIR), ["system.body1.length", "positive"]),
    "negative semiaxis": (
        changed("[0.3, 0.25, 0.2]", "[0.3, -0.25, 0.2]", THREE),
        ["system.bodies[0].semiaxes", "positive"],
    ),
    "unknown kind of body": (
        changed(KIND, 'type = "dumbell"', PAIR),
        ["system.body1.type = 'dumbell'", "did you mean 'dumbbell'?"],
    ),
    "body without a type": (changed(KIND + "\n", "", PAIR), ["system.body1.type is missing", "dumbbell"]),
    "unknown key of a body": (
        changed("length = 0.25", "lenght = 0.25", PAIR),
        ["system.body1.lenght is unknown", "did you mean 'length'?"],
    ),
    "body without its length": (changed("length = 0.25\n", "", PAIR), ["system.body1.length is missing"]),
    "inertia of text": (
        changed("[0.0004, 0.0238, 0.0238]", '["a", 1, 2]', PAIR),
        ["system.body1.inertia", "finite numbers"],
    ),
    "a number for a body": (of('type = "FullBodyProblem", bodies = [3]'), ["system.bodies[0] = 3", "a table"]),
    "a table for bodies": (of('type = "FullBodyProblem", bodies = {}'), ["system.bodies", "a list"]),
    "mesh that is not there": (changed(FIRST, FIRST + '\nmesh = "none.obj"', PAIR), ["system.body1.mesh = 'none.obj'"]),
    "mesh that is a number": (changed(FIRST, FIRST + "\nmesh = 3", PAIR), ["system.body1.mesh = 3", "path"]),
    "mesh scale with a unit": (
        changed(FIRST, FIRST + '\nmesh = "a.obj"\nmesh_scale = "km"', PAIR),
        ["system.body1.mesh_scale = 'km'"],
    ),
    "unknown gravity": (changed('"points"', '"point"', PAIR), ["system.gravity = 'point'", '"points"']),
    "negative G": (changed("G = 1.0", "G = -1.0", THREE), ["system.G = -1.0", "positive"]),
    "two places for three bodies": (changed("[[0.5625, -1.2, 0.0], ", "[", THREE), ["state.x", "(3, 3)"]),
    "no place": (changed("X = [1.0, 0.0, 0.3]\n", "", PAIR), ["state.X"]),
    "a formula with an error": (
        of('type = "AttitudeBody", inertia = [1, 2, 3], potential = "R33***2"'),
        ["system.potential = 'R33***2'", "formula"],
    ),
    "a formula that would do harm": (
        of("type = \"AttitudeBody\", inertia = [1, 2, 3], potential = \"__import__('os').system('touch harm')\""),
        ["system.potential", "formula"],
    ),
    "a list for a kind of perturbation": (
        changed('type = "distant_body"', "type = []", STAR),
        ["system.perturbations[0].type = []", "distant_body"],
    ),
    "a perturbation of mass true": (
        changed("mass = 30.0", "mass = true", STAR),
        ["system.perturbations[0].mass = True", "number"],
    ),
    "a rotor's inertia as text": (
        of('type = "Gyrostat", inertia = [1, 2, 3], rotors = [{ inertia = ["0.02", "0.012"] }]'),
        ["system.rotors[0].inertia", "numbers"],
    ),
    "a rotor's speed is true": (
        of('type = "Gyrostat", inertia = [1, 2, 3], rotors = [{ inertia = 0.02, speed = true }]'),
        ["system.rotors[0].speed = True", "expected a number"],
    ),
    "a rotor's inertia with a hole": (
        of('type = "Gyrostat", inertia = [1, 2, 3], rotors = [{ inertia = [[], 1.0] }]'),
        ["system.rotors[0].inertia", "numbers"],
    ),
    "rotor momentum as text": (
        of('type = "Gyrostat", inertia = [1, 2, 3], rho = ["0.0", "0.1", "much"]'),
        ["system.rho", "much"],
    ),
    "a pulse of text": (
        of('type = "DirectorBody", inertia = [1, 2, 3], moment = { coefficients = ["1", "2", "3"] }'),
        ["system.moment.coefficients", "numbers"],
    ),
    "a pulse that lasts true": (
        of(
            'type = "DirectorBody", inertia = [1, 2, 3], '
            'moment = { profile = "triangle", coefficients = [1, 2, 3], duration = true }'
        ),
        ["system.moment.duration = True", "expected a number"],
    ),
    "an inertia of several as text": (
        of('type = "CoupledBodies", inertias = [["1", "2", "3"]]'),
        ["system.inertias[0]", "three principal moments"],
    ),
    "a number for inertias": (of('type = "CoupledBodies", inertias = 5'), ["system.inertias = 5", "a list"]),
    "a number for couplings": (
        of('type = "CoupledBodies", inertias = [[1, 2, 3]], couplings = 5'),
        ["system.couplings = 5", "a list of rows"],
    ),
    "a table for couplings": (
        of('type = "CoupledBodies", inertias = [[1, 2, 3]], couplings = {}'),
        ["system.couplings = {}", "a list of rows"],
    ),
    "a number for sources": (of(f"{POINTS}, sources = -1"), ["system.sources = -1", "rows of four numbers"]),
    "an empty source": (of(f"{POINTS}, sources = [[]]"), ["system.sources = [[]]", "rows of four numbers"]),
    "masses beyond doubles": (
        of(POINTS.replace("[1, 1, 2]", "[1e308, 1e308, 1e308]")),
        ["system.masses", "moments of inertia are finite"],
    ),
    "a charge with a hole": (
        of('type = "ChargedBody", inertia = [1, 2, 3], dipole = [0, 0, 1], charge = [[], 1.0, 2.0]'),
        ["system.charge", "numbers"],
    ),
    "no vector potential": (
        of(
            'type = "ChargedPoints", inertia = [1, 2, 3], charges = [1], positions = [[1, 0, 0]], magnetic = [nan, nan, nan]'
        ),
        ["system.magnetic", "finite"],
    ),
    "links beyond doubles": (
        of(f'type = "DoublePlanarPendulum", {LINKS}').replace("length1 = 1.0", "length1 = 1e308"),
        ["system.mass2", "moments of inertia are finite"],
    ),
    "mesh scale without a mesh": (
        changed(FIRST, FIRST + '\nmesh_scale = "abc"', PAIR),
        ["system.body1.mesh_scale = 'abc'", "a positive number"],
    ),
    "an order nobody waits for": (
        changed('gravity = "points"', "gravity = 1000", PAIR),
        ["system.gravity = 1000", "2 to 60"],
    ),
    "an order that is not whole": (
        changed('gravity = "points"', "gravity = 2.5", PAIR),
        ["system.gravity = 2.5", "a whole number or text in quotes"],
    ),
    "synchronous is no list": (
        changed("[state]", "[state]\nsynchronous = 3", PAIR),
        ["state.synchronous = 3", "a list"],
    ),
    "synchronous names no body": (
        changed("[state]", '[state]\nsynchronous = ["a"]', PAIR),
        ["state.synchronous = 'a'", "body1"],
    ),
    "save_every beyond counting": (
        changed("step = 0.1", "step = 0.1\nsave_every = 1" + "0" * 18),
        ["run.save_every = 1000", "at most 9007199254740992"],
    ),
    "a step beyond the end": (changed("step = 0.1", "step = 1e30"), ["run.t_end = 2.0", "0 steps", "1 steps"]),
    "a step that time does not feel": (
        changed("t_end = 2.0", "steps = 4").replace(OMEGA, OMEGA + "\nt = 1e17"),
        ["run.step = 0.1", "doubles are 16 apart"],
    ),
    "a name too long": (GOOD + f'file = "{"x" * 250}.nc"\n', ["output.file", "at most 200 bytes"]),
    "a figure misspelt": (
        changed("plots = false", 'plots = ["invariant"]'),
        ["output.plots = 'invariant'", "did you mean 'invariants'?"],
    ),
    "tables within tables": ("[" + ".".join("a" * 3000) + "]\nx = 1\n", ["nested too deeply"]),
    "no such way to meet": (
        changed("t_end = 2.0", 't_end = 2.0\ncontact = "bounce"'),
        ["run.contact = 'bounce'", "'stop'"],
    ),
}


def refused(arguments: list[str], named: list[str], folder: Path) -> None:
    """The command ends in one message, with exit code 2, and the folder is as it was."""
    before = sorted(folder.iterdir())
    result = CliRunner().invoke(main, arguments)

    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("polhode: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 600
    for word in named:
        assert word in result.stderr
    assert sorted(folder.iterdir()) == before


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.toml").write_text(GOOD)
    return tmp_path


@pytest.mark.parametrize(("content", "named"), BAD.values(), ids=BAD)
def test_a_malformed_scenario_ends_in_one_clear_message(content, named, folder):
    (folder / "bad.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(["run", "bad.toml", "--quiet"], named, folder)


@pytest.mark.parametrize(
    ("path", "named"),
    [
        (".", ["a folder"]),
        ("none.toml", ["none.toml", "No such file"]),
        ("no/where.toml", ["no/where.toml", "No such file"]),
        ("fre_rigid_body", ["no file or example", "did you mean 'free_rigid_body'?"]),
        ("good.toml/more.toml", ["Not a directory"]),
    ],
)
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_path_that_is_no_scenario(command, path, named, folder):
    refused([command, path], named, folder)


def test_a_file_that_may_not_be_read(folder, monkeypatch):
    def forbidden(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    refused(["run", "good.toml"], ["good.toml", "Permission denied"], folder)


def test_a_huge_file_is_refused_at_once(folder):
    """Without reading it: this one has a terabyte, on paper, which no memory could hold."""
    with (folder / "huge.toml").open("wb") as stream:
        stream.truncate(10**12)
    refused(["run", "huge.toml"], ["larger than 1000 kB"], folder)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("run.step", ["KEY=VALUE"]),
        ("run.step=0.1\nrun.steps=4", ["KEY=VALUE on one line"]),
        ("=3", ["KEY=VALUE"]),
        ("run.=3", ["KEY=VALUE"]),
        (".step=1", ["KEY=VALUE"]),
        ("run.step.x=1", ["'step' is not a table"]),
        ("title.x=1", ["'title' is not a table"]),
        ("run.step=fast", ["run.step = 'fast'", "a number"]),
        ("run.stepp=0.1", ["run.stepp is unknown", "did you mean 'step'?"]),
        ("rum.step=0.1", ["rum is unknown", "did you mean 'run'?"]),
        ("system.type=FreeRigidBdy", ["did you mean 'FreeRigidBody'?"]),
        ("run.t_end=", ["run.t_end is missing"]),
        ("run.tolerance=1e-6", ["run.tolerance = 1e-06", "step and tolerance exclude each other"]),
        ("run.step=0", ["run.step = 0:", "nonzero"]),
        ("state.omega=[1, 2]", ["state.omega", "shape (3,)"]),
    ],
)
def test_a_change_that_does_not_go(change, named, folder):
    refused(["run", "good.toml", "--set", change], named, folder)
