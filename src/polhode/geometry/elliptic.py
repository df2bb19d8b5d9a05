"""Jacobi's elliptic functions and the elliptic integral of the third kind, by Landen's transformation.

`m` the parameter and `mc = 1 − m`; `n` the characteristic, in the circular case, `η = −m/n ≥ 0`,
`κ = √((1 − n)(1 + η))`. A descending transformation `k₁ = (1 − k′)/(1 + k′)` takes the third kind to itself (19.8.19 of
DLMF):

    P(v) = κ (Π(n; am v) − v) = 2 P₁ + (a multiple of v) − arg(cn v + i √(1 − n) sn v),

so that P is a multiple of v and the angle of a product of complex numbers: nothing is lost at large v, and no multiple of
π has to be counted. After a few levels k is zero, and the functions are circular.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..scalars import kernel

Array = NDArray[np.float64]


class Landen(NamedTuple):
    """The levels for a parameter and a characteristic: rows `k, 1 − k, √(1 − n)`; the last is the circular one.

    `rate` is π/2K, `linear` what P has per unit of v, and `whole` what κΠ has; `separatrix`: m = 1, where nothing is
    periodic.
    """

    levels: Array
    rate: float
    linear: float
    whole: float
    separatrix: bool


def descend(mc: Any, n: Any, eta: Any, sqrt: Callable[[Any], Any] = math.sqrt) -> Landen:
    """The levels of Landen's transformation for the complementary parameter `mc` and the characteristic n, `n = −m/η`;
    in the numbers of `sqrt`, if more digits than those of doubles are wanted on the way."""
    if mc < np.finfo(float).tiny:
        # K is infinite; P = arctan(√−n tanh v) − √−n v for n < 0; n = 1 is the other circular case, with κ = 0
        q = sqrt(-n) if n < 0 else 0.0
        whole = 1.0 / q if q > 0 else 0.0
        return Landen(np.array([[1.0, 0.0, float(q)]]), 0.0, -float(q), float(whole), True)
    kc, rate, weight = sqrt(mc), 1.0, 1.0
    whole = sqrt(1 - n) * eta / (sqrt(1 + eta) + 1)
    linear = -sqrt(1 - n)
    levels = []
    k = (1 - kc) / (1 + kc)
    while k > 1e-17:
        levels.append((float(k), float(2 * kc / (1 + kc)), float(sqrt(1 - n))))
        rho = sqrt(1 + eta)
        n *= ((1 + rho) / (1 + kc)) ** 2
        eta *= k / (1 + rho) ** 2
        kc = 2 * sqrt(kc) / (1 + kc)
        rate /= 1 + k
        k = (k / (1 + kc)) ** 2
        weight *= 2.0
        more = weight * rate * sqrt(1 - n) * eta / (sqrt(1 + eta) + 1)
        linear, whole = linear + more, whole + more
    levels.append((0.0, 1.0, float(sqrt(1 - n))))
    return Landen(np.array(levels), float(rate), float(linear), float(whole), False)


@kernel
def functions(v: float, landen: Landen) -> tuple[float, float, float, float, float]:
    """sn, cn, dn of v, and the cosine and sine of P(v) without the part that grows with v.

    cn and dn have their relative accuracy as mc → 0, where both become exponentially small.
    """
    levels = landen.levels
    if landen.separatrix:
        s, e = math.tanh(v), math.exp(-abs(v))
        c = 2.0 * e / (1.0 + e * e)
        size = math.hypot(1.0, levels[0, 2] * s)
        return s, c, c, 1.0 / size, levels[0, 2] * s / size
    x = landen.rate * v
    s, c, d = math.sin(x), math.cos(x), 1.0
    last = levels.shape[0] - 1
    a, b = c, levels[last, 2] * s
    size = math.sqrt(a * a + b * b)
    a, b = a / size, b / size
    for i in range(last - 1, -1, -1):
        # every sum that a small number comes from has positive terms only
        k, rest, width = levels[i, 0], levels[i, 1], levels[i, 2]
        q = 1.0 / (1.0 + k * s * s)
        s, c, d = (1.0 + k) * s * q, c * d * q, (c * c + rest * s * s) * q
        re, im = a * a - b * b, 2.0 * a * b
        x, y = c, width * s
        size = 1.0 / math.sqrt(x * x + y * y)
        a, b = (re * x + im * y) * size, (im * x - re * y) * size
    size = math.sqrt(a * a + b * b)  # squaring doubles what rounding makes of the length
    return s, c, d, a / size, b / size
