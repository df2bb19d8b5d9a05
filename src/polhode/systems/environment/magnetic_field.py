"""The magnetic field of a planet that turns about e₃: spherical harmonics of any degree; degree 1 is a tilted dipole.

`B = −∇V` with `V = a Σ (a/r)ⁿ⁺¹ (gₙₘ cos mφ + hₙₘ sin mφ) Pₙₘ(sin latitude)`, Pₙₘ in Schmidt's normalisation, as
geomagnetic models are published. The harmonics `Vₙₘ, Wₙₘ` of Cunningham's recursion are visited once each: harmonic
(n + 1, m) enters the gradients of (n, m − 1), (n, m) and (n, m + 1). Nothing is singular at the poles.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from math import factorial, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.call_help import explained
from ...core.checks import check_finite, check_integer, check_positive, from_table
from ...core.extras import extra
from ...errors import InvalidInputError
from ...geometry.vectors import Vector, dot
from ...scalars import compiled, double, kernel, par
from ...scalars import sqrt as root
from .orbit import EARTH_RATE, turned

Array = NDArray[np.float64]

LARGEST_DEGREE = 30
REFERENCE_RADIUS = 6371200.0  # m, to which geomagnetic coefficients refer
# n, m, g, h in tesla: the terms of degree 1 of IGRF-14 for 2025.0
DIPOLE_2025 = ((1, 0, -29350.0e-9, 0.0), (1, 1, -1410.3e-9, 4545.5e-9))


@kernel
def coefficients_at(at: int, n: int, m: int) -> int:
    """Where g and h of degree n and order m lie in the list that begins at `at`."""
    return at + n * (n + 1) + 2 * m


@kernel
def harmonic_field(S: Any, p: Any, at: int, degree: int, radius: Any, r: Vector) -> Vector:
    """B at r, both in axes that turn with the planet; the coefficients, not normalised, begin at `at`."""
    f = radius / dot(r, r)
    x, y, z = f * r[0], f * r[1], f * r[2]
    f = f * radius  # (radius/r)²
    zero = 0.0 * f
    Bx, By, Bz = zero, zero, zero
    Vm, Wm = root(f), zero  # of degree and order m
    for m in range(degree + 2):
        if m > 0:
            Vm, Wm = (2.0 * m - 1.0) * (x * Vm - y * Wm), (2.0 * m - 1.0) * (x * Wm + y * Vm)
        V, W, V_before, W_before = Vm, Wm, zero, zero
        for k in range(max(m, 1), degree + 2):  # the harmonic of degree k enters the gradients of degree n
            n = k - 1
            if k > m:
                first, second = (2.0 * k - 1.0) / (k - m), (k + m - 1.0) / (k - m)
                V, V_before = first * z * V - second * f * V_before, V
                W, W_before = first * z * W - second * f * W_before, W
            if m > 0:
                i, half = coefficients_at(at, n, m - 1), 1.0 if m == 1 else 0.5
                g, h = par(p, i, S), par(p, i + 1, S)
                Bx, By = Bx + half * (g * V + h * W), By + half * (g * W - h * V)
            if m <= n:
                i = coefficients_at(at, n, m)
                Bz = Bz + (n - m + 1.0) * (par(p, i, S) * V + par(p, i + 1, S) * W)
            if m + 1 <= n:
                i, twice = coefficients_at(at, n, m + 1), 0.5 * (n - m) * (n - m + 1.0)
                g, h = par(p, i, S), par(p, i + 1, S)
                Bx, By = Bx - twice * (g * V + h * W), By + twice * (g * W - h * V)
    return Bx, By, Bz


@kernel
def turning_field(S: Any, p: Any, at: int, degree: int, radius: Any, angle: Any, r: Vector) -> Vector:
    """B at r in inertial axes, where the planet has turned by `angle`."""
    x, y = turned(-angle, r[0], r[1])
    B = harmonic_field(S, p, at, degree, radius, (x, y, r[2]))
    Bx, By = turned(angle, B[0], B[1])
    return Bx, By, B[2]


@compiled
def _fields(p: Array, degree: int, radius: float, angles: Array, places: Array, found: Array) -> None:
    for i in range(len(places)):
        r = (places[i, 0], places[i, 1], places[i, 2])
        found[i, 0], found[i, 1], found[i, 2] = turning_field(double, p, 0, degree, radius, angles[i], r)


@explained
class MagneticField:
    """The field of a planet: `coefficients` as a list of [n, m, g, h], `radius` that these refer to, `rate` at which the planet
    turns and `angle` by which its zero meridian is ahead of e₁ at t = 0. By default the Earth's tilted dipole, in tesla.

    >>> field = MagneticField([[1, 0, -3e-5, 0]], radius=1.0, rate=0.0)
    >>> field.at(0.0, [[2, 0, 0], [0, 0, 1]]).tolist()
    [[0.0, 0.0, 3.75e-06], [0.0, 0.0, -6e-05]]
    """

    def __init__(
        self,
        coefficients: Sequence[Sequence[float]] = DIPOLE_2025,
        radius: float = REFERENCE_RADIUS,
        rate: float = EARTH_RATE,
        angle: float = 0.0,
    ) -> None:
        self.radius = check_positive("radius", radius)
        self.rate, self.angle = float(check_finite("rate", rate, ())), float(check_finite("angle", angle, ()))
        rows = np.asarray(coefficients, dtype=object)
        if rows.ndim != 2 or rows.shape[1] != 4 or not len(rows):
            raise InvalidInputError("coefficients", coefficients, "a list of [n, m, g, h]")
        self.coefficients: Array = check_finite("coefficients", coefficients, (len(rows), 4))
        for k, (n, m) in enumerate(self.coefficients[:, :2]):
            if n not in range(1, LARGEST_DEGREE + 1) or m not in range(int(n) + 1):
                allowed = f"a degree n from 1 to {LARGEST_DEGREE} and an order m from 0 to n"
                raise InvalidInputError(f"coefficients[{k}]", [n, m], allowed)

    @classmethod
    def igrf(cls, date: str | datetime.date, degree: int = 13, angle: float = 0.0) -> MagneticField:
        """The International Geomagnetic Reference Field on a day, up to this degree. Needs the package `ppigrf`
        (`pip install polhode[igrf]`), which brings the coefficients."""
        check_integer("degree", degree, 1, 13)
        try:
            day = datetime.date.fromisoformat(date) if isinstance(date, str) else date
            when = datetime.datetime(day.year, day.month, day.day)
        except (ValueError, AttributeError) as error:
            raise InvalidInputError("date", date, 'a day, such as "2026-03-01"') from error
        g, h = extra("ppigrf").ppigrf.read_shc()
        days = g.index.to_numpy().astype("datetime64[s]").astype(float)
        here = float(np.datetime64(when, "s").astype(float))
        if not days[0] <= here <= days[-1]:
            raise InvalidInputError("date", date, f"a day from {g.index[0]:%Y-%m-%d} to {g.index[-1]:%Y-%m-%d}")
        rows = [
            [n, m, *(1e-9 * float(np.interp(here, days, table[n, m].to_numpy())) for table in (g, h))]
            for n in range(1, degree + 1)
            for m in range(n + 1)
        ]
        return cls(rows, angle=angle)

    @property
    def degree(self) -> int:
        """The highest degree of a term."""
        return int(self.coefficients[:, 0].max())

    def numbers(self) -> Array:
        """g and h of every degree and order from (0, 0) on, in the normalisation of the recursion."""
        found = np.zeros((self.degree + 1) * (self.degree + 2))
        for n, m, g, h in self.coefficients:
            n, m = int(n), int(m)
            scale = sqrt((1 if m == 0 else 2) * factorial(n - m) / factorial(n + m))
            i = coefficients_at(0, n, m)
            found[i : i + 2] += scale * g, scale * h
        return found

    def at(self, t: ArrayLike, r: ArrayLike) -> Array:
        """B (..., 3) in inertial axes at times t and places r (..., 3)."""
        places = np.asarray(r, dtype=np.float64)
        angles = np.broadcast_to(self.angle + self.rate * np.asarray(t, dtype=float), places.shape[:-1])
        rows = np.ascontiguousarray(places.reshape(-1, 3))
        found = np.empty_like(rows)
        _fields(self.numbers(), self.degree, self.radius, np.ascontiguousarray(angles.reshape(-1)), rows, found)
        return found.reshape(places.shape)

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data."""
        rows = [[int(n), int(m), float(g), float(h)] for n, m, g, h in self.coefficients]
        return {"coefficients": rows, "radius": self.radius, "rate": self.rate, "angle": self.angle}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MagneticField) and self.describe() == other.describe()

    def __hash__(self) -> int:
        return hash((self.radius, self.rate, self.angle, self.coefficients.tobytes()))


def magnetic_field_from(field: str, given: Any) -> MagneticField:
    """A field, or the one that a table describes: its arguments, or a day as `igrf` with `degree` and `angle`."""
    if given is None or isinstance(given, MagneticField):
        return given or MagneticField()
    if isinstance(given, Mapping) and "igrf" in given:
        return from_table(field, lambda igrf, degree=13, angle=0.0: MagneticField.igrf(igrf, degree, angle), given)
    return from_table(field, MagneticField, given)
