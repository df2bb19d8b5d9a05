"""Any Lagrangian and any Hamiltonian: against the quadratic body that was written by hand, against each other, and against
what their symmetries promise."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, symmetry_defect, symplectic_defect, tangent_map
from polhode.estimation import Stepped
from polhode.geometry.vectors import full
from polhode.scalars import kernel, lanes, sqrt, where
from polhode.systems import GeneralBody
from tests.tiers import later

J = np.array([1.0, 2.0, 2.5])
POTENTIAL = "0.6*R33**2 - 0.8*R13 + 0.3*R21*R32"
QUADRATIC = "0.5*(1.0*omega1**2 + 2.0*omega2**2 + 2.5*omega3**2)"
VALUES = {"q": [0.1, -0.2, 0.3, 0.9], "omega": [-0.2, 0.4, -0.3]}
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


@kernel
def kinked(R, omega):  # type: ignore[no-untyped-def]
    """The quadratic body, written with a choice: it has no formula."""
    T = 0.5 * (omega[0] * omega[0] + 2.0 * omega[1] * omega[1] + 2.5 * omega[2] * omega[2])
    U = 0.6 * R[8] * R[8] - 0.8 * R[2] + 0.3 * R[3] * R[7]
    return where(T > -1.0, T - U, 0.0)


def on_arrays(R: np.ndarray, omega: np.ndarray) -> object:
    return 0.5 * omega @ (J * omega) - (0.6 * R[2, 2] ** 2 - 0.8 * R[0, 2] + 0.3 * R[1, 0] * R[2, 1])


def branching(R: np.ndarray, omega: np.ndarray) -> object:
    return on_arrays(R, omega) if omega @ omega >= 0.0 else 0.0


@pytest.fixture(scope="module")
def quadratic() -> ph.State:
    return ph.AttitudeBody(J, potential=POTENTIAL).state(**VALUES)


GIVEN = {
    "formula": {"lagrangian": f"{QUADRATIC} - ({POTENTIAL})"},
    "Hamiltonian": {"hamiltonian": f"0.5*(Pi1**2 + Pi2**2/2 + Pi3**2/2.5) + {POTENTIAL}"},
    "kernel": {"lagrangian": kinked},
    "arrays": {"lagrangian": on_arrays},
}


@pytest.mark.parametrize("given", later(GIVEN, lambda name: name in ("Hamiltonian", "kernel")))
def test_quadratic_energies_are_the_body_written_by_hand(quadratic: ph.State, given: str) -> None:
    """The same discrete Lagrangian, so the same step to rounding; and the same equations of motion."""
    state = GeneralBody(**GIVEN[given]).state(**VALUES)
    np.testing.assert_allclose(state.Pi, quadratic.Pi, atol=1e-13)
    np.testing.assert_allclose(state.omega, VALUES["omega"], atol=1e-13)
    one, two = (ph.simulate(x, step=0.05, steps=40, method=ph.LGVI()).final for x in (state, quadratic))
    np.testing.assert_allclose(one.R, two.R, atol=2e-13)
    np.testing.assert_allclose(one.Pi, two.Pi, atol=2e-13)
    assert float(one.invariants()["energy"]) == pytest.approx(float(two.invariants()["energy"]), abs=1e-12)
    maps = [tangent_map(x, ph.LGVI(), 0.05, 2) for x in (state, quadratic)]
    np.testing.assert_allclose(maps[0], maps[1], atol=1e-10)
    exact = [ph.simulate(x, step=1.0, steps=1, method=TIGHT).final for x in (state, quadratic)]
    np.testing.assert_allclose(exact[0].R, exact[1].R, atol=1e-12)


@pytest.mark.verify
def test_a_python_function_that_branches(quadratic: ph.State) -> None:
    with pytest.warns(UserWarning, match="no formula"):
        state = GeneralBody(lagrangian=branching).state(**VALUES)
    one, two = (ph.simulate(x, step=0.05, steps=2, method=ph.LGVI()).final for x in (state, quadratic))
    np.testing.assert_allclose(one.R, two.R, atol=1e-11)
    assert float(state.invariants()["energy"]) == pytest.approx(float(quadratic.invariants()["energy"]), abs=1e-11)


@pytest.mark.verify
def test_lagrangian_and_hamiltonian_are_each_others_transform() -> None:
    """L = 1 − √(1 − ω·ω) and H = √(1 + Π·Π) − 1, a body whose rate has a limit: the same motion, and the same discrete one."""
    U = "0.3*R33 + 0.2*R12"
    slow = GeneralBody(lagrangian=f"1 - sqrt(1 - omega1**2 - omega2**2 - omega3**2) - ({U})")
    same = GeneralBody(hamiltonian=f"sqrt(1 + Pi1**2 + Pi2**2 + Pi3**2) - 1 + {U}")
    start = slow.state(q=VALUES["q"], omega=[0.5, -0.4, 0.6])
    other = same.state(q=VALUES["q"], Pi=start.Pi)
    np.testing.assert_allclose(other.omega, start.omega, rtol=1e-14)
    np.testing.assert_allclose(start.Pi, start.omega / np.sqrt(1 - start.omega @ start.omega), rtol=1e-14)
    assert float(start.invariants()["energy"]) == pytest.approx(float(other.invariants()["energy"]), rel=1e-14)
    runs = [ph.simulate(x, step=0.05, steps=40, method=ph.LGVI()) for x in (start, other)]
    np.testing.assert_allclose(runs[0].R, runs[1].R, atol=1e-13)
    np.testing.assert_allclose(runs[0].Pi, runs[1].Pi, atol=1e-13)
    assert symplectic_defect(other, ph.LGVI(), 0.1) < 1e-13
    assert symmetry_defect(other, ph.LGVI(), 0.1) < 1e-13


def test_the_discrete_euler_lagrange_equations() -> None:
    """A step satisfies D₂L_d(R₀, R₁) + D₁L_d(R₁, R₂) = 0, with L_d written down once more and derived by differences."""
    state = GeneralBody.example()
    L, h = state.system.function, 0.1
    R = ph.simulate(state, step=h, steps=2, method=ph.LGVI()).R

    def discrete(A: np.ndarray, B: np.ndarray) -> float:
        w = 2.0 / h * ph.quaternion.from_matrix(A.T @ B)[:3]
        return float(0.5 * h * (L(A, w) + L(B, w)))

    e, off = 1e-5, []
    for axis in np.eye(3):
        turned = [R[1] @ ph.so3.exp(sign * e * axis) for sign in (1, -1)]
        actions = [discrete(R[0], Q) + discrete(Q, R[2]) for Q in turned]
        off.append((actions[0] - actions[1]) / (2 * e))
    np.testing.assert_allclose(off, 0.0, atol=1e-9)


def test_six_entries_of_a_symmetric_matrix() -> None:
    assert full((1, 2, 3, 4, 5, 6)) == (1, 6, 5, 6, 2, 4, 5, 4, 3)


def test_a_body_at_rest_where_nothing_acts_on_it_stays() -> None:
    """All terms of the equation of a step are zero there."""
    R = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    found = ph.simulate(GeneralBody(**GIVEN["formula"]).state(R=R), step=0.05, steps=2, method=ph.LGVI())
    np.testing.assert_array_equal(found.R, np.broadcast_to(R, (3, 3, 3)))
    np.testing.assert_array_equal(found.Pi, np.zeros((3, 3)))


def test_newtons_method_ends_at_rounding() -> None:
    """As it does with the exact derivative: with one that is a little off, the last correction leaves some 1e-13."""
    assert ph.simulate(GeneralBody.example(), step=0.4, steps=4, method=ph.LGVI()).stats.worst_residual < 5e-15


def test_order_and_pairs() -> None:
    state = GeneralBody.example()
    assert measured_order(state, ph.LGVI(order=4), 2.0).orders == pytest.approx(4.0, abs=0.2)
    step = ph.simulate(state, step=0.1, steps=1, method=ph.LGVI()).final
    again = state.system.state_from_pair(state.R, step.R, 0.1)
    np.testing.assert_allclose(again.Pi, state.Pi, atol=1e-13)


@pytest.mark.verify
def test_momenta_are_named_by_their_symmetries() -> None:
    free = GeneralBody(lagrangian=f"{QUADRATIC} + 0.1*omega1**4")
    assert list(free.conserved) == ["energy", "spatial_momentum"]
    without = GeneralBody(lagrangian=f"{QUADRATIC} - R31*R22")
    assert list(without.conserved) == ["energy"]
    about = GeneralBody(lagrangian=f"{QUADRATIC} - 0.6*R11 - 0.8*R31")
    np.testing.assert_allclose(about.axes[0], [[0.6, 0.0, 0.8]], atol=1e-12)
    top = GeneralBody(hamiltonian="0.5*(Pi1**2 + Pi2**2) + 0.1*(Pi1**2 + Pi2**2)**2 + 0.2*Pi3**2 + R33")
    assert list(top.conserved) == ["energy", "momentum_along_axis", "axial_momentum"]
    np.testing.assert_allclose(top.axes[1], [[0.0, 0.0, 1.0]], atol=1e-12)
    start = top.state(q=VALUES["q"], Pi=[0.3, -0.2, 0.9])
    drift = ph.simulate(start, step=0.1, steps=500, method=ph.LGVI()).drift()
    assert drift["momentum_along_axis"] < 1e-13
    assert drift["axial_momentum"] < 1e-13
    assert GeneralBody(lagrangian=kinked).conserved.keys() == {"energy"}


@pytest.mark.verify
def test_lanes_run_as_if_alone() -> None:
    for body in (GeneralBody.example().system, GeneralBody(lagrangian=kinked)):
        state = body.state(**VALUES)
        run = ph.LGVI().start(state, 0.05, lanes(4))
        run.advance(0, 5, 100, np.empty((0, run.carried)))
        alone = ph.simulate(state, step=0.05, steps=5, method=ph.LGVI()).final
        np.testing.assert_array_equal(
            run.sample.reshape(-1, 4)[:12, 2], np.concatenate([alone.R.reshape(-1), alone.Pi])
        )


@pytest.mark.verify
def test_too_long_a_step_has_no_solution() -> None:
    state = GeneralBody(lagrangian="omega1**2 + omega2**2 + omega3**2").state(omega=[0.0, 0.0, 1.0])
    ph.simulate(state, step=0.99, steps=3, method=ph.LGVI())
    with pytest.raises(ph.ConvergenceError):
        ph.simulate(state, step=1.01, steps=3, method=ph.LGVI())


def test_what_is_refused() -> None:
    for given, words in (
        ({}, "either lagrangian or hamiltonian"),
        ({"lagrangian": QUADRATIC, "hamiltonian": "Pi1**2"}, "either lagrangian or hamiltonian"),
        ({"lagrangian": "omega1**2 + omega2**2"}, "positive matrix"),
        ({"lagrangian": "omega1**2 + Pi1"}, "Pi1"),
        ({"hamiltonian": 3}, "a formula"),
        ({"lagrangian": lambda R, omega: "much"}, "a formula"),
    ):
        with pytest.raises(ph.InvalidInputError, match=words):
            GeneralBody(**given)


def test_filters_ask_for_a_quadratic_energy() -> None:
    with pytest.raises(ph.PolhodeError, match="quadratic"):
        Stepped()(GeneralBody.example(), 0.1)


def test_square_roots_in_a_kernel() -> None:
    @kernel
    def limited(R, omega):  # type: ignore[no-untyped-def]
        return -sqrt(1.0 - omega[0] * omega[0] - omega[1] * omega[1] - omega[2] * omega[2])

    assert "sqrt" in GeneralBody(lagrangian=limited).describe()["lagrangian"]
