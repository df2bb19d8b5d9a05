"""Damping matrices: none may add energy, and the skew part, which does no work, is free."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.geometry import so3
from polhode.systems.inputs.damping import check_damping


@pytest.mark.parametrize("skew", [0.0, 30.0, -30.0])
def test_what_takes_energy_is_taken(skew: float) -> None:
    D = np.diag([1.0, 2.0, 0.0]) + so3.hat([0.0, 0.0, skew])
    np.testing.assert_array_equal(check_damping("damping", D), D)


@pytest.mark.parametrize("skew", [0.0, 30.0, -30.0])
def test_what_adds_energy_is_refused(skew: float) -> None:
    D = np.diag([1.0, 2.0, -1e-9]) + so3.hat([0.0, 0.0, skew])
    with pytest.raises(ph.InvalidInputError, match="does not add energy"):
        check_damping("damping", D)
