"""A rigid body about its centre in a gravitational field (6.11 of [LLM17]).

The body is a set of point masses mᵢ at ρᵢ. With the field's potential V(x) per unit of mass, `G = −∇V`,

    U(R) = Σ mᵢ V(Rρᵢ),   M = Σ mᵢ ρᵢ × RᵀG(Rρᵢ).

The field given by numbers is that of point sources, a uniform one and a linear one: `G = g + Λx − Σⱼ μⱼ (x − cⱼ)/|x − cⱼ|³`.
Any other that has a potential is given by V: a formula in x, y, z, a kernel or a Python function; it is added to these.
Where V is symmetric about an axis n, `n·RΠ` is conserved; where it is so about every axis, or nothing acts, RΠ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body
from ...bodies.cubature import interior_points
from ...core.checks import check_finite, doubles
from ...core.system import Invariant, State, energy_parts
from ...errors import InvalidInputError
from ...geometry.increments.rigid import symmetric_entries
from ...geometry.vectors import Vector, add, apply, apply_symmetric, apply_transposed, cross, dot, scale, subtract
from ...scalars import flow, get3, get9, kernel, par3, par6, put3, sqrt
from ...scalars.protocol import SUCCESS, par_int
from ..inputs.named_parameters import NamedParameters
from ..inputs.point_field import ScalarField, VectorField, weighted_point
from ..inputs.user_flow import UserFlow
from ..inputs.user_functions import remembered
from ..stability.equilibria import Equilibria, Equilibrium
from ..stability.equilibrium_search import resting_attitudes
from .base import ATTITUDE, FORCE
from .forced import TERMS, ForcedAttitude
from .symmetry_classes import up_to_symmetry

Array = NDArray[np.float64]
# how many points and sources there are, g and Λ, and where the lists of sources and points, each with its weight, begin:
# behind the named parameters
FIELD = TERMS.then(points=1, sources=1, uniform=3, linear=6, lists=1)
POINTS, SOURCES, UNIFORM, LINEAR, LISTS = FIELD.offsets("points", "sources", "uniform", "linear", "lists")


@kernel
def attraction(S: Any, p: Any, lists: Any, sources: Any, x: Vector) -> Vector:
    """G at x, of the field given by numbers."""
    G = add(par3(p, UNIFORM, S), apply_symmetric(par6(p, LINEAR, S), x))
    for j in range(sources):
        mu, place = weighted_point(S, p, lists, j)
        d = subtract(place, x)
        r2 = dot(d, d)
        G = add(G, scale(mu / (r2 * sqrt(r2)), d))
    return G


@kernel
def attraction_moment(S: Any, y: Any, p: Any, further: Any) -> Vector:
    """`Σ m ρ × RᵀG(Rρ)`; `further` is a kernel with more of the field, or None."""
    R = get9(y, ATTITUDE, S)
    points, sources, lists = par_int(p, POINTS, S), par_int(p, SOURCES, S), par_int(p, LISTS, S)
    zero = 0.0 * R[0]
    M = (zero, zero, zero)
    for i in range(points):
        m, rho = weighted_point(S, p, lists, sources + i)
        x = apply(R, rho)
        G = attraction(S, p, lists, sources, x)
        if further is not None:
            G = add(G, further(S, p, x))
        M = add(M, scale(m, cross(rho, apply_transposed(R, G))))
    return M


@flow
def field_moment(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The moment of the field given by numbers."""
    put3(y, FORCE, S, attraction_moment(S, y, p, None))
    return SUCCESS


@remembered
def both_fields(one: Any, other: Any) -> Any:
    """The sum of two fields, either of which may be None."""
    if one is None or other is None:
        return other if one is None else one

    @kernel
    def total(S: Any, p: Any, x: Vector) -> Vector:
        return add(one(S, p, x), other(S, p, x))

    return total


@remembered
def formula_moment(pull: Any) -> UserFlow:
    """The moment of the field by numbers and of a further one, given its kernel."""

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        put3(y, FORCE, S, attraction_moment(S, y, p, pull))
        return SUCCESS

    return UserFlow(force)


@remembered
def numerical_moment(write: Any, pull: Any) -> UserFlow:
    """The same where the moment of a further potential is found numerically; `pull` is any other field, or None."""

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        write(S, y, p)
        put3(y, FORCE, S, add(get3(y, FORCE, S), attraction_moment(S, y, p, pull)))
        return SUCCESS

    return UserFlow(force)


