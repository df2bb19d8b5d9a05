"""A run in words: what its solves counted, and what gives reason to look at it again."""

from __future__ import annotations

from dataclasses import replace

import pytest

import polhode as ph
from polhode.view.summary import citations, run_details

SPINNING = ph.FreeRigidBody([1.0, 2.0, 3.0]).state(omega=[0.1, 0.2, 4.0])


def test_iterations_are_called_by_their_name() -> None:
    assert "Newton iterations" in run_details(ph.simulate(SPINNING, step=0.05, steps=10))
    details = run_details(ph.simulate(SPINNING, step=0.05, steps=10, method=ph.GaussLegendre()))
    assert "fixed-point iterations" in details
    assert "Newton iterations" not in details


SPACE = ph.RigidBodySOn([1.0, 1.5, 2.2]).state(Omega=[0.1, 0.2, 0.3])
FOUR = ph.RigidBodySOn([1.0, 1.5, 2.2, 3.0]).state(Omega=[0.1, 0.2, 0.3, 0.2, 0.1, 0.4])


@pytest.mark.parametrize(
    ("state", "method", "name", "source"),
    [
        (SPINNING, ph.LGVI(order=8), "composition of order 8", "Kahan"),
        (FOUR, ph.MoserVeselov(order=4), "composition of order 4", "Suzuki"),
        (FOUR, ph.MoserVeselov(), None, None),
        (SPACE, ph.MoserVeselov(order=4), "preprocessing of order 4", "McLachlan"),
        (SPACE, ph.MoserVeselov(algorithm=1), None, None),
    ],
    ids=["variational", "discrete body, composed", "one step", "discrete body, preprocessed", "pairs"],
)
def test_the_source_of_higher_orders_is_cited(
    state: ph.State, method: ph.Method, name: str | None, source: str | None
) -> None:
    found = citations(ph.simulate(state, step=0.01, steps=1, method=method))
    between = list(found)[1:-1]
    assert between == ([name] if name else [])
    assert name is None or str(source) in found[name]


def test_steps_done_again_are_told() -> None:
    run = ph.simulate(SPINNING, step=0.05, steps=10)
    assert "steps done again" not in run_details(run)
    again = replace(run, stats=replace(run.stats, retries=3))
    assert run_details(again)["steps done again"] == "3, in shorter pieces"


def test_warnings_are_told() -> None:
    assert "warnings" not in run_details(ph.simulate(SPINNING, step=0.05, steps=10))
    assert "rad in a step" in run_details(ph.simulate(SPINNING, step=0.2, steps=10))["warnings"]
