"""Result files are whole or refused: what is cut, filled, changed or contradicts itself does not load."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import polhode as ph
from polhode.io import ensemble_file, netcdf
from polhode.simulation.records import Commands, Stats


def simulated(**options: Any) -> ph.Trajectory:
    return ph.simulate(ph.FreeRigidBody.example(), step=0.1, **({"steps": 23, "save_every": 5} | options))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    simulated().save(tmp_path / "run.nc")
    return tmp_path / "run.nc"


def test_what_is_damaged_never_reaches_the_library_which_may_read_it_for_ever(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, opened = file.read_bytes(), []
    for module in (netcdf, ensemble_file):
        monkeypatch.setattr(module, "opened", lambda path: opened.append(path))
    for place in range(0, len(whole) - 100, len(whole) // 300):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        assert not ensemble_file.holds_ensemble(file)  # which is asked before it is read
        with pytest.raises(ph.InvalidInputError, match="damaged"):
            ph.load(file)
    assert not opened
    monkeypatch.undo()
    file.write_bytes(whole[: whole.index(b"\npolhode: SHA-256")])  # as other programs write
    assert np.array_equal(ph.load(file).R, simulated().R)


def test_times_and_numbers_of_a_run_that_go_on(tmp_path: Path) -> None:
    for options in ({}, {"steps": 0}, {"steps": 25}, {"save_every": 100}, {"steps": 1}, {"save_every": 1}):
        run = simulated(**options)
        run.save(tmp_path / "run.nc")
        ph.load(tmp_path / "run.nc")
    run.at([1.2, 0.3, 0.3]).save(tmp_path / "run.nc")  # times of one's own
    assert np.array_equal(ph.load(tmp_path / "run.nc").t, [1.2, 0.3, 0.3])
    ph.resume(simulated(), steps=4).save(tmp_path / "run.nc")
    assert ph.load(tmp_path / "run.nc").stats.steps == 27


@pytest.mark.parametrize("name", ["time", "R", "Pi", "carry"])
def test_a_variable_whose_last_part_was_never_written_is_noticed(name: str, file: Path, tmp_path: Path) -> None:
    """As a process leaves a file that was killed: the names are there, the numbers are fill values or zeros."""
    for fill in (netCDF4.default_fillvals["f8"], 0.0, 1.0):
        with netCDF4.Dataset(file) as data, netCDF4.Dataset(tmp_path / "half.nc", "w") as half:
            half.setncatts({a: data.getncattr(a) for a in data.ncattrs()})
            for dimension in data.dimensions.values():
                half.createDimension(dimension.name, len(dimension))
            for variable in data.variables.values():
                numbers = np.array(variable[:])
                if variable.name == name:
                    numbers[len(numbers) // 2 :] = fill
                half.createVariable(variable.name, "f8", variable.dimensions)[:] = numbers
        with pytest.raises(ph.InvalidInputError, match="not a valid trajectory"):
            ph.load(tmp_path / "half.nc")


@pytest.mark.parametrize("attribute", ["step", "save_every", "stats", "provenance", "checksum", "events", "version"])
def test_a_header_that_was_changed_is_noticed(attribute: str, file: Path) -> None:
    other: dict[str, Any] = {"step": 0.1 + 2.0**-52, "save_every": 4, "provenance": '{"title": "mine"}'}
    other |= {"checksum": "0" * 64, "version": "0", "events": '[{"t": 1, "event": "a", "what": "b", "stopped": true}]'}
    with netCDF4.Dataset(file, "a") as data:
        stats = json.loads(data.polhode_stats)
        other["stats"] = json.dumps(stats | {"evaluations": stats["evaluations"] + 1})
        data.setncattr(f"polhode_{attribute}", other[attribute])
    with pytest.raises(ph.InvalidInputError, match="not a valid trajectory"):
        ph.load(file)


def test_a_file_without_a_checksum_is_refused(file: Path) -> None:
    with netCDF4.Dataset(file, "a") as data:
        data.delncattr("polhode_checksum")
    with pytest.raises(ph.InvalidInputError, match="checksum"):
        ph.load(file)


def counted(run: ph.Trajectory, **changes: Any) -> Stats:
    return replace(run.stats, **changes)


def commanded(value: float = 1.0, t: float = 1.0) -> Commands:
    return Commands(t * np.arange(3.0), {"rho": np.full((3, 3), value)})


# what is false although the checksum is right
FALSE: dict[str, tuple[Callable[[ph.Trajectory], dict[str, Any]], str]] = {
    "step 0": (lambda run: {"step": 0.0}, "the step is zero"),
    "another step": (lambda run: {"step": 0.2}, "times are not those of the steps"),
    "times shifted": (lambda run: {"t": run.t + np.array([0, 0, 0.01, 0, 0, 0])}, "times are not those"),
    "times backwards": (lambda run: {"t": run.t[::-1].copy()}, "times are not those"),
    "too few steps": (lambda run: {"stats": counted(run, steps=18)}, "6 samples cannot be those of 18 steps"),
    "too many steps": (lambda run: {"stats": counted(run, steps=10**15)}, "6 samples cannot be those"),
    "steps below zero": (lambda run: {"stats": counted(run, steps=-1)}, "steps = -1 is not a count"),
    "half a step": (lambda run: {"stats": counted(run, steps=22.5)}, "stats are not numbers"),
    "countless": (lambda run: {"stats": counted(run, evaluations=10**400)}, "is not a count or a finite amount"),
    "endless": (lambda run: {"stats": counted(run, seconds=float("inf"))}, "seconds = inf"),
    "changes as a number": (lambda run: {"provenance": {"overrides": 5}}, "changes to the scenario are not"),
    "changes as numbers": (lambda run: {"provenance": {"overrides": [5]}}, "changes to the scenario are not"),
    "commands of NaN": (lambda run: {"commands": commanded(np.nan)}, "commands of rho are not finite"),
    "commands at no time": (
        lambda run: {"commands": commanded(t=np.nan)},
        "times of the commands are not finite",
    ),
    "another save_every": (lambda run: {"save_every": 4}, "cannot be those of 23 steps"),
    "NaN carried": (lambda run: {"carry": run.carry * np.nan}, "carried is not finite"),
    "another's carried": (lambda run: {"carry": run.carry + 1e-9}, "not the state of the last sample"),
    "too little carried": (lambda run: {"carry": run.carry[:5]}, "not the state of the last sample"),
}


@pytest.mark.parametrize("what", FALSE)
def test_what_contradicts_itself_is_refused(what: str, tmp_path: Path) -> None:
    change, message = FALSE[what]
    run = simulated()
    replace(run, **change(run)).save(tmp_path / "run.nc")
    with pytest.raises(ph.InvalidInputError, match=f"not a valid trajectory: .*{message}"):
        ph.load(tmp_path / "run.nc")


def test_a_file_larger_than_the_memory_is_refused_unread(file: Path) -> None:
    """A few bytes may claim any number of zeros."""
    with netCDF4.Dataset(file, "a") as data:
        data.createDimension("endless", 10**14)
        data.createVariable("bomb", "f8", ("endless",), zlib=True, chunksizes=(1000,))
    with pytest.raises(ph.InvalidInputError, match="more numbers than this machine can"):
        ph.load(file)


@pytest.mark.parametrize("method", [ph.LGVI(), ph.GaussLegendre(), ph.DOP853()], ids=repr)
@pytest.mark.parametrize("tangent", [False, True])
def test_a_run_that_carried_too_little_or_too_much_is_not_continued(method: ph.Method, tangent: bool) -> None:
    """One number would be taken for all of them."""
    run = simulated(method=method, tangent=tangent)
    assert run.carry is not None
    for carry in (run.carry[:1], run.carry[:0], run.carry[:-1], np.append(run.carry, 0.0)):
        with pytest.raises(ph.InvalidInputError, match="cannot be continued: what it carried has another size"):
            ph.resume(replace(run, carry=carry), steps=2)
    assert len(ph.resume(run, steps=2)) > len(run) - 1


@pytest.mark.parametrize("method", [ph.LGVI(), ph.RK4(), ph.QuaternionVI()], ids=repr)
def test_a_run_with_a_tangent_map_carried_the_state_of_its_last_sample(method: ph.Method) -> None:
    run = simulated(method=method, tangent=True)
    with pytest.raises(ph.InvalidInputError, match="not the state of its last sample"):
        ph.resume(replace(run, carry=1.5 * run.carry), steps=2)
