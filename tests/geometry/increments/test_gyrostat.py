"""The equations of the gyrostat's step: their derivatives, by which Newton's method and the tangent map go, are exact."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.geometry.increments.gyrostat import (
    damped_correction,
    damped_defect,
    damped_is_wanted,
    damped_residuals,
    rotor_jacobian,
    rotor_residual,
    rotor_weight,
    solve_damped_increment_,
    solve_rotor_increment_,
)

J = (1.0, 1.5, 2.2, 0.1, -0.2, 0.3)  # xx, yy, zz, yz, xz, xy
TERMS = (J, 0.7, (0.3, -0.4, 0.5))
DAMPER = ((0.4, -0.3, 0.2), 0.9, 1.3)
G = (0.4, -0.5, 0.6)
C, GAMMA = np.array([0.3, -0.2, 0.4]), np.array([0.25, -0.35, 0.2])
DELTA = 1e-5


def slopes(function, x: np.ndarray) -> np.ndarray:
    """The derivative by central differences of the fourth order."""
    columns = []
    for unit in DELTA * np.eye(len(x)):
        near = np.subtract(function(x + unit), function(x - unit))
        far = np.subtract(function(x + 2.0 * unit), function(x - 2.0 * unit))
        columns.append((8.0 * near - far) / (12.0 * DELTA))
    return np.array(columns).T


def test_the_jacobian_of_the_rotors_equation() -> None:
    expected = slopes(lambda c: np.array(rotor_residual(TERMS, G, tuple(c))), C)
    np.testing.assert_allclose(np.reshape(rotor_jacobian(TERMS, G, tuple(C)), (3, 3)), expected, atol=1e-9)


@pytest.mark.parametrize("stiffness", [0.05, 1.3, 1e4])
def test_the_correction_of_the_damped_equations(stiffness: float) -> None:
    """It solves the linearised equations, of which nothing is known here but their residuals."""
    damper = (*DAMPER[:2], stiffness)

    def residuals(x: np.ndarray) -> np.ndarray:
        return np.concatenate(damped_residuals(TERMS, damper, G, tuple(x[:3]), tuple(x[3:])))

    matrix = slopes(residuals, np.concatenate([C, GAMMA]))
    for unit in np.eye(6):
        dc, dgamma, _ = damped_correction(TERMS, damper, G, tuple(C), tuple(GAMMA), tuple(unit[:3]), tuple(unit[3:]))
        found = matrix @ np.concatenate([dc, dgamma])
        np.testing.assert_allclose(found, unit, atol=1e-9 * max(1.0, stiffness))


def test_newtons_method_converges_quadratically() -> None:
    """A wrong entry in a derivative would still converge, but linearly, in many more iterations."""
    momentum, h, rho = (0.5, -0.7, 0.9), 0.3, TERMS[2]
    assert solve_rotor_increment_(J, momentum, h, rho)[1] <= 5
    assert solve_damped_increment_(J, momentum, h, rho, DAMPER[0], 0.2, 0.3)[2] <= 6


def test_the_defect_is_relative_to_what_rounding_is_relative_to() -> None:
    (_, h, _), (d, a, k), momenta, slips = TERMS, DAMPER, np.dot(G, G), GAMMA @ GAMMA + C @ C
    r, q = damped_residuals(TERMS, DAMPER, G, tuple(C), tuple(GAMMA))
    size = momenta + h * h * np.dot(d, d) + rotor_weight(TERMS) * (C @ C)
    expected = np.dot(r, r) / size + np.dot(q, q) / (np.dot(d, d) + (a * a + k * k) * slips)
    assert damped_defect(TERMS, DAMPER, G, tuple(C), tuple(GAMMA)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("axis", range(3))
def test_a_solution_past_the_fold_of_the_body_is_not_wanted(axis: int) -> None:
    """`4 c·Jc < tr J (1 + c²)`: about the axis of 3 of (3, 1, 1) that is 7 c² < 5."""
    moments = np.ones(6)
    moments[axis], moments[3:] = 3.0, 0.0
    terms, rest = (tuple(moments), 1.0, (0.0, 0.0, 0.0)), (0.0, 0.0, 0.0)
    for factor, wanted in ((0.99, True), (1.01, False)):
        c = tuple(factor * np.sqrt(5.0 / 7.0) * np.eye(3)[axis])
        assert damped_is_wanted(terms, DAMPER, c, rest, 0.0, -1.0) == wanted
