"""n × n matrices in a flat array: the loops that the mathematics on SO(n) is made of, for doubles, lanes and duals.

A matrix is given by the index of its first entry in `y`; its entries follow row by row, each as wide as the scalar `S`.
`c` is the result and must not overlap the operands. Every inner loop runs along rows, so that the compiler turns it into
vector instructions; a sum always has the same order, so that lanes and duals hold the bits of the run on doubles.

Eliminations do not pivot, since lanes could not do so one by one: they are for matrices whose symmetric part is positive
definite, where that is safe.
"""

from __future__ import annotations

from typing import Any

from ..scalars import compiled, get, put


@compiled
def fill(S: Any, y: Any, c: int, value: float, n: int) -> None:
    """`C = value · 1`, a multiple of the identity."""
    for i in range(n * n):
        put(y, c + i, S, 0.0)
    for i in range(n):
        put(y, c + i * n + i, S, value)


@compiled
def copy(S: Any, y: Any, c: int, a: int, n: int) -> None:
    """`C = A`."""
    for i in range(n * n):
        put(y, c + i, S, get(y, a + i, S))


@compiled
def transpose(S: Any, y: Any, c: int, a: int, n: int) -> None:
    """`C = Aᵀ`."""
    for i in range(n):
        for j in range(n):
            put(y, c + j * n + i, S, get(y, a + i * n + j, S))


@compiled
def add(S: Any, y: Any, c: int, a: int, n: int) -> None:
    """`C += A`."""
    for i in range(n * n):
        put(y, c + i, S, get(y, c + i, S) + get(y, a + i, S))


@compiled
def multiply(S: Any, y: Any, c: int, a: int, b: int, n: int) -> None:
    """`C = A B`, four rows of B at a time."""
    whole = n - n % 4
    for i in range(n):
        row, at = c + i * n, a + i * n
        for j in range(n):
            put(y, row + j, S, 0.0)
        for k in range(0, whole, 4):
            w, x, u, v = get(y, at + k, S), get(y, at + k + 1, S), get(y, at + k + 2, S), get(y, at + k + 3, S)
            b0 = b + k * n
            b1, b2, b3 = b0 + n, b0 + 2 * n, b0 + 3 * n
            for j in range(n):
                pairs = (w * get(y, b0 + j, S) + x * get(y, b1 + j, S)) + (
                    u * get(y, b2 + j, S) + v * get(y, b3 + j, S)
                )
                put(y, row + j, S, get(y, row + j, S) + pairs)
        for k in range(whole, n):
            w, b0 = get(y, at + k, S), b + k * n
            for j in range(n):
                put(y, row + j, S, get(y, row + j, S) + w * get(y, b0 + j, S))


@compiled
def multiply_transposed(S: Any, y: Any, c: int, a: int, b: int, n: int, symmetry: int) -> None:
    """`C = Aᵀ B`. Where the product is known to be symmetric (`symmetry` 1) or skew (−1), the upper half is computed
    and the other mirrored: half the work, and exactly so."""
    whole = n - n % 4
    for i in range(n):
        row = c + i * n
        first = i if symmetry != 0 else 0
        for j in range(first, n):
            put(y, row + j, S, 0.0)
        for k in range(0, whole, 4):
            at = a + k * n + i
            w, x, u, v = get(y, at, S), get(y, at + n, S), get(y, at + 2 * n, S), get(y, at + 3 * n, S)
            b0 = b + k * n
            b1, b2, b3 = b0 + n, b0 + 2 * n, b0 + 3 * n
            for j in range(first, n):
                pairs = (w * get(y, b0 + j, S) + x * get(y, b1 + j, S)) + (
                    u * get(y, b2 + j, S) + v * get(y, b3 + j, S)
                )
                put(y, row + j, S, get(y, row + j, S) + pairs)
        for k in range(whole, n):
            w, b0 = get(y, a + k * n + i, S), b + k * n
            for j in range(first, n):
                put(y, row + j, S, get(y, row + j, S) + w * get(y, b0 + j, S))
    if symmetry == 0:
        return
    for i in range(n):
        if symmetry < 0:
            put(y, c + i * n + i, S, 0.0)
        for j in range(i + 1, n):
            put(y, c + j * n + i, S, symmetry * get(y, c + i * n + j, S))


@compiled
def invert(S: Any, y: Any, a: int, n: int) -> None:
    """`A ← A⁻¹` by Gauss and Jordan, without pivoting."""
    for k in range(n):
        pivot = 1.0 / get(y, a + k * n + k, S)
        put(y, a + k * n + k, S, 1.0)
        for j in range(n):
            put(y, a + k * n + j, S, pivot * get(y, a + k * n + j, S))
        for i in range(n):
            if i != k:
                factor = get(y, a + i * n + k, S)
                put(y, a + i * n + k, S, 0.0)
                for j in range(n):
                    put(y, a + i * n + j, S, get(y, a + i * n + j, S) - factor * get(y, a + k * n + j, S))
