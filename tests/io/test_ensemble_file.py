"""Files of ensembles are read back bit for bit, or refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InvalidInputError


def sweep() -> ph.Ensemble:
    def make(i: int) -> ph.State:
        body = ph.FreeRigidBody([1.0, 2.0, 9.0 if i == 3 else 2.0 + 0.1 * i])
        return body.state(omega=[20.0 if i == 1 else 0.3, 0.4, 0.1])

    inputs = {"c": 2.0 + 0.1 * np.arange(6)}
    options = {"reduce": {"fastest": lambda some: some.omega.max(axis=(1, 2))}}
    return ph.ensemble(make, members=6, step=0.1, steps=8, save=4, inputs=inputs, **options)


def test_there_and_back(tmp_path: Path) -> None:
    whole = sweep()
    whole.save(tmp_path / "sweep.nc")
    found = ph.Ensemble.load(tmp_path / "sweep.nc")
    assert [f.member for f in found.failures] == [1, 3]
    assert found.failures == whole.failures
    np.testing.assert_array_equal(found.states, whole.states)
    np.testing.assert_array_equal(found.omega, whole.omega)
    np.testing.assert_array_equal(found.drift()["energy"], whole.drift()["energy"])
    np.testing.assert_array_equal(found.reductions["fastest"], whole.reductions["fastest"])
    np.testing.assert_array_equal(found.inputs["c"], whole.inputs["c"])
    assert found.method == whole.method
    assert found.members.state(4).system.describe() == whole.members.state(4).system.describe()


def test_the_dataset_has_real_dimensions() -> None:
    body = ph.FreeRigidBody([1, 2, 3])
    data = ph.ensemble([body.state(omega=[1, 0, 0.1 * i]) for i in range(4)], step=0.1, steps=4, save=2).to_xarray()
    assert data["member"].dtype.kind == data["failed"].dtype.kind == "i"
    assert data.R.dims == ("member", "time", "R_i", "R_j")
    assert dict(data.sizes)["member"] == 4
    assert data.invariant_energy.dims == ("member", "time")
    assert data.drift_energy.dims == ("member",)


def test_damage_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "sweep.nc"
    sweep().save(file)
    content = bytearray(file.read_bytes())
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(InvalidInputError, match="readable"):
        ph.Ensemble.load(file)
    import netCDF4

    sweep().save(file)
    with netCDF4.Dataset(file, "a") as data:
        data["state"][0, 0, 0] += 1e-9
    with pytest.raises(InvalidInputError, match="checksum"):
        ph.Ensemble.load(file)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="does not exist"):
        ph.Ensemble.load(tmp_path / "nowhere.nc")
    ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=2).save(tmp_path / "one.nc")
    with pytest.raises(InvalidInputError, match="does not hold an ensemble"):
        ph.Ensemble.load(tmp_path / "one.nc")
    sweep().save(tmp_path / "sweep.nc")
    with pytest.raises(InvalidInputError, match=r"Ensemble\.load"):
        ph.load(tmp_path / "sweep.nc")
