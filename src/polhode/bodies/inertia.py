"""The inertia of a rigid body: what may be one, and the numbers that kernels need of it. A body with a shape gives its own.

`J` inertia in the body frame, `Jd = ½ tr(J) 1 − J = ∫ ρρᵀ dm` the nonstandard inertia. A mass distribution has Jd ≥ 0,
which says for the principal moments that none exceeds the sum of the other two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite, check_flag, check_positive
from ..core.parameters import ParameterLayout
from ..errors import InvalidInputError
from ..geometry.array_api import doubles
from ..geometry.increments.rigid import symmetric_entries
from .base import Body, body_from

Array = NDArray[np.float64]
InertiaLike: TypeAlias = ArrayLike | Body  # what an inertia is made from: three moments, a 3×3 matrix, or a body
TOLERANCE = 1e-12
LARGEST = 1e150
INERTIA_ENTRIES = ParameterLayout(J=6, J_inverse=6)  # what kernels read of an inertia
STILL = 1e20  # the square of a length in any units that is long beside an orbit's


@dataclass(frozen=True)
class Inertia:
    """A checked inertia matrix; `Inertia.of` makes it from three moments, a 3×3 matrix, or the `body` whose inertia it is."""

    matrix: Array
    inverse: Array
    moments: Array
    axes: Array
    body: Body | None = None

    def __post_init__(self) -> None:
        for array in (self.matrix, self.inverse, self.moments, self.axes):
            array.flags.writeable = False

    @classmethod
    def of(
        cls, value: InertiaLike | Mapping[str, Any], *, allow_unphysical: bool = False, field: str = "inertia"
    ) -> Inertia:
        """Check `value`. `allow_unphysical` accepts moments that no mass distribution has. A body gives its inertia about the
        mass centre, along the axes of its frame; a description of a body (`Body.describe`) counts as that body.

        >>> Inertia.of([1.0, 2.0, 3.0]).moments
        array([1., 2., 3.])
        >>> Inertia.of([1.0, 1.0, 3.0])
        Traceback (most recent call last):
        ...
        polhode.errors.InvalidInputError: inertia = [1.0, 1.0, 3.0]: expected principal moments of which none exceeds the sum of the other two (3 > 1 + 1); to use a body that no mass distribution has, pass allow_unphysical=True
        """
        check_flag("allow_unphysical", allow_unphysical)
        if isinstance(value, Mapping):
            value = body_from(value, field)
        body = value if isinstance(value, Body) else None
        try:
            array = doubles(_short(value.inertia) if isinstance(value, Body) else value)
        except (TypeError, ValueError):
            raise InvalidInputError(
                field, value, "three principal moments, a symmetric 3×3 matrix, or a body such as a Box"
            ) from None
        if array.shape not in ((3,), (3, 3)):
            raise InvalidInputError(field, value, f"three principal moments or a 3×3 matrix, not shape {array.shape}")
        if not np.all(np.isfinite(array)):
            raise InvalidInputError(field, value, "finite numbers")
        matrix = np.diag(array) if array.ndim == 1 else array
        size = np.abs(matrix).max()
        if size > LARGEST:
            raise InvalidInputError(field, value, f"numbers of at most {LARGEST:g}, whose products are finite")
        if np.abs(matrix - matrix.T).max() > TOLERANCE * size:
            raise InvalidInputError(field, value, "a symmetric matrix")
        matrix = 0.5 * (matrix + matrix.T)
        moments, axes = np.linalg.eigh(matrix)
        if not moments[0] > TOLERANCE * size:
            if moments[0] > 0.0:
                least = f"the least is {moments[0] / size:.3g} of the largest"
                raise InvalidInputError(
                    field, value, f"principal moments of which none is below {TOLERANCE:g} of another; {least}"
                )
            raise InvalidInputError(field, value, f"a positive definite matrix (its principal moments are {moments})")
        a, b, c = moments
        if c > (a + b) * (1.0 + TOLERANCE) and not allow_unphysical:
            allowed = (
                "principal moments of which none exceeds the sum of the other two "
                f"({c:g} > {a:g} + {b:g}); to use a body that no mass distribution has, pass allow_unphysical=True"
            )
            raise InvalidInputError(field, value, allowed)
        inverse = np.diag(1.0 / array) if array.ndim == 1 else np.linalg.inv(matrix)
        return cls(matrix, 0.5 * (inverse + inverse.T), moments, axes, body)

    @classmethod
    def of_point(cls, mass: float) -> Inertia:
        """The inertia of a point, which does not turn: gravity exerts no moment about a point, so that any isotropic inertia
        gives the same orbit. This one has no inverse, and what moments rounding leaves turn nothing."""
        moments = np.full(3, STILL * mass)
        return cls(np.diag(moments), np.zeros((3, 3)), moments, np.eye(3))

    @property
    def is_point(self) -> bool:
        """Whether it is the inertia of a point, which does not turn."""
        return not np.any(self.inverse)

    @property
    def nonstandard(self) -> Array:
        """`Jd = ½ tr(J) 1 − J`."""
        return 0.5 * np.trace(self.matrix) * np.eye(3) - self.matrix

    def describe(self, *, short: bool = True) -> Any:
        """What makes it again: the body's description; or three moments if the matrix is diagonal and `short`; or the matrix."""
        if self.body is not None:
            return self.body.describe()
        return (_short(self.matrix) if short else self.matrix).tolist()

    def entries(self) -> Array:
        """Six numbers of J and six of J⁻¹, as kernels read them (`INERTIA_ENTRIES`)."""
        return self._entries.copy()

    @cached_property
    def _entries(self) -> Array:
        return INERTIA_ENTRIES.pack(J=symmetric_entries(self.matrix), J_inverse=symmetric_entries(self.inverse))

    def principal_entries(self) -> Array:
        """What the exact free rotation reads (`free_rotation`): right-handed principal axes by growing moment, inverse
        moments, and the place of the middle one between the others."""
        # each axis the way round in which its largest component is positive: so bodies that are alike have axes alike
        axes = self.axes * np.sign(self.axes[np.argmax(np.abs(self.axes), axis=0), range(3)])
        axes = axes * [1.0, 1.0, np.sign(np.linalg.det(axes))]
        inverse = np.zeros(3) if self.is_point else 1.0 / self.moments
        spread = inverse[0] - inverse[2]
        middle = (inverse[1] - inverse[2]) / spread if spread > 0.0 else 0.5
        return np.concatenate([axes.reshape(-1), inverse, [middle]])


