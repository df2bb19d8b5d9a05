"""Lagrange's top in closed form against tight adaptive runs, over all that is special about it."""

import numpy as np
import pytest

import polhode as ph

BODY = ph.Pendulum3D([0.5, 0.5, 0.3], mass=1.0, rho0=[0.0, 0.0, 0.4], g=2.0)
OTHER_AXIS = ph.Pendulum3D([0.3, 0.5, 0.5], mass=1.0, rho0=[-0.4, 0.0, 0.0], g=2.0)
UPWARD = ph.Pendulum3D([0.5, 0.5, 0.3], mass=1.0, rho0=[0.0, 0.0, 0.4], g=-2.0)
TILTED = [0.5, 0.0, 0.0, np.sqrt(0.75)]
STANDING = [1.0, 0.0, 0.0, 0.0]
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)

STATES = {
    "hanging at rest": BODY.state(),
    "hanging, spinning": BODY.state(omega=[0.0, 0.0, 2.0]),
    "hanging, spinning the other way": BODY.state(omega=[0.0, 0.0, -9.0]),
    "hanging, kicked and spinning": BODY.state(omega=[1.0, 0.3, 2.0]),
    "standing, kicked and spinning": BODY.state(q=STANDING, omega=[1.0, 0.3, 2.0]),
    "asleep": BODY.state(q=STANDING, omega=[0.0, 0.0, 9.0]),
    "asleep, spinning the other way": BODY.state(q=STANDING, omega=[0.0, 0.0, -9.0]),
    "asleep, unstable": BODY.state(q=STANDING, omega=[0.0, 0.0, 0.5]),
    "asleep but for a little": BODY.state(q=STANDING, omega=[1e-6, 0.0, 0.5]),
    "released from a cusp": BODY.state(q=[0.6, 0.0, 0.0, 0.8], omega=[0.0, 0.0, 3.0]),
    "no spin, in a plane": BODY.state(q=TILTED),
    "no spin, over the top": BODY.state(omega=[4.0, 0.0, 0.0]),
    "no spin, in space": BODY.state(q=TILTED, omega=[0.4, 0.7, 0.0]),
    "another axis": OTHER_AXIS.state(q=TILTED, omega=[1.0, 2.0, -0.4]),
    "gravity upward": UPWARD.state(q=TILTED, omega=[0.3, 0.2, 1.0]),
}


def difference(state, values, row, truth):
    size = max(np.linalg.norm(truth.Pi), 1.0)
    return max(np.abs(values["R"][row] - truth.R).max(), np.abs(values["Pi"][row] - truth.Pi).max() / size)


@pytest.mark.parametrize("name", STATES)
def test_special_motions(name):
    state = STATES[name]
    found = state.system.exact(state, [0.0, 5.0, -3.0])
    assert difference(state, found, 0, state) < 1e-14
    for row, t in ((1, 5.0), (2, -3.0)):
        truth = ph.simulate(state, step=t, steps=1, method=TIGHT).final
        assert difference(state, found, row, truth) < 1e-10


def test_random_motions():
    rng = np.random.default_rng(5)
    for _ in range(6):
        q, omega = rng.normal(size=4), 1.5 * rng.normal(size=3)
        state = BODY.state(q=q / np.linalg.norm(q), omega=omega)
        truth = ph.simulate(state, step=6.0, steps=1, method=TIGHT).final
        assert difference(state, BODY.exact(state, [6.0]), 0, truth) < 1e-11


def test_steady_precession():
    """`Ω² I₁ cos θ − Ω I₃ ω₃ + W = 0` for the slow precession about the vertical, with the axis below it."""
    z, spin, W = 0.6, 4.0, 0.8
    across, along = BODY.inertia.matrix[0, 0], BODY.inertia.matrix[2, 2]
    # torque of the weight on the axis: −W sin θ; it precesses steadily at the roots of I₁ z Ω² − I₃ω₃ Ω − W = 0
    rate = (along * spin - np.sqrt((along * spin) ** 2 + 4 * across * z * W)) / (2 * across * z)
    angle = np.arccos(z)
    R = np.array([[1, 0, 0], [0, z, -np.sin(angle)], [0, np.sin(angle), z]])
    omega = rate * R[2] + [0.0, 0.0, spin - rate * z]
    found = BODY.exact(BODY.state(R=R, omega=omega), [0.0, 3.0, 100.0])
    np.testing.assert_allclose(found["R"][:, 2, 2], z, rtol=0, atol=1e-13)
    direction = np.exp(1j * rate * np.array([0.0, 3.0, 100.0])) * (R[0, 2] + 1j * R[1, 2])
    np.testing.assert_allclose(found["R"][:, 0, 2] + 1j * found["R"][:, 1, 2], direction, rtol=0, atol=1e-12)


def test_far_away_from_the_start():
    """At t = 1e4: the same from a time in between, and what is conserved."""
    state = BODY.state(q=[0.6, 0.0, 0.0, 0.8], omega=[0.2, 0.1, 3.0])
    far = BODY.exact(state, [1e4])
    middle = BODY.exact(state, [3456.789])
    on = BODY.exact(ph.State(BODY, {"R": middle["R"][0], "Pi": middle["Pi"][0]}, t=3456.789), [1e4])
    assert np.abs(far["R"] - on["R"]).max() < 5e-11
    first, last = state.invariants(), BODY.invariants(far)
    for name in first:
        assert abs(last[name][0] - first[name]) < 1e-13


def test_only_tops_have_one():
    assert BODY.has_exact
    assert not ph.Pendulum3D([0.5, 0.6, 0.3], mass=1.0, rho0=[0.0, 0.0, 0.4]).has_exact
    assert not ph.Pendulum3D([0.5, 0.5, 0.3], mass=1.0, rho0=[0.0, 0.1, 0.4]).has_exact
    assert not ph.Pendulum3D([0.5, 0.5, 0.3], mass=1.0, rho0=[0.0, 0.0, 0.4], damping=0.1).has_exact
    lopsided = ph.Pendulum3D([0.5, 0.6, 0.3], mass=1.0, rho0=[0.0, 0.0, 0.4])
    with pytest.raises(ph.PolhodeError, match="no closed form"):
        lopsided.exact(lopsided.state(), [1.0])


def test_without_gravity_it_is_free():
    top = ph.Pendulum3D([0.5, 0.5, 0.3], mass=1.0, rho0=[0.0, 0.0, 0.4], g=0.0)
    body = ph.FreeRigidBody(top.inertia.matrix)
    found, truth = (s.exact(s.state(omega=[0.5, 0.3, 2.0]), [7.0]) for s in (top, body))
    assert np.array_equal(found["R"], truth["R"])
