"""A body of which only its inertia integrals are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_array, check_integer, check_positive
from ..errors import InvalidInputError
from .base import Body, check_colour, check_name
from .integrals import exponents, inertia_from

Array = NDArray[np.float64]


class GivenIntegrals(Body):
    """A body by its inertia integrals `T_ijk = ∫ xⁱ yʲ zᵏ dm`, not divided by the mass.

    `integrals`: an array `T[i, j, k]` of shape (n+1, n+1, n+1), or a mapping from "ijk" or (i, j, k) to numbers, in which
    what is left out up to the highest degree present is zero. They must hold a positive mass, and up to the second
    degree be those of some mass distribution. `radius`: how far the body reaches, where that is known; for contacts it is then a
    sphere of this radius.

    >>> body = GivenIntegrals({"000": 2.0, "200": 3.0, "020": 2.0, "002": 1.0})
    >>> body.mass, np.diag(body.inertia)
    (2.0, array([3., 4., 5.]))
    """

    kind: ClassVar[str] = "integrals"

    def __init__(
        self,
        integrals: ArrayLike | Mapping[Any, float],
        *,
        radius: float | None = None,
        colour: str | None = None,
        name: str | None = None,
    ) -> None:
        self.T = _from_mapping(integrals) if isinstance(integrals, Mapping) else _from_array(integrals)
        self.order = self.T.shape[0] - 1
        self.mass = check_positive("integrals[0, 0, 0]", self.T[0, 0, 0])
        self.colour, self.name = check_colour(colour), check_name(name)
        self._radius = float("nan") if radius is None else check_positive("radius", radius)
        if self.order >= 2:
            J = inertia_from(self.T)
            moments = np.linalg.eigvalsh(0.5 * np.trace(J) * np.eye(3) - J)
            if moments[0] < -1e-9 * moments[2]:
                allowed = f"∫ρρᵀdm about the mass centre without a negative eigenvalue; it has {moments}"
                raise InvalidInputError("integrals", integrals, allowed)

    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        n = check_integer("order", order, 0)
        if n > self.order:
            allowed = f"an order up to {self.order}, the highest degree of the integrals that this body was given"
            raise InvalidInputError("order", order, allowed)
        T = np.zeros((n + 1,) * 3)
        for ijk in exponents(n):
            T[ijk] = self.T[ijk] / unit ** sum(ijk)
        return T

    @property
    def radius(self) -> float:
        return self._radius

    def describe(self) -> dict[str, Any]:
        named = {f"{i} {j} {k}": float(self.T[i, j, k]) for i, j, k in exponents(self.order) if self.T[i, j, k] != 0.0}
        named[f"{self.order} 0 0"] = float(self.T[self.order, 0, 0])  # so that the order is kept
        return self._described(integrals=named, radius=None if np.isnan(self._radius) else self._radius)


def _from_array(integrals: Any) -> Array:
    T = np.array(check_array("integrals", integrals, ()))
    if T.ndim != 3 or len(set(T.shape)) != 1:
        raise InvalidInputError("integrals", integrals, f"shape (n+1, n+1, n+1), not {T.shape}")
    return T


def _from_mapping(integrals: Mapping[Any, float]) -> Array:
    entries = {_exponent(key): float(check_array(f"integrals[{key!r}]", value, ())) for key, value in integrals.items()}
    order = max((sum(ijk) for ijk in entries), default=0)
    T = np.zeros((order + 1,) * 3)
    for ijk, value in entries.items():
        T[ijk] = value
    return T


def _exponent(key: Any) -> tuple[int, int, int]:
    """(i, j, k) of "ijk", of "i j k" (where an exponent has two digits), or of a tuple."""
    try:
        i, j, k = (int(n) for n in (key.split() if isinstance(key, str) and " " in key else key))
    except (TypeError, ValueError):
        raise InvalidInputError("integrals", key, 'keys (i, j, k), "ijk" or "i j k"') from None
    if min(i, j, k) < 0:
        raise InvalidInputError("integrals", key, "exponents not below zero")
    return i, j, k
