"""The environment of a spacecraft: the torque of all its parts at a time and an attitude, and their energy.

The torque does not depend on the rate. Its numbers are a block among the parameters of a system: which parts act, the orbit,
and the numbers of each part. So it is compiled once, whatever acts; other numbers need no compiling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import INERTIA_ENTRIES
from ...core.checks import from_table
from ...core.parameters import ParameterLayout
from ...errors import InvalidInputError
from ...geometry.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply_symmetric,
    apply_transposed,
    cross,
    dot,
    scale,
    subtract,
)
from ...scalars import compiled, double, exp, kernel, par, par3, par6, sqrt, where
from ...scalars.protocol import par_int
from .magnetic_field import MagneticField, turning_field
from .orbit import ORBIT_NUMBERS, Orbit, orbit_at, relative_to_rotating_air
from .parts import GravityGradient, Part, ResidualDipole, SolarPressure, part_from
from .plates import air_torque, sunlight_torque

Array = NDArray[np.float64]

# which parts act: whether, or how many plates; then their numbers. Behind the block come the field's coefficients, the plates
# in the sunlight and those in the air
BLOCK = ParameterLayout(
    orbit=ORBIT_NUMBERS.size,
    mu=1,
    planet=1,
    gradient=1,
    degree=1,
    lit=1,
    moved=1,
    moment=3,
    field_radius=1,
    field_angle=1,
    field_rate=1,
    sun=3,
    pressure=1,
    density=1,
    base=1,
    scale_height=1,
    air_rate=1,
    coefficients=1,
    lit_plates=1,
    moved_plates=1,
)
ORBIT, MU, PLANET = BLOCK.offsets("orbit", "mu", "planet")
GRADIENT, DEGREE, LIT, MOVED = BLOCK.offsets("gradient", "degree", "lit", "moved")
MOMENT, FIELD_RADIUS, FIELD_ANGLE, FIELD_RATE = BLOCK.offsets("moment", "field_radius", "field_angle", "field_rate")
SUN, PRESSURE, DENSITY, BASE = BLOCK.offsets("sun", "pressure", "density", "base")
SCALE_HEIGHT, AIR_RATE = BLOCK.offsets("scale_height", "air_rate")
COEFFICIENTS, LIT_PLATES, MOVED_PLATES = BLOCK.offsets("coefficients", "lit_plates", "moved_plates")
(INERTIA,) = INERTIA_ENTRIES.offsets("J")


@kernel
def gradient_torque(mu: Any, r: Vector, J: Symmetric, R: Matrix) -> Vector:
    """`3 mu/r⁵ b × J b` with b = Rᵀr."""
    b, square = apply_transposed(R, r), dot(r, r)
    return scale(3.0 * mu / (square * square * sqrt(square)), cross(b, apply_symmetric(J, b)))


@kernel
def in_sunlight(radius: Any, r: Vector, s: Vector) -> Any:
    """1 outside the planet's shadow, a cylinder, and 0 in it."""
    ahead = dot(r, s)
    aside = subtract(r, scale(ahead, s))
    return where((ahead < 0.0) & (dot(aside, aside) < radius * radius), 0.0 * ahead, 1.0 + 0.0 * ahead)


@compiled
def environment_torque(S: Any, p: Any, at: int, t: Any, R: Matrix) -> Vector:
    """The torque in the body frame at time t and attitude R; the block begins at `at`."""
    r, v = orbit_at(S, p, at + ORBIT, t)
    zero = 0.0 * R[0]
    M = (zero, zero, zero)
    if par_int(p, at + GRADIENT, S) > 0:
        M = add(M, gradient_torque(par(p, at + MU, S), r, par6(p, INERTIA, S), R))
    degree = par_int(p, at + DEGREE, S)
    if degree > 0:
        angle = par(p, at + FIELD_ANGLE, S) + par(p, at + FIELD_RATE, S) * t
        B = turning_field(S, p, par_int(p, at + COEFFICIENTS, S), degree, par(p, at + FIELD_RADIUS, S), angle, r)
        M = add(M, cross(par3(p, at + MOMENT, S), apply_transposed(R, B)))
    lit = par_int(p, at + LIT, S)
    if lit > 0:
        s = par3(p, at + SUN, S)
        light = par(p, at + PRESSURE, S) * in_sunlight(par(p, at + PLANET, S), r, s)
        M = add(M, scale(light, sunlight_torque(S, p, par_int(p, at + LIT_PLATES, S), lit, apply_transposed(R, s))))
    moved = par_int(p, at + MOVED, S)
    if moved > 0:
        height = sqrt(dot(r, r)) - par(p, at + BASE, S)
        density = par(p, at + DENSITY, S) * exp(-height / par(p, at + SCALE_HEIGHT, S))
        u = apply_transposed(R, relative_to_rotating_air(par(p, at + AIR_RATE, S), r, v))
        M = add(M, scale(density, air_torque(S, p, par_int(p, at + MOVED_PLATES, S), moved, u)))
    return M


