"""The turns of space and of the body that leave the equations of one body unchanged, and equilibria up to these.

`(R, Π) ↦ (A R B, BᵀΠ)` is a symmetry where the right-hand side at the new state is `(A Ṙ B, BᵀΠ̇)`. Continuous ones, turns
about an axis of space or of the body, are the null vectors of the derivative of that condition by the turn. Discrete ones
are looked for among the turns that take the axes of space, or those that the body's have in an equilibrium, and the
principal axes of the body to each other. Both are tested at states in general position and near the equilibria. Turns only:
reflections, and those with time reversed, are not looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.representation import Form
from ...core.system import State, System
from ...geometry import so3
from ..inputs.symmetry import axes_across, trial_states
from ..stability.equilibria import Equilibria, Equilibrium, attitude_taking
from ..stability.equilibrium_search import GENERATORS, cube_attitudes, right_handed
from ..stability.tangent_dynamics import slope_and_derivative

Array = NDArray[np.float64]
TRIALS = 5  # in general position, and as many of the equilibria
SAME, TIMES = 1e-6, (0.0, 0.3)
Turn = tuple[Array, Array]


@dataclass(frozen=True)
class TurnSymmetry:
    """Axes of space and of the body about which every turn is a symmetry, as rows, and pairs of turns (A, B)."""

    in_space: Array
    in_body: Array
    turns: Sequence[Turn] = ((np.eye(3), np.eye(3)),)

    def __str__(self) -> str:
        parts = [_axes_text("space", self.in_space), _axes_text("the body", self.in_body)]
        alone: list[list[Array]] = []
        for frame, mine in (("space", 0), ("the body", 1)):
            alone.append([pair[mine] for pair in self.turns if _near(pair[1 - mine], np.eye(3))])
            halves = [_axis(turn) for turn in alone[-1] if np.isclose(np.trace(turn), -1.0)]
            rest = len(alone[-1]) - 1 - len(halves)
            parts += [f"half turns of {frame} about " + ", ".join(map(_text, halves))] if halves else []
            parts += [f"{rest} other turns of {frame}"] if rest else []
        together = [
            pair
            for pair in self.turns
            if not all(any(_near(turn, other) for other in known) for turn, known in zip(pair, alone, strict=True))
        ]
        plural = "s" if len(together) > 1 else ""
        parts += [f"{len(together)} combined turn{plural} of space and the body"] if together else []
        return "; ".join(part for part in parts if part)

    def modulo_continuous(self) -> TurnSymmetry:
        """With one of those pairs of turns that differ by a continuous symmetry."""
        kept: list[Turn] = []
        for pair in self.turns:
            if not any(self._differ_continuously(pair, other) for other in kept):
                kept.append(pair)
        return TurnSymmetry(self.in_space, self.in_body, kept)

    def _differ_continuously(self, pair: Turn, other: Turn) -> bool:
        """Whether `A' Aᵀ` is a turn about an axis of space, and `Bᵀ B'` one about an axis of the body, of the symmetry."""
        left, right = other[0] @ pair[0].T, pair[1].T @ other[1]
        return all(
            len(axes) == 3 or (_near(turn @ axes[0], axes[0]) if len(axes) else _near(turn, np.eye(3)))
            for turn, axes in ((left, self.in_space), (right, self.in_body))
        )

    def relate(self, state: State, other: State) -> bool:
        """Whether one of the symmetries takes `state` to `other`."""
        size = max(float(np.abs(state.omega).max()), float(np.abs(other.omega).max())) or 1.0
        left = np.eye(3) if len(self.in_space) == 0 else self.in_space[:1] if len(self.in_space) == 1 else np.eye(0, 3)
        goal = np.vstack([left @ other.R, other.omega / size])
        for A, B in self.turns:
            start = np.vstack([left @ A @ state.R @ B, state.omega @ B / size])
            if np.abs(self._turned(start, goal) - goal).max() <= SAME:
                return True
        return False

    def _turned(self, vectors: Array, goal: Array) -> Array:
        """Vectors of the body (rows) after the turn of the continuous symmetry that brings them nearest to `goal`."""
        if len(self.in_body) == 0:
            return vectors
        if len(self.in_body) == 1:
            m = self.in_body[0]
            across, ahead = vectors - np.outer(vectors @ m, m), np.cross(m, vectors)
            return vectors @ so3.exp(np.arctan2(np.sum(goal * ahead), np.sum(goal * across)) * m).T
        U, _, Vt = np.linalg.svd(vectors.T @ goal)
        return np.asarray(vectors @ U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt)


def up_to_symmetry(system: System, found: Sequence[Equilibrium]) -> Equilibria:
    """One of each class of equilibria that turns of space and of the body make of each other."""
    symmetry = turn_symmetry(system, found)
    kept: list[Equilibrium] = []
    for e in found:
        if not any(symmetry.relate(e, other) for other in kept):
            kept.append(e)
    return Equilibria(kept, str(symmetry), found)


def aligned_at_rest(system: System, arm: ArrayLike, direction: ArrayLike, along: str, against: str) -> Equilibria:
    """At rest with `arm` of the body along or against a `direction` of space, which are named so; one of each circle."""
    states = [
        Equilibrium(label, system.state(R=attitude_taking(sign * np.asarray(arm), direction)))
        for label, sign in ((along, 1.0), (against, -1.0))
    ]
    return up_to_symmetry(system, states)


def turn_symmetry(system: System, found: Sequence[State]) -> TurnSymmetry:
    """The symmetries of one body with the state R, Π; the discrete ones only where there are states to compare."""
    equations = _Equations(system, found)
    in_space, in_body = equations.axes()
    continuous = TurnSymmetry(in_space, in_body)
    if len(found) < 2:
        return continuous
    assert system.inertia is not None
    J, principal = system.inertia.matrix, right_handed(system.inertia.axes)
    cube = np.array(cube_attitudes())
    spaces = [np.eye(3), right_handed(found[0].R @ principal), *map(_frame, in_space[:1])]
    bodies = [principal, *map(_frame, in_body[:1])]
    lefts = _distinct([F @ C @ F.T for F in spaces for C in cube])
    rights = _distinct([F @ C @ F.T for F in bodies for C in cube])
    rights = [B for B in rights if np.abs(B.T @ J @ B - J).max() <= SAME * np.abs(J).max()]
    if len(in_space) == 3:
        lefts = [np.eye(3)]
    turns = [(A, B) for A in lefts for B in rights if equations.unchanged(A, B)]
    turns.sort(key=lambda pair: -np.trace(pair[0]) - np.trace(pair[1]))  # the least turns first
    return TurnSymmetry(in_space, in_body, turns).modulo_continuous()


class _Equations:
    """The right-hand side at states where a symmetry shows, in units of its largest terms."""

    def __init__(self, system: System, found: Sequence[State]) -> None:
        self.representation, self.p = system.representations[Form.DEFAULT], system.parameters()
        R, omega = trial_states()
        R, omega = R[: 2 * TRIALS].copy(), omega[: 2 * TRIALS].copy()
        for i, e in enumerate(found[:TRIALS]):
            R[i] = e.R
        rest = [system.state(R=A, omega=np.zeros(3)).Pi for A in R]
        assert system.inertia is not None
        moments = [
            np.abs(self.slope(np.concatenate([A.ravel(), P]), 0.0)[9:]).max() for A, P in zip(R, rest, strict=True)
        ]
        rate = np.sqrt(max(moments) / system.inertia.moments.max()) or 1.0
        spins = [system.state(R=A, omega=rate * w).Pi for A, w in zip(R, omega, strict=True)]
        self.states = [
            np.concatenate([A.ravel(), P]) for momenta in (spins, rest) for A, P in zip(R, momenta, strict=True)
        ]
        slopes = np.array([[self.slope(y, t) for t in TIMES] for y in self.states])
        turning, kick = slopes[..., :9], slopes[..., 9:]
        sizes = np.abs(np.cross(np.array(spins), rate * omega)).max()
        half = len(R)
        self.slopes = slopes
        self.unit = np.empty((2, 12))  # of a state that moves, and of one at rest
        self.unit[:, :9] = np.abs(turning).max() or 1.0
        self.unit[0, 9:] = max(np.abs(kick[:half]).max(), sizes)
        self.unit[1, 9:] = np.abs(kick[half:]).max() or 1.0

    def slope(self, y: Array, t: float) -> Array:
        """dy/dt."""
        return slope_and_derivative(self.representation, y, np.zeros((12, 0)), self.p, t)[0]

    def unchanged(self, A: Array, B: Array) -> bool:
        """Whether the turn A of space with the turn B of the body is a symmetry."""
        for k, (y, slopes) in enumerate(zip(self.states, self.slopes, strict=True)):
            moved = np.concatenate([(A @ y[:9].reshape(3, 3) @ B).ravel(), y[9:] @ B])
            unit = self.unit[int(k >= len(self.states) // 2)]
            for t, v in zip(TIMES, slopes, strict=True):
                expected = np.concatenate([(A @ v[:9].reshape(3, 3) @ B).ravel(), v[9:] @ B])
                if not np.abs((self.slope(moved, t) - expected) / unit).max() <= 1e-3 * SAME:
                    return False
        return True

    def axes(self) -> tuple[Array, Array]:
        """The axes of continuous symmetry in space and in the body."""
        space, body = [], []
        for k, (y, slopes) in enumerate(zip(self.states, self.slopes, strict=True)):
            R, Pi, unit = y[:9].reshape(3, 3), y[9:], self.unit[int(k >= len(self.states) // 2)][:, None]
            for t, v in zip(TIMES, slopes, strict=True):
                dR, dPi = v[:9].reshape(3, 3), v[9:]
                left = np.vstack([(GENERATORS @ R).reshape(3, 9).T, np.zeros((3, 3))])
                right = np.vstack([(R @ GENERATORS).reshape(3, 9).T, so3.hat(Pi)])
                _, changes = slope_and_derivative(self.representation, y, np.hstack([left, right]), self.p, t)
                expected_left = np.vstack([(GENERATORS @ dR).reshape(3, 9).T, np.zeros((3, 3))])
                expected_right = np.vstack([(dR @ GENERATORS).reshape(3, 9).T, so3.hat(dPi)])
                space.append((changes[:, :3] - expected_left) / unit)
                body.append((changes[:, 3:] - expected_right) / unit)
        return tuple(_axes(rows) for rows in (space, body))  # type: ignore[return-value]


def _axes(rows: list[Array]) -> Array:
    stacked = np.concatenate(rows)
    return axes_across(stacked, 1.0) if np.isfinite(stacked).all() else np.zeros((0, 3))


def _near(turn: Array, other: Array) -> bool:
    return bool(np.abs(turn - other).max() <= SAME)


def _distinct(turns: Sequence[Array]) -> list[Array]:
    kept: list[Array] = []
    for turn in turns:
        if not any(_near(turn, other) for other in kept):
            kept.append(turn)
    return kept


def _frame(axis: Array) -> Array:
    """A rotation whose last column is `axis`."""
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    return np.stack([across, np.cross(axis, across), axis], axis=1)


def _axis(turn: Array) -> Array:
    """The axis of half a turn."""
    values, vectors = np.linalg.eigh(turn + turn.T)
    axis = vectors[:, np.argmax(values)]
    return np.asarray(axis * np.sign(axis[np.argmax(np.abs(axis))]))


def _text(axis: Array) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in np.where(np.abs(axis) < 1e-9, 0.0, axis)) + ")"


def _axes_text(frame: str, axes: Array) -> str:
    return f"any turn of {frame}" if len(axes) == 3 else f"turns of {frame} about {_text(axes[0])}" if len(axes) else ""
