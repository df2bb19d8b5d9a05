"""Orbits of two points: elements from position and velocity, and back, for ellipse, parabola and hyperbola.

`mu = G (m₁ + m₂)`. Angles are radians; `node`, `periapsis` in [0, 2π), anomalies in (−π, π]. What has no meaning has a
convention: of an orbit in the reference plane the node lies along +x, and of a circle the periapsis lies at the node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput

Array = NDArray[np.float64]

FLAT = 1e-14  # sine of an inclination, or eccentricity, below which node or periapsis is a matter of rounding
TURN = 2.0 * np.pi


@dataclass(frozen=True)
class Elements:
    """Elements of an orbit, or of many: numbers or arrays of one shape.

    `q` is the distance of the periapsis: with `e` it fixes size and shape of any orbit, near a parabola too, where the
    semi-major axis `a = q / (1 − e)` (negative for a hyperbola) does not.
    """

    q: Array
    e: Array
    inclination: Array
    node: Array
    periapsis: Array
    true_anomaly: Array
    mu: float

    @property
    def a(self) -> Array:
        """Semi-major axis; infinite for a parabola, negative for a hyperbola."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.q / (1.0 - self.e))

    @property
    def mean_anomaly(self) -> Array:
        return mean_anomaly(self.true_anomaly, self.e)

    @property
    def mean_motion(self) -> Array:
        """Rate of the mean anomaly: `√(mu/|a|³)`, of a parabola `√(mu/2q³)`."""
        size = np.where(
            self.e == 1.0, 2.0 ** (1.0 / 3.0) * self.q, self.q / np.where(self.e == 1.0, 1.0, abs(1.0 - self.e))
        )
        return np.asarray(np.sqrt(self.mu / size**3))

    @property
    def period(self) -> Array:
        """Time of one turn; infinite for open orbits."""
        return np.where(self.e < 1.0, TURN / self.mean_motion, np.inf)


def elements(r: ArrayLike, v: ArrayLike, mu: float) -> Elements:
    """The orbit through position `r` with velocity `v`, (..., 3).

    >>> orbit = elements([2.0, 0.0, 0.0], [0.0, 0.5, 0.5], mu=1.0)
    >>> float(orbit.a.round(12)), float(orbit.e.round(12)), float(np.degrees(orbit.inclination).round(9))
    (2.0, 0.0, 45.0)
    """
    r, v = np.asarray(r, dtype=float), np.asarray(v, dtype=float)
    mu = _positive("mu", mu)
    h, distance = np.cross(r, v), np.linalg.norm(r, axis=-1)
    size = np.linalg.norm(h, axis=-1)
    if np.any(size <= FLAT * distance * np.linalg.norm(v, axis=-1)):
        raise InvalidInput("v", v, "a velocity that does not point along the line of centres: such a fall has no plane")
    normal = h / size[..., None]
    across = np.hypot(normal[..., 0], normal[..., 1])
    flat = across <= FLAT
    node = np.where(flat, 0.0, np.arctan2(normal[..., 0], -normal[..., 1]))
    # along the node, and a quarter turn on in the plane of the orbit
    first = np.stack([np.cos(node), np.sin(node), np.zeros_like(node)], axis=-1)
    second = np.cross(normal, first)
    pole = np.cross(v, h) / mu - r / distance[..., None]  # towards the periapsis, as long as the eccentricity
    e = np.linalg.norm(pole, axis=-1)
    latitude = np.arctan2(_dot(r, second), _dot(r, first))
    periapsis = np.where(e <= FLAT, 0.0, np.arctan2(_dot(pole, second), _dot(pole, first)))
    return Elements(
        q=np.asarray(size**2 / mu / (1.0 + e)),
        e=np.asarray(e),
        inclination=np.arctan2(across, normal[..., 2]),
        node=np.mod(node, TURN),
        periapsis=np.mod(periapsis, TURN),
        true_anomaly=_around(latitude - periapsis),
        mu=mu,
    )


def plane(node: ArrayLike, inclination: ArrayLike) -> tuple[Array, Array]:
    """Unit vectors in the plane of an orbit: towards the ascending node, and a right angle further on."""
    cos_node, sin_node = np.cos(node), np.sin(node)
    cos_i, sin_i = np.cos(inclination), np.sin(inclination)
    first = np.stack(np.broadcast_arrays(cos_node, sin_node, 0.0), axis=-1)
    return first, np.stack(np.broadcast_arrays(-sin_node * cos_i, cos_node * cos_i, sin_i), axis=-1)


def cartesian(orbit: Elements) -> tuple[Array, Array]:
    """Position and velocity, (..., 3), on an orbit.

    >>> r, v = cartesian(elements([1.0, 0.2, -0.3], [0.1, 1.1, 0.4], mu=1.0))
    >>> r.round(12), v.round(12)
    (array([ 1. ,  0.2, -0.3]), array([0.1, 1.1, 0.4]))
    """
    first, second = plane(orbit.node, orbit.inclination)
    width = orbit.q * (1.0 + orbit.e)
    latitude = orbit.periapsis + orbit.true_anomaly
    cosine, sine = (np.asarray(f(latitude))[..., None] for f in (np.cos, np.sin))
    pole = (np.asarray(orbit.e * f(orbit.periapsis))[..., None] for f in (np.cos, np.sin))
    along, beside = pole
    reach = np.asarray(width / (1.0 + orbit.e * np.cos(orbit.true_anomaly)))[..., None]
    speed = np.asarray(np.sqrt(orbit.mu / width))[..., None]
    return reach * (cosine * first + sine * second), speed * ((cosine + along) * second - (sine + beside) * first)


