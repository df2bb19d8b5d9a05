"""Poincaré sections: the states at which a motion passes through a surface, found by the method's own steps.

The surface is where a function g of the state vanishes. Whole steps are taken in chunks, g is evaluated on all of their
states at once, and in a step in which its sign changes the crossing is found by Newton's method, with shorter steps from
the node before it: the crossing is as accurate as the method, and on the manifold. Its first guess is the zero of the
polynomial through g at the nodes around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import defer_signals, raise_noted, watch_callbacks
from ..core.checks import check_integer
from ..core.facade import above
from ..core.method import Run
from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..methods import Method
from ..simulation.arguments import count_steps
from ..simulation.default_step import method_and_step
from ..simulation.dense_output import after
from ..simulation.driver import run_without_warnings
from ..simulation.records import Stats
from ..simulation.trajectory import Trajectory
from .quantities import Quantity, quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

FIRST_CHUNK, CHUNK = 64, 2048  # steps
MOST_STEPS = 10_000_000  # without a crossing, where no end is given
NODES = 6  # around a crossing, for the first guess
ON_SECTION = 1e-9  # in steps: a crossing as near as this to the start is the start itself
NARROW = 1e-13  # in steps: where Newton's method ends


@dataclass(frozen=True)
class PoincareSection:
    """The crossings of one motion. `points` is a trajectory whose samples are the crossings: `points.omega`,
    `points.state(3)`; `directions` are 1 where the function of the section rises, −1 where it falls."""

    section: str
    points: Trajectory
    directions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def t(self) -> Array:
        """The times of the crossings."""
        return self.points.t

    def values(self, given: str | Quantity) -> Array:
        """A quantity at all crossings: text such as "omega[0]", or a function of the state."""
        system = self.points.system
        return np.asarray(quantity(system, given)(State(system, self.points.values, float(self.t[0]))))

    def plot(self, x: str | Quantity, y: str | Quantity) -> Figure:
        """The crossings in the plane of two quantities; see `polhode.view.figures.section` for several motions in one."""
        return above("plot_section")([self], x, y)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"PoincareSection({self.section}, {len(self)} crossings, t = {self.t[0]:g} … {self.t[-1]:g})"


def poincare(
    state: State,
    section: str | Quantity,
    *,
    crossings: int | None = None,
    step: float | None = None,
    t_end: float | None = None,
    direction: int = 1,
    method: Method | None = None,
) -> PoincareSection:
    """The states at which the motion from `state` passes through `section`: a quantity that vanishes there, as text such as
    "omega[0] - 0.2", or a function of the state (with axes in front).

    `direction` is 1 for crossings where the quantity rises, −1 where it falls, 0 for both. The run ends after so many
    `crossings`, or at `t_end`. A start on the section does not count; two crossings within one step are not seen. Without a
    `step`, one is chosen (and the method, by default `LGVI(order=4)`) that resolves the motion.

    >>> import polhode as ph
    >>> found = poincare(ph.FreeRigidBody.example(), "omega[1]", crossings=3, step=0.05, method=ph.LGVI(order=4))
    >>> bool(abs(found.points.omega[:, 1]).max() < 1e-13)
    True
    """
    if direction not in (-1, 0, 1):
        raise InvalidInputError("direction", direction, "1 (rising), -1 (falling) or 0 (both)")
    if crossings is None and t_end is None:
        raise InvalidInputError("crossings", None, problem="give the number of crossings, or t_end, or both")
    wanted = None if crossings is None else check_integer("crossings", crossings, 1)
    method, h = method_and_step(state, method, step, t_end)
    total = MOST_STEPS if t_end is None else count_steps(state.t, h, t_end, None)
    search = _Search(state, method, h, quantity(state.system, section, "section"), int(direction))
    search.run(total, wanted)
    found = search.found if wanted is None else search.found[:wanted]
    label = section if isinstance(section, str) else getattr(section, "__name__", "section")
    if t_end is None and wanted is not None and len(found) < wanted:
        raise PolhodeError(
            f"{label}: only {len(found)} of {wanted} crossings in {total} steps; give t_end to accept fewer"
        )
    if not found:
        raise PolhodeError(f"{label}: no crossing from t = {state.t:g} to {state.t + total * h:g}")
    rows = np.stack([state.system.enter(method.representation, at) for at, _ in found])
    points = Trajectory.of(
        state.system,
        method,
        rows,
        np.array([at.t for at, _ in found]),
        step=h,
        stats=Stats(search.done, 0.0, search.evaluations, 0.0, 0, 0.0),
    )
    return PoincareSection(label, points, np.array([sign for _, sign in found], dtype=np.int64))


class _Search:
    """The run, and the crossings found so far: states and directions."""

    def __init__(self, state: State, method: Method, step: float, g: Quantity, direction: int) -> None:
        self.state, self.method, self.step, self.g, self.direction = state, method, step, g, direction
        self.done = 0
        self.found: list[tuple[State, int]] = []
        with watch_callbacks():
            self._run: Run = method.start(state, step)
            raise_noted()

    @property
    def evaluations(self) -> int:
        """Calls of flows in whole steps."""
        return self._run.report.evaluations

    def run(self, total: int, wanted: int | None) -> None:
        """Go on to the end, or until there are as many crossings as wanted."""
        run, chunk = self._run, FIRST_CHUNK
        while self.done < total and (wanted is None or len(self.found) < wanted):
            count = min(chunk, total - self.done)
            nodes = np.empty((1 + count, run.row_size))
            nodes[0] = run.row
            with watch_callbacks():
                with defer_signals():
                    status, _ = run.advance(self.done, count, 1, nodes[1:])
                raise_noted()
            if status or not np.all(np.isfinite(nodes)):
                raise self._failure(nodes[0], count)
            self._look(nodes)
            self.done += count
            chunk = min(2 * chunk, CHUNK)

    def _look(self, nodes: Array) -> None:
        """Find the crossings in the steps between `nodes`."""
        values = self._run.layout.unpack(self._run.states(nodes))
        g = np.broadcast_to(self.g(State(self.state.system, values, self.state.t)), len(nodes))
        rises = (g[:-1] < 0.0) & (g[1:] >= 0.0) & (self.direction >= 0)
        falls = (g[:-1] > 0.0) & (g[1:] <= 0.0) & (self.direction <= 0)
        for k in np.flatnonzero(rises | falls).tolist():
            t = self.state.t + (self.done + k) * self.step
            node = State(self.state.system, {name: array[k] for name, array in values.items()}, t)
            at = self._crossing(node, g, k)
            if abs(at.t - self.state.t) > ON_SECTION * abs(self.step):  # else the start lies on the section
                self.found.append((at, 1 if rises[k] else -1))

    def _crossing(self, node: State, g: Array, k: int) -> State:
        """The state in the step after `node`, number k of those with the values g, at which g vanishes."""
        first = min(max(k - NODES // 2 + 1, 0), max(len(g) - NODES, 0))
        near = np.arange(first, min(first + NODES, len(g)))
        fit = np.polynomial.Polynomial.fit(near - k, g[near], len(near) - 1)
        slope, low, high = fit.deriv(), 0.0, 1.0
        s = _zero(fit)
        while True:
            at = after(node, self.method, s * self.step)
            value = float(self.g(at))
            low, high = (s, high) if value * g[k] > 0.0 else (low, s)
            following = s - value / slope(s)
            if not low < following < high:
                following = 0.5 * (low + high)
            if value == 0.0 or abs(following - s) <= NARROW:
                return at
            s = float(following)

    def _failure(self, row: Array, count: int) -> PolhodeError:
        """What a plain run says of steps that fail."""
        values: dict[str, Any] = self._run.layout.unpack(self._run.states(row[None]))
        start = State(self.state.system, {n: v[0] for n, v in values.items()}, self.state.t + self.done * self.step)
        try:
            run_without_warnings(start, step=self.step, steps=count, method=self.method)
        except PolhodeError as error:
            return error
        return PolhodeError(f"a step of {self.method!r} fails after t = {start.t:g}")


def _zero(fit: Any) -> float:
    """The zero from 0 to 1 of a polynomial whose sign changes there, by bisection."""
    low, high, sign = 0.0, 1.0, np.sign(fit(0.0))
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.sign(fit(middle)) == sign else (low, middle)
    return 0.5 * (low + high)
