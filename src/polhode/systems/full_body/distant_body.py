"""A distant body that perturbs others, as a user gives it: at rest, on a Kepler orbit, or moved by formulas or a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_finite, check_flag, check_integer, check_positive, from_table
from ...errors import InvalidInputError
from ...gravity import LARGEST_ORDER
from ...gravity.kepler import plane
from ...gravity.kepler_equation import MOST_ITERATIONS
from ...scalars import kernel
from ...scalars.compile import Kernel
from ..inputs.limits import limited
from ..inputs.named_parameters import NamedParameters
from ..inputs.parser import is_formula
from ..inputs.sympy_kernels import formula_kernel, kernel_from_text, known_symbols, text_of
from ..inputs.tracing import trace
from ..inputs.user_functions import UserFunction, remembered, taken_parameters, with_values
from .perturbation_kernels import (
    ANOMALY,
    AXIS_P,
    AXIS_Q,
    CENTRE,
    DISTANT,
    DISTANT_NUMBERS,
    ECCENTRICITY,
    ITERATIONS,
    ORBIT_NUMBERS,
    RATE,
    orbit_place,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class KeplerOrbit:
    """A Kepler ellipse about `centre`; angles in radians, `anomaly` the mean anomaly at t = 0.

    >>> np.round(KeplerOrbit(semimajor=2.0, period=4.0).at(1.0), 12)
    array([0., 2., 0.])
    """

    semimajor: float
    period: float
    eccentricity: float = 0.0
    inclination: float = 0.0
    node: float = 0.0
    periapsis: float = 0.0
    anomaly: float = 0.0
    centre: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("semimajor", "period", "eccentricity", "inclination", "node", "periapsis", "anomaly"):
            object.__setattr__(self, name, float(check_finite(name, getattr(self, name), ())))
        check_positive("semimajor", self.semimajor)
        if not self.period:
            raise InvalidInputError("period", self.period, "a number other than zero (negative: the other way round)")
        if not 0.0 <= self.eccentricity < 1.0:
            raise InvalidInputError("eccentricity", self.eccentricity, "a number from 0 to below 1")
        object.__setattr__(self, "centre", tuple(check_finite("centre", self.centre, (3,)).tolist()))

    def numbers(self) -> Array:
        """Centre, semiaxes as vectors, eccentricity, mean motion, anomaly, and how many iterations to do."""
        e = self.eccentricity
        first, second = plane(self.node, self.inclination)
        cosine, sine = np.cos(self.periapsis), np.sin(self.periapsis)
        P, Q = cosine * first + sine * second, cosine * second - sine * first
        return ORBIT_NUMBERS.pack(
            centre=self.centre,
            P=self.semimajor * P,
            Q=self.semimajor * np.sqrt(1.0 - e * e) * Q,
            eccentricity=e,
            rate=2.0 * np.pi / self.period,
            anomaly=self.anomaly,
            iterations=MOST_ITERATIONS if e > 0.0 else 0,
        )

    def at(self, t: ArrayLike) -> Array:
        """Places (..., 3) at times t."""
        n = self.numbers()
        centre, P, Q = ((n[k], n[k + 1], n[k + 2]) for k in (CENTRE, AXIS_P, AXIS_Q))
        numbers = n[ECCENTRICITY], n[RATE], n[ANOMALY], int(n[ITERATIONS])
        place = orbit_place(centre, P, Q, *numbers, np.asarray(t, dtype=float))
        return np.stack(np.broadcast_arrays(*place), axis=-1)

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data."""
        return asdict(self) | {"centre": list(self.centre)}


