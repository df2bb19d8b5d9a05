"""`polhode export`: every format from the command, and one clear message for what does not go."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main
from polhode.io.exchange.ccsds import read_ccsds


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a result of two bodies and one of a single body."""
    for name, cls in (("pair", ph.FullTwoBodyProblem), ("body", ph.FreeRigidBody)):
        start = cls.example()
        ph.simulate(start, step=0.02, steps=60).save(tmp_path / f"{name}.nc")
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
        (["--to", "oem", "--body", "1", "--epoch", "2031-05-04", "--km", "0.001"], ["pair.oem"]),
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
    for second in ("1", "body2"):
        export("pair.nc", "--to", "oem", "--body", second, "--epoch", "2031-05-04", "--km", "0.001", "--out", second)
        (motion,) = read_ccsds(second)
        assert motion.name == "body2"
        assert motion.metadata["START_TIME"].startswith("2031-05-04T00:00:00")
        assert np.allclose(motion.x, ph.load("pair.nc").x2 * 1e-3)
    by_number, by_name = ("--out", "a", "--body", "0"), ("--out", "b", "--body", "body1")
    for options in (by_number, by_name):
        assert export("pair.nc", "--to", "obj", "--frames", "0", *options).exit_code == 0
    a, b = ((folder / name / "frame-0.obj").read_text() for name in "ab")
    assert a == b
    many = export("pair.nc", "--to", "obj")
    assert many.stdout.count("wrote") == 2
    assert "61 files" in many.stdout


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["pair.nc", "--to", "cvs"], ["--to", "'cvs'", "did you mean 'csv'"]),
        (["none.nc", "--to", "csv"], ["none.nc", "does not exist"]),
        (["body.nc", "--to", "oem"], ["body has no position"]),
        (["body.nc", "--to", "spice"], ["body has no position"]),
        (["body.nc", "--to", "csv", "--km", "2"], ["--km", "aem, oem"]),
        (["body.nc", "--to", "aem", "--frames", "1:2"], ["--frames", "obj, ply"]),
        (["pair.nc", "--to", "aem", "--body", "2"], ["--body = 2", "from 0 to 1", "body1, body2"]),
        (["pair.nc", "--to", "obj", "--body", "body0"], ["--body = 'body0'", "from 0 to 1", "body1, body2"]),
        (["pair.nc", "--to", "aem", "--epoch", "soon"], ["epoch = 'soon'", "a date like"]),
        (["pair.nc", "--to", "oem", "--km", "0"], ["km = 0.0", "positive"]),
        (["pair.nc", "--to", "csv", "--out", "no/where.csv"], ["the folder no does not exist"]),
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


def test_zarr_is_written_whatever_the_name_and_over_nothing_else(folder):
    (folder / "notes").write_text("mine")
    refused = export("body.nc", "--to", "zarr", "--out", "notes")
    assert refused.exit_code == 2
    assert "a Zarr folder to replace" in refused.stderr
    assert (folder / "notes").read_text() == "mine"
    for _ in range(2):
        assert export("body.nc", "--to", "zarr", "--out", "copy").exit_code == 0
    assert np.array_equal(ph.load("copy").R, ph.load("body.nc").R)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--to", "aem", "--time-system", "XYZ"], ["time_system = 'XYZ'", "TDB", "UTC"]),
        (["--to", "spice"], ["only an attitude", "--to ck"]),
    ],
)
def test_what_would_do_instead_is_named(arguments, named, folder):
    before = sorted(folder.iterdir())
    result = export("body.nc", *arguments)
    assert result.exit_code == 2
    for word in named:
        assert word in result.stderr
    assert sorted(folder.iterdir()) == before


def test_a_kernel_that_cannot_be_written_says_where_and_why(folder, monkeypatch):
    from pathlib import Path

    def forbidden(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", forbidden)
    result = export("pair.nc", "--to", "spk")
    assert result.exit_code == 2
    assert "pair.bsp could not be written: Permission denied" in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["body.nc", "pair.nc"]
