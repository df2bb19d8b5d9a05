"""One measurement's update of an error covariance, in compiled code: Joseph's form, for three numbers with equal noise.

With the innovation ν, H of the measurement and its noise r² on each axis, `S = H P Hᵀ + r²`, `K = P Hᵀ S⁻¹`:

    error = K ν,    P ↦ (1 − K H) P (1 − K H)ᵀ + r² K Kᵀ,    NIS = ν·S⁻¹ν.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.so3 import exp_, log_
from ..geometry.vectors import multiply, transpose
from ..scalars import compiled

Array = NDArray[np.float64]


@compiled
def joseph_update(P: Array, H: Array, r: float, innovation: Array, most: float, error: Array) -> float:
    """Change P (n×n) in place and write the `error` (n), where the NIS is at most `most`; return the NIS."""
    n = len(P)
    spread = np.empty((3, n))  # H P
    for i in range(3):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += H[i, k] * P[k, j]
            spread[i, j] = total
    S = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            total = r * r if i == j else 0.0
            for k in range(n):
                total += spread[i, k] * H[j, k]
            S[i, j] = total
    # Cholesky's factor L of S, in its lower half
    for j in range(3):
        for i in range(j, 3):
            total = S[i, j]
            for k in range(j):
                total -= S[i, k] * S[j, k]
            S[i, j] = np.sqrt(total) if i == j else total / S[j, j]
    nis = 0.0
    white = np.empty(3)  # L⁻¹ ν
    for i in range(3):
        total = innovation[i]
        for k in range(i):
            total -= S[i, k] * white[k]
        white[i] = total / S[i, i]
        nis += white[i] * white[i]
    if not nis <= most:
        return nis
    K = np.empty((n, 3))
    for j in range(n):
        for i in range(3):
            total = spread[i, j]
            for k in range(i):
                total -= S[i, k] * K[j, k]
            K[j, i] = total / S[i, i]
        for i in range(2, -1, -1):
            total = K[j, i]
            for k in range(i + 1, 3):
                total -= S[k, i] * K[j, k]
            K[j, i] = total / S[i, i]
    for j in range(n):
        error[j] = K[j, 0] * innovation[0] + K[j, 1] * innovation[1] + K[j, 2] * innovation[2]
    left, half = np.empty((n, n)), np.empty((n, n))  # 1 − K H, and that times P
    for i in range(n):
        for j in range(n):
            left[i, j] = (1.0 if i == j else 0.0) - (K[i, 0] * H[0, j] + K[i, 1] * H[1, j] + K[i, 2] * H[2, j])
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += left[i, k] * P[k, j]
            half[i, j] = total
    for i in range(n):
        for j in range(i + 1):
            total = r * r * (K[i, 0] * K[j, 0] + K[i, 1] * K[j, 1] + K[i, 2] * K[j, 2])
            for k in range(n):
                total += half[i, k] * left[j, k]
            P[i, j] = P[j, i] = total
    return nis


@compiled
def turned_attitude(R: Array, error: Array, found: Array) -> None:
    """`R exp S(δθ)` with δθ the first three numbers of the error."""
    Q = exp_((error[0], error[1], error[2]))
    for i in range(3):
        for j in range(3):
            found[i, j] = R[i, 0] * Q[j] + R[i, 1] * Q[3 + j] + R[i, 2] * Q[6 + j]


@compiled
def attitude_error(R: Array, truth: Array, found: Array) -> None:
    """The rotation vector δθ of `truth = R exp S(δθ)`."""
    A = (R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2])
    B = (
        truth[0, 0],
        truth[0, 1],
        truth[0, 2],
        truth[1, 0],
        truth[1, 1],
        truth[1, 2],
        truth[2, 0],
        truth[2, 1],
        truth[2, 2],
    )
    found[0], found[1], found[2] = log_(multiply(transpose(A), B))
