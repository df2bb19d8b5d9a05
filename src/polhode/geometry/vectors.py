"""Vectors and 3×3 matrices as tuples of scalars: a vector is (x, y, z), a matrix its nine entries row by row.

Symmetric matrices, such as an inertia, are six numbers (xx, yy, zz, yz, xz, xy).
"""

from __future__ import annotations

from typing import Any

from ..scalars import kernel, value

# Scalars are doubles, lanes, duals or NumPy arrays; tuples of them have no better name in the type system.
Vector = tuple[Any, Any, Any]
Matrix = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any]
Symmetric = tuple[Any, Any, Any, Any, Any, Any]


@kernel
def values3(x: Vector) -> Vector:
    """x without its partials."""
    return value(x[0]), value(x[1]), value(x[2])


@kernel
def values6(x: Symmetric) -> Symmetric:
    """x without its partials."""
    return value(x[0]), value(x[1]), value(x[2]), value(x[3]), value(x[4]), value(x[5])


@kernel
def values9(x: Matrix) -> Matrix:
    """x without its partials."""
    return values3(x[0:3]) + values6(x[3:9])


@kernel
def add(a: Vector, b: Vector) -> Vector:
    """`a + b`."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def subtract(a: Vector, b: Vector) -> Vector:
    """`a − b`."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def scale(s: Any, a: Vector) -> Vector:
    """`s a`."""
    return s * a[0], s * a[1], s * a[2]


@kernel
def negate(a: Vector) -> Vector:
    """`−a`."""
    return -a[0], -a[1], -a[2]


@kernel
def dot(a: Vector, b: Vector) -> Any:
    """`a·b`."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """`a × b`."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def apply(A: Matrix, x: Vector) -> Vector:
    """`A x`."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@kernel
def apply_transposed(A: Matrix, x: Vector) -> Vector:
    """`Aᵀ x`."""
    return (
        A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
        A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
        A[2] * x[0] + A[5] * x[1] + A[8] * x[2],
    )


@kernel
def apply_symmetric(J: Symmetric, x: Vector) -> Vector:
    """`J x` for a symmetric matrix."""
    return (
        J[0] * x[0] + J[5] * x[1] + J[4] * x[2],
        J[5] * x[0] + J[1] * x[1] + J[3] * x[2],
        J[4] * x[0] + J[3] * x[1] + J[2] * x[2],
    )


@kernel
def full(A: Symmetric) -> Matrix:
    """A symmetric matrix with all its entries."""
    return A[0], A[5], A[4], A[5], A[1], A[3], A[4], A[3], A[2]


@kernel
def transpose(A: Matrix) -> Matrix:
    """`Aᵀ`."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@kernel
def multiply(A: Matrix, B: Matrix) -> Matrix:
    """`A B`."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel
def solve(A: Matrix, b: Vector) -> tuple[Vector, Any]:
    """The solution x of `A x = b` by cofactors, and det A."""
    c0 = A[4] * A[8] - A[5] * A[7]
    c1 = A[5] * A[6] - A[3] * A[8]
    c2 = A[3] * A[7] - A[4] * A[6]
    determinant = A[0] * c0 + A[1] * c1 + A[2] * c2
    d = 1.0 / determinant
    x = (c0 * b[0] + (A[2] * A[7] - A[1] * A[8]) * b[1] + (A[1] * A[5] - A[2] * A[4]) * b[2]) * d
    y = (c1 * b[0] + (A[0] * A[8] - A[2] * A[6]) * b[1] + (A[2] * A[3] - A[0] * A[5]) * b[2]) * d
    z = (c2 * b[0] + (A[1] * A[6] - A[0] * A[7]) * b[1] + (A[0] * A[4] - A[1] * A[3]) * b[2]) * d
    return (x, y, z), determinant


@kernel
def times_hat(R: Matrix, omega: Vector) -> Matrix:
    """`R S(ω)`, the derivative of an attitude that turns at the body rate ω: row r of it is r × ω."""
    return cross(R[0:3], omega) + cross(R[3:6], omega) + cross(R[6:9], omega)
