"""The one kernel that systems call: it reads which interaction a block of parameters holds, and evaluates it."""

from __future__ import annotations

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
    """U, ∂U/∂X and M at the relative position X and attitude R, all in frame 2; see the package's page."""
    # Numba compiles a function anew for every literal it is called with; a sum is no literal
    i, j = at + 0, w + 0
    kind = par_int(p, i, S)
    if kind == SECOND_ORDER:
        return second_order(S, X, R, p, i, work, j)
    if kind == EXPANSION:
        return expansion(S, X, R, p, i, work, j)
    if kind == POLYHEDRON:
        return polyhedron_points(S, X, R, p, i, work, j)
    if kind == POLYHEDRON_FIRST:
        return points_polyhedron(S, X, R, p, i, work, j)
    if kind == POLYHEDRON_PAIR:
        return polyhedron_pair(S, X, R, p, i, work, j)
    return points_points(S, X, R, p, i, work, j)


@kernel
def moment_on_second(X: Vector, F: Vector, M: Vector) -> Vector:
    """The moment that body 1 exerts on body 2, in frame 2: `X × ∂U/∂X + M` (equations 56 and 64 of [LLM07])."""
    return add(cross(X, F), M)


@kernel
def mutual_inertial(
    S: Any, x1: Vector, R1: Matrix, x2: Vector, R2: Matrix, p: Any, at: int, work: Any, w: int
) -> tuple[Any, Vector, Vector, Vector]:
    """The same pair seen from the inertial frame: U, ∂U/∂x₁ = −∂U/∂x₂, and the moments M₁, M₂ of (24) of [LLM07], each
    in its own body's frame."""
    X = apply_transposed(R2, subtract(x1, x2))
    U, F, M = mutual(S, X, multiply(transpose(R2), R1), p, at, work, w)
    M1 = apply_transposed(R1, apply(R2, negate(M)))
    return U, apply(R2, F), M1, moment_on_second(X, F, M)


@compiled
def evaluate(S: Any, y: Any, p: Any, work: Any, out: Any) -> None:
    """From Python: U, ∂U/∂X and M, to `out`, of X and R in `y`."""
    U, F, M = mutual(S, get3(y, PLACE, S), get9(y, ATTITUDE, S), p, 0, work, 0)
    put(out, POTENTIAL, S, U)
    put3(out, FORCE, S, F)
    put3(out, MOMENT, S, M)


@compiled
def energies(S: Any, samples: Any, p: Any, y: Any, U: Any) -> None:
    """U of every row (X, R) of `samples`; `y` has room for one row and the workspace behind it."""
    for row in range(samples.shape[0]):
        y[:SEEN_SIZE] = samples[row, :SEEN_SIZE]
        U[row] = mutual(S, get3(y, PLACE, S), get9(y, ATTITUDE, S), p, 0, y, SEEN_SIZE)[0]
