"""The equations of a family: steady or periodic motions over a parameter, for the continuation (`continuation`).

The unknowns are the state, in units of its variables, what the motion needs beside it (the rates along symmetries; the
period and the symmetry), and the parameter λ, in units of the range over which it is followed. λ may be a number of the
system, a conserved quantity, or the period. The equations are those of `relative_equilibrium` and `periodic`; with those of
what is held they need not be independent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.system import System
from .periodic import PeriodicMotion, PeriodicSearch
from .phase_space import PhaseSpace
from .relative_equilibria import RelativeEquilibrium, described

Array = NDArray[np.float64]
PERIOD = "period"
SIZE = 1e-4  # of the differences by λ, in units of λ: they need not be exact, because Newton's method corrects


@dataclass(frozen=True)
class FamilyParameter:
    """What λ is: its name, and the system with another value where it is a number of the system. `exact` says whether the
    name is one of those by which `simulate` differentiates. `unit` is a change of λ that counts as one."""

    name: str
    system: Callable[[float], System] | None
    unit: float
    exact: bool = False


@dataclass(frozen=True)
class Point:
    """The unknowns: the flat state, the further ones, and λ."""

    y: Array
    further: Array
    value: float


class FamilyProblem(ABC):
    """Equations `r(point) = 0` and their derivative."""

    lost: float  # of the largest: singular values of directions that do not matter
    closed: float  # the residual at which Newton's method ends, and with which it has arrived
    accepted: float
    precision: float  # of the place at which the stability changes, in steps

    def __init__(self, space: PhaseSpace, parameter: FamilyParameter, hold: Sequence[str]) -> None:
        self.space, self.parameter = space, parameter
        self.held = space.check_names("hold", [name for name in hold if name != PERIOD])
        self.wanted = space.values(space.y, self.held)
        self.unit = np.maximum(np.abs(self.wanted), 1e-3 * max(1.0, float(np.abs(self.wanted).max(initial=0.0))))
        self.dimension = space.layout.dimension
        self.own = parameter.name if parameter.system is None and parameter.name != PERIOD else None

    def space_at(self, value: float) -> PhaseSpace:
        """The phase space of the system that belongs to λ."""
        return self.space if self.parameter.system is None else self.space.of(self.parameter.system(value))

    @abstractmethod
    def start(self) -> Point:
        """The member that the family starts from; λ is not set."""

    @abstractmethod
    def motion(self, point: Point) -> tuple[Array, Array]:
        """The equations of the motion, and their derivative by the state, what is further, and λ."""

    @abstractmethod
    def further_units(self, point: Point) -> Array:
        """What counts as one in the further unknowns."""

    @abstractmethod
    def member(self, point: Point, residual: float) -> RelativeEquilibrium | PeriodicMotion:
        """The motion at a point, with its spectrum."""

    def moved(self, point: Point, step: Array) -> Point:
        """A point displaced, in units of the unknowns."""
        d = self.dimension
        value = point.value + float(step[-1]) * self.parameter.unit
        y = self.space_at(value).moved(point.y, np.asarray(step[:d] * self.space.reach / self.space.scale))
        return Point(y, point.further + step[d:-1] * self.further_units(point), value)

    def conserved(self, point: Point, names: Sequence[str]) -> Array:
        """Conserved quantities; of a vector that is λ only the length counts."""
        values = self.space_at(point.value).values(point.y, names)
        return np.atleast_1d(np.linalg.norm(values)) if names == [self.own] and values.size > 1 else values

    def equations(self, point: Point) -> tuple[Array, Array]:
        """All equations, those of the motion first, and their derivative."""
        r, J = self.motion(point)
        rows, slopes = [r], [J]
        if self.held:
            rows.append((self.conserved(point, self.held) - self.wanted) / self.unit)
            slopes.append(self._slopes(point, self.held) / self.unit[:, None])
        if self.own is not None:
            size = max(abs(point.value), self.parameter.unit)
            rows.append((self.conserved(point, [self.own]) - point.value) / size)
            slope = self._slopes(point, [self.own]) / size
            slope[:, -1] -= self.parameter.unit / size
            slopes.append(slope)
        return np.concatenate(rows), np.vstack(slopes)

    def _slopes(self, point: Point, names: Sequence[str]) -> Array:
        """The derivatives of conserved quantities by all unknowns."""
        space = self.space_at(point.value)
        by_state = space.slopes(point.y, names) * (space.reach / space.scale) * space.kept
        values = space.values(point.y, names)
        if list(names) == [self.own] and values.size > 1:
            by_state = (values / max(float(np.linalg.norm(values)), 1e-300) @ by_state)[None]
        found = np.zeros((len(by_state), self.dimension + len(point.further) + 1))
        found[:, : self.dimension] = by_state
        found[:, -1] = self.by_parameter(point, lambda at: self.conserved(at, list(names)))
        return found

    def by_parameter(self, point: Point, read: Callable[[Point], Array]) -> Array:
        """The derivative by λ, in its unit, of what changes with the system, by central differences."""
        if self.parameter.system is None:
            return np.zeros_like(read(point))
        size = SIZE * self.parameter.unit
        ends = [read(Point(point.y, point.further, point.value + way * size)) for way in (1.0, -1.0)]
        return np.asarray((ends[0] - ends[1]) / (2.0 * SIZE), dtype=np.float64)


class SteadyProblem(FamilyProblem):
    """Equilibria and relative equilibria: `v(x) = Σ cᵢ gᵢ(x)`, with the rates c as further unknowns."""

    lost, closed, accepted, precision = 1e-9, 1e-12, 1e-9, 1e-12

    def start(self) -> Point:
        G = self.space.generators(self.space.y)
        c = np.linalg.lstsq(G, self.space.field(self.space.y), rcond=1e-10)[0] if G.size else np.zeros(0)
        return Point(self.space.y, np.asarray(c, np.float64), np.nan)

    def further_units(self, point: Point) -> Array:
        return np.full(len(point.further), self.space.rate or 1.0)

    def _off(self, point: Point) -> Array:
        space = self.space_at(point.value)
        found = space.field(point.y) - space.generators(point.y) @ point.further
        return np.asarray(found[space.kept] / (space.rate or 1.0))

    def motion(self, point: Point) -> tuple[Array, Array]:
        space = self.space_at(point.value)
        rate = space.rate or 1.0
        by_state = space.matrix(point.y, point.further)[space.kept] / rate * (space.reach / space.scale) * space.kept
        by_rates = -space.generators(point.y)[space.kept]
        return self._off(point), np.hstack([by_state, by_rates, self.by_parameter(point, self._off)[:, None]])

    def member(self, point: Point, residual: float) -> RelativeEquilibrium:
        return described(self.space_at(point.value), point.y, point.further, residual)


class PeriodicProblem(FamilyProblem):
    """Periodic and relative periodic motions: `Φ_T(x) = g·x`, with ln T and the amounts of g as further unknowns."""

    lost, closed, accepted, precision = 1e-8, 1e-11, 1e-8, 1e-4

    def __init__(
        self, space: PhaseSpace, parameter: FamilyParameter, hold: Sequence[str], found: PeriodicMotion
    ) -> None:
        super().__init__(space, parameter, hold)
        self.found, self.keeps_period = found, PERIOD in hold

    def _search(self, value: float) -> PeriodicSearch:
        return PeriodicSearch(self.space_at(value), self.found.method, self.found.steps)

    def start(self) -> Point:
        return Point(self.space.y, np.append(np.log(self.found.period), self.found.symmetry), np.nan)

    def further_units(self, point: Point) -> Array:
        return np.ones(len(point.further))

    def motion(self, point: Point) -> tuple[Array, Array]:
        search, T = self._search(point.value), float(np.exp(point.further[0]))
        r, J = search.residual_and_derivative(point.y, T, point.further[1:])
        if self.parameter.exact:
            by_parameter = search.by_parameter(point.y, T, self.parameter.name)[search.space.kept] * self.parameter.unit
        else:
            by_parameter = self.by_parameter(point, self._off)
        J = np.hstack([J, by_parameter[:, None]])
        row = np.zeros((1, J.shape[1]))
        row[0, self.dimension] = 1.0
        if self.parameter.name == PERIOD:
            row[0, -1] = -self.parameter.unit / point.value
            return np.append(r, point.further[0] - np.log(point.value)), np.vstack([J, row])
        if self.keeps_period:
            return np.append(r, point.further[0] - np.log(self.found.period)), np.vstack([J, row])
        return r, J

    def _off(self, point: Point) -> Array:
        return self._search(point.value).residual(point.y, float(np.exp(point.further[0])), point.further[1:])

    def member(self, point: Point, residual: float) -> PeriodicMotion:
        search, T = self._search(point.value), float(np.exp(point.further[0]))
        return search.described(point.y, T, point.further[1:], residual)
