"""What a run is differentiated by: the state at its start, parameters of the system, or both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from numba.core.errors import NumbaError

from ..core.layout import Layout
from ..core.method import Method
from ..core.scalar_packing import Directions, blocks
from ..core.system import System
from ..core.varied_parameters import VariedParameters
from ..errors import IncompatibleMethodError, InvalidInputError

STATE = "state"


@dataclass(frozen=True)
class TangentColumns:
    """The columns of a tangent map: those of the state, if `by_state`, and behind them one for each of the parameters."""

    by_state: bool
    varied: VariedParameters | None

    @classmethod
    def of(cls, system: System, given: Any) -> TangentColumns | None:
        """What the argument `tangent` of `simulate` asks for; None for nothing."""
        if given is None or given is False:
            return None
        if given is True:
            return cls(True, None)
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
            raise InvalidInputError(
                "tangent", given, "True, or a list of 'state', 'parameters' and names of parameters"
            )
        others = [name for name in names if name != STATE]
        return cls(STATE in names, VariedParameters(system, others) if others else None)

    def names(self, layout: Layout) -> tuple[str, ...]:
        """The name of each column."""
        state = [f"{v.name}[{i}]" for v in layout.variables for i in range(v.manifold.dimension)]
        return tuple(state if self.by_state else []) + (self.varied.names if self.varied else ())

    @property
    def request(self) -> tuple[str, ...]:
        """What asks for these columns again."""
        return ((STATE,) if self.by_state else ()) + (self.varied.names if self.varied else ())

    def blocks(self, layout: Layout) -> list[Directions]:
        """The columns in blocks, of which a run on duals carries one at a time."""
        found: list[Directions] = list(blocks(layout.dimension)) if self.by_state else []
        if self.varied is not None:
            found += [self.varied.part(part) for part in blocks(len(self.varied))]
        return found


@contextmanager
def explain_missing_derivatives(method: Method, directions: Directions) -> Iterator[None]:
    """Say so where the flows of a method are not written for parameters that carry derivatives."""
    try:
        yield
    except NumbaError as error:
        if isinstance(directions, slice):
            raise
        problem = f"{method!r} gives no derivatives by parameters of this system; DOP853(), RK4() and Midpoint() do"
        raise IncompatibleMethodError(problem) from error
