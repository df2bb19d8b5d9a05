"""What happens on the way: found in time, none missed, none imagined."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Box, Dumbbell, Ellipsoid, GivenIntegrals, Polyhedron, Sphere
from polhode.bodies.separation import Separation
from polhode.simulation.events import Event
from polhode.systems.full_body.placements import placements

from ..bodies.shapes import CUBE, CUBE_FACES

INTEGRALS = {"000": 2.0, "200": 0.03, "020": 0.02, "002": 0.01}
BALLS = ph.FullTwoBodyProblem(Sphere(1.0, 0.2), Sphere(3.0, 0.3), gravity=2, G=0.5)


def fall_time(r0: float, r: float, mu: float) -> float:
    """The time of the fall from rest at r0 to r."""
    x = r / r0
    return np.sqrt(r0**3 / (2.0 * mu)) * (np.sqrt(x * (1.0 - x)) + np.arccos(np.sqrt(x)))


@pytest.mark.parametrize("every", [1, 7, 10_000])
def test_head_on_fall_against_the_closed_form(every: int) -> None:
    start = BALLS.state(X=[2.0, 1.0, -2.0])
    trajectory = ph.simulate(start, step=0.01, t_end=10.0, save_every=every, method=ph.LGVI(8), events=[ph.Contact()])
    expected = fall_time(3.0, 0.5, 0.5 * 4.0)
    (contact,) = trajectory.events
    assert contact.t == trajectory.t[-1] == pytest.approx(expected, abs=1e-10)
    assert (contact.event, contact.what, contact.stopped) == ("contact", "body1 and body2", True)
    assert np.linalg.norm(trajectory.final.X) == pytest.approx(0.5, abs=1e-12)
    assert trajectory.stats.steps == int(expected / 0.01)
    assert str(contact) in trajectory.provenance["ended"]
    np.testing.assert_allclose(trajectory.at(contact.t).X, trajectory.final.X, atol=1e-15)
    assert trajectory.at(contact.t - 0.003).t == contact.t - 0.003


def test_what_happened_is_saved_and_loaded(tmp_path) -> None:
    start = BALLS.state(X=[2.0, 1.0, -2.0])
    trajectory = ph.simulate(start, step=0.01, t_end=10.0, events=[ph.Contact()])
    trajectory.save(tmp_path / "run.nc")
    loaded = ph.load(tmp_path / "run.nc")
    assert loaded.events == trajectory.events
    assert loaded.provenance == trajectory.provenance
    with pytest.raises(ph.InvalidInputError, match="ended by an event"):
        ph.resume(loaded, steps=10)


def flyby(impact: float, speed: float, step: float, events: list[Event], **more) -> ph.Trajectory:
    """Two light balls, 0.5 the sum of their radii, that pass each other on nearly straight lines."""
    light = ph.FullTwoBodyProblem(Sphere(1.0, 0.2), Sphere(1.0, 0.3), gravity=2, G=1e-9)
    start = light.state(X=[-5.0, impact, 0.0], V=[speed, 0.0, 0.0])
    return ph.simulate(start, step=step, steps=round(10.0 / speed / step), events=events, **more)


@pytest.mark.parametrize("step", [0.01, 0.37, 5.0])
@pytest.mark.parametrize("impact", [0.0, 0.3, 0.49999])
def test_no_contact_is_missed_between_samples_or_within_a_step(impact: float, step: float) -> None:
    """At the largest step the balls are ten radii apart at both of its ends."""
    trajectory = flyby(impact, 1.0, step, [ph.Contact()], save_every=1000)
    (contact,) = trajectory.events
    assert contact.t == pytest.approx(5.0 - np.sqrt(0.25 - impact**2), abs=1e-6)


@pytest.mark.parametrize("step", [0.01, 5.0])
def test_a_near_miss_is_no_contact(step: float) -> None:
    assert flyby(0.5001, 1.0, step, [ph.Contact()]).events == ()


def test_going_on_notes_every_contact_anew_and_changes_nothing() -> None:
    pair = ph.FullTwoBodyProblem(Sphere(1.0, 0.4), Sphere(1.0, 0.5), gravity=2)
    start = pair.state(elements={"a": 1.0, "e": 0.4, "true_anomaly": np.pi})
    noted = ph.simulate(start, step=0.01, t_end=13.0, events=[ph.Contact(stop=False)], save_every=3)
    plain = ph.simulate(start, step=0.01, t_end=13.0, save_every=3)
    assert len(noted.events) == 3  # once an orbit of 2π/√2
    assert not any(event.stopped for event in noted.events)
    period = 2 * np.pi / np.sqrt(2.0)
    np.testing.assert_allclose(np.diff([event.t for event in noted.events]), period, atol=1e-3)
    for event in noted.events:
        assert np.linalg.norm(noted.at(event.t).X) == pytest.approx(0.9, abs=1e-9)
    np.testing.assert_array_equal(noted.X, plain.X)
    assert "ended" not in noted.provenance


def test_bodies_far_apart_cost_no_look_and_near_ones_few(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(
        Separation, "__call__", lambda self, X, R, old=Separation.__call__: looks.append(1) or old(self, X, R)
    )
    start = ph.FullTwoBodyProblem.example()  # ellipsoids within 0.35 and 0.3, more than 1 apart
    ph.simulate(start, step=0.001, steps=5000, events=[ph.Contact()])
    assert not looks
    long = ph.FullTwoBodyProblem(Ellipsoid(1.0, [1.0, 0.1, 0.1]), Ellipsoid(1.0, [1.0, 0.1, 0.1]), gravity=2, G=0.1)
    near = long.state(X=[0.0, 1.5, 0.0], V=[0.3, 0.0, 0.0])  # within reach of each other all the time
    ph.simulate(near, step=0.001, steps=2000, events=[ph.Contact()])
    assert 0 < len(looks) < 100


def test_turning_bodies_touch_by_their_true_shape() -> None:
    """A rod of two balls at rest turns until an end meets the ball beside it: at a known angle."""
    rod = ph.FullTwoBodyProblem(Dumbbell(1.0, 2.0, radius=0.1), Sphere(1e-12, 0.2), gravity=2, G=1e-12)
    start = rod.state(X=[0.0, 0.9, 0.0], Omega1=[0.0, 0.0, -0.5])  # the ball stands 0.9 below the rod's middle
    trajectory = ph.simulate(start, step=0.05, t_end=4.0, method=ph.LGVI(6), events=[ph.Contact()])
    # an end at angle φ from the rod's axis is √(1 + 0.81 − 1.8 cos(π/2 − φ)) from the ball
    angle = np.pi / 2 - np.arccos((1.81 - 0.09) / 1.8)
    assert trajectory.final.t == pytest.approx(angle / 0.5, abs=1e-9)


@pytest.mark.parametrize("order", [1, -1])
def test_what_only_turns_touches_within_a_step(order: int) -> None:
    """The end of a bar passes a small ball: 0.4 rad before and after it is far away."""
    bodies = [Box([2.0, 0.02, 0.02], mass=1.0), Sphere(1.0, 0.02)][::order]
    c, s = math.cos(0.4), math.sin(0.4)
    R = [np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), np.eye(3)][::order]
    omega, x = [[0, 0, 0.8], [0, 0, 0]][::order], [[0, 0, 0], [1.01, 0, 0]][::order]
    start = ph.FullBodyProblem(bodies, G=1e-12).state(x=x, v=np.zeros((2, 3)), R=R, omega=omega)
    found = ph.simulate(start, step=1.0, steps=1, method=ph.Splitting(), events=[ph.Contact()]).events
    assert len(found) == 1


def test_meshes_and_ellipsoids_meet_where_they_should() -> None:
    cube = Polyhedron(0.3 * CUBE, CUBE_FACES, mass=1.0)
    for body, reach in ((Ellipsoid(2.0, [0.5, 0.4, 0.3]), 0.5), (cube, 0.3), (Sphere(2.0, 0.2), 0.2)):
        pair = ph.FullTwoBodyProblem(body, cube, gravity=2, G=1e-12)
        start = pair.state(X=[2.0, 0.1, 0.05], V=[-1.0, 0.0, 0.0])
        trajectory = ph.simulate(start, step=0.1, t_end=3.0, events=[ph.Contact()])
        assert trajectory.final.t == pytest.approx(1.7 - reach, abs=1e-6)


def test_any_pair_of_many_bodies() -> None:
    points = Dumbbell(1.0, 0.1, inertia=[1.0, 1.0, 1.0])
    bodies = [Sphere(1.0, 0.1), Sphere(1.0, 0.1), Ellipsoid(1.0, [0.2, 0.3, 0.1]), points]
    problem = ph.FullBodyProblem(bodies, gravity=2, G=1e-12)
    start = problem.state(
        x=[[0, 0, 0], [3, 0, 0], [0, 4, 0], [0, 0, 5]], v=[[0, 0, 0], [-1.5, 0, 0], [0, -2, 0], [0, 0, -2.6]]
    )
    events = ph.simulate(start, step=0.1, t_end=1.9, events=[ph.Contact(stop=False)]).events
    found = [event for event in events if event.what.startswith("body0 and")]
    assert [event.what for event in found] == [f"body0 and body{j}" for j in (2, 1, 3)]
    expected = [(4.0 - 0.4) / 2.0, (3.0 - 0.2) / 1.5, (5.0 - np.sqrt(0.1**2 - 0.05**2)) / 2.6]
    np.testing.assert_allclose([event.t for event in found], expected, atol=1e-8)


def test_backwards_in_time_too() -> None:
    light = ph.FullTwoBodyProblem(Sphere(1.0, 0.2), Sphere(1.0, 0.3), gravity=2, G=1e-9)
    start = light.state(X=[2.0, 0.0, 0.0], V=[1.0, 0.0, 0.0])
    trajectory = ph.simulate(start, step=-0.1, t_end=-5.0, events=[ph.Contact()])
    assert trajectory.final.t == pytest.approx(-1.5, abs=1e-7)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (ph.FreeRigidBody([1, 2, 3]), "at least two bodies"),
        (
            ph.FullTwoBodyProblem(Dumbbell(1.0, 0.5, inertia=[1, 1, 1]), Dumbbell(1.0, 0.5, inertia=[1, 1, 1])),
            "never do",
        ),
        (ph.FullTwoBodyProblem(Sphere(1.0, 0.1), GivenIntegrals(INTEGRALS)), r"body2 = .*with a radius"),
        (ph.FullBodyProblem([Sphere(1.0, 0.1), GivenIntegrals(INTEGRALS)]), r"bodies\[1\] = .*with a radius"),
    ],
    ids=["one body", "points", "no radius", "no radius, of many"],
)
def test_what_cannot_touch_is_refused(system, message: str) -> None:
    given = {"FullTwoBodyProblem": {"X": [2, 0, 0]}, "FullBodyProblem": {"x": [[2, 0, 0], [0, 0, 0]]}}
    state = system.state(**given.get(type(system).__name__, {"omega": [1, 2, 3]}))
    with pytest.raises(ph.InvalidInputError, match=message):
        ph.simulate(state, step=0.1, steps=1, events=[ph.Contact()])


def test_integrals_with_a_radius_touch_as_a_sphere_of_it() -> None:
    pair = ph.FullTwoBodyProblem(GivenIntegrals(INTEGRALS, radius=0.3), Sphere(1.0, 0.2))
    traj = ph.simulate(pair.state(X=[1, 0, 0]), step=0.01, t_end=2.0, events=[ph.Contact()])
    assert np.linalg.norm(traj.final.X) == pytest.approx(0.5, abs=1e-10)


def test_bodies_that_overlap_at_the_start() -> None:
    start = BALLS.state(X=[0.4, 0.0, 0.0], V=[2.0, 0.0, 0.0])
    with pytest.raises(ph.InvalidInputError, match="contact of body1 and body2"):
        ph.simulate(start, step=0.01, steps=1, events=[ph.Contact()])
    (noted,) = ph.simulate(start, step=0.01, steps=10, events=[ph.Contact(stop=False)]).events
    assert noted.t == 0.0


@pytest.mark.parametrize("events", [ph.Contact(), ["contact"], [None]])
def test_events_must_be_events(events) -> None:
    with pytest.raises(ph.InvalidInputError, match="list of events"):
        ph.simulate(BALLS.state(X=[2, 0, 0]), step=0.1, steps=1, events=events)


def test_any_function_of_the_state_may_be_watched() -> None:
    """The periapsis of an ellipse: where the distance stops falling."""
    pair = ph.FullTwoBodyProblem(Sphere(1.0, 0.01), Sphere(1.0, 0.01), gravity=2)
    start = pair.state(elements={"a": 1.0, "e": 0.5, "true_anomaly": 1.0})

    def falling(state: ph.State) -> np.ndarray:
        place = placements(state.system, state.values)
        r, v = (q[..., 0, :] - q[..., 1, :] for q in (place.x, place.v))
        return -np.sum(r * v, axis=-1)

    apsis = ph.Crossing("periapsis", falling)
    trajectory = ph.simulate(start, step=0.02, t_end=10.0, method=ph.LGVI(8), events=[apsis])
    period = 2 * np.pi / np.sqrt(2.0)
    first = period - float(trajectory.orbit().mean_anomaly[0]) / np.sqrt(2.0)
    np.testing.assert_allclose([event.t for event in trajectory.events], [first, first + period], atol=1e-8)


def test_events_and_tangents_do_not_go_together() -> None:
    with pytest.raises(ph.InvalidInputError, match="tangent"):
        ph.simulate(BALLS.state(X=[2, 0, 0]), step=0.1, steps=1, events=[ph.Contact()], tangent=True)


def test_events_have_their_states_and_print_well(tmp_path: Path) -> None:
    start = ph.FreeRigidBody.example()
    falls = ph.Crossing("spun down", lambda state: state.omega[..., 0] - 1.0)
    run = ph.simulate(start, step=0.1, t_end=20.0, events=[falls])
    assert len(run.events) > 1
    for event in run.events:
        assert event.state is not None
        assert event.state.t == pytest.approx(event.t, abs=1e-12)
        assert event.state.omega[0] == pytest.approx(1.0, abs=1e-9)
        assert repr(event) == f"<spun down at t = {event.t:.12g}>"
    run.save(tmp_path / "run.nc")
    for event, read in zip(run.events, ph.load(tmp_path / "run.nc").events, strict=True):
        assert read == event
        assert read.state is not None
        assert event.state is not None
        assert np.array_equal(read.state.R, event.state.R)


def test_a_contact_in_a_step_that_begins_at_rest_is_found() -> None:
    """How fast bodies may come near each other follows from the speeds at both ends of the step."""
    fall = ph.FullTwoBodyProblem(Sphere(1.0, 0.2), Sphere(1.0, 0.3)).state(X=[1.0, 0.0, 0.0])
    found = ph.simulate(fall, step=0.8, steps=1, events=[ph.Contact()])
    assert [event.what for event in found.events] == ["body1 and body2"]
