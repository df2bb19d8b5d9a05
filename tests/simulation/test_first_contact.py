"""Bodies that attract by their true shapes touch: runs to a tolerance end there, or say so."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Sphere
from polhode.simulation.accuracy import likely_run
from polhode.simulation.first_contact import first_contact

REACH = 0.5


def pair(gravity: str | int = "shapes", sideways: float = 0.0) -> ph.State:
    """Two balls at rest, or on an orbit, at distance 1."""
    problem = ph.FullTwoBodyProblem(Sphere(1.0, 0.2), Sphere(1.0, 0.3), gravity=gravity)
    return problem.state(X=[1.0, 0.0, 0.0], V=[0.0, sideways, 0.0])


def fall(r: float) -> float:
    """How long balls at rest at distance 1 take to distance r, by Kepler's equation for a straight orbit."""
    E = np.arccos(2.0 * r - 1.0)
    return float(np.sqrt(0.125 / 2.0) * (E + np.sin(E)))


def test_the_first_contact_is_found() -> None:
    touch = first_contact(pair(), 3.0)
    assert touch is not None
    assert touch.before < fall(REACH) < touch.after < fall(REACH) + 0.01
    assert touch.bodies == "body1 and body2"
    assert first_contact(pair(), 0.9 * fall(REACH)) is None
    assert first_contact(pair(sideways=1.4), 20.0) is None
    assert first_contact(pair(2), 3.0) is None  # which says so afterwards, in a warning


@pytest.mark.parametrize("events", [[], [ph.Contact(stop=False)]], ids=["none", "one that goes on"])
def test_a_run_to_a_tolerance_into_a_contact_is_refused(events: list[ph.Contact]) -> None:
    with pytest.raises(ph.InvalidInputError, match=r"near t = 0\.6\d* body1 and body2 touch.*events=\[Contact\(\)\]"):
        ph.simulate(pair(), t_end=3.0, events=events)
    with pytest.raises(ph.InvalidInputError, match="touch"):
        likely_run(pair(), 3.0, 1e-9, events=events)
    assert likely_run(pair(), 3.0, 1e-9, events=[ph.Contact()])[1] > 1  # as a dry run asks


@pytest.mark.parametrize("tolerance", [None, 1e-5])
def test_a_contact_ends_a_run_to_a_tolerance(tolerance: float | None) -> None:
    found = ph.simulate(pair(), t_end=3.0, tolerance=tolerance, events=[ph.Contact()])
    assert [event.stopped for event in found.events] == [True]
    assert found.t[-1] == pytest.approx(fall(REACH), abs=1e-9 if tolerance is None else 1e-5)
    times = [0.1, 0.3, 0.9, 2.0]
    chosen = ph.simulate(pair(), t_eval=times, tolerance=tolerance, events=[ph.Contact()])
    assert chosen.t[:-1].tolist() == times[:2]
    assert chosen.t[-1] == pytest.approx(found.t[-1], abs=1e-5)


def test_a_run_that_ends_before_the_contact_does_not_notice_it() -> None:
    assert ph.simulate(pair(), t_end=0.9 * fall(REACH)).accuracy is not None
