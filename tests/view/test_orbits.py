"""Figures of bodies in space."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.view.orbits import energies, orbit, positions
from polhode.view.plots import figures_for


@pytest.fixture(scope="module", params=[ph.FullTwoBodyProblem, ph.FullBodyProblem])
def run(request: pytest.FixtureRequest) -> ph.Trajectory:
    state = request.param.example()
    return ph.simulate(state.system, state, step=0.05, steps=50)


def test_paths_and_closest_approach_are_drawn(run: ph.Trajectory) -> None:
    assert {"orbit", "energies", "invariants"} <= set(figures_for(run))
    x = positions(run)
    left, right = orbit(run).axes
    assert len([line for line in left.lines if len(line.get_xdata()) == len(run)]) == x.shape[1]
    distance = np.linalg.norm(x[:, 0] - x[:, 1], axis=-1)
    np.testing.assert_allclose(right.lines[0].get_ydata(), distance)
    assert f"{distance.min():.5g}" in right.texts[0].get_text()


def test_the_parts_of_the_energy_sum_to_what_is_kept(run: ph.Trajectory) -> None:
    (axes,) = energies(run).axes
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    total = lines.pop("total")
    np.testing.assert_allclose(sum(lines.values()), total, atol=1e-14)
    np.testing.assert_allclose(total, run.invariants()["energy"])
