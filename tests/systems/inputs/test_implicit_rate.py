"""Torques and commands that depend on the rate at the node, which depends on them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.systems.inputs.implicit_rate import system_matrix
from tests.tiers import later

STIFF = {
    "torque": lambda k: ph.Gyrostat([1, 2, 3], torque=lambda t, R, w: (-k * w[0], -k * w[1], -k * w[2])),
    "rotor_torque": lambda k: ph.Gyrostat([1, 2, 3], rotor_torque=lambda t, R, w: (k * w[0], k * w[1], k * w[2])),
    "moment": lambda k: ph.AttitudeBody([1, 2, 3], moment=lambda t, R, w: (-k * w[0], -k * w[1], -k * w[2])),
}


def test_the_matrix_of_the_equation() -> None:
    """1 − (h/2) J⁻¹ f', for slopes f' and an inertia that couple all axes."""
    J, f = np.array([[1.0, 0.2, -0.1], [0.2, 1.4, 0.3], [-0.1, 0.3, 1.7]]), np.arange(9.0).reshape(3, 3) - 3.7
    inverse = np.linalg.inv(J)
    entries = tuple(inverse[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)))
    found = system_matrix(entries, 0.35, *map(tuple, f.T))
    np.testing.assert_allclose(np.reshape(found, (3, 3)), np.eye(3) - 0.35 * inverse @ f, atol=1e-14)


@pytest.mark.parametrize("kind", later(STIFF, lambda kind: kind != "torque"))
@pytest.mark.parametrize("k", later([1.0, 25.0, 100.0], lambda k: k != 25.0))
def test_a_torque_of_the_rate_however_stiff(kind: str, k: float) -> None:
    """About an axis a drag −kω makes a step the factor (1 − a)/(1 + a), a = hk/2I, for values and tangents."""
    body, a = STIFF[kind](k), 0.1 * k / 2
    run = ph.simulate(body.state(omega=[0.5, 0, 0]), step=0.1, steps=3, tangent=True)
    factor = ((1 - a) / (1 + a)) ** np.arange(4)
    np.testing.assert_allclose(run.omega[:, 0], 0.5 * factor, rtol=1e-13)
    along = run.tangent[:, 3, 3] - (run.tangent[:, 6, 3] if kind == "rotor_torque" else 0.0)
    np.testing.assert_allclose(along, factor, rtol=1e-12)


@pytest.mark.parametrize("k", [1e3, 1e5])
def test_a_nonlinear_torque_solves_its_equation(k: float) -> None:
    """Π after a step is Π before the last half kick and that kick with the rate after it: with J = 1, along an axis. The
    strong torque sets out 40 times as far from the solution: its slope has to be there from the first correction on."""
    body, half = ph.Gyrostat([1, 1, 1], torque=lambda t, R, w: (-k * w[0] * w[0] * w[0], 0.0, 0.0)), 0.005 * k
    run = ph.simulate(body.state(omega=[0.3, 0, 0]), step=0.01, steps=1, tangent=True)
    a, b = run.omega[:, 0]
    assert b + half * b**3 == pytest.approx(a - half * a**3, rel=1e-14)
    expected = (1.0 - 3.0 * half * a**2) / (1.0 + 3.0 * half * b**2)
    assert run.tangent[-1, 3, 3] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    "torque",
    [
        lambda t, R, w: (100.0 * w[0], 0.0, 0.0),  # past the pole of (1 + a)/(1 − a)
        lambda t, R, w: (-1.0 if w[0] > 0.0 else 1.0, 0.0, 0.0),  # jumps over its own solution
        lambda t, R, w: (math.sqrt(0.001 - w[0]), 0.0, 0.0),
    ],
    ids=["drives", "jumps", "ends"],
)
def test_no_rate_at_the_node_is_an_error(torque) -> None:
    body = ph.Gyrostat([1, 2, 3], torque=torque)
    with pytest.raises(ph.ConvergenceError) as caught:
        ph.simulate(body.state(omega=[0.0005, 0, 0]), step=0.1, steps=3)
    assert np.all(np.isfinite(caught.value.trajectory.Pi))


def fine(t, R, w):
    return -w[0], 0.0, 0.0


def plain(t, R, w):
    return math.sin(w[0]), 0.0, 0.0


@pytest.mark.parametrize("field", later(["torque", "rotor_torque", "moment"], lambda field: field != "torque"))
def test_a_function_that_has_no_tangent_is_named(field) -> None:
    body = {
        "torque": lambda: ph.Gyrostat([1, 2, 3], torque=plain),
        "rotor_torque": lambda: ph.Gyrostat([1, 2, 3], torque=fine, rotor_torque=plain),
        "moment": lambda: ph.AttitudeBody([1, 2, 3], moment=plain),
    }[field]()
    state = body.state(omega=[0.8, -0.6, 0.5])
    ph.simulate(state, step=0.1, steps=1)
    with pytest.raises(ph.InvalidInputError, match=r"dual numbers.*polhode\.scalars.*sin") as caught:
        ph.simulate(state, step=0.1, steps=1, tangent=True)
    assert caught.value.field == field
    assert len(str(caught.value)) < 500
