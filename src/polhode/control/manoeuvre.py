"""Optimal manoeuvres: the commands that bring a body from one state to another with the least effort or in the least time.

The commands are values of named parameters of the system, torques for example, each held for one step of a variational
method (discrete mechanics and optimal control). The motion that is optimised is the discrete one, so that `simulate` with
these commands reproduces it. `transcription` states the problem, `interior_point` solves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_integer, check_positive, one_of
from ..core.facade import above
from ..core.system import State
from ..errors import InvalidInputError
from ..methods import LGVI
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory
from ..systems.attitude.base import AttitudeSystem
from .command_limits import Limits
from .commanded_steps import CommandedSteps
from .interior_point import Optimum
from .interior_point import minimise as find_minimum
from .manoeuvre_guess import Guess
from .shooting import MissedEndPointError
from .transcription import Path, Transcription

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

ARRIVED = 1e-9  # how far from the end the simulated motion may arrive, in units of the motion
GOALS = ("effort", "time")
# Singular values of the response to commands below this, relative to the largest, are directions that none changes.
NO_RESPONSE = 1e-9


@dataclass(frozen=True)
class Manoeuvre:
    """An optimal manoeuvre, as `simulate` reproduces it.

    `trajectory`: the simulated motion, with its `commands`; `u` (N, m): the commands, a row per step, in the order of
    `names`; `T`: its duration; `effort`: `Σ h |u|²`; `miss`: how far from the end the simulated motion arrives (radians for
    the attitude, units of the motion for momenta); `deviation`: the largest difference of the simulated states from the
    optimised ones; `stationarity`: what is left of the conditions for a minimum; `iterations` of the solver, all starts.
    """

    trajectory: Trajectory
    names: tuple[str, ...]
    u: Array
    T: float
    effort: float
    miss: float
    deviation: float
    stationarity: float
    iterations: int

    @property
    def t(self) -> Array:
        """The times at which the commands begin to be held."""
        return self.trajectory.t[:-1]

    def plot(self) -> Figure:
        """Commands, rate and the angle to the end over time."""
        return above("plot_manoeuvre")(self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        names = ", ".join(self.names)
        return f"Manoeuvre(T = {self.T:.8g}, effort = {self.effort:.8g}; {len(self.u)} steps of {names}; misses by {self.miss:.1g})"


def manoeuvre(
    start: State,
    end: State,
    T: float | None = None,
    *,
    minimise: str = "effort",
    commands: Sequence[str] | None = None,
    limits: Any = None,
    norm: float | None = None,
    free: Sequence[str] = (),
    steps: int = 60,
    starts: int = 1,
    seed: int = 0,
    method: LGVI | None = None,
) -> Manoeuvre:
    """The manoeuvre from `start` to `end`, states of one attitude system, with the least effort in the time `T` or, with
    `minimise="time"`, in the least time.

    `commands`: the named parameters of the system that are commanded, by default all. `limits` of the commands: a number
    for all, or a table by name, of numbers (|u| ≤ limit) or pairs (least, largest); `norm`: the largest length of the
    vector of all commands. `free`: variables whose value at the end is not prescribed, such as "Pi". `steps`: how many
    intervals there are, in each of which the commands are constant. `starts`: from how many first guesses the search
    begins, the first along the shortest rotation, the others off it by chance from `seed`; the best result is returned.

    >>> import polhode as ph
    >>> ball = ph.AttitudeBody([2, 2, 2], moment=["u1", "u2", "u3"], parameters={"u1": 0, "u2": 0, "u3": 0})
    >>> turned = manoeuvre(ball.state(), ball.state(R=ph.so3.exp([0, 0, 1.0])), T=4.0, steps=20)
    >>> round(turned.effort, 2), 12 * 1.0**2 * 2**2 / 4.0**3                         # 12 θ² I²/T³
    (0.75, 0.75)
    """
    problem = _Problem(start, end, T, minimise, commands, limits, norm, free, steps, method or LGVI())
    return problem.solve(check_integer("starts", starts, 1), seed)


class _Problem:
    """A checked request."""

    def __init__(
        self,
        start: State,
        end: State,
        T: float | None,
        goal: str,
        commands: Sequence[str] | None,
        limits: Any,
        norm: float | None,
        free: Sequence[str],
        steps: int,
        method: LGVI,
    ) -> None:
        self.start, self.end, self.method = start, end, method
        self._check_states()
        self.goal, self.count = one_of("minimise", goal, GOALS), check_integer("steps", steps, 2)
        self.limits = Limits(start.system, commands, limits, norm)
        if goal == "effort" and T is None:
            raise InvalidInputError("T", T, "the time that the manoeuvre takes; minimise='time' finds the least")
        if goal == "time" and not self.limits.bounded:
            raise InvalidInputError("limits", limits, problem="without limits or norm there is no least time")
        self.T = None if T is None else check_positive("T", T)
        layout = start.system.representations[method.representation].layout
        sizes = {v.name: v.manifold.dimension for v in layout.variables}
        for name in free:
            if name not in sizes:
                raise InvalidInputError("free", name, f"names among {', '.join(sizes)}")
        self.ending = np.concatenate([np.full(size, name not in free) for name, size in sizes.items()])
        self.coordinates = [f"{name}[{i}]" for name, size in sizes.items() for i in range(size)]
        self.unchanged = np.zeros((len(self.coordinates), 0))
        self._check_conserved(free)

    def _check_states(self) -> None:
        start, end = self.start, self.end
        if not isinstance(start, State) or not isinstance(start.system, AttitudeSystem):
            raise InvalidInputError("start", start, "a state of an attitude system")
        if not isinstance(end, State) or end.system is not start.system:
            raise InvalidInputError("end", end, "a state of the same system as start")
        if not isinstance(self.method, LGVI) or self.method.staggered:
            raise InvalidInputError("method", self.method, "LGVI() of any order")
        self.method.check(start.system)

    def _check_conserved(self, free: Sequence[str]) -> None:
        """Refuse an end that a conserved quantity forbids, whatever is commanded."""
        system = self.start.system
        if free:
            return
        before, after = (system.invariants(state.values) for state in (self.start, self.end))
        for name in system.conserved:
            a, b = np.asarray(before[name]), np.asarray(after[name])
            if np.abs(a - b).max() > 1e-9 * max(np.abs(a).max(), np.abs(b).max()):
                raise MissedEndPointError(
                    f"no command leads to this end: {name} is conserved, which is {a.tolist()} at the start and "
                    f"{b.tolist()} at the end",
                    float(np.abs(a - b).max()),
                )

    def solve(self, starts: int, seed: int) -> Manoeuvre:
        """The best of the manoeuvres that the starts lead to."""
        rng = np.random.default_rng(seed)
        found: list[tuple[float, Transcription, Optimum]] = []
        iterations, last = 0, None
        for i in range(starts):
            last = self._search(self.goal, self.T, rng if i else None)
            iterations += last[1].iterations
            if last[1].converged:
                found.append((last[0].objective(last[1].point), *last))
        if not found:
            assert last is not None
            raise self._explained(*last)
        _, problem, optimum = min(found, key=lambda each: each[0])
        return self._simulated(problem, optimum, iterations)

    def _search(self, goal: str, T: float | None, rng: np.random.Generator | None) -> tuple[Transcription, Optimum]:
        steps = CommandedSteps(self.start, self.method, self.limits.places)
        guess = Guess(self.start, self.end, steps, self.limits, T, self.count)

        def stated(ending: NDArray[np.bool_]) -> Transcription:
            return Transcription(
                steps,
                guess.rows[0],
                guess.rows[-1],
                self.count,
                time=guess.T,
                free=goal == "time",
                ending=ending,
                bounds=self.limits.in_units(steps.command_units),
                norm=self.limits.norm,
            )

        # what no command changes at the end follows from the rest, or cannot be reached: it is not asked for twice
        problem = stated(self.ending)
        independent, self.unchanged = _rank(problem.response(), self.ending)
        problem = problem if (independent | ~self.ending).all() else stated(self.ending & independent)
        Y, U = guess.path(rng)
        return problem, find_minimum(problem, problem.path(Y, U))

    def _simulated(self, problem: Transcription, optimum: Optimum, iterations: int) -> Manoeuvre:
        """Simulate the commands, and compare."""
        path: Path = optimum.point
        steps, T = problem.steps, problem.duration(path)
        u, h = problem.U(path) * steps.command_units, T / self.count
        trajectory = self._run(u, h)
        rows = np.concatenate(
            [trajectory.values[v.name].reshape(len(trajectory), -1) for v in steps.layout.variables], axis=1
        )
        wanted = np.concatenate([problem.first[None], path.Y])
        deviation = np.abs(steps.layout.difference(wanted, rows[:-1]) / steps.units).max()
        left = np.where(self.ending, steps.layout.difference(problem.last, rows[-1]) / steps.units, 0.0)
        miss = float(np.abs(left).max())
        if miss > ARRIVED:
            blocked = self.unchanged @ (self.unchanged.T @ left)
            if np.linalg.norm(blocked) > 0.5 * np.linalg.norm(left):
                raise MissedEndPointError(
                    f"no command leads to this end: none changes {self._combination(blocked)}; the nearest motion found "
                    f"ends {miss:.3g} from it",
                    miss,
                )
            raise MissedEndPointError(
                f"the simulated motion ends {miss:.3g} from the end: errors grow on the way; give a shorter T", miss
            )
        effort = h * float(np.sum(u**2))
        return Manoeuvre(
            trajectory, self.limits.names, u, T, effort, miss, float(deviation), optimum.stationarity, iterations
        )

    def _run(self, u: Array, h: float) -> Trajectory:
        def replayed(t: float, state: State) -> Mapping[str, Any]:
            return self.limits.table(u[round((t - self.start.t) / h)])

        return simulate(self.start, step=h, steps=len(u), method=self.method, controller=replayed, every=h)

    # --- why not -------------------------------------------------------------------------------------------------------------

    def _explained(self, problem: Transcription, optimum: Optimum) -> MissedEndPointError:
        """Why there is no manoeuvre, in words."""
        if self.goal == "effort" and self.limits.bounded:
            fastest, least = self._search("time", None, None)
            time = fastest.duration(least.point)
            if least.converged and self.T is not None and time > self.T:
                return MissedEndPointError(
                    f"T = {self.T:g} is too short for these limits: the least time found is {time:.6g}",
                    optimum.violation,
                )
        return MissedEndPointError(
            f"no manoeuvre found in {optimum.iterations} iterations: equations missed by {optimum.violation:.3g}, the minimum "
            f"by {optimum.stationarity:.3g}; give another T, more steps, or more starts",
            optimum.violation,
        )

    def _combination(self, direction: Array) -> str:
        """A direction as a combination of tangent coordinates."""
        x = direction / np.linalg.norm(direction)
        terms = [(a, name) for a, name in zip(x, self.coordinates, strict=True) if abs(a) > 1e-3]
        return " + ".join(name if abs(a) > 0.999 else f"{a:.3g}·{name}" for a, name in terms).replace("+ -", "− ")


def _rank(response: Array, ending: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Array]:
    """Which coordinates at the end, of those that are given, commands change independently; and the directions, as columns,
    that they do not change."""
    from scipy.linalg import qr

    asked = np.flatnonzero(ending)
    directions, sizes, _ = np.linalg.svd(response[asked], full_matrices=True)
    rank = int(np.count_nonzero(sizes > NO_RESPONSE * sizes[0]))
    _, order = qr(response[asked].T, mode="r", pivoting=True)
    independent = np.zeros(len(ending), dtype=bool)
    independent[asked[order[:rank]]] = True
    unchanged = np.zeros((len(ending), len(asked) - rank))
    unchanged[asked] = directions[:, rank:]
    return independent, unchanged
