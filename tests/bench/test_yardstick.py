"""The benchmark's yard-stick is what it says: polhode's own algorithm, in C."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bench.ensembles import LaneJob, many
from polhode.bench.free_body import AGREEMENT, BODY, CJob, NaiveJob, difference_from_c, job, same_as_doubles, state
from polhode.bench.timing import best_times
from polhode.bench.yardstick import (
    ExplicitYardstick,
    LaneYardstick,
    NoCompilerError,
    Yardstick,
    as_polhode,
    compiler,
)
from polhode.scalars import duals, lanes


@pytest.fixture(scope="module")
def yardstick():
    try:
        return Yardstick()
    except NoCompilerError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("step", [0.2, 0.02])
def test_c_and_polhode_agree(yardstick, step):
    assert difference_from_c(yardstick, step, steps=1000) <= AGREEMENT


@pytest.mark.parametrize("step", [0.2, 0.02])
def test_it_is_the_same_algorithm(yardstick, step):
    """Where every operation rounds as in polhode, the same operations give the same bits."""
    assert difference_from_c(Yardstick(*as_polhode()), step, steps=1000) == 0.0


@pytest.mark.parametrize(("method", "name"), [(ph.RK4(), "rk4"), (ph.Midpoint(), "midpoint")])
def test_explicit_methods_agree_with_c(yardstick, method, name):
    assert difference_from_c(ExplicitYardstick(name), 0.02, steps=1000, method=method) <= AGREEMENT
    assert difference_from_c(ExplicitYardstick(name, *as_polhode()), 0.2, steps=1000, method=method) == 0.0


def test_c_and_polhode_agree_on_a_full_inertia(yardstick):
    """Off the principal axes every entry of the inertia matters."""
    turn = ph.so3.exp([0.4, -0.3, 0.8])
    body = ph.FreeRigidBody(inertia=turn @ BODY.inertia.matrix @ turn.T)
    start = body.state(omega=[0.7, -0.6, 0.5])
    y = np.concatenate([start.R.ravel(), start.Pi])
    yardstick(y, body.parameters(), 0.1, 1000)
    final = ph.simulate(start, step=0.1, steps=1000, save_every=1000).final
    assert np.abs(y - np.concatenate([final.R.ravel(), final.Pi])).max() <= AGREEMENT


def test_c_counts_the_same_iterations(yardstick):
    y = np.concatenate([state().R.ravel(), state().Pi])
    thousand = job(ph.LGVI(), 0.2, steps=1000)
    thousand()
    assert yardstick(y, BODY.parameters(), 0.2, 1000) == pytest.approx(thousand.run.report.iterations, rel=0.01)


@pytest.mark.verify
def test_lanes_in_c_are_the_ensemble(yardstick):
    """Where every operation rounds as in polhode, every member has the bits of ours; one block is not full."""
    members = many(19)
    lanes_in_c = LaneJob(LaneYardstick(8, *as_polhode()), members, 0.2, 50)
    ours = ph.ensemble(members, step=0.2, steps=50, lane_width=8)
    assert np.array_equal(lanes_in_c(), np.hstack([ours.R[:, -1].reshape(-1, 9), ours.Pi[:, -1]]))
    assert 3 * 50 <= lanes_in_c.iterations <= 3 * 50 * 4  # in three blocks


def test_c_reports_a_step_that_is_too_large(yardstick):
    y = np.concatenate([state().R.ravel(), state().Pi])
    before = y.copy()
    with pytest.raises(RuntimeError, match="no solution at step 0"):
        yardstick(y, BODY.parameters(), 2.0 * BODY.largest_step(state()), 10)
    assert np.array_equal(y, before)


def test_the_naive_run_computes_the_same_motion(yardstick):
    exact = BODY.exact(state(), np.array([10.0]))
    expected = np.concatenate([exact["R"].ravel(), exact["Pi"].ravel()])
    assert np.abs(NaiveJob(10.0)() - expected).max() < 1e-6
    assert np.abs(CJob(yardstick, 0.001, steps=10_000)() - expected).max() < 1e-5


@pytest.mark.parametrize("kind", [lanes(8), duals(6)], ids=str)
def test_what_is_timed_on_lanes_and_duals_is_the_run_on_doubles(kind):
    assert same_as_doubles(ph.LGVI(), 0.2, kind, steps=100)


def test_members_of_an_ensemble_differ():
    ends = job(ph.LGVI(), 0.2, lanes(8), steps=100)().reshape(-1, 8)
    assert len(np.unique(ends[9])) == 8


def test_without_a_compiler_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(NoCompilerError, match="no C compiler"):
        compiler()


def test_runs_take_turns():
    order: list[str] = []
    times = best_times({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, rounds=3)
    assert order == ["a", "b"] * 3
    assert all(0.0 <= t < float("inf") for t in times.values())