class FieldBody(ForcedAttitude):
    """A rigid body of point masses about its centre, in a gravitational field that is fixed in space.

    `masses` and `positions` (n, 3) in the body frame, from the point about which it turns. `sources`: rows of μ = GM and
    its place; `uniform`: g; `gradient`: the symmetric matrix Λ of a linear field, `n² (3 x̂x̂ᵀ − 1)` for gravity gradient;
    `potential`: V of any further field, a SymPy expression in x, y, z or its text, a kernel V(x) of three numbers, or
    (slow) a Python function of an array. Of a formula it is found out whether it is symmetric about the axis of the rest
    of the field, or else about a coordinate axis; other functions count as symmetric about none. `acceleration`: G(x) of any
    further field, which need not have a potential, as three formulas in x, y, z or a kernel of three numbers; then nothing
    is conserved. `parameters`: values of the names in the formulas. `FieldBody.of_body` makes the points from a shape.

    >>> body = FieldBody([1, 1, 2], [[1, 0, 0], [-1, 0, 0], [0, 0.5, 0]], sources=[[3.0, 10.0, 0.0, 0.0]])
    >>> body.inertia.matrix.diagonal()
    array([0.5, 2. , 2.5])
    """

    summary = "rigid body of point masses in a gravitational field"
    reference = "[LLM17] problem 6.11"
    force = field_moment
    conserved: Mapping[str, Invariant] = {"energy": Invariant("energy", "½ ω·Jω + Σ m V(Rρ)")}

    def __init__(
        self,
        masses: ArrayLike,
        positions: ArrayLike,
        sources: ArrayLike = (),
        uniform: ArrayLike = (0.0, 0.0, 0.0),
        gradient: ArrayLike | None = None,
        *,
        potential: Any = None,
        acceleration: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        count = len(np.atleast_1d(np.asarray(masses, dtype=object)))
        self.masses = check_finite("masses", masses, (count,))
        if np.any(self.masses <= 0.0):
            raise InvalidInputError("masses", masses, "positive numbers")
        self.positions = check_finite("positions", positions, (count, 3))
        self.sources = _check_sources(sources)
        self.uniform = check_finite("uniform", uniform, (3,))
        self.gradient = np.zeros((3, 3)) if gradient is None else check_finite("gradient", gradient, (3, 3))
        if np.abs(self.gradient - self.gradient.T).max() > 1e-12 * np.abs(self.gradient).max():
            raise InvalidInputError("gradient", gradient, "a symmetric matrix: the field has a potential")
        moments = np.einsum("i,ij,ik->jk", self.masses, self.positions, self.positions)
        inertia = np.trace(moments) * np.eye(3) - moments
        if not np.all(np.isfinite(inertia)):
            raise InvalidInputError("masses", masses, "masses, and positions, whose moments of inertia are finite")
        if np.linalg.eigvalsh(inertia)[0] <= 1e-12 * np.abs(inertia).max():
            raise InvalidInputError("positions", positions, "points that do not all lie on one line through the centre")
        super().__init__(inertia)
        named, points = NamedParameters(parameters, FIELD.end), (self.masses, self.positions)
        self.further = None if potential is None else ScalarField(potential, "potential", *points, named)
        self.push = None if acceleration is None else VectorField(acceleration, "acceleration", named)
        self.named = named
        named.check_used()
        push = None if self.push is None else self.push.vector
        numerical = None if self.further is None else self.further.potential
        if numerical is not None:
            self.force = numerical_moment(numerical.write, push)
        elif self.further is not None or push is not None:
            self.force = formula_moment(both_fields(None if self.further is None else self.further.pull, push))
        self.hamiltonian = push is None
        self.symmetry_axes = self._symmetry_axes()
        if len(self.symmetry_axes) == 1:
            momentum = Invariant("momentum", "angular momentum about the axis of symmetry of the field, Π·Rᵀn")
            self.conserved = {**self.conserved, "momentum_along_axis": momentum}
        elif len(self.symmetry_axes):
            self.conserved = {**self.conserved, "spatial_momentum": Invariant("momentum", "spatial momentum R Π")}
        if not self.hamiltonian:
            self.conserved = {}

    @classmethod
    def of_body(cls, body: Body, degree: int = 8, **field: Any) -> FieldBody:
        """A continuous body as weighted points, with which the moment of a field is exact up to this degree of its Taylor
        series; `field` is what else the constructor takes.

        >>> from polhode.bodies import Ellipsoid
        >>> FieldBody.of_body(Ellipsoid(5.0, [3.0, 2.0, 1.0]), degree=2).inertia.matrix.diagonal().round(12)
        array([ 5., 10., 13.])
        """
        masses, positions = interior_points(body, degree)
        return cls(masses, positions, **field)

    def _symmetry_axes(self) -> Array:
        """The unit vectors about which the field is symmetric, as rows: none, one, or three where it is so about all."""
        lines = [place for mu, *place in self.sources if mu != 0.0]
        arms = np.linalg.norm(self.positions, axis=1)
        if np.abs(self.masses @ self.positions).max() > 1e-14 * self.masses @ arms:
            lines.append(self.uniform)
        values, vectors = np.linalg.eigh(self.gradient)
        low, high = np.diff(values) > 1e-12 * np.abs(values).max()
        if low and high:
            return np.zeros((0, 3))
        if low or high:
            lines.append(vectors[:, 0 if low else 2])
        directions = [line / np.linalg.norm(line) for line in map(np.array, lines) if np.any(line)]
        axes = np.array(directions[:1]) if directions else np.eye(3)
        if any(np.abs(np.cross(axes[0], line)).max() > 1e-12 for line in directions):
            return np.zeros((0, 3))
        return axes if self.further is None else axes[self.further.symmetric(axes, arms)]

    def describe(self) -> dict[str, Any]:
        given = {"masses": self.masses, "positions": self.positions, "sources": self.sources, "uniform": self.uniform}
        formula: dict[str, Any] = {} if self.further is None else {"potential": self.further.describe()}
        formula |= {} if self.push is None else {"acceleration": self.push.describe()}
        data = {name: array.tolist() for name, array in given.items()} | {"gradient": self.gradient.tolist()}
        return data | formula | self.named.describe()

    def own_parameters(self) -> Array:
        points, linear = np.column_stack([self.masses, self.positions]), symmetric_entries(self.gradient)
        counts = {"points": len(self.masses), "sources": len(self.sources)}
        named = self.named.numbers()
        field = FIELD.pack(**counts, uniform=self.uniform, linear=linear, lists=FIELD.end + named.size)
        return np.concatenate([field, named, self.sources.reshape(-1), points.reshape(-1)])

    def field_potential(self, x: Array) -> Array:
        """V at points (..., 3)."""
        V = -x @ self.uniform - 0.5 * np.sum(x * (x @ self.gradient), axis=-1)
        for mu, *place in self.sources:
            V = V - mu / np.linalg.norm(x - np.array(place), axis=-1)
        return V if self.further is None else V + self.further.at(x)

    def potential_energy(self, R: Array) -> Array:
        places = np.einsum("...ij,nj->...ni", R, self.positions)
        return self.field_potential(places) @ self.masses

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """Kinetic and potential energy, and their sum."""
        return energy_parts(self.energy(values), self.potential_energy(self.derive("R", values)))

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        R, Pi = self.derive("R", values), values["Pi"]
        found = {
            "energy": lambda: self.energy(values),
            "momentum_along_axis": lambda: np.sum((self.symmetry_axes[0] @ R) * Pi, axis=-1),
            "spatial_momentum": lambda: np.einsum("...ij,...j->...i", R, Pi),
        }
        return {name: found[name]() for name in self.conserved}

    @classmethod
    def example(cls) -> State:
        positions = [[0.8, 0.1, 0.0], [-0.5, 0.6, 0.2], [0.1, -0.7, 0.4], [-0.2, 0.0, -0.9]]
        body = cls([1.0, 0.8, 1.2, 0.9], positions, sources=[[4.0, 2.5, 0.0, 0.5], [2.0, 0.0, -3.0, 0.0]])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.6, -0.5, 0.7])

    def equilibria(self) -> Equilibria:
        """The attitudes of rest that Newton's method finds, first from those that bring principal axes of the body to those
        of the field's gradient at the centre."""
        gradient = self.gradient.copy()
        for mu, *place in self.sources:
            r2 = float(np.dot(place, place))
            if r2 > 0.0:
                gradient += mu / r2**1.5 * (3.0 * np.outer(place, place) / r2 - np.eye(3))
        found = resting_attitudes(self, frames=[np.linalg.eigh(gradient)[1]])
        states = [Equilibrium(f"U = {float(self.potential_energy(R)):.6g}", self.state(R=R)) for R in found]
        return up_to_symmetry(self, states)


def _check_sources(sources: ArrayLike) -> Array:
    """Rows of GM and a position, (n, 4); none is an empty list."""
    if np.shape(np.asarray(sources, dtype=object)) == (0,):
        return np.zeros((0, 4))
    try:
        rows = doubles(sources)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise InvalidInputError(
            "sources", sources, "rows of four numbers, [GM, x, y, z], also where there is one source"
        )
    return check_finite("sources", sources, rows.shape)
