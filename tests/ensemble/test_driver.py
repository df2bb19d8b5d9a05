"""What an ensemble accepts, refuses and returns."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import polhode as ph
from polhode.core.system import State
from polhode.ensemble import blocks
from polhode.errors import InvalidInputError, PolhodeError
from polhode.simulation.arguments import check_start

BODY = ph.FreeRigidBody([1.0, 2.0, 3.0])
RNG = np.random.default_rng(1)
STATES = [BODY.state(omega=omega) for omega in RNG.normal(size=(21, 3))]
STACK = State(BODY, {"R": np.stack([s.R for s in STATES]), "Pi": np.stack([s.Pi for s in STATES])})


def test_the_three_ways_to_give_members_agree() -> None:
    given = (
        ph.ensemble(STATES, step=0.1, steps=12),
        ph.ensemble(STACK, step=0.1, steps=12),
        ph.ensemble(lambda i: STATES[i], members=len(STATES), step=0.1, steps=12),
    )
    alone = np.stack([ph.simulate(state, step=0.1, steps=12).final.R for state in STATES])
    for found in given:
        np.testing.assert_array_equal(found.R[:, -1], alone)
        np.testing.assert_array_equal(found.t, [1.2000000000000002])


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the members of the first block that had to run one by one."""
    found: list[int] = []
    run_alone = blocks._run_alone
    monkeypatch.setattr(blocks, "_run_alone", lambda job, block, k: (found.append(k), run_alone(job, block, k)))
    return found


def test_members_with_parameters_of_their_own_share_lanes(alone: list[int]) -> None:
    bodies = [ph.Pendulum3D([1.0, 2.0, 2.5 + 0.01 * i], 1.0 + 0.1 * i, [0, 0, 0.3]) for i in range(7)]
    states = [body.state(omega=[0.1, 0.2, 1.0]) for body in bodies]
    found = ph.ensemble(states, step=0.02, t_end=0.4, save="all")
    assert alone == []
    assert found.R.shape == (7, 21, 3, 3)
    for i, state in enumerate(states):
        single = ph.simulate(state, step=0.02, t_end=0.4)
        np.testing.assert_array_equal(found.omega[i], single.omega)
        np.testing.assert_array_equal(found.invariants()["energy"][i], single.invariants()["energy"])
        assert found.drift()["energy"][i] == pytest.approx(single.drift()["energy"], abs=1e-13)


def test_members_of_one_system_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their energies are numbers or not: one call says it, unless one of them is refused."""
    body = ph.AttitudeBody([1.0, 2.0, 2.5], potential="sqrt(R33 + 0.2)")
    looked: list[State] = []
    monkeypatch.setattr(blocks, "check_start", lambda state: (looked.append(state), check_start(state)))
    states = [body.state(omega=[0.1 * i, 0.2, 0.1]) for i in range(5)]
    good = ph.ensemble(states, step=0.05, steps=2, workers=1)
    assert [state.values["R"].shape for state in looked] == [(5, 3, 3)]
    assert not good.failures
    states[3] = body.state(R=np.diag([1.0, -1.0, -1.0]))
    found = ph.ensemble(states, step=0.05, steps=2, workers=1)
    assert "member 3: InvalidInputError" in str(found.failures[0])
    assert "outside the domain of the potential" in str(found.failures[0])
    np.testing.assert_array_equal(np.delete(found.states, 3, 0), np.delete(good.states, 3, 0))


@pytest.mark.verify
def test_whole_numbers_in_which_members_differ() -> None:
    """Members whose couplings join other bodies share no lanes: the flow reads such a number once for all lanes."""

    coupling = [[0.3, 0.1, 0.0], [0.0, 0.4, 0.1], [0.2, 0.0, 0.5]]

    def bodies(first: int, second: int) -> State:
        system = ph.CoupledBodies([[1.0, 2.0, 2.5], [1.1, 1.9, 2.2], [0.9, 1.2, 1.4]], [[first, second, coupling]])
        return system.state(omega=[[0.1, 0.2, 0.3], [0.3, -0.1, 0.2], [-0.2, 0.4, 0.1]])

    states = [bodies(*pair) for pair in ((0, 1), (1, 2), (0, 2)) * 4]
    found = ph.ensemble(states, step=0.05, steps=10)
    for i, state in enumerate(states):
        np.testing.assert_array_equal(found.R[i, -1], ph.simulate(state, step=0.05, steps=10).final.R)


def test_a_failing_member_is_masked_and_the_others_go_on() -> None:
    """At a step beyond its fold a member's discrete equations have no solution."""
    fast = BODY.state(omega=[0.0, 0.0, 20.0])
    states = [*STATES[:5], fast, *STATES[5:]]
    found = ph.ensemble(states, step=0.1, steps=20, save=10)
    assert found.failed.tolist() == [i == 5 for i in range(len(states))]
    (failure,) = found.failures
    assert failure.member == 5
    assert failure.kind == "ConvergenceError"
    with pytest.raises(ph.ConvergenceError) as alone:
        ph.simulate(fast, step=0.1, steps=20)
    assert failure.message == str(alone.value)
    assert np.isnan(found.R[5, 1:]).all()
    good = ~found.failed
    assert np.isfinite(found.R[good]).all()
    np.testing.assert_array_equal(found.R[7], ph.simulate(states[7], step=0.1, steps=20, save_every=10).R)
    with pytest.raises(PolhodeError, match="member 5"):
        found[5]


