"""Matrices of linearised motions across symmetries and within the values of conserved quantities.

Each symmetry and each conserved quantity gives an eigenvalue 0 of the linearised motion, or 1 of the tangent map after a
period, in Jordan blocks: rounding of size ε moves these eigenvalues by √ε, off the imaginary axis or the unit circle.
Therefore they are taken out before eigenvalues are computed: a matrix A that has the left null vectors l and the right
null vectors r is restricted to the vectors that l annihilates, modulo r.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NULL = 1e-8  # of the largest: singular values below this count as zero
INSIDE = 1e-6  # the change of a conserved quantity along a symmetry, both of length one, that is none
ROUNDING = 1e-16  # of the largest: entries that are none
DEFECTIVE = 1e-8  # the least product of a left and a right eigenvector that is used


def across_motion(change: Array, momenta: Array, turns: Array, slopes: Array, along: Array) -> tuple[Array, float]:
    """`change`, the tangent map after a period minus one, across the motion `along` and the symmetries `turns` (dimension,
    count), and within the values of the `momenta` and of what has the `slopes` (count, dimension); and the error of that matrix.

    Where a method conserves the energy only nearly, `along` and `slopes` are not null vectors of `change`, but some next to
    them are: those of the energy that it does conserve. These are taken.
    """
    rows = _unit_rows(momenta)
    basis, inside = _across(rows, _unit_rows(turns.T).T)
    error = max(_largest(rows @ change), _largest(change @ inside))
    inner = np.asarray(basis.T @ change @ basis)
    left = np.array([_near_null(inner.T, each @ basis) for each in slopes if _matters(each, basis)])
    right = _near_null(inner, basis.T @ along)[:, None] if _matters(along, basis) else np.zeros((len(inner), 0))
    left = left.reshape(-1, len(inner))
    return compressed(inner, left, right), max(error, _largest(left @ inner), _largest(inner @ right))


def without_kernel(matrix: Array, zero: float) -> Array:
    """A matrix without its eigenvalue 0, which symmetries and conserved quantities make: within the values of the linear
    functions that it conserves, and across its null vectors; as often as there are any. Singular values up to `zero`
    count as zero."""
    while matrix.size:
        left, sizes, right = np.linalg.svd(matrix)
        null = sizes <= zero
        if not null.any():
            break
        matrix = compressed(matrix, left[:, null].T, right[null].T)
    return matrix


def eigenvalues(matrix: Array) -> NDArray[np.complex128]:
    """The eigenvalues, by growing real part."""
    found = np.linalg.eigvals(matrix).astype(np.complex128)
    return np.asarray(found[np.lexsort((found.imag, found.real))])


def eigenvectors(matrix: Array) -> tuple[NDArray[np.complex128], NDArray[np.complex128], NDArray[np.complex128]]:
    """The eigenvalues, and the left and right eigenvectors as columns. Entries that only rounding makes count as zeros:
    LAPACK would choose the units of the variables so that they count."""
    from scipy.linalg import eig

    values, left, right = eig(
        np.where(np.abs(matrix) > ROUNDING * _largest(matrix), matrix, 0.0), left=True, right=True
    )
    return tuple(np.asarray(each, np.complex128) for each in (values, left, right))  # type: ignore[return-value]


def eigenvalues_and_conditions(matrix: Array) -> tuple[NDArray[np.complex128], Array]:
    """The eigenvalues, and by how much each moves per change of the matrix; next to a Jordan block by much."""
    if not matrix.size:
        return np.zeros(0, np.complex128), np.zeros(0)
    values, left, right = eigenvectors(matrix)
    products = np.abs(np.sum(left.conj() * right, axis=0))
    return values, np.asarray(1.0 / np.maximum(products, DEFECTIVE))


def compressed(matrix: Array, rows: Array, columns: Array) -> Array:
    """A matrix on the vectors that `rows` annihilate, up to those of them that `columns` span."""
    basis, _ = _across(rows, columns)
    return np.asarray(basis.T @ matrix @ basis)


def _across(rows: Array, columns: Array) -> tuple[Array, Array]:
    """A basis of the vectors that `rows` annihilate, up to those of them that `columns` span; and the latter."""
    inside = columns @ null_space(rows @ columns, INSIDE)
    return null_space(np.vstack([rows, _unit_rows(inside.T)])), inside


def null_space(rows: Array, zero: float | None = None) -> Array:
    """An orthonormal basis of the vectors that all rows annihilate, as columns. Singular values up to
    `zero` count as zero, by default those up to a small part of the largest."""
    if rows.size == 0:
        return np.eye(rows.shape[1])
    _, sizes, directions = np.linalg.svd(rows)
    least = NULL * max(sizes[0], 1e-300) if zero is None else zero
    return np.asarray(directions[int(np.sum(sizes > least)) :].T)


def _near_null(matrix: Array, guess: Array) -> Array:
    """The vector of length one next to `guess` that `matrix` maps to less, from its least singular values."""
    guess = guess / np.linalg.norm(guess)
    _, sizes, directions = np.linalg.svd(matrix)
    least = directions[sizes <= max(float(np.linalg.norm(matrix @ guess)), sizes[-1])]
    found = least.T @ (least @ guess)
    return np.asarray(found / np.linalg.norm(found))


def _matters(vector: Array, basis: Array) -> bool:
    """Whether a vector has a part along a basis."""
    return bool(np.linalg.norm(vector @ basis) > INSIDE * np.linalg.norm(vector))


def _unit_rows(rows: Array) -> Array:
    """Rows of length one, without those that vanish beside the others."""
    lengths = np.linalg.norm(rows, axis=1)
    kept = lengths > NULL * lengths.max(initial=0.0)
    return np.asarray(rows[kept] / lengths[kept, None])


def _largest(matrix: Array) -> float:
    return float(np.abs(matrix).max(initial=0.0))
