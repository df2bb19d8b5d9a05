"""The quick run of a motion: what it counts, and what sizes errors are compared with."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Ellipsoid, Sphere
from polhode.core.manifolds import Euclidean
from polhode.methods.dop853_lengths import CARRIED
from polhode.simulation.pilot import PILOT_TOLERANCE, Pilot, jolted, sizes, state_distance


def binary(eccentricity: float, unit: float = 1.0) -> ph.State:
    """Two nearly round bodies at their greatest distance, one unit of length and of time being `unit` of the others."""
    axes = unit * np.array([0.02, 0.0199, 0.0198])
    bodies = Ellipsoid(0.6, axes), Ellipsoid(0.4, axes)
    speed = np.sqrt((1.0 - eccentricity) / (1.0 + eccentricity))
    system = ph.FullTwoBodyProblem(*bodies, G=unit)
    return system.state(
        X=[unit * (1.0 + eccentricity), 0.0, 0.0],
        V=[0.0, speed, 0.0],
        Omega1=np.array([0.0, 0.1, 0.5]) / unit,
        Omega2=np.array([0.1, 0.0, 0.4]) / unit,
    )


@pytest.mark.parametrize(("eccentricity", "uneven"), [(0.1, False), (0.5, False), (0.95, True)])
@pytest.mark.parametrize("orbits", [1.2, 40.0])
def test_close_encounters_are_seen(eccentricity: float, uneven: bool, orbits: float) -> None:
    """Whether there is one orbit of them or many."""
    assert Pilot(binary(eccentricity), orbits * 2.0 * np.pi).uneven == uneven


def test_the_steps_that_a_method_is_likely_to_need() -> None:
    pilot = Pilot(ph.Pendulum3D.example(), 10.0)
    assert pilot.count <= pilot.densest < 3 * pilot.count
    counts = [pilot.steps(ph.GaussLegendre(), tolerance) for tolerance in (1e-4, 1e-8, 1e-12)]
    assert counts == sorted(counts)
    assert counts[1] / counts[0] == pytest.approx(10.0 ** (4.0 / 16.0), rel=0.2)
    assert 100 * counts[1] < pilot.steps(ph.LGVI(order=2), 1e-8)


def test_what_is_zero_at_the_start_gets_its_size_on_the_way() -> None:
    """The momentum of a pendulum at rest, in units in which it is small."""
    body = ph.PlanarPendulum(inertia=1e-12, mass=1e-12, length=1.0, g=1.0)
    pilot = Pilot(body.state(theta=1.0, omega=0.0), 20.0)
    assert 1e-13 < pilot.smallest < 1e-11
    large = Pilot(ph.PlanarPendulum(inertia=1.0, mass=1.0, length=1.0, g=1.0).state(theta=1.0, omega=0.0), 20.0)
    assert pilot.count == pytest.approx(large.count, rel=0.3)


def test_how_far_states_are_apart() -> None:
    state = ph.FreeRigidBody([1.0, 2.0, 3.0]).state(omega=[2e6, 0.0, 0.0])
    layout = state.system.representations["default"].layout
    y = state.system.enter("default", state)
    assert sizes(layout, y, 0.5 * y) == [1.0, 2e6]
    other = y.copy()
    other[layout.slices["Pi"]] *= 1.0 + 1e-5
    assert state_distance(layout, y, other) == pytest.approx(1e-5, rel=1e-3)


@pytest.mark.parametrize("state", [binary(0.3), ph.ConcentricShells.example()], ids=["vectors", "copies"])
def test_a_jolt_changes_every_variable_by_its_size(state: ph.State) -> None:
    layout = state.system.representations["default"].layout
    y, changed = (state.system.enter("default", each) for each in (state, jolted(state, 1e-6)))
    for variable, size in zip(layout.variables, sizes(layout, y), strict=True):
        part = layout.slices[variable.name]
        if isinstance(variable.manifold, Euclidean):
            np.testing.assert_allclose(np.abs(changed - y)[part], 1e-6 * size, rtol=1e-6)
        far = float(variable.manifold.distance(y[part], changed[part]))
        assert far == pytest.approx(1e-6 * size * np.sqrt(3.0), rel=1e-3)


def test_a_run_that_passed_over_something_does_not_agree() -> None:
    state = ph.Pendulum3D.example()
    pilot = Pilot(state, 10.0)
    end = ph.simulate(state, step=0.1, t_end=10.0, method=ph.GaussLegendre()).final
    near, away = (pilot.distance_to(state.system.enter("default", each), "default") for each in (end, state))
    assert near < 0.1 < away
    assert pilot.explains(near)
    assert not pilot.explains(away)


def test_what_rounding_may_have_become() -> None:
    """Nothing is known of it where the errors of the quick run have grown beyond all bounds."""
    pilot = Pilot(ph.Pendulum3D.example(), 10.0)
    assert 1e-14 < pilot.rounding(1e-4) < 1e-11
    assert pilot.rounding(1.0) == np.inf


def test_steps_that_are_short_for_stability_are_told_from_others() -> None:
    stiff = ph.DampedGyrostat([1.0, 1.9, 2.4], damper_inertia=0.01, damping=2.0).state(omega=[0.5, 0.9, -0.8])
    assert Pilot(stiff, 10.0).stiff
    assert not Pilot(binary(0.3), 100.0).stiff


@pytest.mark.parametrize("t_end", [10.0, 300.0, -40.0])
def test_the_shortest_steps_are_found_among_all(t_end: float) -> None:
    """One by one, by a sample at the beginning of each: the mean of four together, once they no longer double."""
    pilot = Pilot(binary(0.5), t_end)
    run, t, lengths = pilot.run_of(pilot.method(PILOT_TOLERANCE), t_end), 0.0, []
    while abs(t) < abs(t_end):
        run.follow(np.array([np.nextafter(t, t_end)]), np.empty((0, run.row_size)))
        start, length, _ = run.y[-CARRIED:]
        lengths.append(abs(length))
        t = start + length
    settled = next(k for k in range(len(lengths)) if lengths[k + 1] < 2.0 * lengths[k])
    means = np.convolve(lengths[settled:], np.full(4, 0.25), mode="valid")
    assert pilot.densest == pytest.approx(abs(t_end) / means.min(), rel=1e-12)
    assert len(lengths) <= pilot.count


def test_of_a_motion_that_ends_the_last_part_is_seen_too() -> None:
    """Two bodies that fall towards each other: the quick run ends where they meet."""
    bodies = [Ellipsoid(1.0, [0.02, 0.02, 0.02])] * 2
    state = ph.FullTwoBodyProblem(*bodies, gravity=2).state(X=[1.0, 0.0, 0.0], V=[0.0, 0.0, 0.0])
    pilot = Pilot(state, 2.0)
    assert 0.0 < np.linalg.norm(pilot.final[pilot.layout.slices["X"]]) < 0.5
    assert pilot.densest == pilot.count


def test_a_rough_run_is_made_once() -> None:
    pilot = Pilot(binary(0.3), 10.0)
    assert pilot.rough_run(1e-4) is pilot.rough_run(1e-4)
    assert 0.0 < pilot.rough_run(1e-4).distance < 0.1
    assert pilot.rough_run(1e-4).steps < pilot.count < pilot.rough_run(1e-7).steps


def test_the_spin_of_a_ball_that_nothing_turns_is_no_reason_for_short_steps() -> None:
    pair = ph.FullTwoBodyProblem(Ellipsoid(0.8, [0.3, 0.25, 0.2]), Sphere(0.2, 0.1), gravity=2)
    start = pair.state(X=[1.3, 0.0, 0.1], V=[0.0, 0.85, 0.1], Omega1=[0.1, 0.2, 0.7])
    quick = Pilot(start, 5.0)
    assert quick.smallest > 1e-3
    assert quick.count < 20
    spinning = pair.enter("default", start)
    spinning[quick.layout.slices["Pi2"]] = 1e-17
    assert state_distance(quick.layout, spinning, pair.enter("default", start)) < 1e-16  # and not 1


def test_how_errors_grow() -> None:
    """In proportion to the error of the quick run while it is small, and faster where it is large; steps have to be shorter then."""
    state = ph.Pendulum3D.example()
    short, long = Pilot(state, 5.0), Pilot(state, 30.0)
    for pilot in (short, long):
        fine = pilot.rough_run(1e-10).end
        assert pilot.growth_to(fine) > 0.5 * state_distance(pilot.layout, fine, pilot.final) / PILOT_TOLERANCE
        assert not pilot.unpredictable
    assert short.rough_run(1e-4).distance < 1e-2
    assert short.growth == pytest.approx(short.rough_run(1e-4).distance / 1e-4)
    assert short.more(ph.GaussLegendre()) == 1.0
    far = long.rough_run(1e-4).distance
    assert far > 1e-2
    assert long.more(ph.GaussLegendre()) == pytest.approx((far / 1e-2) ** (1.5 / 16.0))
    chaotic = ph.DoublePlanarPendulum.example().system.state(theta=[2.5, 2.9], omega=[0.0, 0.0])
    assert Pilot(chaotic, 60.0).unpredictable
