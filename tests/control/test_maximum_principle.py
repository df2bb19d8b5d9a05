"""The discrete maximum principle for stated problems: linear and nonlinear ones, the rigid body, and the symplectic step."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import InvalidInputError, son
from polhode.control import DiscreteProblem, MissedEndPointError, steer_discrete

NONLINEAR = DiscreteProblem(
    lambda x, u: np.array([x[0] + 0.3 * x[1], x[1] - 0.3 * np.sin(x[0]) + 0.3 * u[0]]),
    lambda x, u: 0.15 * (u[0] ** 2 + 0.2 * x[0] ** 2 * u[0] ** 2 + 0.5 * x[1] ** 2),
)


def test_a_linear_quadratic_problem_against_linear_algebra() -> None:
    """min Σ ½|u|² for x ↦ A x + B u: the least-norm control, by the pseudoinverse."""
    A, B, N = np.array([[1.0, 0.5], [-0.2, 1.0]]), np.array([[0.0], [0.5]]), 5
    problem = DiscreteProblem(lambda x, u: A @ x + B @ u, lambda x, u: 0.5 * u @ u)
    x0, xN = np.array([1.0, 0.0]), np.array([-0.5, 0.3])
    reach = np.hstack([np.linalg.matrix_power(A, N - 1 - k) @ B for k in range(N)])
    expected = np.linalg.pinv(reach) @ (xN - np.linalg.matrix_power(A, N) @ x0)
    found = problem.solve(x0, xN, steps=N, u=[0.0], progress=True)
    assert np.abs(found.u.reshape(-1) - expected).max() < 1e-13
    assert np.isclose(found.cost, 0.5 * expected @ expected)
    assert found.miss < 1e-13
    assert np.abs(found.p[:-1] - found.p[1:] @ A).max() < 1e-13  # p_k = Aᵀ p_{k+1}
    assert np.abs(found.u - found.p[1:] @ B).max() < 1e-13  # ∂H/∂u = Bᵀp − u
    p, x, u = np.array([0.3, -0.2]), np.array([0.5, 0.1]), np.array([0.7])
    assert np.isclose(problem.hamiltonian(p, x, u), p @ (A @ x + B @ u) - 0.5 * u @ u)


def test_an_extremal_obeys_the_equations_and_is_cheapest_nearby() -> None:
    found = NONLINEAR.solve([0.5, 0.0], [0.0, 0.2], steps=8, u=[0.1])
    assert found.residual < 1e-13
    for k in range(8):  # (6.2) and (6.5), by differences of H that the solver does not use

        def H(x, u, k=k):
            return NONLINEAR.hamiltonian(found.p[k + 1], x, u)

        e = 1e-6
        for i in range(2):
            d = e * np.eye(2)[i]
            slope = (H(found.x[k] + d, found.u[k]) - H(found.x[k] - d, found.u[k])) / (2 * e)
            assert abs(slope - found.p[k, i]) < 1e-8
        slope = (H(found.x[k], found.u[k] + e) - H(found.x[k], found.u[k] - e)) / (2 * e)
        assert abs(slope) < 1e-8
    # any other control that ends at the same point costs more: move the first six, mend with the last two
    from scipy.optimize import fsolve

    rng = np.random.default_rng(0)

    def run(u):
        x, cost = found.x[0], 0.0
        for value in u:
            cost += NONLINEAR.g(x, [value])
            x = NONLINEAR.f(x, [value])
        return x, cost

    for _ in range(5):
        u = found.u[:, 0].copy()
        u[:6] += 0.05 * rng.standard_normal(6)
        u[6:] = fsolve(lambda tail, u=u: run([*u[:6], *tail])[0] - found.x[-1], u[6:])
        end, cost = run(u)
        assert np.abs(end - found.x[-1]).max() < 1e-9
        assert cost > found.cost


def test_the_step_is_symplectic_and_follows_the_extremal() -> None:
    """(6.7): Φᵀ J Φ = J, by differences of order 8 of (x_k, p_k) ↦ (x_{k+1}, p_{k+1})."""
    found = NONLINEAR.solve([0.5, 0.0], [0.0, 0.2], steps=8, u=[0.1])
    z = np.concatenate([found.x[2], found.p[2]])

    def advance(z):
        x, p, _ = NONLINEAR.advance(z[:2], z[2:], found.u[2])
        return np.concatenate([x, p])

    assert np.abs(advance(z) - np.concatenate([found.x[3], found.p[3]])).max() < 1e-12
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    T = np.stack(
        [
            sum(w * (advance(z + k * 1e-2 * e) - advance(z - k * 1e-2 * e)) / 1e-2 for k, w in weights.items())
            for e in np.eye(4)
        ],
        axis=-1,
    )
    J = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert np.abs(T.T @ J @ T - J).max() < 1e-9
    assert np.abs(T.T @ T - np.eye(4)).max() > 0.1


@pytest.mark.verify
def test_the_rigid_body_as_a_stated_problem() -> None:
    """(6.8) with the constraint UᵀU = 1: the same steps as shooting finds, though states and constraints are redundant."""
    Lambda, N, h = np.array([1.0, 1.5, 2.2]), 3, 0.5
    end = son.exp(son.hat([0.5, -0.3, 0.6]))
    upper = np.triu_indices(3)
    problem = DiscreteProblem(
        lambda x, u: (x.reshape(3, 3) @ u.reshape(3, 3)).reshape(-1),
        lambda x, u: (Lambda.sum() - Lambda @ np.diagonal(u.reshape(3, 3))) / (2 * h),
        lambda u: (u.reshape(3, 3).T @ u.reshape(3, 3) - np.eye(3))[upper],
    )
    A = son.log(end)
    path = np.array([son.exp(A * k / N).reshape(-1) for k in range(N + 1)])
    found = problem.solve(np.eye(3).reshape(-1), end.reshape(-1), steps=N, u=son.exp(A / N).reshape(-1), x=path)
    known = steer_discrete(Lambda, np.eye(3), end, N, duration=N * h, starts=1)
    assert np.abs(found.u.reshape(N, 3, 3) - known.U).max() < 1e-12
    assert abs(found.cost - known.cost) < 1e-12
    assert found.sigma.shape == (N, 6)


def test_a_problem_without_a_solution_is_an_error_with_the_miss() -> None:
    problem = DiscreteProblem(lambda x, u: x + np.sin(u), lambda x, u: 0.5 * u @ u)
    with pytest.raises(MissedEndPointError, match="missed by") as caught:
        problem.solve([0.0], [5.0], steps=2, u=[0.1])  # at most 2 can be reached
    assert caught.value.miss > 2.0


def test_input_that_cannot_be() -> None:
    good = DiscreteProblem(lambda x, u: x + u, lambda x, u: 0.5 * u @ u)
    with pytest.raises(InvalidInputError, match="steps"):
        good.solve([0.0], [1.0], steps=0, u=[0.1])
    with pytest.raises(InvalidInputError, match="xN"):
        good.solve([0.0], [1.0, 2.0], steps=2, u=[0.1])
    with pytest.raises(InvalidInputError, match="one control"):
        good.solve([0.0], [1.0], steps=2, u=np.zeros((3, 1)))
    with pytest.raises(InvalidInputError, match="shape"):
        good.solve([0.0], [1.0], steps=2, u=[0.1], x=np.zeros((2, 1)))
    with pytest.raises(InvalidInputError, match="analytic"):
        DiscreteProblem(lambda x, u: x + np.abs(u) * 1.0 + u.real, good.g).solve([0.0], [1.0], steps=2, u=[0.1])
    with pytest.raises(InvalidInputError, match="values like x"):
        DiscreteProblem(lambda x, u: np.zeros(2), good.g).solve([0.0], [1.0], steps=2, u=[0.1])
    with pytest.raises(InvalidInputError, match="a number"):
        DiscreteProblem(good.f, lambda x, u: np.zeros(2)).solve([0.0], [1.0], steps=2, u=[0.1])
