"""`polhode export`: every format from the command, and one clear message for what does not go."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main
from polhode.io.ccsds import read_ccsds


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a result of two bodies and one of a single body."""
    for name, cls in (("pair", ph.FullTwoBodyProblem), ("body", ph.FreeRigidBody)):
        start = cls.example()
        ph.simulate(start.system, start, step=0.02, steps=60).save(tmp_path / f"{name}.nc")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def export(*arguments):
    return CliRunner().invoke(main, ["export", *arguments])


@pytest.mark.parametrize(
    ("arguments", "made"),
    [
        (["--to", "csv"], ["pair.csv"]),
        (["--to", "csv", "--field", "X", "--field", "R", "--out", "x.txt"], ["x.txt"]),
        (["--to", "zarr"], ["pair.zarr"]),
        (["--to", "aem"], ["pair.aem"]),
        (["--to", "oem", "--body", "2", "--epoch", "2031-05-04", "--km", "0.001"], ["pair.oem"]),
        (["--to", "spice", "--frame", "ECLIPJ2000"], [f"pair.{s}" for s in ("bc", "bsp", "tf", "tls", "tm", "tsc")]),
        (["--to", "ck"], [f"pair.{s}" for s in ("bc", "tf", "tls", "tm", "tsc")]),
        (["--to", "spk", "--id", "-5000"], [f"pair.{s}" for s in ("bsp", "tf", "tls", "tm", "tsc")]),
        (["--to", "obj", "--frames", "0:60:30"], ["pair-obj"]),
        (["--to", "ply", "--frames", "0:60:30", "--out", "frames"], ["frames"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_every_format(arguments, made, folder):
    before = {path.name for path in folder.iterdir()}
    result = export("pair.nc", *arguments)
    assert result.exit_code == 0, result.stderr
    assert sorted(path.name for path in folder.iterdir() if path.name not in before) == sorted(made)
    for name in made:
        assert name in result.stdout


def test_options_reach_their_place(folder):
    export("pair.nc", "--to", "oem", "--body", "2", "--epoch", "2031-05-04", "--km", "0.001")
    (motion,) = read_ccsds("pair.oem")
    assert motion.name == "body2"
    assert motion.metadata["START_TIME"].startswith("2031-05-04T00:00:00")
    assert np.allclose(motion.x, ph.load("pair.nc").x2 * 1e-3)
    many = export("pair.nc", "--to", "obj")
    assert many.stdout.count("wrote") == 2
    assert "61 files" in many.stdout


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["pair.nc", "--to", "cvs"], ["--to", "'cvs'", "did you mean 'csv'"]),
        (["none.nc", "--to", "csv"], ["none.nc", "exists"]),
        (["body.nc", "--to", "oem"], ["body1 has no position"]),
        (["body.nc", "--to", "spice"], ["body1 has no position"]),
        (["body.nc", "--to", "csv", "--km", "2"], ["--km", "aem, oem"]),
        (["body.nc", "--to", "aem", "--frames", "1:2"], ["--frames", "obj, ply"]),
        (["pair.nc", "--to", "aem", "--body", "3"], ["body = 3", "from 1 to 2"]),
        (["pair.nc", "--to", "aem", "--epoch", "soon"], ["epoch = 'soon'", "a date like"]),
        (["pair.nc", "--to", "oem", "--km", "0"], ["km = 0.0", "positive"]),
        (["pair.nc", "--to", "csv", "--out", "no/where.csv"], ["there is no no"]),
        (["pair.nc", "--to", "csv", "--field", "omga1"], ["field = 'omga1'", "did you mean 'Omega1'"]),
        (["pair.nc", "--to", "obj", "--frames", "x"], ["frames = 'x'"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_what_does_not_go_is_one_message(arguments, named, folder):
    before = sorted(folder.iterdir())
    result = export(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("polhode: ")
    assert result.stderr.count("\n") == 1
    for word in named:
        assert word in result.stderr
    assert sorted(folder.iterdir()) == before


def test_without_the_extras_it_says_what_to_install(folder, monkeypatch):
    import sys

    for package, kind in (("spiceypy", "ck"), ("zarr", "zarr")):
        monkeypatch.setitem(sys.modules, package, None)
        result = export("body.nc", "--to", kind)
        assert result.exit_code == 2
        assert f"pip install 'polhode[{'spice' if kind == 'ck' else 'zarr'}]'" in result.stderr
