"""Which named parameters a manoeuvre commands, and the limits of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_finite, check_positive
from ..core.system import System
from ..errors import InvalidInputError
from ..simulation.sampled_control import with_values

Array = NDArray[np.float64]
NEEDED = (
    "named parameters to command, as AttitudeBody(J, moment=['u1', 'u2', 'u3'], parameters={'u1': 0, 'u2': 0, 'u3': 0})"
)


class Limits:
    """The commanded numbers: their `names`, their `places` among the parameters (rows of place and
    command), `lower` and `upper` bounds, and the largest
    length `norm` of all together."""

    def __init__(self, system: System, commands: Sequence[str] | None, limits: Any, norm: float | None) -> None:
        named: Any = system.named
        if named is None or not named.names:
            raise InvalidInputError("start", system, f"a system with {NEEDED}")
        chosen = tuple(named.names if commands is None else commands)
        for name in chosen:
            if name not in named.names:
                raise InvalidInputError("commands", name, f"names among {', '.join(named.names)}")
        if not chosen:
            raise InvalidInputError("commands", commands, "at least one name")
        lengths = dict(named.signature)
        self.chosen = {name: lengths[name] for name in chosen}
        self.names = tuple(
            name if length is None else f"{name}[{i}]"
            for name, length in self.chosen.items()
            for i in range(length or 1)
        )
        self.places = self._places(system)
        self.lower, self.upper = self._bounds(limits)
        self.norm = np.inf if norm is None else check_positive("norm", norm)

    def _places(self, system: System) -> NDArray[np.int64]:
        """Rows (place, command): every number among the parameters that is the value of a command."""
        named: Any = system.named
        given = dict(zip(named.names, named.values, strict=True))
        marks: Array = np.arange(3.7, 3.7 + len(self.names))  # no two alike
        once, twice = (with_values(system, given | self.table(k * marks)).parameters() for k in (1.0, 2.0))
        rows = [
            (place, k)
            for k, mark in enumerate(marks)
            for place in np.flatnonzero((once == mark) & (twice == 2.0 * mark))
        ]
        return np.array(rows, dtype=np.int64).reshape(-1, 2)

    def _bounds(self, limits: Any) -> tuple[Array, Array]:
        count = len(self.names)
        lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
        if limits is None:
            return lower, upper
        given = limits if isinstance(limits, Mapping) else dict.fromkeys(self.chosen, limits)
        for name, value in given.items():
            if name not in self.chosen:
                raise InvalidInputError("limits", name, f"names among {', '.join(self.chosen)}")
            pair = check_finite(f"limits.{name}", value, np.shape(value))
            if pair.shape not in ((), (2,)):
                raise InvalidInputError(f"limits.{name}", value, "a number, or a pair (least, largest)")
            least, largest = (-pair, pair) if pair.shape == () else pair
            if not least < largest:
                raise InvalidInputError(f"limits.{name}", value, "a positive number, or a pair (least, largest)")
            mine = [i for i, each in enumerate(self.names) if each == name or each.startswith(name + "[")]
            lower[mine], upper[mine] = least, largest
        return lower, upper

    @property
    def bounded(self) -> bool:
        """Whether every command has limits."""
        return bool(np.isfinite(self.norm) or (np.isfinite(self.lower) & np.isfinite(self.upper)).all())

    @property
    def sizes(self) -> Array:
        """The largest size of each command; infinite where there is no limit."""
        return np.minimum(np.maximum(np.abs(self.lower), np.abs(self.upper)), self.norm)

    def in_units(self, units: Array) -> tuple[Array, Array]:
        """The bounds in these units."""
        return self.lower / units, self.upper / units

    def middle(self) -> Array:
        """Commands between the bounds: zero where it is well between them, else the middle."""
        with np.errstate(invalid="ignore"):
            centre, half = 0.5 * (self.lower + self.upper), 0.5 * (self.upper - self.lower)
        inside = ~np.isfinite(half) | (np.abs(centre) < 0.9 * half)
        return np.where(inside & (self.lower < 0.0) & (self.upper > 0.0), 0.0, np.nan_to_num(centre))

    def table(self, values: Array) -> dict[str, Any]:
        """The commands by name, as a controller gives them."""
        found: dict[str, Any] = {}
        at = 0
        for name, length in self.chosen.items():
            found[name] = float(values[at]) if length is None else values[at : at + length].tolist()
            at += length or 1
        return found
