"""Partial derivatives of what is turned, as rotation vectors: three numbers where a matrix has nine.

A rotation F that depends on something stays on the group, so `∂F = F S(w)` with a vector w; an attitude R has `∂R = S(η) R`. By
these vectors the product rule is

    v′ = Fᵀ v       ∂v′ = Fᵀ ∂v + v′ × w,
    R′ = Gᵀ R F     η′ = Gᵀ η + R′ w_F − w_G,

and v′ and R′ themselves are found without partials (see `stable_products`). The partials of R′ are `S(η′) R′`, and η is read
from two rows of ∂R such that nothing across the group enters: what rounding adds there is gone after one product.

For the rotation with Cayley parameter c, `w = 2 (∂c − c × ∂c)/(1 + c·c)`.

In the kernels below w and η are duals of which only the partials count. They are linear in the partials, with factors that are
plain numbers: half the work of a product of duals.
"""

from __future__ import annotations

from typing import Any

from ..scalars import Dual, attach, kernel, value
from ..scalars.functions import overloads
from .vectors import (
    Matrix,
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    scale,
    subtract,
    values3,
    values9,
)

# The rotation F of a step: g and c·c (see `cayley_turn`), with w behind them where they have partials; or the nine entries of F − 1.
Turn = tuple[Any, ...]
CAYLEY, CAYLEY_WITH_VECTOR, INCREMENT = 4, 7, 9

NO_VECTOR = (0.0, 0.0, 0.0)


@kernel
def vector_of_cayley(c: Vector) -> Vector:
    """w of the rotation with Cayley parameter c."""
    x = values3(c)
    return scale(2.0 / (1.0 + dot(x, x)), add(c, cross(c, x)))


@kernel
def rotation_by_increment(E: Matrix) -> Matrix:
    """`F = 1 + E`."""
    return 1.0 + E[0], E[1], E[2], E[3], 1.0 + E[4], E[5], E[6], E[7], 1.0 + E[8]


@kernel
def vector_of_increment(E: Matrix) -> Vector:
    """w from `E = F − 1`, the axial vector of `Fᵀ ∂F`: half the sum of ∂f × f over the rows f of F."""
    F = rotation_by_increment(values9(E))
    return scale(0.5, add(add(cross(E[0:3], F[0:3]), cross(E[3:6], F[3:6])), cross(E[6:9], F[6:9])))


@kernel
def rotation_by_cayley(turn: Turn) -> Matrix:
    """`F = 1 + S(g) + (1 + c·c)/2 S(g)²`."""
    x, y, z = turn[0:3]
    s = 0.5 + 0.5 * turn[3]
    u, v, w = s * x, s * y, s * z
    xx, yy, zz, yz, xz, xy = u * x, v * y, w * z, v * z, u * z, u * y
    return 1.0 - (yy + zz), xy - z, xz + y, xy + z, 1.0 - (xx + zz), yz - x, xz - y, yz + x, 1.0 - (xx + yy)


@kernel
def attitude_vector(R: Matrix) -> Vector:
    """η, from the first two rows of ∂R: the third row of R is their cross product."""
    r = values9(R)
    a, b, c = r[0:3], r[3:6], r[6:9]
    return -dot(c, R[3:6]), dot(c, R[0:3]), 0.5 * (dot(a, R[3:6]) - dot(b, R[0:3]))


@kernel
def with_partials(x: Vector, like: Vector) -> Vector:
    """The plain numbers x with the partials of `like`."""
    return attach(x[0], -like[0]), attach(x[1], -like[1]), attach(x[2], -like[2])


@kernel
def with_attitude_vector(R: Matrix, eta: Vector) -> Matrix:
    """The plain R with the partials `S(η) R`."""
    x, y, z = eta
    a, b, c = R[0:3], R[3:6], R[6:9]
    return (
        with_partials(a, subtract(scale(y, c), scale(z, b)))
        + with_partials(b, subtract(scale(z, a), scale(x, c)))
        + with_partials(c, subtract(scale(x, b), scale(y, a)))
    )


