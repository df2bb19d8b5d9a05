"""What perturbs bodies that attract each other, as a user gives it: uniform fields, distant bodies, potentials.

Every perturbation acts on each body by itself through an energy W(x, R, t), so that a variational step stays one: the
kicks have more terms, and nothing else changes. What is still conserved follows from what perturbs: the energy if nothing
moves, the linear momentum if there is nothing, and the angular momentum

    about the origin (inertial form) or the mass centre (relative form)    without perturbations,
    about the mass centre                                                  in uniform fields only: all fall alike,
    about its place                                                        with one fixed distant body, not tidal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body, PointMasses
from ...core.checks import check_finite, check_integer, check_positive, from_table
from ...errors import InvalidInputError
from ...gravity import LARGEST_ORDER, Expansion
from ...gravity.dispatch import energies
from ...gravity.kepler import plane
from ...gravity.kepler_equation import MOST_ITERATIONS
from ...scalars import double, kernel
from ...scalars.compile import Kernel
from ..inputs.named_parameters import NamedParameters
from ..inputs.sympy_kernels import formula_kernel, known_symbols, made, text_of
from ..inputs.tracing import trace
from ..inputs.user_functions import UserFunction, remembered, taken_parameters, with_values
from .external_potential import ExternalPotential
from .perturbation_kernels import (
    ANOMALY,
    AXIS_P,
    AXIS_Q,
    CENTRE,
    DISTANT,
    DISTANT_NUMBERS,
    ECCENTRICITY,
    ITERATIONS,
    LIST,
    ORBIT_NUMBERS,
    POTENTIAL,
    POTENTIAL_NUMBERS,
    RATE,
    UNIFORM,
    UNIFORM_NUMBERS,
    Functions,
    monopole,
    orbit_place,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class UniformField:
    """A uniform field of acceleration `g`, the same for every body: no moment about a mass centre.

    >>> UniformField([0.0, 0.0, -9.81]).describe()
    {'type': 'uniform', 'g': [0.0, 0.0, -9.81]}
    """

    g: ArrayLike
    kind = "uniform"
    autonomous = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "g", tuple(check_finite("g", self.g, (3,)).tolist()))

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data, with the type."""
        return {"type": self.kind, "g": list(np.asarray(self.g).tolist())}


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
    pericentre: float = 0.0
    anomaly: float = 0.0
    centre: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("semimajor", "period", "eccentricity", "inclination", "node", "pericentre", "anomaly"):
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
        cosine, sine = np.cos(self.pericentre), np.sin(self.pericentre)
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
    `@polhode.scalars.kernel`; `parameters`: values of the names in these. `order`: the degree to which the bodies' shapes count; by default that of their mutual
    gravity, and at least 2. `tidal`: only the difference from its pull at the origin acts, as in a frame whose origin
    falls freely towards it; nothing is lost to cancellation then, however far it is.

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
        if not isinstance(tidal, bool):
            raise InvalidInputError("tidal", tidal, "true or false")
        self.tidal, self._given = tidal, position
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
        if isinstance(given, (list, tuple)) and any(isinstance(v, str) or hasattr(v, "free_symbols") for v in given):
            return self._from_formulas(given)
        if callable(given):
            raise InvalidInputError("position", given, "a function of t marked @polhode.scalars.kernel")
        return tuple(check_finite("position", given, (3,)).tolist())

    def _from_formulas(self, given: Sequence[Any]) -> list[str]:
        import sympy

        t = sympy.Symbol("t", real=True)
        expressions = [known_symbols("position", v, [t], self.named) for v in given]
        formula = formula_kernel("position", expressions, [t, *self.named.symbols])
        self._law = made("law", ["def law(t, values):", "    return formula((t,) + values)"], {"formula": formula})
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


Perturbation = UniformField | DistantBody | ExternalPotential
KINDS: dict[str, Any] = {cls.kind: cls for cls in (UniformField, DistantBody, ExternalPotential)}


