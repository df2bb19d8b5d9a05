"""The result: fields, invariants, what was kept, and the dataset."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InvalidInputError
from polhode.scalars import double
from tests.tiers import later

BODY = ph.FreeRigidBody(inertia=[1, 2, 3])
RUN = ph.simulate(BODY.state(omega=[0.7, -0.6, 0.5]), step=0.1, steps=50, save_every=5)


def test_fields_have_time_first_and_agree() -> None:
    assert RUN.R.shape == (11, 3, 3)
    assert RUN.q.shape == (11, 4)
    np.testing.assert_allclose(RUN.Pi, RUN.omega * [1, 2, 3], rtol=1e-15)
    np.testing.assert_allclose(ph.quaternion.to_matrix(RUN.q), RUN.R, atol=1e-15)


def test_unknown_fields_name_the_known_ones() -> None:
    with pytest.raises(AttributeError, match="R, q, omega, Pi"):
        _ = RUN.theta
    with pytest.raises(AttributeError, match="R, q, omega, Pi"):
        _ = RUN.final.theta


def test_states_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        RUN.final.R[0, 0] = 2.0
    with pytest.raises(ValueError, match="read-only"):
        RUN.R[0, 0, 0] = 2.0


def test_final_is_the_last_sample() -> None:
    assert RUN.final.t == RUN.t[-1]
    np.testing.assert_array_equal(RUN.final.R, RUN.R[-1])


def test_invariants_and_drift() -> None:
    values = RUN.invariants()
    np.testing.assert_allclose(values["energy"], 0.5 * np.sum(RUN.Pi * RUN.omega, axis=1))
    np.testing.assert_allclose(values["spatial_momentum"][3], RUN.R[3] @ RUN.Pi[3])
    assert set(RUN.drift()) == set(BODY.conserved)
    assert RUN.drift()["energy"] == np.max(np.abs(values["energy"] - values["energy"][0]))


def test_kept_finds_a_slope() -> None:
    """A method that loses energy steadily shows it in the slope; the true motion does not."""
    state = BODY.state(omega=[0.7, -0.6, 0.5])
    lost = {k.name: k for k in ph.simulate(state, step=0.1, steps=5000, method=ph.Midpoint()).conservation()}
    kept = {k.name: k for k in ph.simulate(state, step=0.1, steps=5000).conservation()}
    assert abs(lost["energy"].slope) * 500 > 0.5 * lost["energy"].worst
    assert kept["energy"].relative < 1e-13
    assert kept["energy"].first == pytest.approx(0.98)
    assert kept["spatial_momentum"].first == pytest.approx(np.linalg.norm([0.7, -1.2, 1.5]))


def test_the_dataset_says_what_it_holds() -> None:
    data = RUN.to_xarray()
    assert data["R"].dims[0] == "time"
    np.testing.assert_array_equal(data["Pi"].values, RUN.Pi)
    assert data["omega"].attrs["units"] == "rad/time"
    assert data.attrs["polhode_system"] == "FreeRigidBody"
    assert json.loads(data.attrs["polhode_parameters"]) == {"inertia": [1.0, 2.0, 3.0]}
    assert data.attrs["polhode_step"] == 0.1
    assert "scalar last" in data.attrs["polhode_conventions"]


def test_repr_is_one_line() -> None:
    for thing in (RUN, RUN.final, BODY, RUN.method):
        assert "\n" not in repr(thing)


@pytest.mark.parametrize(
    "kind", later(ph.systems.known_systems().values(), lambda kind: "SOn" in kind.__name__, lambda kind: kind.__name__)
)
def test_systems_travel_and_are_copied(kind: type[ph.System]) -> None:
    """From their arguments, with whatever was compiled for them left behind."""
    state = kind.example()
    for form in state.system.representations.values():
        if form.drift is not None:
            form.drift.on(double)
    for again in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert again.system.describe() == state.system.describe()
        assert all(np.array_equal(again.values[name], value) for name, value in state.values.items())


def test_a_system_travels_as_it_was_made() -> None:
    inertia = np.array([1.0, 2.0, 3.0])
    body = ph.FreeRigidBody(inertia)
    inertia[:] = 5.0
    assert pickle.loads(pickle.dumps(body)).describe() == {"inertia": [1.0, 2.0, 3.0]}


def test_what_is_sent_to_another_process_arrives_whole() -> None:
    again = pickle.loads(pickle.dumps(RUN))
    np.testing.assert_array_equal(again.R, RUN.R)
    np.testing.assert_array_equal(again.final.Pi, RUN.final.Pi)
    assert pickle.loads(pickle.dumps(RUN.final)).t == RUN.final.t
    error = pickle.loads(pickle.dumps(ph.InvalidInputError("step", 0.0, "a nonzero number")))
    assert (error.field, str(error)) == ("step", "step = 0.0: expected a nonzero number")


def test_samples_are_chosen_as_of_a_list() -> None:
    whole = ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=50, tangent=True)
    assert whole[-1].t == whole.t[-1]
    np.testing.assert_array_equal(whole[7].R, whole.R[7])
    part = whole[10:30:4]
    np.testing.assert_array_equal(part.t, whole.t[10:30:4])
    np.testing.assert_array_equal(part.omega, whole.omega[10:30:4])
    assert part.tangent is not None
    assert whole.tangent is not None
    np.testing.assert_array_equal(part.tangent, whole.tangent[10:30:4])
    assert part.carry is None  # it does not end where the run ended
    assert whole[:] is whole
    np.testing.assert_array_equal(whole[[3, 1]].t, whole.t[[3, 1]])
    np.testing.assert_array_equal(whole[whole.t > 2.0].t, whole.t[whole.t > 2.0])
    assert [state.t for state in whole] == list(whole.t)
    with pytest.raises(IndexError):
        whole[51]
    with pytest.raises(InvalidInputError, match="at least one of the 51 samples"):
        whole[60:]


@pytest.mark.parametrize("step", [0.1, -0.1])
def test_samples_between_two_times(step: float) -> None:
    whole = ph.simulate(ph.FreeRigidBody.example(), step=step, steps=50)
    low, high = sorted((17 * step, 31 * step))
    part = whole.between(low - 0.01, high + 0.01)
    np.testing.assert_array_equal(part.t, whole.t[17:32])
    assert whole.between() is whole
    with pytest.raises(InvalidInputError, match="a span with samples; the run is from"):
        whole.between(100.0, 200.0)


def test_times_may_be_quantities() -> None:
    run = ph.simulate(ph.FreeRigidBody.example(), step=0.5, steps=200, units={"time": "min"})
    assert run.between("30 s", "1 h").t.tolist() == run.between(0.5, 60.0).t.tolist()
    assert run.between(90.0, np.inf).t.tolist() == run.between(start="1.5 h").t.tolist()
    assert run.at("1.25 min").omega.tolist() == run.at(1.25).omega.tolist()


def test_vectors_of_a_dataset_share_their_dimensions() -> None:
    data = ph.simulate(ph.FullTwoBodyProblem.example(), step=0.01, steps=5).to_xarray()
    assert (data.x1 - data.x2).dims == ("time", "xyz")
    several = ph.simulate(ph.CoupledBodies.example(), step=0.01, steps=5).to_xarray()
    assert several.R.dims == ("time", "body", "row", "column")
    assert several.omega.dims == ("time", "body", "xyz")


def test_the_table_for_pandas_has_every_number() -> None:
    trajectory = ph.simulate(ph.CoupledBodies.example(), step=0.01, steps=5)
    table = trajectory.to_pandas()
    np.testing.assert_array_equal(table.index, trajectory.t)
    np.testing.assert_array_equal(table["R_2_0_1"], trajectory.R[:, 2, 0, 1])
    np.testing.assert_array_equal(table["energy"], trajectory.invariants()["energy"])
