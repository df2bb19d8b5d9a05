"""Quaternions for attitudes: there and back, and with tangent vectors. Their rates are tested with `DOP853`."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.core.method import Start
from polhode.methods.quaternion_variables import from_quaternions, table_of, to_quaternions

SYSTEMS = [ph.Pendulum3D, ph.FullTwoBodyProblem, ph.FullBodyProblem, ph.Gyrostat, ph.PlanarPendulum, ph.RigidBodySOn]


@pytest.mark.parametrize("system", SYSTEMS)
def test_there_and_back_with_a_tangent_vector(system: type[ph.System]) -> None:
    state = system.example()
    canonical, start = state.system.canonical(), Start.of(state, 0.1)
    basis = start.representation.layout.basis(start.y)
    row = (start.y + 1e-100j * basis @ np.linspace(-1.0, 1.0, basis.shape[1]))[None]
    back = from_quaternions(canonical, to_quaternions(canonical, row))
    np.testing.assert_allclose(back.real, row.real, rtol=0.0, atol=1e-14 * np.abs(start.y).max())
    np.testing.assert_allclose(1e100 * back.imag, 1e100 * row.imag, rtol=0.0, atol=1e-13 * np.abs(start.y).max())


def test_attitudes_take_four_numbers() -> None:
    layout = ph.FullTwoBodyProblem.example().system.canonical().representation.layout
    table = table_of(layout)
    assert table[:, 0].sum() == 2
    assert table[-1, 1] + table[-1, 3] == layout.size - 2 * 5
