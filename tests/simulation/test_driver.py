"""The driver: what it accepts, what it keeps, and what it says when a step fails."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.simulation import checkpoints, job

BODY = ph.FreeRigidBody(inertia=[1, 2, 3])
STATE = BODY.state(omega=[0.7, -0.6, 0.5])


def run(**changes):
    return ph.simulate(STATE, **({"step": 0.1, "steps": 10} | changes))


def test_time_is_a_whole_number_of_steps() -> None:
    trajectory = ph.simulate(BODY.state(omega=[0.7, -0.6, 0.5], t=0.3), step=0.1, steps=1000)
    np.testing.assert_array_equal(trajectory.t, 0.3 + np.arange(1001) * 0.1)


@pytest.mark.parametrize("every", [1, 3, 7, 10, 11, 1000])
def test_the_first_every_nth_and_last_step_are_kept(every: int) -> None:
    all_steps, some = run(), run(save_every=every)
    numbers = sorted({0, 10, *range(0, 11, every)})
    np.testing.assert_array_equal(some.t, all_steps.t[numbers])
    np.testing.assert_array_equal(some.R, all_steps.R[numbers])
    np.testing.assert_array_equal(some.Pi, all_steps.Pi[numbers])


@pytest.mark.parametrize(
    "method", [ph.LGVI(), ph.LGVI(4), ph.LGVI(2, "lagrangian"), ph.QuaternionVI(), ph.RK4()], ids=repr
)
def test_going_on_from_the_final_state_is_bit_identical(method: ph.LGVI) -> None:
    whole = run(steps=200, method=method)
    half = run(steps=100, method=method)
    rest = ph.simulate(half.final, step=0.1, steps=100, method=method)
    assert rest.t[0] == half.t[-1]
    for name, array in whole.values.items():
        np.testing.assert_array_equal(rest.values[name][-1], array[-1])


def test_chunks_do_not_change_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(steps=500, save_every=7)
    monkeypatch.setattr(job, "FIRST_CHUNK", 3)
    monkeypatch.setattr(job, "CHUNK_SECONDS", 0.0)
    pieces = run(steps=500, save_every=7)
    np.testing.assert_array_equal(pieces.R, whole.R)


@pytest.mark.parametrize("method", [ph.LGVI(), ph.LGVI(8), ph.QuaternionVI(4), ph.Exact()], ids=repr)
def test_negative_steps_go_back(method: ph.LGVI) -> None:
    there = run(steps=100, method=method)
    back = ph.simulate(there.final, step=-0.1, t_end=0.0, method=method)
    assert back.t[-1] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(back.R[-1], STATE.R, atol=1e-12)
    np.testing.assert_allclose(back.Pi[-1], STATE.Pi, atol=1e-12)


def test_zero_steps_give_the_first_state() -> None:
    assert len(run(steps=0)) == 1
    assert len(ph.simulate(STATE, step=0.1, t_end=0.0)) == 1


def test_t_end_counts_steps_despite_rounding() -> None:
    assert ph.simulate(STATE, step=0.01, t_end=100.0, save_every=5000).stats.steps == 10_000
    assert ph.simulate(STATE, step=0.1, t_end=0.3).stats.steps == 3


def test_t_end_between_steps_is_refused_with_the_nearest_choices() -> None:
    with pytest.raises(ph.InvalidInputError, match="t_end") as caught:
        ph.simulate(STATE, step=0.2, t_end=1.05)
    for piece in (
        "1.05",
        "whole number of steps",
        "t_end = 1 (5 steps) or 1.2 (6 steps)",
        "step = 0.21 (5 steps)",
        "0.175 (6 steps)",
    ):
        assert piece in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"step": 0}, "step"),
        ({"step": float("nan")}, "step"),
        ({"step": "0.1"}, "step"),
        ({"step": True}, "step"),
        ({"steps": -1}, "steps"),
        ({"steps": 2.5}, "steps"),
        ({"steps": None}, "t_end"),
        ({"t_end": 1.0}, "t_end"),
        ({"steps": None, "t_end": float("inf")}, "t_end"),
        ({"steps": None, "t_end": -1.0}, "t_end"),
        ({"save_every": 0}, "save_every"),
        ({"save_every": 1.5}, "save_every"),
        ({"method": "LGVI"}, "method"),
    ],
)
def test_bad_arguments_are_named(changes: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        run(**changes)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field} = ")


def test_a_step_without_solution_is_an_error_that_keeps_what_was_computed() -> None:
    with pytest.raises(ph.ConvergenceError, match="largest usable step") as caught:
        run(step=1.5)
    error = caught.value
    assert error.step == 0
    assert error.residual > 1e-6
    assert len(error.trajectory) == 1
    limit = BODY.largest_step(STATE)
    assert f"{limit:.6g}" in str(error)
    run(step=0.999 * limit, steps=1000)
    with pytest.raises(ph.ConvergenceError):
        run(step=1.001 * limit)


def test_numbers_that_overflow_are_an_error_with_the_finite_part() -> None:
    whole = None
    with pytest.raises(ph.ConvergenceError, match="not finite") as caught:
        whole = run(step=20.0, steps=1000, save_every=100, method=ph.RK4())
    assert whole is None
    kept = caught.value.trajectory
    assert len(kept) == 2
    assert kept.t[-1] == caught.value.time == 20.0 * caught.value.step
    assert np.all(np.isfinite(kept.Pi))
    # the last kept state is the last finite one, and so large that its energy is not
    with pytest.raises(ph.InvalidInputError, match="its energy is too large for a double"):
        ph.simulate(kept.final, step=20.0, steps=1, method=ph.RK4())


def test_stats_count_what_was_done() -> None:
    stats = run(steps=1000, method=ph.LGVI(order=4)).stats
    assert (stats.steps, stats.evaluations) == (1000, 5000)
    assert 1 <= stats.mean_iterations <= stats.max_iterations <= 10
    assert stats.worst_residual < 1e-14
    assert run(method=ph.RK4()).stats.evaluations == 40
    assert stats.steps_per_second > 0


def test_the_tangent_map_is_the_derivative_of_the_steps() -> None:
    """Against differences of order 8 in the group's own coordinates."""
    from polhode.analysis.structure import difference_map

    for method in (ph.LGVI(), ph.QuaternionVI(order=4), ph.RK4()):
        trajectory = run(steps=20, method=method, tangent=True)
        assert trajectory.tangent.shape == (21, 6, 6)
        np.testing.assert_array_equal(trajectory.tangent[0], np.eye(6))
        np.testing.assert_allclose(trajectory.tangent[-1], difference_map(STATE, method, 0.1, 20), atol=1e-11)
        np.testing.assert_array_equal(trajectory.Pi, run(steps=20, method=method).Pi)  # values are bit-identical
    assert np.linalg.det(run(steps=100, tangent=True).tangent[-1]) == pytest.approx(1.0, abs=1e-12)