@compiled
def _torques(p: Array, at: int, t: Array, R: Array, found: Array) -> None:
    for i in range(len(t)):
        A = R[i]
        Q = (A[0], A[1], A[2], A[3], A[4], A[5], A[6], A[7], A[8])
        found[i, 0], found[i, 1], found[i, 2] = environment_torque(double, p, at, t[i], Q)


class Environment:
    """The parts that act on a body with this inertia on this orbit; nothing where there are none."""

    def __init__(self, orbit: Any, parts: Sequence[Any] | None, inertia: Array) -> None:
        if parts is not None and (isinstance(parts, (str, Mapping)) or not isinstance(parts, Sequence)):
            raise InvalidInputError("environment", parts, "a list such as [GravityGradient()]")
        self.parts: list[Part] = [part_from(f"environment[{k}]", one) for k, one in enumerate(parts or [])]
        kinds = [one.kind for one in self.parts]
        for k, kind in enumerate(kinds):
            if kind in kinds[:k]:
                raise InvalidInputError(f"environment[{k}]", kind, "each kind of part once")
        if self.parts and orbit is None:
            raise InvalidInputError("orbit", orbit, "an Orbit, on which the environment acts")
        if orbit is not None and not self.parts:
            raise InvalidInputError("orbit", orbit, problem="an orbit has no effect without an environment")
        self.orbit: Any = orbit if orbit is None or isinstance(orbit, Orbit) else from_table("orbit", Orbit, orbit)
        self.inertia = inertia

    def __bool__(self) -> bool:
        return bool(self.parts)

    @property
    def potential(self) -> bool:
        """Whether every part has a potential, so that a variational step is symplectic."""
        return all(part.potential for part in self.parts)

    def parameters(self, start: int) -> Array:
        """The block as kernels read it, where it begins at `start` in the parameters; nothing where there are no parts."""
        if not self.parts:
            return np.zeros(0)
        block, coefficients, lit, moved = self._numbers
        at = start + BLOCK.size
        places = {"coefficients": at, "lit_plates": at + coefficients.size}
        places["moved_plates"] = places["lit_plates"] + lit.size
        return np.concatenate([BLOCK.pack(**block, **places), coefficients, lit, moved])

    @cached_property
    def _numbers(self) -> tuple[dict[str, Any], Array, Array, Array]:
        """The entries of the block, the field's coefficients and the plates."""
        block: dict[str, Any] = dict.fromkeys(set(BLOCK.sizes) - {"coefficients", "lit_plates", "moved_plates"}, 0.0)
        block |= {"orbit": self.orbit.numbers(), "mu": self.orbit.mu, "planet": self.orbit.radius}
        block |= {"moment": np.zeros(3), "sun": np.zeros(3)}
        coefficients, lit, moved = np.zeros(0), np.zeros(0), np.zeros(0)
        for part in self.parts:
            if isinstance(part, GravityGradient):
                block["gradient"] = 1.0
            elif isinstance(part, ResidualDipole):
                field: MagneticField = part.field
                coefficients = field.numbers()
                block |= {"degree": field.degree, "moment": part.moment, "field_radius": field.radius}
                block |= {"field_angle": field.angle, "field_rate": field.rate}
            elif isinstance(part, SolarPressure):
                lit = np.concatenate([plate.numbers() for plate in part.plates])
                block |= {"lit": len(part.plates), "sun": part.sun, "pressure": part.pressure}
            else:
                moved = np.concatenate([plate.numbers() for plate in part.plates])
                block |= {"moved": len(part.plates), "density": part.density, "base": part.radius + part.base}
                block |= {"scale_height": part.scale_height, "air_rate": part.rate}
        return block, coefficients, lit, moved

    def torques(self, t: ArrayLike, R: ArrayLike) -> dict[str, Array]:
        """The torque of each part in the body frame, (..., 3), at times t and attitudes R (..., 3, 3), by the part's kind."""
        attitudes = np.asarray(R, dtype=np.float64)
        times = np.ascontiguousarray(np.broadcast_to(np.asarray(t, dtype=float), attitudes.shape[:-2]).reshape(-1))
        rows = np.ascontiguousarray(attitudes.reshape(-1, 9))
        found = {}
        for part in self.parts:
            alone = Environment(self.orbit, [part], self.inertia)
            p = np.concatenate([self.inertia, alone.parameters(len(self.inertia))])
            found[part.kind] = np.empty((len(rows), 3))
            _torques(p, len(self.inertia), times, rows, found[part.kind])
        return {kind: torque.reshape(*attitudes.shape[:-2], 3) for kind, torque in found.items()}

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data."""
        if not self.parts:
            return {}
        return {"orbit": self.orbit.describe(), "environment": [part.describe() for part in self.parts]}