class DistantBody:
    """A point mass, too heavy or too far to be moved, that pulls at every part of every body: force and moment.

    `position`: three numbers (it rests), a `KeplerOrbit` or its table, three formulas in t, or a function of t marked
    `@polhode.scalars.kernel`; `parameters`: values of the names in these. `order`: the degree to which the bodies' shapes
    count; by default that of their mutual gravity, and at least 2. `tidal`: only the difference from its pull at the origin
    acts, as in a frame whose origin falls freely towards it; nothing is lost to cancellation then, however far it is.

    >>> DistantBody(2e30, KeplerOrbit(semimajor=1.5e11, period=3.15e7), tidal=True).autonomous
    False
    """

    kind = "distant_body"

    def __init__(
        self,
        mass: float,
        position: Any,
        *,
        order: int | None = None,
        tidal: bool = False,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.named = NamedParameters(parameters)
        self.mass = check_positive("mass", mass)
        self.order = None if order is None else check_integer("order", order, 2, LARGEST_ORDER)
        self.tidal, self._given = check_flag("tidal", tidal), position
        self.function: Any = None
        self.position = self._position(position)
        self.named.check_used()
        self.autonomous = self.function is None and not isinstance(self.position, KeplerOrbit)
        if tidal and self.autonomous and not np.any(self.at(0.0)):
            raise InvalidInputError("position", position, "a place other than the origin, which falls towards it")

    def __reduce__(self) -> tuple[Any, ...]:
        named = self.named.describe().get("parameters")
        return _distant_body, (self.mass, self._given, self.order, self.tidal, named)

    def _position(self, given: Any) -> Any:
        if isinstance(given, Mapping):
            given = from_table("position", KeplerOrbit, given)
        if isinstance(given, KeplerOrbit):
            return given
        if isinstance(given, Kernel):
            return self._from_kernel(given)
        if isinstance(given, (list, tuple)) and any(is_formula(v) for v in given):
            return self._from_formulas(given)
        if callable(given):
            raise InvalidInputError("position", given, "a function of t marked @polhode.scalars.kernel")
        return tuple(check_finite("position", given, (3,)).tolist())

    def _from_formulas(self, given: Sequence[Any]) -> list[str]:
        import sympy

        t = sympy.Symbol("t", real=True)
        with limited("position", given):
            expressions = [known_symbols("position", v, [t], self.named) for v in given]
            formula = formula_kernel("position", expressions, [t, *self.named.symbols])
        self._law = kernel_from_text(
            "law", ["def law(t, values):", "    return formula((t,) + values)"], {"formula": formula}
        )
        self._set_function()
        return [text_of(v) for v in expressions]

    def _from_kernel(self, given: Kernel) -> Any:
        """By the formulas that it writes down itself (`inputs.tracing`), if it has them."""
        import sympy

        user, named = UserFunction(given), self.named
        _, taken = taken_parameters("position", given, named, (1,))
        self._law = with_values(user, "t_", "t_", taken, named)
        self._set_function()
        numbers = all(isinstance(named.value(name), float) for name in taken)  # formulas take numbers
        symbols = [sympy.Symbol("t", real=True), *(sympy.Symbol(name, real=True) for name in taken)]
        law = lambda p: user.function(p[0], **dict(zip(taken, p[1:], strict=True)))  # noqa: E731
        formulas = trace(law, symbols, count=3) if numbers else None
        return self._from_formulas(formulas) if formulas else user.function.__name__

    def _set_function(self) -> None:
        """The kernel `(S, p, at, t)` of the place, tried once."""
        check_finite("position", [float(v) for v in self._law(0.1, self.named.values)], (3,))
        self.function = place_at(self._law, self.named.read)

    def at(self, t: ArrayLike) -> Array:
        """Places (..., 3) at times t."""
        times: Array = np.asarray(t, dtype=float)
        if isinstance(self.position, KeplerOrbit):
            return self.position.at(times)
        if self.function is None:
            return np.asarray(self.position) + np.zeros((*times.shape, 3))
        return np.stack(np.broadcast_arrays(*self._law(times, self.named.values), times)[:3], axis=-1)

    def numbers(self, G: float, named: int = 0) -> Array:
        """What kernels read of it, but for the bodies' shapes; `named` is where its named parameters begin."""
        on_orbit = isinstance(self.position, KeplerOrbit)
        orbit = self.position.numbers() if on_orbit else np.append(self.at(0.0), np.zeros(ORBIT_NUMBERS.size - 3))
        flags = {"tidal": self.tidal, "on_orbit": on_orbit}
        return DISTANT_NUMBERS.pack(kind=DISTANT, strength=G * self.mass, **flags, named=named, orbit=orbit)

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data, with the type."""
        place = self.position.describe() if isinstance(self.position, KeplerOrbit) else self.position
        given = {"position": list(place) if isinstance(place, tuple) else place, "tidal": self.tidal}
        data: dict[str, Any] = {"type": self.kind, "mass": self.mass} | given | self.named.describe()
        return data if self.order is None else data | {"order": self.order}


def _distant_body(mass: float, position: Any, order: int | None, tidal: bool, parameters: Any) -> DistantBody:
    return DistantBody(mass, position, order=order, tidal=tidal, parameters=parameters)


@remembered
def place_at(law: Any, read: Any) -> Any:
    """The kernel `(S, p, at, t)` of the place of a distant body, whose named parameters begin at `at`."""

    @kernel
    def place(S: Any, p: Any, at: int, t: Any) -> Any:
        return law(t, read(S, p, at))

    return place
