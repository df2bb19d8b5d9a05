"""The symplectic forms of the full body problem: sums over the bodies, and the same in relative variables."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.systems import FullBodyProblem, FullTwoBodyProblem


def test_it_is_the_sum_over_the_bodies() -> None:
    """`dx ∧ dγ`, and for each body the form of a free one; coordinates are all places, attitudes, γ and Π in turn."""
    state = FullBodyProblem.example()
    system, n = state.system, state.system.n
    form = system.symplectic_form("default", system.enter("default", state)).reshape(4, n, 3, 4, n, 3)
    expected = np.zeros_like(form)
    for i, (J, Pi) in enumerate(zip(system.inertias, state.Pi, strict=True)):
        body = ph.FreeRigidBody(J.matrix)
        own = body.symplectic_form("default", body.enter("default", body.state(Pi=Pi))).reshape(2, 3, 2, 3)
        expected[0, i, :, 2, i], expected[2, i, :, 0, i] = np.eye(3), -np.eye(3)
        for a in range(2):
            for b in range(2):
                expected[1 + 2 * a, i, :, 1 + 2 * b, i] = own[a, :, b]
    np.testing.assert_array_equal(form, expected)


def test_relative_variables_have_the_same_form() -> None:
    """Pulled back by the derivative of the map to inertial variables, from differences."""
    state = FullTwoBodyProblem.example()
    pair, inertial = state.system, state.system.inertial()
    layout, other = (system.representations["default"].layout for system in (pair, inertial))
    y, start = pair.enter("default", state), inertial.enter("default", pair.to_inertial(state))
    size, columns = 1e-5, []
    for unit in np.eye(layout.dimension):
        there, back = (
            inertial.enter(
                "default", pair.to_inertial(ph.State(pair, layout.unpack(layout.retract(y, sign * size * unit))))
            )
            for sign in (1.0, -1.0)
        )
        columns.append(other.coordinates(start, (there - back) / (2.0 * size)))
    T = np.transpose(columns)
    form = T.T @ inertial.symplectic_form("default", start) @ T
    np.testing.assert_allclose(pair.symplectic_form("default", y), form, atol=1e-8)
