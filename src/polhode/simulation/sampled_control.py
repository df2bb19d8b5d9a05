"""Control in the loop: a controller is asked at equal intervals, and what it commands is held until it is asked again.

What it commands are the values of named parameters of the system (`parameters={"u": [0, 0, 0]}`): numbers among the flat
parameters, so that nothing is compiled or built again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.method import Method
from ..core.system import State, System
from ..errors import ConvergenceError, InvalidInputError, RunInterruptedError
from .arguments import check_step, count_steps
from .dense_output import whole_steps
from .job import Job
from .records import Commands
from .recovery import with_trajectory
from .sampling import Grid
from .trajectory import Trajectory

Array = NDArray[np.float64]
Controller = Callable[[float, State], Mapping[str, Any]]
"""From the time and the state, or its estimate, to the values of named parameters."""
Estimator = Callable[[float, State], State]
"""From the time and the true state to what a controller is told."""

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
        if not callable(controller):
            raise InvalidInputError("controller", controller, "a function of the time and the state")
        self.named: Any = state.system.named
        if self.named is None or not self.named.names:
            raise InvalidInputError("controller", controller, NEEDED)
        self.start, self.method, self.step, self.save_every = state, method, step, save_every
        self.controller, self.estimator, self.provenance = controller, estimator, provenance
        self.now, self.values = state, dict(zip(self.named.names, self.named.values, strict=True))
        self.parts: list[Trajectory] = []
        self.asked: list[float] = []
        self.given: list[dict[str, Any]] = []

    def go_on(self, first: int, count: int) -> None:
        """Ask the controller, and do `count` steps after the `first` ones."""
        t = self.start.t + first * self.step
        here = State(self.start.system, self.now.values, t)
        try:
            known = here if self.estimator is None else self.estimator(t, here)
            self.values = self._check(self.controller(t, known))
        except KeyboardInterrupt:
            raise RunInterruptedError(self.trajectory(), first + count) from None
        except Exception as error:
            raise (with_trajectory(error, self.trajectory()) if self.parts else error) from None
        self.asked.append(t)
        self.given.append(self.values)
        commanded = with_values(self.start.system, self.values)
        job = Job(
            commanded,
            self.method,
            State(commanded, here.values, t),
            Grid(t, self.step, self.save_every),
            [],
            None,
            False,
            {},
        )
        try:
            part = job.run(count)
        except (RunInterruptedError, ConvergenceError) as stop:
            if stop.trajectory is not None:
                self.parts.append(stop.trajectory)
            stop.trajectory = self.trajectory()
            raise
        self.parts.append(part)
        self.now = part.final

    def _check(self, commands: Any) -> dict[str, Any]:
        """The values after these commands; what they leave out stays as it is."""
        if not isinstance(commands, Mapping) or not set(commands) <= set(self.values):
            raise InvalidInputError(
                "controller", commands, f"a table of values of {', '.join(self.values)}, as the controller's result"
            )
        return {**self.values, **self.named.checked(commands)}

    def trajectory(self) -> Trajectory:
        """What was computed so far."""
        parts = self.parts or [_at_rest(self)]
        values = {
            name: np.concatenate([first, *(part.values[name][1:] for part in parts[1:])])
            for name, first in parts[0].values.items()
        }
        stats = replace(
            parts[-1].stats,
            steps=sum(part.stats.steps for part in parts),
            seconds=sum(part.stats.seconds for part in parts),
            evaluations=sum(part.stats.evaluations for part in parts),
            mean_iterations=float(np.mean([part.stats.mean_iterations for part in parts])),
            max_iterations=max(part.stats.max_iterations for part in parts),
            worst_residual=max(part.stats.worst_residual for part in parts),
        )
        asked = np.array(self.asked)
        held = {name: np.array([given[name] for given in self.given], dtype=np.float64) for name in self.values}
        return replace(
            parts[0],
            system=self.start.system,
            t=np.concatenate([parts[0].t, *(part.t[1:] for part in parts[1:])]),
            values=values,
            stats=stats,
            provenance=self.provenance,
            carry=None,
            commands=Commands(asked, held),
        )


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


def _steps_held(every: float | None, step: float) -> int:
    if every is None:
        raise InvalidInputError("every", every, "the time from one sample of the controller to the next")
    count, rest = whole_steps(0.0, float(np.copysign(every, step)), step)
    if count < 1 or abs(rest) > 1e-9 * abs(step):
        raise InvalidInputError("every", every, f"a whole number of steps of {step:g}")
    return count
