"""Fields without a potential, continuous bodies in fields, and forces fixed in the body."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, tangent_map
from polhode.bodies import Ellipsoid
from polhode.scalars import kernel

MASSES = np.array([1.0, 0.8, 1.2, 0.9])
POINTS = np.array([[0.8, 0.1, 0.0], [-0.5, 0.6, 0.2], [0.1, -0.7, 0.4], [-0.2, 0.0, -0.9]])
VALUES = {"q": [0.1, -0.2, 0.3, 0.9], "omega": [0.6, -0.5, 0.7]}
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)
SWIRL = ["-0.4*y", "0.4*x + 0.1*z**2", "0.2*x*y"]


@kernel
def swirl(x):  # type: ignore[no-untyped-def]
    return -0.4 * x[1], 0.4 * x[0] + 0.1 * x[2] * x[2], 0.2 * x[0] * x[1]


def moment_of(state: ph.State, h: float = 1e-3) -> np.ndarray:
    ahead, behind = (ph.simulate(state, step=s * h, steps=1, method=TIGHT).final.Pi for s in (1, -1))
    return (ahead - behind) / (2 * h) - np.cross(state.Pi, state.omega)


@pytest.mark.parametrize("given", [SWIRL, swirl, swirl.function], ids=["formulas", "kernel", "function"])
def test_a_field_without_a_potential(given: object) -> None:
    """M = Σ m ρ × RᵀG(Rρ), and Ė = Σ m G·v."""
    body = ph.FieldBody(MASSES, POINTS, uniform=[0.0, 0.0, -1.0], acceleration=given)
    state = body.state(**VALUES)
    x = POINTS @ state.R.T
    G = np.stack([-0.4 * x[:, 1], 0.4 * x[:, 0] + 0.1 * x[:, 2] ** 2, 0.2 * x[:, 0] * x[:, 1]], -1) + [0, 0, -1.0]
    moment = np.sum(MASSES[:, None] * np.cross(POINTS, G @ state.R), axis=0)
    np.testing.assert_allclose(moment_of(state), moment, atol=1e-5)
    assert body.conserved == {}
    assert not body.hamiltonian
    velocity = np.cross(state.omega, POINTS) @ state.R.T
    ahead, behind = (ph.simulate(state, step=s * 1e-3, steps=1, method=TIGHT).final for s in (1, -1))
    kinetic = [0.5 * float(x.omega @ x.Pi) for x in (ahead, behind)]
    power = float(np.sum(MASSES[:, None] * G * velocity))
    assert (kinetic[0] - kinetic[1]) / 2e-3 == pytest.approx(power, abs=1e-5)
    assert ph.FieldBody(**body.describe()).describe() == body.describe()


def test_the_step_in_such_a_field() -> None:
    """Order 2; and with a potential in the same formulas as G = −∇V it is that of the potential, tangent map and all."""
    state = ph.FieldBody(MASSES, POINTS, acceleration=SWIRL).state(**VALUES)
    assert measured_order(state, ph.LGVI(), 2.0).orders == pytest.approx(2.0, abs=0.1)
    pulled = ph.FieldBody(MASSES, POINTS, acceleration=["-2*x*y", "-x**2", "-3*z**2"]).state(**VALUES)
    same = ph.FieldBody(MASSES, POINTS, potential="x**2*y + z**3").state(**VALUES)
    half = ph.FieldBody(MASSES, POINTS, potential="x**2*y", acceleration=["0", "0", "-3*z**2"]).state(**VALUES)
    ends = [ph.simulate(s, step=0.05, steps=20, method=ph.LGVI()).final for s in (pulled, same, half)]
    for end in ends[1:]:
        np.testing.assert_allclose(end.R, ends[0].R, atol=1e-13)
    maps = [tangent_map(s, ph.LGVI(), 0.05, 2) for s in (pulled, same)]
    np.testing.assert_allclose(maps[0], maps[1], atol=1e-13)


def test_a_continuous_body_in_a_field() -> None:
    """∫ρ × RᵀG(Rρ)dm in closed form: the linear field `S(M) = N Jd − Jd N`, and x⁴ by the integrals of the body."""
    shape = Ellipsoid(5.0, [1.2, 0.8, 0.5])
    Lambda = np.array([[0.4, 0.1, 0.0], [0.1, -0.3, 0.2], [0.0, 0.2, -0.1]])
    linear = ph.FieldBody.of_body(shape, degree=2, gradient=Lambda)
    np.testing.assert_allclose(linear.inertia.matrix, shape.inertia, atol=1e-12)
    state = linear.state(**VALUES)
    N, Jd = state.R.T @ Lambda @ state.R, linear.inertia.nonstandard
    np.testing.assert_allclose(moment_of(state), ph.so3.vee(N @ Jd - Jd @ N), atol=1e-5)
    quartic = ph.FieldBody.of_body(shape, degree=4, potential="x**4")
    R = ph.so3.exp([0.3, -0.2, 0.5])
    # U = ∫ (r·ρ)⁴ dm with the first row r of R
    T, r = shape.inertia_integrals(4), R[0]
    U = sum(
        float(np.prod([*range(1, 5)])) / np.prod([float(np.prod([*range(1, n + 1)])) for n in (i, j, k)])
        * r[0] ** i * r[1] ** j * r[2] ** k * T[i, j, k]
        for i in range(5) for j in range(5 - i) for k in [4 - i - j]
    )  # fmt: skip
    assert float(quartic.potential_energy(R)) == pytest.approx(U, rel=1e-13)


def test_a_force_fixed_in_the_body() -> None:
    """Its moment is constant in the body; a force fixed in space at the same point is another motion."""
    point, force = [0.5, -0.3, 0.8], [0.4, 0.9, -0.6]
    pushed = ph.ConstantBodyMoment([1.0, 2.0, 2.5], point=point, force=force)
    np.testing.assert_allclose(moment_of(pushed.state(**VALUES)), np.cross(point, force), atol=1e-6)
    same = ph.ConstantBodyMoment([1.0, 2.0, 2.5], moment=np.cross(point, force))
    x, y = (ph.simulate(b.state(**VALUES), step=0.05, steps=20).final for b in (pushed, same))
    np.testing.assert_array_equal(x.R, y.R)
    assert pushed.describe()["point"] == point
    assert ph.ConstantBodyMoment(**pushed.describe()).describe() == pushed.describe()
    for given in ({}, {"point": point}, {"point": point, "force": force, "moment": force}):
        with pytest.raises(ph.InvalidInputError, match="either moment, or point and force"):
            ph.ConstantBodyMoment([1.0, 2.0, 2.5], **given)
    with pytest.raises(ph.InvalidInputError, match="pass through the centre"):
        ph.ConstantBodyMoment([1.0, 2.0, 2.5], point=point, force=point)
