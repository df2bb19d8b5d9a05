"""Control in the loop: a controller is asked at equal intervals, and what it commands is held until it is asked again.

What it commands are the values of named parameters of the system (`parameters={"u": [0, 0, 0]}`): numbers among the flat
parameters, so that nothing is compiled or built again.
"""

from __future__ import annotations

import inspect
import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import defer_signals, watch_callbacks
from ..core.checks import check_finite
from ..core.method import Method, Run, Start
from ..core.system import State, System
from ..errors import ConvergenceError, InvalidInputError, RunInterruptedError
from .arguments import check_step, count_steps
from .dense_output import whole_steps
from .job import Job, stats_of
from .records import Commands, Stats
from .recovery import with_trajectory
from .sampling import Grid
from .trajectory import Trajectory

Array = NDArray[np.float64]
Controller = Callable[[float, State], Mapping[str, Any]]
"""From the time and the state, or its estimate, to the values of named parameters."""
Estimator = Callable[[float, State], State]
"""From the time and the true state to the state that a controller gets; `state.system` has the commands held until now."""

NEEDED = "a system with named parameters to command, as Gyrostat(J, torque=['u1', 'u2', 'u3'], parameters={'u1': 0, …})"


def run_with_controller(
    state: State,
    method: Method,
    controller: Controller,
    estimator: Estimator | None,
    every: float | None,
    step: float | None,
    t_end: float | None,
    steps: int | None,
    save_every: int,
    provenance: dict[str, Any],
) -> Trajectory:
    """The motion of a system whose named parameters a controller sets at intervals of `every`."""
    size = check_step(step)
    total = count_steps(state.t, size, t_end, steps)
    held = _steps_held(every, size)
    if held % save_every:
        allowed = f"a divisor of the {held} steps from one sample of the controller to the next"
        raise InvalidInputError("save_every", save_every, allowed)
    loop = _Loop(state, method, controller, estimator, size, save_every, provenance)
    for first in range(0, total, held):
        loop.go_on(first, min(held, total - first))
    return loop.trajectory()


