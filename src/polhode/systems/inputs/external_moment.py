"""External moments on a body: of time and state, in body or space components.

A moment is one of
    nothing,
    three numbers its components, constant in its frame,
    a pulse       plain data: a vector times a profile of time, `f(t) (m₁ d₁ + m₂ d₂ + m₃ d₃)` in body components or
                  `f(t) (m₁ e₁ + m₂ e₂ + m₃ e₃)` in space components; its numbers are parameters, its code is compiled
                  once for all,
    three formulas  in t, the entries R11 … R33 and the rate omega1, omega2, omega3, of which some may be numbers,
    a function    `moment(t, R, omega) -> (m1, m2, m3)` with R its nine entries row by row and omega three, written
                  with `+ − * /` and the functions of `polhode.scalars`.

Formulas and functions may use named parameters (`named_parameters`). They are compiled once for all systems of
the same formulas or function.

Profiles are `f = max(0, 1 − |t − centre|/half width)`: a triangle, or for an infinite width the constant 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ...bodies.inertia import INERTIA_ENTRIES
from ...core.checks import check_finite, one_of
from ...core.parameters import ParameterLayout
from ...errors import InvalidInputError
from ...geometry.array_api import MATRIX, VECTOR, components
from ...geometry.vectors import Matrix, Vector, add, dot, scale, solve
from ...scalars import absolute, any_of, kernel, largest, par, par3
from .limits import limited
from .named_parameters import NONE, NamedParameters
from .parser import is_formula
from .sympy_kernels import formula_kernel, known_symbols, symbols, text_of
from .user_flow import reason
from .user_functions import StateFunction, is_real, remembered, said

Array = NDArray[np.float64]

PULSE_NUMBERS = ParameterLayout(body=3, space=3, centre=1, half_width=1)
IN_BODY, IN_SPACE, CENTRE, HALF_WIDTH = PULSE_NUMBERS.offsets("body", "space", "centre", "half_width")
MOMENT = INERTIA_ENTRIES.then(pulse=PULSE_NUMBERS.size)  # the pulse follows the inertia among the parameters
(PULSE,) = MOMENT.offsets("pulse")
FRAMES = {"body": "body", "space": "space", "inertial": "space"}  # as users call them, and what they are
PROFILES = ("triangle", "constant")
ALLOWED = (
    "nothing, three numbers or formulas, a table such as {profile = 'triangle', coefficients = [1, 2, 0]}, or a function "
    "moment(t, R, omega) that gives three numbers"
)
FUNCTION = (
    "a function (t, R, omega) of a number, of a tuple of the nine entries of R row by row (R[8] is R33) and of a tuple of "
    "three, that returns a tuple of three numbers and is written with + - * / and the functions of polhode.scalars"
)


@kernel
def profile(t: Any, centre: Any, half: Any) -> Any:
    """f(t) of a pulse."""
    return largest(0.0, 1.0 - absolute(t - centre) / half)


@kernel
def pulse_moment(f: Any, body: Vector, space: Vector, Q: Matrix) -> Vector:
    """Components along the columns of Q of f times the vector given in body and in space components."""
    return scale(f, add(body, solve(Q, space)[0]))


@kernel
def pulse_profile(S: Any, p: Any, at: int, t: Any) -> Any:
    """f(t) of the pulse whose numbers begin at `at`."""
    return profile(t, par(p, at + CENTRE, S), par(p, at + HALF_WIDTH, S))


@kernel
def pulse_vectors(S: Any, p: Any) -> tuple[Vector, Vector]:
    """The body and the space components of the moment's pulse."""
    return par3(p, PULSE + IN_BODY, S), par3(p, PULSE + IN_SPACE, S)


@kernel
def acts(S: Any, p: Any, t: Any, moment: Any) -> Any:
    """Whether there is a moment at time t, in any lane."""
    if moment is None:
        body, space = pulse_vectors(S, p)
        return any_of(pulse_profile(S, p, PULSE, t) * (dot(body, body) + dot(space, space)) > 0.0)
    return True


@kernel
def body_moment(S: Any, p: Any, t: Any, Q: Matrix, omega: Vector, moment: Any) -> Vector:
    """The components M of the moment `m = M₁ d₁ + M₂ d₂ + M₃ d₃` along the directors, the columns of Q.

    Half-way through a step of a director scheme these are mean directors and need not be of unit length.
    """
    if moment is None:
        body, space = pulse_vectors(S, p)
        return pulse_moment(pulse_profile(S, p, PULSE, t), body, space, Q)
    return moment(S, p, t, Q, omega)


