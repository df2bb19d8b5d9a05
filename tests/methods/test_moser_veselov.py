"""Moser and Veselov's map: golden runs, agreement of its forms, long runs, and what a step costs."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode import (
    DOP853,
    LGVI,
    FreeRigidBody,
    InvalidInputError,
    MoserVeselov,
    RigidBodySOn,
    SymmetricMoserVeselov,
    SymmetricRigidBodySOn,
    son,
)
from polhode.analysis import symmetry_defect, symplectic_defect
from polhode.geometry.increments.preprocessing import preprocessed_inertia
from polhode.simulation.driver import simulate
from polhode.systems.son import maps as son_maps
from tests.shared import golden

LAMBDA6 = [0.7, 0.9, 1.2, 1.6, 1.9, 2.3]


def six() -> tuple[RigidBodySOn, ph.State]:
    M = son.hat(np.cos(np.arange(15.0)))
    body = RigidBodySOn(LAMBDA6)
    return body, body.state(M=1.5 * M / np.linalg.norm(M, 2))


@pytest.mark.parametrize("n", ["3", "4"])
@pytest.mark.parametrize("step", ["0.1", "1"])
def test_golden_runs(n: str, step: str) -> None:
    case = golden("son")["cases"][n]
    expected = case["runs"][step]
    body, twin = RigidBodySOn(case["Lam"]), SymmetricRigidBodySOn(case["Lam"])
    state, pair = body.state(M=case["M0"]), twin.state(M=case["M0"])
    for method in (MoserVeselov(1), MoserVeselov(2)):
        run = simulate(state, step=float(step), steps=100, method=method)
        assert np.abs(run.Q[1] - expected["Q1"]).max() < 1e-15
        assert np.abs(run.M[1] - expected["M1"]).max() < 2e-15
        assert np.abs(run.Q[-1] - expected["Q100"]).max() < 1e-12, method
        assert np.abs(run.M[-1] - expected["M100"]).max() < 1e-12, method
    run = simulate(pair, step=float(step), steps=100, method=SymmetricMoserVeselov())
    for name in "QMP":
        assert np.abs(getattr(run, name)[-1] - expected[f"{name}100"]).max() < 1e-12, name


def test_six_dimensions_in_extended_precision() -> None:
    """The same map by another algorithm, frozen Newton steps with the Cayley transform, in long doubles."""
    _, state = six()
    steps, h = 100, np.longdouble("0.1")
    L = np.array([np.longdouble(repr(x)) for x in LAMBDA6])
    sums, one = L[:, None] + L, np.eye(6, dtype=np.longdouble)
    Q, M = one, state.M.astype(np.longdouble)

    def cayley(Z):
        """(1 − Z/2)⁻¹(1 + Z/2) by its series: Z is small."""
        term, total = one, one
        for _ in range(40):
            term = term @ Z / 2
            total = total + 2 * term
        return total

    for _ in range(steps):
        U = cayley(h * M / sums)
        for _ in range(30):
            U = cayley((h * M - (U * L - L[:, None] * U.T)) / sums) @ U
        Q, M = Q @ U, U.T @ M @ U
    for method in (MoserVeselov(1), MoserVeselov(2), LGVI()):
        end = simulate(state, step=0.1, steps=steps, method=method).final
        assert np.abs(end.Q - Q).max() < 1e-12, method
        assert np.abs(end.M - M).max() < 1e-12, method


@pytest.mark.parametrize("fraction", [0.02, 0.7])
def test_the_forms_agree(fraction: float) -> None:
    """Algorithms 1 and 2, and the symmetric representation seen through Ψ, at small steps and at 0.7 of the largest."""
    body, state = six()
    h = fraction * body.largest_step(state)
    runs = [simulate(state, step=h, steps=100, method=MoserVeselov(a)) for a in (1, 2)]
    twin = SymmetricRigidBodySOn(LAMBDA6)
    pair = simulate(twin.state(M=state.M), step=h, steps=100, method=SymmetricMoserVeselov())
    assert np.abs(runs[0].Q - runs[1].Q).max() < 1e-11
    assert np.abs(runs[0].M - runs[1].M).max() < 1e-11
    assert np.abs(pair.Q - runs[1].Q).max() < 1e-11
    assert np.abs(pair.M - runs[1].M).max() < 1e-11
    assert np.abs(son_maps.costate(runs[1].Q, runs[1].M) - pair.P).max() < 1e-11


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("Lambda", [[0.4, 0.5, 0.7, 0.9], None], ids=["diagonal", "symmetric"])
def test_sides_and_axes(side: str, Lambda: list[float] | None) -> None:
    """Right-invariant bodies and symmetric Λ are the left-invariant diagonal one, transposed and seen from other axes."""
    values = np.array([0.4, 0.5, 0.7, 0.9])
    rng = np.random.default_rng(8)
    V = son.random(rng, 4) if Lambda is None else np.eye(4)
    Q, M = son.random(rng, 4), son.hat(0.2 * rng.standard_normal(6))
    matrix = V @ np.diag(values) @ V.T if Lambda is None else values
    flip = (lambda A: np.swapaxes(A, -1, -2)) if side == "right" else (lambda A: A)
    plain = RigidBodySOn(values)
    expected = simulate(plain.state(Q=Q @ V, M=V.T @ M @ V), step=0.2, steps=50, method=LGVI())
    body, twin = RigidBodySOn(matrix, side=side), SymmetricRigidBodySOn(matrix, side=side)
    state = body.state(Q=flip(Q), M=flip(M))
    runs = [simulate(state, step=0.2, steps=50, method=m) for m in (MoserVeselov(1), MoserVeselov(2), LGVI())]
    pair = twin.state(Q=flip(Q), M=flip(M))
    runs.append(simulate(pair, step=0.2, steps=50, method=SymmetricMoserVeselov()))
    for run in runs:
        assert np.abs(flip(run.Q) - expected.Q @ V.T).max() < 1e-12, run
        assert np.abs(flip(run.M) - V @ expected.M @ V.T).max() < 1e-12, run


def test_long_runs_keep_everything() -> None:
    """10⁵ steps: group and momentum to 1e-12; Manakov's integrals to 1e-11, and to 1e-12 over 10⁴."""
    state = RigidBodySOn.example()
    twin = SymmetricRigidBodySOn.example()
    for start, method in ((state, MoserVeselov(1)), (state, MoserVeselov(2)), (twin, SymmetricMoserVeselov())):
        run = simulate(start, step=0.1, steps=100_000, save_every=1000, method=method)
        identity = np.eye(start.system.n)
        assert np.abs(np.swapaxes(run.Q, -1, -2) @ run.Q - identity).max() <= 1e-12, method
        assert run.drift()["spatial_momentum"] <= 1e-12, method
        integrals = run.invariants()["manakov"]
        assert np.abs(integrals[:11] / integrals[0] - 1.0).max() <= 1e-12, method
        assert np.abs(integrals / integrals[0] - 1.0).max() <= 1e-11, method


