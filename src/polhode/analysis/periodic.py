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
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite, check_integer, check_positive
from ..core.representation import Form
from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..methods import GaussLegendre, Method
from ..simulation.arguments import check_arguments
from ..simulation.driver import run_without_warnings
from .phase_space import PhaseSpace
from .reduction import across_motion, eigenvalues_and_conditions, without_kernel

Array = NDArray[np.float64]
CLOSED, ACCEPTED = (
    1e-12,
    1e-8,
)  # the gap, relative to the variables, at which the search ends, and at which it has failed
ITERATIONS = 30
LOST = 1e-9  # of the largest: singular values of directions that do not matter
LONGEST = 0.2  # step, relative to the variables
SHORTEST = 0.05  # of the guess: a period below it is on its way to zero
NULL = 1e-7  # singular value of the change after a period that is none
UNSTABLE = 1e-6  # by how much a multiplier exceeds 1, beside its error
SAFETY = 10.0  # of the errors that are estimated
ROUNDING = 1e-14  # of the tangent map, relative to its largest entry


@dataclass(frozen=True)
class PeriodicMotion:
    """A start, the period, the symmetry (amounts along the conserved momenta; none for a true period), the Floquet
    multipliers and the gap that is left. `normal_multipliers` are without the ones that the motion itself, its symmetries and
    their conserved quantities make, and decide on stability; `errors` are estimates of theirs, large where two nearly coincide
    and where the method conserves the energy badly."""

    state: State
    period: float
    method: Method
    steps: int
    symmetry: Array
    multipliers: NDArray[np.complex128]
    normal_multipliers: NDArray[np.complex128]
    errors: Array
    gap: float

    @property
    def largest(self) -> float:
        """The largest modulus of a normal multiplier."""
        return float(np.abs(self.normal_multipliers).max(initial=1.0))

    @property
    def verdict(self) -> str:
        """ "unstable", or "spectrally stable" where no multiplier leaves the unit circle by more than its error."""
        beyond = np.abs(self.normal_multipliers) - 1.0 - SAFETY * self.errors
        return "unstable" if np.any(beyond > UNSTABLE) else "spectrally stable"

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
    symmetry: ArrayLike | None = None,
) -> PeriodicMotion:
    """The periodic motion near `guess` with a period near `period`, for `steps` steps of `method` (default
    `GaussLegendre()`) per period.

    `relative` allows for a symmetry of the system, such as a turn about the vertical. `hold` are conserved quantities
    that keep the values of the guess; `fixed_period` keeps the period. `symmetry` are first guesses of the amounts along the
    conserved momenta, by default none.

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
    search = PeriodicSearch(PhaseSpace(guess, relative), method, count, hold)
    y, shift = search.space.y, np.zeros(search.symmetries)
    if symmetry is not None:
        shift = check_finite("symmetry", symmetry, (search.symmetries,))
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
    return search.described(y, T, shift, gap)


class PeriodicSearch:
    """The gap after a period, in units of the variables, as a function of the start, the period and the symmetry."""

    def __init__(self, space: PhaseSpace, method: Method, steps: int, hold: Sequence[str] = ()) -> None:
        self.space, self.method, self.steps = space, method, steps
        self.dimension = space.layout.dimension
        self.symmetries = space.generators(space.y).shape[1]
        self.held = space.check_names("hold", hold)
        self.wanted = space.values(space.y, self.held)
        self.unit = np.maximum(np.abs(self.wanted), 1e-3 * max(1.0, float(np.abs(self.wanted).max(initial=0.0))))

    def moved(self, y: Array, step: Array) -> Array:
        """y displaced, in units of the variables."""
        return self.space.moved(y, np.asarray(step * self.space.reach / self.space.scale))

    def _run(self, y: Array, T: float, tangent: Any) -> tuple[Array, Array]:
        """The state after the period, and the tangent map to it, if there is one."""
        start = State(self.space.system, self.space.layout.unpack(y), self.space.t)
        many = {"steps": self.steps, "save_every": self.steps, "method": self.method, "tangent": tangent}
        run = run_without_warnings(start, step=T / self.steps, **many)
        end = self.space.layout.pack({name: getattr(run.final, name) for name in self.space.layout.slices})
        return end, np.zeros((0, 0)) if run.tangent is None else run.tangent[-1]

    def _goal(self, y: Array, shift: Array) -> tuple[Array, Array]:
        """The start moved by the symmetry, and the matrix of that."""
        return self.space.acted(y, shift) if self.symmetries else (y, np.eye(y.size))

    def residual(self, y: Array, T: float, shift: Array) -> Array:
        """The gap between the end and the start moved by the symmetry."""
        end, goal = self._run(y, T, None)[0], self._goal(y, shift)[0]
        gap = self.space.layout.coordinates(goal, end - goal) / self.space.reach
        return np.asarray(gap[self.space.kept])

    def by_parameter(self, y: Array, T: float, name: str) -> Array:
        """The derivative of the gap by a parameter of the system, from the exact tangent map."""
        return np.asarray(self._run(y, T, [name])[1][:, 0] / self.space.reach)

    def residual_and_derivative(self, y: Array, T: float, shift: Array) -> tuple[Array, Array]:
        """The gap between the end and the start moved by the symmetry, with what is held; and its derivatives by the
        start, the logarithm of the period and the symmetry."""
        space, units = self.space, self.space.scale / self.space.reach
        end, Phi = self._run(y, T, True)
        goal, moved = self._goal(y, shift)
        gap = space.layout.coordinates(goal, end - goal) / space.reach
        change = Phi * space.reach / space.reach[:, None] - self._action(y, goal, moved)
        columns = [change, (space.field(end) * units * T)[:, None]]
        columns += [-space.acted_by_amounts(y, shift) * units[:, None]] if self.symmetries else []
        J = np.hstack(columns)[space.kept]
        J[:, : self.dimension][:, ~space.kept] = 0.0
        if self.held:
            slopes = space.slopes(y, self.held) / units / self.unit[:, None] * space.kept
            J = np.vstack([J, np.hstack([slopes, np.zeros((len(slopes), J.shape[1] - self.dimension))])])
        return np.concatenate([gap[space.kept], (space.values(y, self.held) - self.wanted) / self.unit]), J

    def _action(self, y: Array, goal: Array, moved: Array) -> Array:
        """The derivative of the symmetry that takes y to `goal` by the matrix `moved`, in units of the variables."""
        layout, reach = self.space.layout, self.space.reach
        return np.asarray(layout.coordinates(goal, (moved @ layout.basis(y)).T).T * reach / reach[:, None])

    def described(self, y: Array, T: float, shift: Array, gap: float) -> PeriodicMotion:
        """The motion, with its Floquet multipliers by falling modulus."""
        space, reach = self.space, self.space.reach
        goal, moved = self._goal(y, shift)
        matrix = np.linalg.solve(self._action(y, goal, moved), self._run(y, T, True)[1] * reach / reach[:, None])
        found = np.linalg.eigvals(matrix).astype(np.complex128)
        energies = [name for name, each in space.system.conserved.items() if each.kind == "energy"]
        units, kept = reach / space.scale, space.kept
        change = (matrix * units[:, None] / units)[np.ix_(kept, kept)] - np.eye(int(kept.sum()))
        momenta, slopes = (space.slopes(y, names)[:, kept] for names in (space.bounding, energies))
        across, error = across_motion(change, momenta, space.generators(y)[kept], slopes, space.field(y)[kept])
        normal, conditions = eigenvalues_and_conditions(without_kernel(across, NULL))
        order = np.argsort(-np.abs(1.0 + normal), kind="stable")
        error = max(error, gap, ROUNDING * float(np.abs(change).max()))
        multipliers = found[np.argsort(-np.abs(found), kind="stable")]
        errors = np.asarray(error * conditions[order])
        return PeriodicMotion(
            space.state(y), T, self.method, self.steps, shift, multipliers, 1.0 + normal[order], errors, gap
        )
