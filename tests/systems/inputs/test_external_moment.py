"""External moments at one time and at many."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.scalars import lanes


def test_one_time_and_a_table_of_times() -> None:
    moment = ph.Gyrostat([1, 2, 3], torque=[0.1, -0.2, 0.3]).moment
    np.testing.assert_array_equal(moment.at(0.3, np.eye(3), np.zeros(3)), [0.1, -0.2, 0.3])
    t, R, omega = np.zeros((4, 2)), np.broadcast_to(np.eye(3), (4, 2, 3, 3)), np.zeros((4, 2, 3))
    np.testing.assert_array_equal(moment.at(t, R, omega), np.broadcast_to([0.1, -0.2, 0.3], (4, 2, 3)))


def test_a_triangle_rises_and_falls() -> None:
    pulse = {"profile": "triangle", "coefficients": [1.0, -2.0, 0.5], "start": 3.0, "duration": 2.0}
    moment = ph.Gyrostat([1, 2, 3], torque=pulse).moment
    t = np.array([2.9, 3.0, 3.25, 4.0, 4.5, 5.0, 5.1])
    found = moment.at(t, np.broadcast_to(np.eye(3), (7, 3, 3)), np.zeros((7, 3)))
    np.testing.assert_allclose(found, np.outer([0.0, 0.0, 0.25, 1.0, 0.5, 0.0, 0.0], [1.0, -2.0, 0.5]), atol=1e-15)


def test_a_branch_on_a_value_is_answered_by_where() -> None:
    """It runs on single numbers, and not on lanes."""
    body = ph.AttitudeBody([1, 2, 2.5], moment=lambda t, R, omega: (0.1 if omega[0] < 0.5 else 0.2, 0.0, 0.0))
    with pytest.raises(ph.InvalidInputError, match=r"take polhode\.scalars\.where\(condition, one, other\)"):
        ph.LGVI().start(body.state(), 0.01, lanes(4)).begin(0)