def test_in_three_dimensions_the_clock_runs_at_a_constant_rate() -> None:
    """M_k is the continuous momentum at the time c k h, with one c; in four dimensions it is not."""
    case = golden("son")["cases"]["3"]
    body = RigidBodySOn(case["Lam"])
    state = body.state(M=case["M0"])
    run = simulate(state, step=0.1, steps=100, method=MoserVeselov())
    rate = 1.000738
    late = simulate(state, step=rate * 10.0, steps=1, method=DOP853(1e-13, 1e-15)).final
    velocity = late.M @ late.Omega - late.Omega @ late.M
    rate += float(np.sum((run.M[-1] - late.M) * velocity) / np.sum(velocity * velocity)) / 10.0
    assert abs(rate - 1.000738) < 1e-6
    exact = simulate(state, step=rate * 0.1, steps=100, method=DOP853(1e-13, 1e-15))
    assert np.abs(exact.M - run.M).max() < 1e-11


def test_a_run_can_go_on_from_its_end() -> None:
    state = RigidBodySOn.example()
    for method in (MoserVeselov(2), MoserVeselov(1)):
        whole = simulate(state, step=0.1, steps=40, method=method)
        half = simulate(state, step=0.1, steps=20, method=method)
        rest = simulate(half.final, step=0.1, steps=20, method=method)
        assert np.abs(rest.Q[-1] - whole.Q[-1]).max() <= (0.0 if method.algorithm == 2 else 1e-13)