def test_progress_is_silent_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    run(progress=True)
    captured = capfd.readouterr()
    assert captured.out == ""


WAYS_ON = [ph.LGVI(), ph.LGVI(4, "lagrangian"), ph.QuaternionVI(4), ph.RK4()]


@pytest.mark.parametrize("done", [30, 37, 0])
@pytest.mark.parametrize("method", WAYS_ON, ids=repr)
def test_resuming_is_as_if_it_had_never_stopped(method: ph.LGVI, done: int, tmp_path) -> None:
    start = STATE if isinstance(method, ph.QuaternionVI) else ph.Pendulum3D.example()
    whole = ph.simulate(start, step=0.1, steps=100, save_every=10, method=method)
    part = ph.simulate(start, step=0.1, steps=done, save_every=10, method=method)
    part.save(tmp_path / "part.nc")
    for earlier in (part, ph.load(tmp_path / "part.nc")):
        for joined in (ph.resume(earlier, steps=100 - done), ph.resume(earlier, t_end=10.0)):
            np.testing.assert_array_equal(joined.t, whole.t)
            assert joined.stats.steps == 100
            assert joined.stats.evaluations == whole.stats.evaluations
            for name, array in whole.values.items():
                np.testing.assert_array_equal(joined.values[name], array)


def test_resuming_a_force_that_depends_on_time() -> None:
    """Its times are t0 + n·step from the first start, not from where the run went on."""
    start = ph.ConstantSpaceMoment.example()
    whole = ph.simulate(start, step=0.0137, steps=90)
    joined = ph.resume(ph.simulate(start, step=0.0137, steps=31), steps=59)
    np.testing.assert_array_equal(joined.R, whole.R)


def test_resuming_with_tangents() -> None:
    whole = run(steps=60, tangent=True, save_every=4)
    joined = ph.resume(run(steps=25, tangent=True, save_every=4), steps=35)
    np.testing.assert_array_equal(joined.tangent, whole.tangent)


def test_resuming_by_nothing_changes_nothing() -> None:
    part = run(steps=25, save_every=10)
    again = ph.resume(part, steps=0)
    np.testing.assert_array_equal(again.t, part.t)
    np.testing.assert_array_equal(again.R, part.R)


