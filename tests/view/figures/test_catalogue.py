"""Figures: they show the numbers, stand degenerate motions, and leave nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image

import polhode as ph
from polhode.core.hooks import Hooks
from polhode.view.figures import catalogue as plots
from polhode.view.figures.polhode_curves import polhode_curves, polhode_family, separatrix_curves
from polhode.view.figures.shaded_ellipsoid import ABOVE, HIDDEN, ShadedEllipsoid
from polhode.view.figures.style import ORANGE
from polhode.view.figures.time_series import (
    Turning,
    continuous_quaternions,
    drawable_part,
    replace_missing_glyphs,
    smooth_attitude,
)

MOMENTS = np.array([1.0, 2.0, 3.0])
OMEGA = [0.7, -0.6, 0.5]


def simulated(inertia=(1, 2, 3), omega=OMEGA, **options):
    body = ph.FreeRigidBody(inertia)
    return ph.simulate(body.state(omega=omega), **{"step": 0.1, "steps": 300} | options)


# motions that have something missing: rest, no preferred axis, one axis, no time, few samples, time backwards …
MOTIONS = {
    "full inertia": {"inertia": [[2.0, 0.3, 0.1], [0.3, 2.5, -0.2], [0.1, -0.2, 1.5]]},
    "at rest": {"omega": [0, 0, 0]},
    "sphere": {"inertia": [2, 2, 2]},
    "flat": {"inertia": [1, 1, 2]},
    "long": {"inertia": [1, 2, 2]},
    "middle axis": {"omega": [0, 1, 0]},
    "one sample": {"steps": 0},
    "backwards": {"step": -0.1},
    "too coarse to join": {"steps": 5000, "save_every": 50, "step": 0.2},
    "drifting": {"method": ph.RK4(), "step": 0.5},
}


@pytest.mark.parametrize("options", MOTIONS.values(), ids=MOTIONS)
def test_every_figure_of_every_motion(options):
    """Warnings are errors here: no division by zero, no logarithm of zero, no empty limits."""
    trajectory = simulated(**options)
    for name in plots.figures_for(trajectory.system):
        figure = plots.FIGURES[name].draw(trajectory)
        figure.set_layout_engine("none")  # half of the time, and the same for all
        figure.draw_without_rendering()


def test_files_are_named_and_not_blank(tmp_path):
    trajectory = simulated()
    paths = plots.save_figures(trajectory, tmp_path / "new", prefix="run-")
    assert [path.name for path in paths] == [f"run-{name}.png" for name in plots.figures_for(trajectory.system)]
    assert sorted(paths) == sorted((tmp_path / "new").iterdir())
    for path in paths:
        pixels = np.asarray(Image.open(path).convert("L"))
        assert min(pixels.shape) > 400
        assert 0.004 < np.mean(pixels < 250) < 0.9


def test_an_unknown_figure_is_refused_before_anything_is_drawn(tmp_path):
    with pytest.raises(ph.InvalidInputError, match="one of invariants, rates"):
        plots.save_figures(simulated(), tmp_path / "new", ["rates", "cat"])
    assert list(tmp_path.iterdir()) == []


def test_a_figure_that_fails_leaves_no_part_of_a_file(tmp_path, monkeypatch):
    def broken(self, path, **options):
        path.write_bytes(b"half a picture")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", broken)
    with pytest.raises(ph.PolhodeError, match="No space left"):
        plots.save_figures(simulated(), tmp_path, ["rates"])
    assert list(tmp_path.iterdir()) == []


def test_matplotlib_is_left_as_it_was(tmp_path):
    before = dict(matplotlib.rcParams)
    plots.save_figures(simulated(), tmp_path, ["rates"])
    assert dict(matplotlib.rcParams) == before


def test_no_window_is_ever_asked_for():
    code = (
        "import sys, tempfile, polhode as ph; from polhode.view.figures.catalogue import save_figures\n"
        "assert 'matplotlib' not in sys.modules\n"
        "s = ph.FreeRigidBody([1, 2, 3]).state(omega=[1, 2, 3])\n"
        "save_figures(ph.simulate(s, step=0.01, steps=2), tempfile.mkdtemp(), ['rates'])\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"MPLBACKEND": "TkAgg"})


def test_invariants_show_relative_deviations():
    trajectory = simulated(method=ph.RK4(), step=0.3, steps=200)
    (ax,) = plots.plot_invariants(trajectory).axes
    for (name, v), line in zip(trajectory.invariants().items(), ax.lines, strict=False):
        v = v.reshape(len(v), -1)
        expected = np.abs(v - v[0]).max(axis=1) / np.linalg.norm(v[0])
        assert line.get_label() == trajectory.system.conserved[name].meaning
        assert np.nanmax(line.get_ydata()) == pytest.approx(expected.max())
        assert np.isnan(line.get_ydata()[0])  # zero has no logarithm
    assert ax.get_yscale() == "log"
    assert ax.get_ylim()[1] > 1e-6


def test_exact_conservation_is_stated():
    (ax,) = plots.plot_invariants(simulated(steps=0)).axes
    assert [line.get_label().endswith(": conserved exactly") for line in ax.lines[:3]] == [True] * 3


def test_long_runs_keep_their_worst_deviation_in_the_picture():
    trajectory = simulated(steps=20_000, method=ph.RK4())
    (ax,) = plots.plot_invariants(trajectory).axes
    energy = trajectory.invariants()["energy"]
    assert len(ax.lines[0].get_ydata()) < 1000
    assert np.nanmax(ax.lines[0].get_ydata()) == pytest.approx(np.abs(energy - energy[0]).max() / energy[0], rel=1e-12)


def test_rates_show_the_samples():
    trajectory = simulated()
    upper, lower = plots.plot_rates(trajectory).axes
    for ax, values in ((upper, trajectory.omega), (lower, trajectory.Pi)):
        drawn = np.stack([line.get_ydata() for line in ax.lines], axis=1)
        assert np.array_equal(drawn, values)
    assert "rad/time" in upper.get_ylabel()


def test_a_long_run_is_shown_whole():
    trajectory = simulated(steps=20_000)
    turning = Turning.of(trajectory)
    assert turning.turns == pytest.approx(trajectory.t[-1] * np.linalg.norm(OMEGA) / (2 * np.pi), rel=0.3)
    assert not turning.coarse
    for ax in plots.plot_rates(trajectory).axes:
        assert ax.lines[0].get_xdata()[-1] == trajectory.t[-1]
    for ax in plots.plot_attitude(trajectory).axes:
        assert ax.lines[0].get_xdata()[-1] == trajectory.t[-1]
    assert Turning.of(simulated(steps=5000, save_every=50, step=0.2)).coarse


def test_curves_of_very_many_turns_are_bands_that_hold_every_value():
    few, many = simulated(steps=2000), simulated(steps=20_000)
    assert not Turning.of(few).merged
    assert Turning.of(many).merged
    assert not plots.plot_rates(few).axes[0].collections
    upper = plots.plot_rates(many).axes[0]
    assert "bands" in upper.get_title(loc="left")
    assert len(upper.collections) == 3
    for i in range(3):
        low, high = upper.lines[2 * i : 2 * i + 2]
        bins = np.clip(np.searchsorted(low.get_xdata(), many.t, side="right") - 1, 0, None)
        assert np.all(low.get_ydata()[bins] <= many.omega[:, i])
        assert np.all(many.omega[:, i] <= high.get_ydata()[bins])
        assert np.ptp(many.omega[:, i]) == pytest.approx(high.get_ydata().max() - low.get_ydata().min(), rel=1e-12)


def test_an_energy_that_is_a_mere_formula_is_named():
    run = ph.simulate(ph.PlanarPendulum.example(), step=0.01, steps=20)
    (ax,) = plots.plot_invariants(run).axes
    assert ax.lines[0].get_label().startswith("energy ½ J")


def test_the_figure_of_conserved_quantities_says_what_the_table_says():
    """Also where a conserved vector is near zero at the start: then its terms give the scale, not its first value."""
    trajectory = ph.simulate(ph.FullBodyProblem.example(), step=0.05, steps=200)
    (ax,) = plots.plot_invariants(trajectory).axes
    drawn = {line.get_label().partition(":")[0]: np.nanmax(line.get_ydata()) for line in ax.lines[:-1]}
    table = trajectory.conservation()
    assert len(table) > 2
    for row in table:
        label = replace_missing_glyphs(trajectory.system.conserved[row.name].meaning).partition(":")[0]
        assert row.scale > 0.0
        if row.worst:
            assert drawn[label] == pytest.approx(row.relative, rel=1e-12)
    assert trajectory.drift(relative=True) == {row.name: pytest.approx(row.relative) for row in table}


def test_small_angles_fill_their_axis():
    body = ph.FreeRigidBody([1.0, 2.0, 3.0])
    nearly_still = ph.simulate(body.state(omega=[1e-3, 0.0, 2e-3]), step=0.1, steps=100)
    low, high = plots.plot_attitude(nearly_still).axes[1].get_ylim()
    assert 1.0 < high - low < 2.0
    low, high = plots.plot_attitude(simulated(steps=600)).axes[1].get_ylim()
    assert low < 0.0
    assert high > 360.0


def test_quaternions_are_drawn_without_jumps():
    q = simulated(steps=600).q
    assert np.abs(np.diff(q, axis=0)).max() > 1.0  # those of matrices jump
    smooth = continuous_quaternions(q)
    assert np.abs(np.diff(smooth, axis=0)).max() < 0.1
    assert np.array_equal(np.abs(smooth), np.abs(q))


@pytest.mark.parametrize("step", [0.02, -0.02])
def test_between_samples_the_drawn_attitude_is_the_true_one(step):
    fine = simulated(step=step, steps=1500, method=ph.Exact())
    sparse = simulated(step=step, steps=1500, save_every=25, method=ph.Exact())  # half a radian apart
    t, q = smooth_attitude(sparse, Turning.of(sparse))
    assert len(t) > 8 * len(sparse)
    expected = continuous_quaternions(fine.q)
    for i in range(4):
        order = np.argsort(fine.t)
        at = np.interp(t, fine.t[order], expected[order, i])
        assert np.abs(q[:, i] - at).max() < 2e-3


def test_what_grew_beyond_bounds_is_cut_off():
    body = ph.FreeRigidBody([1, 2, 3])
    with pytest.raises(ph.ConvergenceError) as failure:
        ph.simulate(body.state(omega=OMEGA), step=2.0, steps=500, method=ph.Midpoint())
    part = failure.value.trajectory
    assert np.abs(part.Pi[-1]).max() > 1e50
    shown = drawable_part(part)
    assert 1 < len(shown) < len(part)
    assert np.abs(shown.Pi).max() < 1e50
    for name in plots.figures_for(part.system):
        plots.FIGURES[name].draw(part).draw_without_rendering()


@pytest.mark.parametrize("k", [1.0001, 1.5, 1.9999, 2.0, 2.0001, 2.9])
def test_polhodes_lie_on_the_ellipsoid_and_on_the_sphere(k):
    curves = polhode_curves(MOMENTS, k)
    assert len(curves) == 2
    for u in curves:
        assert np.allclose(np.sum(u**2, axis=1), 1.0, atol=1e-12)
        assert np.allclose(u**2 @ MOMENTS, k, atol=1e-12)
        assert np.allclose(u[0], u[-1], atol=1e-7)
    around = 0 if k <= 2.0 else 2
    assert np.all(curves[0][:, around] >= 0)
    assert np.all(curves[1][:, around] <= 0)


@pytest.mark.parametrize("moments", [[2, 2, 2], [1, 1, 2], [1, 2, 2], [1, 2, 3]], ids=str)
def test_the_family_of_polhodes_of_symmetric_bodies(moments):
    moments = np.array(moments, dtype=float)
    different = len(set(moments))
    assert len(polhode_family(moments)) == 10 * (different - 1)
    assert len(separatrix_curves(moments)) == (2 if different == 3 else 0)
    for u in polhode_family(moments):
        assert np.ptp(u**2 @ moments) < 1e-12


def test_the_path_is_drawn_on_its_polhode():
    trajectory = simulated(steps=500)
    (ax,) = plots.plot_polhode(trajectory).axes
    (line,) = (line for line in ax.lines if line.get_label() == "computed")
    assert to_hex(line.get_color()) == ORANGE.lower()
    first = trajectory.Pi[0]
    semi_axes = np.sqrt(first @ (first / MOMENTS) * MOMENTS)
    # the same curve by another way: the level set, projected by the same eye
    ellipsoid = ShadedEllipsoid(Figure().subplots(), semi_axes, [0.75, 0.5, 0.45])
    level = first @ first / (first @ (first / MOMENTS))
    expected = ellipsoid.project(polhode_curves(MOMENTS, level, 20_000)[0] * semi_axes)
    drawn = np.stack(line.get_data(), axis=1)
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    assert len(drawn) > 100
    gaps = np.linalg.norm(drawn[:, None] - expected[None, ::10], axis=2).min(axis=1)
    assert gaps.max() < 5e-3


def test_what_faces_away_is_drawn_faint_and_nothing_is_lost():
    ellipsoid = ShadedEllipsoid(Figure().subplots(), [1.0, 2.0, 3.0], [1.0, -1.0, 0.5])
    angle = np.linspace(0, 2 * np.pi, 200)
    equator = np.stack([np.cos(angle), 2 * np.sin(angle), 0 * angle], axis=1)
    ellipsoid.draw_curve(equator, color="k")
    front, back = ellipsoid.ax.lines
    assert (front.get_zorder(), back.get_zorder()) == (ABOVE, HIDDEN)
    assert back.get_alpha() < 0.5
    seen, hidden = np.isfinite(front.get_xdata()), np.isfinite(back.get_xdata())
    assert np.all(seen | hidden)
    assert np.sum(seen & hidden) <= 6  # where the two meet
    # the point nearest to the eye is in front, its opposite behind
    nearest = int(np.argmax(equator @ ellipsoid.view_direction))
    assert seen[nearest]
    assert hidden[int(np.argmin(equator @ ellipsoid.view_direction))]


def test_the_outline_is_the_edge_of_what_is_seen():
    ellipsoid = ShadedEllipsoid(Figure().subplots(), [1.0, 2.0, 3.0], [1.0, -0.4, 0.5])
    rng = np.random.default_rng(3)
    points = rng.normal(size=(20_000, 3))
    points = points / np.linalg.norm(points, axis=1, keepdims=True) * ellipsoid.semi_axes
    page, edge = ellipsoid.project(points), ellipsoid.outline()
    for way in np.linspace(0, 2 * np.pi, 17):
        direction = [np.cos(way), np.sin(way)]
        assert (page @ direction).max() == pytest.approx((edge @ direction).max(), rel=5e-3)


def test_figures_are_offered_only_where_they_make_sense():
    class Fieldless(Hooks):
        fields, conserved = {}, {}

        def derive(self, name, values):
            raise AssertionError("there is nothing to derive")

    assert plots.figures_for(Fieldless()) == []  # type: ignore[arg-type]
