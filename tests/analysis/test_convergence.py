"""Measured orders and errors: their coarse steps are on purpose, and nobody is warned of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, quotient_of_precision, symmetry_defect, work_precision
from polhode.analysis.convergence import convergence

FAST = ph.FreeRigidBody([1.0, 2.0, 2.5]).state(omega=[0.5, -1.5, 2.5])


@pytest.mark.parametrize(
    "measure",
    [
        lambda: measured_order(FAST, ph.LGVI(), 2.0),
        lambda: quotient_of_precision(FAST, ph.LGVI(), step=0.25, duration=1.0),
        lambda: symmetry_defect(FAST, ph.LGVI(), 0.25),
        lambda: work_precision(FAST, [ph.LGVI()], 1.0, [4]),
    ],
    ids=["order", "precision", "symmetry", "work"],
)
def test_coarse_steps_give_no_warning(measure: Callable[[], Any]) -> None:
    with pytest.warns(ph.StepWarning):
        ph.simulate(FAST, step=0.25, steps=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measure()


def test_orders_follow_from_errors_and_steps() -> None:
    found = convergence(FAST, ph.RK4(), 1.0, [20, 40, 80])
    np.testing.assert_allclose(found.steps, [0.05, 0.025, 0.0125])
    np.testing.assert_allclose(found.orders, 4.0, atol=0.2)
