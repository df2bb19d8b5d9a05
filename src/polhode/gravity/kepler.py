"""Orbits of two points: elements from position and velocity, and back, for ellipse, parabola and hyperbola.

`mu = G (m₁ + m₂)`. Angles are radians; `node`, `periapsis` in [0, 2π), anomalies in (−π, π]. What has no meaning has a
convention: of an orbit in the reference plane the node lies along +x, and of a circle the periapsis lies at the node.

Kepler's equation is one for all three, in the universal anomaly x = E/√(1−e), √2 tan ν/2 or H/√(e−1). A time t after
the periapsis, with `z = (1−e) x²` and Stumpff's functions cₖ(z) = 1/k! − z/(k+2)! + z²/(k+4)! − …,

    √(mu/q³) t = x + e x³ c₃(z),        r/q = 1 + e x² c₂(z),       tan ν/2 = √(1+e) (x/2) c₁(z/4) / c₀(z/4).

Both terms of the first have the sign of x: nothing cancels, however near the orbit is to a parabola.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_array, check_positive
from ..errors import InvalidInputError

Array = NDArray[np.float64]

NEAR = 1e-13  # how far `gap` may be from 1 − e by rounding, as a part of 1 + e
FLAT = 1e-14  # sine of an inclination, or eccentricity, below which node or periapsis is a matter of rounding
TURN = 2.0 * np.pi
SERIES = [1.0 / math.factorial(2 * k + 3) for k in range(9)]  # of c₃, enough for |z| < 1
MOST_ITERATIONS = 100  # of Newton's method: far out on a hyperbola each takes 1 off H


@dataclass(frozen=True)
class Elements:
    """Elements of an orbit, or of many: numbers or arrays of one shape.

    `q` is the distance of the periapsis: with `e` it fixes size and shape of any orbit. `gap` is 1 − e where that is
    known better than from e, as it is from the energy of an orbit near a parabola; where it is not that, it is taken
    from e. It says what the orbit is: an ellipse above zero, a parabola at zero, a hyperbola below.
    """

    q: Array
    e: Array
    inclination: Array
    node: Array
    periapsis: Array
    true_anomaly: Array
    mu: float
    gap: Array = field(default_factory=lambda: np.asarray(np.nan))

    def __post_init__(self) -> None:
        rough = np.asarray(1.0 - self.e)
        object.__setattr__(self, "gap", np.where(abs(self.gap - rough) <= NEAR * (1.0 + self.e), self.gap, rough))

    @property
    def a(self) -> Array:
        """Semi-major axis, `q / gap`; infinite for a parabola, negative for a hyperbola."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.q / np.where(self.gap == 0.0, 0.0, self.gap))

    @property
    def mean_anomaly(self) -> Array:
        """The mean anomaly."""
        return mean_anomaly(self.true_anomaly, self.e, self.gap)

    @property
    def mean_motion(self) -> Array:
        """Rate of the mean anomaly: `√(mu/|a|³)`, of a parabola `√(mu/2q³)`."""
        return np.asarray(_scale(self.gap) * np.sqrt(self.mu / self.q**3))

    @property
    def period(self) -> Array:
        """Time of one turn; infinite for open orbits."""
        return np.where(self.gap > 0.0, TURN / self.mean_motion, np.inf)


