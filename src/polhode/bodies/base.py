"""What every mass distribution offers: mass, mass centre, inertia and inertia integrals of any order.

A body lives in its own frame. Motion and mutual gravity need the frame's origin at the mass centre; `centre` says
where it is, and the bodies that may be given off it can be moved there when they are made (`recentre=True`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .integrals import first_moments, inertia_from

Array = NDArray[np.float64]


class Body(ABC):
    """Base of all bodies."""

    kind: ClassVar[str]
    mass: float

    @abstractmethod
    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        """`T[i, j, k] = ∫ xⁱ yʲ zᵏ dm` for all i + j + k ≤ order, lengths measured in `unit`; entries beyond that degree
        are zero. In a unit near the body's size no degree overflows."""

    @property
    @abstractmethod
    def radius(self) -> float:
        """The largest distance of matter from the frame's origin; NaN where it is not known."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The body as plain data: its `type` and the arguments that make it again (see `body_from`)."""

    @cached_property
    def centre(self) -> Array:
        """The mass centre, in the body's frame."""
        return first_moments(self.inertia_integrals(1)) / self.mass

    @cached_property
    def inertia(self) -> Array:
        """The 3×3 inertia about the mass centre, along the axes of the body's frame."""
        return inertia_from(self.inertia_integrals(2))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mass={self.mass:.6g})"
