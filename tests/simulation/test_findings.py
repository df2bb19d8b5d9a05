"""Runs to a tolerance that are killed: the same call goes through its search again with what was found, to the same bits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.io.checkpoint_folder import NOTES, CheckpointFolder
from polhode.methods.dop853 import DOP853Run
from polhode.methods.gauss.run import GaussRun
from polhode.methods.loops import DriftKickRun
from polhode.simulation import findings
from polhode.simulation.events import Contact, Event

pytestmark = [pytest.mark.usefixtures("short_legs"), pytest.mark.filterwarnings("ignore::polhode.AccuracyWarning")]

START = ph.Pendulum3D.example()
TIMES = [1.0, 3.3, 20.0]
SEARCHES: dict[str, tuple[ph.State, dict[str, Any]]] = {
    "Gauss": (START, {"t_end": 20.0, "tolerance": 1e-11}),
    "DOP853": (START, {"t_end": 20.0, "tolerance": 1e-6, "save_every": 3}),
    "given method": (START, {"t_end": 5.0, "tolerance": 1e-8, "method": ph.LGVI(order=4)}),
    "times": (START, {"t_eval": TIMES, "tolerance": 1e-9}),
    "tangent": (START, {"t_end": 8.0, "tolerance": 1e-8, "tangent": True}),
    "orbit": (ph.FullTwoBodyProblem.example(), {"t_end": 40.0, "tolerance": 1e-8}),
    "sharp torque": (
        ph.Gyrostat(inertia=[1, 2, 3], rho=[0, 0, 0.1], torque=lambda t: (0.1 if t > 3.0 else 0.0, 0.0, 0.0)).state(
            omega=[0.1, 0.2, 0.3]
        ),
        {"t_end": 7.0, "tolerance": 1e-8},
    ),
}


class Killed(BaseException):
    """What no handler expects."""


def same(a: ph.Trajectory, b: ph.Trajectory) -> bool:
    assert (a.method, a.step, a.accuracy, a.stats.evaluations) == (b.method, b.step, b.accuracy, b.stats.evaluations)
    pairs = [(a.t, b.t), *((value, b.values[name]) for name, value in a.values.items()), (a.tangent, b.tangent)]
    return all(x is y is None or x.tobytes() == y.tobytes() for x, y in pairs)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", SEARCHES)
def test_wherever_it_is_killed_the_end_is_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state, given = SEARCHES[name]
    plain = ph.simulate(state, **given)
    folder, kills, writes = tmp_path / "c", 0, 0
    due = 1

    def dying(write: Any, after: bool) -> Any:
        def inner(self: CheckpointFolder, *arguments: Any) -> None:
            nonlocal writes
            writes += 1
            if writes == due and not after:
                raise Killed
            write(self, *arguments)
            if writes == due and after:
                raise Killed

        return inner

    for method, after in (("note", True), ("append", False), ("remove_segments", True)):
        monkeypatch.setattr(CheckpointFolder, method, dying(getattr(CheckpointFolder, method), after))
    while True:
        writes = 0
        try:
            found = ph.simulate(state, **given, checkpoint=folder, checkpoint_every=0.0)
            break
        except Killed:
            kills += 1
            due = 1 + kills % 3
    assert kills >= 3
    assert same(found, plain)
    writes, due = 0, 10**9
    assert same(ph.simulate(state, **given, checkpoint=folder, checkpoint_every=0.0), plain)


@pytest.mark.parametrize("name", ["Gauss", "DOP853", "given method"])
def test_what_was_found_is_not_computed_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state, given = SEARCHES[name]
    done = 0

    def counted(run: type[ph.core.method.Run], how: str) -> None:
        old = getattr(run, how)

        def inner(self: Any, *arguments: Any) -> tuple[int, int]:
            nonlocal done
            before = self.report.evaluations
            result: tuple[int, int] = old(self, *arguments)
            done += self.report.evaluations - before
            return result

        monkeypatch.setattr(run, how, inner)

    counted(DOP853Run, "follow")
    counted(GaussRun, "advance")
    counted(DriftKickRun, "advance")
    ph.simulate(state, **given, checkpoint=tmp_path / "c", checkpoint_every=0.0)
    first, done = done, 0
    ph.simulate(state, **given, checkpoint=tmp_path / "c", checkpoint_every=0.0)
    assert done < 0.3 * first  # the first steps of some runs, and the present one's last leg


def test_another_search_does_not_go_on_from_it(tmp_path: Path) -> None:
    options: dict[str, Any] = {"checkpoint": tmp_path / "c", "checkpoint_every": 0.0}
    ph.simulate(START, t_end=5.0, tolerance=1e-8, **options)
    others: list[dict[str, Any]] = [
        {"t_end": 5.5, "tolerance": 1e-8},
        {"t_end": 5.0, "tolerance": 1e-7},
        {"t_end": 5.0},
        {"t_end": 5.0, "tolerance": 1e-8, "save_every": 2},
        {"t_end": 5.0, "tolerance": 1e-8, "tangent": True},
        {"t_end": 5.0, "tolerance": 1e-8, "method": ph.RK4()},
        {"t_eval": [1.0, 5.0], "tolerance": 1e-8},
        {"t_end": 5.0, "step": 0.01},
    ]
    for other in others:
        with pytest.raises(ph.InvalidInputError, match="checkpoint of another run"):
            ph.simulate(START, **other, **options)
    with pytest.raises(ph.InvalidInputError, match="checkpoint of another run"):
        ph.simulate(START.system.state(omega=[0.1, 0.2, 0.3]), t_end=5.0, tolerance=1e-8, **options)
    ph.simulate(START, t_end=5.0, step=0.01, checkpoint=tmp_path / "d", checkpoint_every=0.0)
    with pytest.raises(ph.InvalidInputError, match="checkpoint of another run"):
        ph.simulate(START, t_end=5.0, tolerance=1e-8, checkpoint=tmp_path / "d")


class Nothing(Event):
    """An event of a user's own, which is shown with the place where it lies."""

    name, stop = "nothing", False

    def search(self, states: ph.State, step: float, within: Any) -> Iterator[Any]:
        return iter(())


