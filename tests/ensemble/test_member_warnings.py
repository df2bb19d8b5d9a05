"""Reasons to look at members again: those that `simulate` gives for the same samples, whoever computes them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main
from polhode.core.system import State
from polhode.ensemble import member_warnings
from polhode.ensemble.driver import job_of
from polhode.ensemble.members import as_members
from polhode.ensemble.tasks import Task
from polhode.errors import NearContactWarning, StepWarning
from polhode.io.ensemble_store import EnsembleStore

PAIR = ph.FullTwoBodyProblem.example().system
FALL = [PAIR.state(X=[x, 0.0, 0.0], V=[0.0, speed, 0.0]) for x, speed in ((1.5, 1.0), (0.7, 0.1), (1.6, 1.0))]
RUN = {"step": 0.05, "t_end": 10.0}
BODY = ph.FreeRigidBody([1.0, 2.0, 3.0])
SPINS = [BODY.state(omega=[0.1, 0.2, 0.1 * i]) for i in range(40)]


def of_single_runs(states: list[State], **options: object) -> list[tuple[int, str]]:
    """The numbers of members and the texts of the warnings about their single runs, of which the two ends are kept."""
    found = []
    for i, state in enumerate(states):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ph.RunWarning)
            found += [(i, str(each)) for each in ph.simulate(state, save_every=10**6, **options).warnings]
    return found


def told(ensemble: ph.Ensemble) -> list[tuple[int, str]]:
    return [(each.member, each.message) for each in ensemble.warnings]


def test_an_encounter_that_the_steps_do_not_resolve_is_told() -> None:
    with pytest.warns(ph.EnergyWarning, match=r"^member 1: the energy, which is conserved, has changed") as issued:
        found = ph.ensemble(FALL, **RUN)
    assert {each.kind for each in found.warnings} == {type(each.message).__name__ for each in issued}
    assert told(found) == of_single_runs(FALL, **RUN) != []
    assert not found.failures


def test_members_with_systems_of_their_own() -> None:
    heavier = [
        ph.FullTwoBodyProblem(*PAIR.bodies, G=1.0 + 0.01 * i).state(**kept(state)) for i, state in enumerate(FALL)
    ]
    with pytest.warns(ph.EnergyWarning, match="^member 1: "):
        found = ph.ensemble(heavier, **RUN)
    assert told(found) == of_single_runs(heavier, **RUN) != []


def test_no_member_is_made_once_more() -> None:
    """Its function may take long, or throw dice."""
    made: list[int] = []

    def member(i: int) -> State:
        made.append(i)
        return ph.FreeRigidBody([1.0, 2.0, 2.5 + 0.01 * i]).state(omega=[0.1, 0.2, 3.0])

    with pytest.warns(StepWarning, match="so for 20 of 20 members"):
        ph.ensemble(member, members=20, step=0.2, steps=10)
    assert sorted(made) == sorted([0, *range(20)])  # the first one stands for all, before


def kept(state: State) -> dict[str, np.ndarray]:
    return {name: getattr(state, name) for name in ("X", "V")}


def test_of_many_members_one_warning_of_each_kind_is_issued() -> None:
    with pytest.warns(StepWarning) as issued:
        found = ph.ensemble(SPINS, step=0.2, steps=50)
    assert len(issued) == 1
    assert str(issued[0].message).startswith("member 25: at t = ")
    assert str(issued[0].message).endswith("(so for 15 of 40 members)")
    assert issued[0].filename == __file__
    assert told(found) == of_single_runs(SPINS, step=0.2, steps=50)


def test_a_drifting_energy_is_told() -> None:
    """Of a method that is not symplectic, where samples are dense enough to tell a drift from an oscillation."""
    body = ph.Pendulum3D.example().system
    states = [body.state(omega=[0.5, 0.1 * i, 4.0]) for i in range(4)]
    run = {"step": 0.05, "steps": 6000, "method": ph.RK4()}
    with pytest.warns(ph.EnergyWarning, match=r"^member 0: the energy, which is conserved, drifts"):
        found = ph.ensemble(states, **run, save="all")
    with pytest.warns(ph.EnergyWarning):
        alone = ph.simulate(states[0], **run)
    assert [text for i, text in told(found) if i == 0] == [str(each) for each in alone.warnings]


def test_where_nothing_is_found_no_member_is_looked_at_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_warnings, "run_warnings", lambda run: pytest.fail("looked at alone"))
    found = ph.ensemble([BODY.state(omega=[0.1, 0.2, 0.01 * i]) for i in range(40)], step=0.1, steps=50, save=10)
    assert found.warnings == ()


def test_the_place_where_an_expansion_need_not_converge_is_told() -> None:
    """Members that begin in it, or come through it between two others that do not."""
    shapes = ph.bodies.Ellipsoid(1.0, [0.5, 0.4, 0.3]), ph.bodies.Ellipsoid(1.0, [0.5, 0.4, 0.3])
    system = ph.FullTwoBodyProblem(*shapes)
    states = [system.state(X=[0.0, x, 0.0], V=[1.2, 0.0, 0.0]) for x in (1.4, 0.9, 1.5)]
    with pytest.warns(NearContactWarning, match="^member 1: from t = 0 on"):
        ph.ensemble(states, step=0.005, steps=20)


def test_a_tolerance_that_chaos_does_not_allow_is_told() -> None:
    pendulum = ph.DoublePlanarPendulum.example().system
    states = [pendulum.state(theta=[angle, 2.9], omega=[0.0, 0.0]) for angle in (0.1, 2.5)]
    still = pendulum.state(theta=[0.1, 0.1], omega=[0.0, 0.0])
    with pytest.warns(ph.AccuracyWarning, match=r"^member [12]: the estimated error at the end is") as issued:
        found = ph.ensemble([still, *states], tolerance=1e-13, t_end=60.0)
    assert len(issued) == 1
    assert 0 not in {each.member for each in found.warnings} >= {2}
    with pytest.warns(ph.AccuracyWarning, match="above the tolerance of 1e-13"):
        alone = ph.simulate(states[1], tolerance=1e-13, t_end=60.0)
    assert (2, str(alone.warnings[0])) in told(found)


def test_files_and_stores_keep_them(tmp_path: Path) -> None:
    with pytest.warns(StepWarning):
        found = ph.ensemble(SPINS, step=0.2, steps=50, store=tmp_path / "spins.zarr")
    with pytest.warns(StepWarning):
        assert ph.ensemble(SPINS, step=0.2, steps=50).warnings == found.warnings != ()
    parts, count = EnsembleStore(tmp_path / "spins.zarr").parts(), 0
    for part in parts:
        assert [each for each in part.warnings if not 0 <= each.member < len(part)] == []
        assert {each.message for each in part.warnings} <= {each.message for each in found.warnings}
        count += len(part.warnings)
    assert count == len(found.warnings)
    found.save(tmp_path / "spins.nc")
    assert ph.Ensemble.load(tmp_path / "spins.nc").warnings == found.warnings


def test_a_part_that_is_sent_away_names_the_members_of_the_whole() -> None:
    job = job_of(as_members(FALL), RUN["step"], RUN["t_end"], None, None, None, None, "final", 0)
    done = Task(job).part(range(1, 3))()
    assert {each.member for each in done.warnings} == {1}


def test_the_command_and_the_report_say_them(tmp_path: Path) -> None:
    (tmp_path / "fast.toml").write_text(
        '[system]\ntype = "FreeRigidBody"\ninertia = [1.0, 2.0, 3.0]\n[state]\nomega = [0.1, 0.2, 1.0]\n'
        "[run]\nstep = 0.2\nt_end = 2.0\n[ensemble]\n[[ensemble.vary]]\nkey = 'state.omega[2]'\nvalues = [1.0, 3.0, 3.1]\n"
    )
    options = ["--no-plots", "--out", str(tmp_path)]
    found = CliRunner().invoke(main, ["ensemble", str(tmp_path / "fast.toml"), *options])
    assert found.exit_code == 0, found.output
    assert found.stderr.count("polhode: warning: member ") == 2
    assert "Members to look at again" in (tmp_path / "fast.ensemble.html").read_text(encoding="utf-8")
    again = CliRunner().invoke(main, ["info", str(tmp_path / "fast.ensemble.nc")])
    assert again.stderr.count("polhode: warning: member ") == 2
