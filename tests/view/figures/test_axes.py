"""Axes that a caller gives, and labels in the units of the run; curves stay in the run's own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import polhode as ph
from polhode.view.figures.axes import TIMES, readable, scale_ticks
from polhode.view.figures.catalogue import FIGURES, figures_for

DAY = 86400.0


@pytest.fixture(scope="module")
def pair() -> ph.Trajectory:
    return ph.simulate(ph.FullTwoBodyProblem.example(), step=0.01, steps=50)


@pytest.fixture(scope="module")
def body() -> ph.Trajectory:
    return ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=50)


@pytest.mark.parametrize("name", ["body", "pair"])
def test_every_figure_is_drawn_into_given_axes(name: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(name)
    for figure in figures_for(run.system):
        count = len(FIGURES[figure].draw(run).axes)
        mine = Figure()
        axes = mine.subplots(1, count, squeeze=False)[0]
        given: Any = axes[0] if count == 1 else list(axes)
        assert run.plot(figure, ax=given) is mine, figure
        assert mine.axes == list(axes), figure
        assert all(ax.has_data() or ax.patches or ax.images or ax.get_title() for ax in axes), figure
        with pytest.raises(ph.InvalidInputError, match=f"this figure has {count} panel"):
            run.plot(figure, ax=[*axes, axes[0]])


def test_labels_without_units_are_as_ever(body: ph.Trajectory) -> None:
    top, bottom = body.plot("rates").axes
    assert (top.get_ylabel(), bottom.get_xlabel()) == (r"$\omega$ (rad/time)", "time")


def test_a_long_run_is_read_in_days_and_drawn_in_its_own_numbers(body: ph.Trajectory) -> None:
    from dataclasses import replace

    units = {"time": "s", "length": "m", "mass": "kg", "angle": "degree"}
    long = replace(body, t=body.t * (3.0 * DAY)).labelled(units, "2031-05-04")  # 15 days
    top, bottom = long.plot("rates").axes
    bottom.figure.canvas.draw()
    assert bottom.get_xlabel() == "time (days since 2031-05-04 TDB)"
    assert top.get_ylabel() == r"$\omega$ (degree s⁻¹)"
    assert bottom.get_ylabel() == r"$\Pi$ (kg m² s⁻¹)"
    assert np.array_equal(bottom.lines[0].get_xdata(), long.t)
    ticks = dict(zip((tick.get_text() for tick in bottom.get_xticklabels()), bottom.get_xticks(), strict=True))
    assert ticks["10"] == pytest.approx(10.0 * DAY, rel=1e-12)


@pytest.mark.parametrize(
    ("size", "extent", "name", "scale"),
    [
        (1.0, 1296000.0, "days", 1.0 / DAY),
        (1.0, 999.0, "s", 1.0),
        (1.0, 7200.0, "min", 1.0 / 60.0),
        (DAY, 30.0, "days", 1.0),
        (DAY, 7305.0, "Julian years", 1.0 / 365.25),
        (3600.0, 0.01, "s", 3600.0),
    ],
)
def test_the_unit_to_read_a_time_in(size: float, extent: float, name: str, scale: float) -> None:
    found, unit = readable(size, "own", extent, TIMES, 1000.0)
    assert unit == name
    assert found == pytest.approx(scale, rel=1e-12)


def test_ticks_of_a_scaled_axis_are_round_numbers() -> None:
    ax = Figure().subplots()
    ax.set_xlim(0.0, 15.0 * DAY)
    scale_ticks(ax.xaxis, 1.0 / DAY)
    ax.figure.canvas.draw()
    assert [tick.get_text() for tick in ax.get_xticklabels()][:3] == ["0", "2", "4"]


def test_datasets_share_their_dimensions(pair: ph.Trajectory) -> None:
    data = pair.to_xarray()
    assert (data.x1 - data.x2).shape == (51, 3)
    assert np.allclose((data.x1 - data.x2).to_numpy(), pair.x1 - pair.x2)
