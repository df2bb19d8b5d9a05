"""Columns of the tangent map that follow from symmetry, against differences of runs."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.core.representation import Form

BODIES = ({"type": "ellipsoid", "mass": 0.3, "semiaxes": [0.2, 0.15, 0.12]},) * 2
SIZE = 1e-4


@pytest.mark.parametrize("name", ["x2", "R2", "gamma2"])
def test_columns_of_the_inertial_motion(name: str) -> None:
    pair = ph.FullTwoBodyProblem(*BODIES, gravity=2)
    moving = {"x2": [1.0, 2.0, 3.0], "v2": [0.1, 0.2, 0.3], "R2": ph.so3.exp([0.1, 0.5, 0.3]), "t": 2.0}
    start = pair.state(X=[1.0, 0.2, 0], V=[0, 0.7, 0.1], Omega1=[0.1, 0.2, 0.8], Omega2=[0.3, 0, 0.7], **moving)
    layout = pair.representations[Form.DEFAULT].layout
    first = pair.enter(Form.DEFAULT, start)

    def states(y: np.ndarray) -> np.ndarray:
        run = ph.simulate(ph.State(pair, layout.unpack(y), start.t), step=0.05, steps=40, save_every=20)
        return np.array([pair.enter(Form.DEFAULT, state) for state in run])

    now = states(first)
    known = pair.ignorable_columns(layout, first, now, np.array([0.0, 1.0, 2.0]))[name]
    for k, direction in enumerate(np.eye(layout.dimension)[layout.places[name]]):
        ahead, behind = (states(layout.retract(first, way * SIZE * direction)) for way in (1.0, -1.0))
        expected = layout.coordinates(now, (ahead - behind) / (2.0 * SIZE))
        np.testing.assert_allclose(known[:, :, k], expected, atol=2e-8)
