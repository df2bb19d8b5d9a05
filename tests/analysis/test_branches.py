"""Families that leave others at branch points, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import PeriodicMotion, family, frequencies, libration_near, relative_equilibrium

TOP = ph.Pendulum3D([1.0, 1.0, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0)


def test_precessing_tops_begin_where_a_sleeping_top_wakes() -> None:
    """`J Ω² cos θ − p Ω + m g l = 0` for the rate Ω about the vertical and the momentum p about the axis."""
    asleep = family(relative_equilibrium(TOP.state(omega=[0, 0, 6.0])), "vertical_momentum", to=1.0, step=0.4)
    (event,) = asleep.events
    (start,) = asleep.branches(event)
    assert start.state.R[2, 2] == pytest.approx(1.0, abs=3e-3)
    found = family(start, "vertical_momentum", to=0.5, step=0.4)
    for member in [start, *found.members]:
        state = member.state
        assert state.R[2, 2] < 0.9995
        Omega = (state.omega[:2] @ state.R[2, :2]) / (state.R[2, :2] @ state.R[2, :2])
        assert abs(1.16 * Omega**2 * state.R[2, 2] - state.Pi[2] * Omega + 0.8) < 1e-8
    assert found.states[-1].R[2, 2] < 0.5
    assert found.stable.all()


def test_events_of_others_are_refused() -> None:
    asleep = family(relative_equilibrium(TOP.state(omega=[0, 0, 6.0])), "vertical_momentum", to=2.5, step=0.4)
    other = ph.analysis.FamilyEvent("fold", 1, 2.0)
    with pytest.raises(ph.InvalidInputError, match="event"):
        asleep.branches(other)


@pytest.mark.verify
def test_a_pitchfork_of_equilibria() -> None:
    """Of `½R₃₃² − k R₃₃`, upright for k > 1 and inclined by arccos k below: about each axis across, one state."""
    body = ph.AttitudeBody([1, 2, 2.5], potential="0.5*R33**2 - k*R33", parameters={"k": 2.0})
    upright = family(body.state(), "parameters.k", to=0.5, step=0.2)
    starts = upright.branches(0)
    assert len(starts) == 2  # their frequencies differ
    for start in starts:
        inclined = family(start, "parameters.k", to=0.2, step=0.2)
        np.testing.assert_allclose([s.R[2, 2] for s in inclined.states], inclined.values, atol=1e-12)
        assert inclined.stable.all()


@pytest.mark.verify
def test_motions_out_of_the_plane_leave_the_pitch_librations() -> None:
    body = ph.OrbitingBody([2.0, 2.5, 1.2], n=1.1)
    aligned = relative_equilibrium(body.state(omega=[0.0, 1.1, 0.0]))
    pitch = int(np.argmin(np.abs(frequencies(aligned) - 1.1 * np.sqrt(3.0 * 0.8 / 2.5))))
    first = libration_near(aligned, pitch, amplitude=0.1, steps=40)
    planar = family(first, "period", to=1.3 * first.period, step=0.1)
    points = [event for event in planar.events if event.kind == "branch point"]
    assert len(points) == 2
    for event in points:
        (start,) = planar.branches(event)
        assert isinstance(start, PeriodicMotion)
        end = ph.simulate(start.state, t_end=start.period, method=ph.DOP853(rtol=1e-13, atol=1e-13)).final
        np.testing.assert_allclose(end.omega, start.state.omega, atol=1e-9)
        np.testing.assert_allclose(end.R, start.state.R, atol=1e-9)
        out = np.abs([start.state.omega[0], start.state.omega[2], start.state.R[0, 1], start.state.R[2, 1]]).max()
        assert out > 0.01
        assert abs(start.period / event.value - 1.0) < 2e-3
