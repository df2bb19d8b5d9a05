"""NetCDF files: written and read bit for bit, no file left behind, and a clear message for files of others."""

from __future__ import annotations

import json

import netCDF4
import numpy as np
import pytest
import xarray

import polhode as ph
from polhode.io import netcdf
from polhode.io.trajectory_file import load, save
from polhode.simulation.records import Stats
from polhode.systems.registry import known_systems

METHODS = [
    ph.LGVI(2),
    ph.LGVI(4, form="lagrangian"),
    ph.QuaternionVI(4),
    ph.RK4(),
    ph.DOP853(rtol=1e-10),
    ph.Exact(),
]
SKEW = [[2.0, 0.3, 0.1], [0.3, 2.5, -0.2], [0.1, -0.2, 1.5]]


def simulated(method=None, inertia=(1, 2, 3), **options):
    body = ph.FreeRigidBody(inertia)
    state = body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.9, -0.7, 0.6])
    return ph.simulate(state, method=method, **{"step": 0.1, "steps": 20} | options)


def bits(trajectory):
    return {name: (v.shape, v.dtype, v.tobytes()) for name, v in trajectory.values.items()}


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_trajectory_comes_back_bit_for_bit(method, tmp_path):
    before = simulated(method, inertia=SKEW, save_every=3, provenance={"note": "ünïcode ½", "n": [1, 2.5]})
    before.save(tmp_path / "run.nc")
    after = ph.load(tmp_path / "run.nc")

    assert bits(after) == bits(before)
    assert after.t.tobytes() == before.t.tobytes()
    assert (after.step, after.method, after.stats, after.provenance) == (
        before.step,
        before.method,
        before.stats,
        before.provenance,
    )
    assert repr(after.system) == repr(before.system)
    assert np.array_equal(after.system.parameters(), before.system.parameters())
    assert after.tangent is None


def test_the_tangent_map_comes_back_too(tmp_path):
    before = simulated(tangent=True)
    before.save(tmp_path / "run.nc")
    after = ph.load(tmp_path / "run.nc")
    assert after.tangent is not None
    assert before.tangent is not None
    assert after.tangent.tobytes() == before.tangent.tobytes()


def test_no_number_is_special(tmp_path):
    """Signed zeros, numbers below the normal range, and the default fill value of NetCDF."""
    body = ph.FreeRigidBody([1, 2, 3])
    Pi = [-0.0, 5e-324, float(netCDF4.default_fillvals["f8"])]
    before = ph.simulate(body.state(Pi=Pi), step=1e-40, steps=0)
    before.save(tmp_path / "run.nc")
    assert bits(ph.load(tmp_path / "run.nc")) == bits(before)


@pytest.mark.parametrize("method", [ph.LGVI(2), ph.LGVI(8), ph.QuaternionVI(2), ph.RK4()], ids=repr)
def test_a_run_goes_on_from_a_file_as_if_it_had_not_stopped(method, tmp_path):
    whole = simulated(method, inertia=SKEW, steps=60)
    simulated(method, inertia=SKEW, steps=30).save(tmp_path / "half.nc")
    half = ph.load(tmp_path / "half.nc")
    rest = ph.simulate(half.final, step=half.step, steps=30, method=half.method)
    for name, values in whole.values.items():
        assert rest.values[name].tobytes() == values[30:].tobytes()


def test_every_variable_says_what_it_is(tmp_path):
    simulated(provenance={"scenario": "[run]\nstep = 0.1\n"}, tangent=True).save(tmp_path / "run.nc")
    with netCDF4.Dataset(tmp_path / "run.nc") as file:
        expected = {"time", "R", "q", "omega", "Pi", "tangent", "carry"} | {
            f"invariant_{name}" for name in ph.FreeRigidBody.conserved
        }
        assert set(file.variables) == expected
        for variable in file.variables.values():
            assert variable.long_name
            assert "_FillValue" not in variable.ncattrs()  # to other readers no number may mean "missing"
            assert variable.filters()["fletcher32"]
        assert file["omega"].units == "rad/time"
        assert "scalar last" in file.polhode_conventions
        assert file.polhode_version == ph.__version__
        assert json.loads(file.polhode_provenance)["scenario"] == "[run]\nstep = 0.1\n"
        assert json.loads(file.polhode_parameters) == {"inertia": [1.0, 2.0, 3.0]}
        assert (file.polhode_method, json.loads(file.polhode_method_options)) == ("LGVI", {"order": 2})
        assert file.polhode_step == 0.1
        assert json.loads(file.polhode_stats)["steps"] == 20


