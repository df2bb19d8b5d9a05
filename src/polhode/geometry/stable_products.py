"""Products that stay on the group, however many factors they have.

Rounding takes a product of rotations off the group a little more with each factor, and linearly so, since the bias of
the same operations adds up. Here each product is put back by one Newton step towards the group. That correction is of
the size of rounding and lies across the group, not along it: the motion is not touched, and a map keeps its symmetry,
its momenta and its symplectic form. Partial derivatives stay along the group by what they are made of: see `turned_partials`.
Rounding that takes them off it is magnified by products from both sides.

What is corrected is the error of the product *before*, not that of this one: a correction that answers the rounding of the
sum that it is added to decides how that sum is rounded, and so turns the result a little, always in the same direction.
With the error of the product before, roundings are a random walk, and each number is rounded once.

A body that spins steadily is turned by the same rotation F in every step, and nothing but the correction reaches what lies along
its axis. Two things would then add up step by step. The nine rounded entries of F are a little off the group, always alike: so a
rotation of a step is kept as the four numbers of `cayley_turn`, which turn a vector by a rotation whatever their rounding.
And numbers below 1 are rounded on a grid twice as fine as those above it, which would make corrections that lengthen a row
smaller than those that shorten it: see `strain`.

Flows use the kernels `turn_…`, which keep what the roundings lose beside the state (see `accumulate`): a composition of
several substeps rounds each number once, as a single step does.
"""

from __future__ import annotations

from typing import Any

from ..scalars import accumulate, accumulate3, accumulated3, get3, get4, get9, kernel, put3, put9, sqrt
from ..scalars.functions import overloads
from .quaternion import Quaternion, multiply_
from .turned_partials import (
    CAYLEY,
    Turn,
    matrix_with_partials,
    matrix_with_partials_of_both,
    turn_values,
    turn_with_vector,
    vector_with_partials,
    with_partials,
)
from .vectors import Matrix, Vector, add, add_scaled, apply_transposed, cross, dot, scale, transpose, values3, values9

NO_IMPULSE = (0.0, 0.0, 0.0)


@kernel
def cayley_increment(c: Vector) -> Matrix:
    """`F − 1 = 2 (S(c) + S(c)²)/(1 + c·c)` for the rotation with Cayley parameter c, without cancellation."""
    x, y, z = c
    xx, yy, zz, yz, xz, xy = x * x, y * y, z * z, y * z, x * z, x * y
    d = 2.0 / (1.0 + (xx + yy + zz))
    return (
        -d * (yy + zz),
        d * (xy - z),
        d * (xz + y),
        d * (xy + z),
        -d * (xx + zz),
        d * (yz - x),
        d * (xz - y),
        d * (yz + x),
        -d * (xx + yy),
    )


@kernel
def cayley_turn(c: Vector) -> Turn:
    """`g = 2 c/(1 + c·c)`, the axial vector of the rotation F with Cayley parameter c (`F − Fᵀ = 2 S(g)`), and c·c."""
    cc = dot(c, c)
    d = 2.0 / (1.0 + cc)
    return turn_with_vector((d * c[0], d * c[1], d * c[2], cc), c)


@kernel
def change_by_cayley(v: Vector, turn: Turn) -> Vector:
    """`Fᵀv − v = t + (1 + c·c) t×g/2`, `t = v×g`."""
    g = turn[0:3]
    t = cross(v, g)
    w = cross(t, scale(0.5, g))
    return add(t, add_scaled(w, turn[3], w))


@kernel
def change_by_matrix(v: Vector, E: Matrix) -> Vector:
    """`Eᵀ v` with `E = F − 1`."""
    return apply_transposed(E, v)


def change_of_vector(v: Vector, turn: Turn) -> Vector:
    """`Fᵀ v − v`, without partials."""
    return change_by_cayley(v, turn) if len(turn) == CAYLEY else change_by_matrix(v, turn)  # type: ignore[no-any-return]


@overloads(change_of_vector)
def _change_of_vector(v: Any, turn: Any) -> Any:
    by_cayley = len(turn) == CAYLEY
    return (lambda v, turn: change_by_cayley(v, turn)) if by_cayley else (lambda v, turn: change_by_matrix(v, turn))


@kernel
def turned_back(turn: Turn, v: Vector) -> Vector:
    """`Fᵀ v`."""
    x = values3(v)
    return vector_with_partials(add(x, change_of_vector(x, turn_values(turn))), v, turn)


@kernel
def turn_vector(S: Any, y: Any, at: Any, turn: Turn) -> None:
    """`v ↦ Fᵀ v` for the vector at this place in y."""
    v = get3(y, at, S)
    turned = values3(accumulated3(y, at, S, change_of_vector(values3(v), turn_values(turn))))
    put3(y, at, S, vector_with_partials(turned, v, turn))


