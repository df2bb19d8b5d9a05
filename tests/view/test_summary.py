"""A run in words: what its solves counted, and what gives reason to look at it again."""

from __future__ import annotations

from dataclasses import replace

import polhode as ph
from polhode.view.summary import run_details

SPINNING = ph.FreeRigidBody([1.0, 2.0, 3.0]).state(omega=[0.1, 0.2, 4.0])


def test_iterations_are_called_by_their_name() -> None:
    assert "Newton iterations" in run_details(ph.simulate(SPINNING, step=0.05, steps=10))
    details = run_details(ph.simulate(SPINNING, step=0.05, steps=10, method=ph.GaussLegendre()))
    assert "fixed-point iterations" in details
    assert "Newton iterations" not in details


def test_steps_done_again_are_told() -> None:
    run = ph.simulate(SPINNING, step=0.05, steps=10)
    assert "steps done again" not in run_details(run)
    again = replace(run, stats=replace(run.stats, retries=3))
    assert run_details(again)["steps done again"] == "3, in shorter pieces"


def test_warnings_are_told() -> None:
    assert "warnings" not in run_details(ph.simulate(SPINNING, step=0.05, steps=10))
    assert "rad in a step" in run_details(ph.simulate(SPINNING, step=0.2, steps=10))["warnings"]