@pytest.mark.parametrize("cls", known_systems().values(), ids=known_systems())
def test_every_system_has_its_variables_described(cls):
    """From the description alone: no run is needed for it."""
    start = cls.example()
    values = {name: value[None] for name, value in start.values.items()}
    stats = Stats(steps=0, seconds=0.0, evaluations=0, mean_iterations=0.0, max_iterations=0, worst_residual=0.0)
    data = ph.Trajectory(start.system, ph.LGVI(), 0.1, np.zeros(1), values, stats).to_xarray()
    assert {*start.system.fields, *(f"invariant_{name}" for name in start.system.conserved)} == set(data)
    assert (data.time.attrs["axis"], data.attrs["Conventions"]) == ("T", "CF-1.10")
    assert cls.reference in data.attrs["references"]
    for name, variable in data.variables.items():
        assert len(variable.attrs["long_name"]) > 3, name
        assert variable.attrs["units"], name
        assert variable.dims[0] == "time"
    if "q" in data:
        assert data.q.attrs["components"] == "x y z w"


def test_derived_fields_are_those_of_the_trajectory(tmp_path):
    before = simulated()
    before.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as data:
        assert np.array_equal(data.omega, before.omega)
        assert np.array_equal(data.invariant_energy, before.invariants()["energy"])


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), RuntimeError("HDF error"), KeyboardInterrupt()]
)
def test_a_failed_save_leaves_the_old_file_and_nothing_else(error, tmp_path, monkeypatch):
    (tmp_path / "run.nc").write_text("the old one")

    def half_written(file, dataset):
        file.createDimension("time", 3)
        raise error

    monkeypatch.setattr(netcdf, "fill", half_written)
    with pytest.raises((ph.PolhodeError, KeyboardInterrupt)):
        save(simulated(), tmp_path / "run.nc")
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]
    assert (tmp_path / "run.nc").read_text() == "the old one"


def test_what_cannot_be_written_is_refused_at_once(tmp_path):
    with pytest.raises(ph.InvalidInputError, match="folder"):
        save(simulated(), tmp_path)
    with pytest.raises(ph.InvalidInputError, match="does not exist"):
        save(simulated(), tmp_path / "nowhere" / "run.nc")
    with pytest.raises(ph.InvalidInputError, match="provenance"):
        save(simulated(provenance={"object": object()}), tmp_path / "run.nc")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def file(tmp_path):
    save(simulated(), tmp_path / "run.nc")
    return tmp_path / "run.nc"


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_a_file_that_was_cut_short(part, file):
    content = file.read_bytes()
    file.write_bytes(content[: int(part * len(content))])
    with pytest.raises(ph.InvalidInputError, match="incomplete"):
        load(file)


def test_a_flipped_bit_in_the_data_is_noticed(tmp_path):
    """Or it lies where a file has room that nothing uses: then what is read is what was written."""
    before = simulated(steps=3000)
    save(before, tmp_path / "run.nc")
    content = bytearray((tmp_path / "run.nc").read_bytes())
    refused = 0
    for place in np.linspace(0.2, 0.9, 16) * len(content):
        damaged = content.copy()
        damaged[int(place)] ^= 4
        (tmp_path / "run.nc").write_bytes(damaged)
        try:
            after = load(tmp_path / "run.nc")
        except ph.InvalidInputError:
            refused += 1
        else:
            assert after.t.tobytes() == before.t.tobytes()
            assert all(after.values[name].tobytes() == values.tobytes() for name, values in before.values.items())
    assert refused >= 8


