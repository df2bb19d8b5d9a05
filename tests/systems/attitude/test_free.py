"""The free rigid body: reference numbers, exact conservation, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

from ...shared import golden

BODY = ph.FreeRigidBody(inertia=[1, 2, 3])
STATE = BODY.state(omega=[np.pi / 4, -np.pi / 5, np.pi / 6])
VARIATIONAL = [ph.LGVI(), ph.LGVI(form="lagrangian"), ph.QuaternionVI()]


@pytest.mark.parametrize("method", VARIATIONAL, ids=repr)
def test_forty_digit_reference_of_the_variational_map(method: ph.LGVI) -> None:
    expected = golden("quaternion")["free"]["vi"]
    run = ph.simulate(STATE, step=0.2, steps=1000, method=method)
    for k, tolerance in ((1, 1e-15), (10, 1e-14), (100, 1e-12), (1000, 1e-11)):
        q, p = np.array(expected[str(k)]["q"]), expected[str(k)]["p"]
        assert float(ph.quaternion.distance(run.q[k], q)) < tolerance
        np.testing.assert_allclose(run.Pi[k], p, atol=tolerance)


def test_the_other_golden_case() -> None:
    reference = golden("so3")["lgvi"]["free_asymmetric"]
    state = BODY.state(R=reference["R0"], Pi=reference["Pi0"])
    for method in VARIATIONAL:
        final = ph.simulate(state, step=reference["h"], steps=reference["steps"], method=method).final
        np.testing.assert_allclose(final.R, reference["R"], atol=1e-12)
        np.testing.assert_allclose(final.Pi, reference["Pi"], atol=1e-12)


@pytest.mark.parametrize("along_axes", [True, False])
@pytest.mark.parametrize("method", [ph.LGVI(), ph.QuaternionVI()], ids=repr)
def test_the_axis_of_a_steady_spin_does_not_drift(method: ph.LGVI, along_axes: bool) -> None:
    """Every step rounds alike there: a bias of 10⁻¹⁸ per step would reach 3·10⁻¹³, a random walk stays near 10⁻¹⁴."""
    rng, spins = np.random.default_rng(5), []
    for i in range(16):
        axes = np.eye(3) if along_axes else ph.so3.random(rng)
        body = ph.FreeRigidBody(axes @ np.diag(np.sort(rng.uniform(1.0, 2.0, 3))) @ axes.T)
        spins.append(body.state(R=ph.so3.random(rng), omega=rng.uniform(0.5, 2.0) * axes[:, 2 * (i % 2)]))
    run = ph.ensemble(spins, step=0.05, steps=300_000, method=method, save="final")
    before = np.array([s.R @ s.Pi for s in spins])
    drift = np.linalg.norm([s.R @ s.Pi for s in run.final] - before, axis=-1) / np.linalg.norm(before, axis=-1)
    assert np.sqrt(np.mean(drift**2)) < 1e-13


@pytest.mark.parametrize("method", [ph.DOP853(rtol=1e-13, atol=1e-15), ph.Exact()], ids=repr)
def test_the_continuous_flow(method: ph.DOP853) -> None:
    case = golden("so3")["systems"]["free_asymmetric"]
    run = ph.simulate(BODY.state(R=case["t0"]["R"], omega=case["t0"]["w"]), step=1.0, t_end=10.0, method=method)
    for k, sample in ((1, case["t1"]), (10, case["t10"])):
        np.testing.assert_allclose(run.R[k], sample["R"], atol=1e-12)
        np.testing.assert_allclose(run.omega[k], sample["w"], atol=1e-12)


def test_exact_against_extended_precision() -> None:
    reference = golden("so3")["elliptic"]
    run = ph.simulate(STATE, step=10.0, t_end=1000.0, method=ph.Exact())
    for k, tolerance, sample in ((1, 1e-12, reference["t10"]), (100, 1e-11, reference["t1000"])):
        np.testing.assert_allclose(run.R[k], sample["R"], atol=tolerance)
        np.testing.assert_allclose(run.omega[k], sample["w"], atol=tolerance)


@pytest.mark.parametrize("method", VARIATIONAL, ids=repr)
@pytest.mark.parametrize("h", [0.2, 0.05])
def test_a_million_steps_keep_everything(method: ph.LGVI, h: float) -> None:
    """Energy is exact at every step size: a ripple of order h² would mean a wrong map."""
    run = ph.simulate(STATE, step=h, steps=10**6, save_every=10**4, method=method)
    for kept in run.conservation():
        assert kept.relative < 1e-12, kept
    off = np.linalg.norm(np.swapaxes(run.R, 1, 2) @ run.R - np.eye(3), axis=(1, 2))
    assert off.max() < 1e-14
    early, late = off[1:51].mean(), off[51:].mean()
    assert late < 2 * early + 1e-16, "orthogonality must not be lost with the number of steps"


def test_the_polhode_is_the_true_one_with_another_clock() -> None:
    """p_k = p_exact(k h_eff) with one constant h_eff (1.011962737690 h here)."""
    run = ph.simulate(STATE, step=0.2, steps=100)
    clock = ph.simulate(STATE, step=0.2 * 1.011962737690, steps=100, method=ph.Exact())
    np.testing.assert_allclose(run.Pi, clock.Pi, atol=1e-9)


def test_forms_agree_on_the_same_motion() -> None:
    runs = [ph.simulate(STATE, step=0.2, steps=100, method=m).final for m in VARIATIONAL]
    for other in runs[1:]:
        np.testing.assert_allclose(other.R, runs[0].R, atol=1e-12)
        np.testing.assert_allclose(other.Pi, runs[0].Pi, atol=1e-12)


def test_a_pair_of_attitudes_is_a_state() -> None:
    run = ph.simulate(STATE, step=0.2, steps=1)
    again = BODY.state_from_pair(run.R[0], run.R[1], 0.2)
    np.testing.assert_allclose(again.Pi, STATE.Pi, atol=1e-14)


@pytest.mark.parametrize(
    ("inertia", "why"),
    [
        ([1, 2], "shape"),
        ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "symmetric"),
        ([1, 2, -3], "positive definite"),
        ([0, 0, 0], "positive definite"),
        ([1, 1, 3], "sum of the other two"),
        ([1, 2, float("nan")], "finite"),
        ("heavy", "three principal moments"),
        (None, "three principal moments"),
    ],
)
def test_bad_inertia_is_refused(inertia: object, why: str) -> None:
    with pytest.raises(ph.InvalidInputError, match=why) as caught:
        ph.FreeRigidBody(inertia=inertia)  # type: ignore[arg-type]
    assert caught.value.field == "inertia"


def test_equilibria() -> None:
    """At rest, and about each principal axis at rate 1."""
    rates = [equilibrium.omega for equilibrium in ph.FreeRigidBody([1, 2, 3]).equilibria()]
    np.testing.assert_array_equal(rates, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_an_unphysical_body_needs_a_flag() -> None:
    body = ph.FreeRigidBody(inertia=[1, 1, 3], allow_unphysical=True)
    state = body.state(omega=[0.3, 0.2, 0.4])
    assert ph.simulate(state, step=0.1, steps=1000).drift()["energy"] < 1e-14


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"R": np.diag([1.0, 1.0, -1.0])}, "R"),
        ({"R": 2 * np.eye(3)}, "R"),
        ({"R": np.eye(2)}, "R"),
        ({"q": [0, 0, 0, 0]}, "q"),
        ({"q": [0, 0, 1]}, "q"),
        ({"q": [0, 0, 0, float("nan")]}, "q"),
        ({"omega": [1, 2]}, "omega"),
        ({"omega": [1, 2, float("inf")]}, "omega"),
        ({"Pi": "fast"}, "Pi"),
        ({"omega": [1, 2, 3], "Pi": [1, 2, 3]}, "Pi"),
        ({"R": np.eye(3), "q": [0, 0, 0, 1]}, "q"),
        ({"t": float("nan")}, "t"),
    ],
)
def test_bad_states_are_refused(values: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        BODY.state(**values)
    assert caught.value.field == field


def test_a_rotation_off_by_rounding_is_brought_back() -> None:
    R = ph.so3.exp([0.3, -0.2, 0.5])
    state = BODY.state(R=R * (1 + 1e-9))
    np.testing.assert_allclose(state.R.T @ state.R, np.eye(3), atol=1e-15)
    np.testing.assert_array_equal(BODY.state(R=R).R, R)
