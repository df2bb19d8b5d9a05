"""What was seen of a motion at known times, and how far a state is from it: the terms of a least-squares fit.

An observation is a list of times, what was seen at each, and its noise; `residuals(states)` are the differences from what
states would show, divided by the noise. Fields and quantities are compared as numbers. An attitude is compared by the
rotation from the one to the other, a direction by the two components across it.

Formulas, kernels and `Brightness` also have exact derivatives by the fields of a state (`shown`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numba.core.dispatcher import Dispatcher
from numpy.typing import ArrayLike, NDArray

from ..analysis.quantities import Quantity, quantity
from ..core.system import State
from ..errors import InvalidInputError
from ..scalars.compile import Kernel
from .brightness import Brightness
from .sensors import direction
from .shown_fields import Indices, Shown, ShownFormula, ShownKernel, Slopes

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Observation:
    """What was seen at `times`. `differences(states, which)` (n, m) are the differences of n states from what was seen at the
    times of these numbers, in the units of `sigma` (n, m), its standard deviation. `shown` is the function of fields from which
    a single number comes, where its derivatives are known."""

    name: str
    times: Array
    sigma: Array
    differences: Callable[[State, Indices], Array]
    which: Indices | None = None
    independent: int | None = None
    shown: Shown | None = None

    @property
    def count(self) -> int:
        """How many residuals there are."""
        return int(self.sigma.size)

    @property
    def seen(self) -> int:
        """How many numbers were seen: of the four residuals of an attitude only three are independent."""
        return len(self.times) * (self.sigma.shape[1] if self.independent is None else self.independent)

    def residuals(self, states: State) -> Array:
        """(n, m) differences divided by their standard deviation."""
        return np.asarray(self.differences(states, self._numbers) / self.sigma)

    def slopes(self, states: State) -> Slopes | None:
        """The derivatives (n, entries) of the residuals by the entries of fields; None where they are not known."""
        if self.shown is None:
            return None
        _, slopes = self.shown.evaluate(states, self.times, self._numbers)
        return {name: array / self.sigma for name, array in slopes.items()}

    @property
    def _numbers(self) -> Indices:
        return np.arange(len(self.times)) if self.which is None else self.which

    def between(self, first: float, last: float) -> Observation:
        """What was seen from the one time to the other."""
        inside = np.flatnonzero((self.times >= first) & (self.times <= last))
        which = inside if self.which is None else self.which[inside]
        return replace(self, times=self.times[inside], sigma=self.sigma[inside], which=which)

    @classmethod
    def attitude(cls, times: ArrayLike, R: ArrayLike, sigma: ArrayLike, field: str = "R") -> Observation:
        """Attitudes `R` (n, 3, 3); `sigma` in radians about each body axis: a number, three, or one for each time."""
        t, seen = _samples("R", times, R, (3, 3))
        noise = _noise(sigma, (len(t), 3))
        noise = np.concatenate([noise, noise.mean(axis=1, keepdims=True)], axis=1)
        return cls("attitude", t, noise, lambda s, k: _turns(seen[k], getattr(s, field)), independent=3)

    @classmethod
    def rate(cls, times: ArrayLike, omega: ArrayLike, sigma: ArrayLike, field: str = "omega") -> Observation:
        """Body rates `omega` (n, 3), as gyros see them."""
        return cls.field(times, field, omega, sigma, name="rate")

    @classmethod
    def direction(
        cls, times: ArrayLike, seen: ArrayLike, reference: ArrayLike, sigma: ArrayLike, field: str = "R"
    ) -> Observation:
        """The known inertial direction `reference`, `seen` (n, 3) in the body frame; `sigma` in radians across it."""
        t, vectors = _samples("seen", times, seen, (3,))
        unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
        known = direction("reference", reference)
        across = np.stack([np.linalg.svd(u[None])[2][1:] for u in unit])  # two directions across each that was seen

        def differences(states: State, which: Indices) -> Array:
            shown = np.swapaxes(getattr(states, field), -1, -2) @ known
            return np.einsum("nij,nj->ni", across[which], shown)

        return cls("direction", t, _noise(sigma, (len(t), 2)), differences)

    @classmethod
    def field(
        cls, times: ArrayLike, field: str, values: ArrayLike, sigma: ArrayLike, name: str | None = None
    ) -> Observation:
        """Any field of the system, such as the relative position `X` of two bodies: one value for each time."""
        t = _times(times)
        seen = np.asarray(values, dtype=np.float64)
        if seen.shape[:1] != t.shape or not np.all(np.isfinite(seen)):
            raise InvalidInputError("values", values, f"{len(t)} finite values, one for each time")
        flat = seen.reshape(len(t), -1)
        return cls(
            name or field,
            t,
            _noise(sigma, flat.shape),
            lambda states, which: np.reshape(getattr(states, field), (len(which), -1)) - flat[which],
        )

    @classmethod
    def of(
        cls,
        times: ArrayLike,
        given: str | Quantity | Callable[..., Any] | Brightness,
        values: ArrayLike,
        sigma: ArrayLike,
        name: str | None = None,
    ) -> Observation:
        """A quantity, seen as one number at each time. It is one of
        - text such as "sqrt(X[0]**2 + X[1]**2 + X[2]**2)" for a distance
        - a `Brightness`
        - a kernel whose arguments are named like fields of the system: `def glow(R, t): ...`, with R the tuple of nine entries
        - any other smooth function of the state, with an axis of samples in front

        The derivatives are exact: of text as a formula, of kernels and `Brightness` by dual numbers, of functions by a complex
        step. Those that do not carry complex numbers along, such as `abs`, are differentiated by differences of order 8.
        """
        t, seen = _samples("values", times, values, ())
        label = name or (given if isinstance(given, str) else str(getattr(given, "__name__", "quantity")))
        shown = _shown(given)

        def differences(states: State, which: Indices) -> Array:
            if shown is None:
                found = np.broadcast_to(quantity(states.system, cast(Quantity, given))(states), which.shape)
            else:
                found, _ = shown.evaluate(states, t[which], which)
            return (found - seen[which])[:, None]

        return cls(label, t, _noise(sigma, (len(t), 1)), differences, shown=shown)


def _shown(given: Any) -> Shown | None:
    """A quantity with its derivatives, where these are known."""
    if isinstance(given, str):
        return ShownFormula(given)
    if isinstance(given, (Kernel, Dispatcher)):
        return ShownKernel(given)
    return given if isinstance(given, Brightness) else None


def _times(times: ArrayLike) -> Array:
    t = np.atleast_1d(np.asarray(times, dtype=np.float64))
    if t.ndim != 1 or not t.size or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0.0):
        raise InvalidInputError("times", times, "finite times in rising order, each once")
    return t


def _samples(name: str, times: ArrayLike, values: ArrayLike, shape: tuple[int, ...]) -> tuple[Array, Array]:
    t, array = _times(times), np.asarray(values, dtype=np.float64)
    if array.shape != (len(t), *shape) or not np.all(np.isfinite(array)):
        raise InvalidInputError(name, values, f"finite numbers of shape {(len(t), *shape)}, one for each time")
    return t, array


def _noise(sigma: ArrayLike, shape: tuple[int, int]) -> Array:
    """The standard deviation of each number."""
    array = np.asarray(sigma, dtype=np.float64)
    if array.shape == shape[:1] and shape[0] != shape[1]:
        array = array[:, None]
    if not np.all(np.isfinite(array)) or not np.all(array > 0.0):
        raise InvalidInputError("sigma", sigma, "positive numbers: standard deviations")
    try:
        return np.broadcast_to(array, shape).copy()
    except ValueError:
        raise InvalidInputError("sigma", sigma, f"a number, or as many as were seen: {shape}") from None


def _turns(seen: Array, R: Array) -> Array:
    """Of the rotations `seen ᵀ R` by angles θ about axes n: `sin θ n` and `1 − cos θ` (n, 4).

    For small θ this is the rotation vector. The squares add up to `4 sin² θ/2`, which grows up to half a turn, and all
    four are smooth there, as the rotation vector is not.
    """
    A = np.swapaxes(seen, -1, -2) @ R
    w = 0.5 * np.stack([A[:, 2, 1] - A[:, 1, 2], A[:, 0, 2] - A[:, 2, 0], A[:, 1, 0] - A[:, 0, 1]], axis=-1)
    versine = 0.5 * (3.0 - np.trace(A, axis1=-2, axis2=-1))
    return np.concatenate([w, versine[:, None]], axis=-1)