def perturbation_from(field: str, given: Any) -> Perturbation:
    """A perturbation, or the one that a table with its `type` describes.

    >>> perturbation_from("perturbations[0]", {"type": "uniform", "g": [0, 0, -1]})
    UniformField(g=(0.0, 0.0, -1.0))
    """
    if isinstance(given, Perturbation):
        return given
    if not isinstance(given, Mapping):
        raise InvalidInputError(
            field, given, "a DistantBody, UniformField or ExternalPotential, or a table with its type"
        )
    arguments = dict(given)
    kind = arguments.pop("type", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInputError(f"{field}.type", kind, f"one of {', '.join(KINDS)}")
    return from_table(field, KINDS[kind], arguments)


class PerturbationSet:
    """The perturbations of a list of bodies: the numbers and functions that flows need, and the energy from Python."""

    def __init__(self, given: Sequence[Any], bodies: Sequence[Body], gravity: int | str, G: float) -> None:
        if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
            raise InvalidInputError("perturbations", given, "a list of perturbations")
        self.list = [perturbation_from(f"perturbations[{k}]", v) for k, v in enumerate(given)]
        self.bodies, self.gravity, self.G = list(bodies), gravity, G
        order = gravity if isinstance(gravity, int) else 2
        # a mass of 1: the strength GM stands beside the blocks
        point = PointMasses([1.0], [[0.0, 0.0, 0.0]])
        self.shapes: dict[int, list[Expansion]] = {}
        for k, one in enumerate(self.list):
            if isinstance(one, DistantBody):
                strength, degree = self.G * one.mass, one.order or order
                self.shapes[k] = [Expansion(body, point, degree, strength) for body in self.bodies]
            elif isinstance(one, ExternalPotential):
                one.acts_on(len(self.bodies))

    def __bool__(self) -> bool:
        return bool(self.list)

    @property
    def autonomous(self) -> bool:
        """Whether no perturbation depends on time."""
        return all(one.autonomous for one in self.list)

    @property
    def workspace(self) -> int:
        """How many entries of workspace the kernels need."""
        return max((shape.workspace for shapes in self.shapes.values() for shape in shapes), default=0)

    @property
    def falls_alike(self) -> bool:
        """Whether the angular momentum about the mass centre is conserved."""
        return all(isinstance(one, UniformField) for one in self.list)

    @property
    def centre(self) -> Array | None:
        """The one fixed centre of attraction, about which the angular momentum is conserved, if that is all there is."""
        if len(self.list) == 1 and isinstance(one := self.list[0], DistantBody) and one.autonomous and not one.tidal:
            return one.at(0.0)
        return None

    def conserves(self, name: str) -> bool:
        """Whether energy, linear_momentum or angular_momentum is conserved."""
        if not self.list:
            return True
        return {
            "energy": self.autonomous,
            "linear_momentum": False,
            "angular_momentum": self.falls_alike or self.centre is not None,
        }[name]

    def parameters(self, start: int) -> Array:
        """The list as kernels read it, for parameters in which it begins at `start`; nothing where it is empty."""
        if not self.list:
            return np.zeros(0)
        n = len(self.bodies)
        at = start + LIST.size + len(self.list)
        places, numbers = [], []
        for k, one in enumerate(self.list):
            places.append(at)
            if isinstance(one, UniformField):
                own = UNIFORM_NUMBERS.pack(kind=UNIFORM, g=one.g)
            elif isinstance(one, ExternalPotential):
                kind = POTENTIAL_NUMBERS.pack(kind=POTENTIAL)
                own = np.concatenate([kind, one.named.numbers(), one.acts_on(n)])
            else:
                blocks = [shape.shape_parameters() for shape in self.shapes[k]]
                first = at + DISTANT_NUMBERS.size + n
                begins = first + np.cumsum([0, *(b.size for b in blocks)])
                head = one.numbers(self.G, begins[-1])
                own = np.concatenate([head, begins[:-1], *blocks, one.named.numbers()])
            numbers.append(own)
            at += own.size
        return np.concatenate([LIST.pack(count=len(self.list)), places, *numbers])

    @cached_property
    def functions(self) -> Functions | None:
        """What of a user's functions must be compiled into a force; None where everything is given by numbers."""
        distant = {k: one for k, one in enumerate(self.list) if isinstance(one, DistantBody)}
        places = {k: one.function for k, one in distant.items() if one.function is not None}
        potentials = {
            k: (one.evaluate, one.named.size) for k, one in enumerate(self.list) if isinstance(one, ExternalPotential)
        }
        return Functions.of(places, potentials) if places or potentials else None

    def energy(self, t: ArrayLike | None, x: Array, R: Array) -> Array:
        """The energy of all bodies, at places (..., n, 3) and attitudes (..., n, 3, 3); without a time if nothing moves."""
        if t is None and not self.autonomous:
            raise InvalidInputError("t", t, "the time: perturbations move, and their energy with them")
        lead, times = x.shape[:-2], np.asarray(0.0 if t is None else t, dtype=float)
        total = np.zeros(lead)
        for k, one in enumerate(self.list):
            for i, body in enumerate(self.bodies):
                here, A = x[..., i, :], R[..., i, :, :]
                if isinstance(one, UniformField):
                    total = total - body.mass * here @ np.asarray(one.g)
                elif isinstance(one, ExternalPotential):
                    if one.acts_on(len(self.bodies))[i]:
                        total = total + one.energy(times, here, A)
                else:
                    c = np.broadcast_to(one.at(times), here.shape)
                    mu = self.G * one.mass * body.mass
                    W, _ = monopole(mu, tuple(np.moveaxis(here, -1, 0)), tuple(np.moveaxis(c, -1, 0)), int(one.tidal))
                    shape = self.shapes[k][i]
                    total = total + W + energies_of(shape.shape_parameters(), shape.workspace, here - c, A)
        return total

    def describe(self) -> dict[str, Any]:
        """The list as plain data, by the name of the argument."""
        return {"perturbations": [one.describe() for one in self.list]} if self.list else {}


def energies_of(block: Array, workspace: int, X: Array, R: Array) -> Array:
    """U of an interaction at relative places (..., 3) and attitudes (..., 3, 3)."""
    rows = np.ascontiguousarray(np.concatenate([X.reshape(-1, 3), R.reshape(-1, 9)], axis=1))
    U = np.empty(len(rows))
    energies(double, rows, block, np.zeros(12 + workspace), U)
    return U.reshape(X.shape[:-1])
