"""The motions that are computed to an accuracy: the equations for others are those of our systems."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bench.equations import source_of
from polhode.bench.motions import binary, dumbbells, error, free_body, heavy_top


def rates_of(state: ph.State) -> dict[str, np.ndarray]:
    """d/dt of the body rates and velocities, by a difference of our own motion."""
    d = 1e-3
    ahead, behind = (ph.simulate(state, step=s * d, steps=1, method=ph.RK4()).final for s in (1, -1))
    names = [name for name in ("omega", "Omega1", "Omega2", "v1", "v2") if name in state.system.fields]
    return {name: (np.asarray(getattr(ahead, name)) - np.asarray(getattr(behind, name))) / (2 * d) for name in names}


@pytest.mark.parametrize("make", [free_body, heavy_top])
def test_the_equations_of_one_body_are_ours(make):
    problem = make()
    found = np.array(problem.rates(problem.start.tolist()))
    assert found[4:7] == pytest.approx(rates_of(problem.state)["omega"], rel=1e-4, abs=1e-4)
    assert error(problem.of_numbers(problem.start), problem.of_state(problem.state)) < 1e-12


@pytest.mark.parametrize("make", [dumbbells, binary])
def test_the_equations_of_two_bodies_are_ours(make):
    problem = make()
    found, ours = np.array(problem.rates(problem.start.tolist())), rates_of(problem.state)
    assert found[:3] == pytest.approx(np.subtract(problem.state.v1, problem.state.v2), abs=1e-12)
    for part, expected in (
        (found[3:6], ours["v1"] - ours["v2"]),
        (found[10:13], ours["Omega1"]),
        (found[17:20], ours["Omega2"]),
    ):
        assert np.abs(part - expected).max() < 1e-3 * np.abs(expected).max() + 1e-6
    assert error(problem.of_numbers(problem.start), problem.of_state(problem.state)) < 1e-12


def test_errors_are_angles_and_relative_lengths():
    turned = ph.so3.exp([0.0, 0.3, 0.0])
    assert error(([turned], []), ([np.eye(3)], [])) == pytest.approx(0.3)
    assert error(
        ([np.eye(3)], [np.array([2.0, 0.0, 0.02])]), ([np.eye(3)], [np.array([2.0, 0.0, 0.0])])
    ) == pytest.approx(0.01)


@pytest.mark.parametrize("make", [heavy_top, dumbbells])
def test_compiled_equations_are_the_same(make):
    motion = make()
    found = np.empty(motion.start.size)
    names: dict = {"sqrt": np.sqrt}
    exec(source_of(motion), names)  # as it is given to Numba
    names["rates"](motion.start, found)
    np.testing.assert_allclose(found, motion.rates(motion.start.tolist()), rtol=1e-12, atol=1e-14)
