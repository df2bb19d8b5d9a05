"""Figures of ensembles show what the ensemble holds."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InvalidInputError
from polhode.view.figures.ensembles import quantity

BODY = ph.FreeRigidBody([1.0, 2.0, 3.0])
A, B = (grid.ravel() for grid in np.meshgrid([0.1, 0.2, 0.3], [1.0, 2.0, 30.0, 4.0]))


@pytest.fixture(scope="module")
def swept() -> ph.Ensemble:
    states = [BODY.state(omega=[a, b, 0.1]) for a, b in zip(A, B, strict=True)]
    return ph.ensemble(states, step=0.1, steps=10, save=2, inputs={"a": A, "b": B})


def test_a_fan_shows_the_quantiles(swept: ph.Ensemble) -> None:
    figure = swept.plot("fan", field="omega")
    assert len(figure.axes) == 3
    (line,) = figure.axes[1].lines
    good = swept.omega[~swept.failed]
    np.testing.assert_allclose(line.get_ydata(), np.median(good[:, :, 1], axis=0))


def test_a_histogram_counts_the_members_that_did_not_fail(swept: ph.Ensemble) -> None:
    figure = swept.plot("histogram", quantities="omega[1]")
    assert sum(bar.get_height() for bar in figure.axes[0].patches) == 9


def test_a_map_places_members_by_their_inputs(swept: ph.Ensemble) -> None:
    figure = swept.plot("map", value="omega[1]")
    (mesh,) = figure.axes[0].collections
    cells = mesh.get_array().filled(np.nan)
    assert cells.shape == (4, 3)
    assert np.isnan(cells[3]).all()  # b = 30 is the last row, and too fast
    assert cells[1, 2] == swept.omega[5, -1, 1]


def test_quantities_by_name(swept: ph.Ensemble) -> None:
    np.testing.assert_array_equal(quantity(swept, "drift of energy"), swept.drift()["energy"])
    np.testing.assert_array_equal(quantity(swept, "b"), B)
    for wrong in ("omega[7]", "nothing", "drift of nothing"):
        with pytest.raises(InvalidInputError, match="quantity"):
            quantity(swept, wrong)
    with pytest.raises(InvalidInputError, match="figure"):
        swept.plot("pie")


def test_figures_and_files_name_the_units() -> None:
    states, units = (
        [BODY.state(omega=[0.1 * i, 1.0, 0.1]) for i in range(3)],
        {"length": "m", "time": "s", "mass": "kg"},
    )
    named = ph.ensemble(states, step=0.1, steps=10, save=2, units=units, epoch="2030-01-01")
    fan = named.plot("fan", field="Pi").axes
    assert (fan[0].get_ylabel(), fan[-1].get_xlabel()) == ("Pi x (kg m² s⁻¹)", "time (s since 2030-01-01 TDB)")
    assert named.plot("fan", field="q").axes[0].get_ylabel() == "q[0]"
    across = [ax.get_xlabel() for ax in named.plot("histogram", quantities=["omega[1]", "drift of energy"]).axes]
    assert across == ["omega y (rad s⁻¹) at t = 1 s", "drift of energy (kg m² s⁻²)"]
    dataset = named.to_xarray()
    assert dataset.invariant_energy.attrs["units"] == "kg m2 s-2"
    assert dataset.time.attrs["units"].startswith("seconds since 2030-01-01")
    plain = ph.ensemble(states, step=0.1, steps=10, save=2)
    assert (plain.plot("fan").axes[-1].get_xlabel(), plain.to_xarray().omega.attrs["units"]) == ("time", "rad/time")
