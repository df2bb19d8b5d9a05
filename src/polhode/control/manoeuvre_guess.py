"""Where the search for a manoeuvre begins: a smooth turn about the axis of the shortest rotation, and units for all.

The rotation vector a from the attitude at the start is the cubic with `a = 0, a' = T ω₀` at the start and, at the end, the
shortest rotation and `a' = T ω₁`, turned into it; the rate is that of these attitudes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.representation import Form
from ..core.system import State
from ..errors import InvalidInputError
from ..geometry import so3
from ..geometry.unchecked import rotation_exp, rotation_log
from .command_limits import Limits
from .commanded_steps import CommandedSteps

Array = NDArray[np.float64]
WIDTH = 0.3  # radians: how far off the first guess the others are


class Guess:
    """States along a first guess, flat (N + 1, size), and the units of the problem, which it sets in `steps`."""

    def __init__(
        self, start: State, end: State, steps: CommandedSteps, limits: Limits, T: float | None, count: int
    ) -> None:
        self.start, self.end, self.steps, self.limits, self.count = start, end, steps, limits, count
        system: Any = start.system
        self.ends = [system.enter(Form.DEFAULT, state) for state in (start, end)]
        self.inertia = float(np.linalg.eigvalsh(system.inertia.matrix)[-1])
        angle = float(np.linalg.norm(rotation_log(start.R.T @ end.R)))
        change = float(np.linalg.norm(end.Pi - start.Pi))
        strength = self._strength()
        if T is None:
            T = 2.5 * np.sqrt(self.inertia * max(angle, 0.1) / strength) + change / strength
        self.T = float(T)
        rate = max(1.5 * angle, 0.1) / self.T + max(np.linalg.norm(start.omega), np.linalg.norm(end.omega))
        units = [
            np.full(v.manifold.dimension, 1.0 if v.name == "R" else self.inertia * rate)  # all others are momenta
            for v in steps.layout.variables
        ]
        steps.units = np.concatenate(units)
        typical = 4.0 * self.inertia * rate / self.T / self.torque_per_command
        steps.command_units = np.where(np.isfinite(limits.sizes), limits.sizes, typical)
        self.rows = self._rows(np.zeros(3))

    def _strength(self) -> float:
        """The largest torque that the commands make, or that of a guess where they have no limits."""
        steps, limits = self.steps, self.limits
        Y, U, h = self.ends[0][None], limits.middle()[None], 1e-3
        _, _, B = steps.tangents(Y, U, np.zeros(1), h)
        momenta = np.concatenate([np.full(v.manifold.dimension, v.name != "R") for v in steps.layout.variables])
        per_command = np.linalg.norm(B[0][momenta], axis=0) / h
        if not per_command.any():
            raise InvalidInputError("commands", limits.names, problem="at the start no command changes any momentum")
        self.torque_per_command = float(per_command.max())
        sizes = np.where(np.isfinite(limits.sizes), limits.sizes, 1.0)
        return float((per_command * sizes).max())

    def _rows(self, offset: Array) -> Array:
        """The states, off the shortest rotation by the rotation vector `offset` half-way."""
        start, end, N = self.start, self.end, self.count
        s = np.linspace(0.0, 1.0, N + 1)[:, None]
        whole = rotation_log(start.R.T @ end.R)
        first, last = self.T * start.omega, self.T * so3.exp(whole / 2).T @ end.omega
        a = whole * (3 * s**2 - 2 * s**3) + first * (s - 2 * s**2 + s**3) + last * (s**3 - s**2)
        R = start.R @ rotation_exp(a + offset * np.sin(np.pi * s) ** 2)
        omega = np.empty((N + 1, 3))
        omega[1:-1] = rotation_log(np.swapaxes(R[:-2], -1, -2) @ R[2:]) * N / (2.0 * self.T)
        system: Any = start.system
        layout, rows = self.steps.layout, np.empty((N + 1, len(self.ends[0])))
        rows[0], rows[-1] = self.ends
        for k in range(1, N):
            between = State(system, layout.unpack(self.ends[0] + k / N * (self.ends[1] - self.ends[0])), start.t)
            values = {**between.values, "R": R[k]}
            there = State(system, values, start.t)
            values["Pi"] = between.Pi + system.inertia.matrix @ (omega[k] - there.omega)
            rows[k] = layout.pack(values)
        return rows

    def path(self, rng: np.random.Generator | None) -> tuple[Array, Array]:
        """States between the ends, and commands in their units; off the first guess by chance where there is a generator."""
        rows = self.rows if rng is None else self._rows(WIDTH * rng.normal(size=3))
        U = np.tile(self.limits.middle() / self.steps.command_units, (self.count, 1))
        return rows[1:-1], U
