"""The discrete maximum principle for problems that a user states (6.1)–(6.7) of [BCMR02]:

    min Σ_{k=0}^{N−1} g(x_k, u_k),    x_{k+1} = f(x_k, u_k),    k(u_k) = 0,    x_0 and x_N given.

With `H(p, x, u) = ⟨p, f(x, u)⟩ − g(x, u)` an extremal obeys

    p_k = ∂H/∂x (p_{k+1}, x_k, u_k),     x_{k+1} = f(x_k, u_k)                                                          (6.2)
    ∂H/∂u (p_{k+1}, x_k, u_k) + ∂⟨σ_k, k(u_k)⟩/∂u = 0,     k(u_k) = 0                                                    (6.5)

and (x_k, p_k) ↦ (x_{k+1}, p_{k+1}) is symplectic (6.7). All of these equations are solved at once, by Newton's method.
f, g and k are ordinary NumPy functions without branches or absolute values: their derivatives are taken by complex steps,
exact to rounding, so that an extremal is one to rounding. Second derivatives, which only decide how fast Newton's method
converges, are differences of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_integer
from ..core.complex_step import derivative_along
from ..errors import InvalidInputError, PolhodeError
from .shooting import MissedEndPointError

Array = NDArray[np.float64]
Function = Callable[..., Any]

MAX_ITERATIONS = 100
# Newton's matrix is solved by least squares up to this size where it is singular, as for redundant states.
DENSE = 3000


def _jacobian(function: Callable[[NDArray[np.complex128]], Any], x: Array) -> Array:
    """The Jacobian (m, n) of an analytic function at x (n,), exact to rounding."""
    return np.stack([derivative_along(function, x, e).reshape(-1) for e in np.eye(len(x))], axis=-1)


@dataclass(frozen=True)
class Extremal:
    """States `x` (N + 1, n), controls `u` (N, m), costates `p` (N + 1, n), multipliers `sigma` (N, l) of an extremal.

    `cost` is Σ g; `residual` what is left of (6.2) and (6.5); `miss` how far from the end point the controls lead.
    """

    x: Array
    u: Array
    p: Array
    sigma: Array
    cost: float
    residual: float
    miss: float
    iterations: int


class DiscreteProblem:
    """A discrete optimal control problem, given by the step `f(x, u)`, the cost `g(x, u)` and the constraint `k(u)`.

    >>> problem = DiscreteProblem(lambda x, u: x + u, lambda x, u: 0.5 * u @ u)
    >>> path = problem.solve([0.0], [1.0], steps=4, u=[0.1])
    >>> path.u.ravel().round(12), round(path.cost, 12)
    (array([0.25, 0.25, 0.25, 0.25]), 0.125)
    """

    def __init__(self, f: Function, g: Function, constraint: Function | None = None) -> None:
        self.f, self.g = f, g
        self.constraint: Function = constraint or (lambda u: np.zeros(0))

    # --- the Hamiltonian and its derivatives ---------------------------------------------------------------------------------

    def hamiltonian(self, p: ArrayLike, x: ArrayLike, u: ArrayLike) -> Any:
        """`H(p_{k+1}, x_k, u_k) = ⟨p_{k+1}, f(x_k, u_k)⟩ − g(x_k, u_k)` (6.3)."""
        x, u = np.asarray(x), np.asarray(u)
        return np.asarray(p) @ np.asarray(self.f(x, u)).reshape(-1) - self.g(x, u)

    def gradient(self, p: ArrayLike, x: ArrayLike, u: ArrayLike, sigma: ArrayLike | None = None) -> tuple[Array, Array]:
        """`(∂Ĥ/∂x, ∂Ĥ/∂u)` of `Ĥ = H + ⟨σ, k(u)⟩` (6.4)."""
        p, x, u = (np.asarray(a, dtype=np.float64) for a in (p, x, u))
        n = len(x)

        def augmented(z: NDArray[np.complex128]) -> Any:
            H = self.hamiltonian(p, z[:n], z[n:])
            return H if sigma is None else H + np.asarray(sigma) @ np.asarray(self.constraint(z[n:])).reshape(-1)

        both = _jacobian(augmented, np.concatenate([x, u]))[0]
        return both[:n], both[n:]

    def _jacobians(self, x: Array, u: Array) -> tuple[Array, Array, Array]:
        """∂f/∂x, ∂f/∂u and ∂k/∂u."""
        n = len(x)
        both = _jacobian(lambda z: self.f(z[:n], z[n:]), np.concatenate([x, u]))
        constraint = _jacobian(self.constraint, u) if len(np.asarray(self.constraint(u)).reshape(-1)) else None
        return both[:, :n], both[:, n:], np.zeros((0, len(u))) if constraint is None else constraint

    def _curvature(self, p: Array, x: Array, u: Array, sigma: Array) -> Array:
        """The second derivatives of Ĥ with respect to (x, u), symmetrised differences of exact gradients."""
        z, n = np.concatenate([x, u]), len(x)
        columns = []
        for i in range(len(z)):
            size = 1e-5 * max(1.0, abs(z[i]))
            ahead, behind = z.copy(), z.copy()
            ahead[i] += size
            behind[i] -= size
            pair = [np.concatenate(self.gradient(p, w[:n], w[n:], sigma)) for w in (ahead, behind)]
            columns.append((pair[0] - pair[1]) / (2.0 * size))
        H = np.stack(columns, axis=-1)
        return 0.5 * (H + H.T)

    # --- one step -----------------------------------------------------------------------------------------------------------

    def advance(self, x: ArrayLike, p: ArrayLike, u: ArrayLike) -> tuple[Array, Array, Array]:
        """(x_k, p_k) ↦ (x_{k+1}, p_{k+1}) by (6.2) and (6.5), and the control of the step; `u` is a guess of it.

        This is the symplectic map of (6.7); p_{k+1}, u and σ are found by Newton's method.
        """
        here, costate, control = (np.array(a, dtype=np.float64) for a in (x, p, u))
        self._check(here, control)
        n, m, ell = len(here), len(control), len(np.asarray(self.constraint(control)).reshape(-1))
        ahead, sigma = costate.copy(), np.zeros(ell)
        for _ in range(MAX_ITERATIONS):
            fx, fu, ku = self._jacobians(here, control)
            Hx, Hu = self.gradient(ahead, here, control, sigma)
            violation = np.asarray(self.constraint(control), dtype=np.float64).reshape(-1)
            C = self._curvature(ahead, here, control, sigma)
            A = np.block(
                [
                    [fx.T, C[:n, n:], np.zeros((n, ell))],
                    [fu.T, C[n:, n:], ku.T],
                    [np.zeros((ell, n)), ku, np.zeros((ell, ell))],
                ]
            )
            step = np.linalg.lstsq(A, -np.concatenate([Hx - costate, Hu, violation]), rcond=1e-12)[0]
            ahead, control, sigma = ahead + step[:n], control + step[n : n + m], sigma + step[n + m :]
            if np.linalg.norm(step) <= 1e-13 * (1.0 + np.linalg.norm(np.concatenate([ahead, control, sigma]))):
                return np.asarray(self.f(here, control), dtype=np.float64).reshape(-1), ahead, control
        raise PolhodeError("the step of the extremal was not found: give a better guess of the control")

    # --- from end to end ------------------------------------------------------------------------------------------------------

    def solve(
        self,
        x0: ArrayLike,
        xN: ArrayLike,
        *,
        steps: int,
        u: ArrayLike,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        tolerance: float = 1e-10,
        progress: bool = False,
    ) -> Extremal:
        """An extremal from `x0` to `xN` in `steps` steps, near a guess.

        `u`: controls to begin with, one for all steps (m,) or one each (N, m). `x`: states to begin with, (N + 1, n);
        by default on the straight line. `p`: costates (N + 1, n); by default those that fit x and u best. Failing to meet the end point to
        `tolerance` is an error that says how far it is missed.
        """
        start, end = np.atleast_1d(np.array(x0, dtype=np.float64)), np.atleast_1d(np.array(xN, dtype=np.float64))
        check_integer("steps", steps, 1)
        if start.shape != end.shape or start.ndim != 1:
            raise InvalidInputError("xN", xN, f"a vector like x0, of shape {start.shape}")
        U = np.atleast_1d(np.array(u, dtype=np.float64))
        U = np.tile(U, (steps, 1)) if U.ndim == 1 else U
        if U.ndim != 2 or len(U) != steps:
            raise InvalidInputError("u", u, f"one control, or one for each of {steps} steps")
        line = np.linspace(0.0, 1.0, steps + 1)[:, None]
        X = start + line * (end - start) if x is None else np.array(x, dtype=np.float64)
        P = None if p is None else np.array(p, dtype=np.float64)
        for name, array in (("x", X), ("p", X if P is None else P)):
            if array.shape != (steps + 1, len(start)):
                raise InvalidInputError(name, f"an array of shape {array.shape}", f"shape {(steps + 1, len(start))}")
        X[0], X[-1] = start, end
        self._check(X[0], U[0])
        return _Newton(self, X, U, P, progress).run(tolerance)

    def _check(self, x: Array, u: Array) -> None:
        """Check that f and g have the right shapes and are analytic: a complex step must agree with a real one."""
        n, size = len(x), 1e-6
        out = np.asarray(self.f(x, u)).reshape(-1)
        if out.shape != x.shape:
            raise InvalidInputError(
                "f", f"a function with values of shape {out.shape}", f"values like x, of shape {x.shape}"
            )
        if np.size(self.g(x, u)) != 1:
            raise InvalidInputError("g", f"a function with values of shape {np.shape(self.g(x, u))}", "a number")
        z = np.concatenate([x, u])
        direction = np.cos(np.arange(len(z)))  # any direction will do
        functions = {
            "f": lambda w: np.asarray(self.f(w[:n], w[n:])).reshape(-1),
            "g": lambda w: np.asarray(self.g(w[:n], w[n:])).reshape(-1),
            "constraint": lambda w: np.asarray(self.constraint(w[n:])).reshape(-1),
        }
        for name, function in functions.items():
            slope = np.imag(function(z + 1e-30j * direction)) / 1e-30
            real = (function(z + size * direction) - function(z - size * direction)) / (2.0 * size)
            if not np.allclose(slope, real, rtol=1e-4, atol=1e-4 * (1.0 + np.abs(function(z)).max(initial=0.0))):
                raise InvalidInputError(
                    name, function, "a NumPy function that is analytic: no abs, no branches, no casts to float"
                )


class _Newton:
    """All equations of an extremal at once: unknowns x_1 … x_{N−1}, u_k, p_1 … p_N, σ_k."""

    def __init__(self, problem: DiscreteProblem, X: Array, U: Array, P: Array | None, progress: bool) -> None:
        self.problem, self.progress = problem, progress
        self.N, self.n, self.m = len(U), X.shape[1], U.shape[1]
        self.ell = len(np.asarray(problem.constraint(U[0])).reshape(-1))
        self.start, self.end = X[0], X[-1]
        path = np.concatenate([X[1:-1].reshape(-1), U.reshape(-1)])
        costates = np.zeros_like(X[1:]) if P is None else P[1:]
        self.z = np.concatenate([path, costates.reshape(-1), np.zeros(self.N * self.ell)])
        if P is None:  # stationarity is linear in p and σ: begin with those that fit best
            from scipy.sparse.linalg import lsmr

            rows, off = len(path), self.residual(self.z)
            best = lsmr(self.matrix(self.z)[:rows, rows:], -off[:rows], atol=1e-12, btol=1e-12)[0]
            self.z[rows:] = best

    def parts(self, z: Array) -> tuple[Array, Array, Array, Array]:
        N, n, m = self.N, self.n, self.m
        ends = np.cumsum([(N - 1) * n, N * m, N * n])
        x, u, p, sigma = np.split(z, ends)
        X = np.concatenate([[self.start], x.reshape(N - 1, n), [self.end]])
        return X, u.reshape(N, m), p.reshape(N, n), sigma.reshape(N, self.ell)

    def residual(self, z: Array) -> Array:
        """Stationarity in x and u, then the dynamics and the constraints."""
        X, U, P, sigma = self.parts(z)  # P[k] is p_{k+1}
        problem = self.problem
        in_x, in_u, moved, violations = [], [], [], []
        for k in range(self.N):
            Hx, Hu = problem.gradient(P[k], X[k], U[k], sigma[k])
            if k:
                in_x.append(Hx - P[k - 1])
            in_u.append(Hu)
            moved.append(np.asarray(problem.f(X[k], U[k]), dtype=np.float64).reshape(-1) - X[k + 1])
            violations.append(np.asarray(problem.constraint(U[k]), dtype=np.float64).reshape(-1))
        return np.concatenate([*in_x, *in_u, *moved, *violations])

    def matrix(self, z: Array) -> Any:
        """The derivative of `residual`, symmetric, as a sparse matrix."""
        from scipy.sparse import lil_matrix

        N, n, m, ell = self.N, self.n, self.m, self.ell
        X, U, P, sigma = self.parts(z)
        A = lil_matrix((len(z), len(z)))
        first_u, first_p, first_s = (N - 1) * n, (N - 1) * n + N * m, (N - 1) * n + N * m + N * n
        for k in range(N):
            fx, fu, ku = self.problem._jacobians(X[k], U[k])
            C = self.problem._curvature(P[k], X[k], U[k], sigma[k])
            u, p, s = first_u + k * m, first_p + k * n, first_s + k * ell
            pieces = [(u, u, C[n:, n:]), (u, p, fu.T), (u, s, ku.T), (p, u, fu), (s, u, ku)]
            if k:
                x = (k - 1) * n
                pieces += [(x, x, C[:n, :n]), (x, u, C[:n, n:]), (u, x, C[n:, :n]), (x, p, fx.T), (p, x, fx)]
            if k < N - 1:
                pieces += [(p, k * n, -np.eye(n)), (k * n, p, -np.eye(n))]
            for row, column, block in pieces:
                if block.size:
                    A[row : row + block.shape[0], column : column + block.shape[1]] = block
        return A.tocsc()

    def steps(self, r: Array) -> Iterator[Array]:
        """Newton's step; then, for redundant states or constraints, the least one along directions that count."""
        from scipy.sparse.linalg import splu

        A = self.matrix(self.z)
        with suppress(RuntimeError):  # singular to the last digit
            yield splu(A).solve(-r)
        if len(r) <= DENSE:
            yield np.linalg.lstsq(A.toarray(), -r, rcond=1e-6)[0]

    def run(self, tolerance: float) -> Extremal:
        size, iterations = np.linalg.norm(self.residual(self.z)), 0
        with _status(self.progress) as tell:
            while iterations < MAX_ITERATIONS and size > 1e-14 * (1.0 + np.linalg.norm(self.z)):
                z = self.descended(size)
                if z is None:
                    break  # rounding, or no way down from here
                self.z, size = z, np.linalg.norm(self.residual(z))
                iterations += 1
                tell(f"iteration {iterations}, residual {size:.1e}")
        return self.result(float(size), iterations, tolerance)

    def descended(self, size: Any) -> Array | None:
        """A point with a smaller residual along one of the steps; whole steps are tried first."""
        steps = [step for step in self.steps(self.residual(self.z)) if np.isfinite(step).all()]
        for factor in 0.5 ** np.arange(20):
            for step in steps:
                z = self.z + factor * step
                with np.errstate(all="ignore"):
                    ahead = np.linalg.norm(self.residual(z))
                if ahead < (1.0 - 1e-4 * factor) * size:
                    return z
        return None

    def result(self, residual: float, iterations: int, tolerance: float) -> Extremal:
        X, U, P, sigma = self.parts(self.z)
        x = self.start
        for control in U:
            x = np.asarray(self.problem.f(x, control), dtype=np.float64).reshape(-1)
        miss = float(np.linalg.norm(x - self.end))
        if not (miss <= tolerance and residual <= tolerance * (1.0 + float(np.linalg.norm(self.z)))):
            raise MissedEndPointError(
                f"no extremal was found from this guess: after {iterations} iterations the equations are off by "
                f"{residual:.3g} and the end point is missed by {miss:.3g}; give a better guess",
                miss,
            )
        first = self.problem.gradient(P[0], X[0], U[0])[0]
        cost = sum(float(self.problem.g(a, b)) for a, b in zip(X, U, strict=False))
        return Extremal(X, U, np.concatenate([[first], P]), sigma, cost, residual, miss, iterations)


@contextmanager
def _status(progress: bool) -> Iterator[Callable[[str], None]]:
    """A line of progress on a terminal; nothing if the output is not a terminal."""
    if progress:
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal:
            with console.status("solving") as status:
                yield status.update
            return
    yield lambda text: None