def _short(matrix: Array) -> Array:
    """The diagonal of a matrix that has nothing beside it."""
    diagonal = np.diagonal(matrix)
    return diagonal if np.array_equal(matrix, np.diag(diagonal)) else matrix


def on_pivot(
    inertia_cm: InertiaLike | Mapping[str, Any],
    mass: float | None,
    rho0: ArrayLike | None,
    pivot: ArrayLike | None,
    *,
    allow_unphysical: bool,
) -> tuple[Inertia, float, Array]:
    """Inertia about the mass centre, mass, and the vector ρ₀ from the mass centre to the pivot, of a body on a pivot.

    They are given as numbers; or by a body with a mass, and the place of the `pivot` in its frame.
    """
    inertia = Inertia.of(inertia_cm, allow_unphysical=allow_unphysical, field="inertia_cm")
    body = inertia.body
    if body is None:
        if pivot is not None:
            raise InvalidInputError("pivot", pivot, problem="only a body with a shape has a pivot: give rho0 instead")
        for name, value in (("mass", mass), ("rho0", rho0)):
            if value is None:
                raise InvalidInputError(name, None, problem=f"{name} is missing")
        return inertia, check_positive("mass", mass), check_finite("rho0", rho0, (3,))  # type: ignore[arg-type]
    if mass is not None:
        raise InvalidInputError("mass", mass, problem="a body with a shape has its own mass: leave this one out")
    if rho0 is not None:
        raise InvalidInputError("rho0", rho0, problem="of a body with a shape, give the pivot instead, in its frame")
    if pivot is None:
        raise InvalidInputError("pivot", None, problem="pivot is missing: the fixed point, in the frame of the body")
    return inertia, body.mass, check_finite("pivot", pivot, (3,)) - body.centre


def describe_on_pivot(system: Any) -> dict[str, Any]:
    """What `on_pivot` took, from a system with these attributes."""
    if system.pivot is not None:
        return {"inertia_cm": system.inertia_cm.describe(), "pivot": system.pivot.tolist()}
    inertia = system.inertia_cm.describe(short=False)
    return {"inertia_cm": inertia, "mass": system.mass, "rho0": system.rho0.tolist()}