def test_what_is_not_ours_is_refused_in_words(tmp_path, file):
    with pytest.raises(ph.InvalidInputError, match="does not exist"):
        load(tmp_path / "nothing.nc")
    with pytest.raises(ph.InvalidInputError, match="folder"):
        load(tmp_path)
    (tmp_path / "text.nc").write_text("not a NetCDF file")
    with pytest.raises(ph.InvalidInputError, match="NetCDF"):
        load(tmp_path / "text.nc")
    xarray.Dataset({"x": ("n", [1.0])}).to_netcdf(tmp_path / "other.nc")
    with pytest.raises(ph.InvalidInputError, match="does not hold a trajectory"):
        load(tmp_path / "other.nc")


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("polhode_system", "Perpetuum", "Perpetuum.*FreeRigidBody"),
        ("polhode_method", "Guess", "Guess.*LGVI"),
        ("polhode_parameters", "{}", "not a valid trajectory"),
        ("polhode_parameters", '{"inertia": [1, 1, 9]}', "inertia"),
        ("polhode_values", '["nothing"]', "not a valid trajectory"),
        ("polhode_stats", "not JSON", "not a valid trajectory"),
        ("polhode_step", None, "not a valid trajectory"),
    ],
)
def test_a_file_with_a_wrong_attribute(attribute, value, message, file):
    with netCDF4.Dataset(file, "a") as data:
        if value is None:
            data.delncattr(attribute)
        else:
            data.setncattr(attribute, value)
    with pytest.raises(ph.InvalidInputError, match=message):
        load(file)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("polhode_values", '["R"]'),
        ("polhode_values", '["R", "Pi", "omega"]'),
        ("polhode_provenance", "3"),
        ("polhode_stats", '{"steps": "many"}'),
        ("polhode_stats", "3"),
        ("polhode_events", "[3]"),
        ("polhode_step", float("nan")),
        ("polhode_save_every", 0),
    ],
)
def test_a_file_whose_attributes_are_not_those_of_a_run(attribute, value, file):
    with netCDF4.Dataset(file, "a") as data:
        data.setncattr(attribute, value)
    with pytest.raises(ph.InvalidInputError, match="not a valid trajectory"):
        load(file)


def rewritten(file, change):
    with xarray.open_dataset(file, decode_cf=False) as data:
        changed = change(data.load())
    changed.to_netcdf(file)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.assign(R=d.R * np.nan), "R is not finite"),
        (lambda d: d.assign(Pi=d.Pi.where(d.time != d.time[3])), "Pi is not finite"),
        (lambda d: d.assign_coords(time=d.time * np.inf), "time is not finite"),
        (lambda d: d.isel(time=slice(0, 0)), "no samples"),
        (lambda d: d.isel(row=slice(0, 2)), "shapes"),
        (lambda d: d.assign(R=2.0 * d.R), "not rotations"),
        (lambda d: d.assign(R=-d.R), "not rotations"),
        (lambda d: d.assign(R=d.R.where(d.time != d.time[3], 1.01 * d.R)), "not rotations"),
    ],
)
def test_a_file_whose_numbers_are_no_motion(change, message, file):
    rewritten(file, change)
    with pytest.raises(ph.InvalidInputError, match=message):
        load(file)


def test_a_run_that_left_the_group_comes_back_and_so_does_one_started_from_its_end(tmp_path):
    far = simulated(ph.RK4(), step=0.5, steps=400)
    first = simulated(ph.RK4(), step=0.5, steps=20)
    near = ph.simulate(first.final, step=0.1, steps=20)
    off = np.linalg.norm(np.swapaxes(far.R, 1, 2) @ far.R - np.eye(3), axis=(1, 2))
    assert off[-1] > 1e-2
    assert np.linalg.norm(near.R[0].T @ near.R[0] - np.eye(3)) > 1e-4
    for before in (far, near):
        before.save(tmp_path / "run.nc")
        assert bits(ph.load(tmp_path / "run.nc")) == bits(before)
