"""How many special orthogonal solutions `J_D(U) = M` has: counted, listed, and said in words."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import InvalidInputError, PolhodeError, son
from polhode.geometry.increments.momentum_weight import Weight, largest_factor
from polhode.geometry.increments.moser_veselov import solve
from polhode.geometry.increments.riccati import all_solutions, hamiltonian_matrix, solvability, symmetric_solution


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("fraction", [0.1, 0.8])
def test_the_count_is_the_number_of_solutions(n: int, fraction: float) -> None:
    rng = np.random.default_rng(n)
    Lambda = np.sort(rng.uniform(1.0, 3.0, n))
    M = son.hat(rng.standard_normal(n * (n - 1) // 2))
    M *= fraction * float(largest_factor(Lambda, M))
    told = solvability(Lambda, M)
    found = all_solutions(Lambda, M)
    assert told.exists
    assert told.count == len(found)
    assert np.abs(found[0] - solve(Lambda, M)).max() < 1e-12  # the principal one comes first
    for U in found:
        assert np.abs(Weight.of(Lambda).J_D(U) - M).max() < 1e-12
        assert np.abs(U.T @ U - np.eye(n)).max() < 1e-11
        assert np.linalg.det(U) > 0.0
    distances = [np.abs(U - V).max() for i, U in enumerate(found) for V in found[:i]]
    assert min(distances, default=1.0) > 1e-3
    both = all_solutions(Lambda, M, special=False)
    assert len(both) == 2 ** (told.real_pairs + told.quadruples)


def test_small_momenta_have_a_solution_for_every_choice_of_signs() -> None:
    assert [solvability(np.arange(1.0, n + 1.0), 1e-3 * np.ones((n, n))).count for n in (2, 3)] == [2, 4]
    assert solvability([1, 2, 3, 4], son.hat(1e-3 * np.arange(6.0))).count == 8


def test_words() -> None:
    Lambda = [1.0, 1.5, 2.2]
    axis = son.hat([0.0, 0.0, 2.5])
    assert str(solvability(Lambda, 0.9 * axis)).startswith("2 special orthogonal solutions")
    end = solvability(Lambda, axis)
    assert end.unique
    assert str(end).startswith("one special orthogonal solution")  # though there is a real pair: theorem 7.4 corrected
    beyond = solvability(Lambda, 1.02 * axis)
    assert not beyond.exists
    assert "odd size" in str(beyond)
    assert "0.980392157" in str(beyond)
    assert str(solvability([1.0, 1.0, 1.0], np.zeros((3, 3)))).startswith("infinitely many")
    assert solvability([1.0, 2.0], son.hat([3.0])).unique


def test_eigenvalues_are_those_of_the_solutions() -> None:
    """spec H̄ = ±spec(UΛ) for the principal solution."""
    rng = np.random.default_rng(9)
    Lambda, M = [1.0, 2.0, 3.0, 4.0], son.hat(0.5 * rng.standard_normal(6))
    mu = np.linalg.eigvals(solve(Lambda, M) @ np.diag(Lambda))
    found = np.linalg.eigvals(hamiltonian_matrix(Lambda, M))
    for value in np.concatenate([mu, -mu]):
        assert np.abs(found - value).min() < 1e-12


def test_a_symmetric_solution_solves_its_equation() -> None:
    rng = np.random.default_rng(11)
    A = rng.standard_normal((4, 4))
    C = rng.standard_normal((4, 4))
    C = C @ C.T
    X = symmetric_solution(A, C)
    assert X is not None
    assert np.abs(X @ X - A.T @ X - X @ A - C).max() < 1e-12
    assert np.linalg.eigvals(X - A).real.min() > 0.0
    assert symmetric_solution(np.zeros((2, 2)), -np.eye(2)) is None  # X² = −1


def test_what_cannot_be() -> None:
    with pytest.raises(PolhodeError, match="repeated"):
        all_solutions([1.0, 1.0, 1.0], np.zeros((3, 3)))
    with pytest.raises(PolhodeError, match="no special"):
        all_solutions([1.0, 2.0], son.hat([3.5]))
    with pytest.raises(InvalidInputError, match="one matrix"):
        solvability([1.0, 2.0], np.zeros((2, 2, 2)))
