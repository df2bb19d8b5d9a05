"""The double planar pendulum: Lagrange's equations, the discrete equations as printed, equilibria."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.systems.planar.double_pendulum import continued_root, pair_defect

STATE = ph.DoublePlanarPendulum.example()
BODY = STATE.system
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


def test_lagranges_equations() -> None:
    from scipy.integrate import solve_ivp

    A, J2, w, _, _, g1, _, g2, _ = BODY.parameters()

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        (t1, t2), (o1, o2) = y[:2], y[2:]
        c, s = np.cos(t2 - t1), np.sin(t2 - t1)
        right = [w * s * o2**2 - g1 * np.sin(t1), -w * s * o1**2 - g2 * np.sin(t2)]
        return np.concatenate([y[2:], np.linalg.solve([[A, w * c], [w * c, J2]], right)])

    y0 = np.concatenate([STATE.theta, STATE.omega])
    y = solve_ivp(slope, (0.0, 5.0), y0, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    final = ph.simulate(STATE, step=5.0, steps=1, method=TIGHT).final
    np.testing.assert_allclose(final.theta, y[:2], atol=1e-11)
    np.testing.assert_allclose(final.omega, y[2:], atol=1e-11)


def test_newtons_method_begins_near_the_root() -> None:
    """At h ω: its error is of order h²."""
    assert ph.simulate(STATE, step=0.01, steps=20).stats.max_iterations == 2


@pytest.mark.parametrize("form", ["hamiltonian", "lagrangian"])
def test_the_discrete_equations(form: str) -> None:
    h = 0.05
    run = ph.simulate(STATE, step=h, steps=2, method=ph.LGVI(form=form))
    A, J2, w, _, _, g1, _, g2, _ = BODY.parameters()

    def sn(X: np.ndarray, Y: np.ndarray) -> float:
        return float((X.T @ Y)[1, 0])

    for k in range(2):
        (R1, R2), (Q1, Q2) = run.R[k], run.R[k + 1]
        (p1, p2), (q1, q2) = run.p[k], run.p[k + 1]
        half = h * h / 2
        assert h * p1 == pytest.approx(A * sn(R1, Q1) + w * (sn(R1, Q2) - sn(R1, R2)) + half * g1 * R1[1, 0], abs=1e-15)
        assert h * p2 == pytest.approx(
            J2 * sn(R2, Q2) + w * (sn(R1, R2) - sn(Q1, R2)) + half * g2 * R2[1, 0], abs=1e-15
        )
        assert h * q1 == pytest.approx(A * sn(R1, Q1) + w * (sn(Q1, Q2) - sn(Q1, R2)) - half * g1 * Q1[1, 0], abs=1e-15)
        assert h * q2 == pytest.approx(
            J2 * sn(R2, Q2) + w * (sn(R1, Q2) - sn(Q1, Q2)) - half * g2 * Q2[1, 0], abs=1e-15
        )


@pytest.mark.parametrize("links", [(1.3, 1.4, 1.8, 1.7, 1.8, 0.5, 0.8), (0.9, 0.9, 0.4, 1.8, 1.4, 0.9, 0.6)])
def test_a_long_step_has_the_root_that_joins_zero(links: tuple[float, ...]) -> None:
    """From where Newton's method alone runs away; the root is followed by SciPy from short steps on."""
    from scipy.optimize import fsolve

    body = ph.DoublePlanarPendulum(*links)
    start = body.state(theta=[0.5, -0.3], omega=[5.0, -8.0])
    A, J2, w, _, _, g1, _, g2, _ = body.parameters()
    (t1, t2), delta = start.theta, start.theta[1] - start.theta[0]

    def residual(turns: np.ndarray, h: float) -> list[float]:
        a, b = turns
        p1, p2 = start.p - 0.5 * h * np.array([g1 * np.sin(t1), g2 * np.sin(t2)])
        return [
            A * np.sin(a) + 2 * w * np.sin(b / 2) * np.cos(delta + b / 2) - h * p1,
            J2 * np.sin(b) + 2 * w * np.sin(a / 2) * np.cos(delta - a / 2) - h * p2,
        ]

    turns = np.zeros(2)
    for h in np.linspace(0.0, 0.35, 101)[1:]:
        turns = fsolve(residual, turns, args=(h,), xtol=1e-10)
    final = ph.simulate(start, step=0.35, steps=1, method=ph.LGVI()).final
    np.testing.assert_allclose(final.theta - start.theta, turns, atol=1e-8)