@dataclass(frozen=True)
class ExternalMoment:
    """A checked moment. `function` is a kernel `(S, p, t, Q, omega)` that gives body components, or None for a pulse (or
    nothing at all); `law` the same of `(t, Q, omega, values)` with the values of named parameters. `user` is the
    function that a user gave, if it is one. `names`: where each formula is no more than a named parameter or a number, these;
    a system may then take the moment as a constant pulse (`components`), for which nothing is compiled."""

    given: Any = None
    frame: str = "body"
    pulse: Array = field(default_factory=lambda: _pulse_numbers(np.zeros(3), np.zeros(3), 0.0, np.inf))
    function: Any = None
    law: Any = None
    user: StateFunction | None = None
    values: tuple[Any, ...] = ()
    names: tuple[str | float, ...] = ()

    @property
    def by_numbers(self) -> bool:
        """Whether it is a pulse, or can be taken as one."""
        return self.function is None or bool(self.names)

    def components(self, parameters: NamedParameters) -> Array:
        """Where there are `names`: the values that stand for them."""
        return np.array([parameters.value(x) if isinstance(x, str) else x for x in self.names], dtype=np.float64)

    @property
    def acts(self) -> bool:
        return self.given is not None

    @property
    def corners(self) -> tuple[float, ...]:
        """The times at which a pulse begins, peaks and ends.

        >>> ExternalMoment.of({"profile": "triangle", "coefficients": [1, 2, 0], "start": 5.0, "duration": 3.0}).corners
        (5.0, 6.5, 8.0)
        """
        centre, half = self.pulse[CENTRE:].tolist()
        return (centre - half, centre, centre + half) if self.function is None and np.isfinite(half) else ()

    @classmethod
    def of(
        cls, moment: Any, frame: str = "body", name: str = "moment", parameters: NamedParameters = NONE
    ) -> ExternalMoment:
        """Check what a user gave; errors call it `name`.

        >>> ExternalMoment.of([1, 2, 0], "inertial").frame
        'space'
        >>> ExternalMoment.of({"profile": "triangle", "coefficients": [1, 2, 0], "duration": 3.0}).pulse
        array([1. , 2. , 0. , 0. , 0. , 0. , 1.5, 1.5])
        >>> ExternalMoment.of({"profile": "sawtooth", "coefficients": [1, 2, 0]})
        Traceback (most recent call last):
        ...
        polhode.errors.InvalidInputError: moment.profile = 'sawtooth': expected one of 'triangle', 'constant'
        """
        frame = FRAMES[one_of("frame", frame, FRAMES)]
        if moment is None:
            return cls(frame=frame)
        if _has_formulas(moment):
            law, texts = _formula_moment(moment, name, parameters)
            return cls(texts, frame, **_compiled(law, frame, parameters), names=_names(texts, parameters))
        if isinstance(moment, (Sequence, np.ndarray)) and not isinstance(moment, str):
            moment = {"profile": "constant", "coefficients": check_finite(name, moment, (3,))}
        if isinstance(moment, Mapping):
            pulse = _pulse(moment, frame, name)
            plain = {key: v if isinstance(v, str) else np.asarray(v, dtype=float).tolist() for key, v in moment.items()}
            return cls(plain, frame, pulse)
        if callable(moment):
            user = _checked_function(moment, name, parameters)
            return cls(moment, frame, **_compiled(user.law, frame, parameters), user=user)
        raise InvalidInputError(name, moment, ALLOWED)

    def at(self, t: Array, R: Array, omega: Array) -> Array:
        """Body components (..., 3) at times t, attitudes R (..., 3, 3) and body rates omega (..., 3)."""
        time, Q = np.asarray(t, dtype=np.float64), components(R, MATRIX)
        if self.function is None:
            body, space, (centre, half) = self.pulse[:IN_SPACE], self.pulse[IN_SPACE:CENTRE], self.pulse[CENTRE:]
            M = pulse_moment(profile(time, centre, half), tuple(body), tuple(space), Q)
        else:
            M = self.law(time, Q, components(omega, VECTOR), self.values)
        return np.stack(np.broadcast_arrays(*M, time)[:3], axis=-1)

    def describe(self) -> dict[str, Any]:
        """The constructor's arguments; a function is described by its name."""
        if not self.acts:
            return {}
        moment = getattr(self.given, "__name__", "a function") if callable(self.given) else self.given
        return {"moment": moment} | ({"frame": self.frame} if self.frame != "body" else {})