@kernel
def push_and_turn(S: Any, y: Any, at: Any, turn: Turn, before: Vector, after: Vector) -> None:
    """`v ↦ Fᵀ(v + before) + after`, for impulses that are small beside v."""
    pushed = add(get3(y, at, S), before)
    turning = change_of_vector(values3(pushed), turn_values(turn))
    change = add(add(values3(before), values3(after)), turning)
    end = values3(accumulated3(y, at, S, change))
    turned = vector_with_partials(add(values3(pushed), turning), pushed, turn)
    put3(y, at, S, with_partials(end, add(turned, after)))


@kernel
def strain(x: Vector) -> Any:
    """`(1 − |x|²)/2`: by how much of itself a vector has to grow to be a unit vector. The sum is 3/2, not 1: there rounding
    has the same grid on both sides."""
    return 0.75 - 0.5 * ((0.5 + x[0] * x[0]) + (x[1] * x[1] + x[2] * x[2]))


@kernel
def change_of_rows(before_a: Vector, before_b: Vector, turn: Turn) -> tuple[Vector, Vector]:
    """What the first two rows of R change by in R F, put back onto the group; without partials.

    The first two rows a, b of R F become `a (3 − α)/2 − b γ/2` and `b (3 − β)/2 − a γ/2` with α = a·a, β = b·b, γ = a·b;
    the third is their cross product. F does not change α, β, γ, so they are taken from R.
    """
    da, db = change_of_vector(before_a, turn), change_of_vector(before_b, turn)
    along_a, along_b, across = strain(before_a), strain(before_b), -0.5 * dot(before_a, before_b)
    a, b = add(before_a, da), add(before_b, db)
    return (
        add(da, add_scaled(scale(along_a, a), across, b)),
        add(db, add_scaled(scale(along_b, b), across, a)),
    )


@kernel
def compose_values(R: Matrix, turn: Turn) -> Matrix:
    """`R F` for rotation matrices without partials."""
    a, b = R[0:3], R[3:6]
    da, db = change_of_rows(a, b, turn)
    u, v = add(a, da), add(b, db)
    return u + v + cross(u, v)


@kernel
def compose(R: Matrix, turn: Turn) -> Matrix:
    """`R F` for rotation matrices."""
    return matrix_with_partials(compose_values(values9(R), turn_values(turn)), R, turn)


@kernel
def compose_from_both_sides(left: Turn, R: Matrix, right: Turn) -> Matrix:
    """`Gᵀ R F` for rotation matrices, F the turn on the right and G that on the left."""
    product = compose_values(values9(R), turn_values(right))
    product = transpose(compose_values(transpose(product), turn_values(left)))
    return matrix_with_partials_of_both(product, left, R, right)


@kernel
def turn_matrix(S: Any, y: Any, at: Any, turn: Turn) -> None:
    """`R ↦ R F` for the rotation matrix at this place in y: add to the first two rows; the third is their cross product."""
    R = get9(y, at, S)
    da, db = change_of_rows(values3(R[0:3]), values3(R[3:6]), turn_values(turn))
    a, b = values3(accumulated3(y, at, S, da)), values3(accumulated3(y, at + 3, S, db))
    put9(y, at, S, matrix_with_partials(a + b + cross(a, b), R, turn))


@kernel
def cayley_increment_quaternion(c: Vector) -> Quaternion:
    """`f − 1` for the unit quaternion f with Cayley parameter c, without cancellation."""
    cc = dot(c, c)
    s = 1.0 / sqrt(1.0 + cc)
    return s * c[0], s * c[1], s * c[2], -cc * s * s / (1.0 + s)


@kernel
def change_of_quaternion(q: Quaternion, e: Quaternion) -> Quaternion:
    """What a unit quaternion q changes by in q f, with `e = f − 1`; q f is scaled by `(3 − |q|²)/2`."""
    dx, dy, dz, dw = multiply_(q, e)
    s = 0.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return dx + s * (q[0] + dx), dy + s * (q[1] + dy), dz + s * (q[2] + dz), dw + s * (q[3] + dw)


@kernel
def turn_vector_alike(S: Any, y: Any, at: Any, e: Quaternion) -> None:
    """`v ↦ f̄ v f` with `e = f − 1` for the vector at this place in y: what a quaternion is turned by, and its vectors, is
    then rounded alike."""
    turn = e[0:3]
    u = cross(get3(y, at, S), turn)
    accumulate3(y, at, S, scale(2.0, add(u, add(scale(e[3], u), cross(u, turn)))))


@kernel
def turn_quaternion(S: Any, y: Any, at: Any, e: Quaternion) -> None:
    """`q ↦ q f` with `e = f − 1` for the unit quaternion at this place in y."""
    change = change_of_quaternion(get4(y, at, S), e)
    accumulate3(y, at, S, change[0:3])
    accumulate(y, at + 3, S, change[3])