def test_the_same_search_in_other_words_goes_on_from_it(tmp_path: Path) -> None:
    def found(**given: Any) -> ph.Trajectory:
        return ph.simulate(START, **given, checkpoint=tmp_path / "c", checkpoint_every=0.0)

    first = found(t_end=5.0, tolerance=1e-8, save_every=2, events=[Nothing()])
    again = found(t_end=np.float64(5), tolerance=np.float64(1e-8), save_every=np.int64(2), events=(Nothing(),))
    assert same(again, first)


def test_a_run_that_ends_the_search_by_its_failure_keeps_its_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time that it is called."""
    fast = ph.FreeRigidBody([1, 2, 3]).state(omega=[5.0, 4.0, 3.0])
    monkeypatch.setattr("polhode.simulation.pilot.Pilot.steps", lambda *_: 3)
    monkeypatch.setattr("polhode.simulation.step_search.MOST_TRIES", 1)
    for _ in range(2):
        with pytest.raises(ph.ConvergenceError) as failed:
            ph.simulate(fast, t_end=3.0, tolerance=1e-2, method=ph.LGVI(), checkpoint=tmp_path / "c")
        assert failed.value.trajectory is not None


def test_what_cannot_be_watched_or_derived_is_refused_before_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polhode.simulation.driver.simulate_to_tolerance", lambda *_: pytest.fail("a search was begun"))
    for wrong in ({"tangent": ["state", "length"]}, {"events": [Contact()]}):
        with pytest.raises(ph.InvalidInputError, match=next(iter(wrong))):
            ph.simulate(START, t_end=5.0, tolerance=1e-8, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("damage", ["cut", "changed", "none of ours", "a list"])
def test_damaged_notes_are_no_notes(damage: str, tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path / "c")
    folder.note({"known": {"x": [0.1, float("inf")]}})
    assert folder.notes() == {"known": {"x": [0.1, float("inf")]}}
    text = (folder.path / NOTES).read_text()
    spoilt = {"cut": text[:-3], "changed": text.replace("0.1", "0.2"), "none of ours": "[1, 2]"}
    (folder.path / NOTES).write_text(spoilt.get(damage, json.dumps({"notes": "[1]", "sha256": ""})))
    assert folder.notes() == {}
    folder.remove()
    assert not folder.path.exists()


@pytest.mark.parametrize("wrong", [None, [], {}, "x", -1, float("inf"), [0.0]], ids=repr)
def test_notes_of_another_form_are_not_used(wrong: Any, tmp_path: Path) -> None:
    """However right their checksum is, as in those of another version."""
    given: dict[str, Any] = {"t_eval": [1.0, 5.0], "tolerance": 1e-8, "method": ph.GaussLegendre(order=8)}
    plain = ph.simulate(START, **given, checkpoint=tmp_path / "c", checkpoint_every=0.0)
    folder = CheckpointFolder(tmp_path / "c")
    kinds = {next(iter(found)): name for name, found in folder.notes()["known"].items()}
    assert {"count", "t", "done"} <= kinds.keys()
    for key, name in kinds.items():
        for spoilt in ({name: wrong}, {name: {**folder.notes()["known"][name], key: wrong}}):
            notes = folder.notes()
            folder.note(notes | {"known": notes["known"] | spoilt})
            if not (key == "t" and wrong in (-1, float("inf"))):  # those are times
                assert same(ph.simulate(START, **given, checkpoint=folder.path, checkpoint_every=0.0), plain)


def test_a_full_disk_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CheckpointFolder, "note", full)
    monkeypatch.setattr(CheckpointFolder, "append", full)
    with pytest.warns(UserWarning, match=r"could not be written.*No space left"):
        found = ph.simulate(START, t_end=5.0, tolerance=1e-8, checkpoint=tmp_path / "c", checkpoint_every=0.0)
    assert same(found, ph.simulate(START, t_end=5.0, tolerance=1e-8))


def test_an_interruption_while_runs_are_compared_keeps_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ph.simulate(START, t_end=20.0, tolerance=1e-11)

    def pressed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("polhode.simulation.step_search.Trials.end", pressed)
    with pytest.raises(ph.RunInterruptedError) as stop:
        ph.simulate(START, t_end=20.0, tolerance=1e-11)
    np.testing.assert_array_equal(stop.value.trajectory.t[-1], plain.t[-1])


def test_a_run_that_fails_is_known_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is too long has no solution; it is not tried again."""
    fast = ph.FreeRigidBody([1, 2, 3]).state(omega=[5.0, 4.0, 3.0])
    given: dict[str, Any] = {"t_end": 3.0, "tolerance": 1e-2, "method": ph.LGVI()}
    monkeypatch.setattr("polhode.simulation.pilot.Pilot.steps", lambda *_: 3)
    plain = ph.simulate(fast, **given)
    assert same(ph.simulate(fast, **given, checkpoint=tmp_path / "c", checkpoint_every=0.0), plain)
    known = CheckpointFolder(tmp_path / "c").notes()["known"]
    assert any("message" in found for found in known.values())
    legs = []
    monkeypatch.setattr(
        findings,
        "run_in_legs",
        lambda job, total, *rest, old=findings.run_in_legs: (legs.append(total), old(job, total, *rest))[1],
    )
    assert same(ph.simulate(fast, **given, checkpoint=tmp_path / "c", checkpoint_every=0.0), plain)
    assert len(legs) == 1


def test_what_an_interruption_in_a_users_function_has_cut_short_is_not_noted(tmp_path: Path) -> None:
    """Nor is the function called again before the run ends: it may take long."""
    calls, pressed = 0, 10**9

    def potential(R: Any) -> float:
        nonlocal calls
        calls += 1
        if calls == pressed:
            raise KeyboardInterrupt
        return float(2.0 * R[2, 2] + 0.3 * R[0, 1])

    with pytest.warns(UserWarning, match="a Python function is called"):
        state = ph.AttitudeBody([1, 2, 3], potential=potential).state(omega=[0.1, 0.2, 0.3])
    given: dict[str, Any] = {"t_end": 2.0, "tolerance": 1e-8}
    calls = 0
    plain = ph.simulate(state, **given)
    for pressed in range(1 + calls // 20, calls, calls // 7):
        calls, folder = 0, tmp_path / str(pressed)
        with pytest.raises(KeyboardInterrupt):
            ph.simulate(state, **given, checkpoint=folder, checkpoint_every=0.0)
        assert calls < pressed + 24  # a step; what is saved has an energy
        assert same(ph.simulate(state, **given, checkpoint=folder, checkpoint_every=0.0), plain)