@pytest.mark.parametrize("method", [MoserVeselov(), SymmetricMoserVeselov()], ids=repr)
def test_all_there_is_to_promise_is_promised(method: ph.Method) -> None:
    assert all(method.traits().values())


def test_which_methods_fit() -> None:
    assert SymmetricMoserVeselov().why_not(RigidBodySOn([1, 2, 3])) is not None
    assert MoserVeselov().why_not(SymmetricRigidBodySOn([1, 2, 3])) is not None
    with pytest.raises(ph.IncompatibleMethodError, match="is for free bodies"):
        simulate(ph.Pendulum3D.example(), step=0.1, steps=1, method=MoserVeselov())
    with pytest.raises(ph.IncompatibleMethodError, match="order 10 exists for n = 3 only"):
        simulate(RigidBodySOn.example(), step=0.1, steps=1, method=MoserVeselov(order=10))
    with pytest.raises(InvalidInputError, match="one of 1, 2"):
        MoserVeselov(algorithm=3)
    with pytest.raises(InvalidInputError, match="one of 2, 4, 6, 8, 10"):
        MoserVeselov(order=12)
    with pytest.raises(InvalidInputError, match="2 with algorithm 1"):
        MoserVeselov(algorithm=1, order=4)


@pytest.mark.parametrize("order", [4, 6, 8])
def test_in_more_dimensions_compositions_raise_the_order_and_conserve_as_much(order: int) -> None:
    """Against a tight run of the continuous equations; energy and all of Manakov's integrals to rounding at any step."""
    body = RigidBodySOn([0.7, 1.1, 1.6, 2.3])
    state = body.state(M=[0.5, -0.8, 0.4, 0.6, -0.3, 0.7])
    end = simulate(state, step=1.6, steps=1, method=ph.DOP853(3e-14, 1e-15)).final
    errors = []
    for steps in (4, 8):
        run = simulate(state, step=1.6 / steps, steps=steps, method=MoserVeselov(order=order))
        errors.append(max(np.abs(run.Q[-1] - end.Q).max(), np.abs(run.M[-1] - end.M).max()))
        sizes = {name: np.abs(value).max() for name, value in state.invariants().items()}
        assert all(value < 1e-13 * max(1.0, sizes[name]) for name, value in run.drift().items())
    assert order - 0.9 < np.log2(errors[0] / errors[1]) < order + 0.9
    assert errors[1] < 1e-3


WEIGHT3 = np.array([[0.8, 0.1, -0.05], [0.1, 1.1, 0.2], [-0.05, 0.2, 1.6]])


@pytest.mark.parametrize("order", [2, 4, 6, 8, 10])
def test_preprocessing_raises_the_order_and_conserves_as_much(order: int) -> None:
    """Attitude and momentum against the closed form, at steps so coarse that double precision shows the order."""
    body = FreeRigidBody(np.trace(WEIGHT3) * np.eye(3) - WEIGHT3)
    state = body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.9, -0.7, 0.6])
    exact = body.exact(state, 2.0)
    method, errors = MoserVeselov(order=order), []
    for n in (6, 12):
        end = simulate(state, step=2.0 / n, steps=n, method=method).final
        errors.append([np.linalg.norm(end.R - exact["R"]), np.linalg.norm(end.Pi - exact["Pi"])])
    np.testing.assert_allclose(np.log2(np.divide(*errors)), order, atol=0.25)
    run = simulate(state, step=0.4, steps=2000, save_every=100, method=method)
    assert max(row.relative for row in run.conservation()) < 1e-13