BEYOND = [  # inertia2, mass2, length1, centre2, theta, omega: with inertia1 = mass1 = 1 and no gravity
    ((1.4, 1.4, 1.2, 0.9), (-2.1, 2.4), (1.8, -0.7)),
    ((0.7, 0.4, 1.4, 1.2), (-2.5, 2.2), (1.4, -0.4)),
    ((1.4, 1.3, 0.8, 0.7), (-1.3, 0.2), (-1.4, -0.3)),
]


@pytest.mark.parametrize(("links", "theta", "omega"), BEYOND)
def test_a_step_may_turn_a_link_by_more_than_a_right_angle(
    links: tuple[float, ...], theta: tuple[float, float], omega: tuple[float, float]
) -> None:
    """The root that joins zero goes on as long as its determinant is positive; here it is followed in short parts."""
    J2, m2, l1, c2 = links
    body = ph.DoublePlanarPendulum(1.0, J2, mass1=1.0, mass2=m2, length1=l1, centre1=0.5, centre2=c2, g=0.0)
    start = body.state(theta=theta, omega=omega)
    A, w, delta = 1.0 + m2 * l1 * l1, m2 * l1 * c2, theta[1] - theta[0]
    a = b = 0.0
    for share in np.linspace(0.0, 1.0, 2001)[1:]:
        for _ in range(3):
            jacobian = np.array([[A * np.cos(a), w * np.cos(delta + b)], [w * np.cos(delta - a), J2 * np.cos(b)]])
            assert np.linalg.det(jacobian) > 0.01
            r = [
                A * np.sin(a) + 2 * w * np.sin(b / 2) * np.cos(delta + b / 2) - share * start.p[0],
                J2 * np.sin(b) + 2 * w * np.sin(a / 2) * np.cos(delta - a / 2) - share * start.p[1],
            ]
            a, b = np.array([a, b]) - np.linalg.solve(jacobian, r)
    assert max(abs(a), abs(b)) > 1.7
    found = ph.simulate(start, step=1.0, steps=1, method=ph.LGVI()).final
    np.testing.assert_allclose(np.exp(1j * (found.theta - theta)), np.exp(1j * np.array([a, b])), atol=1e-10)


def test_rates_whose_energy_no_double_holds_are_refused() -> None:
    start = BODY.state(theta=[0.5, -0.3], omega=[1e200, -8.0])
    assert start.invariants()["energy"] == np.inf
    with pytest.raises(ph.InvalidInputError, match="its energy is too large for a double"):
        ph.simulate(start, step=0.1, steps=1, method=ph.LGVI())


def test_without_gravity_the_total_momentum_is_kept() -> None:
    body = ph.DoublePlanarPendulum(1.0, 0.6, mass1=1, mass2=0.8, length1=0.7, centre1=0.4, centre2=0.5, g=0.0)
    run = ph.simulate(body.state(theta=[0.5, -0.9], omega=[0.8, -0.4]), step=0.05, steps=100_000, save_every=100)
    assert run.drift()["momentum"] < 1e-12
    assert run.drift()["energy"] < 1e-3


def test_equilibria() -> None:
    A, J2, w, _, _, g1, _, g2, _ = BODY.parameters()
    for e, signs in zip(BODY.equilibria(), [(1, 1), (1, -1), (-1, 1), (-1, -1)], strict=True):
        s1, s2 = signs
        M, K = np.array([[A, w * s1 * s2], [w * s1 * s2, J2]]), np.diag([g1 * s1, g2 * s2])
        found, expected = ph.linearize(e), -np.linalg.eigvals(np.linalg.solve(M, K))
        for value in found.eigenvalues:
            assert np.abs(value**2 - expected).min() < 1e-10
        assert found.verdict == ("stable" if signs == (1, 1) else "unstable")


def test_a_link_needs_its_own_inertia() -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.DoublePlanarPendulum(1.0, 0.01, mass1=1, mass2=0.8, length1=0.7, centre1=0.4, centre2=0.5)
    assert caught.value.field == "inertia2"


OBLIQUE = ph.DoublePlanarPendulum(
    1.0, 0.6, mass1=1.0, mass2=0.8, length1=0.7, centre1=[0.2, 0.4], centre2=[-0.3, 0.5], g=3.0
)


def lagrangian(theta: np.ndarray, omega: np.ndarray) -> float:
    """L of the two links from the places and velocities of their mass centres, in vectors of the plane."""
    c, s = np.cos(theta), np.sin(theta)
    R = np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0)
    slope = np.moveaxis(np.array([[-s, -c], [c, -s]]), -1, 0)
    one, joint, two = np.array([0.2, -0.4]), np.array([0.0, -0.7]), np.array([-0.3, -0.5])
    velocity = omega[0] * slope[0] @ joint + omega[1] * slope[1] @ two
    spin = (1.0 - 1.0 * one @ one) * omega[0] ** 2 + (0.6 - 0.8 * two @ two) * omega[1] ** 2
    moving = 1.0 * (omega[0] * slope[0] @ one) @ (omega[0] * slope[0] @ one) + 0.8 * velocity @ velocity
    heights = 1.0 * (R[0] @ one)[1] + 0.8 * (R[0] @ joint + R[1] @ two)[1]
    return float(0.5 * (spin + moving) - 3.0 * heights)


