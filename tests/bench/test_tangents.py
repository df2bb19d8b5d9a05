"""What the benchmark of tangent maps times: the same steps, and all of their tangent map."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bench.jobs import Job
from polhode.bench.tangents import STEP, spacecraft
from polhode.core.scalar_packing import tangent_columns
from polhode.scalars import duals


@pytest.mark.verify
@pytest.mark.parametrize("name", ["gyrostat, controller", "damped, torque"])
def test_what_is_timed_is_the_tangent_map(name: str) -> None:
    system = spacecraft()[name]
    state = system.state(omega=[0.7, -0.6, 0.5])
    plain = Job(ph.QuaternionVI(), state, step=STEP, steps=10)
    layout = plain.run.layout
    kind, directions = duals(layout.dimension), slice(0, layout.dimension)
    with_tangents = Job(ph.QuaternionVI(), state, step=STEP, steps=10, kind=kind)
    end = with_tangents()[: layout.size * (1 + kind.partials)][None]
    y, tangent = tangent_columns(layout, end, kind, directions)
    assert np.array_equal(y[0], plain()[: layout.size])
    run = ph.simulate(state, step=STEP, steps=10, method=ph.QuaternionVI(), tangent=True)
    assert np.array_equal(tangent[0], run.tangent[-1])
