"""A primal–dual interior-point method for large sparse problems, some of whose variables are points of a manifold:

    min f(x, v)    subject to    c(x, v) = 0,    lower ≤ v ≤ upper,    x on a manifold.

A step (δx, δv) is Newton's for the conditions of a minimum with a barrier −μ Σ log(v − lower) − μ Σ log(upper − v):

    [ H + Σ + δI   Aᵀ ] [ δ ]       [ ∇f − μ/(v − lower) + μ/(upper − v) + Aᵀλ ]
    [     A       −εI ] [ δλ ]  = − [                    c                     ]

with H the second derivatives of f + λ·c, and Σ those of the barrier in its primal–dual form. Where H has negative
curvature along the step, δ is raised until it has none; ε lets constraints depend on each other. A step is shortened until
the penalty function f + barrier + ν Σ|c| falls, after a correction for the curvature of c (second-order correction). μ falls
to zero. J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., ch. 19; A. Wächter, L. Biegler, Math. Program. 106 (2006) 25.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TO_BOUNDARY = 0.995  # how far towards a bound a step may go
ARMIJO = 1e-4
DEPENDENT = 1e-11  # ε
MOST_SHORTENINGS = 25
DUAL_RANGE = 1e10  # by how much the product of a gap and its multiplier may differ from μ


class Problem(Protocol):
    """What is minimised. A point is anything that `move` makes from another and a step; all vectors are of the same units.

    The first `curved` components of a step move x; the others are added to v.
    """

    lower: Array
    upper: Array
    curved: int

    def values(self, point: Any) -> Array:
        """v."""
        ...

    def move(self, point: Any, step: Array) -> Any:
        """The point reached by a step."""
        ...

    def objective(self, point: Any) -> float:
        """f."""
        ...

    def gradient(self, point: Any) -> Array:
        """∇f by the step."""
        ...

    def constraints(self, point: Any) -> Array:
        """c."""
        ...

    def jacobian(self, point: Any) -> Any:
        """A, sparse."""
        ...

    def hessian(self, point: Any, multipliers: Array) -> Any:
        """H, sparse."""
        ...


@dataclass(frozen=True)
class Optimum:
    """Where the method stopped: the point, the multipliers λ, the largest |c|, the largest component that is left of the
    gradient, with the bounds' part, and whether both are within the tolerance."""

    point: Any
    multipliers: Array
    violation: float
    stationarity: float
    iterations: int
    converged: bool


def minimise(
    problem: Problem, point: Any, *, tolerance: float = 1e-10, most: int = 300, barrier: float = 0.1
) -> Optimum:
    """The minimum near `point`, whose v lies between its bounds."""
    search = _Search(problem, point, barrier)
    for iteration in range(most):
        search.linearise()
        if search.error(0.0) < tolerance and search.mu <= tolerance:
            return search.optimum(iteration, True)
        while search.mu > 0.1 * tolerance and search.error(search.mu) < 10.0 * search.mu:
            search.mu = max(0.05 * tolerance, min(0.2 * search.mu, search.mu**1.5))
        if not search.step():
            good = search.error(0.0) < 1e3 * tolerance  # rounding is in the way of the rest
            return search.optimum(iteration, good)
    return search.optimum(most, False)


