"""Vectors and 3×3 matrices as tuples of scalars: a vector is (x, y, z), a matrix its nine entries row by row.

Symmetric matrices, such as an inertia, are six numbers (xx, yy, zz, yz, xz, xy).
"""

from __future__ import annotations

from typing import Any

from ..scalars import kernel, multiply_add, value

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
def add_scaled(a: Vector, s: Any, b: Vector) -> Vector:
    """`a + s b`."""
    return multiply_add(s, b[0], a[0]), multiply_add(s, b[1], a[1]), multiply_add(s, b[2], a[2])


@kernel
def negate(a: Vector) -> Vector:
    """`−a`."""
    return -a[0], -a[1], -a[2]


@kernel
def sum_of_products(a: Any, x: Any, b: Any, y: Any, c: Any, z: Any) -> Any:
    """`a x + b y + c z`."""
    return multiply_add(c, z, multiply_add(b, y, a * x))


@kernel
def dot(a: Vector, b: Vector) -> Any:
    """`a·b`."""
    return sum_of_products(a[0], b[0], a[1], b[1], a[2], b[2])


@kernel
def difference_of_products(a: Any, b: Any, c: Any, d: Any) -> Any:
    """`a b − c d`."""
    return multiply_add(a, b, -(c * d))


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """`a × b`."""
    return (
        difference_of_products(a[1], b[2], a[2], b[1]),
        difference_of_products(a[2], b[0], a[0], b[2]),
        difference_of_products(a[0], b[1], a[1], b[0]),
    )


@kernel
def apply(A: Matrix, x: Vector) -> Vector:
    """`A x`."""
    return dot(A[0:3], x), dot(A[3:6], x), dot(A[6:9], x)


@kernel
def apply_transposed(A: Matrix, x: Vector) -> Vector:
    """`Aᵀ x`."""
    return (
        sum_of_products(A[0], x[0], A[3], x[1], A[6], x[2]),
        sum_of_products(A[1], x[0], A[4], x[1], A[7], x[2]),
        sum_of_products(A[2], x[0], A[5], x[1], A[8], x[2]),
    )


@kernel
def apply_symmetric(J: Symmetric, x: Vector) -> Vector:
    """`J x` for a symmetric matrix."""
    return (
        sum_of_products(J[0], x[0], J[5], x[1], J[4], x[2]),
        sum_of_products(J[5], x[0], J[1], x[1], J[3], x[2]),
        sum_of_products(J[4], x[0], J[3], x[1], J[2], x[2]),
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
    return apply_transposed(B, A[0:3]) + apply_transposed(B, A[3:6]) + apply_transposed(B, A[6:9])


@kernel
def solve(A: Matrix, b: Vector) -> tuple[Vector, Any]:
    """The solution x of `A x = b` by cofactors, and det A."""
    first, second, third = A[0:3], A[3:6], A[6:9]
    cofactors = cross(second, third)
    determinant = dot(first, cofactors)
    columns = cross(third, first), cross(first, second)
    d = 1.0 / determinant
    x = sum_of_products(cofactors[0], b[0], columns[0][0], b[1], columns[1][0], b[2]) * d
    y = sum_of_products(cofactors[1], b[0], columns[0][1], b[1], columns[1][1], b[2]) * d
    z = sum_of_products(cofactors[2], b[0], columns[0][2], b[1], columns[1][2], b[2]) * d
    return (x, y, z), determinant


@kernel
def times_hat(R: Matrix, omega: Vector) -> Matrix:
    """`R S(ω)`, the derivative of an attitude that turns at the body rate ω: row r of it is r × ω."""
    return cross(R[0:3], omega) + cross(R[3:6], omega) + cross(R[6:9], omega)