def test_a_member_that_cannot_be_made_fails_alone() -> None:
    def make(i: int) -> State:
        return ph.FreeRigidBody([1.0, 2.0, 9.0 if i == 2 else 2.5]).state(omega=[1, 0, 0.1 * i])

    found = ph.ensemble(make, members=5, step=0.1, steps=3)
    assert [failure.member for failure in found.failures] == [2]
    assert "InvalidInputError" in found.failures[0].kind
    assert np.isfinite(found.omega[[0, 1, 3, 4]]).all()


def test_reductions_see_every_sample_and_keep_the_end() -> None:
    def highest(some: ph.Ensemble) -> np.ndarray:
        return some.omega[..., 0].max(axis=1)

    found = ph.ensemble(STATES, step=0.1, steps=12, save="all", reduce={"highest": highest})
    whole = ph.ensemble(STATES, step=0.1, steps=12, save="all")
    np.testing.assert_array_equal(found.reductions["highest"], whole.omega[..., 0].max(axis=1))
    np.testing.assert_array_equal(found.omega[:, 0], whole.omega[:, -1])
    with pytest.raises(InvalidInputError, match="shape"):
        ph.ensemble(STATES, step=0.1, steps=2, reduce={"one": lambda some: 1.0})


def test_to_a_tolerance_and_at_chosen_times() -> None:
    some, times = STATES[:3], [0.5, 1.25]
    found = ph.ensemble(some, t_end=1.25, tolerance=1e-8, t_eval=times)
    alone = ph.simulate(some[1], t_end=1.25, tolerance=1e-8, t_eval=times)
    np.testing.assert_array_equal(found.R[1], alone.R)
    np.testing.assert_array_equal(found.t, times)
    with pytest.raises(InvalidInputError, match="save"):
        ph.ensemble(some, t_end=1.0, tolerance=1e-8, save="all")


def test_the_end_is_a_start() -> None:
    half = ph.ensemble(STACK, step=0.1, steps=6)
    np.testing.assert_array_equal(
        ph.ensemble(half.final, step=0.1, steps=6).R, ph.ensemble(STACK, step=0.1, steps=12).R
    )
    np.testing.assert_array_equal(half[4].R, half.R[4])


def test_backwards_in_time() -> None:
    found = ph.ensemble(STATES, step=-0.1, steps=5, save=2)
    np.testing.assert_array_equal(found.R[3], ph.simulate(STATES[3], step=-0.1, steps=5, save_every=2).R)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"states": []}, "states"),
        ({"states": [1.0]}, "states"),
        ({"states": BODY.state()}, "states"),
        ({"states": lambda i: STATES[i]}, "members"),
        ({"states": [STATES[0], ph.Pendulum3D.example()]}, r"states\[1\]"),
        ({"states": [STATES[0], BODY.state(t=1.0)]}, r"states\[1\]"),
        ({"save": "some"}, "save"),
        ({"save": 0}, "save"),
        ({"workers": 0}, "workers"),
        ({"tolerance": 1e-8}, "tolerance"),
        ({"inputs": {"a": [1.0]}}, "inputs"),
        ({"inputs": {"a": ["x"] * len(STATES)}}, "inputs"),
        ({"inputs": [1.0]}, "inputs"),
        ({"reduce": {"a": 1}}, "reduce"),
        ({"reduce": {3: len}}, "reduce"),
        ({"step": None, "steps": None, "t_end": 1.0, "tolerance": 1e-8, "method": ph.DOP853()}, "tolerance"),
        ({"step": None, "steps": None, "t_eval": [1.0], "tolerance": 1e-8, "method": ph.Exact()}, "tolerance"),
        ({"steps": None, "t_eval": [1.0], "save": 2}, "save"),
    ],
)
def test_what_is_refused(options: dict, field: str) -> None:
    with pytest.raises(InvalidInputError, match=field):
        ph.ensemble(**({"states": STATES, "step": 0.1, "steps": 2} | options))


def test_an_error_in_a_reduction_stops_the_threads() -> None:
    def broken(some: ph.Ensemble) -> np.ndarray:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        ph.ensemble(STATES, step=0.1, steps=2, reduce={"broken": broken})
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ensemble")]


def test_a_reduction_without_numbers_is_named() -> None:
    with pytest.raises(ph.InvalidInputError, match=r"reduce\['names'\].*returned a list, and no array of numbers"):
        ph.ensemble(STATES, step=0.1, steps=2, reduce={"names": lambda some: ["a"] * len(some)})


@pytest.mark.verify
def test_members_with_a_users_function() -> None:
    """A torque given as a function is compiled for lanes as any other."""

    def moment(t, R, omega):  # type: ignore[no-untyped-def]
        return -0.1 * omega[0], 0.0, 0.0

    body = ph.AttitudeBody([1.0, 2.0, 2.5], moment=moment)
    states = [body.state(omega=[1.0, 0.1 * i, 0.2]) for i in range(4)]
    found = ph.ensemble(states, step=0.05, steps=4, method=ph.RK4())
    np.testing.assert_array_equal(found.R[2, -1], ph.simulate(states[2], step=0.05, steps=4, method=ph.RK4()).final.R)
