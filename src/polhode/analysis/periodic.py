"""Periodic motions, also up to a symmetry, found by differential correction with the exact tangent map of the method.

`Φ_T(x) = g·x`: after the period T the motion is where it began, up to a symmetry g of the system (with `relative=True`; a
relative periodic motion). Newton's method corrects the start x, the period and g together. Of the family of periodic
motions near the guess it finds one nearby: what is not held changes as little as possible.

The eigenvalues of `g⁻¹·DΦ_T` are the Floquet multipliers. Of a Hamiltonian motion they come in pairs μ, 1/μ; each
conserved quantity gives a pair of ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_integer, check_positive
from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.representation import Form
from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..methods import GaussLegendre, Method
from ..simulation.arguments import check_arguments
from ..simulation.driver import simulate
from .phase_space import PhaseSpace

Array = NDArray[np.float64]
CLOSED, ACCEPTED = (
    1e-12,
    1e-8,
)  # the gap, relative to the variables, at which the search ends, and at which it has failed
ITERATIONS = 30
LOST = 1e-9  # of the largest: singular values of directions that do not matter
LONGEST = 0.2  # step, relative to the variables
SHORTEST = 0.05  # of the guess: a period below it is on its way to zero
SIZE = 1e-3  # of the differences by which a symmetry is differentiated
UNSTABLE = 2e-3  # by how much a multiplier exceeds 1 where it is not rounding: of the fourfold one of a symmetric system, ε^(1/4)


@dataclass(frozen=True)
class PeriodicMotion:
    """A start, the period, the symmetry (amounts along the conserved momenta; zeros for a true period), the Floquet
    multipliers and the gap that is left."""

    state: State
    period: float
    method: Method
    steps: int
    symmetry: Array
    multipliers: NDArray[np.complex128]
    gap: float

    @property
    def largest(self) -> float:
        """The largest modulus of a multiplier."""
        return float(np.abs(self.multipliers).max())

    @property
    def verdict(self) -> str:
        """ "unstable", or "spectrally stable" where no multiplier leaves the unit circle."""
        return "unstable" if self.largest > 1.0 + UNSTABLE else "spectrally stable"

    def __repr__(self) -> str:
        return f"PeriodicMotion(period = {self.period:.10g}, {self.verdict}, largest multiplier {self.largest:.6g})"


def periodic(
    guess: State,
    period: float,
    *,
    steps: int = 100,
    method: Method | None = None,
    relative: bool = False,
    hold: Sequence[str] = (),
    fixed_period: bool = False,
) -> PeriodicMotion:
    """The periodic motion near `guess` with a period near `period`, for `steps` steps of `method` (default
    `GaussLegendre()`) per period.

    `relative` allows for a symmetry of the system, such as a turn about the vertical. `hold` are conserved quantities
    that keep the values of the guess; `fixed_period` keeps the period.

    >>> import polhode as ph
    >>> start = ph.PlanarPendulum(inertia=1.0, mass=1.0, length=1.0, g=1.0).state(theta=1.0)
    >>> found = periodic(start, 6.5, steps=40, hold=["energy"])
    >>> from scipy.special import ellipk
    >>> bool(abs(found.period - 4 * ellipk(np.sin(0.5) ** 2)) < 1e-10)
    True
    """
    method = GaussLegendre() if method is None else method
    check_arguments(guess, method)
    method.check(guess.system)
    if method.representation != Form.DEFAULT:
        raise InvalidInputError("method", method, "a method in the usual variables of the system")
    T, count = check_positive("period", period), check_integer("steps", steps, 1)
    search = _Search(PhaseSpace(guess), method, count, relative, hold)
    y, shift = search.space.y, np.zeros(search.symmetries)
    before = np.inf
    for _ in range(ITERATIONS):
        r, J = search.residual_and_derivative(y, T, shift)
        size = float(np.abs(r).max())
        if size < CLOSED or (size < ACCEPTED and size > 0.5 * before):
            break
        before = size
        if fixed_period:
            J[:, search.dimension] = 0.0
        step: Array = np.asarray(np.linalg.lstsq(J, -r, rcond=LOST)[0], dtype=np.float64)
        step *= min(1.0, LONGEST / max(float(np.abs(step[: search.dimension]).max()), LONGEST))
        y = search.moved(y, step[: search.dimension])
        T, shift = T + float(step[search.dimension]) * T, shift + step[search.dimension + 1 :]
        if SHORTEST * period >= T:
            raise PolhodeError("no periodic motion was found: the period shrinks to zero; give a better guess")
    r, J = search.residual_and_derivative(y, T, shift)
    gap = float(np.abs(r).max())
    if not gap < ACCEPTED:
        raise PolhodeError(f"no periodic motion was found near the guess: a gap of {gap:.1e} is left after the period")
    multipliers = search.multipliers(y, T, shift)
    return PeriodicMotion(search.space.state(y), T, method, count, shift, multipliers, gap)


class _Search:
    """The gap after a period, in units of the variables, as a function of the start, the period and the symmetry."""

    def __init__(self, space: PhaseSpace, method: Method, steps: int, relative: bool, hold: Sequence[str]) -> None:
        self.space, self.method, self.steps = space, method, steps
        self.dimension = space.layout.dimension
        self.symmetries = space.generators(space.y).shape[1] if relative else 0
        self.held = space.check_names("hold", hold)
        self.wanted = space.values(space.y, self.held)
        self.unit = np.maximum(np.abs(self.wanted), 1e-3 * max(1.0, float(np.abs(self.wanted).max(initial=0.0))))

    def moved(self, y: Array, step: Array) -> Array:
        """y displaced, in units of the variables."""
        return self.space.layout.retract(y, np.asarray(step * self.space.reach))

    def _run(self, y: Array, T: float) -> tuple[Array, Array]:
        """The state after the period and the tangent map to it, in units of the variables."""
        run = simulate(
            self.space.state(y),
            step=T / self.steps,
            steps=self.steps,
            save_every=self.steps,
            method=self.method,
            tangent=True,
        )
        assert run.tangent is not None
        reach = self.space.reach
        return self.space.layout.pack(run.final.values), run.tangent[-1] * reach / reach[:, None]

    def residual_and_derivative(self, y: Array, T: float, shift: Array) -> tuple[Array, Array]:
        """The gap between the end and the start moved by the symmetry, with what is held; and its derivatives by the
        start, the logarithm of the period and the symmetry."""
        space, units = self.space, self.space.scale / self.space.reach
        end, Phi = self._run(y, T)
        goal = space.acted(y, shift) if self.symmetries else y
        gap = space.layout.coordinates(goal, end - goal) / space.reach
        action = self._action(y, shift)
        columns = [Phi - action, (space.field(end) * units * T)[:, None]]
        columns += [-self._by_shift(y, goal, shift, e)[:, None] for e in np.eye(self.symmetries)]
        J = np.hstack(columns)
        if self.held:
            slopes = space.slopes(y, self.held) / units / self.unit[:, None]
            J = np.vstack([J, np.hstack([slopes, np.zeros((len(slopes), J.shape[1] - self.dimension))])])
        return np.concatenate([gap, (space.values(y, self.held) - self.wanted) / self.unit]), J

    def _by_shift(self, y: Array, goal: Array, shift: Array, along: Array) -> Array:
        """The derivative of the start moved by the symmetry, by an amount of that, in units of the variables."""
        size = SIZE / max(float(np.abs(self.space.generators(goal) @ along).max()), 1e-300)
        terms = (w * self.space.acted(y, shift + o * size * along) for o, w in zip(OFFSETS, WEIGHTS, strict=True))
        return np.asarray(self.space.layout.coordinates(goal, sum(terms, np.zeros_like(y)) / size) / self.space.reach)

    def _action(self, y: Array, shift: Array) -> Array:
        """The derivative of the symmetry, in units of the variables."""
        if not np.any(shift):
            return np.eye(self.dimension)
        space = self.space
        goal = space.acted(y, shift)
        rows = space.derivative(lambda x: space.acted(x, shift), y)  # (size, dimension)
        columns = [space.layout.coordinates(goal, column) for column in (rows * (space.reach / space.scale)).T]
        return np.stack(columns, axis=1) / space.reach[:, None]

    def multipliers(self, y: Array, T: float, shift: Array) -> NDArray[np.complex128]:
        """The Floquet multipliers, by falling modulus."""
        _, Phi = self._run(y, T)
        found = np.linalg.eigvals(np.linalg.solve(self._action(y, shift), Phi)).astype(np.complex128)
        return np.asarray(found[np.argsort(-np.abs(found), kind="stable")])
