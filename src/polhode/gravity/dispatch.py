"""Which kernel evaluates an interaction: its own, or, for bodies whose pairs differ in kind, one that branches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from ..core.parameters import ParameterLayout
from ..geometry.vectors import (
    Matrix,
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    multiply,
    negate,
    subtract,
    transpose,
)
from ..scalars import compiled, get3, get9, kernel, put, put3
from ..scalars.protocol import par_int
from .expansion import expansion
from .points import points_points
from .polyhedron import points_polyhedron, polyhedron_points
from .polyhedron_pair import polyhedron_pair
from .second_order import second_order

# the first number of a block
POINTS, SECOND_ORDER, EXPANSION, POLYHEDRON, POLYHEDRON_FIRST, POLYHEDRON_PAIR = range(6)
SEEN = ParameterLayout(X=3, R=9)  # a relative position and attitude, and what is found there
FOUND = ParameterLayout(U=1, F=3, M=3)
PLACE, ATTITUDE = SEEN.offsets("X", "R")
SEEN_SIZE = SEEN.size
POTENTIAL, FORCE, MOMENT = FOUND.offsets("U", "F", "M")


@kernel
def mutual(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M of whichever interaction the block holds: for bodies whose pairs differ in kind."""
    kind = par_int(p, at, S)
    if kind == SECOND_ORDER:
        return second_order(S, X, R, p, at, work, w)
    if kind == EXPANSION:
        return expansion(S, X, R, p, at, work, w)
    if kind == POLYHEDRON:
        return polyhedron_points(S, X, R, p, at, work, w)
    if kind == POLYHEDRON_FIRST:
        return points_polyhedron(S, X, R, p, at, work, w)
    if kind == POLYHEDRON_PAIR:
        return polyhedron_pair(S, X, R, p, at, work, w)
    return points_points(S, X, R, p, at, work, w)


_KERNELS = {
    POINTS: points_points,
    SECOND_ORDER: second_order,
    EXPANSION: expansion,
    POLYHEDRON: polyhedron_points,
    POLYHEDRON_FIRST: points_polyhedron,
    POLYHEDRON_PAIR: polyhedron_pair,
}


def kernel_for(kinds: Iterable[int]) -> Any:
    """The kernel for interactions of these kinds. Of one kind it is that kind's own: what else there is need not be compiled,
    and is not in its way."""
    found = set(kinds) or {POINTS}
    return _KERNELS[found.pop()] if len(found) == 1 else mutual


@kernel
def relative_gravity(
    S: Any, gravity: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int
) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M at the relative position X and attitude R, all in frame 2; see the package's page."""
    # Numba compiles a function anew for every literal it is called with; a sum is no literal
    return gravity(S, X, R, p, at + 0, work, w + 0)


@kernel
def moment_on_second(X: Vector, F: Vector, M: Vector) -> Vector:
    """The moment that body 1 exerts on body 2, in frame 2: `X × ∂U/∂X + M` (equations 56 and 64 of [LLM07])."""
    return add(cross(X, F), M)


@kernel
def inertial_gravity(
    S: Any, gravity: Any, x1: Vector, R1: Matrix, x2: Vector, R2: Matrix, p: Any, at: int, work: Any, w: int
) -> tuple[Any, Vector, Vector, Vector]:
    """The same pair seen from the inertial frame: U, ∂U/∂x₁ = −∂U/∂x₂, and the moments M₁, M₂ of (24) of [LLM07], each
    in its own body's frame."""
    X = apply_transposed(R2, subtract(x1, x2))
    U, F, M = relative_gravity(S, gravity, X, multiply(transpose(R2), R1), p, at, work, w)
    M1 = apply_transposed(R1, apply(R2, negate(M)))
    return U, apply(R2, F), M1, moment_on_second(X, F, M)


@cache
def evaluator(gravity: Any) -> Any:
    """From Python: U, ∂U/∂X and M, to `out`, of X and R in `y`."""

    @compiled
    def evaluate(S: Any, y: Any, p: Any, work: Any, out: Any) -> None:
        U, F, M = relative_gravity(S, gravity, get3(y, PLACE, S), get9(y, ATTITUDE, S), p, 0, work, 0)
        put(out, POTENTIAL, S, U)
        put3(out, FORCE, S, F)
        put3(out, MOMENT, S, M)

    return evaluate


@cache
def potentials(gravity: Any) -> Any:
    """From Python: U of every row (X, R) of `samples`; `y` has room for one row and the workspace behind it."""

    @compiled
    def energies(S: Any, samples: Any, p: Any, y: Any, U: Any) -> None:
        for row in range(samples.shape[0]):
            for e in range(SEEN_SIZE):  # compiles in a tenth of the time of a slice
                y[e] = samples[row, e]
            place, attitude = get3(y, PLACE, S), get9(y, ATTITUDE, S)
            U[row] = relative_gravity(S, gravity, place, attitude, p, 0, y, SEEN_SIZE)[0]

    return energies
