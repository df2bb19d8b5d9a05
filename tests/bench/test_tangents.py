"""What the benchmark of tangent maps times: the same steps, and all of their tangent map that a run carries."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bench.jobs import Job
from polhode.bench.tangents import STEP, pairs, spacecraft, with_tangent_map
from polhode.core.scalar_packing import tangent_columns

SPACECRAFT = {
    name: spacecraft()[name].state(omega=[0.7, -0.6, 0.5]) for name in ("gyrostat, controller", "damped, torque")
}
# the other columns follow from symmetry
RELATIVE = "X", "R", "Gamma", "Pi", "Pi2"


def check(method: ph.Method, state: ph.State, columns: list[int]) -> None:
    """That the values are those of plain steps, and that these columns of the tangent map are the ones timed."""
    plain, timed = Job(method, state, step=STEP, steps=10), with_tangent_map(method, state, 10)
    layout = plain.run.layout
    end = timed()[: layout.size * timed.run.width][None]
    y, tangent = tangent_columns(layout, end, timed.run.kind, tuple(columns))
    assert np.array_equal(y[0], plain()[: layout.size])
    run = ph.simulate(state, step=STEP, steps=10, method=method, tangent=True)
    assert np.array_equal(tangent[0], run.tangent[-1][:, columns])


@pytest.mark.verify
@pytest.mark.parametrize("state", SPACECRAFT.values(), ids=SPACECRAFT)
def test_what_is_timed_is_the_tangent_map(state: ph.State) -> None:
    method = ph.QuaternionVI()
    check(method, state, list(range(state.system.representations[method.representation].layout.dimension)))


@pytest.mark.verify
@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("state", pairs().values(), ids=pairs())
def test_of_two_bodies_it_is_what_does_not_follow_from_symmetry(state: ph.State, order: int) -> None:
    method = ph.LGVI(order=order)
    layout = state.system.representations[method.representation].layout
    check(method, state, [int(i) for name in RELATIVE for i in range(layout.dimension)[layout.places[name]]])
