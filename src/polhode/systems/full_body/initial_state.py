"""Initial states of two bodies, in the ways that people have them: Cartesian or by orbital elements, attitudes as matrices
or quaternions, spins as rates or momenta, or turning with the orbit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...bodies.inertia import Inertia
from ...bodies.polyhedron import principal_axes
from ...core.checks import check_finite, check_rotation
from ...errors import InvalidInputError
from ...geometry import quaternion
from ...gravity.kepler import cartesian, elements, orbit_from
from .pair_gravity import spin_momentum

Array = NDArray[np.float64]


class Pair(Protocol):
    """What is needed of the system of two bodies."""

    m1: float
    m2: float
    G: float
    inertia1: Inertia
    inertia2: Inertia
    reduced_mass: float

    @property
    def body_names(self) -> list[str]:
        """The arguments that the bodies were given by."""
        ...

    @property
    def body_labels(self) -> list[str]:
        """What they are called."""
        ...

    def body_number(self, body: int | str, field: str = "body") -> int:
        """The number of a body that is given by its number or its name."""
        ...


def pair_start(pair: Pair, given: Mapping[str, Any]) -> dict[str, Array]:
    """X, R, x2, R2 and the momenta Gamma, Pi, Pi2, gamma2 from the arguments of `FullTwoBodyProblem.state`."""
    r, v = _orbit(pair, given)
    turning = _synchronous(pair, given)
    A2 = _attitude(given, "R2", "q2")
    if "body2" in turning:
        A2 = facing(pair.inertia2, r, v)
    if given["elements"] is not None:
        X, V = A2.T @ r, A2.T @ v
    else:  # given in frame 2
        X, V = r, v
        r, v = A2 @ X, A2 @ V
    A = A2.T @ facing(pair.inertia1, r, v) if "body1" in turning else _attitude(given, "R", "q")
    spin = spin_with(r, v, pair.G * (pair.m1 + pair.m2)) if turning else np.zeros(3)
    one = _one_of(given, ("Omega1", "Omega", "Pi"))
    if "body1" in turning and one is None:
        Pi = A @ spin_momentum("synchronous", pair.inertia1, A.T @ A2.T @ spin)
    elif one == "Pi":
        Pi = check_finite("Pi", given["Pi"], (3,))
    elif one == "Omega":
        Pi = A @ spin_momentum("Omega", pair.inertia1, A.T @ check_finite("Omega", given["Omega"], (3,)))
    else:
        own = np.zeros(3) if one is None else check_finite("Omega1", given["Omega1"], (3,))
        Pi = A @ spin_momentum("Omega1", pair.inertia1, own)
    two = _one_of(given, ("Omega2", "Pi2"))
    if "body2" in turning and two is None:
        Pi2 = spin_momentum("synchronous", pair.inertia2, A2.T @ spin)
    elif two == "Pi2":
        Pi2 = check_finite("Pi2", given["Pi2"], (3,))
    else:
        own = np.zeros(3) if two is None else check_finite("Omega2", given["Omega2"], (3,))
        Pi2 = spin_momentum("Omega2", pair.inertia2, own)
    share = pair.m1 / (pair.m1 + pair.m2)
    start = -share * A2 @ X if given["x2"] is None else check_finite("x2", given["x2"], (3,))
    speed = -share * A2 @ V if given["v2"] is None else check_finite("v2", given["v2"], (3,))
    momenta = {"Gamma": pair.reduced_mass * V, "Pi": Pi, "Pi2": Pi2, "gamma2": pair.m2 * speed}
    return {"X": X, "R": A, "x2": start, "R2": A2} | momenta


def facing(inertia: Inertia, r: Array, v: Array) -> Array:
    """The attitude whose axis of least moment lies along r and whose axis of greatest moment along the orbit's normal."""
    normal = np.cross(r, v)
    if not np.linalg.norm(normal) > 0.0:
        raise InvalidInputError("synchronous", v, "a velocity that does not point along the line of centres")
    line, normal = r / np.linalg.norm(r), normal / np.linalg.norm(normal)
    return np.stack([line, np.cross(normal, line), normal], axis=1) @ principal_axes(inertia.matrix)