def test_preprocessing_is_symmetric_and_symplectic_up_to_the_order() -> None:
    """Above order 2 the map is symplectic on the spheres of the momentum, and in the attitude up to the order."""
    state = FreeRigidBody([1.0, 2.0, 2.5]).state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.9, -0.7, 0.6])
    for order in (2, 4):
        method = MoserVeselov(order=order)
        assert symmetry_defect(state, method, 0.3, steps=10) < 1e-14
        defect = [symplectic_defect(state, method, h) for h in (0.2, 0.1)]
        assert method.symplectic == (order == 2) == (defect[0] < 1e-13)
    assert np.log2(defect[0] / defect[1]) == pytest.approx(5.0, abs=0.2)


@pytest.mark.parametrize("side", ["left", "right"])
def test_preprocessing_in_matrices_is_that_in_vectors(side: str) -> None:
    body = FreeRigidBody(np.trace(WEIGHT3) * np.eye(3) - WEIGHT3)
    state = body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.9, -0.7, 0.6])
    Q, M = state.R, ph.so3.hat(state.Pi)
    twin = RigidBodySOn(WEIGHT3, side=side).state(**({"Q": Q, "M": M} if side == "left" else {"Q": Q.T, "M": M.T}))
    for order in (4, 10):
        one, two = (simulate(s, step=0.3, steps=50, method=MoserVeselov(order=order)) for s in (state, twin))
        turned = two.Q if side == "left" else np.swapaxes(two.Q, -1, -2)
        np.testing.assert_allclose(one.R, turned, atol=1e-13)
        assert max(row.relative for row in two.conservation()) < 1e-13
    plain = RigidBodySOn([0.7, 1.1, 1.6], side=side).state(M=ph.so3.hat([0.3, -0.5, 0.4]))
    fine = simulate(plain, step=0.05, steps=40, method=LGVI(order=8)).final
    coarse = simulate(plain, step=0.25, steps=8, method=MoserVeselov(order=8)).final
    np.testing.assert_allclose(coarse.Q, fine.Q, atol=1e-10)


def test_order_ten_in_multiprecision() -> None:
    """The inertia from the same kernel in 40 digits; solutions at three steps, each compared with the next."""
    J = [mpmath.mpf(1), mpmath.mpf(2), mpmath.mpf("2.5")]
    e = (1 / J[0], 1 / J[1], 1 / J[2], mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0))

    def increment(J: list[Any], g: Any) -> Any:
        """F from its Cayley parameter, by Newton's method."""
        c, S = mpmath.matrix([g[i] / (2 * J[i]) for i in range(3)]), hat(g)
        for _ in range(8):
            s = mpmath.fdot(g, c)
            slope = S + s * mpmath.eye(3) + c * g.T - 2 * mpmath.diag(J)
            c -= mpmath.lu_solve(slope, g + S * c + s * c - 2 * mpmath.diag(J) * c)
        C = hat(c)
        return mpmath.eye(3) + 2 / (1 + mpmath.fdot(c, c)) * (C + C * C)

    def end(steps: int) -> Any:
        h, Pi, R = mpmath.mpf(1) / steps, mpmath.matrix(["0.7", "-1.2", "1.1"]), mpmath.eye(3)
        for _ in range(steps):
            inertia, _ = preprocessed_inertia(10, e, tuple(h * Pi))
            F = increment(list(inertia[:3]), h * Pi)
            R, Pi = R * F, F.T * Pi
        return R

    with mpmath.workdps(40):
        a, b, c = (end(steps) for steps in (8, 16, 32))
        assert float(mpmath.log(mpmath.norm(a - b) / mpmath.norm(b - c), 2)) == pytest.approx(10.0, abs=0.05)


def hat(x: Any) -> Any:
    return mpmath.matrix([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