# --- for any scalar: what has no partials is left as it is -------------------------------------------------------------------


def _has_partials(*numbers: Any) -> bool:
    return any(isinstance(number, Dual) for some in numbers for number in some)


def turn_with_vector(turn: Turn, c: Vector) -> Turn:
    """The numbers of `cayley_turn` for the Cayley parameter c, with w behind them where c has partials."""
    return turn


@overloads(turn_with_vector)
def _turn_with_vector(turn: Any, c: Any) -> Any:
    return (lambda turn, c: turn + vector_of_cayley(c)) if _has_partials(c) else (lambda turn, c: turn)


def turn_values(turn: Turn) -> Turn:
    """The rotation of a step without partials."""
    return turn


@overloads(turn_values)
def _turn_values(turn: Any) -> Any:
    if len(turn) == INCREMENT:
        return lambda turn: values9(turn)
    return lambda turn: (value(turn[0]), value(turn[1]), value(turn[2]), value(turn[3]))


def rotation_of(turn: Turn) -> Matrix:
    """F of a turn without partials."""
    return rotation_by_cayley(turn) if len(turn) == CAYLEY else rotation_by_increment(turn)  # type: ignore[arg-type]


@overloads(rotation_of)
def _rotation_of(turn: Any) -> Any:
    by_cayley = len(turn) == CAYLEY
    return (lambda turn: rotation_by_cayley(turn)) if by_cayley else (lambda turn: rotation_by_increment(turn))


def rotation_vector_of(turn: Turn) -> Vector:
    """w of the rotation of a step."""
    return NO_VECTOR


@overloads(rotation_vector_of)
def _rotation_vector_of(turn: Any) -> Any:
    if not _has_partials(turn):
        return lambda turn: NO_VECTOR
    with_vector = len(turn) == CAYLEY_WITH_VECTOR
    return (lambda turn: turn[4:7]) if with_vector else (lambda turn: vector_of_increment(turn))


def vector_with_partials(turned: Vector, v: Vector, turn: Turn) -> Vector:
    """The plain vector Fᵀv, which is `turned`, with its partials."""
    return turned


@overloads(vector_with_partials)
def _vector_with_partials(turned: Any, v: Any, turn: Any) -> Any:
    if not _has_partials(v, turn):
        return lambda turned, v, turn: turned

    def on_duals(turned: Any, v: Any, turn: Any) -> Any:
        F, w = rotation_of(turn_values(turn)), rotation_vector_of(turn)
        return with_partials(turned, add(apply_transposed(F, v), cross(turned, w)))

    return on_duals


def matrix_with_partials(product: Matrix, R: Matrix, turn: Turn) -> Matrix:
    """The plain matrix R F, which is the `product`, with its partials."""
    return product


@overloads(matrix_with_partials)
def _matrix_with_partials(product: Any, R: Any, turn: Any) -> Any:
    if not _has_partials(R, turn):
        return lambda product, R, turn: product

    def on_duals(product: Any, R: Any, turn: Any) -> Any:
        return with_attitude_vector(product, add(attitude_vector(R), apply(product, rotation_vector_of(turn))))

    return on_duals


def matrix_with_partials_of_both(product: Matrix, left: Turn, R: Matrix, right: Turn) -> Matrix:
    """The plain matrix GᵀR F, which is the `product`, with its partials; G is the turn on the left."""
    return product


@overloads(matrix_with_partials_of_both)
def _matrix_with_partials_of_both(product: Any, left: Any, R: Any, right: Any) -> Any:
    if not _has_partials(left, R, right):
        return lambda product, left, R, right: product

    def on_duals(product: Any, left: Any, R: Any, right: Any) -> Any:
        eta = apply_transposed(rotation_of(turn_values(left)), attitude_vector(R))
        by_turns = subtract(apply(product, rotation_vector_of(right)), rotation_vector_of(left))
        return with_attitude_vector(product, add(eta, by_turns))

    return on_duals
