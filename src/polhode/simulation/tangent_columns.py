"""What a run is differentiated by: the state at its start, parameters of the system, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ..core.layout import Layout
from ..core.method import Method
from ..core.scalar_packing import Directions, blocks
from ..core.system import System
from ..core.varied_parameters import VariedParameters
from ..errors import IncompatibleMethodError, InvalidInputError

Array = NDArray[np.float64]
STATE = "state"
WIDEST = 16  # block of the columns that are left: two registers of the widest vectors


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

    def symmetric(self, system: System, method: Method) -> tuple[str, ...]:
        """The variables whose columns follow from symmetry, so that no run needs to carry them."""
        known = system.representations[method.representation].layout.slices
        fits = self.by_state and method.preserves_momentum and all(name in known for name in system.ignorable)
        return tuple(system.ignorable) if fits else ()

    def blocks(self, layout: Layout, symmetric: tuple[str, ...] = ()) -> list[Directions]:
        """The columns in blocks, of which a run on duals carries one at a time; without those of the variables `symmetric`."""
        found: list[Directions] = list(blocks(layout.dimension)) if self.by_state else []
        if symmetric:
            carried = _coordinates(layout, [name for name in layout.places if name not in symmetric])
            found = [tuple(carried[part]) for part in blocks(len(carried), WIDEST)]
        if self.varied is not None:
            found += [self.varied.part(part) for part in blocks(len(self.varied))]
        return found

    def completed(self, tangent: Array, system: System, layout: Layout, run: tuple[Array, Array, Array]) -> Array:
        """A tangent map of which only some columns were carried, with those that follow from symmetry. `run`: the flat state at
        the start, those at the samples, and the times since the start."""
        known = system.ignorable_columns(layout, *run)
        carried = _coordinates(layout, [name for name in layout.places if name not in known])
        whole = np.empty((*tangent.shape[:2], layout.dimension + tangent.shape[2] - len(carried)))
        whole[:, :, carried] = tangent[:, :, : len(carried)]
        whole[:, :, layout.dimension :] = tangent[:, :, len(carried) :]
        for name, columns in known.items():
            whole[:, :, layout.places[name]] = columns
        return whole


def _coordinates(layout: Layout, names: Sequence[str]) -> list[int]:
    """The coordinates of these variables' tangent vectors."""
    return [i for name in names for i in range(layout.dimension)[layout.places[name]]]


class explain_missing_derivatives:
    """Say so where the flows of a method are not written for parameters that carry derivatives."""

    def __init__(self, method: Method, directions: Directions) -> None:
        self._method, self._directions = method, directions

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *where: object) -> None:
        if isinstance(error, NumbaError) and isinstance(self._directions, VariedParameters):
            problem = f"{self._method!r} gives no derivatives by parameters of this system"
            raise IncompatibleMethodError(f"{problem}; DOP853(), RK4() and Midpoint() do") from error
