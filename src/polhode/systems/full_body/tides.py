"""Tidal friction between two bodies: a bulge that lags behind takes energy out of spin and orbit, and no momentum.

Body b raises a tide on body a, whose bulge follows with a constant time lag τ. With r = x_b − x_a and the velocity of b as
it is seen from a, `u = ẋ_b − ẋ_a − ω_a × r`, the force on b is (F. Mignard, Moon and Planets 20 (1979) 301)

    g = −D u,      D = 3 k₂ τ G m_b² A⁵ r⁻⁸ (1 + 2 r̂r̂ᵀ),

with A the radius and k₂ the Love number of a; −g acts on a, and on its spin the moment −r × g. The energy falls at the
rate u·Du ≥ 0 for τ > 0, whichever of spin and orbit is faster: a faster spin pulls the bulge ahead, which slows the spin and
widens the orbit; a slower one does the reverse. The total linear and angular momentum stay as they are.

In a step the force is D times a velocity, so it enters by impulses at both ends (discrete Lagrange–d'Alembert principle):
h/2 times the force at the start with the velocities after it, and at the end with those before it. These are the velocities
that the bodies have in between, and the step stays symmetric. Several tides act in turn, in reverse order at the end.

Parameters: how many tides, then for each a, b and its strength `3 k₂ τ G m_b² A⁵`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies import Body
from ...core.checks import check_integer, check_positive, from_table
from ...core.parameters import ParameterLayout
from ...errors import InvalidInputError
from ...geometry.vectors import Matrix, Symmetric, Vector, add, apply, apply_symmetric, cross, dot, scale, solve
from ...scalars import Flow, Rate, flow, kernel, par, rate
from ...scalars.protocol import SUCCESS, par_int

Array = NDArray[np.float64]
TIDAL = "its tides (dissipation) depend on velocities and take energy out, for which ForcedLGVI is made"
TIDES = ParameterLayout(tides=1)  # how many there are, then the numbers of each
TIDE = ParameterLayout(on=1, by=1, strength=1)
FIRST_TIDE, TIDE_SIZE = TIDES.end, TIDE.size
ON, BY, STRENGTH = TIDE.offsets("on", "by", "strength")


@kernel
def friction(strength: Any, r: Vector, u: Vector) -> Vector:
    """`−D u`."""
    q = 1.0 / dot(r, r)
    return scale(-strength * q * q * q * q, add(u, scale(2.0 * q * dot(r, u), r)))


@kernel
def friction_of_impulse(strength: Any, r: Vector, inverse_mass: Any, W: Matrix, e: Vector) -> Vector:
    """`−D A e`, where an impulse e on b, with what it does to a, changes u by A e; W is the inverse inertia of a."""
    return friction(strength, r, add(scale(inverse_mass, e), cross(apply(W, cross(r, e)), r)))


@kernel
def impulse(half: Any, strength: Any, r: Vector, u: Vector, inverse_mass: Any, W: Matrix, after: bool) -> Vector:
    """The impulse on b in half a step, from the velocity before it or, if `after`, from that after it:
    `(1 + ½h D A) g = −½h D u`."""
    g = scale(half, friction(strength, r, u))
    if after:
        zero = 0.0 * g[0]
        one = zero + 1.0
        x = friction_of_impulse(strength, r, inverse_mass, W, (one, zero, zero))
        y = friction_of_impulse(strength, r, inverse_mass, W, (zero, one, zero))
        z = friction_of_impulse(strength, r, inverse_mass, W, (zero, zero, one))
        rows = (
            1.0 - half * x[0],
            -half * y[0],
            -half * z[0],
            -half * x[1],
            1.0 - half * y[1],
            -half * z[1],
            -half * x[2],
            -half * y[2],
            1.0 - half * z[2],
        )
        g = solve(rows, g)[0]
    return g


# Tides act alike in inertial and in relative coordinates. `tide_of(S, y, p, at)` gives what the numbers at `at` stand for:
# whom the tide acts on, r, u, 1/m_a + 1/m_b and the inverse inertia W of a. `push(S, to, y, p, whom, r, g)` adds an impulse g
# on b, with what it does to a, to the momenta in `to`.


@kernel
def push_half(S: Any, y: Any, p: Any, at: Any, half: Any, after: bool, tide_of: Any, push: Any) -> None:
    """Add the impulse in half a step of the tide whose numbers are at `at`."""
    whom, r, u, inverse_mass, W = tide_of(S, y, p, at)
    push(S, y, y, p, whom, r, impulse(half, par(p, at + STRENGTH, S), r, u, inverse_mass, W, after))


@kernel
def drift_between_tides(
    S: Any, y: Any, p: Any, t: float, h: float, report: Any, tides: Any, drift: Any, tide_of: Any, push: Any
) -> int:
    """The flow `drift` between half the impulses of the tides whose list begins at `tides`."""
    first, number = tides + FIRST_TIDE, par_int(p, tides, S)
    for k in range(number):
        push_half(S, y, p, first + TIDE_SIZE * k, 0.5 * h, True, tide_of, push)
    status = drift(S, y, p, t, h, report)
    if status == SUCCESS:
        for k in range(number):
            push_half(S, y, p, first + TIDE_SIZE * (number - 1 - k), 0.5 * h, False, tide_of, push)
    return status


@kernel
def rates_with_tides(
    S: Any, y: Any, p: Any, t: float, dy: Any, report: Any, tides: Any, rhs: Any, tide_of: Any, push: Any
) -> int:
    """The rates `rhs`, with the forces of the tides whose list begins at `tides`."""
    status = rhs(S, y, p, t, dy, report)
    for k in range(par_int(p, tides, S)):
        at = tides + FIRST_TIDE + TIDE_SIZE * k
        whom, r, u, _, _ = tide_of(S, y, p, at)
        push(S, dy, y, p, whom, r, friction(par(p, at + STRENGTH, S), r, u))
    return status


def flows_with_tides(at: int, drift: Flow, rhs: Rate, tide_of: Any, push: Any) -> tuple[Flow, Rate]:
    """The flow `drift` between half the impulses of the tides, and the rates `rhs` with their forces; parameter `at` says
    where the list of the tides begins."""

    @flow
    def drift_forced(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        tides = par_int(p, at, S)
        return drift_between_tides(S, y, p, t, h, report, tides, drift, tide_of, push)  # type: ignore[no-any-return]

    @rate
    def rhs_forced(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
        tides = par_int(p, at, S)
        return rates_with_tides(S, y, p, t, dy, report, tides, rhs, tide_of, push)  # type: ignore[no-any-return]

    return drift_forced, rhs_forced


@kernel
def turned_inertia(A: Matrix, J: Symmetric) -> Matrix:
    """`A J Aᵀ`."""
    x, y, z = A[0:3], A[3:6], A[6:9]
    Jx, Jy, Jz = apply_symmetric(J, x), apply_symmetric(J, y), apply_symmetric(J, z)
    xy, xz, yz = dot(x, Jy), dot(x, Jz), dot(y, Jz)
    return dot(x, Jx), xy, xz, xy, dot(y, Jy), yz, xz, yz, dot(z, Jz)


@dataclass(frozen=True)
class TidalFriction:
    """The tide that body `by` raises on body `on` (numbers from 0), whose bulge lags by the time `lag`.

    `k2`: the Love number, `radius`: the radius of the body that is deformed. A positive lag takes energy out; there is
    no other.

    >>> TidalFriction(on=1, by=0, k2=0.01, radius=400.0, lag=600.0).describe()
    {'on': 1, 'by': 0, 'k2': 0.01, 'radius': 400.0, 'lag': 600.0}
    """

    on: int
    by: int
    k2: float
    radius: float
    lag: float

    def __post_init__(self) -> None:
        for name in ("on", "by"):
            object.__setattr__(self, name, check_integer(name, getattr(self, name), 0))
        if self.on == self.by:
            raise InvalidInputError("by", self.by, "another body than the one that is deformed")
        check_positive("k2", self.k2)
        check_positive("radius", self.radius)
        check_positive("lag", self.lag)

    def strength(self, bodies: Sequence[Body], G: float) -> float:
        """`3 k₂ τ G m_b² A⁵`."""
        return float(3.0 * self.k2 * self.lag * G * bodies[self.by].mass ** 2 * self.radius**5)

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data."""
        return asdict(self)


