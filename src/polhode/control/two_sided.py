"""Steering a p × q matrix from both sides:  min ¼∫⟨U, J_U U⟩ + ⟨V, J_V V⟩,  Q̇ = U Q − Q V,  from Q₀ to Q_T   (5.6) of [BCMR02].

U ∈ so(p), V ∈ so(q) for real matrices, u(p) and u(q) for complex ones; J(U) = ΛU + UΛ with a real Λ for each side. The singular
values of Q cannot be changed. The extremals are the coupled double brackets (5.9); the cost is constant along one. Only
`PQ† − QP†` and `P†Q − Q†P` count in the costate P, so that Newton's step is the least one that brings the end to Q_T.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..analysis.structure import tangent_map
from ..core.checks import check_integer, check_positive
from ..core.complex_step import with_imaginary_part
from ..errors import InvalidInputError, PolhodeError
from ..methods import DOP853
from ..simulation.driver import simulate
from ..systems.son.two_sided import CoupledDoubleBrackets, controls, inverse_operator
from .shooting import HALVINGS, MAX_ITERATIONS, SAME, MissedEndPointError, with_progress_bar

Matrix = NDArray[Any]
ARRIVED = 1e-10  # relative to the size of Q
SINGULAR = 1e-8  # below this, relative, a direction of the costate moves nothing


@dataclass(frozen=True)
class TwoSidedSteering:
    """An extremal of (5.6): the motion from `Q0` to `QT` in time `duration` with the costate `P0` at the start.

    `cost` is the integral; `miss` how far from QT the motion ends, by an independent integration; `others` are the costs of
    further extremals that were found; `starts` how many starts were made, and `arrived` how many led to an extremal.
    """

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    Q0: Matrix
    QT: Matrix
    duration: float
    P0: Matrix
    cost: float
    miss: float
    others: tuple[float, ...]
    starts: int
    arrived: int

    def motion(self, samples: int = 100) -> tuple[NDArray[np.float64], Matrix, Matrix]:
        """The times (N + 1,), Q and P (N + 1, p, q) at so many equal intervals."""
        problem = _Problem(self.left, self.right, self.Q0, self.QT, self.duration)
        return problem.motion(self.P0, check_integer("samples", samples, 1))

    def controls(self, Q: ArrayLike, P: ArrayLike) -> tuple[Matrix, Matrix]:
        """The optimal U and V (5.8) along a motion."""
        return controls(inverse_operator(self.left), inverse_operator(self.right), Q, P)


def steer_two_sided(
    left: ArrayLike,
    right: ArrayLike,
    Q0: ArrayLike,
    QT: ArrayLike,
    duration: float,
    *,
    starts: int = 8,
    seed: int = 0,
    progress: bool = False,
) -> TwoSidedSteering:
    """The cheapest extremal of (5.6) from `Q0` to `QT`, real or complex, that `starts` starts lead to.

    `left` and `right` are the p and q numbers Λ of J_U and J_V; infinite ones let nothing turn from that side. It is not
    proved that there is no cheaper one.

    >>> turned = steer_two_sided([np.inf, np.inf], [1.0, 1.0], np.eye(2), [[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]], 2.0)
    >>> round(turned.cost, 9)                                            # ¼ · 2 · (½)² · (Λ₁ + Λ₂)
    0.25
    """
    problem = _Problem(
        np.array(left, dtype=float), np.array(right, dtype=float), Q0, QT, check_positive("duration", duration)
    )
    count = check_integer("starts", starts, 1)
    found = [problem.shoot(P0) for P0 in with_progress_bar(problem.guesses(count, seed), count, progress)]
    hits = sorted((shot for shot in found if shot[1] < ARRIVED), key=lambda shot: problem.cost(shot[0]))
    if not hits:
        nearest = min(miss for _, miss in found)
        message = f"none of {count} starts met the end point: the nearest ended {nearest:.3g} from it, relative to Q"
        raise MissedEndPointError(f"{message}; give more starts, or a longer duration", nearest)
    P0 = hits[0][0]
    costs = [problem.cost(P) for P, _ in hits]
    others = [c for k, c in enumerate(costs) if k and c - costs[k - 1] > SAME * costs[0]]
    _, Q, _ = problem.motion(P0, 1, DOP853(3e-14, 1e-16))
    return TwoSidedSteering(
        problem.left,
        problem.right,
        problem.Q0,
        problem.QT,
        problem.duration,
        P0,
        costs[0],
        float(np.linalg.norm(Q[-1] - problem.QT)),
        tuple(others),
        count,
        len(hits),
    )


class _Problem:
    """The ends, and the motion between them as a real one."""

    def __init__(self, left: Any, right: Any, Q0: Any, QT: Any, duration: float) -> None:
        self.left, self.right, self.duration = left, right, duration
        shape = (len(np.atleast_1d(left)), len(np.atleast_1d(right)))
        self.Q0, self.QT = (_check_matrix(name, given, shape) for name, given in (("Q0", Q0), ("QT", QT)))
        self.complex = np.iscomplexobj(self.Q0) or np.iscomplexobj(self.QT)
        size = float(np.linalg.norm(self.Q0))
        stretches = [np.linalg.svd(Q, compute_uv=False) for Q in (self.Q0, self.QT)]
        off = float(np.abs(stretches[0] - stretches[1]).max())
        if off > 1e-9 * size:
            problem = (
                f"its singular values {stretches[1]} are not those of Q0, {stretches[0]}: turning does not change them"
            )
            raise InvalidInputError("QT", QT, problem=problem)
        self.size = max(size, 1e-300)
        self.body = CoupledDoubleBrackets(left, right, unitary=self.complex)
        self.dimension = self.Q0.size * (2 if self.complex else 1)  # of costates, in real numbers

    def state(self, P: Matrix) -> Any:
        return self.body.state(Q=self.Q0, P=P)

    def motion(self, P0: Matrix, samples: int, method: Any = None) -> tuple[NDArray[np.float64], Matrix, Matrix]:
        """The times, Q and P."""
        method = method or DOP853(1e-13, 1e-15)
        run = simulate(self.state(P0), step=self.duration / samples, steps=samples, method=method)
        return run.t, *self.body.matrices(run)

    def cost(self, P: Matrix) -> float:
        """The energy is constant along the motion."""
        return self.duration * float(self.state(P).invariants()["energy"])

    def costate(self, x: NDArray[np.float64]) -> Matrix:
        """The costate of these coordinates."""
        half = self.Q0.size
        P = x[:half] + 1j * x[half:] if self.complex else x
        return P.reshape(self.Q0.shape)

    def guesses(self, count: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """Coordinates of costates: that of the straight way, then random ones that turn by about a radian."""
        rng, dimension = np.random.default_rng(seed), self.dimension
        finite = [x for x in (*self.left, *self.right) if np.isfinite(x)]
        scale = float(np.mean(finite)) / (self.duration * self.size) if finite else 1.0
        yield self.step(np.zeros(dimension), self.Q0)
        for _ in range(count - 1):
            yield scale * rng.standard_normal(dimension)

    def step(self, x: NDArray[np.float64], Q: Matrix) -> NDArray[np.float64]:
        """The least change of the costate that brings the end from Q to Q_T, to first order."""
        Phi = tangent_map(self.state(self.costate(x)), DOP853(1e-12, 1e-14), self.duration, 1)
        missing = (self.QT - Q).reshape(-1)
        parts = np.concatenate([missing.real, missing.imag]) if self.complex else missing
        response = Phi[: self.dimension, self.dimension :]
        return np.asarray(np.linalg.lstsq(response, parts, rcond=SINGULAR)[0])

    def shoot(self, x: NDArray[np.float64]) -> tuple[Matrix, float]:
        """Newton's method, with steps that are halved until the miss falls: the costate, and the relative miss."""
        Q, miss = self.end(x)
        for _ in range(MAX_ITERATIONS):
            if miss < 1e-14:
                break
            step = self.step(x, Q)
            for factor in 0.5 ** np.arange(HALVINGS):
                Q_next, next_miss = self.end(x + factor * step)
                if next_miss < miss:
                    break
            else:
                break
            x, Q, miss = x + factor * step, Q_next, next_miss
        return self.costate(x), miss

    def end(self, x: NDArray[np.float64]) -> tuple[Matrix, float]:
        try:
            Q = self.motion(self.costate(x), 1)[1][-1]
        except PolhodeError:
            return self.Q0, np.inf
        return Q, float(np.linalg.norm(Q - self.QT)) / self.size


def _check_matrix(field: str, given: Any, shape: tuple[int, int]) -> Matrix:
    try:
        Q = with_imaginary_part(given)
    except (TypeError, ValueError):
        Q = np.empty(0)
    if Q.shape != shape or not np.all(np.isfinite(Q)):
        raise InvalidInputError(
            field, given, f"a finite real or complex matrix of shape {shape}, as left and right have it"
        )
    return Q
