"""Every member has, bit for bit, the samples of its single run: whatever the lanes, the threads and the order."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.core.method import Method
from polhode.ensemble import blocks
from polhode.ensemble.driver import job_of
from polhode.ensemble.members import as_members
from polhode.methods import known_methods
from tests.verification.promises import pairs
from tests.verification.subjects import SUBJECTS, Subject

from .different_members import different_states

STEP, STEPS, EVERY = 0.02, 7, 3


def no_member_runs_alone(job: blocks.Job, block: blocks.Block, k: int) -> None:
    """None of these members fails, and all of them share their flows."""
    raise AssertionError(f"member {k} ran by itself")


def check_bits(
    monkeypatch: pytest.MonkeyPatch, method: Method, subject: Subject, count: int = 6, width: int = 4
) -> None:
    """Compare the samples of all members with their single runs."""
    states = different_states(subject.state, count)
    monkeypatch.setattr(blocks, "_run_alone", no_member_runs_alone)
    found = ph.ensemble(states, step=STEP, steps=STEPS, save=EVERY, method=method, lane_width=width, workers=2)
    assert not found.failures, found.failures[0]
    for i, state in enumerate(states):
        alone = ph.simulate(state, step=STEP, steps=STEPS, save_every=EVERY, method=method)
        np.testing.assert_array_equal(found.t, alone.t)
        for name, values in alone.values.items():
            np.testing.assert_array_equal(found.values[name][i], values, err_msg=f"{name} of member {i}")


@pytest.mark.verify
@pytest.mark.parametrize(("method", "subject"), [pytest.param(m, s, id=f"{m!r}-{s}") for m, s in pairs()])
def test_members_are_their_single_runs(monkeypatch: pytest.MonkeyPatch, method: Method, subject: Subject) -> None:
    check_bits(monkeypatch, method, subject)


# the short tests compile for one width of lanes only
QUICK = {"FreeRigidBody": [ph.LGVI(), ph.DOP853()], "Pendulum3D": [ph.LGVI(form="lagrangian"), ph.Splitting()]}


@pytest.mark.parametrize(
    ("method", "name"), [pytest.param(m, n, id=f"{m!r}-{n}") for n, ms in QUICK.items() for m in ms]
)
def test_members_are_their_single_runs_on_some(monkeypatch: pytest.MonkeyPatch, method: Method, name: str) -> None:
    check_bits(monkeypatch, method, next(subject for subject in SUBJECTS if subject.name == name), width=0)


@pytest.mark.parametrize("method", [ph.GaussLegendre(), ph.DOP853(), ph.Exact()], ids=repr)
def test_members_of_one_system_are_their_single_runs(monkeypatch: pytest.MonkeyPatch, method: Method) -> None:
    """What depends on the system alone is made once; a closed form has nothing else."""
    body = ph.FreeRigidBody.example().system
    states = [body.state(omega=[0.9 - 0.4 * k, -0.7, 0.3 + 0.3 * k]) for k in range(4)]
    run, made = type(method).run, []
    monkeypatch.setattr(type(method), "run", lambda self, start: (made.append(start), run(self, start))[1])
    found = ph.ensemble(states, step=0.5, steps=4, save=1, method=method, workers=1)
    assert len(made) == (4 if isinstance(method, ph.Exact) else 1)
    np.testing.assert_array_equal(
        ph.ensemble(states, step=0.5, steps=4, method=method).R, found.R[:, -1:], err_msg="of final states alone"
    )
    for i, state in enumerate(states):
        np.testing.assert_array_equal(found.R[i], ph.simulate(state, step=0.5, steps=4, method=method).R)


def test_all_rows_of_one_system_read_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several lanes full of members in one block: their forces, also the first, come from one row of parameters."""
    top = ph.Pendulum3D.example().system
    states = [top.state(omega=[0.9 - 0.1 * k, -0.7, 0.3 + 0.1 * k]) for k in range(20)]
    monkeypatch.setattr(blocks, "_run_alone", no_member_runs_alone)
    job = job_of(as_members(states), STEP, None, STEPS, None, None, ph.LGVI(), "all", 4)
    rows = blocks.run_block(job, range(20)).states
    for found, state in zip(rows, states, strict=True):
        np.testing.assert_array_equal(found[:, :9].reshape(-1, 3, 3), ph.simulate(state, step=STEP, steps=STEPS).R)


def test_every_method_is_tried() -> None:
    assert {type(method) for method, _ in pairs()} == set(known_methods().values())


def test_threads_and_order_change_no_bit() -> None:
    states = different_states(ph.FreeRigidBody.example(), 40)
    plain = ph.ensemble(states, step=0.1, steps=20, save=5, workers=1, lane_width=1)
    assert (ph.ensemble(states, step=0.1, steps=20, save=5, workers=3).states == plain.states).all()
    backwards = ph.ensemble(states[::-1], step=0.1, steps=20, save=5)
    assert (backwards.states[::-1] == plain.states).all()


@pytest.mark.verify
@pytest.mark.parametrize("width", [2, 4, 8, 16])
def test_the_width_of_lanes_changes_no_bit(width: int) -> None:
    states = different_states(ph.FreeRigidBody.example(), 40)
    plain = ph.ensemble(states, step=0.1, steps=20, save=5, lane_width=1)
    assert (ph.ensemble(states, step=0.1, steps=20, save=5, lane_width=width, workers=2).states == plain.states).all()
