"""Figures of bodies in space."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import libration as libration_angles
from polhode.analysis import mutual_elements
from polhode.bodies import Ellipsoid, Sphere
from polhode.view.figures.catalogue import figures_for
from polhode.view.figures.orbits import (
    break_at_jumps,
    mass_centres,
    plot_elements,
    plot_energies,
    plot_libration,
    plot_orbits,
)


@pytest.fixture(scope="module", params=[ph.FullTwoBodyProblem, ph.FullBodyProblem])
def run(request: pytest.FixtureRequest) -> ph.Trajectory:
    state = request.param.example()
    return ph.simulate(state, step=0.05, steps=50)


def test_paths_and_closest_approach_are_drawn(run: ph.Trajectory) -> None:
    assert {"orbit", "elements", "libration", "energies", "invariants"} <= set(figures_for(run.system))
    x = mass_centres(run)
    left, right = plot_orbits(run).axes
    assert len([line for line in left.lines if len(line.get_xdata()) == len(run)]) == x.shape[1]
    distance = np.linalg.norm(x[:, 0] - x[:, 1], axis=-1)
    np.testing.assert_allclose(right.lines[0].get_ydata(), distance)
    assert f"least {distance.min():.5g}" in right.get_title(loc="left")


def test_the_parts_of_the_energy_sum_to_the_conserved_energy(run: ph.Trajectory) -> None:
    (axes,) = plot_energies(run).axes
    lines = {str(line.get_label()).partition(":")[0]: line.get_ydata() for line in axes.lines}
    total, energy = lines.pop("total"), run.invariants()["energy"]
    np.testing.assert_allclose(sum(lines.values()), total, atol=1e-14)
    np.testing.assert_allclose(total, energy if axes.get_ylabel() == "energy" else energy - energy[0], atol=1e-14)


def test_energies_that_would_be_straight_lines_are_drawn_as_changes() -> None:
    pair = ph.FullTwoBodyProblem(Ellipsoid(0.1, [0.3, 0.2, 0.1]), Sphere(1.0, 0.5))
    binary = pair.state(X=[3.0, 0.0, 0.0], V=[0.0, 0.6, 0.0], Omega1=[0.0, 0.0, 0.25], Omega2=[0.0, 0.0, 20.0])
    run = ph.simulate(binary, step=0.05, steps=100)
    (axes,) = plot_energies(run).axes
    assert axes.get_ylabel() == "change of energy"
    lines = {str(line.get_label()): line.get_ydata() for line in axes.lines}
    for name, values in run.system.energies(run.values, run.t).items():
        np.testing.assert_array_equal(lines[f"{name}: {values[0]:.4g} at first"], values - values[0])


def test_elements_are_those_of_the_mutual_orbit(run: ph.Trajectory) -> None:
    size, shape, angles = plot_elements(run).axes
    lines = {line.get_label(): line.get_ydata() for ax in (size, shape, angles) for line in ax.lines}
    found = mutual_elements(run)
    np.testing.assert_allclose(lines["eccentricity $e$"], found.e)
    np.testing.assert_allclose(lines["periapsis distance $q$"], found.q)
    np.testing.assert_allclose(lines["inclination"], np.degrees(found.inclination))


def test_libration_is_drawn_without_lines_across_the_leaps(run: ph.Trajectory) -> None:
    angles = np.degrees(libration_angles(run))
    for i, ax in enumerate(plot_libration(run).axes):
        drawn = np.asarray(ax.lines[0].get_ydata())
        gaps = np.isnan(drawn)
        np.testing.assert_allclose(drawn[~gaps], angles[~gaps, i])
        assert ("circulates" in ax.get_title(loc="left")) == bool(gaps.any())
    np.testing.assert_array_equal(
        break_at_jumps(np.array([80.0, 89.0, -88.0, -80.0]), 180.0), [80.0, 89.0, np.nan, -80.0]
    )


def test_a_fall_along_the_line_has_neither() -> None:
    pair = ph.FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(1.0, 0.1))
    fall = ph.simulate(pair.state(X=[1.0, 0.0, 0.0]), step=0.01, steps=10)
    for draw in (plot_elements, plot_libration):
        assert "line of centres" in draw(fall).axes[0].get_title(loc="left")
    orbiting = ph.simulate(pair.state(X=[1.0, 0.0, 0.0], V=[0.0, 1.0, 0.0]), step=0.01, steps=10)
    assert "no long axis" in plot_libration(orbiting).axes[0].get_title(loc="left")
