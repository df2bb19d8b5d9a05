"""Every kind of file with bits flipped or its end cut off: refused in words, or read as what was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Polyhedron
from polhode.errors import PolhodeError
from polhode.io import netcdf
from polhode.io.checkpoint_folder import CheckpointFolder
from polhode.io.exchange.ccsds import read_ccsds, write_aem, write_oem
from polhode.io.exchange.inertial_motion import Motion, motions
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.simulation import checkpoints

from ..random_inputs import CASES
from .scenario.scenarios import GOOD

SHARE = max(12, CASES // 50)  # damages per kind of file
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def damaged(content: bytes, count: int) -> list[bytes]:
    """The content with a bit flipped or its end cut off, at places that are the same each time."""
    random = np.random.default_rng(11)
    found = [b"", content[: len(content) // 2], content[:-1]]
    for place in random.integers(0, len(content), count):
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(random.integers(8))
        found += [bytes(flipped)]
    return found


def try_all(file: Path, read: Callable[[], Any], same: Callable[[Any], bool], of_each: int = 1) -> int:
    """Read each damaged version; returns how many were refused. Where `of_each` files share the damages, fewer are tried."""
    refused = 0
    for content in damaged(file.read_bytes(), max(2, SHARE // of_each)):
        file.write_bytes(content)
        try:
            found = read()
        except PolhodeError:
            refused += 1
        else:
            assert same(found)
    return refused


def run(**more: Any) -> ph.Trajectory:
    return ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=40, **more)


def test_results(tmp_path: Path) -> None:
    plain, file = run(), tmp_path / "run.nc"
    plain.save(file)

    def same(found: ph.Trajectory) -> bool:
        return all(np.array_equal(found.values[n], v) for n, v in plain.values.items()) and repr(found) == repr(plain)

    assert try_all(file, lambda: ph.load(file), same) > 3


def test_zarr_folders(tmp_path: Path) -> None:
    """Each file of the folder in its turn; those before it are whole again."""
    pytest.importorskip("zarr")
    plain, folder = run(), tmp_path / "run.zarr"
    plain.save(folder)

    def same(found: ph.Trajectory) -> bool:
        return all(np.array_equal(found.values[n], v) for n, v in plain.values.items()) and repr(found) == repr(plain)

    files = sorted(path for path in folder.rglob("*") if path.is_file())
    assert len(files) > 5
    for file in files:
        whole = file.read_bytes()
        assert try_all(file, lambda: ph.load(folder), same, of_each=len(files)) > 0, file
        file.write_bytes(whole)


@pytest.mark.parametrize("write", [write_aem, write_oem], ids=["aem", "oem"])
def test_ccsds_messages(write: Callable[..., None], tmp_path: Path) -> None:
    """They are text without a checksum: a digit may change. What is read is then a motion all the same."""
    pair = ph.simulate(ph.FullTwoBodyProblem.example(), step=0.013, steps=20)
    plain, file = motions(pair, 0), tmp_path / "run"
    write(plain, file)

    def a_motion(found: list[Motion]) -> bool:
        arrays = [a for each in found for a in (each.t, each.R, each.omega, each.x, each.v) if a is not None]
        return bool(all(np.all(np.isfinite(a)) for a in arrays) and np.all(np.diff(found[0].t) > 0.0))

    assert try_all(file, lambda: read_ccsds(file), a_motion) > 3


def test_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "FIRST_LEG", 20)
    plain = run(checkpoint=tmp_path / "c", checkpoint_every=0.0)
    file = CheckpointFolder(tmp_path / "c").segments[0]

    def same(found: ph.Trajectory) -> bool:
        return all(np.array_equal(found.values[n], v) for n, v in plain.values.items())

    assert try_all(file, lambda: CheckpointFolder(tmp_path / "c").load(), same) > 3


def test_scenarios(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(GOOD)
    assert try_all(file, lambda: build_plan(load_scenario(file)), lambda plan: plan.steps is not None) > 3


@pytest.mark.parametrize("kind", ["obj", "stl", "ply", "off"])
def test_meshes(kind: str, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / f"body.{kind}"
    trimesh.Trimesh(CORNERS, FACES, process=False).export(file)
    try_all(file, lambda: Polyhedron.from_file(file, mass=1.0), lambda body: bool(body.mass == 1.0))


def test_what_is_written_to_a_file_that_was_left_open_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HDF5 would go on with what it knows of the open one, and so take a file without its end for whole."""

    def damaged_names(item: Any) -> dict[str, Any]:
        raise RuntimeError("NetCDF: HDF error")

    file, other = tmp_path / "run.nc", run(save_every=4)
    plain = run()
    plain.save(file)
    content = file.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(netcdf, "attributes_of", damaged_names)
        with pytest.raises(PolhodeError, match="damaged"):
            ph.load(file)
    for part in (content[:-200], content[: len(content) // 3], b"x" * 100):
        file.write_bytes(part)
        with pytest.raises(PolhodeError, match="damaged"):
            ph.load(file)
    file.write_bytes(content)
    np.testing.assert_array_equal(ph.load(file).R, plain.R)
    other.save(tmp_path / "other.nc")
    file.write_bytes((tmp_path / "other.nc").read_bytes())
    np.testing.assert_array_equal(ph.load(file).R, other.R)


@pytest.mark.parametrize("cut", [1, 40, 80])
def test_a_line_of_the_checksum_without_its_end_is_noticed(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "run.nc"
    run().save(file)
    file.write_bytes(file.read_bytes()[:-cut])
    with pytest.raises(PolhodeError, match="damaged or incomplete"):
        ph.load(file)