def spin_with(r: Array, v: Array, mu: float) -> Array:
    """The rate of one turn per orbit, about its normal; on an open orbit, the rate at which the line of centres turns now."""
    orbit, h = elements(r, v, mu), np.cross(r, v)
    rate = float(orbit.mean_motion) if orbit.gap > 0.0 else float(np.linalg.norm(h) / (r @ r))
    return rate * h / np.linalg.norm(h)


def _orbit(pair: Pair, given: Mapping[str, Any]) -> tuple[Array, Array]:
    """Relative position and velocity: inertial from elements, in frame 2 from X and V."""
    table = given["elements"]
    if table is None:
        if given["X"] is None:
            raise InvalidInputError("X", None, "the relative position X, or orbital elements")
        return check_finite("X", given["X"], (3,)), check_finite(
            "V", np.zeros(3) if given["V"] is None else given["V"], (3,)
        )
    if given["X"] is not None or given["V"] is not None:
        raise InvalidInputError("elements", table, "either elements or X and V, not both")
    known = ("a", "q", "e", "inclination", "node", "periapsis", "true_anomaly", "mean_anomaly")
    if not isinstance(table, Mapping) or not set(table) <= set(known):
        raise InvalidInputError("elements", table, f"a table with some of {', '.join(known)}")
    try:
        numbers: dict[str, Any] = {
            name: None if value is None else float(check_finite(name, value, ())) for name, value in table.items()
        }
        return cartesian(orbit_from(pair.G * (pair.m1 + pair.m2), **numbers))
    except InvalidInputError as error:
        raise error.renamed(f"elements.{error.field}") from error


def _synchronous(pair: Pair, given: Mapping[str, Any]) -> set[str]:
    """The bodies, by the names of the arguments, that face the other and, unless a spin is given, turn with the orbit."""
    known = {"body1": ("R", "q"), "body2": ("R2", "q2")}
    if isinstance(given["synchronous"], str) or not isinstance(given["synchronous"], Sequence):
        allowed = f"a list of the bodies that turn with the orbit, of {' and '.join(map(repr, pair.body_labels))}"
        raise InvalidInputError("synchronous", given["synchronous"], allowed)
    chosen = [
        each if isinstance(each, str) and each in known else pair.body_names[pair.body_number(each, "synchronous")]
        for each in given["synchronous"]
    ]
    for body, names in known.items():
        for name in names:
            if body in chosen and given[name] is not None:
                raise InvalidInputError(
                    name, given[name], problem=f"{name} conflicts with {body} in synchronous: give one"
                )
    if "body2" in chosen and given["elements"] is None:
        raise InvalidInputError(
            "synchronous", chosen, problem="body2 in synchronous needs elements: X is in the frame of body 2"
        )
    return set(chosen)


def _attitude(given: Mapping[str, Any], matrix: str, q: str) -> Array:
    if given[matrix] is not None and given[q] is not None:
        raise InvalidInputError(q, given[q], f"either {matrix} or {q}, not both")
    if given[q] is not None:
        value = check_finite(q, given[q], (4,))
        size = np.linalg.norm(value)
        if not size > 0.0:
            raise InvalidInputError(q, given[q], "a nonzero quaternion [x, y, z, w]")
        return quaternion.to_matrix(value / size)
    return np.eye(3) if given[matrix] is None else check_rotation(matrix, given[matrix])


def _one_of(given: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Which of the alternatives was given."""
    said = [name for name in names if given[name] is not None]
    if len(said) > 1:
        raise InvalidInputError(said[0], given[said[0]], f"one of {', '.join(names)}, not more")
    return said[0] if said else None
