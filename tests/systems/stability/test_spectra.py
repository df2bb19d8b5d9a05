"""The linearisations of the attitude systems against spectra of the equations in `formulas`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import polhode as ph

from ..formulas import E2, E3, FULL, PLAIN, Array, Body, Case, S, charged, pendulum, point_force, turn


def spectrum(eigenvalues: Array, expected: Array) -> None:
    """The same spectrum, with λ² compared where zeros may be defective."""
    left = list(expected)
    for value in eigenvalues:
        nearest = min(left, key=lambda x: min(abs(x - value), abs(x**2 - value**2)))
        assert min(abs(nearest - value), abs(nearest**2 - value**2)) < 1e-10, (eigenvalues, expected)
        left.remove(nearest)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_the_rotations_of_a_free_body(index: int) -> None:
    J, c = np.array([1.0, 2.0, 2.5]), 1.7
    steady = ph.FreeRigidBody(J).steady_rotations(c)[index]
    i, j, k = index, (index + 1) % 3, (index + 2) % 3
    square = -(c**2) * (J[i] - J[j]) * (J[i] - J[k]) / (J[j] * J[k])
    root = np.sqrt(complex(square))
    found = ph.linearize(steady)
    spectrum(found.eigenvalues, np.array([0, 0, 1j * c, -1j * c, root, -root]))
    assert found.verdict == ("unstable" if index == 1 else "stable")


def test_the_rotations_of_symmetric_bodies() -> None:
    flat = ph.FreeRigidBody([1.0, 1.0, 1.8])
    verdicts = [ph.linearize(e).verdict for e in flat.equilibria().all]
    assert verdicts == ["stable", "spectrally stable", "spectrally stable", "stable"], "a circle of rotations drifts"
    (nu,) = {round(abs(x.imag), 12) for x in ph.linearize(flat.steady_rotations(2.0)[2]).eigenvalues} - {0.0, 2.0}
    assert nu == pytest.approx(0.8 * 2.0, abs=1e-10)


def steady_spectrum(body: Body, R: Array, omega: Array, moment: Callable[[Array], Array]) -> Array:
    """`ξ̇ = δω − ω × ξ`, `J δω̇ = (S(Jω + a) − S(ω)J − S(Kb) − D) δω + (DM + S(ω)KS(b)) ξ`."""
    b, e = R.T @ body.B, 1e-3
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    DM = np.stack(
        [
            sum(c * (moment(R @ turn(k * e * x)) - moment(R @ turn(-k * e * x))) for k, c in weights) / e
            for x in np.eye(3)
        ],
        axis=1,
    )
    inverse, J = np.linalg.inv(body.J), body.J
    rates = S(J @ omega + body.a) - S(omega) @ J - S(body.K @ b) - body.D
    return np.linalg.eigvals(
        np.block([[-S(omega), np.eye(3)], [inverse @ (DM + S(omega) @ body.K @ S(b)), inverse @ rates]])
    )


def steady_motions() -> dict[str, tuple[list[ph.State], Body, Callable[[Array], Array]]]:
    top, pull, drag = pendulum(), point_force(), pendulum(damped=True)
    along = charged(np.array([0.2, 0.4, -0.8]), np.array([0.3, 0.6, -1.2]))
    across, a = charged(-0.8 * E3, 1.2 * E2), np.array([0.2, -0.3, 0.4])
    gyrostat, thrown = ph.AttitudeBody(FULL, gyro=a), np.array([-0.1, 0.2, 0.3])
    thruster = ph.ConstantBodyMoment(PLAIN, thrown)

    def moment(case: Case) -> Callable[[Array], Array]:
        return lambda R: case.moments(R[None])[0]

    return {
        "pendulum": (
            [*top.state.system.equilibria(), *top.state.system.steady_rotations(6.0)],
            top.bodies[0],
            moment(top),
        ),
        "damped": (drag.state.system.equilibria(), drag.bodies[0], moment(drag)),
        "point force": (
            [*pull.state.system.equilibria(), *pull.state.system.steady_rotations(1.1)],
            pull.bodies[0],
            moment(pull),
        ),
        "charged, parallel": (
            [*along.state.system.equilibria(), *along.state.system.steady_rotations(0.9)],
            along.bodies[0],
            moment(along),
        ),
        "charged, crossed": (across.state.system.equilibria(), across.bodies[0], moment(across)),
        "gyrostat": (gyrostat.steady_rotations(0.8), Body(FULL, a=a), lambda R: np.zeros(3)),
        "thruster": (thruster.equilibria(), Body(PLAIN), lambda R: thrown),
    }


@pytest.mark.parametrize(
    "name", ["pendulum", "damped", "point force", "charged, parallel", "charged, crossed", "gyrostat", "thruster"]
)
def test_spectra_of_steady_motions(name: str) -> None:
    found, body, moment = steady_motions()[name]
    assert len(found) >= 2
    for e in found:
        np.testing.assert_allclose(body.rate(e.R, e.omega, moment(e.R)), 0.0, atol=1e-11)
        spectrum(ph.linearize(e).eigenvalues, steady_spectrum(body, e.R, e.omega, moment))


def test_verdicts_of_steady_motions() -> None:
    along, damped = (steady_motions()[name][0] for name in ("charged, crossed", "damped"))
    assert [ph.linearize(e).verdict for e in along] == ["stable", "unstable"], "whatever the magnetic field"
    assert [ph.linearize(e).verdict for e in damped][1] == "unstable"


def test_a_gyrostat_turned_backwards() -> None:
    """The same rotations: with −Ω the axes are the opposite ones."""
    body = ph.AttitudeBody(FULL, gyro=[0.2, -0.3, 0.4])
    forth, back = ([e.omega for e in body.steady_rotations(rate)] for rate in (3.0, -3.0))
    assert len(forth) == len(back)
    assert all(min(np.abs(x - y).max() for y in back) < 1e-9 for x in forth)
