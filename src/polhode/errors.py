"""Errors: each message says what is wrong and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .plain_text import printable

if TYPE_CHECKING:
    from .simulation.trajectory import Trajectory


class PolhodeError(Exception):
    """Every error that polhode raises on purpose. Its message gives no orders to a terminal, whatever it names."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(printable(each) if isinstance(each, str) else each for each in args))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


class InvalidInputError(PolhodeError, ValueError):
    """An argument that cannot be used: names the field, the value, and what is allowed or what the problem is.

    >>> raise InvalidInputError("step", 0.0, "a nonzero finite number")
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: step = 0.0: expected a nonzero finite number
    >>> raise InvalidInputError("path", "run.txt", problem="not a readable NetCDF file")
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: path = 'run.txt': not a readable NetCDF file
    """

    def __init__(self, field: str, value: Any, allowed: str = "", *, problem: str = "") -> None:
        self.field, self.value, self.allowed, self.problem = field, value, allowed, problem
        super().__init__(f"{field} = {short(value)}: {problem or f'expected {allowed}'}")

    def renamed(self, field: str) -> InvalidInputError:
        """The same error for a caller who knows the field by another name, such as a key in a table."""
        return InvalidInputError(field, self.value, self.allowed, problem=self.problem)


class IncompatibleMethodError(PolhodeError, TypeError):
    """A method that cannot integrate this system; the message says which can."""


class ConvergenceError(PolhodeError, ArithmeticError):
    """The run stopped at a step that has no acceptable result. `trajectory` holds all that was computed before it."""

    def __init__(self, message: str, *, step: int, time: float, residual: float) -> None:
        self.step, self.time, self.residual = step, time, residual
        self.trajectory: Trajectory | None = None
        super().__init__(message)


class RunInterruptedError(KeyboardInterrupt):
    """A run was interrupted. `trajectory` holds what was computed of its `steps`; `polhode.resume` continues from there.

    It is a `KeyboardInterrupt`, not a `PolhodeError`, so that code that handles failures does not swallow it.
    """

    def __init__(self, trajectory: Trajectory, steps: int) -> None:
        self.trajectory, self.steps = trajectory, steps
        done = trajectory.stats.steps
        super().__init__(f"interrupted after {done:,} of {steps:,} steps, at t = {trajectory.t[-1]:g}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.trajectory, self.steps)


def _rebuild(kind: type[PolhodeError], args: tuple[Any, ...], attributes: dict[str, Any]) -> PolhodeError:
    """Rebuild an error that came from another process: `args` holds the message, not the constructor's arguments."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


def short(value: Any) -> str:
    """A value as shown in a message: arrays without line breaks, long text cut."""
    try:
        text = (
            np.array2string(value, separator=", ").replace("\n", "") if isinstance(value, np.ndarray) else repr(value)
        )
    except RecursionError:
        text = f"a {type(value).__name__} nested too deeply"
    return text if len(text) <= 200 else text[:197] + "..."


class SaturationWarning(UserWarning):
    """An actuator is at its limit, and does less than was commanded."""


class RunWarning(UserWarning):
    """A reason to check the result of a run before it is used; the message says what to do.
    `polhode.Trajectory.warnings` lists all of them."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(printable(each) if isinstance(each, str) else each for each in args))


class AccuracyWarning(RunWarning):
    """A tolerance could not be met: rounding, magnified by the motion, is larger."""


class StepWarning(RunWarning):
    """The step is too long: for the rate at which a body turns, or for an encounter of two bodies."""


class SolverWarning(RunWarning):
    """The implicit equations of some steps were much harder to solve than those of the others."""


class EnergyWarning(RunWarning):
    """The energy, which the system conserves, drifts or has changed by a large part."""


class NearContactWarning(RunWarning):
    """Bodies came so near that the expansion of their mutual gravity need not converge."""
