"""What a trajectory holds beside its samples: cost, accuracy, what was conserved, events, commands, units and epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.dates import Epoch
from ..core.system import State, System
from ..core.units import Units
from ..errors import InvalidInputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stats:
    """The cost of a run. Iterations are those of the implicit solves, per solve; `worst_residual` is the largest one left,
    relative to its terms; `evaluations` counts substeps, or right-hand sides for methods that call these; `retries` how
    often `GaussLegendre` did a step again in shorter pieces."""

    steps: int
    seconds: float
    evaluations: int
    mean_iterations: float
    max_iterations: int
    worst_residual: float
    retries: int = 0

    @property
    def steps_per_second(self) -> float:
        """How fast the run was."""
        return self.steps / self.seconds if self.seconds > 0 else float("inf")


@dataclass(frozen=True)
class Accuracy:
    """What was asked for, what was chosen, and the error to expect at the end of the run.

    Errors are angles in rad for attitudes and angles; for all other variables they are relative to the variable's size.
    """

    tolerance: float
    estimated_error: float
    method: str
    step: float

    def __str__(self) -> str:
        return (
            f"{self.method} with steps of {self.step:.6g}, for a tolerance of {self.tolerance:g}; "
            f"estimated error {self.estimated_error:.1e}"
        )


@dataclass(frozen=True)
class Conservation:
    """One conserved quantity over a run: the component with the largest deviation, its first value and slope."""

    name: str
    kind: str
    first: float
    worst: float
    slope: float
    scale: float

    @property
    def relative(self) -> float:
        """Worst deviation relative to the quantity's scale, or absolute where that is zero."""
        return self.worst / self.scale if self.scale else self.worst


@dataclass(frozen=True, repr=False)
class Occurrence:
    """An event that was detected: its time, its kind, what it concerns, whether it ended the run, and the state there."""

    t: float
    event: str
    what: str
    stopped: bool
    state: State | None = field(default=None, compare=False)

    def describe(self) -> dict[str, Any]:
        """The event as plain data."""
        said = {"t": self.t, "event": self.event, "what": self.what, "stopped": self.stopped}
        return said if self.state is None else said | {"state": {n: v.tolist() for n, v in self.state.values.items()}}

    @classmethod
    def described(cls, system: System, said: Mapping[str, Any]) -> Occurrence:
        """The event that `describe` described."""
        plain, values = {name: value for name, value in said.items() if name != "state"}, said.get("state")
        return cls(**plain, state=None if values is None else State(system, values, plain["t"]))

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return f"{self.event}{f' of {self.what}' if self.what != self.event else ''} at t = {self.t:.12g}"


@dataclass(frozen=True)
class Commands:
    """What a controller commanded: the times at which it was asked, and the values that it set there, by name."""

    t: Array
    values: Mapping[str, Array]


class Labelled:
    """What has a provenance, which may name its units and the date of its start."""

    provenance: Mapping[str, Any]

    @property
    def units(self) -> Units:
        """The units of the numbers; those that are not named are None."""
        return Units.given(self.provenance.get("units"))

    @property
    def epoch(self) -> Epoch | None:
        """The date of t = 0, and the inertial frame; None where it is not given."""
        return Epoch.given(self.provenance.get("epoch"))


def labels(
    provenance: Mapping[str, Any] | None,
    units: Units | Mapping[str, str] | None,
    epoch: Epoch | str | Mapping[str, str] | None,
) -> dict[str, Any]:
    """The provenance with these units and this epoch, where they are given."""
    if provenance is not None and not isinstance(provenance, Mapping):
        raise InvalidInputError("provenance", provenance, "a mapping of names to text, numbers, lists and mappings")
    found = dict(provenance or {})
    if units is not None and (named := Units.given(units).describe()):
        found["units"] = named
    if epoch is not None and (start := Epoch.given(epoch)) is not None:
        found["epoch"] = start.describe()
    return found