def elements(r: ArrayLike, v: ArrayLike, mu: float) -> Elements:
    """The orbit through position `r` with velocity `v`, (..., 3).

    >>> orbit = elements([2.0, 0.0, 0.0], [0.0, 0.5, 0.5], mu=1.0)
    >>> float(orbit.a.round(12)), float(orbit.e.round(12)), float(np.degrees(orbit.inclination).round(9))
    (2.0, 0.0, 45.0)
    """
    r, v = np.broadcast_arrays(check_array("r", r, (3,)), check_array("v", v, (3,)))
    mu = check_positive("mu", mu)
    h, distance = np.cross(r, v), np.linalg.norm(r, axis=-1)
    if np.any(distance == 0.0):
        raise InvalidInputError("r", r, "a position other than the centre")
    size = np.linalg.norm(h, axis=-1)
    if np.any(size <= FLAT * distance * np.linalg.norm(v, axis=-1)):
        raise InvalidInputError(
            "v", v, "a velocity that does not point along the line of centres: such a fall has no plane"
        )
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
    q = np.asarray(size**2 / mu / (1.0 + e))
    return Elements(
        q=q,
        e=np.asarray(e),
        gap=np.asarray(q * (2.0 / distance - _dot(v, v) / mu)),
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
        raise InvalidInputError("e", e, "an eccentricity not below zero")
    if (a is None) == (q is None):
        raise InvalidInputError("a", a, "either a or q, one of the two")
    if true_anomaly is not None and mean_anomaly is not None:
        raise InvalidInputError("mean_anomaly", mean_anomaly, "either true_anomaly or mean_anomaly, not both")
    if a is not None:
        q = _number("a", a) * (1.0 - e)
        if not q > 0.0:
            allowed = "a positive length below e = 1, a negative one above; for a parabola give q"
            raise InvalidInputError("a", a, allowed)
    anomaly = values["true_anomaly"]
    if mean_anomaly is not None:
        anomaly = float(anomaly_from_mean(mean_anomaly, e))
    if not 1.0 + e * np.cos(anomaly) > 0.0:
        raise InvalidInputError(
            "true_anomaly", true_anomaly, "an angle inside the asymptotes, 1 + e cos(true_anomaly) > 0"
        )
    return Elements(
        q=np.asarray(check_positive("q", q)),
        e=np.asarray(values["e"]),
        inclination=np.asarray(values["inclination"]),
        node=np.asarray(values["node"]),
        periapsis=np.asarray(values["periapsis"]),
        true_anomaly=_around(np.asarray(anomaly)),
        mu=check_positive("mu", mu),
    )


def mean_anomaly(anomaly: ArrayLike, e: ArrayLike, gap: ArrayLike | None = None) -> Array:
    """Mean anomaly from the true one: `E − e sin E`, `e sinh H − H`, or for a parabola `D + D³/3` with D = tan ν/2.

    `gap`: 1 − e, where it is known better than e gives it.
    """
    nu, e, gap = _anomaly_and_shape("anomaly", anomaly, e, gap)
    half, root, width = 0.5 * _around(nu), np.sqrt(abs(gap)), np.sqrt(1.0 + e)
    with np.errstate(divide="ignore", invalid="ignore"):
        E = 2.0 * np.arctan2(root * np.sin(half), width * np.cos(half))
        slope = root * np.tan(half) / width
        if np.any((gap < 0.0) & (abs(slope) > 1.0 + NEAR)):
            raise InvalidInputError("anomaly", anomaly, "an angle inside the asymptotes, 1 + e cos(anomaly) > 0")
        H = 2.0 * np.arctanh(np.clip(slope, -1.0, 1.0))
        x = np.where(gap > 0.0, E / root, np.where(gap < 0.0, H / root, 2.0 * np.tan(half) / width))
        return np.asarray(_scale(gap) * (x + e * x**3 * _cubic(gap * x * x)))


def anomaly_from_mean(mean: ArrayLike, e: ArrayLike, gap: ArrayLike | None = None) -> Array:
    """True anomaly from the mean one: Kepler's equation by Newton's iteration from where it converges from one side.

    `gap`: 1 − e, where it is known better than e gives it, as in `Elements`.

    >>> float(mean_anomaly(anomaly_from_mean(1.2, 0.9), 0.9).round(12))
    1.2
    """
    M, e, gap = _anomaly_and_shape("mean", mean, e, gap)
    M = np.where(gap > 0.0, _around(M), M)
    root, sign = np.sqrt(abs(gap)), np.where(M < 0.0, -1.0, 1.0)
    time = abs(M) / _scale(gap)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        # x + e x³ c₃ is convex up to half a turn, and all of these lie beyond the root: x itself, since the other term is
        # not negative; e x³ c₃, where c₃ falls from 1/6 to 1/π² there; E ≤ M + e and E ≤ π; (e − 1) sinh H
        cube = np.cbrt(np.where(gap > 0.0, np.pi**2, 6.0) * time / e)
        turn = np.minimum(abs(M) + e, np.pi)
        bound = np.where(gap > 0.0, turn, np.where(gap < 0.0, np.arcsinh(abs(M / gap)), np.inf)) / root
    x = np.fmin(np.fmin(time, cube), bound)
    for _ in range(MOST_ITERATIONS):
        z = gap * x * x
        off = (x + e * x**3 * _cubic(z) - time) / (1.0 + 0.5 * e * (x * _sine(0.25 * z)) ** 2)
        x = np.maximum(x - off, 0.0)
        if np.all(abs(off) <= 1e-16 * x):
            break
    z = 0.25 * gap * x * x
    return np.asarray(sign * 2.0 * np.arctan2(0.5 * np.sqrt(1.0 + e) * x * _sine(z), _cosine(z)))


def _anomaly_and_shape(name: str, angle: ArrayLike, e: ArrayLike, gap: ArrayLike | None) -> list[Array]:
    """An anomaly, e and 1 − e, checked and of one shape."""
    eccentricity = check_array("e", e, ())
    if np.any(eccentricity < 0.0):
        raise InvalidInputError("e", e, "an eccentricity not below zero")
    rest = 1.0 - eccentricity if gap is None else check_array("gap", gap, ())
    return list(np.broadcast_arrays(check_array(name, angle, ()), eccentricity, rest))


def _scale(gap: Array) -> Array:
    """The mean anomaly in units of `√(mu/q³) t`."""
    return np.where(gap == 0.0, np.sqrt(0.5), abs(gap) ** 1.5)


def _cosine(z: Array) -> Array:
    """c₀(z): cos √z, or cosh √−z."""
    root = np.sqrt(abs(z))
    return np.where(z > 0.0, np.cos(root), np.cosh(np.where(z > 0.0, 0.0, root)))


def _sine(z: Array) -> Array:
    """c₁(z): sin √z / √z, or sinh √−z / √−z."""
    root = np.sqrt(abs(z))
    sine = np.where(z > 0.0, np.sin(root), np.sinh(np.where(z > 0.0, 0.0, root)))
    return np.where(root > 0.0, sine / np.where(root > 0.0, root, 1.0), 1.0)


def _cubic(z: Array) -> Array:
    """c₃(z): (√z − sin √z)/√z³, or (sinh √−z − √−z)/√−z³; by its series where these cancel."""
    near = abs(z) < 1.0
    inner = np.where(near, z, 0.0)
    series = np.zeros_like(inner)
    for factor in reversed(SERIES):
        series = factor - inner * series
    outer = np.where(near, 1.0, z)
    return np.where(near, series, (1.0 - _sine(outer)) / outer)


def _around(angle: Array) -> Array:
    """An angle in (−π, π]; one that is there already is left as it is."""
    return np.where((angle > -np.pi) & (angle <= np.pi), angle, np.pi - np.mod(np.pi - angle, TURN))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1))


def _number(name: str, value: float | None) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float, np.integer, np.floating))
        or not np.isfinite(value)
    ):
        raise InvalidInputError(name, value, "a finite number")
    return float(value)
