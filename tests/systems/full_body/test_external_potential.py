"""External potentials that are formulas: the kernel of energy, force and moment, as Python runs it."""

from __future__ import annotations

import numpy as np

from polhode.geometry import so3
from polhode.scalars import double
from polhode.systems import ExternalPotential

X, R, T, STEP = np.array([0.4, -0.7, 1.1]), so3.exp([0.3, -0.8, 0.5]), 0.6, 1e-5


def test_force_and_moment_are_the_slopes_of_the_energy() -> None:
    field = ExternalPotential("0.1*x*R13 + 0.05*y**2 + 0.02*R33*z*cos(t)")
    U, slope, moment = field.evaluate(double, np.zeros(0), 0, T, tuple(X), tuple(R.reshape(-1)))
    assert abs(U - field.energy(T, X, R)) < 1e-15
    for i, e in enumerate(np.eye(3)):
        moved = [field.energy(T, X + sign * STEP * e, R) for sign in (1.0, -1.0)]
        turned = [field.energy(T, X, R @ so3.exp(sign * STEP * e)) for sign in (1.0, -1.0)]
        assert abs(slope[i] - (moved[0] - moved[1]) / (2.0 * STEP)) < 1e-10
        assert abs(moment[i] + (turned[0] - turned[1]) / (2.0 * STEP)) < 1e-10