@pytest.mark.parametrize(("changes", "field"), [({"t_end": 0.5}, "t_end"), ({}, "t_end"), ({"steps": -1}, "steps")])
def test_what_cannot_be_resumed_is_named(changes: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.resume(run(), **changes)
    assert caught.value.field == field
    with pytest.raises(ph.InvalidInputError, match="trajectory"):
        ph.resume(run().at([0.1, 0.2]), steps=1)


def interrupt_after(chunks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C at the worst moment: when steps were done of which the driver does not know yet."""
    from polhode.methods.loops import DriftKickRun

    monkeypatch.setattr(checkpoints, "FIRST_LEG", 1000)
    monkeypatch.setattr(job, "FIRST_CHUNK", 16)
    monkeypatch.setattr(job, "CHUNK_SECONDS", 0.0)
    calls = []

    def advance(self, first, count, every, samples, old=DriftKickRun.advance):
        result = old(self, first, count, every, samples)
        calls.append(count)
        if len([n for n in calls if n]) > chunks:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(DriftKickRun, "advance", advance)


@pytest.mark.parametrize("chunks", [0, 1, 5])
def test_an_interruption_keeps_what_was_computed(chunks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(steps=100, save_every=7)
    with monkeypatch.context() as patched:
        interrupt_after(chunks, patched)
        with pytest.raises(ph.RunInterruptedError, match="of 100 steps") as caught:
            run(steps=100, save_every=7)
    assert isinstance(caught.value, KeyboardInterrupt)
    part = caught.value.trajectory
    assert part.stats.steps == (0 if chunks == 0 else 16 + chunks - 1)
    joined = ph.resume(part, t_end=10.0)
    np.testing.assert_array_equal(joined.t, whole.t)
    np.testing.assert_array_equal(joined.R, whole.R)


def test_a_true_signal_ends_a_long_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import signal
    import threading

    from polhode.methods.loops import DriftKickRun

    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])

    def advance(self, first, count, every, samples, old=DriftKickRun.advance):
        if first and timer.ident is None:  # some steps are done, however long that took
            timer.start()
        return old(self, first, count, every, samples)

    with monkeypatch.context() as patched:
        patched.setattr(DriftKickRun, "advance", advance)
        with pytest.raises(ph.RunInterruptedError) as caught:
            run(steps=10**10, save_every=10**9)  # many minutes, if nothing ends it
    part = caught.value.trajectory
    assert 0 < part.stats.steps < 10**9
    np.testing.assert_array_equal(part.final.R, run(steps=part.stats.steps, save_every=10**8).final.R)


@pytest.mark.parametrize("method", [ph.LGVI(), ph.LGVI(form="lagrangian"), ph.RK4()], ids=repr)
def test_a_potential_left_behind_is_an_error_with_the_finite_part(method: ph.Method) -> None:
    body = ph.AttitudeBody([1, 2, 2.5], potential="sqrt(R33 - 0.5)")
    with pytest.raises(ph.ConvergenceError, match="outside its domain") as caught:
        ph.simulate(body.state(omega=[0.5, -0.4, 0.6]), step=0.01, steps=1000, method=method)
    kept = caught.value.trajectory
    assert kept is not None
    assert 0.5 < kept.final.R[2, 2] < 0.51
    assert caught.value.step == len(kept) - 1


@pytest.mark.parametrize("every", [1, 7, 100, 400])
def test_where_an_adaptive_method_gives_up_is_the_last_sample(every: int) -> None:
    body = ph.AttitudeBody([1, 2, 2.5], potential="sqrt(R33 - 0.5)")
    start, method = body.state(omega=[0.5, -0.4, 0.6]), ph.DOP853()
    with pytest.raises(ph.ConvergenceError, match="tolerances") as caught:
        ph.simulate(start, step=0.01, steps=400, method=method, save_every=every)
    kept, steps = caught.value.trajectory, caught.value.step
    assert kept is not None
    assert kept.t[-1] == 0.01 * steps == pytest.approx(1.53)
    assert len(kept) == 1 + steps // every + bool(steps % every)
    short = ph.simulate(start, step=0.01, steps=steps, method=method)
    np.testing.assert_allclose(kept.final.R, short.final.R, atol=1e-10)


def test_a_run_looks_up_after_a_few_steps_which_may_be_slow(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    counts = []

    def noted(run, first, count, *others, old=job.advance_to_last_valid):
        counts.append(count)
        return old(run, first, count, *others)

    monkeypatch.setattr(job, "advance_to_last_valid", noted)
    run(steps=5000)
    assert counts[0] <= 2
    assert len(counts) > 3
    goals = []

    def leg(self, total, *others, old=job.Job.run):
        goals.append(total)
        return old(self, total, *others)

    monkeypatch.setattr(job.Job, "run", leg)
    run(steps=5000, checkpoint=tmp_path / "c", checkpoint_every=60.0)
    assert goals[0] <= 2
    assert len(goals) < 10