def _pulse(data: Mapping[str, Any], frame: str, name: str) -> Array:
    """Three body and three space components, centre and half width."""
    known = ("profile", "coefficients", "start", "duration")
    for key in data:
        if key not in known:
            raise InvalidInputError(f"{name}.{key}", data[key], f"one of the keys {', '.join(known)}")
    profile = one_of(f"{name}.profile", data.get("profile", "constant"), PROFILES)
    if "coefficients" not in data:
        raise InvalidInputError(name, dict(data), "coefficients, the three components at the peak")
    vector = check_finite(f"{name}.coefficients", data["coefficients"], (3,))
    body, space = (vector, np.zeros(3)) if frame == "body" else (np.zeros(3), vector)
    if profile == "constant":
        for key in ("start", "duration"):
            if key in data:
                raise InvalidInputError(f"{name}.{key}", data[key], problem="a constant has neither start nor duration")
        return _pulse_numbers(body, space, 0.0, np.inf)
    start = float(check_finite(f"{name}.start", data.get("start", 0.0), ()))
    duration = float(check_finite(f"{name}.duration", data.get("duration", 1.0), ()))
    if duration <= 0.0:
        raise InvalidInputError(f"{name}.duration", duration, "a positive number")
    return _pulse_numbers(body, space, start + 0.5 * duration, 0.5 * duration)


def _pulse_numbers(body: Array, space: Array, centre: float, half_width: float) -> Array:
    """The numbers of a pulse, as kernels read them."""
    return PULSE_NUMBERS.pack(body=body, space=space, centre=centre, half_width=half_width)


def _has_formulas(given: Any) -> bool:
    if isinstance(given, str):
        return False
    if isinstance(given, Sequence):
        return any(is_formula(x) for x in given)
    return is_formula(given) and hasattr(given, "shape")  # a matrix of SymPy


def _formula_moment(given: Any, name: str, parameters: NamedParameters) -> tuple[Any, list[str]]:
    """Three formulas as the kernel `(t, Q, omega, values)`, and their texts."""
    import sympy

    parts = list(sympy.Matrix(given)) if hasattr(given, "shape") else list(given)
    if len(parts) != 3:
        raise InvalidInputError(name, given, f"three formulas, not {len(parts)}")
    t, omega = sympy.Symbol("t", real=True), sympy.symbols("omega1 omega2 omega3", real=True)
    every = [*omega, *symbols(), t]
    with limited(name, parts):
        expressions = [known_symbols(f"{name}[{i}]", e, every, parameters) for i, e in enumerate(parts)]
        formula = formula_kernel(name, expressions, [*every, *parameters.symbols])
    return _law_of_formulas(formula), [text_of(e) for e in expressions]


def _names(texts: list[str], parameters: NamedParameters) -> tuple[str | float, ...]:
    """The named parameters or numbers that the formulas are; nothing where one of them is more than that."""
    try:
        return tuple(text if text in parameters.names else float(text) for text in texts)
    except ValueError:
        return ()


@remembered
def _law_of_formulas(formula: Any) -> Any:
    @kernel
    def law(t: Any, Q: Matrix, omega: Vector, values: Any) -> Any:
        return formula(omega + Q + (t,) + values)

    return law


def _checked_function(function: Any, name: str, parameters: NamedParameters) -> StateFunction:
    """The user's function; it is tried on doubles at once."""
    user = StateFunction(name, function, parameters)
    try:
        result: Any = user.compile()
    except (NumbaError, AttributeError, TypeError) as error:
        raise InvalidInputError(name, function, f"{FUNCTION}; Numba: {reason(error)}") from error
    kinds = getattr(result, "types", ())
    if len(kinds) != 3 or not all(is_real(kind) for kind in kinds):
        raise InvalidInputError(name, function, f"{FUNCTION}; it returns {said(result)}")
    return user


def _compiled(law: Any, frame: str, parameters: NamedParameters) -> dict[str, Any]:
    """The kernels of a law in this frame, and the values of its parameters."""
    body = _in_body(law, frame == "space")
    return {
        "law": body,
        "function": _from_parameters(body, parameters.read, parameters.at),
        "values": parameters.values,
    }


@remembered
def _in_body(law: Any, fixed_in_space: bool) -> Any:
    """The kernel `(t, Q, omega, values)` of body components."""

    @kernel
    def of_one_type(t: Any, Q: Matrix, omega: Vector, values: Any) -> Vector:
        """All three of the scalar's type: a plain number among them is a dual on duals."""
        return add(law(t, Q, omega, values), scale(0.0, omega))

    if not fixed_in_space:
        return of_one_type

    @kernel
    def in_body(t: Any, Q: Matrix, omega: Vector, values: Any) -> Vector:
        return solve(Q, of_one_type(t, Q, omega, values))[0]

    return in_body


@remembered
def _from_parameters(law: Any, read: Any, at: int) -> Any:
    """The kernel `(S, p, t, Q, omega)` that reads the values from p."""

    @kernel
    def moment(S: Any, p: Any, t: Any, Q: Matrix, omega: Vector) -> Vector:
        return law(t, Q, omega, read(S, p, at))  # type: ignore[no-any-return]

    return moment
