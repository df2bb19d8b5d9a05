"""Pairs of bodies that attract each other: the parameters that the kernels read, and their use from Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bodies import Body, GivenIntegrals, PointMasses, Polyhedron
from ..bodies.integrals import inertia_from
from ..core.checks import check_array, check_integer, check_positive
from ..errors import InvalidInputError, PolhodeError
from ..geometry import so3
from ..geometry.increments.rigid import symmetric_entries
from ..scalars import double, duals
from . import expansion, points, polyhedron, second_order
from .dispatch import EXPANSION, POINTS, POLYHEDRON, POLYHEDRON_FIRST, SECOND_ORDER, evaluator, kernel_for
from .multipoles import highest_degree, reduced_operator

Array = NDArray[np.float64]

# A frame whose origin is farther from the mass centre than this part of the body's size was not meant to be there.
OFF_CENTRE = 1e-9

# Of an expansion: 1e-9 of the force is left out at 1.2 times the distance at which circumscribed spheres touch, rounding
# at twice that distance; seconds to set up, and growing with the fourth power.
LARGEST_ORDER = 60


class Interaction(ABC):
    """The mutual gravity of body 1 and body 2, `U(X, R) = −G ∬ dm₁dm₂/|X + Rρ₁ − ρ₂|`.

    X is the position of body 1 relative to body 2 and R the attitude of body 1, both in the frame of body 2.
    """

    workspace: int = 0

    same_bits_in_lanes: bool = True
    """Whether lanes have the same bits as doubles."""

    least_distance: float = 0.0
    """How far apart the mass centres must be for it to be valid, whatever the attitudes."""

    until_contact: bool = False
    """Whether it is that of the true shapes: valid until they touch, and of little use and slow inside them."""

    def __init__(self, body1: Body, body2: Body, G: float) -> None:
        self.body1, self.body2, self.G = body1, body2, check_positive("G", G)
        for name, body in (("body1", body1), ("body2", body2)):
            if not isinstance(body, Body):
                raise InvalidInputError(name, body, "a body")
            off = float(np.linalg.norm(body.centre))
            if off > OFF_CENTRE * size_of(body):
                allowed = f"a body whose mass centre is the origin of its frame, not {off:g} from it: {_advice(body)}"
                raise InvalidInputError(name, body, allowed)

    @abstractmethod
    def _build(self) -> Array:
        """The parameters, worked out once."""

    @cached_property
    def _numbers(self) -> Array:
        return self._build()

    def parameters(self) -> Array:
        """The numbers that its kernel reads, the kind of interaction first."""
        return self._numbers.copy()

    @property
    def kind(self) -> int:
        """Which kernel evaluates it; see `kernel_for`."""
        return int(self._numbers[0])

    def evaluate(self, X: ArrayLike, R: ArrayLike) -> tuple[float, Array, Array]:
        """`U`, `∂U/∂X` and `M` (equation 53 of [LLM07]), all in frame 2.

        The moment on body 1 is −M, that on body 2 is `X × ∂U/∂X + M`; see `moments`.
        """
        out = self._run(double, np.concatenate([_vector(X), _matrix(R)]), 1)
        return float(out[0]), out[1:4], out[4:7]

    def moments(self, X: ArrayLike, R: ArrayLike) -> tuple[Array, Array]:
        """The moments that the bodies exert on body 1 and on body 2, each about its mass centre, in frame 2."""
        _, F, M = self.evaluate(X, R)
        return -M, np.cross(_vector(X), F) + M

    def derivatives(self, X: ArrayLike, R: ArrayLike) -> Array:
        """The 6×6 matrix of derivatives of (∂U/∂X, M) by (X, η), where `R ↦ exp(S(η)) R`; exact, by dual numbers."""
        x, r = _vector(X), _matrix(R)
        turned = np.stack([so3.hat(axis) @ r.reshape(3, 3) for axis in np.eye(3)]).reshape(3, 9)
        y = np.zeros((12, 7))
        y[:3, 0], y[3:, 0] = x, r
        y[:3, 1:4], y[3:, 4:] = np.eye(3), turned.T
        return self._run(duals(6), y.ravel(), 7).reshape(7, 7)[1:, 1:]

    def _run(self, kind: Any, y: Array, width: int) -> Array:
        out = np.zeros(7 * width)
        evaluator(kernel_for({self.kind}))(kind, y, self._numbers, np.zeros(max(1, self.workspace) * width), out)
        if not np.all(np.isfinite(out)):
            where = f"at X = {y.reshape(12, width)[:3, 0]}"
            if np.all(np.isfinite(out[::width])):
                raise PolhodeError(f"the mutual gravity has no finite derivatives {where}")
            raise PolhodeError(f"the mutual gravity is singular {where}")
        return out

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.body1!r}, {self.body2!r}, G={self.G:g})"


class PointsPoints(Interaction):
    """Two bodies made of points (or of balls that do not overlap): the exact sum over all pairs.

    >>> from polhode.bodies import Dumbbell
    >>> pair = PointsPoints(Dumbbell(1.5, 0.25), Dumbbell(3.0, 0.5), G=1 / 4.5)
    >>> U, F, M = pair.evaluate([1.0, 0.0, 0.3], np.eye(3))
    >>> round(U, 12)
    -1.023237598072
    """

    def __init__(self, body1: PointMasses, body2: PointMasses, G: float) -> None:
        for name, body in (("body1", body1), ("body2", body2)):
            if not isinstance(body, PointMasses):
                raise InvalidInputError(name, body, "a body made of points: PointMasses or Dumbbell")
        super().__init__(body1, body2, G)
        self.first, self.second = body1, body2

    def _build(self) -> Array:
        first, second = (np.column_stack([body.masses, body.positions]) for body in (self.first, self.second))
        return points.points_numbers(POINTS, self.G, first, second)


class Expansion(Interaction):
    """Any two bodies, expanded in their inertia integrals up to total degree `order` (2 or more).

    The bodies enter by their `inertia_integrals` alone, also at order 2, where the formula is closed and fastest. The sum
    converges where the bodies' circumscribed spheres do not meet, X beyond `body1.radius + body2.radius`, the faster
    the farther apart they are.

    >>> from polhode.bodies import Ellipsoid, Sphere
    >>> pair = Expansion(Sphere(1.0, 0.1), Ellipsoid(3.0, [0.3, 0.2, 0.1]), order=4, G=1.0)
    >>> U, F, M = pair.evaluate([1.0, 0.0, 0.0], np.eye(3))
    >>> round(U, 12)
    -3.040115357143
    """

    def __init__(self, body1: Body, body2: Body, order: int, G: float) -> None:
        super().__init__(body1, body2, G)
        self.order = check_integer("order", order, 2, LARGEST_ORDER)
        self.workspace = expansion.workspace_size(self.order) if self.order > 2 else 0
        for body in (body1, body2):
            if isinstance(body, GivenIntegrals):
                body.inertia_integrals(self.order)  # refuses here, not at the first evaluation, what it does not know

    @property
    def least_distance(self) -> float:  # type: ignore[override]
        """The sum of the radii of the circumscribed spheres; a body that attracts as a point does counts as one."""
        degree = min(self.order, 4)
        radii = [0.0 if attracts_as_point(body, degree) else body.radius for body in (self.body1, self.body2)]
        return float(np.nansum(radii))

    def _build(self) -> Array:
        return self._second_order() if self.order == 2 else self._any_order()

    def shape_parameters(self) -> Array:
        """`parameters()` without the mass of body 1: what its shape adds to its attraction by a point, body 2."""
        numbers = self.parameters()
        numbers[second_order.MASSES if self.order == 2 else expansion.FIRST] = 0.0
        return numbers

    def _second_order(self) -> Array:
        m1, m2 = self.body1.mass, self.body2.mass
        first, second = (inertia_from(integrals(body, 2, 1.0)) for body in (self.body1, self.body2))
        trace = m1 * np.trace(second) + m2 * np.trace(first)
        return second_order.NUMBERS.pack(
            kind=SECOND_ORDER,
            masses=self.G * (m1 * m2),
            trace=self.G * trace,
            first=self.G * symmetric_entries(m2 * first),
            second=self.G * symmetric_entries(m1 * second),
        )

    def _any_order(self) -> Array:
        N = self.order
        unit = float(2.0 ** np.round(np.log2(max(size_of(self.body1), size_of(self.body2)) or 1.0)))
        first, second = (reduced_operator(integrals(b, N, unit), N) for b in (self.body1, self.body2))
        degrees = {"degree1": highest_degree(first), "degree2": highest_degree(second)}
        header = expansion.HEADER.pack(kind=EXPANSION, order=N, **degrees, scale=1.0 / unit)
        # body 2 enters by −ρ₂, which turns the sign of odd degrees
        signs = np.concatenate([np.full(2 * l + 1, (-1.0) ** l) for l in range(N + 1)])
        return np.concatenate([header, first, -self.G / unit * signs * second])

    def __repr__(self) -> str:
        return f"Expansion({self.body1!r}, {self.body2!r}, order={self.order}, G={self.G:g})"


class PolyhedronPoint(Interaction):
    """A body that attracts as a point does in the exact field of a polyhedron; either may be body 1.

    >>> from polhode.bodies import Sphere
    >>> corners = [[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]]
    >>> body = Polyhedron(corners, [[0, 1, 3], [0, 3, 2], [0, 2, 1], [1, 2, 3]], mass=1.0)
    >>> U, F, M = PolyhedronPoint(Sphere(1.0, 0.1), body, G=1.0).evaluate([100.0, 0.0, 0.0], np.eye(3))
    >>> round(100 * U, 6)
    -1.0
    """

    def __init__(self, body1: Body, body2: Body, G: float) -> None:
        point, shape = body1, body2
        if not isinstance(shape, Polyhedron):
            point, shape = body2, body1
        if not isinstance(shape, Polyhedron):
            raise InvalidInputError("body2", body2, "a Polyhedron, unless body 1 is one")
        super().__init__(body1, body2, G)
        if not attracts_as_point(point):
            field = "body1" if point is body1 else "body2"
            raise InvalidInputError(field, point, "a body that attracts as a point does: a Sphere, or one point mass")
        self.point, self.shape = point, shape
        self.workspace = polyhedron.workspace_size(shape)

    def _build(self) -> Array:
        point = np.array([[self.point.mass, 0.0, 0.0, 0.0]])
        kind = POLYHEDRON if self.point is self.body1 else POLYHEDRON_FIRST
        return polyhedron.polyhedron_numbers(self.shape, kind, self.G * self.shape.density, point)


def _advice(body: Body) -> str:
    """How to move a body's mass centre to the origin of its frame."""
    if isinstance(body, GivenIntegrals):
        return "give its integrals about the mass centre, where those of the first degree are zero"
    return "use recentre=True"


