"""The rigid body on SO(n): golden motions, agreement with the body on SO(3), left and right, what is conserved."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import DOP853, LGVI, FreeRigidBody, InvalidInputError, RigidBodySOn, SymmetricRigidBodySOn, son
from polhode.simulation.driver import simulate
from polhode.systems.son.integrals import manakov_labels
from tests.shared import golden

TIGHT = DOP853(rtol=3e-14, atol=1e-15)
LAMBDA = np.array([0.4, 0.55, 0.9])
SYMMETRIC = np.array([[0.5, 0.1, -0.1], [0.1, 0.7, 0.05], [-0.1, 0.05, 0.9]])


def random_state(body, seed=0, size=0.4):
    rng = np.random.default_rng(seed)
    return body.state(Q=son.random(rng, body.n), M=son.hat(size * rng.standard_normal(body.n * (body.n - 1) // 2)))


@pytest.mark.parametrize("n", ["3", "4"])
def test_golden_motion(n: str) -> None:
    case = golden("son")["cases"][n]
    end = case["continuous_t10"]
    body = RigidBodySOn(case["Lam"])
    state = body.state(M=case["M0"])
    found = simulate(state, step=10.0, steps=1, method=TIGHT).final
    assert np.abs(found.Q - end["Q"]).max() < 1e-12
    assert np.abs(found.M - end["M"]).max() < 1e-12
    assert abs(float(state.invariants()["energy"]) - case["energy"]) < 1e-15
    expected = [case["manakov"][f"{k},{j}"] for k, j in manakov_labels(body.n)]
    assert np.allclose(state.invariants()["manakov"], expected, rtol=1e-14)
    twin = SymmetricRigidBodySOn(case["Lam"])
    pair = twin.state(M=case["M0"])
    assert np.abs(pair.P - case["P0"]).max() < 1e-14
    found = simulate(pair, step=10.0, steps=1, method=TIGHT).final
    assert np.abs(found.Q - end["Q"]).max() < 1e-12
    assert np.abs(found.P - end["P"]).max() < 1e-12


@pytest.mark.parametrize("Lambda", [LAMBDA, SYMMETRIC], ids=["diagonal", "symmetric"])
def test_in_three_dimensions_it_is_the_free_rigid_body(Lambda: np.ndarray) -> None:
    """J = tr(Λ) 1 − Λ; the same trajectory, discrete and continuous, from code that shares nothing but the driver."""
    matrix = np.diag(Lambda) if Lambda.ndim == 1 else Lambda
    known, body = FreeRigidBody(np.trace(matrix) * np.eye(3) - matrix), RigidBodySOn(Lambda)
    omega, R = np.array([0.7, -0.6, 0.5]), son.exp(son.hat([0.3, 0.2, -0.4]))
    start, twin = known.state(R=R, omega=omega), body.state(Q=R, Omega=omega)
    for method in (LGVI(), LGVI(order=4), TIGHT):
        steps = 1000 if method is not TIGHT else 20
        step = 0.05 if method is not TIGHT else 1.0
        a = simulate(start, step=step, steps=steps, method=method)
        b = simulate(twin, step=step, steps=steps, method=method)
        assert np.abs(a.R - b.Q).max() < 1e-12, method
        assert np.abs(a.Pi - son.vee(b.M)).max() < 1e-12
        assert np.abs(a.omega - son.vee(b.Omega)).max() < 3e-12
    assert abs(float(start.invariants()["energy"]) - float(twin.invariants()["energy"])) < 1e-15
    assert np.allclose(start.invariants()["spatial_momentum"], son.vee(twin.m), rtol=0, atol=1e-15)
    assert np.allclose(known.largest_step(start), body.largest_step(twin), rtol=1e-9)


@pytest.mark.parametrize("kind", [RigidBodySOn, SymmetricRigidBodySOn])
@pytest.mark.parametrize("Lambda", [LAMBDA, SYMMETRIC], ids=["diagonal", "symmetric"])
def test_right_is_left_transposed(kind, Lambda: np.ndarray) -> None:
    left, right = kind(Lambda), kind(Lambda, side="right")
    a = random_state(left)
    b = right.state(Q=a.Q.T, M=a.M.T)
    for method in (LGVI(), TIGHT):
        x = simulate(a, step=0.1, steps=50, method=method)
        y = simulate(b, step=0.1, steps=50, method=method)
        for name in left.fields:
            there = np.swapaxes(getattr(y, name), -1, -2)
            assert np.abs(getattr(x, name) - there).max() < 1e-13, (name, method)
        assert y.drift()["spatial_momentum"] < 1e-12
        assert y.drift()["energy"] < 1e-12


@pytest.mark.parametrize("side", ["left", "right"])
def test_right_hand_sides_are_the_equations(side: str) -> None:
    """RBn, RightRBn, SRBn and RightSRBn, written down as in the paper."""
    from polhode.core.method import Start
    from polhode.methods.loops import RightHandSide

    def bracket(A, B):
        return A @ B - B @ A

    body, twin = RigidBodySOn(SYMMETRIC, side=side), SymmetricRigidBodySOn(SYMMETRIC, side=side)
    state = random_state(twin, 3)
    Q, P, M = state.Q, state.P, state.M
    Omega = body.weight.J_inverse(M)
    if side == "left":
        assert np.allclose(M, Q.T @ P - P.T @ Q)
        expected = Q @ Omega, bracket(M, Omega), P @ Omega
    else:
        assert np.allclose(M, P @ Q.T - Q @ P.T)
        expected = Omega @ Q, bracket(Omega, M), Omega @ P
    rhs = RightHandSide(Start.of(body.state(Q=Q, M=M), 0.0))
    found = rhs(0.0, np.concatenate([Q.reshape(-1), M.reshape(-1)]))
    assert np.allclose(found, np.concatenate([A.reshape(-1) for A in expected[:2]]), rtol=0, atol=1e-14)
    rhs = RightHandSide(Start.of(state, 0.0))
    found = rhs(0.0, np.concatenate([Q.reshape(-1), P.reshape(-1)]))
    assert np.allclose(found, np.concatenate([expected[0].reshape(-1), expected[2].reshape(-1)]), rtol=0, atol=1e-14)


@pytest.mark.parametrize("n", [2, 5, 6])
def test_the_continuous_motion_keeps_all_integrals(n: int) -> None:
    body = RigidBodySOn(np.linspace(0.5, 1.4, n))
    state = random_state(body, n)
    run = simulate(state, step=1.0, steps=20, method=DOP853(rtol=1e-12, atol=1e-14))
    for kept in run.conservation():
        assert kept.relative < 1e-11, kept
    assert len(run.invariants()["manakov"][0]) == len(manakov_labels(n))


def test_the_symmetric_motion_is_the_body_under_psi() -> None:
    body, twin = RigidBodySOn(LAMBDA), SymmetricRigidBodySOn(LAMBDA)
    pair = random_state(twin, 5)
    a = simulate(body.state(Q=pair.Q, M=pair.M), step=1.0, steps=10, method=TIGHT)
    b = simulate(pair, step=1.0, steps=10, method=TIGHT)
    assert np.abs(a.Q - b.Q).max() < 1e-12
    assert np.abs(a.M - b.M).max() < 1e-12


def test_states() -> None:
    body = RigidBodySOn([1, 2, 3, 4])
    assert np.array_equal(body.state().Q, np.eye(4))
    assert not body.state().M.any()
    numbers = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert np.array_equal(body.state(M=numbers).M, son.hat(numbers))
    assert np.allclose(body.state(Omega=numbers).Omega, son.hat(numbers), rtol=0, atol=1e-16)
    pair = SymmetricRigidBodySOn([1, 2, 3])
    assert np.array_equal(pair.state().P, np.eye(3))
    assert repr(body) == "RigidBodySOn(Lambda=[1.0, 2.0, 3.0, 4.0])"
    assert repr(RigidBodySOn(SYMMETRIC, "right")).endswith("side='right')")
    again = RigidBodySOn(**RigidBodySOn(SYMMETRIC, "right").describe())
    assert again.side == "right"
    assert np.array_equal(again.weight.matrix, SYMMETRIC)


def test_too_long_a_step_names_the_longest() -> None:
    body = RigidBodySOn([1.0, 1.5, 2.2])
    state = body.state(M=[0.0, 0.0, 5.0])
    assert abs(body.largest_step(state) - 0.5) < 1e-12
    for method in (ph.LGVI(), ph.MoserVeselov(algorithm=1)):
        with pytest.raises(
            ph.ConvergenceError, match=r"largest usable step from this state is (0\.5|0\.49999)"
        ) as caught:
            simulate(state, step=0.51, steps=10, method=method)
        named = float(str(caught.value).split("this state is ")[1].split(",")[0])
        simulate(state, step=named, steps=1, method=method)  # at a fold, rounding may leave a little less
    assert simulate(state, step=0.49, steps=10).drift()["energy"] < 1e-13


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: RigidBodySOn([1, 2, 3], side="up"), "left"),
        (lambda: RigidBodySOn([1, 2, 3]).state(M=np.eye(3)), "skew"),
        (lambda: RigidBodySOn([1, 2, 3]).state(M=[1, 2]), "shape"),
        (lambda: RigidBodySOn([1, 2, 3]).state(M=[1, 2, 3], Omega=[1, 2, 3]), "either"),
        (lambda: RigidBodySOn([1, 2, 3]).state(Q=2 * np.eye(3)), "rotation"),
        (lambda: RigidBodySOn([1, 2, 3]).state(Q=np.diag([1, 1, -1])), "reflection"),
        (lambda: SymmetricRigidBodySOn([1, 2, 3]).state(M=[0, 0, 2.5]), "below 2"),
        (lambda: SymmetricRigidBodySOn([1, 2, 3]).state(M=[0, 0, 1], P=np.eye(3)), "only one"),
    ],
)
def test_input_that_cannot_be(make, match: str) -> None:
    with pytest.raises(InvalidInputError, match=match):
        make()


def test_half_of_the_largest_step_is_usable_however_wide_the_spectrum() -> None:
    body = ph.RigidBodySOn([1.0, 3e3, 1e7])
    state = body.state(M=ph.son.hat([0.3, -0.8, 0.5]))
    run = ph.simulate(state, step=0.5 * body.largest_step(state), steps=3)
    momentum = np.einsum("tij,tjk,tlk->til", run.Q, run.M, run.Q)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-12)


def test_the_plane_of_a_steady_spin_does_not_drift() -> None:
    """Every step rounds alike there: a bias of 7·10⁻¹⁹ per step would reach 7·10⁻¹⁴, a random walk stays near 10⁻¹⁴."""
    rng, spins = np.random.default_rng(5), []
    for i in range(8):
        spin = ph.so3.hat(rng.uniform(0.5, 2.0) * np.eye(3)[2 * (i % 2)])
        spins.append(RigidBodySOn(np.sort(rng.uniform(1.0, 2.0, 3))).state(Q=son.random(rng, 3), Omega=spin))
    run = ph.ensemble(spins, step=0.05, steps=100_000, method=LGVI(), save="final")
    assert np.sqrt(np.mean(run.drift()["spatial_momentum"] ** 2)) < 3e-14
