"""Bodies with one angle: golden states, closed forms, the reduction to the circle, equilibria."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

import polhode as ph
from polhode.systems.planar.base import turned

from ...shared import golden

TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


def test_a_turn_brings_back_to_the_circle() -> None:
    c, s = 1.00001 * np.cos(0.7), 1.00001 * np.sin(0.7)
    u, v = turned(c, s, 1.0 - np.cos(0.4), np.sin(0.4))
    assert (u, v) == pytest.approx((np.cos(1.1), np.sin(1.1)), abs=1e-9)


def golden_axis_pendulum() -> ph.AxisPendulum:
    given = golden("so3")["systems"]["planar_rigid_pendulum"]["params"]
    return ph.AxisPendulum(given["Jcm"], given["m"], given["rho0"], axis=np.array([1, 2, 2]) / 3, g=given["g"])


@pytest.mark.parametrize("method", [TIGHT, ph.Exact()], ids=repr)
def test_the_golden_swing_about_an_axis(method: ph.DOP853) -> None:
    case, body = golden("so3")["systems"]["planar_rigid_pendulum"], golden_axis_pendulum()
    assert pytest.approx(case["Ja"], abs=1e-15) == body.J
    state = body.state(R=case["t0"]["R"], omega=case["t0"]["w"])
    run = ph.simulate(state, step=1.0, t_end=10.0, method=method)
    for k, sample in ((1, case["t1"]), (10, case["t10"])):
        np.testing.assert_allclose(run.R[k], sample["R"], atol=1e-12)
        assert run.omega[k] == pytest.approx(sample["w"], abs=1e-12)
    np.testing.assert_allclose(run.invariants()["energy"], case["invariants"]["energy"], atol=1e-12)
    np.testing.assert_allclose(run.R @ body.axis, np.tile(body.axis, (11, 1)), atol=1e-15)


def test_the_reduction_to_the_circle() -> None:
    case, body = golden("so3")["systems"]["planar_rigid_pendulum"], golden_axis_pendulum()
    direction = case["t10"]["R"] @ np.array(body.rho0) / np.linalg.norm(body.rho0)
    assert np.array(case["basis_a1_a2"]) @ direction == pytest.approx(np.array(case["reduced_q_t10"]), abs=1e-12)
    state = body.state(R=case["t10"]["R"])
    np.testing.assert_allclose(state.reduced @ body.across, direction, atol=1e-12)
    a1, a2 = body.across
    np.testing.assert_allclose(np.cross(a1, a2), body.axis, atol=1e-15)
    # the reduced equation of motion, with q̇ = ω S q
    pull = body.mass * body.g * np.linalg.norm(body.rho0)
    q = state.reduced
    assert pull * (a2[2] * q[0] - a1[2] * q[1]) == pytest.approx(body.load @ (state.z * [1, -1]), abs=1e-12)


@pytest.mark.parametrize("form", ["hamiltonian", "lagrangian"])
def test_the_variational_maps(form: str) -> None:
    case, body = golden("so3")["lgvi"]["planar_rigid_pendulum"], golden_axis_pendulum()
    method = ph.LGVI(form=form)
    final = ph.simulate(body.state(R=case["R0"], p=case["p0"]), step=case["h"], steps=100, method=method).final
    np.testing.assert_allclose(final.R, case["R"], atol=1e-12)
    assert float(final.p) == pytest.approx(case["p"], abs=1e-12)

    case, given = golden("so3")["lgvi"]["so2_pendulum"], golden("so3")["systems"]["so2_pendulum"]
    p = given["params"]
    plane = ph.PlanarPendulum(p["J"], mass=p["m"], length=p["l"], g=p["g"])
    start = plane.state(theta=given["ic"]["theta0"], omega=given["ic"]["w0"])
    final = ph.simulate(start, step=case["h"], steps=100, method=method).final
    np.testing.assert_allclose(final.R, case["R"], atol=1e-12)
    assert float(final.p) == pytest.approx(case["p"], abs=1e-12)


@pytest.mark.parametrize("method", [TIGHT, ph.Exact()], ids=repr)
def test_the_golden_pendulum_in_a_plane(method: ph.DOP853) -> None:
    case = golden("so3")["systems"]["so2_pendulum"]
    given = case["params"]
    body = ph.PlanarPendulum(given["J"], mass=given["m"], length=given["l"], g=given["g"])
    state = body.state(R=case["t0"]["R"], omega=case["t0"]["w"])
    run = ph.simulate(state, step=1.0, t_end=10.0, method=method)
    for k, sample, tolerance in ((1, case["t1"], 1e-12), (10, case["t10"], 4e-12)):
        np.testing.assert_allclose(run.R[k], sample["R"], atol=tolerance)
        assert run.omega[k] == pytest.approx(sample["w"], abs=tolerance)
        assert run.theta[k] == pytest.approx(sample["theta_mod_2pi"], abs=tolerance)


@pytest.mark.parametrize(
    ("theta", "omega"), [(0.3, 0.1), (2.9, 0.0), (1.0, 9.0), (-1.0, -9.0), (0.0, 0.0), (0.4, -2.0)]
)
def test_the_closed_form_swings_and_turns(theta: float, omega: float) -> None:
    body = ph.PlanarPendulum(0.4, mass=1.2, length=0.5)
    state = body.state(theta=theta, omega=omega)
    exact, tight = (ph.simulate(state, step=0.7, steps=5, method=m) for m in (ph.Exact(), TIGHT))
    np.testing.assert_allclose(exact.z, tight.z, atol=2e-12)
    np.testing.assert_allclose(exact.p, tight.p, atol=4e-12)


def test_the_axis_pendulum_is_a_pendulum_held_by_its_axis() -> None:
    """The same body free to turn about the pivot, with the constraint moment, has the same acceleration."""
    body = golden_axis_pendulum()
    state = body.state(theta=0.7, omega=-1.2)
    J, a, omega = body.pivot_inertia, body.axis, float(state.omega)
    rate = body.load @ (state.z * [1, -1]) / body.J
    weight = body.mass * body.g * np.cross(body.rho0, state.R[2])
    full = J @ a * rate + omega**2 * np.cross(a, J @ a)
    np.testing.assert_allclose(full, weight + state.constraint_moment, atol=1e-13)


def test_equilibria_of_an_inclined_axis() -> None:
    body = golden_axis_pendulum()
    hanging, inverted = body.equilibria()
    stiffness = body.mass * body.g * np.linalg.norm(body.rho0) * np.sqrt(1 - body.axis[2] ** 2) / body.J
    np.testing.assert_allclose(ph.linearize(hanging).eigenvalues ** 2, -stiffness, atol=1e-10)
    np.testing.assert_allclose(ph.linearize(inverted).eigenvalues ** 2, stiffness, atol=1e-10)
    upright = ph.AxisPendulum([1, 1, 1], 1.0, [0.3, 0, 0], axis=[0, 0, 1])
    assert [e.label for e in upright.equilibria()] == ["any attitude"]


def test_the_planar_body_of_the_text() -> None:
    k1, k2 = 1.3, 0.9
    body = ph.PlanarBody(0.8, harmonics=[k1, k2])
    state = body.state(theta=0.7, omega=0.4)
    R = state.R
    U = k1 * (1 - 0.5 * np.trace(R)) + 0.5 * k2 * (1 - 0.5 * np.trace(R @ R))
    assert float(body.potential_energy(state.z)) == pytest.approx(U, abs=1e-15)
    h = 1e-3
    ahead, behind = (ph.simulate(state, step=s * h, steps=1, method=TIGHT).final for s in (1, -1))
    moment = -k1 * np.sin(0.7) - k2 * np.sin(1.4)
    assert (float(ahead.p) - float(behind.p)) / (2 * h) == pytest.approx(moment, abs=1e-6)
    assert ph.linearize(body.state()).eigenvalues.imag.max() == pytest.approx(np.sqrt((k1 + 2 * k2) / 0.8), abs=1e-10)


def test_a_free_planar_body_keeps_its_momentum() -> None:
    body = ph.PlanarBody(2.0)
    run = ph.simulate(body.state(omega=0.5), step=0.1, steps=1000)
    assert run.drift() == {"energy": 0.0, "momentum": 0.0}


@pytest.mark.parametrize("omega", [10.5, -12.0, 20.0])
def test_a_step_too_large_says_so(omega: float) -> None:
    """No angle has the sine hω where that is more than one."""
    body = ph.PlanarPendulum(0.4, mass=1.2, length=0.5)
    with pytest.raises(ph.ConvergenceError, match="largest usable step"):
        ph.simulate(body.state(omega=omega), step=0.1, steps=10)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"axis": [0, 0, 0]}, "axis"), ({"rho0": [1, 0, 0], "axis": [1, 0, 0]}, "rho0"), ({"mass": -1}, "mass")],
)
def test_bad_input_is_named(arguments: dict, field: str) -> None:
    given = {"inertia_cm": [1, 1, 1], "mass": 1.0, "rho0": [0.3, 0, 0], "axis": [0, 0, 1]} | arguments
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.AxisPendulum(**given)
    assert caught.value.field == field


def test_the_arm_is_across_the_axis_but_for_rounding() -> None:
    for slant, refused in ((0.7e-9, False), (1.4e-9, True)):
        given = {"inertia_cm": [1, 1, 1], "mass": 1.0, "rho0": [0.3, 0.0, 0.3 * slant], "axis": [0, 0, 1]}
        with pytest.raises(ph.InvalidInputError, match="rho0") if refused else nullcontext():
            ph.AxisPendulum(**given)


@pytest.mark.parametrize(
    ("cosines", "size"),
    [([1.0], 1.0), ([-1.0, 1.0, 1.0], 1e-20), ([0.3, 0.3, -0.2], 1.0), ([0.3] * 3 + [-0.2] * 2, 5.0)],
)
def test_multiple_angles_of_rest_are_found_once(cosines: list[float], size: float) -> None:
    """`Σ kₙ sin nθ = sin θ P(cos θ)` with any roots of P: 0 and π are always there."""
    from numpy.polynomial import chebyshev

    energy = chebyshev.chebint(size * chebyshev.poly2cheb(np.poly(cosines)[::-1]))
    body = ph.PlanarBody(1.0, harmonics=energy[1:] * np.arange(1, energy.size))
    inner = [np.arccos(c) for c in {*cosines} - {1.0, -1.0}]
    expected = sorted([0.0, np.pi, *inner, *(-a for a in inner)])
    np.testing.assert_allclose([float(e.theta) for e in body.equilibria()], expected, atol=1e-12)


@pytest.mark.parametrize("harmonics", [[1.0, -0.5], [-1.0, 0.5], [0.0, 0.0, 1e-9]])
def test_upright_and_hanging_are_always_angles_of_rest(harmonics: list[float]) -> None:
    angles = [float(e.theta) for e in ph.PlanarBody(1.0, harmonics).equilibria()]
    assert {0.0, np.pi} <= set(angles)
    assert len(angles) == (2 if len(harmonics) == 2 else 6)


def test_an_axis_that_is_read_again_keeps_its_bits() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        axis = rng.normal(size=3)
        body = ph.AxisPendulum([0.9, 1.3, 0.7], mass=1.0, rho0=np.cross(rng.normal(size=3), axis), axis=axis)
        again = ph.AxisPendulum(**body.describe())
        np.testing.assert_array_equal(again.parameters(), body.parameters())
        np.testing.assert_array_equal(again.axis, body.axis)
