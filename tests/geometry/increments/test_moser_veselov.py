"""`J_D(U) = M` on arrays: golden values, both solvers, warm starts, symmetric Λ, the sharp bound, and errors in words."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import InvalidInputError, PolhodeError, son
from polhode.geometry.increments.momentum_weight import Weight, largest_factor
from polhode.geometry.increments.moser_veselov import increment, solve
from tests.shared import golden


@pytest.mark.parametrize("n", ["3", "4"])
@pytest.mark.parametrize("step", ["0.1", "1"])
def test_golden_rotations(n: str, step: str) -> None:
    case = golden("son")["cases"][n]
    expected = np.array(case["runs"][step]["U0"])
    M = float(step) * np.array(case["M0"])
    assert np.abs(solve(case["Lam"], M) - expected).max() < 2e-16
    assert np.abs(solve(case["Lam"], M, solver="riccati") - expected).max() < 1e-14
    assert np.abs(solve(case["Lam"], M, start=son.exp(0.1 * np.array(case["M0"]))) - expected).max() < 1e-14


@pytest.mark.parametrize("n", ["3", "4"])
def test_golden_bound(n: str) -> None:
    case = golden("son")["cases"][n]
    assert abs(float(largest_factor(case["Lam"], case["M0"])) - case["h_max"]) < 1e-12


def test_the_bound_about_a_principal_axis() -> None:
    """n = 3: h |m| = I, a turn by 90°."""
    Lambda = np.array([1.0, 1.5, 2.2])
    for axis in range(3):
        inertia = Lambda.sum() - Lambda[axis]
        assert abs(float(largest_factor(Lambda, son.hat(np.eye(3)[axis]))) - inertia) < 1e-12
    assert float(largest_factor(Lambda, np.zeros((3, 3)))) == np.inf
    assert np.isnan(float(largest_factor([-0.5, 1.0, 2.0], np.eye(3)[:, ::-1] - np.eye(3)[::-1])))


def test_the_bound_is_constant_along_the_motion() -> None:
    Lambda, rng = [1.0, 2.0, 3.0, 4.0], np.random.default_rng(3)
    M = son.hat(0.3 * rng.standard_normal(6))
    first = float(largest_factor(Lambda, M))
    for _ in range(20):
        U = solve(Lambda, M)
        M = U.T @ M @ U
    assert abs(float(largest_factor(Lambda, M)) - first) < 1e-11


def test_a_symmetric_weight_is_a_diagonal_one_seen_from_other_axes() -> None:
    rng = np.random.default_rng(4)
    V, values, M = son.random(rng, 4), np.array([0.6, 1.1, 1.9, 2.4]), son.hat(0.4 * rng.standard_normal(6))
    Lambda = V @ np.diag(values) @ V.T
    expected = V @ solve(values, V.T @ M @ V) @ V.T
    assert np.abs(solve(Lambda, M) - expected).max() < 1e-14
    assert np.abs(solve(Lambda, M, solver="riccati") - expected).max() < 1e-13
    weight = Weight.of(Lambda)
    assert np.abs(weight.J_D(expected) - M).max() < 1e-14
    assert np.abs(weight.J(weight.J_inverse(M)) - M).max() < 1e-14
    assert np.abs(weight.J(M) - (Lambda @ M + M @ Lambda)).max() < 1e-15
    assert abs(float(largest_factor(Lambda, M) - largest_factor(values, V.T @ M @ V))) < 1e-12


def test_leading_axes() -> None:
    rng = np.random.default_rng(5)
    Lambda, M = [1.0, 2.0, 3.0], son.hat(0.3 * rng.standard_normal((2, 5, 3)))
    U = solve(Lambda, M)
    assert U.shape == (2, 5, 3, 3)
    assert np.abs(U[1, 3] - solve(Lambda, M[1, 3])).max() == 0.0
    assert np.abs(solve(Lambda, M, solver="riccati") - U).max() < 1e-14
    assert np.array_equal(np.eye(3) + increment(Lambda, M), U)
    assert largest_factor(Lambda, M).shape == (2, 5)


WIDE = [[1.0, 10.0, 100.0], [1.0, 1e3, 1e6], [1.0, 3e3, 1e7], [1.0, 2.0, 1e8], [1.0, 1e6, 1e12]]


@pytest.mark.parametrize("Lambda", WIDE)
@pytest.mark.parametrize("fraction", [0.5, 0.9])
def test_wide_spectra(Lambda: list[float], fraction: float) -> None:
    """Every solution is a rotation that solves its equation entry by entry, and principal; the Riccati equation gives
    the same one, or says that it cannot."""
    M = son.hat([0.3, -0.8, 0.5])
    M *= fraction * float(largest_factor(Lambda, M))
    U, weight = solve(Lambda, M), np.array(Lambda)
    assert np.abs(U.T @ U - np.eye(3)).max() < 1e-14
    assert np.abs(U * weight - (U * weight).T - M).max() < 1e-13 * np.abs(M).max()
    if weight.max() < 1e12:
        assert np.abs(solve(Lambda, M, solver="riccati") - U).max() < 1e-11
    else:
        with pytest.raises(PolhodeError, match="span too much for this solver"):
            solve(Lambda, M, solver="riccati")


def test_small_sums_keep_their_digits_beside_a_large_weight() -> None:
    """sin θ = m/(Λ₁ + Λ₂) about the third axis, however large Λ₃ is."""
    U = solve([1.1, 2.3, 1e12], son.hat([0.0, 0.0, 1.7]))
    assert abs(U[1, 0] - 0.5) < 1e-15


@pytest.mark.parametrize("ratio", [1e3, 1e12, 1e30])
def test_the_bound_of_wide_spectra(ratio: float) -> None:
    """About a principal axis it is I, and of two moments about different axes the least counts."""
    Lambda = [1.0, 2.0, ratio]
    assert float(largest_factor(Lambda, son.hat([0.0, 0.0, 1.0]))) == pytest.approx(3.0, rel=1e-12)
    assert float(largest_factor(Lambda, son.hat([1.0, 0.0, 0.0]))) == pytest.approx(2.0 + ratio, rel=1e-12)
    # M₃ alone counts up to 1/ratio where all are of one size
    assert float(largest_factor(Lambda, son.hat([0.3, 0.4, 1.0]))) == pytest.approx(3.0, rel=3.0 / ratio)
    # two entries that are large at different ν: their squares add, each at its own place
    nu = np.exp(np.linspace(-1.0, np.log(ratio) + 1.0, 200_001))
    first, second = nu * 3.0**2 / ((nu**2 + 1.0) * (nu**2 + 4.0)), nu * (2.0 + ratio) ** 2 / (nu**2 + 4.0)
    squares = nu * first + nu * second / (nu**2 + ratio**2)
    both = son.hat([2.0 + ratio, 0.0, 3.0])
    assert float(largest_factor(Lambda, both)) == pytest.approx(squares.max() ** -0.5, rel=1e-6)


def test_no_solution_is_told_with_how_much_is_too_much() -> None:
    M = son.hat([0.0, 0.0, 2.6])
    for solver in ("newton", "riccati"):
        with pytest.raises(PolhodeError, match=r"no special orthogonal solution.*0\.961538462"):
            solve([1.0, 1.5, 2.2], M, solver=solver)
    with pytest.raises(PolhodeError, match="solutions end at 1 M"):
        solve([1.0, 1.5, 2.2], son.hat([0.0, 0.0, 2.5]))
    with pytest.raises(PolhodeError, match="negative eigenvalue"):
        solve([-0.5, 1.0, 2.0], son.hat([0.0, 0.0, 5.0]))


@pytest.mark.parametrize(
    ("Lambda", "allowed"),
    [
        ([1.0], "n ≥ 2"),
        ([[1.0, 2.0], [3.0, 4.0]], "symmetric"),
        ([1.0, np.nan], "n ≥ 2"),
        ([1.0, -1.0, 3.0], "Λᵢ"),
        ("abc", "n ≥ 2"),
        (np.ones((2, 3)), "n ≥ 2"),
    ],
)
def test_a_weight_that_cannot_be(Lambda: object, allowed: str) -> None:
    with pytest.raises(InvalidInputError, match=allowed):
        Weight.of(Lambda)  # type: ignore[arg-type]


def test_other_input_that_cannot_be() -> None:
    with pytest.raises(InvalidInputError, match="size of Λ"):
        solve([1.0, 2.0, 3.0], np.zeros((4, 4)))
    with pytest.raises(InvalidInputError, match="newton"):
        solve([1.0, 2.0, 3.0], np.zeros((3, 3)), solver="guess")
    with pytest.raises(InvalidInputError, match="positive definite"):
        solve([0.0, 1.0, 2.0], np.zeros((3, 3)), solver="riccati")