def orbit_from(
    mu: float,
    *,
    a: float | None = None,
    q: float | None = None,
    e: float = 0.0,
    inclination: float = 0.0,
    node: float = 0.0,
    periapsis: float = 0.0,
    true_anomaly: float | None = None,
    mean_anomaly: float | None = None,
) -> Elements:
    """One orbit from its elements: the semi-major axis `a` or the distance `q` of the periapsis, and one anomaly.

    >>> float(orbit_from(1.0, a=2.0, e=0.5, mean_anomaly=np.pi).true_anomaly.round(12))
    3.14159265359
    """
    given = {"e": e, "inclination": inclination, "node": node, "periapsis": periapsis}
    given |= {"true_anomaly": true_anomaly or 0.0, "mean_anomaly": mean_anomaly or 0.0}
    values = {name: _number(name, value) for name, value in given.items()}
    if not values["e"] >= 0.0:
        raise InvalidInput("e", e, "an eccentricity not below zero")
    if (a is None) == (q is None):
        raise InvalidInput("a", a, "either a or q, one of the two")
    if true_anomaly is not None and mean_anomaly is not None:
        raise InvalidInput("mean_anomaly", mean_anomaly, "either true_anomaly or mean_anomaly, not both")
    if a is not None:
        q = _number("a", a) * (1.0 - e)
        if not q > 0.0:
            allowed = "a positive length below e = 1, a negative one above; for a parabola give q"
            raise InvalidInput("a", a, allowed)
    anomaly = values["true_anomaly"]
    if mean_anomaly is not None:
        anomaly = float(anomaly_from_mean(mean_anomaly, e))
    if not 1.0 + e * np.cos(anomaly) > 0.0:
        raise InvalidInput("true_anomaly", true_anomaly, "an angle inside the asymptotes, 1 + e cos(true_anomaly) > 0")
    return Elements(
        q=np.asarray(_positive("q", q)),
        e=np.asarray(values["e"]),
        inclination=np.asarray(values["inclination"]),
        node=np.asarray(values["node"]),
        periapsis=np.asarray(values["periapsis"]),
        true_anomaly=_around(np.asarray(anomaly)),
        mu=_positive("mu", mu),
    )


def mean_anomaly(anomaly: ArrayLike, e: ArrayLike) -> Array:
    """Mean anomaly from the true one: `E − e sin E`, `e sinh H − H`, or for a parabola `D + D³/3` with D = tan ν/2."""
    nu, e = np.broadcast_arrays(np.asarray(anomaly, dtype=float), np.asarray(e, dtype=float))
    root = np.sqrt(np.abs(1.0 - e * e))
    with np.errstate(divide="ignore", invalid="ignore"):
        E = np.arctan2(root * np.sin(nu), e + np.cos(nu))
        H = np.arcsinh(root * np.sin(nu) / (1.0 + e * np.cos(nu)))
        D = np.tan(0.5 * nu)
    open_orbit = np.where(e > 1.0, e * np.sinh(np.where(e > 1.0, H, 0.0)) - H, D + D**3 / 3.0)
    return np.where(e < 1.0, E - e * np.sin(E), open_orbit)


def anomaly_from_mean(mean: ArrayLike, e: ArrayLike) -> Array:
    """True anomaly from the mean one: Kepler's equation by Newton's iteration from where it converges from one side.

    >>> float(mean_anomaly(anomaly_from_mean(1.2, 0.9), 0.9).round(12))
    1.2
    """
    M, e = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(e, dtype=float))
    closed, parabola = e < 1.0, e == 1.0
    M = np.where(closed, _around(M), M)
    size, sign = np.abs(M), np.where(M < 0.0, -1.0, 1.0)
    # ellipse: E − e sin E is convex on [0, π], and both bounds lie beyond the root
    ec = np.where(closed, e, 0.0)
    E = np.minimum(np.minimum(size / np.maximum(1.0 - ec, 1e-300), size + ec), np.pi)
    # hyperbola: e sinh H − H is convex for H > 0; (e − 1) sinh H and e H³/6 lie below it
    eh = np.where(e > 1.0, e, 2.0)
    H = np.minimum(np.arcsinh(size / (eh - 1.0)), np.cbrt(6.0 * size / eh))
    for _ in range(60):
        E_next = E - (E - ec * np.sin(E) - np.where(closed, size, 0.0)) / np.maximum(1.0 - ec * np.cos(E), 1e-300)
        H_next = H - (eh * np.sinh(H) - H - size) / (eh * np.cosh(H) - 1.0)
        done = np.all(np.abs(E_next - E) <= 1e-16 * E) and np.all(np.abs(H_next - H) <= 1e-16 * H)
        E, H = E_next, H_next
        if done:
            break
    D = 2.0 * np.sinh(np.arcsinh(1.5 * size) / 3.0)  # the real root of D + D³/3 = M
    ellipse = 2.0 * np.arctan2(np.sqrt(1.0 + ec) * np.sin(0.5 * E), np.sqrt(1.0 - ec) * np.cos(0.5 * E))
    hyperbola = 2.0 * np.arctan(np.sqrt((eh + 1.0) / (eh - 1.0)) * np.tanh(0.5 * H))
    return np.asarray(sign * np.where(closed, ellipse, np.where(parabola, 2.0 * np.arctan(D), hyperbola)))


def _around(angle: Array) -> Array:
    """An angle in (−π, π]."""
    return np.asarray(np.pi - np.mod(np.pi - angle, TURN))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1))


def _number(name: str, value: float | None) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)) or not np.isfinite(value):
        raise InvalidInput(name, value, "a finite number")
    return float(value)


def _positive(name: str, value: float | None) -> float:
    number = _number(name, value)
    if not number > 0.0:
        raise InvalidInput(name, value, "a positive number")
    return number