@pytest.mark.parametrize("name", ["mass2", "length1", "centre1", "centre2"])
def test_what_is_too_large_is_refused_in_words(name: str) -> None:
    """Not by a warning of NumPy, which the tests take as an error."""
    with pytest.raises(ph.InvalidInputError, match="are finite"):
        ph.DoublePlanarPendulum(**{**BODY.given, name: 1e308})


def test_mass_centres_beside_the_links() -> None:
    """Momenta, forces and energy against a Lagrangian in vectors, by differences."""
    theta, omega, d = np.array([0.7, -1.1]), np.array([0.9, -0.4]), 1e-5
    state = OBLIQUE.state(theta=theta, omega=omega)
    for i, e in enumerate(d * np.eye(2)):
        by_rate = (lagrangian(theta, omega + e) - lagrangian(theta, omega - e)) / (2 * d)
        by_angle = (lagrangian(theta + e, omega) - lagrangian(theta - e, omega)) / (2 * d)
        assert state.p[i] == pytest.approx(by_rate, abs=1e-9)
        near = [ph.simulate(state, step=s * 1e-3, steps=1, method=ph.DOP853(1e-13, 1e-15)).final.p[i] for s in (1, -1)]
        assert (near[0] - near[1]) / 2e-3 == pytest.approx(by_angle, abs=1e-5)
    total = float(state.invariants()["energy"])
    assert total == pytest.approx(state.p @ omega - lagrangian(theta, omega), abs=1e-12)


def test_an_oblique_second_link_is_a_straight_one_turned() -> None:
    """With the second mass centre alone beside its line, θ₂ is measured from another line: the discrete motion is the same."""
    given = {"mass1": 1.0, "mass2": 0.8, "length1": 0.7, "centre1": 0.4, "g": 3.0}
    far, turn = float(np.hypot(0.3, 0.5)), float(np.arctan2(-0.3, 0.5))
    oblique = ph.DoublePlanarPendulum(1.0, 0.6, centre2=[-0.3, 0.5], **given)
    straight = ph.DoublePlanarPendulum(1.0, 0.6, centre2=far, **given)
    starts = (
        oblique.state(theta=[0.5, -0.4 - turn], omega=[0.3, 0.4]),
        straight.state(theta=[0.5, -0.4], omega=[0.3, 0.4]),
    )
    one, two = (ph.simulate(x, step=0.05, steps=60, method=ph.LGVI()).final for x in starts)
    np.testing.assert_allclose(one.theta + [0.0, turn], two.theta, atol=1e-12)
    np.testing.assert_allclose(one.p, two.p, atol=1e-12)
    np.testing.assert_allclose(oblique.joints(one.theta), straight.joints(two.theta), atol=1e-12)
    assert ph.DoublePlanarPendulum(**oblique.describe()).describe() == oblique.describe()


def test_oblique_links_rest_and_stay_symplectic() -> None:
    from polhode.analysis import symplectic_defect

    assert symplectic_defect(OBLIQUE.state(theta=[0.5, -0.4], omega=[0.3, 0.4]), ph.LGVI(), 0.05) < 1e-13
    verdicts = [ph.linearize(e).verdict for e in OBLIQUE.equilibria()]
    assert verdicts == ["stable", "unstable", "unstable", "unstable"]
    assert float(OBLIQUE.equilibria()[0].theta[0]) == pytest.approx(-np.arctan2(0.2, 0.4 + 0.8 * 0.7))
    with pytest.raises(ph.InvalidInputError, match="centre2"):
        ph.DoublePlanarPendulum(1.0, 0.6, 1.0, 0.8, 0.7, centre1=0.4, centre2=[0.0, 0.0])


def test_the_root_is_followed_past_a_near_fold() -> None:
    """The determinant falls to 0.3 % on the way to g; below it the root moves fast."""
    A, B, w = 7.0536703051366505, 7.11259334978642, 6.504229317032908
    delta, g = -2.5478267757203905, (8.816500735934946, -6.237906604142062)
    d = np.cos(delta), np.sin(delta)
    a, b, determinant = continued_root(A, B, w, d, g)
    assert determinant > 0.0
    assert pair_defect(A, B, w, d, g, a, b) < 1e-26
    np.testing.assert_allclose((a, b), (2.36194997, 2.58143655), atol=1e-7)
