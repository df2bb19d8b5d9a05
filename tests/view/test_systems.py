"""Figures of bodies with angles, pointers, momenta and partners: they show the numbers, and every system has some."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.core.system import System
from polhode.systems.registry import known_systems
from polhode.view.figures import catalogue as plots
from polhode.view.figures.direction_paths import merge_parallel, plot_direction_path
from polhode.view.figures.momenta import precession_nutation_spin, yaw_pitch_roll
from polhode.view.figures.phase_plane import plot_joint_paths, plot_phase_plane
from tests.tiers import later

OURS = [
    "AttitudeBody",
    "ConstantBodyMoment",
    "ChargedBody",
    "ChargedPoints",
    "ConcentricShells",
    "CoupledBodies",
    "DoublePlanarPendulum",
    "FieldBody",
    "FreeRigidBody",
    "OrbitingBody",
    "Pendulum3D",
    "PlanarBody",
    "AxisPendulum",
    "PlanarPendulum",
    "PointForceBody",
    "ConstantSpaceMoment",
]


def example_run(name: str, **options: object) -> ph.Trajectory:
    state = known_systems()[name].example()
    return ph.simulate(state, **{"step": 0.05, "steps": 200} | options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", OURS)
def test_every_system_has_figures_of_its_own_and_all_can_be_drawn(name: str) -> None:
    run = example_run(name)
    names = plots.figures_for(run.system)
    assert len(set(names) - {"invariants"}) >= 2
    for figure in names:
        drawn = plots.FIGURES[figure].draw(run)
        drawn.set_layout_engine("none")
        drawn.draw_without_rendering()


@pytest.mark.parametrize(
    "name",
    later(
        ["PlanarPendulum", "DoublePlanarPendulum", "ConcentricShells", "PointForceBody"], lambda name: name[0] != "D"
    ),
)
@pytest.mark.parametrize(
    "options", [{"steps": 0}, {"steps": 3}, {"step": -0.05}, {"step": 0.2, "save_every": 50}], ids=str
)
def test_motions_that_have_something_missing(name: str, options: dict[str, object]) -> None:
    run = example_run(name, **options)
    for figure in plots.figures_for(run.system):
        drawn = plots.FIGURES[figure].draw(run)
        drawn.set_layout_engine("none")
        drawn.draw_without_rendering()


def test_the_phase_plane_shows_the_samples_and_the_separatrix() -> None:
    body = ph.PlanarPendulum(0.4, mass=1.2, length=0.5)
    run = ph.simulate(body.state(theta=1.0, omega=0.5), step=0.01, steps=300)
    plane = plot_phase_plane(run).axes[0]
    line = max(plane.lines, key=lambda drawn: len(drawn.get_xdata()))
    np.testing.assert_array_equal(line.get_xdata(), run.theta)
    np.testing.assert_array_equal(line.get_ydata(), run.omega)
    dashed = plane.collections[-1]
    points = np.concatenate([p.vertices for p in dashed.get_paths()])
    energy = 0.5 * body.J * points[:, 1] ** 2 - body.load[1] * np.cos(points[:, 0])
    np.testing.assert_allclose(energy, body.load[1], atol=2e-2)


def test_a_path_that_goes_round_is_not_joined_across_the_plane() -> None:
    body = ph.PlanarPendulum(0.4, mass=1.2, length=0.5)
    run = ph.simulate(body.state(theta=1.0, omega=12.0), step=0.01, steps=300)
    plane = plot_phase_plane(run).axes[0]
    line = max(plane.lines, key=lambda drawn: len(drawn.get_xdata()))
    x = line.get_xdata()
    assert np.isnan(x).sum() >= 3
    assert np.nanmax(np.abs(np.diff(x))) < 1.0


def test_the_links_of_the_double_pendulum() -> None:
    run = example_run("DoublePlanarPendulum")
    (ax,) = plot_joint_paths(run).axes
    given = run.system.describe()
    theta = run.theta
    joint = given["length1"] * np.stack([np.sin(theta[:, 0]), -np.cos(theta[:, 0])], axis=1)
    centre = joint + given["centre2"] * np.stack([np.sin(theta[:, 1]), -np.cos(theta[:, 1])], axis=1)
    np.testing.assert_allclose(np.stack(ax.lines[0].get_data(), axis=1), joint, atol=1e-15)
    np.testing.assert_allclose(np.stack(ax.lines[1].get_data(), axis=1), centre, atol=1e-15)


def test_the_tip_of_a_pendulum_hangs_down() -> None:
    body = ph.Pendulum3D([0.13, 0.28, 0.17], mass=1.0, rho0=[0.02, -0.05, -0.3])
    hanging, inverted = body.equilibria()
    for state, angle in ((hanging, 180.0), (inverted, 0.0)):
        right = plot_direction_path(ph.simulate(state, step=0.01, steps=2)).axes[1]
        np.testing.assert_allclose(right.lines[0].get_ydata(), angle, atol=1e-6)


def test_directions_that_coincide_share_a_name() -> None:
    ways = merge_parallel({"E": np.array([0, 0, 2.0]), "B": np.array([0, 0, 3.0]), "F": np.array([1.0, 0, 0])})
    assert list(ways) == ["E, B", "F"]


def test_euler_angles_make_the_rotation_again() -> None:
    rng = np.random.default_rng(5)
    R = ph.so3.random(rng, 50)

    def turns(axes: str, angles: np.ndarray) -> np.ndarray:
        product = np.eye(3)
        for axis, angle in zip(axes, angles.T, strict=True):
            product = product @ ph.so3.exp(angle[:, None] * np.eye(3)["xyz".index(axis)])
        return product

    np.testing.assert_allclose(turns("zyx", yaw_pitch_roll(R)), R, atol=1e-14)
    np.testing.assert_allclose(turns("zxz", precession_nutation_spin(R)), R, atol=1e-14)


@pytest.mark.parametrize("name", [n for n in OURS if known_systems()[n].energies is not System.energies])
def test_the_parts_of_the_energy_add_up(name: str) -> None:
    run = example_run(name)
    parts = dict(run.system.energies(run.values))
    total = parts.pop("total")
    np.testing.assert_allclose(sum(parts.values()), total, atol=1e-13)
    kept = [k for k, invariant in run.system.conserved.items() if invariant.kind == "energy"]
    np.testing.assert_allclose(run.invariants()[kept[0]], total, atol=1e-13)


def test_between_samples_the_attitude_in_orbit_turns_relative_to_the_orbit() -> None:
    """The rate of R is not the inertial one: few samples must give the curve that many give."""
    from polhode.view.figures.time_series import Turning, continuous_quaternions, smooth_attitude

    state = ph.OrbitingBody.example()
    fine, sparse = (ph.simulate(state, step=0.02, steps=400, save_every=n) for n in (1, 25))
    t, q = smooth_attitude(sparse, Turning.of(sparse))
    assert len(t) > 4 * len(sparse)
    expected = continuous_quaternions(fine.q)
    for i in range(4):
        assert np.abs(q[:, i] - np.interp(t, fine.t, expected[:, i])).max() < 5e-3