class Tides:
    """The tides of a list of bodies."""

    def __init__(self, given: Sequence[Any], bodies: Sequence[Body], G: float) -> None:
        if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
            raise InvalidInputError("dissipation", given, "a list of TidalFriction, or of tables with its arguments")
        self.list = [
            one if isinstance(one, TidalFriction) else from_table(f"dissipation[{k}]", TidalFriction, one)
            for k, one in enumerate(given)
        ]
        for k, tide in enumerate(self.list):
            for name in ("on", "by"):
                if getattr(tide, name) >= len(bodies):
                    allowed = f"the number of a body, 0 to {len(bodies) - 1}"
                    raise InvalidInputError(f"dissipation[{k}].{name}", getattr(tide, name), allowed)
            if not np.any(bodies[tide.on].inertia):
                raise InvalidInputError(
                    f"dissipation[{k}].on", tide.on, "a body with a spin, not a point mass: use Sphere"
                )
        self.strengths = [tide.strength(bodies, G) for tide in self.list]

    def __bool__(self) -> bool:
        return bool(self.list)

    def parameters(self) -> Array:
        """The list as kernels read it; nothing where it is empty."""
        if not self.list:
            return np.zeros(0)
        pairs = zip(self.list, self.strengths, strict=True)
        rows = [TIDE.pack(on=tide.on, by=tide.by, strength=strength) for tide, strength in pairs]
        return np.concatenate([TIDES.pack(tides=len(rows)), *rows])

    def power(self, x: Array, v: Array, spin: Array) -> Array:
        """`Σ u·Du`, the rate at which energy is lost: places, velocities and inertial rates (..., n, 3)."""
        total = np.zeros(x.shape[:-2])
        for tide, strength in zip(self.list, self.strengths, strict=True):
            r = x[..., tide.by, :] - x[..., tide.on, :]
            u = v[..., tide.by, :] - v[..., tide.on, :] - np.cross(spin[..., tide.on, :], r)
            first, second = (tuple(np.moveaxis(a, -1, 0)) for a in (r, u))
            total = total - dot(friction(strength, first, second), second)
        return total

    def describe(self) -> dict[str, Any]:
        """The list as plain data, by the name of the argument."""
        return {"dissipation": [tide.describe() for tide in self.list]} if self.list else {}
