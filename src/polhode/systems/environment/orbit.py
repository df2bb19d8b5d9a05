"""The orbit of a spacecraft: a Kepler ellipse, perhaps with the secular precession by the planet's oblateness J2.

With `n = √(mu/a³)`, `p = a (1 − e²)` and `k = (3/2) J2 (radius/p)² n` the angles change at the constant rates

    node          −k cos i,
    periapsis      k (2 − (5/2) sin² i),
    mean anomaly   n + k √(1 − e²) (1 − (3/2) sin² i).

The velocity is the derivative of this position, precession included. The orbit is not changed by what acts on the body.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.call_help import explained
from ...core.checks import check_finite, check_positive
from ...core.parameters import ParameterLayout
from ...errors import InvalidInputError
from ...geometry.vectors import Vector, add, scale
from ...gravity.kepler_equation import MOST_ITERATIONS, eccentric_anomaly
from ...scalars import cos, kernel, par, sin
from ...scalars.protocol import par_int

Array = NDArray[np.float64]

EARTH_MU = 3.986004418e14  # m³/s²
EARTH_RADIUS = 6378137.0  # m, at the equator
EARTH_J2 = 1.08262668e-3
EARTH_RATE = 7.292115e-5  # rad/s

ORBIT_NUMBERS = ParameterLayout(
    semimajor=1,
    semiminor=1,
    eccentricity=1,
    cos_i=1,
    sin_i=1,
    node=1,
    node_rate=1,
    periapsis=1,
    periapsis_rate=1,
    anomaly=1,
    anomaly_rate=1,
    iterations=1,
)
A, B, ECC, COS_I, SIN_I = ORBIT_NUMBERS.offsets("semimajor", "semiminor", "eccentricity", "cos_i", "sin_i")
NODE, NODE_RATE = ORBIT_NUMBERS.offsets("node", "node_rate")
PERIAPSIS, PERIAPSIS_RATE = ORBIT_NUMBERS.offsets("periapsis", "periapsis_rate")
ANOMALY, ANOMALY_RATE, ITERATIONS = ORBIT_NUMBERS.offsets("anomaly", "anomaly_rate", "iterations")


@kernel
def turned(angle: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """The point (x, y) turned by the angle."""
    c, s = cos(angle), sin(angle)
    return c * x - s * y, s * x + c * y


@kernel
def position_and_velocity(
    a: Any,
    b: Any,
    e: Any,
    tilt: tuple[Any, Any],
    node: tuple[Any, Any],
    periapsis: tuple[Any, Any],
    anomaly: tuple[Any, Any],
    iterations: int,
    t: Any,
) -> tuple[Vector, Vector]:
    """Position and velocity on an ellipse with the semiaxes a and b, `tilt` the cosine and sine of its inclination; of the
    angles their values at t = 0 and their rates."""
    E = eccentric_anomaly(anomaly[0] + anomaly[1] * t, e, iterations)
    c, s = cos(E), sin(E)
    rate = anomaly[1] / (1.0 - e * c)
    turn = periapsis[0] + periapsis[1] * t
    x, y = turned(turn, a * (c - e), b * s)
    u, v = turned(turn, -a * s * rate, b * c * rate)
    u, v = u - periapsis[1] * y, v + periapsis[1] * x
    longitude = node[0] + node[1] * t
    along, across = turned(longitude, x, y * tilt[0])
    first, second = turned(longitude, u, v * tilt[0])
    return (along, across, y * tilt[1]), (first - node[1] * across, second + node[1] * along, v * tilt[1])


@kernel
def orbit_at(S: Any, p: Any, at: int, t: Any) -> tuple[Vector, Vector]:
    """Position and velocity at time t on the orbit whose numbers begin at `at`."""
    return position_and_velocity(
        par(p, at + A, S),
        par(p, at + B, S),
        par(p, at + ECC, S),
        (par(p, at + COS_I, S), par(p, at + SIN_I, S)),
        (par(p, at + NODE, S), par(p, at + NODE_RATE, S)),
        (par(p, at + PERIAPSIS, S), par(p, at + PERIAPSIS_RATE, S)),
        (par(p, at + ANOMALY, S), par(p, at + ANOMALY_RATE, S)),
        par_int(p, at + ITERATIONS, S),
        t,
    )


@kernel
def relative_to_rotating_air(rate: Any, r: Vector, v: Vector) -> Vector:
    """The velocity relative to air that turns with the planet about e₃."""
    return add(v, scale(rate, (r[1], -r[0], 0.0 * r[2])))


@explained
@dataclass(frozen=True)
class Orbit:
    """An elliptic orbit about a planet in the origin, whose equator is the plane of e₁ and e₂. Angles in radians; `anomaly` is
    the mean anomaly at t = 0. `mu` and `radius` of the planet, by default those of the Earth in metres and seconds; `J2`
    its oblateness, which makes node and periapsis precess (0: a Kepler ellipse; the Earth has 1.08263e-3).

    >>> orbit = Orbit(semimajor=7.0e6, inclination=np.radians(97.9), J2=1.08262668e-3)
    >>> f"{orbit.period / 60:.1f} min, node {np.degrees(orbit.rates[0]) * 86400:.3f} degrees per day"
    '97.2 min, node 0.989 degrees per day'
    """

    semimajor: float
    eccentricity: float = 0.0
    inclination: float = 0.0
    node: float = 0.0
    periapsis: float = 0.0
    anomaly: float = 0.0
    mu: float = EARTH_MU
    J2: float = 0.0
    radius: float = EARTH_RADIUS

    def __post_init__(self) -> None:
        for name in asdict(self):
            object.__setattr__(self, name, float(check_finite(name, getattr(self, name), ())))
        for name in ("semimajor", "mu", "radius"):
            check_positive(name, getattr(self, name))
        if not 0.0 <= self.eccentricity < 1.0:
            raise InvalidInputError("eccentricity", self.eccentricity, "a number from 0 to below 1")
        if not self.semimajor * (1.0 - self.eccentricity) > self.radius:
            allowed = f"an orbit outside the planet, whose radius is {self.radius:g}: periapsis above it"
            raise InvalidInputError("semimajor", self.semimajor, allowed)

    @property
    def mean_motion(self) -> float:
        """n of the Kepler ellipse."""
        return float(np.sqrt(self.mu / self.semimajor**3))

    @property
    def rates(self) -> tuple[float, float, float]:
        """The rates of node, periapsis and mean anomaly."""
        n, shape, s = self.mean_motion, 1.0 - self.eccentricity**2, np.sin(self.inclination) ** 2
        k = 1.5 * self.J2 * (self.radius / (self.semimajor * shape)) ** 2 * n
        anomaly = n + k * np.sqrt(shape) * (1.0 - 1.5 * s)
        return float(-k * np.cos(self.inclination)), float(k * (2.0 - 2.5 * s)), float(anomaly)

    @property
    def period(self) -> float:
        """The time from one periapsis to the next."""
        return 2.0 * np.pi / self.rates[2]

    def numbers(self) -> Array:
        """What kernels read."""
        node, periapsis, anomaly = self.rates
        return ORBIT_NUMBERS.pack(
            semimajor=self.semimajor,
            semiminor=self.semimajor * np.sqrt(1.0 - self.eccentricity**2),
            eccentricity=self.eccentricity,
            cos_i=np.cos(self.inclination),
            sin_i=np.sin(self.inclination),
            node=self.node,
            node_rate=node,
            periapsis=self.periapsis,
            periapsis_rate=periapsis,
            anomaly=self.anomaly,
            anomaly_rate=anomaly,
            iterations=MOST_ITERATIONS if self.eccentricity > 0.0 else 0,
        )

    def at(self, t: ArrayLike) -> tuple[Array, Array]:
        """Positions and velocities (..., 3) at times t."""
        x = self.numbers()
        pairs = ((COS_I, SIN_I), (NODE, NODE_RATE), (PERIAPSIS, PERIAPSIS_RATE), (ANOMALY, ANOMALY_RATE))
        tilt, node, periapsis, anomaly = ((x[i], x[j]) for i, j in pairs)
        time, iterations = np.asarray(t, dtype=float), int(x[ITERATIONS])
        found = position_and_velocity(x[A], x[B], x[ECC], tilt, node, periapsis, anomaly, iterations, time)
        r, v = (np.stack(np.broadcast_arrays(*each), axis=-1) for each in found)
        return r, v

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data."""
        return asdict(self)
