"""CSV files and Zarr folders: every number comes back."""

from __future__ import annotations

import csv

import netCDF4
import numpy as np
import pytest
import xarray

import polhode as ph
from polhode.io.exchange.csv import columns, write_csv
from polhode.io.zarr import is_zarr


@pytest.fixture(scope="module")
def trajectory():
    start = ph.FullBodyProblem.example()
    return ph.simulate(start, step=0.02, steps=30, save_every=3, provenance={"note": "ünïcode ½"})


def bits(trajectory):
    return {name: (v.shape, v.dtype, v.tobytes()) for name, v in trajectory.values.items()}


def test_a_csv_file_holds_every_bit(trajectory, tmp_path):
    write_csv(trajectory, tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header[:4] == ["time", "x_0_0", "x_0_1", "x_0_2"]
    assert len(header) == 1 + sum(np.prod(getattr(trajectory, name).shape[1:]) for name in trajectory.system.fields)
    assert len(rows) == len(trajectory)
    data = np.array(rows, dtype=float)
    assert data[:, 0].tobytes() == trajectory.t.tobytes()
    assert np.array_equal(data[:, header.index("R_2_0_1")], trajectory.R[:, 2, 0, 1])
    assert np.array_equal(data[:, header.index("omega_1_2")], trajectory.omega[:, 1, 2])


def test_some_fields_only(trajectory, tmp_path):
    assert list(columns(trajectory, ["v"])) == ["time", *(f"v_{i}_{j}" for i in range(3) for j in range(3))]
    with pytest.raises(ph.InvalidInputError, match=r"field = 'omgea'.*did you mean 'omega'"):
        write_csv(trajectory, tmp_path / "run.csv", ["omgea"])
    assert list(tmp_path.iterdir()) == []


def test_a_zarr_folder_comes_back_bit_for_bit(trajectory, tmp_path):
    pytest.importorskip("zarr")
    for _ in range(2):  # the second time over the first
        trajectory.save(tmp_path / "run.zarr")
    assert [path.name for path in tmp_path.iterdir()] == ["run.zarr"]
    after = ph.load(tmp_path / "run.zarr")
    assert bits(after) == bits(trajectory)
    assert after.t.tobytes() == trajectory.t.tobytes()
    assert (after.step, after.method, after.stats) == (trajectory.step, trajectory.method, trajectory.stats)
    assert dict(after.provenance) == dict(trajectory.provenance)
    with xarray.open_zarr(tmp_path / "run.zarr", consolidated=False) as data:
        assert np.array_equal(data.omega, trajectory.omega)
        assert data.omega.attrs["units"] == "rad/time"


def test_no_number_is_special_in_zarr(tmp_path):
    pytest.importorskip("zarr")
    body = ph.FreeRigidBody([1, 2, 3])
    for Pi in ([-0.0, 5e-324, float(netCDF4.default_fillvals["f8"])], [-0.0, -0.0, -0.0]):
        before = ph.simulate(body.state(Pi=Pi), step=1e-40, steps=0)
        before.save(tmp_path / "run.zarr")
        assert bits(ph.load(tmp_path / "run.zarr")) == bits(before)


def test_a_damaged_zarr_folder_is_noticed(trajectory, tmp_path):
    pytest.importorskip("zarr")
    trajectory.save(tmp_path / "run.zarr")
    (chunk,) = [
        file for file in (tmp_path / "run.zarr" / "Pi").rglob("*") if file.is_file() and file.parent.name != "Pi"
    ]
    whole = chunk.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:-9] + bytes([whole[-9] ^ 4]) + whole[-8:]):
        chunk.write_bytes(damaged)
        with pytest.raises(ph.InvalidInputError, match="damaged"):
            ph.load(tmp_path / "run.zarr")


def test_a_failed_save_leaves_the_old_folder_and_nothing_else(trajectory, tmp_path, monkeypatch):
    pytest.importorskip("zarr")
    trajectory.save(tmp_path / "run.zarr")

    def half_written(self, path, **options):
        path.mkdir()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(xarray.Dataset, "to_zarr", half_written)
    with pytest.raises(ph.PolhodeError, match="No space left"):
        trajectory.save(tmp_path / "run.zarr")
    assert [path.name for path in tmp_path.iterdir()] == ["run.zarr"]
    assert bits(ph.load(tmp_path / "run.zarr")) == bits(trajectory)


def test_what_is_no_zarr_folder_is_left_alone(trajectory, tmp_path):
    pytest.importorskip("zarr")
    (tmp_path / "run.zarr").mkdir()
    (tmp_path / "run.zarr" / "diary.txt").write_text("mine")
    assert not is_zarr(tmp_path / "run.zarr")
    with pytest.raises(ph.InvalidInputError, match="a new name"):
        trajectory.save(tmp_path / "run.zarr")
    with pytest.raises(ph.InvalidInputError, match="does not exist"):
        trajectory.save(tmp_path / "nowhere" / "run.zarr")
    assert (tmp_path / "run.zarr" / "diary.txt").read_text() == "mine"