_AS_POINT: WeakKeyDictionary[Body, dict[int, bool]] = WeakKeyDictionary()


def attracts_as_point(body: Body, degree: int = 4) -> bool:
    """Whether the body has no multipoles but its mass, up to this degree."""
    known = _AS_POINT.setdefault(body, {})
    if degree not in known:
        operator = reduced_operator(body.inertia_integrals(degree, size_of(body) or 1.0), degree)
        known[degree] = highest_degree(operator) == 0
    return known[degree]


_INTEGRALS: WeakKeyDictionary[Body, dict[tuple[int, float], Array]] = WeakKeyDictionary()


def integrals(body: Body, order: int, unit: float) -> Array:
    """The body's inertia integrals, worked out once however many others it meets."""
    known = _INTEGRALS.setdefault(body, {})
    if (order, unit) not in known:
        known[order, unit] = body.inertia_integrals(order, unit)
    return known[order, unit]


def size_of(body: Body) -> float:
    """The body's radius of gyration, `√(∫ρ² dm/m)`."""
    return float(np.sqrt(max(0.5 * np.trace(body.inertia), 0.0) / body.mass))


def _vector(X: ArrayLike) -> Array:
    x = check_array("X", X, (3,))
    if x.ndim != 1:
        raise InvalidInputError("X", X, "three numbers")
    return x


def _matrix(R: ArrayLike) -> Array:
    r = check_array("R", R, (3, 3))
    if r.ndim != 2:
        raise InvalidInputError("R", R, "a 3×3 matrix")
    return r.ravel()