class _Search:
    """The iterate: the point, the multipliers of constraints and bounds, the barrier's μ."""

    def __init__(self, problem: Problem, point: Any, mu: float) -> None:
        self.problem, self.point, self.mu = problem, point, mu
        v = problem.values(point)
        self.low, self.high = np.isfinite(problem.lower), np.isfinite(problem.upper)
        self.z_low = np.where(self.low, mu / self._gaps(v)[0], 0.0)
        self.z_high = np.where(self.high, mu / self._gaps(v)[1], 0.0)
        self.lam = np.zeros(len(problem.constraints(point)))
        self.penalty, self.shift = 1.0, 0.0

    def _gaps(self, v: Array) -> tuple[Array, Array]:
        return (
            np.where(self.low, v - self.problem.lower, np.inf),
            np.where(self.high, self.problem.upper - v, np.inf),
        )

    def linearise(self) -> None:
        """Values and first derivatives at the present point."""
        problem = self.problem
        self.v, self.c = problem.values(self.point), problem.constraints(self.point)
        self.f, self.g, self.A = (
            problem.objective(self.point),
            problem.gradient(self.point),
            problem.jacobian(self.point),
        )

    def _on_bounded(self, part: Array) -> Array:
        return np.concatenate([np.zeros(self.problem.curved), part])

    def error(self, mu: float) -> float:
        """What is left of the conditions for a minimum with this barrier."""
        below, above = self._gaps(self.v)
        sides = [
            z[on] * gap[on] - mu for z, gap, on in ((self.z_low, below, self.low), (self.z_high, above, self.high))
        ]
        product = max(float(np.abs(side).max(initial=0.0)) for side in sides)
        return max(self._slope(), float(np.abs(self.c).max(initial=0.0)), product)

    def _slope(self) -> float:
        left = self.g + self.A.T @ self.lam - self._on_bounded(self.z_low - self.z_high)
        count = max(1, len(self.lam))
        scale = max(1.0, float(np.abs(self.lam).sum()) / count / 100.0)
        return float(np.abs(left).max()) / scale

    def optimum(self, iterations: int, converged: bool) -> Optimum:
        violation = float(np.abs(self.c).max(initial=0.0))
        return Optimum(self.point, self.lam, violation, self._slope(), iterations, converged)

    def barrier(self, point: Any) -> float:
        """The objective with the barrier."""
        below, above = self._gaps(self.problem.values(point))
        gaps = np.concatenate([below[self.low], above[self.high]])
        if np.any(gaps <= 0.0):
            return np.inf
        return self.problem.objective(point) - self.mu * float(np.log(gaps).sum())

    def step(self) -> bool:
        """Move to a better point; False where none is found."""
        below, above = self._gaps(self.v)
        sigma = self._on_bounded(self.z_low / below + self.z_high / above)
        slope = self.g - self._on_bounded(self.mu / below - self.mu / above)
        H = self.problem.hessian(self.point, self.lam)
        shift = 0.0
        for _ in range(MOST_SHORTENINGS):
            solve = self._factor(H, sigma, shift)
            found = None if solve is None else self._accept(H, sigma, shift, slope, solve)
            if found is not None:
                self._take(*found)
                self.shift = shift
                return True
            shift = max(1e-6, 0.3 * self.shift) if shift == 0.0 else 8.0 * shift
            if shift > 1e10:
                break
        return False

    def _factor(self, H: Any, sigma: Array, shift: float) -> Any:
        from scipy.sparse import block_array, diags_array
        from scipy.sparse.linalg import splu

        def matrix(dependent: float) -> Any:
            corner = diags_array(np.full(len(self.c), -dependent))
            return block_array([[H + diags_array(sigma + shift), self.A.T], [self.A, corner]], format="csc")

        try:
            whole = splu(matrix(DEPENDENT))
            pivots = splu(
                matrix(1e-8), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
        except RuntimeError:  # singular
            return None
        symmetric = np.array_equal(pivots.perm_r, pivots.perm_c)
        if symmetric and np.count_nonzero(pivots.U.diagonal() < 0.0) != len(self.c):
            return None
        return whole.solve

    def _accept(
        self, H: Any, sigma: Array, shift: float, slope: Array, solve: Any
    ) -> tuple[Array, Array, float] | None:
        """A step with the new multipliers and its length, if it makes the penalty function fall."""
        n = len(slope)
        solution = solve(-np.concatenate([slope + self.A.T @ self.lam, self.c]))
        d, dlam = solution[:n], solution[n:]
        if not np.isfinite(solution).all():
            return None
        curvature = float(d @ (H @ d) + (sigma + shift) @ (d * d))
        size, missed = float(d @ d), float(np.abs(self.c).sum())
        if curvature + max(0.0, -float((self.lam + dlam) @ self.c)) < 1e-10 * size:
            return None
        fall = float(slope @ d)
        if missed > 0.0:
            self.penalty = max(self.penalty, (fall + 0.5 * max(curvature, 0.0)) / (0.5 * missed))
        predicted = fall - self.penalty * missed
        here = self.barrier(self.point) + self.penalty * missed
        slack = 1e-13 * max(1.0, abs(here))
        length = self._longest(d[self.problem.curved :])
        for attempt in range(MOST_SHORTENINGS):
            there, c = self._at(length * d)
            if there + self.penalty * np.abs(c).sum() <= here + ARMIJO * length * predicted + slack:
                return length * d, dlam, length
            if attempt == 0 and np.isfinite(c).all():
                bent = solve(-np.concatenate([slope + self.A.T @ self.lam, c + length * self.c]))[:n]
                reach = self._longest(bent[self.problem.curved :])
                there, c = self._at(reach * bent)
                if there + self.penalty * np.abs(c).sum() <= here + ARMIJO * reach * predicted + slack:
                    return reach * bent, dlam, reach
            length *= 0.5
        return None

    def _at(self, step: Array) -> tuple[float, Array]:
        point = self.problem.move(self.point, step)
        value = self.barrier(point)
        c = self.problem.constraints(point) if np.isfinite(value) else np.full(len(self.c), np.inf)
        return (value, c) if np.isfinite(c).all() else (np.inf, np.full(len(c), np.inf))

    def _longest(self, dv: Array) -> float:
        """The part of a step, at most 1, that stays between the bounds."""
        below, above = self._gaps(self.v)
        with np.errstate(divide="ignore", invalid="ignore"):
            down = np.where(dv < 0.0, -TO_BOUNDARY * below / dv, np.inf)
            up = np.where(dv > 0.0, TO_BOUNDARY * above / dv, np.inf)
        return float(min(1.0, down.min(initial=1.0), up.min(initial=1.0)))

    def _take(self, step: Array, dlam: Array, length: float) -> None:
        below, above = self._gaps(self.v)
        dv = step[self.problem.curved :] / length
        self.z_low = self._multipliers(self.z_low, below, dv, self.low)
        self.z_high = self._multipliers(self.z_high, above, -dv, self.high)
        self.lam = self.lam + length * dlam
        self.point = self.problem.move(self.point, step)
        below, above = self._gaps(self.problem.values(self.point))
        self.z_low = np.where(self.low, _between(self.z_low, self.mu / below), 0.0)
        self.z_high = np.where(self.high, _between(self.z_high, self.mu / above), 0.0)

    def _multipliers(self, z: Array, gap: Array, dv: Array, on: NDArray[np.bool_]) -> Array:
        change = np.where(on, self.mu / gap - z - z / gap * dv, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            longest = np.where(change < 0.0, -TO_BOUNDARY * z / change, np.inf).min(initial=1.0)
        return z + min(1.0, float(longest)) * change


def _between(z: Array, middle: Array) -> Array:
    return np.clip(z, middle / DUAL_RANGE, middle * DUAL_RANGE)
