"""Continuation by pseudo-arclength: from one solution of `r(u) = 0` along the curve of solutions, through folds.

With J = dr/du, the curve goes along a null vector t of J. A step goes along t and is corrected by Newton's method across it.
J may have further null vectors, along symmetries and along what is not held: the tangent is the projection of the one before
onto all of them, and corrections are the least ones, so that what need not change does not.

    fold           the component of t along the parameter changes its sign
    branch point   the determinant of J, bordered by the null vectors of the member before, changes its sign
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError
from .family_problems import FamilyProblem, Point

Array = NDArray[np.float64]
ITERATIONS = 12
LONGEST = 0.3  # change of an unknown in one correction
TURN = 0.9  # the least cosine of the angle between tangents
SHORTEST = 1e-4  # of the first step
FOLD_NODES = 10  # of the polynomial of what vanishes at an event; an even number, so that none lies on the event
FLAT = 1e-7  # component of a tangent along the parameter that is none


@dataclass(frozen=True)
class Node:
    """A solution, its residual, the tangent of the curve, and the singular vectors of J that tell what happens next to it."""

    point: Point
    residual: float
    tangent: Array
    J: Array
    left: Array
    null: Array

    @property
    def size(self) -> float:
        """The largest singular value of J."""
        return float(np.linalg.norm(self.J, 2))

    def border(self, other: Node) -> float:
        """The determinant of J there bordered by what is null here: its sign, with the size of its least singular value."""
        matrix = np.vstack([self.left.T @ other.J, self.null.T])
        sizes = np.linalg.svd(matrix, compute_uv=False)
        sign, _ = np.linalg.slogdet(matrix)
        return float(sign * sizes[-1])


class Continuation:
    """Steps along the curve of solutions of a problem."""

    def __init__(self, problem: FamilyProblem) -> None:
        self.problem = problem

    def corrected(self, point: Point, along: Array) -> tuple[Point, float, int] | None:
        """Newton's method from `point`, across the direction `along`: the solution, its residual and how many iterations it
        took; None where it does not arrive."""
        before = np.inf
        for iteration in range(ITERATIONS):
            try:
                r, J = self.problem.equations(point)
            except PolhodeError:
                return None
            size = float(np.abs(r).max())
            if not np.isfinite(size):
                return None
            if size < self.problem.closed or (size < self.problem.accepted and size > 0.5 * before):
                return point, size, iteration
            before = size
            rows, goal = np.vstack([J, along]), np.append(-r, 0.0)
            step = np.asarray(np.linalg.lstsq(rows, goal, rcond=self.problem.lost)[0], dtype=np.float64)
            step *= min(1.0, LONGEST / max(float(np.abs(step).max()), LONGEST))
            try:
                point = self.problem.moved(point, step)
            except PolhodeError:
                return None
        return None

    def node(self, point: Point, residual: float, before: Array) -> Node:
        """The solution at `point`, with the tangent that is nearest to the direction `before`."""
        _, J = self.problem.equations(point)
        U, sizes, Vt = np.linalg.svd(J, full_matrices=True)
        rank = int(np.sum(sizes > self.problem.lost * sizes[0]))
        null = Vt[rank:].T
        tangent = null @ (null.T @ before)
        length = float(np.linalg.norm(tangent))
        return Node(point, residual, tangent / length if length > 0.0 else tangent, J, U[:, :rank], null)

    def first(self, point: Point, sign: float) -> Node:
        """The solution next to `point` with the same value of the parameter, and the tangent along which that grows (sign 1)
        or falls (−1)."""
        d = self.problem.dimension + len(point.further)
        along = np.append(np.zeros(d), 1.0)
        found = self.corrected(point, along)
        name = self.problem.parameter.name
        if found is None:
            raise PolhodeError(f"no member of the family was found at {name} = {point.value:.6g}, next to the start")
        node = self.node(found[0], found[1], sign * along)
        if not abs(node.tangent[-1]) > FLAT:
            raise PolhodeError(
                f"{name} does not change along the family from {point.value:.6g}: the start is at a fold, or nothing depends "
                f"on {name} there, or what is held fixes it"
            )
        return node

    def step(self, node: Node, length: float) -> tuple[Node, int] | None:
        """The solution at a distance along the tangent, and how many iterations it took; None where there is none near."""
        found = self.corrected(self.problem.moved(node.point, length * node.tangent), node.tangent)
        if found is None:
            return None
        there = self.node(found[0], found[1], node.tangent)
        return (there, found[2]) if there.tangent @ node.tangent > TURN else None

    def at_value(self, node: Node, value: float) -> Node | None:
        """The solution near `node` at a value of the parameter, the tangent being that of `node`."""
        amount = (value - node.point.value) / self.problem.parameter.unit / node.tangent[-1]
        guess = self.problem.moved(node.point, amount * node.tangent)
        along = np.append(np.zeros(len(node.tangent) - 1), 1.0)
        found = self.corrected(Point(guess.y, guess.further, value), along)
        return None if found is None else self.node(found[0], found[1], node.tangent)

    def fold(self, node: Node, length: float) -> float | None:
        """The distance of the fold within `length` of `node`: where the parameter has its extremum."""
        curve = self._interpolated(node, 0.5 * length, 0.7 * length, lambda at: at.point.value)
        return None if curve is None else self._root(curve.deriv(), 0.5 * length, 0.6 * length)

    def zero(self, node: Node, distance: float, width: float, read: Callable[[Node], float]) -> float | None:
        """The distance at which a smooth quantity vanishes, near a `distance` from `node` and not farther from that than
        `width`."""
        curve = self._interpolated(node, distance, width, read)
        return None if curve is None else self._root(curve, distance, width)

    def _interpolated(self, node: Node, middle: float, width: float, read: Callable[[Node], float]) -> Any:
        """The polynomial through a quantity at distances about `middle` from `node`."""
        s = middle - width * np.cos(np.pi * (np.arange(FOLD_NODES) + 0.5) / FOLD_NODES)
        found = [self.at(node, float(x)) for x in s]
        values = [read(at) for at in found if at is not None]
        return np.polynomial.Chebyshev.fit(s, values, FOLD_NODES - 1) if len(values) == len(s) else None

    def _root(self, curve: Any, middle: float, width: float) -> float | None:
        """Where a polynomial vanishes, nearest to `middle`."""
        roots = [float(x.real) for x in curve.roots() if abs(x.imag) < 1e-6 * width]
        near = min(roots, key=lambda x: abs(x - middle), default=np.inf)
        return near if abs(near - middle) < width else None

    def where(
        self, node: Node, near: float, far: float, test: Callable[[Node], float], precision: float
    ) -> float | None:
        """At which distance from `node`, between two, `test` changes its sign: by the method of Brent."""
        from scipy.optimize import brentq

        def value(s: float) -> float:
            at = self.at(node, near + s * (far - near))
            if at is None:
                raise PolhodeError("no solution here")
            return test(at)

        try:
            return near + (far - near) * float(brentq(value, 0.0, 1.0, xtol=precision))
        except (PolhodeError, ValueError):
            return None

    def branch(self, node: Node, length: float) -> float | None:
        """The distance of the branch point within `length` of `node`."""
        return self.where(node, 0.0, length, node.border, 1e-10)

    def at(self, node: Node, distance: float) -> Node | None:
        """The solution at a distance along the tangent of `node`."""
        return self.off(node, node.tangent, distance)

    def off(self, node: Node, direction: Array, distance: float) -> Node | None:
        """The solution at a distance from `node` along a direction that need not be its tangent."""
        found = self.corrected(self.problem.moved(node.point, distance * direction), direction)
        return None if found is None else self.node(found[0], found[1], direction)
