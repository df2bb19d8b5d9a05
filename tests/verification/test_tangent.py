"""The tangent map from dual numbers, against differences: of the same map written independently in 50 digits, and of
every system's own map."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

import polhode as ph
from polhode.analysis.structure import difference_map, tangent_map
from polhode.bodies import Ellipsoid
from tests.tiers import later

from .subjects import SUBJECTS, Subject

J = mpmath.matrix([["1.0", "0.1", "-0.05"], ["0.1", "2.0", "0.2"], ["-0.05", "0.2", "2.5"]])


def hat(x):
    return mpmath.matrix([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def vee(A):
    return mpmath.matrix([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2


def step(R, Pi, h):
    """F Jd − Jd Fᵀ = h S(Π) by Newton on F = exp S(f), with a numerical Jacobian: nothing shared with the library."""
    Jd = mpmath.eye(3) * (J[0, 0] + J[1, 1] + J[2, 2]) / 2 - J
    f = mpmath.lu_solve(J, Pi) * h

    def residual(f):
        F = mpmath.expm(hat(f), method="taylor")
        return vee(F * Jd - Jd * F.T) - h * Pi

    for _ in range(7):
        r, e = residual(f), mpf(10) ** -25
        slopes = [(residual(f + e * mpmath.matrix(np.eye(3)[j].tolist())) - r) / e for j in range(3)]
        f -= mpmath.lu_solve(mpmath.matrix([[slopes[j][i] for j in range(3)] for i in range(3)]), r)
    F = mpmath.expm(hat(f), method="taylor")
    return R * F, F.T * Pi


SHORT = "FreeRigidBody", "Pendulum3D", "Gyrostat", "PlanarPendulum"


@pytest.mark.parametrize("steps", later([1, 3], lambda steps: steps > 1))
def test_fifty_digit_differences(steps: int) -> None:
    with mp.workdps(50):
        h = mpf("0.1")
        R0 = mpmath.expm(hat(mpmath.matrix(["0.3", "-0.2", "0.5"])), method="taylor")
        Pi0 = mpmath.matrix(["0.9", "-1.1", "1.3"])

        def end(xi, dPi):
            R, Pi = R0 * mpmath.expm(hat(xi), method="taylor"), Pi0 + dPi
            for _ in range(steps):
                R, Pi = step(R, Pi, h)
            return R, Pi

        zero, e = mpmath.matrix(3, 1), mpf(10) ** -12
        R1, _ = end(zero, zero)
        columns = []
        for j in range(6):
            d = mpmath.matrix((e * np.eye(6)[j]).tolist())
            (Ra, Pa), (Rb, Pb) = end(d[:3], d[3:]), end(-d[:3], -d[3:])
            columns.append([*(vee(R1.T * (Ra - Rb)) / (2 * e)), *((Pa - Pb) / (2 * e))])
        expected = np.array([[float(x) for x in column] for column in columns]).T
        body = ph.FreeRigidBody(np.array(J.tolist(), dtype=float))
        state = body.state(R=np.array(R0.tolist(), dtype=float), Pi=[0.9, -1.1, 1.3])
    for method in (ph.LGVI(), ph.QuaternionVI()):
        found = ph.simulate(state, step=0.1, steps=steps, method=method, tangent=True).tangent[-1]
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("subject", later(SUBJECTS, lambda subject: subject.name not in SHORT, repr))
def test_every_system(subject: Subject) -> None:
    """What its first variational method does to it, or else RK4."""
    state = subject.state
    methods = (ph.LGVI(), ph.ForcedLGVI(), ph.EnergyMomentum(), ph.RK4())
    method = next(m for m in methods if m.why_not(state.system) is None)
    found, expected = tangent_map(state, method, 0.02, 2), difference_map(state, method, 0.02, 2, size=0.003)
    np.testing.assert_allclose(found, expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.verify
def test_rounding_does_not_grow_in_the_tangent_map_of_two_bodies() -> None:
    """Attitudes that are turned from both sides: what is across the group must not grow over a long run."""
    problem = ph.FullTwoBodyProblem(Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22]))
    rates = {"V": [0.0, 0.63, 0.0], "Omega1": [0.2, -0.3, 0.5], "Omega2": [-0.3, 0.2, 0.4]}

    def run(distance: float, tangent: bool) -> ph.Trajectory:
        state = problem.state(X=[distance, 0.0, 0.1], **rates)
        return ph.simulate(state, step=0.05, steps=2000, save_every=2000, tangent=tangent)

    tangent = run(4.0, True).tangent
    assert tangent is not None
    slope = (run(4.0 + 1e-6, False).X[-1] - run(4.0 - 1e-6, False).X[-1]) / 2e-6
    np.testing.assert_allclose(tangent[-1, :3, 0], slope, atol=1e-5 * np.linalg.norm(slope))
