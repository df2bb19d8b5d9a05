"""A manoeuvre in N steps as a problem of optimisation: its states at the nodes, its commands, and perhaps its time.

    min Σ |u_k|²/N   or   T,    subject to    x_{k+1} = Φ(x_k, u_k, T/N),   x_0 and x_N given,   limits of the commands,

where Φ is a step of the variational method with the commands u_k held (direct multiple shooting). All is in units: of each
tangent coordinate of the state, of each command, and of time. A limit |u| ≤ r of the length of the commands is
`1 − |u|²/r² = s` with s ≥ 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .commanded_steps import CommandedSteps

Array = NDArray[np.float64]
SHORTEST = 1e-3  # the least time, in units of time


@dataclass(frozen=True)
class Path:
    """States Y (N − 1, size) between the ends, and the other variables: commands, then the time and slacks if there are."""

    Y: Array
    v: Array


class Transcription:
    """The problem of a manoeuvre from `first` to `last` (size,) in N `steps`.

    `ending` says which tangent coordinates are given at the end. `time` is the duration, or its unit where it is `free`.
    `lower`, `upper` (m,) bound the commands, `norm` their length, in the units of commands.
    """

    def __init__(
        self,
        steps: CommandedSteps,
        first: Array,
        last: Array,
        count: int,
        *,
        time: float,
        free: bool,
        ending: NDArray[np.bool_],
        bounds: tuple[Array, Array],
        norm: float,
    ) -> None:
        self.steps, self.first, self.last, self.count, self.time, self.free = steps, first, last, count, time, free
        self.ending, self.norm, self.bounds = ending, norm, bounds
        d, m, N = steps.dimension, len(steps.command_units), count
        self.d, self.m, self.curved = d, m, (N - 1) * d
        self.k = np.arange(N, dtype=np.float64)
        steps.time_unit = time / N
        self.price = (steps.command_units / steps.command_units.max()) ** 2 / N  # of the square of a command
        slacks = N if np.isfinite(norm) else 0
        self.lower = np.concatenate([np.tile(bounds[0], N), np.full(int(free), SHORTEST), np.zeros(slacks)])
        self.upper = np.concatenate([np.tile(bounds[1], N), np.full(int(free) + slacks, np.inf)])
        self.width = self.curved + len(self.lower)
        self._place(slacks)

    def _place(self, slacks: int) -> None:
        """Where each constraint and each variable lies; −1 where there is none."""
        d, m, N = self.d, self.m, self.count
        given = np.ones((N, d), dtype=bool)
        given[-1] = self.ending
        self.given = given
        self.rows = np.where(given, np.cumsum(given).reshape(N, d) - 1, -1)
        self.height = int(given.sum()) + slacks
        nodes = np.full((N + 1, d), -1)
        nodes[1:N] = np.arange(self.curved).reshape(N - 1, d)
        commands = self.curved + np.arange(N * m).reshape(N, m)
        clock = np.full((N, 1), self.curved + N * m if self.free else -1)
        self.nodes, self.commands = nodes, commands
        self.block = np.concatenate([nodes[:N], commands, clock], axis=1)  # what a step depends on, but for its end
        self.slack_rows = self.height - slacks + np.arange(slacks)
        self.slacks = self.width - slacks + np.arange(slacks)

    # --- the parts of a point ------------------------------------------------------------------------------------------------

    def path(self, Y: Array, U: Array) -> Path:
        """The point with these states between the ends, and commands (N, m) in their units."""
        v = [U.reshape(-1), np.ones(int(self.free))]
        if len(self.slacks):
            v.append(np.maximum(1.0 - np.sum(self._lengths(U) ** 2, axis=1), 0.1))
        return Path(Y, np.concatenate(v))

    def _lengths(self, U: Array) -> Array:
        """Commands as parts of the largest length."""
        return U * self.steps.command_units / self.norm

    def values(self, point: Path) -> Array:
        """The variables that are not states."""
        return point.v

    def U(self, point: Path) -> Array:
        """The commands (N, m), in their units."""
        return point.v[: self.count * self.m].reshape(self.count, self.m)

    def duration(self, point: Path) -> float:
        """The time that the manoeuvre takes."""
        return self.time * float(point.v[self.count * self.m]) if self.free else self.time

    def move(self, point: Path, step: Array) -> Path:
        """The point reached by a step."""
        xi = step[: self.curved].reshape(-1, self.d) * self.steps.units
        return replace(point, Y=self.steps.layout.retract(point.Y, xi), v=point.v + step[self.curved :])

    def _steps(self, point: Path) -> tuple[Array, Array, Array, float, Array]:
        """Starts, commands, numbers, length and wanted ends of all steps."""
        Y = np.concatenate([self.first[None], point.Y, self.last[None]])
        return Y[:-1], self.U(point) * self.steps.command_units, self.k, self.duration(point) / self.count, Y[1:]

    # --- objective and constraints -------------------------------------------------------------------------------------------

    def objective(self, point: Path) -> float:
        """The effort, or the time, in units."""
        return float(point.v[self.count * self.m]) if self.free else float(np.sum(self.price * self.U(point) ** 2))

    def gradient(self, point: Path) -> Array:
        """The derivative of the objective."""
        g = np.zeros(self.width)
        if self.free:
            g[self.curved + self.count * self.m] = 1.0
        else:
            g[self.commands] = 2.0 * self.price * self.U(point)
        return g

    def constraints(self, point: Path) -> Array:
        """By how much the steps miss their ends, and what is left of the norm's limit."""
        Y, U, k, h, wanted = self._steps(point)
        there = self.steps.ends(Y, U, k, h)
        c = self.steps.layout.difference(wanted, there) / self.steps.units
        parts = [c[self.given]]
        if len(self.slacks):
            parts.append(1.0 - np.sum(self._lengths(self.U(point)) ** 2, axis=1) - point.v[-self.count :])
        return np.concatenate(parts)

    def jacobian(self, point: Path) -> Any:
        """The derivative of the constraints."""
        Y, U, k, h, _ = self._steps(point)
        there, A, B = self.steps.tangents(Y, U, k, h)
        b = self.steps.by_length(Y, U, k, h, there) if self.free else np.zeros((self.count, self.d))
        whole = np.concatenate([A, B, b[:, :, None]], axis=2)
        rows = np.broadcast_to(self.rows[:, :, None], whole.shape)
        columns = np.broadcast_to(self.block[:, None, :], whole.shape)
        parts = [(whole, rows, columns), (-np.ones_like(self.rows), self.rows, self.nodes[1:])]
        if len(self.slacks):
            scale = self.steps.command_units / self.norm
            lengths = -2.0 * scale * self._lengths(self.U(point))
            parts.append((lengths, np.broadcast_to(self.slack_rows[:, None], lengths.shape), self.commands))
            parts.append((-np.ones(self.count), self.slack_rows, self.slacks))
        return _sparse(parts, (self.height, self.width))

    def hessian(self, point: Path, multipliers: Array) -> Any:
        """The second derivatives of objective and weighted constraints."""
        Y, U, k, h, wanted = self._steps(point)
        weights = np.zeros((self.count, self.d))
        weights[self.given] = multipliers[: int(self.given.sum())]
        H = self.steps.curvature(Y, U, k, h, wanted, weights)
        at = np.arange(self.d, self.d + self.m)
        if not self.free:
            H[:, at, at] += 2.0 * self.price
        if len(self.slacks):
            scale = self.steps.command_units / self.norm
            H[:, at, at] -= 2.0 * scale**2 * multipliers[self.height - self.count :, None]
        rows = np.broadcast_to(self.block[:, :, None], H.shape)
        columns = np.broadcast_to(self.block[:, None, :], H.shape)
        return _sparse([(H, rows, columns)], (self.width, self.width))

    # --- what commands can do ------------------------------------------------------------------------------------------------

    def response(self, size: float = 0.3) -> Array:
        """The derivative (d, N m) of the end by all commands, in units, along a motion with random commands of this size."""
        rng = np.random.default_rng(0)
        U = np.clip(size * rng.normal(size=(self.count, self.m)), self.bounds[0], self.bounds[1])
        here, columns, h = self.first[None], list[Array](), self.time / self.count
        for k, u in enumerate(U * self.steps.command_units):
            at = here, u[None], np.full(1, float(k)), h
            here, A, B = self.steps.tangents(*at)
            columns = [*(A[0] @ column for column in columns), B[0]]
        return np.concatenate(columns, axis=1)


def _sparse(parts: list[tuple[Array, Any, Any]], shape: tuple[int, int]) -> Any:
    """The matrix of entries with their rows and columns; those at −1 are left out."""
    from scipy.sparse import coo_array

    values, rows, columns = (np.concatenate([np.ravel(part[i]) for part in parts]) for i in range(3))
    kept = (rows >= 0) & (columns >= 0)
    return coo_array((values[kept], (rows[kept], columns[kept])), shape=shape).tocsr()
