"""Points against points: the exact sum, its derivatives, and the pair seen from the inertial frame."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.bodies import Dumbbell, Sphere
from polhode.errors import InvalidInputError
from polhode.gravity import PointsPoints, inertial_gravity
from polhode.gravity.points import points_points
from polhode.scalars import compiled, double, get3, get9, put, put3
from tests.gravity.reference import AXES, STEP, by_complex_step, cloud, exact_potential, hat, rotation

G = 0.7
X = np.array([1.1, -0.7, 1.6])
ONE, TWO = cloud(1, 6), cloud(2, 5)


@pytest.mark.parametrize("seed", range(4))
def test_sum_force_and_moment(seed: int):
    R = rotation(seed)
    U, F, M = PointsPoints(ONE, TWO, G).evaluate(X, R)
    u, f, m = by_complex_step(lambda x, r: exact_potential(ONE, TWO, G, x, r), X, R)
    assert pytest.approx(u, rel=1e-15) == U
    np.testing.assert_allclose(F, f, rtol=1e-13)
    np.testing.assert_allclose(M, m, rtol=1e-12)


def test_dumbbells_of_the_paper():
    # −¼ Σ 1/|X + Rρ₁ − ρ₂| with m̄ = 1, the sheet's normalisation
    pair = PointsPoints(Dumbbell(1.5, 0.25), Dumbbell(3.0, 0.5), 1 / 4.5)
    U, F, M = pair.evaluate([1.0, 0.0, 0.3], np.eye(3))
    ends = [(s * 0.125 + 1.0 - t * 0.25) for s in (1, -1) for t in (1, -1)]
    assert pytest.approx(-0.25 * sum(1 / np.hypot(d, 0.3) for d in ends), rel=1e-15) == U
    assert F[1] == M[0] == M[2] == 0.0


def test_only_points():
    with pytest.raises(InvalidInputError, match=r"body2.*made of points"):
        PointsPoints(ONE, Sphere(1.0, 1.0), G)  # type: ignore[arg-type]


@compiled
def inertial(S, y, p, work, out):
    U, f, M1, M2 = inertial_gravity(
        S, points_points, get3(y, 0, S), get9(y, 3, S), get3(y, 12, S), get9(y, 15, S), p, 2, work, 0
    )
    put(out, 0, S, U)
    put3(out, 1, S, f)
    put3(out, 4, S, M1)
    put3(out, 7, S, M2)


def test_inertial_form():
    # equation 24: M_i = Σ_p r_p × u_p over the rows of R_i and ∂U/∂R_i, that is −∂U/∂ξ for R_i ↦ R_i exp(S(ξ))
    x1, x2, R1, R2 = X + 3.0, np.array([2.5, 3.1, 2.9]), rotation(7), rotation(8)

    def potential(x, r1, y, r2):
        d = (x + ONE.positions @ r1.T)[:, None] - (y + TWO.positions @ r2.T)[None]
        return -G * np.sum(np.outer(ONE.masses, TWO.masses) / np.sqrt(np.sum(d * d, axis=-1)))

    force = [potential(x1 + 1j * STEP * e, R1, x2, R2).imag / STEP for e in AXES]
    M1 = [-potential(x1, R1 + 1j * STEP * R1 @ hat(e), x2, R2).imag / STEP for e in AXES]
    M2 = [-potential(x1, R1, x2, R2 + 1j * STEP * R2 @ hat(e)).imag / STEP for e in AXES]
    y = np.concatenate([x1, R1.ravel(), x2, R2.ravel()])
    out = np.zeros(10)
    block = np.concatenate([[9.0, 9.0], PointsPoints(ONE, TWO, G).parameters()])  # not at the beginning of p
    inertial(double, y, block, np.zeros(1), out)
    assert out[0] == pytest.approx(potential(x1, R1, x2, R2), rel=1e-14)
    np.testing.assert_allclose(out[1:4], force, rtol=1e-12)
    np.testing.assert_allclose(out[4:7], M1, rtol=1e-12)
    np.testing.assert_allclose(out[7:10], M2, rtol=1e-12)
