"""External potentials: the kernels of energy, force and moment, of formulas and of functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polhode.geometry import so3
from polhode.scalars import double, duals, get3, get9, kernel, loop, put, put3, where
from polhode.systems import ExternalPotential

X, R, T, STEP = np.array([0.4, -0.7, 1.1]), so3.exp([0.3, -0.8, 0.5]), 0.6, 1e-5


@kernel
def whole(x, R):
    """All places with all entries of the attitude; one that chooses, and so has no formula."""
    a = 0.3 * x[0] * R[0] + 0.5 * x[1] * R[1] - 0.7 * x[2] * R[2]
    b = 1.1 * x[1] * R[3] - 1.3 * x[2] * R[4] + 1.7 * x[0] * R[5]
    c = 1.9 * x[2] * R[6] + 2.3 * x[0] * R[7] - 2.9 * x[1] * R[8]
    return where(x[0] < 1e3, a + b + c, 0.0 * a)


@pytest.mark.parametrize("given", ["0.1*x*R13 + 0.05*y**2 + 0.02*R33*z*cos(t)", whole], ids=["formula", "kernel"])
def test_force_and_moment_are_the_slopes_of_the_energy(given: Any) -> None:
    field, found = ExternalPotential(given), np.zeros(7)
    evaluate = field.evaluate

    @loop
    def put_all(S: Any, y: Any, t: float, out: Any) -> None:
        u, slope, moment = evaluate(S, out, 0, t, get3(y, 0, S), get9(y, 3, S))
        put(out, 0, S, u)
        put3(out, 1, S, slope)
        put3(out, 4, S, moment)

    put_all.on(double, np.append(X, R), T, found)
    U, slope, moment = found[0], found[1:4], found[4:]
    assert abs(U - field.energy(T, X, R)) < 1e-15
    for i, e in enumerate(np.eye(3)):
        moved = [field.energy(T, X + sign * STEP * e, R) for sign in (1.0, -1.0)]
        turned = [field.energy(T, X, R @ so3.exp(sign * STEP * e)) for sign in (1.0, -1.0)]
        assert abs(slope[i] - (moved[0] - moved[1]) / (2.0 * STEP)) < 1e-10
        assert abs(moment[i] + (turned[0] - turned[1]) / (2.0 * STEP)) < 1e-10


@kernel
def trap(x, R):
    """One that chooses, and so has no formula."""
    return (
        0.05 * (x[0] * x[0] + 2.0 * x[1] * x[2]) - 0.02 * R[8] * x[1] + where(x[0] < 1e3, 0.1 * R[2] * x[0], 0.0 * x[0])
    )


def test_second_derivatives_of_a_kernel() -> None:
    """What duals carry through it: ∂²U/∂x², and the derivative of the moment by x."""
    evaluate = ExternalPotential(trap, length=2.0).evaluate

    @loop
    def put_forces(S: Any, y: Any, out: Any) -> None:
        _, slope, moment = evaluate(S, out, 0, 0.0, get3(y, 0, S), get9(y, 3, S))
        put3(out, 0, S, slope)
        put3(out, 3, S, moment)

    y, found = np.zeros((12, 4)), np.zeros(24)
    y[:3, 0], y[3:, 0], y[:3, 1:] = X, R.reshape(-1), np.eye(3)
    put_forces.on(duals(3), y.reshape(-1), found)
    by_place = found.reshape(6, 4)[:, 1:]
    np.testing.assert_allclose(by_place[:3], [[0.1, 0.0, 0.0], [0.0, 0.0, 0.1], [0.0, 0.1, 0.0]], atol=1e-12)
    # M = −∂U/∂ξ with ∂R/∂ξ = R S(e): U holds 0.1 R₁₃ x₁ − 0.02 R₃₃ x₂
    turned = np.array([R @ so3.hat(e) for e in np.eye(3)])
    expected = np.transpose([-0.1 * turned[:, 0, 2], 0.02 * turned[:, 2, 2], np.zeros(3)])
    np.testing.assert_allclose(by_place[3:], expected, atol=1e-12)
