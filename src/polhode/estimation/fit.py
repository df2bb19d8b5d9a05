"""Least-squares fits of a state and of parameters to observations, with the exact partial derivatives of the run.

Unknowns are the state at the start, in coordinates of its tangent space, and any parameters of the system. The run
(`simulate(..., tangent=[…])`) gives the derivatives of the states by both; `observed_states` those of what an observation
shows of them. SciPy's `least_squares` does the rest.

With several `segments` (multiple shooting) the run is cut into pieces, each of which starts from a state of its own; the
gaps between them are closed as part of the fit. Errors then grow over a piece only, and long or chaotic motions can be
fitted from a rough guess.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite, check_integer, one_of
from ..core.complex_step import derivative_along
from ..core.method import Method
from ..core.system import State, System
from ..core.varied_parameters import VariedParameters
from ..errors import InvalidInputError, PolhodeError, RunWarning
from ..methods import LGVI
from ..simulation.arguments import check_arguments
from ..simulation.default_step import method_and_step
from ..simulation.driver import run_without_warnings
from ..simulation.trajectory import Trajectory
from .fit_result import Fit, check_observable
from .observations import Observation
from .observed_states import ObservedStates

Array = NDArray[np.float64]

STATE = "state"
# How small a gap between segments is, relative to the state: little by little. A search that were to close them at once would
# follow a narrow bent valley in tiny steps.
CLOSURES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
TOLERANCE, MOST_RUNS = 1e-11, 100  # of a search
ROUGH = 1e-4  # tolerance of those that only lead to the next
LOSSES = ("linear", "soft_l1", "huber", "cauchy", "arctan")


def fit(
    guess: State,
    observations: Sequence[Observation],
    unknowns: Sequence[str] = (STATE,),
    *,
    step: float | None = None,
    method: Method | None = None,
    prior: Mapping[str, tuple[float, float]] | None = None,
    state_covariance: ArrayLike | None = None,
    loss: str = "linear",
    segments: int = 1,
) -> Fit:
    """The state and parameters for which the motion from `guess.t` on agrees best with the observations.

    `unknowns` are "state" and names of parameters, as in `simulate(tangent=…)`; all others keep their values. `prior`
    gives for parameters a value and its standard deviation; `state_covariance` is that of the guess, in the coordinates
    of the method's layout. `loss` is one of SciPy's: "huber" or "soft_l1" let outliers count less. Without a `step`, method
    and step are chosen so that the motion from the guess is accurate to 1e-9.

    Raises an error that says so, if there are too few observations, or if they do not determine some combination of the
    unknowns, and which.

    >>> import polhode as ph
    >>> from polhode.estimation import Observation, fit
    >>> true = ph.Pendulum3D([1, 1.2, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0).state(omega=[0.3, 0.2, 0.5])
    >>> seen = ph.simulate(true, step=0.1, steps=50)
    >>> rough = ph.Pendulum3D([1, 1.2, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=1.9).state(omega=[0.31, 0.2, 0.5])
    >>> found = fit(rough, [Observation.attitude(seen.t[1:], seen.R[1:], 0.01)], ["state", "g"], step=0.1)
    >>> round(found.parameters["g"], 6), bool(abs(found.state.omega - true.omega).max() < 1e-7)
    (2.0, True)
    """
    one_of("loss", loss, LOSSES)
    first, last = _first_and_last(guess, observations)
    method, h = method_and_step(guess, method, step, last if last > first else None, accurate=True)
    problem = _Problem(guess, observations, unknowns, h, method, check_integer("segments", segments, 1))
    problem.add_prior(prior or {}, state_covariance)
    problem.prepare(loss)
    found = problem.solve(loss)
    J = np.asarray(found.jac)
    check_observable(J, problem.named, problem.names, problem.sizes)
    if not found.success:
        raise PolhodeError(f"the fit did not converge in {found.nfev} runs: give a better guess, or more segments")
    result = problem.result(found.x, J, float(found.cost), int(found.nfev))
    for warning in problem.warnings():
        warnings.warn(warning, stacklevel=2)
    return result


def _first_and_last(guess: Any, observations: Any) -> tuple[float, float]:
    """The time of the guess and that of the last observation, if these are a guess and observations after it."""
    check_arguments(guess, LGVI())
    if not observations or not all(isinstance(each, Observation) for each in observations):
        raise InvalidInputError("observations", observations, "a list of Observation")
    first = min(float(each.times.min()) for each in observations)
    if first < guess.t:
        raise InvalidInputError("observations", first, f"times from that of the guess on, t = {guess.t:g}")
    return guess.t, max(float(each.times.max()) for each in observations)


class _Problem:
    """The residuals as a function of the unknowns x, and their derivatives."""

    def __init__(
        self,
        guess: State,
        observations: Sequence[Observation],
        unknowns: Sequence[str],
        step: float,
        method: Method,
        segments: int,
        *,
        enough: bool = True,
    ) -> None:
        if isinstance(unknowns, str) or not unknowns:
            raise InvalidInputError("unknowns", unknowns, "a list of 'state' and names of parameters")
        self.guess, self.observations, self.step, self.method = guess, list(observations), step, method
        self.layout = guess.system.representations[method.representation].layout
        self.with_state = STATE in unknowns
        names = [name for name in unknowns if name != STATE]
        self.varied = VariedParameters(guess.system, names, argument="unknowns") if names else None
        self.y0 = guess.system.enter(method.representation, guess)
        self.times = np.unique(np.concatenate([each.times for each in self.observations]))
        self.nodes = self._nodes(segments) if segments > 1 else np.array([guess.t])
        self.free = [self.with_state] + [True] * (len(self.nodes) - 1)
        self.prior_rows: list[tuple[Array, Array]] = []  # residuals at the start and their derivatives
        self.state_prior, self.closure = False, CLOSURES[-1]
        self._known: tuple[Array, Array, Array] | None = None
        self._runs: list[Trajectory] = []
        seen = sum(each.seen for each in self.observations)
        if enough and seen < len(self.names):
            problem = f"too few observations: {seen} numbers were seen, and there are {len(self.names)} unknowns"
            raise InvalidInputError("observations", len(self.observations), problem=problem)
        self.start = np.zeros(self.dimension * sum(self.free) + len(self.parameter_names))
        self.node_states = [self.y0] * len(self.nodes)

    def _nodes(self, segments: int) -> Array:
        """The times at which segments begin: whole steps from the start, and each with observations behind it."""
        t0, end = self.guess.t, float(self.times[-1])
        wanted = t0 + (end - t0) * np.arange(segments) / segments
        on_grid = np.unique(t0 + np.round((wanted - t0) / self.step) * self.step)
        return np.asarray(on_grid[on_grid < end])

    def solve(self, loss: str) -> Any:
        """SciPy's search from x = 0, with gaps that are closed little by little."""
        from scipy.optimize import least_squares

        x, runs, found = self.start, 0, None
        for closure in CLOSURES if len(self.nodes) > 1 else CLOSURES[-1:]:
            self.closure, self._known = closure, None
            close = TOLERANCE if closure == CLOSURES[-1] else ROUGH
            tolerances = dict.fromkeys(("xtol", "ftol", "gtol"), close)
            found = least_squares(
                self.residuals, x, self.jacobian, loss=loss, x_scale="jac", max_nfev=MOST_RUNS, **tolerances
            )
            x, runs = found.x, runs + found.nfev
        assert found is not None
        found.nfev = runs
        return found

    def prepare(self, loss: str) -> None:
        """Where segments begin, at first: each where the one before it ends, fitted to what was seen in it alone."""
        if len(self.nodes) == 1:
            return
        y, system = self.y0, self.guess.system
        for k, (t, end) in enumerate(zip(self.nodes, [*self.nodes[1:], float(self.times[-1])], strict=True)):
            inside = [part for each in self.observations if len((part := each.between(t, end)).times)]
            if inside and self.free[k] and not (k == 0 and self.state_prior):
                start = State(system, self.layout.unpack(y), float(t))
                alone = _Problem(start, inside, [STATE], self.step, self.method, 1, enough=False)
                alone.add_prior({}, np.diag(self._typical**2))
                y = self.layout.retract(y, alone.solve(loss).x)
            self.node_states[k] = y
            run = self._run(system, y, float(t), np.array([end]), None)
            y = self.layout.pack({name: array[-1] for name, array in run.values.items()})

    @property
    def dimension(self) -> int:
        """The dimension of the phase space."""
        return self.layout.dimension

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of the unknown parameters."""
        return self.varied.names if self.varied else ()

    @property
    def state_names(self) -> tuple[str, ...]:
        """The names of the coordinates of a state."""
        return tuple(f"{v.name}[{i}]" for v in self.layout.variables for i in range(v.manifold.dimension))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all unknowns that the result has."""
        return (self.state_names if self.with_state else ()) + self.parameter_names

    @property
    def named(self) -> list[int]:
        """Which entries of x these are; between them stand the states of segments."""
        count = len(self.start)
        return [*range(self.dimension if self.with_state else 0), *range(count - len(self.parameter_names), count)]

    @property
    def sizes(self) -> Array:
        """The size of each of these unknowns, for telling what a combination of them means."""
        scales = [p.scale for p in self.varied.parameters] if self.varied else []
        return np.concatenate([self._typical if self.with_state else np.zeros(0), scales])

    def _size(self, name: str) -> float:
        variable = next(v for v in self.layout.variables if v.name == name)
        largest = float(np.abs(self.y0[self.layout.slices[name]]).max())
        return (largest or 1.0) if variable.manifold.dimension == variable.manifold.size else 1.0

    # --- the run ------------------------------------------------------------------------------------------------------

    def _system(self, x: Array) -> System:
        """The system with the parameters of x."""
        if self.varied is None:
            return self.guess.system
        return self.varied.system_with(self.varied.values + x[len(x) - len(self.varied) :])

    def _run(self, system: System, y: Array, t: float, times: Array, tangent: Any) -> Any:
        start = State(system, self.layout.unpack(y), float(t))
        return run_without_warnings(start, step=self.step, t_eval=times, method=self.method, tangent=tangent or False)

    def warnings(self) -> list[RunWarning]:
        """What there is to warn of in the last runs, the first of each kind."""
        return list({type(each): each for run in reversed(self._runs) for each in reversed(run.warnings)}.values())

    def residuals(self, x: Array) -> Array:
        """All residuals, divided by their standard deviations."""
        return self._evaluate(x)[0]

    def jacobian(self, x: Array) -> Array:
        """The derivatives of all residuals by x."""
        return self._evaluate(x)[1]

    def _evaluate(self, x: Array) -> tuple[Array, Array]:
        if self._known is not None and np.array_equal(self._known[0], x):
            return self._known[1], self._known[2]
        system, count, d = self._system(x), len(self.parameter_names), self.dimension
        varied = VariedParameters(system, self.parameter_names) if count else None
        request = [STATE, *self.parameter_names]
        rows: list[Array] = []
        slopes: list[Array] = []
        at, states, tangents, moments = 0, [], [], []
        self._runs = []
        ends = [*self.nodes[1:], np.inf]
        for k, (node, t, end) in enumerate(zip(self.node_states, self.nodes, ends, strict=True)):
            offset = x[at : at + d] if self.free[k] else np.zeros(d)
            y, columns = self._moved(node, offset)
            inside = self.times[(self.times >= t) & (self.times < end)]
            wanted = inside if np.isinf(end) else np.append(inside, end)
            run = self._run(system, y, float(t), wanted, request)
            self._runs.append(run)
            Phi = np.zeros((len(wanted), d, len(x)))
            if self.free[k]:
                Phi[:, :, at : at + d] = run.tangent[:, :, :d] @ columns
                at += d
            if count:
                Phi[:, :, len(x) - count :] = run.tangent[:, :, d:]
            flat = np.concatenate([v.reshape(len(wanted), -1) for v in run.values.values()], axis=1)
            states.append(flat[: len(inside)])
            tangents.append(Phi[: len(inside)])
            moments.append(inside)
            if not np.isinf(end):
                gap, slope = self._gap(k + 1, flat[-1], Phi[-1], x, at)
                rows.append(gap)
                slopes.append(slope)
        y, Phi, t = np.concatenate(states), np.concatenate(tangents), np.concatenate(moments)
        for observation in self.observations:
            pick = np.searchsorted(t, observation.times)
            there = ObservedStates(self.layout, system, varied, y[pick], Phi[pick], self._typical)
            values, slope = there.residuals(observation)
            rows.append(values)
            slopes.append(slope)
        for value, slope in self.prior_rows:
            rows.append(value + slope @ x)
            slopes.append(slope)
        r, J = np.concatenate(rows), np.concatenate(slopes)
        self._known = x.copy(), r, J
        return r, J

    def _moved(self, y: Array, offset: Array) -> tuple[Array, Array]:
        """The state with this offset, and how its tangent coordinates change with the offset."""
        moved = self.layout.retract(y, offset)
        if not offset.any():
            return moved, np.eye(self.dimension)
        count = self.dimension
        many = np.broadcast_to(y, (count, len(y)))
        slopes = derivative_along(
            lambda xi: self.layout.retract(many, xi), np.broadcast_to(offset, (count, count)), np.eye(count)
        )
        return moved, self.layout.coordinates(np.broadcast_to(moved, slopes.shape), slopes).T

    def _gap(self, k: int, reached: Array, Phi: Array, x: Array, at: int) -> tuple[Array, Array]:
        """How far segment k begins from where the one before it ends, and the derivative."""
        d = self.dimension
        y, columns = self._moved(self.node_states[k], x[at : at + d])
        weight = 1.0 / (self.closure * self._typical)
        slope = -Phi
        slope[:, at : at + d] += columns
        # the chord y − reached in the coordinates at the middle: for small gaps the difference of the coordinates
        gap = self.layout.coordinates(0.5 * (reached + y), y - reached)
        return weight * gap, weight[:, None] * slope

    @property
    def _typical(self) -> Array:
        state = np.concatenate([np.full(v.manifold.dimension, self._size(v.name)) for v in self.layout.variables])
        return np.asarray(state)

    # --- priors and the result ----------------------------------------------------------------------------------------

    def add_prior(self, prior: Mapping[str, tuple[float, float]], state_covariance: ArrayLike | None) -> None:
        """What is known beforehand, as further residuals."""
        count = len(self.start)
        for name, (value, sigma) in prior.items():
            if name not in self.parameter_names or not sigma > 0.0:
                raise InvalidInputError("prior", {name: (value, sigma)}, f"a value and a positive sigma for some of {', '.join(self.parameter_names)}")  # fmt: skip
            j = self.parameter_names.index(name)
            row = np.zeros((1, count))
            row[0, count - len(self.parameter_names) + j] = 1.0 / sigma
            assert self.varied is not None
            self.prior_rows.append((np.array([(self.varied.values[j] - value) / sigma]), row))
        if state_covariance is not None:
            P = check_finite("state_covariance", state_covariance, (self.dimension, self.dimension))
            if not self.with_state:
                raise InvalidInputError("state_covariance", "given", problem="the state is not among the unknowns")
            row = np.zeros((self.dimension, count))
            row[:, : self.dimension] = np.linalg.inv(np.linalg.cholesky(P))
            self.prior_rows.append((np.zeros(self.dimension), row))
            self.state_prior = True

    def result(self, x: Array, J: Array, cost: float, runs: int) -> Fit:
        """The state, the parameters and their covariance."""
        d, count = self.dimension if self.with_state else 0, len(self.parameter_names)
        lengths = np.linalg.norm(J, axis=0)
        _, sizes, axes = np.linalg.svd(J / lengths, full_matrices=False)
        root = (axes.T / sizes / lengths[:, None])[self.named]  # a root of (JᵀJ)⁻¹
        y, columns = self._moved(self.node_states[0], x[:d]) if d else (self.y0, np.eye(0))
        into = np.eye(d + count)
        into[:d, :d] = columns
        system = self._system(x)
        r, _ = self._evaluate(x)
        counts = [observation.count for observation in self.observations]
        first = len(r) - sum(counts) - sum(len(value) for value, _ in self.prior_rows)
        parts = np.split(r[first : first + sum(counts)], np.cumsum(counts)[:-1])
        values = self.varied.values + x[len(x) - count :] if self.varied else np.zeros(0)
        return Fit(
            state=State(system, self.layout.unpack(y), self.guess.t),
            parameters=dict(zip(self.parameter_names, values.tolist(), strict=True)),
            names=self.names,
            covariance=_square(into @ root),
            residuals={
                f"{i}: {each.name}": (each.times, part.reshape(len(each.times), -1))
                for i, (each, part) in enumerate(zip(self.observations, parts, strict=True))
            },
            observed=sum(each.seen for each in self.observations),
            cost=cost,
            runs=runs,
        )


def _square(root: Array) -> Array:
    """A symmetric matrix from a root of it."""
    product = root @ root.T
    return np.asarray(0.5 * (product + product.T))
