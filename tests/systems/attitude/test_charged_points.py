"""Point charges in fields that are not uniform: Lorentz's force, both discretisations, uniform fields, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.analysis import measured_order, symmetry_defect, symplectic_defect
from polhode.scalars import kernel, sqrt

STATE = ph.ChargedPoints.example()
BODY = STATE.system
TIGHT = ph.DOP853(rtol=3e-14, atol=1e-15)


def test_the_flow_is_that_of_lorentz_forces() -> None:
    """E of a charge and B of a dipole, written down, on every charge."""

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        R, omega, J, M = y[:9].reshape(3, 3), y[9:], BODY.inertia.matrix, np.zeros(3)
        for q, rho in zip(BODY.charges, BODY.positions, strict=True):
            x, v = R @ rho, R @ np.cross(omega, rho)
            d, r, m = x - [0.5, 0.0, 2.0], x - [0.0, 0.0, -2.0], np.array([0.0, 0.0, 6.0])
            size = np.linalg.norm(r)
            force = 0.8 * d / np.linalg.norm(d) ** 3 + np.cross(v, 3 * r * (m @ r) / size**5 - m / size**3)
            M += np.cross(rho, R.T @ (q * force))
        change = np.linalg.solve(J, np.cross(J @ omega, omega) + M)
        return np.concatenate([(R @ ph.so3.hat(omega)).reshape(-1), change])

    start = np.concatenate([STATE.R.reshape(-1), STATE.omega])
    found = solve_ivp(slope, (0.0, 10.0), start, method="DOP853", rtol=2.3e-14, atol=1e-15, t_eval=[1.0, 10.0]).y.T
    run = ph.simulate(STATE, step=1.0, t_end=10.0, method=TIGHT)
    for k, y in zip((1, 10), found, strict=True):
        np.testing.assert_allclose(np.concatenate([run.R[k].reshape(-1), run.omega[k]]), y, atol=1e-12)
    assert run.drift()["energy"] < 1e-12


def test_the_variational_step_makes_its_action_stationary() -> None:
    """`D₂L_d(R₀, R₁) + D₁L_d(R₁, R₂) = 0` by differences of L_d itself."""
    h = 0.05
    R = ph.simulate(STATE, step=h, steps=2).R
    Jd = BODY.inertia.nonstandard

    def L_d(A: np.ndarray, B: np.ndarray) -> float:
        x, y = BODY.places(A), BODY.places(B)
        means = 0.5 * (BODY.magnetic.at(x) + BODY.magnetic.at(y))
        magnetic = BODY.charges @ np.sum(means * (y - x), axis=-1)
        potential = BODY.potential_energy(A) + BODY.potential_energy(B)
        return float(np.trace((np.eye(3) - A.T @ B) @ Jd) / h + magnetic - 0.5 * h * potential)

    for e in np.eye(3):
        sums = [L_d(R[0], R[1] @ ph.so3.exp(s * e)) + L_d(R[1] @ ph.so3.exp(s * e), R[2]) for s in (1e-4, -1e-4)]
        assert (sums[0] - sums[1]) / 2e-4 == pytest.approx(0.0, abs=1e-8)


@pytest.mark.verify
def test_one_is_symplectic_and_the_other_is_not() -> None:
    assert symplectic_defect(STATE, ph.LGVI(), 0.05, steps=1) < 1e-13
    assert 1e-7 < symplectic_defect(STATE, ph.ForcedLGVI(), 0.05, steps=1) < 1e-3
    for method in (ph.LGVI(), ph.ForcedLGVI()):
        np.testing.assert_allclose(measured_order(STATE, method, 2.0).orders, 2.0, atol=0.05)
        assert symmetry_defect(STATE, method, 0.05, steps=50) < 1e-13


def test_uniform_fields_are_those_of_the_charged_body() -> None:
    """A = ½ B × x: the same Lagrangian, the same chords, the same step to rounding."""
    charges, places = BODY.charges, BODY.positions
    E, B = np.array([0.2, -0.4, 0.8]), np.array([0.3, 0.6, -1.2])
    x, y, z = "xyz"
    A = [f"0.5*({B[1]}*{z} - ({B[2]})*{y})", f"0.5*(({B[2]})*{x} - {B[0]}*{z})", f"0.5*({B[0]}*{y} - {B[1]}*{x})"]
    points = ph.ChargedPoints(BODY.inertia.matrix, charges, places, f"-({E[0]}*x + ({E[1]})*y + {E[2]}*z)", A)
    whole = ph.ChargedBody(
        BODY.inertia.matrix, charges @ places, np.einsum("n,ni,nj->ij", charges, places, places), E, B
    )
    for method in (ph.LGVI(), ph.ForcedLGVI()):
        runs = [
            ph.simulate(s.state(R=STATE.R, omega=STATE.omega), step=0.05, steps=100, method=method).final
            for s in (points, whole)
        ]
        np.testing.assert_allclose(runs[0].R, runs[1].R, atol=1e-13)
        np.testing.assert_allclose(runs[0].omega, runs[1].omega, atol=1e-13)
    assert float(runs[0].invariants()["energy"]) == pytest.approx(float(runs[1].invariants()["energy"]), abs=1e-13)


def test_kernels_and_functions_give_the_same_motion() -> None:
    @kernel
    def V(x):  # type: ignore[no-untyped-def]
        a, c = x[0] - 0.5, x[2] - 2.0
        return 0.8 / sqrt(a * a + x[1] * x[1] + c * c)

    @kernel
    def A(x):  # type: ignore[no-untyped-def]
        c = x[2] + 2.0
        r2 = x[0] * x[0] + x[1] * x[1] + c * c
        s = 6.0 / (r2 * sqrt(r2))
        return -s * x[1], s * x[0], 0.0 * s

    def plain(x: np.ndarray) -> float:
        return 0.8 / float(np.linalg.norm(x - [0.5, 0.0, 2.0]))

    expected = ph.simulate(STATE, step=0.05, steps=20).final
    with pytest.warns(UserWarning, match="slower"):
        slow = ph.ChargedPoints(BODY.inertia.matrix, BODY.charges, BODY.positions, plain, A)
    for body in (ph.ChargedPoints(BODY.inertia.matrix, BODY.charges, BODY.positions, V, A), slow):
        final = ph.simulate(body.state(R=STATE.R, omega=STATE.omega), step=0.05, steps=20).final
        np.testing.assert_allclose(final.R, expected.R, atol=1e-12)
        np.testing.assert_allclose(final.Pi, expected.Pi, atol=1e-12)


@pytest.mark.verify
def test_where_it_rests() -> None:
    found = BODY.equilibria()
    assert {ph.linearize(e).verdict for e in found} == {"stable", "unstable"}
    lowest = min(found, key=lambda e: float(BODY.potential_energy(e.R)))
    assert ph.linearize(lowest).verdict == "stable"
    for e in found[:3]:
        run = ph.simulate(e, step=1.0, steps=1, method=TIGHT)
        assert ph.so3.distance(run.final.R, e.R) < 1e-9


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"charges": [1.0, float("nan")]}, "charges"),
        ({"positions": [[1, 0, 0]]}, "positions"),
        ({"electric": "x + w"}, "electric"),
        ({"electric": 3.5j}, "electric"),
        ({"magnetic": ["x", "y"]}, "magnetic"),
        ({"magnetic": "x"}, "magnetic"),
        ({"magnetic": ["x", "y", "Q"]}, "magnetic[2]"),
    ],
)
def test_bad_input_is_named(change: dict, field: str) -> None:
    given = {"inertia": [1, 2, 2.5], "charges": [1, -1], "positions": [[1, 0, 0], [0, 1, 0]]} | change
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.ChargedPoints(**given)
    assert caught.value.field == field