class _Loop:
    """A run in pieces: in each, the commands are constant."""

    def __init__(
        self,
        state: State,
        method: Method,
        controller: Controller,
        estimator: Estimator | None,
        step: float,
        save_every: int,
        provenance: dict[str, Any],
    ) -> None:
        _check_function("controller", controller)
        if estimator is not None:
            _check_function("estimator", estimator)
        self.named: Any = state.system.named
        if self.named is None or not self.named.names:
            raise InvalidInputError("controller", controller, NEEDED)
        self.start, self.method, self.step, self.save_every = state, method, step, save_every
        self.controller, self.estimator, self.provenance = controller, estimator, provenance
        self.commanded = state.system
        self.commanded.parameters()  # what of them no command changes is known to every copy then
        self.run: Run | None = None
        self.now, self.values = state, dict(zip(self.named.names, self.named.values, strict=True))
        self.parts: list[_Part] = []
        self.asked: list[float] = []
        self.given: list[dict[str, Any]] = []

    def go_on(self, first: int, count: int) -> None:
        """Ask the controller, and do `count` steps after the `first` ones."""
        t = self.start.t + first * self.step
        here = State(self.commanded, self.now.values, t)  # the system with what was commanded until now
        try:
            known = here if self.estimator is None else self.estimator(t, here)
            self.values = self._check(self.controller(t, known))
        except KeyboardInterrupt:
            raise RunInterruptedError(self.trajectory(), first + count) from None
        except Exception as error:
            raise (with_trajectory(error, self.trajectory()) if self.parts else error) from None
        self.asked.append(t)
        self.given.append(self.values)
        commanded = self.commanded = with_values(self.start.system, self.values)
        begin = State(commanded, here.values, t)
        part = self._steps(begin, count)
        if part is None:  # again, with all that tells why it failed
            job = Job(commanded, self.method, begin, Grid(t, self.step, self.save_every), [], None, False, {})
            try:
                part = _Part.of(job.run(count))
            except (RunInterruptedError, ConvergenceError) as stop:
                if stop.trajectory is not None:
                    self.parts.append(_Part.of(stop.trajectory))
                stop.trajectory = self.trajectory()
                raise
        self.parts.append(part)
        self.now = State(commanded, {name: array[-1] for name, array in part.values.items()}, float(part.t[-1]))

    def _steps(self, begin: State, count: int) -> _Part | None:
        """So many steps as a `Job` does them, without what only a long run needs; None where something is amiss."""
        started, every = clock.perf_counter(), self.save_every
        with watch_callbacks():
            start = Start.of(begin, self.step, self.method.representation)
            if self.run is None or not self.run.set_out(start):
                self.run = self.method.run(start)
            run = self.run
            rows = np.empty((-(-count // every), run.row_size))
            with defer_signals():
                status, _ = run.advance(0, count, every, rows)
        if count % every:
            rows[-1] = run.row
        if status or not np.isfinite(rows).all():
            return None
        numbers = np.minimum(every * np.arange(1, len(rows) + 1), count)
        t = begin.t + numbers * self.step
        stats = stats_of(count, clock.perf_counter() - started, run)
        return _Part(t, run.layout.unpack(run.states(rows)), stats)

    def _check(self, commands: Any) -> dict[str, Any]:
        """The values after these commands; what they leave out stays as it is."""
        if not isinstance(commands, Mapping) or not set(commands) <= set(self.values):
            raise InvalidInputError(
                "controller", commands, f"a table of values of {', '.join(self.values)}, as the controller's result"
            )
        return {**self.values, **self.named.checked(commands)}

    def trajectory(self) -> Trajectory:
        """What was computed so far."""
        start, parts = _at_rest(self), self.parts
        values = {
            name: np.concatenate([first, *(part.values[name] for part in parts)])
            for name, first in start.values.items()
        }
        costs = [part.stats for part in parts] or [start.stats]
        stats = Stats(
            steps=sum(cost.steps for cost in costs),
            seconds=sum(cost.seconds for cost in costs),
            evaluations=sum(cost.evaluations for cost in costs),
            mean_iterations=float(np.mean([cost.mean_iterations for cost in costs])),
            max_iterations=max(cost.max_iterations for cost in costs),
            worst_residual=max(cost.worst_residual for cost in costs),
            retries=sum(cost.retries for cost in costs),
        )
        held = {name: np.array([given[name] for given in self.given], dtype=np.float64) for name in self.values}
        return replace(
            start,
            system=self.start.system,
            t=np.concatenate([start.t, *(part.t for part in parts)]),
            values=values,
            stats=stats,
            provenance=self.provenance,
            carry=None,
            commands=Commands(np.array(self.asked), held),
        )


@dataclass(frozen=True)
class _Part:
    """The samples after the start of a piece, and what it cost."""

    t: Array
    values: dict[str, Array]
    stats: Stats

    @classmethod
    def of(cls, run: Trajectory) -> _Part:
        """The part that a whole run is."""
        return cls(run.t[1:], {name: array[1:] for name, array in run.values.items()}, run.stats)


def with_values(system: System, values: Mapping[str, Any]) -> System:
    """The same system with other values of its named parameters; compiled code reads these from the parameters."""
    other: System = object.__new__(type(system))
    other.__dict__.update(system.__dict__)  # `copy` would make it anew from its arguments
    other.named = system.named.with_values(values)
    return other


def _at_rest(loop: _Loop) -> Trajectory:
    """The start alone."""
    system, start = loop.start.system, loop.start
    return Job(system, loop.method, start, Grid(start.t, loop.step, loop.save_every), [], None, False, {}).run(0)


def _check_function(field: str, function: Any) -> None:
    """Refuse what cannot be called with a time and a state."""
    wanted = "a function of the time and the state"
    if not callable(function):
        raise InvalidInputError(field, function, wanted)
    try:
        inspect.signature(function).bind(0.0, None)
    except TypeError as error:
        raise InvalidInputError(field, function, f"{wanted}: {error}") from None
    except ValueError:  # it does not tell what it takes
        pass


def _steps_held(every: float | None, step: float) -> int:
    if every is None:
        raise InvalidInputError("every", every, "the time from one sample of the controller to the next")
    count, rest = whole_steps(0.0, float(np.copysign(check_finite("every", every, ()), step)), step)
    if count < 1 or abs(rest) > 1e-9 * abs(step):
        raise InvalidInputError("every", every, f"a whole number of steps of {step:g}")
    return count
