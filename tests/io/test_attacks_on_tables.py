"""Attacks by the tables of a scenario, mesh files, messages of other programs and names: each is refused in one clear line."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import polhode as ph
from polhode.bodies import Polyhedron
from polhode.io.exchange.ccsds import read_ccsds
from polhode.io.scenario.analysis import build_analysis
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario, scenario_from_text
from polhode.io.scenario.ensemble import build_ensemble

BODY = 'type = "FreeRigidBody"\ninertia = [1.0, 2.0, 2.5]'
BALL = '{ type = "sphere", mass = 1.0, radius = 1.0 }'
VARY, RUN = '[ensemble]\n[[ensemble.vary]]\nkey = "state.omega[0]"\n', "step = 0.01\nsteps = 1"


def scenario(
    top: str = "", system: str = BODY, state: str = "omega = [0.1, 0.2, 0.3]", run: str = RUN, more: str = ""
) -> str:
    return f'{top}\n[system]\n{system}\n[state]\n{state}\n[method]\ntype = "LGVI"\n[run]\n{run}\n{more}\n'


def pair(ball: str) -> str:
    system = f'type = "FullTwoBodyProblem"\nbody1 = {BALL[:-2]}, {ball} }}\nbody2 = {BALL}'
    return scenario(system=system, state="X = [3.0, 0.0, 0.0]\nV = [0.0, 0.5, 0.0]")


def compound(levels: int) -> str:
    inner = '{ type = "sphere", mass = 1.0, radius = 0.5 }'
    for _ in range(levels):
        inner = f'{{ type = "compound", parts = [{inner}] }}'
    return inner


# the text, and what the message names
PLANS = {
    "units are a number": (scenario("units = 5"), "units = 5"),
    "units are true": (scenario("units = true"), "units = True"),
    "units are lists": (scenario("units = [[1]]"), "units"),
    "unit of a list": (scenario('units = { length = ["m"] }'), "units.length"),
    "digits of another script": (scenario(more='[epoch]\ndate = "２０３１-０５-０４"'), "epoch.date"),
    "a fraction without end": (scenario(more=f'[epoch]\ndate = "2031-05-04T00:00:00.{"1" * 500_000}"'), "epoch.date"),
    "a frame of markup": (scenario(more='[epoch]\ndate = "2031-05-04"\nframe = "<script>"'), "epoch.frame"),
    "a line in a centre": (scenario(more='[epoch]\ndate = "2031-05-04"\ncentre = "A\\nMETA_STOP"'), "epoch.centre"),
    "a key of many parts": (scenario(state=".".join("x" * 3000) + " = 1"), "nested too deeply"),
    "a key of very many parts": (scenario(state=".".join("x" * 100_000) + " = 1"), "nested too deeply"),
    "a compound of compounds": (
        scenario(system=f'type = "FreeRigidBody"\nbody = {compound(400)}'),
        "nested too deeply",
    ),
    "lists of lists": (scenario(state=f"omega = {'[' * 300}1{']' * 300}"), "nested too deeply"),
    "steps without end": (scenario(run=f"step = 0.01\nsteps = {'9' * 4000}"), "64 bits"),
    "hexadecimal steps": (scenario(run=f"step = 0.01\nsteps = 0x{'f' * 100_000}"), "64 bits"),
    "an end beyond doubles": (scenario(run=f"step = 0.01\nt_end = {'9' * 4000}"), "64 bits"),
    "as many steps as 64 bits": (scenario(run=f"step = 0.01\nsteps = {2**63 - 1}"), "run.steps"),
    "a colour of markup": (pair('colour = "red\\"><script>alert(1)</script>"'), "body1.colour"),
    "a colour from elsewhere": (pair('colour = "url(http://x/)"'), "body1.colour"),
    "a long colour": (pair(f'colour = "#{"f" * 100_000}"'), "body1.colour"),
    "a long name": (pair(f'name = "{"x" * 500_000}"'), "body1.name"),
    "a quantity of many units": (
        scenario('units = { time = "s" }', run=f'step = "1 {"m " * 40_000}"\nsteps = 1'),
        "run.step",
    ),
    "a figure elsewhere": (scenario(more='[output]\nplots = ["../../x"]'), None),
}
OTHERS = {
    "a grid without end": (build_ensemble, scenario(more=f"{VARY}low = 0.0\nhigh = 1.0\ncount = 1000000000000"), "count"),
    "more members than any": (build_ensemble, scenario(more=f'{VARY}distribution = "normal"\nstd = 0.1'.replace("[ensemble]\n", f"[ensemble]\nmembers = {2**62}\n")), "members"),
    "a type that varies": (build_ensemble, scenario(more='[ensemble]\n[[ensemble.vary]]\nkey = "system.type"\nvalues = ["os"]'), "values"),
    "a key that is no key": (build_ensemble, scenario(more=VARY.replace("omega[0]", "__class__") + 'distribution = "normal"\nstd = 0.1'), "__class__"),
    "a map without end": (
        build_analysis,
        scenario(more='[analysis]\nkind = "chaos_map"\n' + "".join(f'{k} = {{ key = "state.omega[0]", low = 0.0, high = 1.0, count = 1000000000000 }}\n' for k in "xy")),
        "count",
    ),
}  # fmt: skip


def check(said: str, names: str | None) -> None:
    assert names is None or names in said
    assert "\n" not in said.strip()
    assert said.isprintable()
    assert len(said) < 2000


@pytest.mark.parametrize(("text", "names"), PLANS.values(), ids=PLANS)
def test_tables(text: str, names: str | None, tmp_path: Path) -> None:
    from polhode.cli.run import _figures

    with pytest.raises(ph.PolhodeError) as refusal:
        _figures(build_plan(scenario_from_text("attack.toml", text)))
    check(str(refusal.value), names)


@pytest.mark.parametrize(("build", "text", "names"), OTHERS.values(), ids=OTHERS)
def test_ensembles_and_analyses(build, text: str, names: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ph.PolhodeError) as refusal:
        build(scenario_from_text("attack.toml", text))
    check(str(refusal.value), names)


def test_honest_tables_are_accepted() -> None:
    top = 'title = "x"\nunits = { length = "m", time = "s", mass = "kg" }'
    text = scenario(top, run='step = "10 ms"\nsteps = 1', more='[epoch]\ndate = "2031-05-04T00:00:00.25"')
    assert build_plan(scenario_from_text("honest.toml", text)).steps == 1


CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
FACETS = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
PLY = (
    "ply\nformat ascii 1.0\n{}element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n"
)
PLY += "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
MESHES = {
    "nan.obj": CORNERS.replace("1 0 0", "nan 0 0") + FACETS,
    "beyond.obj": CORNERS + FACETS + "f 1 2 99999999999999999999999\n",
    "polygon.obj": CORNERS + FACETS + f"f {'1 ' * 50_000}\n",
    "count.ply": PLY.format("").replace("vertex 4", "vertex 1000000000000"),
    "type.ply": PLY.format("").replace("float x", "__import__ x"),
    "count.off": "OFF\n1000000000000 1 0\n0 0 0\n",
    "zeros.stl": "\0" * 84,
}


@pytest.mark.parametrize("name", MESHES)
def test_mesh_files(name: str, tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    (tmp_path / name).write_text(MESHES[name])
    with pytest.raises(ph.InvalidInputError) as refusal:
        Polyhedron.from_file(tmp_path / name, mass=1.0)
    check(str(refusal.value), name)


def test_a_picture_that_a_mesh_names_is_not_looked_for(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("trimesh")
    (tmp_path / "a.ply").write_text(PLY.format("comment TextureFile /etc/passwd\n"))
    assert len(Polyhedron.from_file(tmp_path / "a.ply", mass=1.0).faces) == 4
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such pipes")
def test_a_scenario_is_not_awaited_from_a_pipe(tmp_path: Path) -> None:
    """Nobody writes to it: whoever opens it waits."""
    path = tmp_path / "scenario.toml"
    os.mkfifo(path)

    def write() -> None:  # else a test that fails never ends
        path.write_bytes(b"x = 1")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        with pytest.raises(ph.PolhodeError, match="this is a pipe"):
            load_scenario(path)
    finally:
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # which lets the writer go
        writer.join()
        os.close(reader)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such pipes")
@pytest.mark.parametrize("read", [lambda path: Polyhedron.from_file(path, mass=1.0), ph.load, read_ccsds])
def test_nothing_waits_for_a_pipe(read, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("trimesh")
    path = tmp_path / ("pipe.nc" if read is ph.load else "pipe.obj")
    os.mkfifo(path)
    with pytest.raises(ph.InvalidInputError, match="a pipe or a device") as refusal:
        read(path)
    check(str(refusal.value), "pipe")


@pytest.mark.parametrize("row", ["2020-13-01T00:00:00 1 0 0 0", "２０２０-01-01 1 0 0 0", "2020-01-01 nan 0 0 0"])
def test_a_wrong_row_of_a_message_is_named_by_its_line(row: str, tmp_path: Path) -> None:
    names = ["OBJECT_NAME", "REF_FRAME_A", "REF_FRAME_B", "TIME_SYSTEM", "START_TIME", "STOP_TIME"]
    head = [
        "CCSDS_AEM_VERS = 2.0",
        "META_START",
        *(f"{n} = X" for n in names),
        "ATTITUDE_TYPE = QUATERNION",
        "META_STOP",
    ]
    (tmp_path / "a.aem").write_text("\n".join([*head, "DATA_START", row, "DATA_STOP"]), encoding="utf-8")
    with pytest.raises(ph.InvalidInputError) as refusal:
        read_ccsds(tmp_path / "a.aem")
    check(str(refusal.value), "line 12" if row.isascii() else "not plain text")
