"""Units and epochs in result files: UDUNITS names, dates that other readers decode, and no change of any number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.core.units import parse
from polhode.io.exchange.ccsds import read_ccsds, write_oem
from polhode.io.exchange.epoch_and_frame import EpochAndFrame
from polhode.io.exchange.inertial_motion import motions
from polhode.io.scenario.quantities import convert_quantities

UNITS = {"length": "km", "time": "h", "mass": "t"}


def _run(**labels: object) -> ph.Trajectory:
    return ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=20, **labels)  # type: ignore[arg-type]


def test_labels_change_no_number_and_survive_a_file(tmp_path: Path) -> None:
    plain, named = _run(), _run(units=UNITS, epoch="2031-05-04")
    assert np.array_equal(plain.R, named.R)
    assert np.array_equal(plain.t, named.t)
    assert not plain.units
    assert plain.epoch is None
    named.save(tmp_path / "run.nc")
    read = ph.load(tmp_path / "run.nc")
    assert read.units == named.units == ph.Units(**UNITS)
    assert read.epoch == named.epoch
    assert np.array_equal(read.t, named.t)
    assert read[3:5].units == read.at([0.25, 0.5]).units == named.units
    assert ph.resume(read, steps=5).units == named.units


def test_every_variable_has_a_unit_that_can_be_parsed() -> None:
    data = _run(units=UNITS).to_xarray()
    for name in data.variables:
        if name != "carry":
            unit = data[name].attrs["units"]
            assert unit == "1" or parse(unit), name
    assert data.omega.attrs["units"] == "rad h-1"
    assert data.invariant_energy.attrs["units"] == "t km2 h-2"
    assert "units" not in data["carry"].attrs


def test_other_readers_decode_the_dates(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    run = _run(units=UNITS, epoch={"date": "2031-05-04T06:00:00", "time_system": "TT"})
    run.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as data:
        assert data.time.values[-1] == np.datetime64("2031-05-04T08:00:00")
    table = run.to_pandas(dates=True)
    assert str(table.index[-1]) == "2031-05-04 08:00:00"
    assert table.attrs["units"]["omega"] == "rad h-1"


def test_exports_take_units_and_epoch_from_the_run(tmp_path: Path) -> None:
    start = ph.FullTwoBodyProblem.example()
    run = ph.simulate(start, step=0.01, steps=4, units={"length": "m", "time": "min"}, epoch="2031-05-04")
    reference = EpochAndFrame.of(run)
    assert (reference.km, reference.seconds, reference.epoch) == (0.001, 60.0, "2031-05-04")
    assert EpochAndFrame.of(run, km=2.0).km == 2.0
    write_oem(motions(run), tmp_path / "a.oem", reference)
    body = read_ccsds(tmp_path / "a.oem", EpochAndFrame(epoch="2031-05-04"))[0]  # in km and s
    assert body.x is not None
    assert np.allclose(body.x * 1000.0, run.x1, rtol=1e-14)
    assert body.t[-1] == pytest.approx(0.04 * 60.0)


def test_what_is_refused() -> None:
    with pytest.raises(ph.InvalidInputError, match=r"units.length = 'kilo'.*one of m, km"):
        _run(units={"length": "kilo"})
    with pytest.raises(ph.InvalidInputError, match="a mapping such as"):
        _run(units="km")
    with pytest.raises(ph.InvalidInputError, match="a date like 2031"):
        _run(epoch="4 May 2031")
    with pytest.raises(ph.InvalidInputError, match="dates need an epoch and a unit of time"):
        _run().to_pandas(dates=True)


@pytest.mark.parametrize("units", [{}, {"length": "km", "time": "s", "mass": "kg"}])
def test_a_path_may_be_formulas_whatever_the_units(units: dict[str, str]) -> None:
    """A stroke after a number is a division, not a unit of its own."""

    def converted(*path: str) -> list[Any]:
        system = {"perturbations": [{"type": "distant_body", "position": list(path)}]}
        found = convert_quantities("a.toml", {"units": units, "system": system})
        return found["system"]["perturbations"][0]["position"]  # type: ignore[no-any-return]

    formulas = ["1/t", "5e3/(1 + t**2)", "2*cos(t)"]
    assert converted(*formulas) == formulas
    if units:
        assert converted("5 m", "2 km") == [0.005, 2.0]
    with pytest.raises(ph.InvalidInputError, match="position"):
        converted("5 kg", "2*t")
