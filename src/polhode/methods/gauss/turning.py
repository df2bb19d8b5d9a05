"""Turning by a rotation vector without square roots or branches: the functions of its square that occur, by series.

    S(z) = sin a / a,   C(z) = (1 − cos a) / a²,   K(z) = (a − sin a) / a³,      z = a²

A series for small angles and formulas for the double angle give them to rounding.
"""

from __future__ import annotations

from math import factorial
from typing import Any

from ...scalars import kernel, multiply_add

# ten terms, with signs: enough for a ≤ 1.25
_C = tuple((-1) ** n / factorial(2 * n + 2) for n in range(10))
_K = tuple((-1) ** n / factorial(2 * n + 3) for n in range(10))
C0, C1, C2, C3, C4, C5, C6, C7, C8, C9 = _C
K0, K1, K2, K3, K4, K5, K6, K7, K8, K9 = _K

LARGEST_ANGLE = 5.0  # of a stage from the middle of its step


@kernel
def small_turn(z: Any) -> tuple[Any, Any]:
    """C and K of a small angle whose square is z, in pairs of terms, which the processor computes side by side."""
    z2 = z * z
    z4 = z2 * z2
    z8 = z4 * z4
    c = multiply_add(z2, multiply_add(z, C3, C2), multiply_add(z, C1, C0))
    c = multiply_add(z4, multiply_add(z2, multiply_add(z, C7, C6), multiply_add(z, C5, C4)), c)
    k = multiply_add(z2, multiply_add(z, K3, K2), multiply_add(z, K1, K0))
    k = multiply_add(z4, multiply_add(z2, multiply_add(z, K7, K6), multiply_add(z, K5, K4)), k)
    return multiply_add(z8, multiply_add(z, C9, C8), c), multiply_add(z8, multiply_add(z, K9, K8), k)


@kernel
def doubled(z: Any, c: Any, k: Any) -> tuple[Any, Any]:
    """C and K of twice the angle whose square is z."""
    s = 1.0 - z * k
    return 0.5 * (s * s), 0.25 * multiply_add(s, c, k)


@kernel
def half_turn(z: Any) -> tuple[Any, Any]:
    """S and C of half the angle whose square is z, up to 10."""
    y = z * (1.0 / 64.0)
    c, k = small_turn(y)
    s = 1.0 - y * k
    s, c = s * (1.0 - y * c), s * s  # sin 2a = 2 sin a cos a, and 2 C(2a) = S(a)²
    return s * (1.0 - z * (1.0 / 32.0) * c), 0.5 * (s * s)


@kernel
def cosine_and_sine(a: Any) -> tuple[Any, Any]:
    """cos a and sin a, up to an angle of 2.5."""
    z = 0.25 * (a * a)
    c, k = small_turn(z)
    s = 1.0 - z * k
    return 1.0 - (2.0 * z) * (s * s), a * (s * (1.0 - z * c))
