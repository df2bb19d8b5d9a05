"""The brightness of a convex body in the light of the sun, as a light curve shows it, with its derivatives by the attitude.

Each facet of area a whose normal n makes the cosines `μ₀ = n·s` and `μ = n·e` with the directions of sun and observer sends

    a μ μ₀ (1/(μ + μ₀) + c),    μ, μ₀ > 0,

to the observer: the law of Lommel and Seeliger, and with weight c that of Lambert, as is usual for light curves of asteroids
(M. Kaasalainen, J. Torppa, Icarus 153 (2001) 24, (14)). A convex body casts no shadow onto itself, so that the facets add up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bodies.base import Body
from ..bodies.ellipsoid import Ellipsoid
from ..bodies.polyhedron import Polyhedron
from ..bodies.revolution import Revolved
from ..core.checks import check_array, check_positive
from ..core.system import State
from ..errors import InvalidInputError
from ..geometry.vectors import apply_transposed, dot
from ..scalars import compiled, duals, partial, seeded, value
from .sensors import direction
from .shown_fields import Slopes, field_rows

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
ENTRIES = 9
NINE = duals(ENTRIES)
POINTS = 4000  # on an ellipsoid; a light curve is then right to about 1e-3 of its mean, and its slopes to a few percent
GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # the angle between neighbours on a spiral that fills a sphere
FLAT = 1e-9  # of the size of a body: by so much a corner may stand out of a facet's plane


@compiled
def brightness_of_rows(R: Any, sun: Any, observer: Any, facets: Any, lambert: float, out: Any) -> None:
    """For rows of nine numbers R and of two directions in space: the brightness and its nine partials by R."""
    for k in range(len(R)):
        A = (
            seeded(NINE, R[k, 0], 0),
            seeded(NINE, R[k, 1], 1),
            seeded(NINE, R[k, 2], 2),
            seeded(NINE, R[k, 3], 3),
            seeded(NINE, R[k, 4], 4),
            seeded(NINE, R[k, 5], 5),
            seeded(NINE, R[k, 6], 6),
            seeded(NINE, R[k, 7], 7),
            seeded(NINE, R[k, 8], 8),
        )
        s = apply_transposed(A, (sun[k, 0], sun[k, 1], sun[k, 2]))
        e = apply_transposed(A, (observer[k, 0], observer[k, 1], observer[k, 2]))
        total = seeded(NINE, 0.0, -1)
        for i in range(len(facets)):
            n = (facets[i, 0], facets[i, 1], facets[i, 2])
            lit, seen = dot(n, s), dot(n, e)
            if value(lit) > 0.0 and value(seen) > 0.0:
                total = total + facets[i, 3] * lit * seen * (1.0 / (lit + seen) + lambert)
        out[k, 0] = value(total)
        for i in range(ENTRIES):
            out[k, 1 + i] = partial(total, i)


class Brightness:
    """The brightness of `body`, whose attitude is the field `field`, from directions of space to the sun and the observer:
    three numbers each, or three for each time. `lambert` is the weight c.

    >>> import polhode as ph
    >>> plate = ph.bodies.Box([1.0, 1.0, 1e-6], mass=1.0)
    >>> light = Brightness(plate, sun=[0, 0, 1], observer=[0, 0, 1], lambert=0.0)
    >>> [round(float(light(ph.so3.exp([angle, 0.0, 0.0]))), 6) for angle in (0.0, 1.0)]  # half of cos(angle)
    [0.5, 0.270152]
    """

    __name__ = "brightness"

    def __init__(self, body: Body, sun: ArrayLike, observer: ArrayLike, lambert: float = 0.1, field: str = "R") -> None:
        self.facets = convex_facets(body)
        self.sun, self.observer = directions("sun", sun), directions("observer", observer)
        if not isinstance(field, str):
            raise InvalidInputError("field", field, "the name of an attitude, such as 'R'")
        self.lambert, self.field = check_positive("lambert", lambert, zero=True), field

    def __call__(self, R: ArrayLike) -> Array:
        """At attitudes (..., 3, 3); where sun or observer move, (n, 3, 3), one for each time."""
        given = check_array("R", R, (3, 3))
        rows = given.reshape(-1, ENTRIES)
        return self._table(rows, np.arange(len(rows)))[:, 0].reshape(given.shape[:-2])

    def evaluate(self, states: State, times: Array, which: Indices) -> tuple[Array, Slopes]:
        """See `Shown`."""
        table = self._table(field_rows(states, self.field), which)
        return table[:, 0], {self.field: table[:, 1:]}

    def _table(self, R: Array, which: Indices) -> Array:
        """The brightness and its derivatives (n, 10) for the times of these numbers."""
        out = np.empty((len(R), 1 + ENTRIES))
        rows = (np.broadcast_to(directions_at(d, which), (len(R), 3)) for d in (self.sun, self.observer))
        sun, observer = map(np.ascontiguousarray, rows)
        brightness_of_rows(np.ascontiguousarray(R), sun, observer, self.facets, self.lambert, out)
        return out


def directions(field: str, given: ArrayLike) -> Array:
    """One direction (3,), or one for each time (n, 3), of length 1."""
    array = check_array(field, given, (3,))
    if array.ndim > 2:
        raise InvalidInputError(field, given, "a direction, or one for each time")
    return direction(field, array) if array.ndim == 1 else np.array([direction(field, row) for row in array])


def directions_at(given: Array, which: Indices) -> Array:
    """The directions for the times of these numbers."""
    if given.ndim == 1:
        return given
    if len(given) <= which.max(initial=-1):
        raise InvalidInputError("times", len(which), problem=f"sun or observer were given for {len(given)} times only")
    return np.asarray(given[which])


def convex_facets(body: Body) -> Array:
    """Outward normals and areas (n, 4) of a convex body's surface.

    Those of an ellipsoid stand at points spread evenly over a sphere, on which an element `dσ` of direction u is one of
    the ellipsoid with the area `(b c u₁, c a u₂, a b u₃) dσ`, normal to it.
    """
    if isinstance(body, Ellipsoid):
        a, b, c = body.semiaxes
        height = 1.0 - (2.0 * np.arange(POINTS) + 1.0) / POINTS
        turn, radius = GOLDEN * np.arange(POINTS), np.sqrt(1.0 - height**2)
        u = np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=1)
        areas = 4.0 * np.pi / POINTS * u * np.array([b * c, c * a, a * b])
    elif isinstance(body, (Polyhedron, Revolved)):
        corners, faces = body.mesh() if isinstance(body, Revolved) else (body.vertices, body.faces)
        first, second, third = (corners[faces[:, i]] for i in range(3))
        areas = 0.5 * np.cross(second - first, third - first)
        beyond = np.einsum("fi,fvi->fv", areas, corners[None] - first[:, None]).max(axis=1)
        size = np.abs(corners).max()
        if np.any(beyond > FLAT * size * np.linalg.norm(areas, axis=1)):
            raise InvalidInputError("body", body, problem="this body is not convex: parts of it may shade others")
    else:
        raise InvalidInputError("body", body, "an ellipsoid, a polyhedron, a box, a cylinder or a cone")
    length = np.linalg.norm(areas, axis=1, keepdims=True)
    return np.concatenate([areas / length, length], axis=1)
