"""The partial derivatives of 1/r that an expansion needs, by one stable recurrence.

`f(t) = 1/|X + t|`, as a power series in t, obeys `(r² + 2 X·t + t²) (t·∇f) = −(X·t + t²) f`. Its coefficient of
`xⁱ yʲ zᵏ`, n = i + j + k, times i! j! k!, is the recurrence (that of [DK01], for derivatives)

    n r² D_ijk = −(2n−1)(i x D_{i−1,j,k} + j y D_{i,j−1,k} + k z D_{i,j,k−1})
                 −(n−1)(i(i−1) D_{i−2,j,k} + j(j−1) D_{i,j−2,k} + k(k−1) D_{i,j,k−2}),      D_ijk = ∂xⁱ ∂yʲ ∂zᵏ (1/r).

Only k = 0, 1, 2 are kept, the last by Laplace's equation `D_{i,j,2} = −D_{i+2,j,0} − D_{i,j+2,0}`. Entry (k, l, j) of
degree l is at `w + (k (n+1) + l)(n+1) + j`, n the highest degree.

[DK01] Z.-H. Duan, R. Krasny, An adaptive treecode for computing nonbonded potential energy in classical molecular
systems, J. Comput. Chem. 22 (2001).
"""

from __future__ import annotations

from typing import Any

from ..geometry.vectors import Vector, dot
from ..scalars import get, kernel, put, sqrt


@kernel
def fill_derivatives(S: Any, X: Vector, n: int, work: Any, w: int) -> None:
    """Put `D_{l−k−j, j, k}` at X into the workspace, for degrees l ≤ n and k ≤ 2; takes 3 (n+1)² entries."""
    row = n + 1
    q = 1.0 / dot(X, X)
    put(work, w, S, sqrt(q))
    for l in range(1, n + 1):
        a = (1.0 - 2.0 * l) / l * q
        b = (1.0 - l) / l * q
        x, y, z = a * X[0], a * X[1], a * X[2]
        now = w + l * row
        last = now - row
        before = last - row
        # k = 0, from the end of x to the end of y: each sum has the terms that exist
        put(work, now, S, l * x * get(work, last, S))
        put(work, now + l, S, l * y * get(work, last + l - 1, S))
        if l > 1:
            f = l * (l - 1.0) * b
            put(work, now, S, get(work, now, S) + f * get(work, before, S))
            put(work, now + l, S, get(work, now + l, S) + f * get(work, before + l - 2, S))
        for j in range(1, l):
            i = l - j
            d = i * x * get(work, last + j, S) + j * y * get(work, last + j - 1, S)
            if i > 1:
                d = d + i * (i - 1.0) * b * get(work, before + j, S)
            if j > 1:
                d = d + j * (j - 1.0) * b * get(work, before + j - 2, S)
            put(work, now + j, S, d)
        # k = 1: one z, so no second derivative in z
        up = row * row
        for j in range(l):
            i = l - 1 - j
            d = z * get(work, last + j, S)
            if i > 0:
                d = d + i * x * get(work, last + up + j, S)
            if j > 0:
                d = d + j * y * get(work, last + up + j - 1, S)
            if i > 1:
                d = d + i * (i - 1.0) * b * get(work, before + up + j, S)
            if j > 1:
                d = d + j * (j - 1.0) * b * get(work, before + up + j - 2, S)
            put(work, now + up + j, S, d)
        for j in range(l - 1):
            put(work, now + 2 * up + j, S, -get(work, now + j, S) - get(work, now + j + 2, S))
